// Bullet: spheres on a line, the x axis; a box that moves in the plane z = 0; the floor is a plane.
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
    btRigidBody &body = here.add(&shape, s->mass, btVector3(1, 1, 1) * s->inertia, s->restitution,
                                 s->friction, at);
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
