// Siconos mechanics: heaps of boxes and balls in space by time-stepping (Moreau-Jean) with Coulomb
// friction, contacts by its manager over Bullet's collision; nsgs to 1e-8, at most 1000 iterations.
#include "clock.h"
#include "peers.h"

#include <Friction_cst.h>
#include <RigidBodyDS.hpp>
#include <SiconosBulletCollisionManager.hpp>
#include <SiconosContactor.hpp>
#include <SiconosKernel.hpp>
#include <SolverOptions.h>
#include <cmath>
#include <memory>
#include <vector>

namespace
{

using vector = SiconosVector;

std::shared_ptr<vector> pose(const double *at, const double *turn)
{
    auto q = std::make_shared<vector>(7);
    for (int k = 0; k < 7; k++)
        (*q)(k) = k < 3 ? at[k] : turn[k - 3];
    return q;
}

std::shared_ptr<SiconosContactorSet> contactors(std::shared_ptr<SiconosShape> shape, double inside)
{
    auto set = std::make_shared<SiconosContactorSet>();
    shape->setInsideMargin(inside);
    shape->setOutsideMargin(0);
    set->push_back(std::make_shared<SiconosContactor>(shape));
    return set;
}

std::shared_ptr<RigidBodyDS> make_body(const heap_body &b, double gravity)
{
    const double *L = b.size;
    bool ball = L[1] == 0;
    double mass = 1000 * (ball ? 4 * M_PI / 3 * L[0] * L[0] * L[0] : L[0] * L[1] * L[2]);
    auto inertia = std::make_shared<SimpleMatrix>(3, 3);
    auto v = std::make_shared<vector>(6), force = std::make_shared<vector>(3);
    for (int k = 0; k < 3; k++) {
        double x = L[(k + 1) % 3], y = L[(k + 2) % 3];
        (*inertia)(k, k) = mass * (ball ? 0.4 * L[0] * L[0] : (x * x + y * y) / 12);
        (*v)(k) = b.velocity[k];
    }
    auto body = std::make_shared<RigidBodyDS>(pose(b.at, b.turn), v, mass, inertia);
    double small = ball ? 0 : 0.1 * std::fmin(L[0], std::fmin(L[1], L[2]));
    std::shared_ptr<SiconosShape> shape;
    if (ball)
        shape = std::make_shared<SiconosSphere>((float)L[0]);
    else
        shape = std::make_shared<SiconosBox>(L[0], L[1], L[2]);
    body->setContactors(contactors(shape, small));
    body->setUseContactorInertia(false);
    (*force)(2) = -mass * gravity;
    body->setFExtPtr(force);
    return body;
}

void add_walls(SiconosBulletCollisionManager &manager, double wall)
{
    const double h = std::sqrt(0.5); // turns the axis z, normal to the plane, to the inside
    const double turn[5][4] = {
        {1, 0, 0, 0}, {h, 0, h, 0}, {h, 0, -h, 0}, {h, -h, 0, 0}, {h, h, 0, 0}};
    const double at[5][3] = {{0, 0, 0}, {-wall, 0, 0}, {wall, 0, 0}, {0, -wall, 0}, {0, wall, 0}};
    for (int k = 0; k < (wall > 0 ? 5 : 1); k++)
        manager.insertStaticContactorSet(contactors(std::make_shared<SiconosPlane>(), 0),
                                         pose(at[k], turn[k]));
}

void tell(const heap_scene *s, const std::vector<std::shared_ptr<RigidBodyDS>> &bodies)
{
    for (int i = 0; i < s->n; i++) {
        const vector &q = *bodies[i]->q(), &v = *bodies[i]->twist();
        for (int k = 0; k < 7; k++)
            s->q[7 * i + k] = q(k);
        for (int k = 0; k < 3; k++)
            s->u[6 * i + k] = v(k);
        // its spin is in body axes: w + 2 a x (a0 w + a x w) turns it
        double a0 = q(3), a[3] = {q(4), q(5), q(6)}, w[3] = {v(3), v(4), v(5)}, c[3];
        for (int k = 0; k < 3; k++)
            c[k] = a0 * w[k] + a[(k + 1) % 3] * w[(k + 2) % 3] - a[(k + 2) % 3] * w[(k + 1) % 3];
        for (int k = 0; k < 3; k++)
            s->u[6 * i + 3 + k] =
                w[k] + 2 * (a[(k + 1) % 3] * c[(k + 2) % 3] - a[(k + 2) % 3] * c[(k + 1) % 3]);
    }
    s->look(s->self, s->q, s->u);
}

double run(const heap_scene *s)
{
    auto system = std::make_shared<NonSmoothDynamicalSystem>(0, s->step * (s->steps + 2));
    std::vector<std::shared_ptr<RigidBodyDS>> bodies;
    for (int i = 0; i < s->n; i++) {
        bodies.push_back(make_body(s->bodies[i], s->gravity));
        system->insertDynamicalSystem(bodies.back());
    }
    SiconosBulletOptions options;
    auto manager = std::make_shared<SiconosBulletCollisionManager>(options);
    add_walls(*manager, s->wall);
    manager->insertNonSmoothLaw(std::make_shared<NewtonImpactFrictionNSL>(0., 0., s->friction, 3),
                                0, 0);
    auto problem = std::make_shared<FrictionContact>(3, SICONOS_FRICTION_3D_NSGS);
    problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-8;
    problem->numericsSolverOptions()->iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
    problem->setMStorageType(NM_SPARSE_BLOCK);
    problem->setMaxSize(30000);
    problem->setKeepLambdaAndYState(true);
    auto simulation =
        std::make_shared<TimeStepping>(system, std::make_shared<TimeDiscretisation>(0, s->step),
                                       std::make_shared<MoreauJeanOSI>(0.5), problem);
    simulation->insertInteractionManager(manager);
    simulation->setNewtonOptions(SICONOS_TS_LINEAR);
    double spent = 0;
    for (long done = 0; done < s->steps; done += s->every) {
        double start = clock_seconds();
        for (long k = 0; k < s->every; k++) {
            simulation->computeOneStep();
            simulation->nextStep();
        }
        spent += clock_seconds() - start;
        tell(s, bodies);
    }
    return spent;
}

} // namespace

extern "C" double siconos_heap(const heap_scene *s)
{
    try {
        return run(s);
    } catch (...) {
        return -1;
    }
}
