/* Contacts at one instant, of velocities (impacts) or of accelerations (docs/theory/instant.md):
 *
 *     u = W r + q,
 *
 * contact after contact its normal and, when it is rough, its slip. Per contact
 *     normal    0 <= u_N  perp  r_N >= 0          (equality: u_N = 0 and r_N >= 0)
 *     friction  u_T = 0 and |r_T| <= mu_s r_N,  or  r_T = -mu_d r_N u_T/|u_T|.
 *
 * Contacts are planar (one slip row) or smooth (none). W may have any rank and need not be
 * symmetric: a contact that slides already is smooth, with its friction in the column of its normal
 * force. Rows and columns are in kinetic units, so that diagonal entries of a Gram matrix are 1 (or
 * 0) and masses, lengths and speeds drop out of every tolerance. */
#ifndef CAROM_SRC_SOLVER_INSTANT_H
#define CAROM_SRC_SOLVER_INSTANT_H

#include "carom/mode.h"

/* The statement; everything is borrowed. */
struct carom_instant_rows;
typedef struct carom_instant {
    int p;                /* contacts */
    int N;                /* rows */
    const int *row;       /* p + 1; contact i owns row[i] (normal) ... row[i+1] - 1 */
    const double *W;      /* N x N */
    const double *q;      /* N */
    const double *mu_s;   /* p, INFINITY allowed */
    const double *mu_d;   /* p, <= mu_s */
    const bool *equality; /* p; NULL: complementarity everywhere */
    double floor;         /* rounding level of q: what is smaller is zero */
    bool symmetric;       /* W is: no column carries friction */
    int extra;       /* further velocities X r that tell motions apart: the slips of contacts */
    const double *X; /* that slide already; extra x N. 0 where W is symmetric */
    const struct carom_instant_rows *rows; /* what W is made of (solver/instant_rows.h), where W is
                                              symmetric; NULL: not known */
} carom_instant;

/* One motion (all u) that satisfies the laws, with the shortest forces that go with it. */
typedef struct carom_instant_solution {
    double *r, *u;       /* N; N + extra, what the motion is known by */
    double *size;        /* N + extra, what each of u is compared with */
    double *y, *terms;   /* the motion of the bodies and the sizes of its terms, where rows are
                            known; else NULL */
    double *unknown;     /* and what rounding of the forces makes of y and of u, n + N */
    unsigned char *mode; /* p, carom_mode: a combination of modes that it satisfies */
    double norm;         /* |r| */
    double violation;    /* what its modes' conditions are missed by, within rounding */
    bool unique;         /* no other forces were met that give this motion */
    bool continuum;      /* one of a family of motions, that of the shortest forces */
} carom_instant_solution;

typedef struct carom_instant_list {
    int count, room;
    carom_instant_solution *list; /* different motions, the shortest forces first */
    double near_miss; /* equality: the least pull that would give a solution, a force < 0; */
    int near_contact; /* its contact, -1: none */
} carom_instant_list;

/* Bring a problem to kinetic units: W (N x N), q (N), mu_s and mu_d (p) as given are scaled in
 * place by the norms of the rows' vectors in the metric M_c^-1, which become the scale (a contact's
 * slips take the larger of theirs, a row without norm takes 1): r = scale force, u =
 * velocity/scale. */
void carom_instant_scale(int p, const int *row, double *W, double *q, double *mu_s, double *mu_d,
                         double *norm);

/* u = W r + q, and behind it X r: N + extra numbers. */
void carom_instant_velocity(const carom_instant *problem, const double *r, double *u);

/* The largest of q, r (NULL: q alone) and the rounding level: what tolerances are relative to. */
double carom_instant_size(const carom_instant *problem, const double *r);

/* The most combinations of modes that are enumerated. */
#define CAROM_INSTANT_COMBINATIONS 20000

/* Combinations of modes: the product over all contacts; INFINITY for spatial contacts. */
double carom_instant_combinations(const carom_instant *problem);

/* Every motion that satisfies the laws. Static friction goes before: a slip with mu_d is no
 * solution where the same contacts can stick within mu_s, the others in the same modes. List from
 * the arena. */
carom_status carom_instant_enumerate(const carom_instant *problem, carom_arena *arena,
                                     carom_instant_list *list, carom_error *error);

typedef enum carom_instant_outcome {
    CAROM_INSTANT_SOLVED,   /* the motion found is the only one, or others were not looked for */
    CAROM_INSTANT_SEVERAL,  /* there are others, with larger forces */
    CAROM_INSTANT_UNSOLVED, /* none was found, none is excluded */
    CAROM_INSTANT_NONE      /* proved: there is none */
} carom_instant_outcome;

/* One motion: the first of all where there are few combinations, else one found by Lemke's method
 * on the problem as an LCP (docs/theory/instant.md, "As an LCP"), else the first of all where they
 * can be enumerated. r: N; u: N + extra; mode: p. */
carom_status carom_instant_first(const carom_instant *problem, carom_arena *arena, double *r,
                                 double *u, unsigned char *mode, carom_instant_outcome *outcome,
                                 carom_error *error);

/* All motions, part by part. */
typedef struct carom_instant_answer {
    carom_instant_list
        list;       /* what was found, at most CAROM_INSTANT_MOTIONS combined of all parts */
    double motions; /* their number without that limit */
    bool complete;  /* proved: there are no others */
} carom_instant_answer;

enum { CAROM_INSTANT_MOTIONS = 64 };

/* Parts with up to `combinations` of modes are enumerated. Larger ones are solved once, and are
 * complete where theory knows that there is one motion at most: symmetric and smooth, or with a
 * definite symmetric part, or proved by carom_instant_unique. */
carom_status carom_instant_solve(const carom_instant *problem, double combinations,
                                 carom_arena *arena, carom_instant_answer *answer,
                                 carom_error *error);

/* One motion by Lemke's method, all slips with mu_s; *found: false on a ray or a wrong point. */
carom_status carom_instant_lcp(const carom_instant *problem, carom_arena *arena, double *r,
                               bool *found, carom_error *error);

/* How far forces r are from a solution: the largest violation of signs, complementarity and
 * Coulomb's law (planar contacts), relative to the size of q and r; whatever solver found them. */
double carom_instant_residual(const carom_instant *problem, const double *r);

/* A sufficient condition for at most one motion, with its normal forces, whatever q is
 * (docs/theory/instant.md, "Uniqueness"); W symmetric, slips of one or two rows. */
carom_status carom_instant_unique(const carom_instant *problem, carom_arena *arena, bool *proved,
                                  carom_error *error);

/* All forces with the motion of a solution: a polyhedron, the hull of its corners and its rays. */
typedef struct carom_instant_family {
    int corner_count, ray_count;
    double *corners, *rays; /* N x count each */
} carom_instant_family;

/* Forces for the combination of modes `mode` (p) whose velocities are u (N + extra), or, with u
 * NULL, any that these modes allow. */
carom_status carom_instant_forces(const carom_instant *problem, const unsigned char *mode,
                                  const double *u, carom_arena *arena, carom_instant_family *family,
                                  carom_error *error);

/* The modes that velocities u alone allow, the widest: open where u_N > 0, stick where u_T = 0. */
void carom_instant_widest(const carom_instant *problem, const double *u, double tolerance,
                          unsigned char *mode);

#endif
