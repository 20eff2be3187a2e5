/* Chipmunk: circles on a line, the x axis, and a box in the plane; the floor is a segment; 10
 * iterations, its default. */
#include "clock.h"
#include "peers.h"

#include <chipmunk/chipmunk.h>
#include <math.h>

enum { MOST = 256 };

/* The engine multiplies the two restitutions, and the two coefficients of friction. */
static void add(cpSpace *space, cpShape *shape, double restitution, double friction)
{
    cpShapeSetElasticity(shape, sqrt(restitution));
    cpShapeSetFriction(shape, sqrt(friction));
    cpSpaceAddShape(space, shape);
}

static double run(cpSpace *space, double step, long steps)
{
    double start = clock_seconds();
    for (long k = 0; k < steps; k++)
        cpSpaceStep(space, step);
    return clock_seconds() - start;
}

static void drop_shape(cpBody *body, cpShape *shape, void *space)
{
    (void)body;
    cpSpaceRemoveShape(space, shape);
    cpShapeFree(shape);
}

static void drop(cpSpace *space, cpBody **body, int bodies)
{
    cpBodyEachShape(cpSpaceGetStaticBody(space), drop_shape, space);
    for (int i = 0; i < bodies; i++) {
        cpBodyEachShape(body[i], drop_shape, space);
        cpSpaceRemoveBody(space, body[i]);
        cpBodyFree(body[i]);
    }
    cpSpaceFree(space);
}

double chipmunk_balls(const balls_scene *s, double *x, double *u)
{
    if (s->n > MOST)
        return -1;
    cpSpace *space = cpSpaceNew();
    cpBody *body[MOST];
    cpSpaceSetGravity(space, cpv((cpFloat)-s->gravity, 0));
    for (int i = 0; i < s->n; i++) {
        body[i] = cpSpaceAddBody(
            space, cpBodyNew(s->mass, cpMomentForCircle(s->mass, 0, s->radius, cpvzero)));
        add(space, cpCircleShapeNew(body[i], s->radius, cpvzero), s->restitution, 0);
        cpBodySetPosition(body[i], cpv(s->x[i], 0));
        cpBodySetVelocity(body[i], cpv(s->u[i], 0));
    }
    if (s->floor)
        add(space, cpSegmentShapeNew(cpSpaceGetStaticBody(space), cpv(0, -100), cpv(0, 100), 0),
            s->restitution, 0);
    double spent = run(space, s->step, s->steps);
    for (int i = 0; i < s->n; i++) {
        x[i] = cpBodyGetPosition(body[i]).x;
        u[i] = cpBodyGetVelocity(body[i]).x;
    }
    drop(space, body, s->n);
    return spent;
}

double chipmunk_box(const box_scene *s, double *q, double *u)
{
    cpSpace *space = cpSpaceNew();
    cpBody *body = cpSpaceAddBody(space, cpBodyNew(s->mass, s->inertia));
    cpSpaceSetGravity(space, cpv(0, (cpFloat)-s->gravity));
    add(space, cpBoxShapeNew(body, s->width, s->height, 0), s->restitution, s->friction);
    add(space, cpSegmentShapeNew(cpSpaceGetStaticBody(space), cpv(-100, 0), cpv(100, 0), 0),
        s->restitution, s->friction);
    cpBodySetPosition(body, cpv(s->q[0], s->q[1]));
    cpBodySetAngle(body, s->q[2]);
    cpBodySetVelocity(body, cpv(s->u[0], s->u[1]));
    cpBodySetAngularVelocity(body, s->u[2]);
    double spent = run(space, s->step, s->steps);
    q[0] = cpBodyGetPosition(body).x, q[1] = cpBodyGetPosition(body).y, q[2] = cpBodyGetAngle(body);
    u[0] = cpBodyGetVelocity(body).x, u[1] = cpBodyGetVelocity(body).y;
    u[2] = cpBodyGetAngularVelocity(body);
    drop(space, &body, 1);
    return spent;
}
