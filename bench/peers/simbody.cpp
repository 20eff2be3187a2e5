// Simbody: rigid unilateral contacts under its SemiExplicitEulerTimeStepper, Newton's restitution.
// Balls slide along the x axis, where a sphere meets a sphere as a point meets a plane; a box moves
// in the plane and touches the floor with its two lower corners. The Debian package was built with the
// stepper's messages on: what goes through std::cout is cut off, the formatting of the rest is
// part of its time.
#include "clock.h"
#include "peers.h"

#include <Simbody.h>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>
#include <vector>

using namespace SimTK;

namespace
{

struct model {
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;

    model(const Vec3 &gravity) : matter(system), forces(system)
    {
        Force::UniformGravity(forces, matter, gravity);
    }
};

// Nothing reaches standard output while one of these lives.
struct silence {
    std::streambuf *stream;
    int output;

    silence() : stream(std::cout.rdbuf(nullptr)), output(dup(1))
    {
        fflush(stdout);
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        close(nowhere);
    }

    ~silence()
    {
        fflush(stdout);
        dup2(output, 1);
        close(output);
        std::cout.rdbuf(stream);
    }
};

// Steps of equal length from `state`; the seconds they take.
double run(model &m, const State &state, double step, long steps, State &end)
{
    silence here;
    SemiExplicitEulerTimeStepper stepper(m.system);
    stepper.setRestitutionModel(SemiExplicitEulerTimeStepper::Newton);
    stepper.setDefaultImpactCaptureVelocity(1e-6);
    stepper.setDefaultImpactMinCORVelocity(1e-6);
    stepper.setDefaultFrictionTransitionVelocity(1e-6);
    stepper.setConstraintTolerance(1e-9);
    stepper.initialize(state);
    double start = clock_seconds();
    for (long k = 1; k <= steps; k++)
        stepper.stepTo(k * step);
    double spent = clock_seconds() - start;
    end = stepper.getState();
    m.system.realize(end, Stage::Velocity);
    return spent;
}

} // namespace

extern "C" double simbody_balls(const balls_scene *s, double *x, double *u)
{
    try {
        model m(Vec3(-s->gravity, 0, 0));
        Body::Rigid ball(MassProperties(
            s->mass, Vec3(0), s->mass * UnitInertia::sphere(s->radius)));
        std::vector<MobilizedBody::Slider> balls;
        for (int i = 0; i < s->n; i++)
            balls.emplace_back(m.matter.Ground(), Transform(), ball, Transform());
        for (int i = s->floor ? -1 : 0; i + 1 < s->n; i++) {
            MobilizedBody &below = i < 0 ? (MobilizedBody &)m.matter.Ground() : balls[i];
            m.matter.adoptUnilateralContact(new PointPlaneFrictionlessContact(
                below, UnitVec3(XAxis), i < 0 ? 0 : s->radius, balls[i + 1],
                Vec3(-s->radius, 0, 0), s->restitution));
        }
        State state = m.system.realizeTopology(), end;
        for (int i = 0; i < s->n; i++) {
            balls[i].setQ(state, s->x[i]);
            balls[i].setU(state, s->u[i]);
        }
        double spent = run(m, state, s->step, s->steps, end);
        for (int i = 0; i < s->n; i++) {
            x[i] = balls[i].getQ(end);
            u[i] = balls[i].getU(end);
        }
        return spent;
    } catch (...) {
        return -1;
    }
}

extern "C" double simbody_box(const box_scene *s, double *q, double *u)
{
    try {
        model m(Vec3(0, -s->gravity, 0));
        Body::Rigid body(MassProperties(s->mass, Vec3(0), Inertia(s->inertia)));
        MobilizedBody::Planar box(m.matter.Ground(), Transform(), body, Transform());
        for (int side = -1; side <= 1; side += 2) {
            Vec3 at(side * s->width / 2, -s->height / 2, 0);
            m.matter.adoptUnilateralContact(
                new PointPlaneContact(m.matter.Ground(), UnitVec3(YAxis), 0, box, at,
                                      s->restitution, s->friction, s->friction, 0));
        }
        State state = m.system.realizeTopology(), end;
        box.setQ(state, Vec3(s->q[2], s->q[0], s->q[1]));
        box.setU(state, Vec3(s->u[2], s->u[0], s->u[1]));
        double spent = run(m, state, s->step, s->steps, end);
        Vec3 at = box.getQ(end), speed = box.getU(end);
        q[0] = at[1], q[1] = at[2], q[2] = at[0];
        u[0] = speed[1], u[1] = speed[2], u[2] = speed[0];
        return spent;
    } catch (...) {
        return -1;
    }
}
