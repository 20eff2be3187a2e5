/* Chipmunk: circles on a line, the x axis; the floor is a segment; 10 iterations, its default. */
#include "clock.h"
#include "peers.h"

#include <chipmunk/chipmunk.h>
#include <math.h>

enum { MOST = 256 };

double chipmunk_balls(const balls_scene *s, double *x, double *u)
{
    if (s->n > MOST)
        return -1;
    cpSpace *space = cpSpaceNew();
    cpBody *body[MOST];
    cpShape *shape[MOST + 1];
    int shapes = 0;
    /* the engine multiplies the two restitutions */
    double root = sqrt(s->restitution);
    cpSpaceSetGravity(space, cpv((cpFloat)-s->gravity, 0));
    for (int i = 0; i < s->n; i++) {
        body[i] = cpSpaceAddBody(
            space, cpBodyNew(s->mass, cpMomentForCircle(s->mass, 0, s->radius, cpvzero)));
        shape[shapes] = cpSpaceAddShape(space, cpCircleShapeNew(body[i], s->radius, cpvzero));
        cpShapeSetElasticity(shape[shapes++], root);
        cpBodySetPosition(body[i], cpv(s->x[i], 0));
        cpBodySetVelocity(body[i], cpv(s->u[i], 0));
    }
    if (s->floor) {
        shape[shapes] = cpSpaceAddShape(
            space, cpSegmentShapeNew(cpSpaceGetStaticBody(space), cpv(0, -100), cpv(0, 100), 0));
        cpShapeSetElasticity(shape[shapes++], root);
    }
    double start = clock_seconds();
    for (long k = 0; k < s->steps; k++)
        cpSpaceStep(space, s->step);
    double spent = clock_seconds() - start;
    for (int i = 0; i < s->n; i++) {
        x[i] = cpBodyGetPosition(body[i]).x;
        u[i] = cpBodyGetVelocity(body[i]).x;
    }
    for (int k = 0; k < shapes; k++) {
        cpSpaceRemoveShape(space, shape[k]);
        cpShapeFree(shape[k]);
    }
    for (int i = 0; i < s->n; i++) {
        cpSpaceRemoveBody(space, body[i]);
        cpBodyFree(body[i]);
    }
    cpSpaceFree(space);
    return spent;
}
