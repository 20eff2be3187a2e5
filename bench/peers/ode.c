/* ODE: spheres on a line, the x axis; a box that a joint keeps in the plane z = 0; the floor is a
 * plane; its LCP step (dWorldStep). */
#include "clock.h"
#include "peers.h"

#include <math.h>
#include <ode/ode.h>

enum { MOST = 256, CORNERS = 4 };

typedef struct space {
    dWorldID world;
    dSpaceID geoms;
    dJointGroupID joints;
    double restitution, friction;
} space;

static space make(double restitution, double friction)
{
    dInitODE2(0);
    return (space){dWorldCreate(), dHashSpaceCreate(0), dJointGroupCreate(0), restitution,
                   friction};
}

/* Coulomb friction (dContactApprox1: its limit follows the normal force). */
static void touch(void *data, dGeomID a, dGeomID b)
{
    space *s = data;
    dContact contact[CORNERS] = {0};
    int count = dCollide(a, b, CORNERS, &contact[0].geom, sizeof *contact);
    for (int i = 0; i < count; i++) {
        contact[i].surface = (dSurfaceParameters){.mode = dContactBounce | dContactApprox1,
                                                  .mu = (dReal)s->friction,
                                                  .bounce = (dReal)s->restitution,
                                                  .bounce_vel = 0};
        dJointAttach(dJointCreateContact(s->world, s->joints, &contact[i]), dGeomGetBody(a),
                     dGeomGetBody(b));
    }
}

static double run(space *s, double step, long steps)
{
    double start = clock_seconds();
    for (long k = 0; k < steps; k++) {
        dSpaceCollide(s->geoms, s, touch);
        dWorldStep(s->world, (dReal)step);
        dJointGroupEmpty(s->joints);
    }
    return clock_seconds() - start;
}

static void drop(space *s)
{
    dJointGroupDestroy(s->joints);
    dSpaceDestroy(s->geoms);
    dWorldDestroy(s->world);
    dCloseODE();
}

double ode_balls(const balls_scene *s, double *x, double *u)
{
    if (s->n > MOST)
        return -1;
    space here = make(s->restitution, 0);
    dBodyID body[MOST];
    dMass mass;
    dWorldSetGravity(here.world, (dReal)-s->gravity, 0, 0);
    dMassSetSphereTotal(&mass, (dReal)s->mass, (dReal)s->radius);
    for (int i = 0; i < s->n; i++) {
        body[i] = dBodyCreate(here.world);
        dBodySetMass(body[i], &mass);
        dBodySetPosition(body[i], (dReal)s->x[i], 0, 0);
        dBodySetLinearVel(body[i], (dReal)s->u[i], 0, 0);
        dGeomSetBody(dCreateSphere(here.geoms, (dReal)s->radius), body[i]);
    }
    if (s->floor)
        dCreatePlane(here.geoms, 1, 0, 0, 0);
    double spent = run(&here, s->step, s->steps);
    for (int i = 0; i < s->n; i++) {
        x[i] = dBodyGetPosition(body[i])[0];
        u[i] = dBodyGetLinearVel(body[i])[0];
    }
    drop(&here);
    return spent;
}

double ode_box(const box_scene *s, double *q, double *u)
{
    space here = make(s->restitution, s->friction);
    dBodyID body = dBodyCreate(here.world);
    dMass mass;
    dMatrix3 turn;
    dReal inertia = (dReal)s->inertia;
    dMassSetParameters(&mass, (dReal)s->mass, 0, 0, 0, inertia, inertia, inertia, 0, 0, 0);
    dBodySetMass(body, &mass);
    dRFromAxisAndAngle(turn, 0, 0, 1, (dReal)s->q[2]);
    dBodySetRotation(body, turn);
    dBodySetPosition(body, (dReal)s->q[0], (dReal)s->q[1], 0);
    dBodySetLinearVel(body, (dReal)s->u[0], (dReal)s->u[1], 0);
    dBodySetAngularVel(body, 0, 0, (dReal)s->u[2]);
    dWorldSetGravity(here.world, 0, (dReal)-s->gravity, 0);
    dGeomSetBody(dCreateBox(here.geoms, (dReal)s->width, (dReal)s->height, 1), body);
    dCreatePlane(here.geoms, 0, 1, 0, 0);
    dJointAttach(dJointCreatePlane2D(here.world, 0), body, 0);
    double spent = run(&here, s->step, s->steps);
    const dReal *R = dBodyGetRotation(body);
    q[0] = dBodyGetPosition(body)[0], q[1] = dBodyGetPosition(body)[1], q[2] = atan2(R[4], R[0]);
    u[0] = dBodyGetLinearVel(body)[0], u[1] = dBodyGetLinearVel(body)[1];
    u[2] = dBodyGetAngularVel(body)[2];
    drop(&here);
    return spent;
}
