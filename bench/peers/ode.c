/* ODE: spheres on a line, the x axis; the floor is a plane; its LCP step (dWorldStep). */
#include "clock.h"
#include "peers.h"

#include <ode/ode.h>

enum { MOST = 256 };

typedef struct space {
    dWorldID world;
    dJointGroupID joints;
    double restitution;
} space;

static void touch(void *data, dGeomID a, dGeomID b)
{
    space *s = data;
    dContact contact[1] = {
        {.surface = {
             .mode = dContactBounce, .mu = 0, .bounce = (dReal)s->restitution, .bounce_vel = 0}}};
    if (dCollide(a, b, 1, &contact[0].geom, sizeof *contact))
        dJointAttach(dJointCreateContact(s->world, s->joints, contact), dGeomGetBody(a),
                     dGeomGetBody(b));
}

double ode_balls(const balls_scene *s, double *x, double *u)
{
    if (s->n > MOST)
        return -1;
    dInitODE2(0);
    space here = {dWorldCreate(), dJointGroupCreate(0), s->restitution};
    dSpaceID geoms = dHashSpaceCreate(0);
    dBodyID body[MOST];
    dMass mass;
    dWorldSetGravity(here.world, (dReal)-s->gravity, 0, 0);
    dMassSetSphereTotal(&mass, (dReal)s->mass, (dReal)s->radius);
    for (int i = 0; i < s->n; i++) {
        body[i] = dBodyCreate(here.world);
        dBodySetMass(body[i], &mass);
        dBodySetPosition(body[i], (dReal)s->x[i], 0, 0);
        dBodySetLinearVel(body[i], (dReal)s->u[i], 0, 0);
        dGeomSetBody(dCreateSphere(geoms, (dReal)s->radius), body[i]);
    }
    if (s->floor)
        dCreatePlane(geoms, 1, 0, 0, 0);
    double start = clock_seconds();
    for (long k = 0; k < s->steps; k++) {
        dSpaceCollide(geoms, &here, touch);
        dWorldStep(here.world, (dReal)s->step);
        dJointGroupEmpty(here.joints);
    }
    double spent = clock_seconds() - start;
    for (int i = 0; i < s->n; i++) {
        x[i] = dBodyGetPosition(body[i])[0];
        u[i] = dBodyGetLinearVel(body[i])[0];
    }
    dJointGroupDestroy(here.joints);
    dSpaceDestroy(geoms);
    dWorldDestroy(here.world);
    dCloseODE();
    return spent;
}
