// Siconos kernel: balls on a line by time-stepping (Moreau-Jean), event-driven, and by its multiple
// impact law.
#include "clock.h"
#include "peers.h"

#include <MultipleImpact.hpp>
#include <MultipleImpactNSL.hpp>
#include <SiconosKernel.hpp>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <memory>
#include <vector>

namespace
{

struct line {
    std::vector<std::shared_ptr<LagrangianLinearTIDS>> balls;
    std::shared_ptr<NonSmoothDynamicalSystem> system;

    line(const balls_scene &s, std::shared_ptr<NonSmoothLaw> law)
    {
        system = std::make_shared<NonSmoothDynamicalSystem>(0, s.step * s.steps);
        for (int i = 0; i < s.n; i++) {
            auto q = std::make_shared<SiconosVector>(1), v = std::make_shared<SiconosVector>(1);
            auto force = std::make_shared<SiconosVector>(1);
            auto mass = std::make_shared<SimpleMatrix>(1, 1);
            (*q)(0) = s.x[i];
            (*v)(0) = s.u[i];
            (*mass)(0, 0) = s.mass;
            (*force)(0) = -s.mass * s.gravity;
            auto ball = std::make_shared<LagrangianLinearTIDS>(q, v, mass);
            ball->setFExtPtr(force);
            system->insertDynamicalSystem(ball);
            balls.push_back(ball);
        }
        for (int i = s.floor ? -1 : 0; i + 1 < s.n; i++) {
            auto H = std::make_shared<SimpleMatrix>(1, i < 0 ? 1 : 2);
            auto b = std::make_shared<SiconosVector>(1);
            (*H)(0, 0) = i < 0 ? 1 : -1;
            if (i >= 0)
                (*H)(0, 1) = 1;
            (*b)(0) = i < 0 ? -s.radius : -2 * s.radius;
            auto contact =
                std::make_shared<Interaction>(law, std::make_shared<LagrangianLinearTIR>(H, b));
            if (i < 0)
                system->link(contact, balls[0]);
            else
                system->link(contact, balls[i], balls[i + 1]);
        }
    }

    void read(double *x, double *u) const
    {
        for (size_t i = 0; i < balls.size(); i++) {
            if (x)
                x[i] = (*balls[i]->q())(0);
            u[i] = (*balls[i]->velocity())(0);
        }
    }
};

double run_events(const balls_scene &s, line &l, std::shared_ptr<OneStepNSProblem> impact,
                  double *x, double *u)
{
    auto time = std::make_shared<TimeDiscretisation>(0, s.step);
    auto integrator = std::make_shared<LsodarOSI>();
    auto force = std::make_shared<LCP>();
    auto simulation = std::make_shared<EventDriven>(l.system, time);
    simulation->insertIntegrator(integrator);
    simulation->insertNonSmoothProblem(impact, SICONOS_OSNSP_ED_IMPACT);
    simulation->insertNonSmoothProblem(force, SICONOS_OSNSP_ED_SMOOTH_ACC);
    simulation->initialize();
    double start = clock_seconds();
    while (simulation->hasNextEvent()) {
        simulation->advanceToEvent();
        simulation->processEvents();
    }
    double spent = clock_seconds() - start;
    l.read(x, u);
    return spent;
}

double run_steps(const balls_scene &s, int solver, double *x, double *u)
{
    try {
        line l(s, std::make_shared<NewtonImpactNSL>(s.restitution));
        auto time = std::make_shared<TimeDiscretisation>(0, s.step);
        auto integrator = std::make_shared<MoreauJeanOSI>(0.5);
        auto problem = std::make_shared<LCP>(solver);
        problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-12;
        auto simulation = std::make_shared<TimeStepping>(l.system, time, integrator, problem);
        simulation->setNewtonOptions(SICONOS_TS_LINEAR);
        double start = clock_seconds();
        for (long k = 0; k < s.steps && simulation->hasNextEvent(); k++) {
            simulation->computeOneStep();
            simulation->nextStep();
        }
        double spent = clock_seconds() - start;
        l.read(x, u);
        return spent;
    } catch (...) {
        return -1;
    }
}

} // namespace

extern "C" double siconos_balls(const balls_scene *s, double *x, double *u)
{
    return run_steps(*s, SICONOS_LCP_LEMKE, x, u);
}

extern "C" double siconos_balls_newton(const balls_scene *s, double *x, double *u)
{
    return run_steps(*s, SICONOS_LCP_NEWTON_MIN_FBLSA, x, u);
}

extern "C" double siconos_event_driven(const balls_scene *s, double *x, double *u)
{
    try {
        line l(*s, std::make_shared<NewtonImpactNSL>(s->restitution));
        return run_events(*s, l, std::make_shared<LCP>(), x, u);
    } catch (...) {
        return -1;
    }
}

extern "C" double siconos_lzb(const balls_scene *s, double impulse_step, double *u)
{
    try {
        line l(*s, std::make_shared<MultipleImpactNSL>(s->restitution, 1.0, 1.5));
        auto impact = std::make_shared<MultipleImpact>("BiStiffness", impulse_step);
        impact->SetNstepMax(100000000);
        impact->SetSaveData(false);
        return run_events(*s, l, impact, nullptr, u);
    } catch (...) {
        return -1;
    }
}

extern "C" double siconos_impact(int n, int p, const double *M, const double *u, const double *W,
                                 const double *H, const double *e, const double *mu, double *plus)
{
    try {
        auto q = std::make_shared<SiconosVector>(n), v = std::make_shared<SiconosVector>(n);
        auto mass = std::make_shared<SimpleMatrix>(n, n);
        for (int k = 0; k < n; k++) {
            (*v)(k) = u[k];
            (*mass)(k, k) = M[k];
        }
        auto body = std::make_shared<LagrangianLinearTIDS>(q, v, mass);
        auto system = std::make_shared<NonSmoothDynamicalSystem>(0, 1);
        system->insertDynamicalSystem(body);
        for (int i = 0; i < p; i++) {
            auto C = std::make_shared<SimpleMatrix>(H ? 2 : 1, n);
            for (int k = 0; k < n; k++) {
                (*C)(0, k) = W[k + i * n];
                if (H)
                    (*C)(1, k) = H[k + i * n];
            }
            std::shared_ptr<NonSmoothLaw> law;
            if (H)
                law = std::make_shared<NewtonImpactFrictionNSL>(e[i], 0., mu[i], 2);
            else
                law = std::make_shared<NewtonImpactNSL>(e[i]);
            system->link(
                std::make_shared<Interaction>(law, std::make_shared<LagrangianLinearTIR>(C)), body);
        }
        auto time = std::make_shared<TimeDiscretisation>(0, 1e-3);
        auto integrator = std::make_shared<MoreauJeanOSI>(0.5);
        std::shared_ptr<OneStepNSProblem> problem;
        if (H)
            problem = std::make_shared<FrictionContact>(2, SICONOS_FRICTION_2D_LEMKE);
        else
            problem = std::make_shared<LCP>();
        auto simulation = std::make_shared<TimeStepping>(system, time, integrator, problem);
        simulation->setNewtonOptions(SICONOS_TS_LINEAR);
        simulation->initialize();
        double start = clock_seconds();
        simulation->computeOneStep();
        simulation->nextStep();
        double spent = clock_seconds() - start;
        for (int k = 0; k < n; k++)
            plus[k] = (*body->velocity())(k);
        return spent;
    } catch (...) {
        return -1;
    }
}
