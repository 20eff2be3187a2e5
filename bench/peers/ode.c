/* ODE: spheres on a line, the x axis; a box that a joint keeps in the plane z = 0; heaps of boxes
 * and balls; the floor is a plane; its LCP step (dWorldStep), for heaps also its iterations
 * (dWorldQuickStep). */
#include "clock.h"
#include "peers.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>

enum { MOST = 256, CORNERS = 8 };

typedef struct space {
    dWorldID world;
    dSpaceID geoms;
    dJointGroupID joints;
    double restitution, friction;
    int quick; /* iterations instead of the LCP */
} space;

static space make(double restitution, double friction)
{
    dInitODE2(0);
    return (space){
        dWorldCreate(), dHashSpaceCreate(0), dJointGroupCreate(0), restitution, friction, 0};
}

/* Coulomb friction (dContactApprox1: its limit follows the normal force). */
static void touch(void *data, dGeomID a, dGeomID b)
{
    space *s = data;
    if (!dGeomGetBody(a) && !dGeomGetBody(b))
        return;
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
        if (s->quick)
            dWorldQuickStep(s->world, (dReal)step);
        else
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

static dBodyID heap_add(space *here, const heap_body *b)
{
    int ball = b->size[1] == 0;
    dReal x = (dReal)b->size[0], y = (dReal)b->size[1], z = (dReal)b->size[2];
    dBodyID body = dBodyCreate(here->world);
    dMass mass;
    dQuaternion turn;
    if (ball)
        dMassSetSphere(&mass, 1000, x);
    else
        dMassSetBox(&mass, 1000, x, y, z);
    for (int k = 0; k < 4; k++)
        turn[k] = (dReal)b->turn[k];
    dBodySetMass(body, &mass);
    dBodySetQuaternion(body, turn);
    dBodySetPosition(body, (dReal)b->at[0], (dReal)b->at[1], (dReal)b->at[2]);
    dBodySetLinearVel(body, (dReal)b->velocity[0], (dReal)b->velocity[1], (dReal)b->velocity[2]);
    dGeomSetBody(ball ? dCreateSphere(here->geoms, x) : dCreateBox(here->geoms, x, y, z), body);
    return body;
}

static void heap_tell(const heap_scene *s, const dBodyID *body)
{
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < 3; k++) {
            s->q[7 * i + k] = dBodyGetPosition(body[i])[k];
            s->u[6 * i + k] = dBodyGetLinearVel(body[i])[k];
            s->u[6 * i + 3 + k] = dBodyGetAngularVel(body[i])[k];
        }
        for (int k = 0; k < 4; k++)
            s->q[7 * i + 3 + k] = dBodyGetQuaternion(body[i])[k];
    }
    s->look(s->self, s->q, s->u);
}

static double heap(const heap_scene *s, int quick)
{
    dBodyID *body = malloc((size_t)s->n * sizeof *body);
    if (!body)
        return -1;
    space here = make(0, s->friction);
    here.quick = quick;
    dWorldSetGravity(here.world, 0, 0, (dReal)-s->gravity);
    for (int i = 0; i < s->n; i++)
        body[i] = heap_add(&here, &s->bodies[i]);
    dCreatePlane(here.geoms, 0, 0, 1, 0);
    for (int k = 0; s->wall > 0 && k < 4; k++)
        dCreatePlane(here.geoms, (dReal)(k < 2 ? 1 - 2 * k : 0), (dReal)(k < 2 ? 0 : 5 - 2 * k), 0,
                     (dReal)-s->wall);
    double spent = 0;
    for (long done = 0; done < s->steps; done += s->every) {
        spent += run(&here, s->step, s->every);
        heap_tell(s, body);
    }
    drop(&here);
    free(body);
    return spent;
}

double ode_heap(const heap_scene *s)
{
    return heap(s, 0);
}

double ode_heap_quick(const heap_scene *s)
{
    return heap(s, 1);
}

static void place(dGeomID geom, const placed_box *box)
{
    dMatrix3 R = {0};
    for (int i = 0; i < 9; i++)
        R[4 * (i % 3) + i / 3] = (dReal)box->rotation[i];
    dGeomBoxSetLengths(geom, (dReal)box->size[0], (dReal)box->size[1], (dReal)box->size[2]);
    dGeomSetPosition(geom, (dReal)box->at[0], (dReal)box->at[1], (dReal)box->at[2]);
    dGeomSetRotation(geom, R);
}

int ode_boxes(const placed_box *a, const placed_box *b, double *depth, double *normal)
{
    static dGeomID geom[2];
    dContactGeom contact[CORNERS];
    if (!geom[0]) {
        dInitODE2(0);
        geom[0] = dCreateBox(0, 1, 1, 1);
        geom[1] = dCreateBox(0, 1, 1, 1);
    }
    place(geom[0], a);
    place(geom[1], b);
    int count = dCollide(geom[0], geom[1], CORNERS, contact, sizeof *contact), deepest = 0;
    for (int i = 1; i < count; i++)
        deepest = contact[i].depth > contact[deepest].depth ? i : deepest;
    *depth = count ? contact[deepest].depth : 0;
    for (int k = 0; k < 3; k++) /* its normal points into the first */
        normal[k] = count ? -contact[deepest].normal[k] : 0;
    return count;
}
