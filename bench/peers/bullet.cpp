// Bullet: spheres on a line, the x axis; the floor is a plane. Its defaults, except that sleeping
// is off and nothing is damped.
#include "clock.h"
#include "peers.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

extern "C" double bullet_balls(const balls_scene *s, double *x, double *u)
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(-s->gravity, 0, 0));
    btSphereShape sphere(s->radius);
    btStaticPlaneShape plane(btVector3(1, 0, 0), 0);
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    auto add = [&](btCollisionShape *shape, double mass, double at, double speed) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            shape->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        info.m_restitution = std::sqrt(s->restitution); // the engine multiplies the two
        info.m_friction = 0;
        info.m_startWorldTransform.setOrigin(btVector3(at, 0, 0));
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        bodies.back()->setLinearVelocity(btVector3(speed, 0, 0));
        world.addRigidBody(bodies.back().get());
    };
    for (int i = 0; i < s->n; i++)
        add(&sphere, s->mass, s->x[i], s->u[i]);
    if (s->floor)
        add(&plane, 0, 0, 0);
    double start = clock_seconds();
    for (long k = 0; k < s->steps; k++)
        world.stepSimulation(s->step, 0);
    double spent = clock_seconds() - start;
    for (int i = 0; i < s->n; i++) {
        x[i] = bodies[i]->getWorldTransform().getOrigin().x();
        u[i] = bodies[i]->getLinearVelocity().x();
    }
    for (auto &body : bodies)
        world.removeRigidBody(body.get());
    return spent;
}
