// Siconos kernel: a box over a floor by time-stepping (Moreau-Jean), with Newton's restitution and
// Coulomb friction at its two lower corners; relations written as its users would, gap and slip of a
// corner as functions of (x, y, angle).
#include "clock.h"
#include "peers.h"

#include <Friction_cst.h>
#include <SiconosKernel.hpp>
#include <SolverOptions.h>
#include <cmath>
#include <memory>

namespace
{

// The corner at (a, b) from the centre.
class Corner : public LagrangianScleronomousR
{
    double a, b;

  public:
    Corner(double along, double up) : LagrangianScleronomousR(), a(along), b(up)
    {
        _jachq = std::make_shared<SimpleMatrix>(2, 3);
        _jachq->zero();
        (*_jachq)(0, 1) = (*_jachq)(1, 0) = 1;
    }

    void computeh(const BlockVector &q, BlockVector &, SiconosVector &y) override
    {
        double c = std::cos(q(2)), s = std::sin(q(2));
        y(0) = q(1) + a * s + b * c;
        y(1) = q(0) + a * c - b * s;
    }

    void computeJachq(const BlockVector &q, BlockVector &) override
    {
        double c = std::cos(q(2)), s = std::sin(q(2));
        (*_jachq)(0, 2) = a * c - b * s;
        (*_jachq)(1, 2) = -a * s - b * c;
    }
};

double run(const box_scene *s, int solver, double *q, double *u)
{
    try {
        auto at = std::make_shared<SiconosVector>(3), v = std::make_shared<SiconosVector>(3);
        auto force = std::make_shared<SiconosVector>(3);
        auto mass = std::make_shared<SimpleMatrix>(3, 3);
        for (int k = 0; k < 3; k++) {
            (*at)(k) = s->q[k];
            (*v)(k) = s->u[k];
            (*mass)(k, k) = k < 2 ? s->mass : s->inertia;
        }
        (*force)(1) = -s->mass * s->gravity;
        auto body = std::make_shared<LagrangianLinearTIDS>(at, v, mass);
        body->setFExtPtr(force);
        auto system = std::make_shared<NonSmoothDynamicalSystem>(0, s->step * s->steps);
        system->insertDynamicalSystem(body);
        auto law = std::make_shared<NewtonImpactFrictionNSL>(s->restitution, 0., s->friction, 2);
        for (int side = -1; side <= 1; side += 2) {
            auto relation = std::make_shared<Corner>(side * s->width / 2, -s->height / 2);
            system->link(std::make_shared<Interaction>(law, relation), body);
        }
        auto time = std::make_shared<TimeDiscretisation>(0, s->step);
        auto integrator = std::make_shared<MoreauJeanOSI>(0.5);
        auto problem = std::make_shared<FrictionContact>(2, solver);
        problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-12;
        auto simulation = std::make_shared<TimeStepping>(system, time, integrator, problem);
        simulation->setNewtonOptions(SICONOS_TS_LINEAR);
        double start = clock_seconds();
        for (long k = 0; k < s->steps && simulation->hasNextEvent(); k++) {
            simulation->computeOneStep();
            simulation->nextStep();
        }
        double spent = clock_seconds() - start;
        for (int k = 0; k < 3; k++) {
            q[k] = (*body->q())(k);
            u[k] = (*body->velocity())(k);
        }
        return spent;
    } catch (...) {
        return -1;
    }
}

} // namespace

extern "C" double siconos_box(const box_scene *s, double *q, double *u)
{
    return run(s, SICONOS_FRICTION_2D_LEMKE, q, u);
}

extern "C" double siconos_box_nsgs(const box_scene *s, double *q, double *u)
{
    return run(s, SICONOS_FRICTION_2D_NSGS, q, u);
}
