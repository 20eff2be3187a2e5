/* Time-stepping of systems of bodies: contacts are found at every step, the contact problem is that
 * of trees of bodies (docs/theory/bodies.md, "Steps"). */
#ifndef CAROM_SRC_FLOW_BODIES_STEP_H
#define CAROM_SRC_FLOW_BODIES_STEP_H

#include "bodies/bodies.h"
#include "carom/friction.h"
#include "flow/bodies_stepping.h"

/* What a row of the contact problem stands for. */
typedef enum carom_bodies_source {
    CAROM_BODIES_FOUND,    /* a contact that was found */
    CAROM_BODIES_STOP,     /* a limit of a joint, a rope */
    CAROM_BODIES_LOOP,     /* up to three equations of a loop */
    CAROM_BODIES_DRY_JOINT /* dry friction of a joint */
} carom_bodies_source;

/* One contact of the problem. */
typedef struct carom_bodies_row {
    carom_bodies_source source;
    int index;        /* of the contact found, the stop, the loop, the joint */
    int first;        /* of a loop: its first equation; of the others: 0 */
    int at;           /* its first row in the problem */
    int rows;         /* 1, 2 or 3 */
    double before[3]; /* rates at the beginning of the step, motions included */
    double motion[3]; /* rates at velocity zero */
    double turn[3];   /* of limits, ropes, loops: what half a step adds to rates, as rows turn */
    bool stopped;     /* ... what comes to it is stopped: it does not last */
    double gap;       /* at the beginning */
    double mu;
    bool carried; /* it carried an impulse in the step before */
    int tree[2];
    const double *row[2]; /* of tree[k]: rows one after the other */
} carom_bodies_row;

/* A contact that carried an impulse, for the next step. */
typedef struct carom_bodies_memory {
    int shape[2];
    uint64_t name;
    double P[3];
} carom_bodies_memory;

typedef struct carom_bodies_stepping {
    carom_record *record;
    const carom_law *law;
    carom_bodies *b;
    const carom_flow_options *options;
    carom_arena *work, *scratch;
    int n, nq, trees, stops, p, s;
    double h, t, end; /* of this step: its length, where it starts and ends on the grid */
    double *q, *v, *next, *free; /* velocities: at the beginning, at the end, without contacts */
    double *mean, *rate, *middle, *force;
    double *lasting; /* n: what contacts that last gave in the step before, and give in this one */
    int *dof;        /* trees + joints: velocities of each tree, then 1 for each dry joint */
    size_t *M_start; /* trees + 1 */
    double *M;       /* mass matrices of the trees, those of dry joints behind them */
    double *L;       /* Cholesky factors of those, with `give` on the diagonal */
    double *give;    /* n: what springs, dampers and motors give way in a step */
    double *p_free;  /* momenta M v of the free motion, by tree */
    double *v_tree;  /* velocities by tree */
    bool constant;   /* masses and forces do not change */
    bool prepared;   /* ... and are known */
    bool sleeps;     /* trees at rest may be left alone: nothing depends on time */
    double *applied; /* n: forces beyond the potential in the middle of the step */
    double *swing;   /* n: what forces that do no work add to velocities in the step */
    /* trees */
    unsigned char *still;   /* at rest at the beginning, and solved to rest in the step before */
    unsigned char *closing; /* a contact of the tree closes in this step */
    unsigned char *pushes;  /* contacts of its island take part, and others might */
    double *fastest;        /* speed of its fastest point */
    int *island;            /* root of each tree's island */
    unsigned char *awake;   /* of roots: some tree of the island is not still */
    double *load;           /* impulses on it, one by one, in the kinetic norm */
    double *island_load;    /* of roots: the most of it beside the forces of a tree */
    double *island_sum;     /* of roots: all of it */
    /* impacts at the beginning of a step */
    bool impact;         /* the problem is one of them: no forces act */
    bool *struck;        /* of trees: hit in this one */
    double *pushed;      /* n: what the forces of the step add to velocities */
    double *hit_impulse; /* p, s: impulses of the step's impacts, by listed contact */
    double *hit_tangent;
    unsigned char *stop_hit;    /* stops: hit in this impact */
    unsigned char *stop_count;  /* ... how often in this step */
    unsigned char *stop_active; /* ... they take part in the step */
    double *room;               /* 3 n: rows of a stop */
    /* limits and ropes, then loops: rows in the middle of the step (bodies_step_middle.c) */
    size_t *held_start; /* where those of each begin in `held` */
    double *held;       /* by tree */
    double *held_motion, *held_turn;
    double *held_room; /* rows over n velocities, zero between uses */
    /* the problem of this step, in `scratch`: what was found, and behind the mark the statement at
     * work, which takes the room of the one before */
    carom_mark mark;
    carom_bodies_contacts found;
    unsigned char *active;  /* of those found: they take part */
    unsigned char *carried; /* ... they carried an impulse in the step before, or in an impact */
    unsigned char *kept;    /* ... they took part before what is pushed was looked for */
    unsigned char *hit;     /* ... they are hit in this impact */
    unsigned char *count;   /* ... how often they were hit in this step */
    double found_speed;     /* of the fastest point when they were looked for */
    double *guess;          /* 3 for each of those found: impulses to start from */
    carom_bodies_row *row;
    int row_count, total;
    carom_friction_problem problem;
    double *P; /* total */
    int dry;   /* dry joints in it */
    /* from step to step */
    carom_bodies_memory *memory, *spare;
    int memory_count, memory_room;
    double *stop_memory, *loop_memory, *dry_memory; /* stops, loop_rows, 2 x joints */
    /* by listed contact */
    double *gap, *impulse, *tangent;
    unsigned char *mode, *was;
    const int *slip_start;
    int *fresh;
    double *fresh_impulse;
    double size;           /* of the largest shape */
    double speed;          /* of the fastest point in this step */
    bool warned_iteration; /* told that a problem was not solved to the tolerance */
} carom_bodies_stepping;

/* The velocity without contacts: forces at the middle of the step (bodies_step_free.c). */
carom_status carom_bodies_step_free(carom_bodies_stepping *s, carom_error *error);

/* The mean velocity and the middle of the step, as far as they are known before it is solved: with
 * what lasting contacts gave in the step before. */
void carom_bodies_step_free_middle(carom_bodies_stepping *s);

/* Rows of limits, ropes and loops in the middle of the step, for those of the problem: of number i,
 * a loop's number behind the stops, the rows from `first` on, which are `at` among all
 * (bodies_step_middle.c). */
bool carom_bodies_step_middle_create(carom_bodies_stepping *s);
carom_status carom_bodies_step_middle(carom_bodies_stepping *s, carom_error *error);
void carom_bodies_step_middle_take(const carom_bodies_stepping *s, int i, int first, int at,
                                   carom_bodies_row *r);

/* The velocities that positions move with, in `mean` (bodies_step_way.c). */
void carom_bodies_step_way(carom_bodies_stepping *s);

/* Trees at rest: their velocities are zero (bodies_step_rest.c). */
void carom_bodies_step_rest(carom_bodies_stepping *s);

/* Find the contacts within reach; add to those that take part what closes on the way that positions
 * go with `mean`: true when there are any (bodies_step_find.c). */
carom_status carom_bodies_step_find(carom_bodies_stepping *s, carom_error *error);
bool carom_bodies_step_find_more(carom_bodies_stepping *s);

/* Does contact k close on that way, at `more` than those velocities? */
bool carom_bodies_step_closes(const carom_bodies_stepping *s, int k, double more);

/* Add to the contacts that take part those that they will push (bodies_step_push.c). */
carom_status carom_bodies_step_push(carom_bodies_stepping *s, carom_error *error);

/* The islands of trees that contacts which take part, limits, ropes and loops connect, and those
 * that are awake (bodies_step_problem.c). */
void carom_bodies_step_islands(carom_bodies_stepping *s);

/* The contacts that take part: those that touch, or close at the velocities (bodies_step_find.c).
 */
void carom_bodies_step_activate(carom_bodies_stepping *s);

/* The fastest point of a shape, at velocities u; that of each tree goes up in `fastest`. */
double carom_bodies_step_fastest(carom_bodies_stepping *s, const double *u);

/* Kinetic and potential energy at a state (bodies_step_book.c). */
carom_status carom_bodies_step_energy(carom_bodies_stepping *s, const double *q, const double *v,
                                      double *energy, carom_error *error);

/* Impacts, one after the other, change v before the forces of the step act; *any: there were some
 * (bodies_step_strike.c). */
carom_status carom_bodies_step_strike(carom_bodies_stepping *s, bool *any, carom_error *error);

/* Solve the problem that was stated: P, and `next`; or roughly, by sweeps (bodies_step_solve.c). */
double carom_bodies_step_tolerance(const carom_bodies_stepping *s);
carom_status carom_bodies_step_solve(carom_bodies_stepping *s, carom_error *error);
carom_status carom_bodies_step_solve_roughly(carom_bodies_stepping *s, int sweeps,
                                             carom_error *error);

/* State the problem of the contacts that close; *any: there is one. */
carom_status carom_bodies_step_state(carom_bodies_stepping *s, bool *any, carom_error *error);

/* Row k of a contact of the problem times velocities. */
double carom_bodies_step_rate(const carom_bodies_stepping *s, const carom_bodies_row *r, int k,
                              const double *v);

/* x'M^-1 x of a tree: twice the energy that the impulse x alone would give it. */
double carom_bodies_step_yield(const carom_bodies_stepping *s, int tree, const double *x);

/* Put shapes that overlap apart: the nearest positions in the kinetic norm, a part of the way
 * (bodies_step_apart.c). */
carom_status carom_bodies_step_apart(carom_bodies_stepping *s, carom_error *error);

/* The ledger and what is told of an impact, of the step (bodies_step_book.c). */
carom_status carom_bodies_step_book_impact(carom_bodies_stepping *s, carom_error *error);
carom_status carom_bodies_step_book(carom_bodies_stepping *s, carom_error *error);
carom_status carom_bodies_step_emit(carom_bodies_stepping *s, bool row, carom_error *error);

/* q moved by h times the velocities (bodies_step_free.c): turns about the axis they have. */
void carom_bodies_step_move(const carom_bodies_stepping *s, const double *v, double h,
                            const double *q, double *to);

#endif
