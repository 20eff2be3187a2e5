// Bullet: spheres on a line, the x axis; a box that moves in the plane z = 0; heaps of boxes and
// balls; the floor is a plane.
// Its defaults, except that sleeping is off and nothing is damped.
#include "clock.h"
#include "peers.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

namespace
{

struct space {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    std::vector<std::unique_ptr<btRigidBody>> bodies;

    space(const btVector3 &gravity)
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration)
    {
        world.setGravity(gravity);
    }

    ~space()
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }

    // The engine multiplies the two restitutions and the two coefficients of friction.
    btRigidBody &add(btCollisionShape *shape, double mass, const btVector3 &inertia,
                     double restitution, double friction, const btTransform &at)
    {
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        info.m_restitution = std::sqrt(restitution);
        info.m_friction = std::sqrt(friction);
        info.m_startWorldTransform = at;
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
        return *bodies.back();
    }

    double run(double step, long steps)
    {
        double start = clock_seconds();
        for (long k = 0; k < steps; k++)
            world.stepSimulation(step, 0);
        return clock_seconds() - start;
    }
};

} // namespace

extern "C" double bullet_balls(const balls_scene *s, double *x, double *u)
{
    btSphereShape sphere(s->radius);
    btStaticPlaneShape plane(btVector3(1, 0, 0), 0);
    btTransform at = btTransform::getIdentity();
    btVector3 inertia;
    space here(btVector3(-s->gravity, 0, 0));
    sphere.calculateLocalInertia(s->mass, inertia);
    for (int i = 0; i < s->n; i++) {
        at.setOrigin(btVector3(s->x[i], 0, 0));
        here.add(&sphere, s->mass, inertia, s->restitution, 0, at)
            .setLinearVelocity(btVector3(s->u[i], 0, 0));
    }
    if (s->floor)
        here.add(&plane, 0, btVector3(0, 0, 0), s->restitution, 0, btTransform::getIdentity());
    double spent = here.run(s->step, s->steps);
    for (int i = 0; i < s->n; i++) {
        x[i] = here.bodies[i]->getWorldTransform().getOrigin().x();
        u[i] = here.bodies[i]->getLinearVelocity().x();
    }
    return spent;
}

extern "C" double bullet_box(const box_scene *s, double *q, double *u)
{
    btBoxShape shape(btVector3(s->width / 2, s->height / 2, 0.5));
    btStaticPlaneShape plane(btVector3(0, 1, 0), 0);
    btTransform at(btQuaternion(btVector3(0, 0, 1), s->q[2]), btVector3(s->q[0], s->q[1], 0));
    space here(btVector3(0, -s->gravity, 0));
    btRigidBody &body =
        here.add(&shape, s->mass, btVector3(1, 1, 1) * s->inertia, s->restitution, s->friction, at);
    body.setLinearFactor(btVector3(1, 1, 0));
    body.setAngularFactor(btVector3(0, 0, 1));
    body.setLinearVelocity(btVector3(s->u[0], s->u[1], 0));
    body.setAngularVelocity(btVector3(0, 0, s->u[2]));
    here.add(&plane, 0, btVector3(0, 0, 0), s->restitution, s->friction,
             btTransform::getIdentity());
    double spent = here.run(s->step, s->steps);
    btVector3 along = body.getWorldTransform().getBasis().getColumn(0);
    q[0] = body.getWorldTransform().getOrigin().x();
    q[1] = body.getWorldTransform().getOrigin().y();
    q[2] = std::atan2(along.y(), along.x());
    u[0] = body.getLinearVelocity().x(), u[1] = body.getLinearVelocity().y();
    u[2] = body.getAngularVelocity().z();
    return spent;
}

extern "C" double bullet_heap(const heap_scene *s)
{
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    space here(btVector3(0, 0, -s->gravity));
    for (int i = 0; i < s->n; i++) {
        const heap_body &b = s->bodies[i];
        bool ball = b.size[1] == 0;
        btVector3 lengths(b.size[0], b.size[1], b.size[2]), inertia;
        double mass = 1000 * (ball ? 4 * M_PI / 3 * std::pow(b.size[0], 3)
                                   : b.size[0] * b.size[1] * b.size[2]);
        if (ball)
            shapes.emplace_back(new btSphereShape(b.size[0]));
        else
            shapes.emplace_back(new btBoxShape(lengths / 2));
        shapes.back()->calculateLocalInertia(mass, inertia);
        btTransform at(btQuaternion(b.turn[1], b.turn[2], b.turn[3], b.turn[0]),
                       btVector3(b.at[0], b.at[1], b.at[2]));
        here.add(shapes.back().get(), mass, inertia, 0, s->friction, at)
            .setLinearVelocity(btVector3(b.velocity[0], b.velocity[1], b.velocity[2]));
    }
    const double walls[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (int k = 0; k < (s->wall > 0 ? 5 : 1); k++) {
        btVector3 normal(walls[k][0], walls[k][1], walls[k][2]);
        shapes.emplace_back(new btStaticPlaneShape(normal, k ? -s->wall : 0));
        here.add(shapes.back().get(), 0, btVector3(0, 0, 0), 0, s->friction,
                 btTransform::getIdentity());
    }
    double spent = 0;
    for (long done = 0; done < s->steps; done += s->every) {
        spent += here.run(s->step, s->every);
        for (int i = 0; i < s->n; i++) {
            const btTransform &at = here.bodies[i]->getWorldTransform();
            btQuaternion turn = at.getRotation();
            btVector3 v = here.bodies[i]->getLinearVelocity();
            btVector3 w = here.bodies[i]->getAngularVelocity();
            for (int k = 0; k < 3; k++) {
                s->q[7 * i + k] = at.getOrigin()[k];
                s->u[6 * i + k] = v[k];
                s->u[6 * i + 3 + k] = w[k];
            }
            s->q[7 * i + 3] = turn.w(), s->q[7 * i + 4] = turn.x();
            s->q[7 * i + 5] = turn.y(), s->q[7 * i + 6] = turn.z();
        }
        s->look(s->self, s->q, s->u);
    }
    return spent;
}
