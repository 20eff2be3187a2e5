/* Rows of joints and contacts, and where a velocity stands to them: what the searches for the
 * nearest velocity and for all its impulses work with. */
#ifndef CAROM_SRC_IMPACT_NEAREST_ROWS_H
#define CAROM_SRC_IMPACT_NEAREST_ROWS_H

#include "impact/nearest.h"
#include "impact/response.h"

/* Contact i is row c + i of the response, so that joints and contacts share one numbering. */
typedef struct carom_nearest_rows {
    const carom_geometry *g;
    const carom_nearest_start *start;
    int n, p, c;
    carom_response r;
    doubled *motion;   /* c + p: row'u + motion = 0 when the row is met */
    doubled *u;        /* n */
    doubled *impulse;  /* c + p */
    double *moved;     /* n, sizes of what the impulses moved */
    double *push_size; /* n, sizes of what the push moves */
    double scale;      /* dust of the largest velocity, in units of the coordinates */
    double *floor;     /* p, what the last digits of all can do to a contact that nothing moves */
    double *d, *z;     /* n: a row in the frame, and what it has outside the span */
    double *s;         /* c + p: its coordinates, then the impulses that it replaces */
    double *room;      /* 2 (n + c + p) */
    bool *in;          /* p: held */
    bool *ignored;     /* p: violated by rounding only */
    double *borrowed;  /* p: of rows that it is a sum of */
} carom_nearest_rows;

/* The normal of contact i. */
static inline const double *carom_nearest_rows_row(const carom_nearest_rows *w, int i)
{
    return w->g->impact->W + (size_t)i * (size_t)w->n;
}

/* No row is held but the joints; targets of the contacts in `motion` (target NULL: 0). Arrays live
 * in the arena, where so many bytes are reserved. */
void carom_nearest_rows_create(const carom_geometry *g, const carom_nearest_start *start,
                               const doubled *target, carom_arena *arena, carom_nearest_rows *w);
size_t carom_nearest_rows_bytes(const carom_geometry *g);

/* Rows whose motions are such that the velocity found meets all of them; as many bytes. */
void carom_nearest_rows_at(const carom_geometry *g, const carom_nearest_start *start,
                           const carom_nearest *nearest, carom_arena *arena, carom_nearest_rows *w);

/* u and the impulses of the rows held, afresh from x: no error of earlier steps stays. */
void carom_nearest_rows_meet(carom_nearest_rows *w);

/* How far contact i is from its target (negative: violated). *size: of the terms compared;
 * *rounding: what errors of u can do to it. */
double carom_nearest_rows_slack(const carom_nearest_rows *w, int i, double *size, double *rounding);

#endif
