/* Beyond one motion: derivatives through impacts, periodic motions, branches of them.
 *
 * Everything here goes along event-driven motions (carom/flow.h) of systems that have derivatives
 * (carom/formulas.h with keep_parameters). docs/theory/sensitivities.md, docs/theory/orbits.md.
 */
#ifndef CAROM_ORBIT_H
#define CAROM_ORBIT_H

#include "carom/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the data of a motion change in k directions. NULL: not at all. */
typedef struct carom_orbit_directions {
    int k;
    const double *t, *q, *u;              /* of the start: k, nq x k, n x k */
    const double *parameters;             /* parameter_count x k */
    const carom_contact *const *contacts; /* k lists of p contacts whose restitution and friction
                                             are derivatives */
    const double *until;                  /* k, of the end; NULL where options.until is not what
                                             the scene says */
} carom_orbit_directions;

/* How the motion changes: derivatives of the state at an instant that moves with the data (an
 * impact, an event, an accumulation), or at the end. Kept up to date while the motion runs: the
 * functions of an observer may look at it. */
typedef struct carom_orbit_tangents {
    const double *q, *u; /* nq x k, n x k */
    const double *t;     /* k: how the instant itself moves */
    const double *limit; /* k: how the limit of the last accumulation moves; NULL: none so far */
    bool exists;         /* so far */
    double refused_at;   /* when it ceased to exist */
    char reason[400];    /* why */
    long events;         /* impacts, events and changes of mode passed */
} carom_orbit_tangents;

/* carom_flow_run with derivatives, for event-driven motions; the motion is the same to the last
 * bit. Where no derivative exists (docs/theory/sensitivities.md) the motion goes on and the
 * tangents say why. A system without derivatives is CAROM_ERROR_UNSUPPORTED. */
CAROM_API carom_status carom_orbit_run(const carom_system *system, const carom_law *law,
                                       const carom_flow_start *start,
                                       const carom_flow_options *options,
                                       const carom_orbit_directions *directions,
                                       const carom_flow_observer *observer, carom_arena *arena,
                                       carom_flow_result *result, carom_orbit_tangents *tangents,
                                       carom_error *error);

/* Quantities of motions beside one that has no derivative in a number of its data. */
typedef struct carom_orbit_neighbours {
    void *self;
    int count;
    double scale;       /* of the number: its size, or 1 */
    const double *here; /* count: the quantities of the motion itself */
    /* The quantities with the number moved by `offset`, and their derivatives by it; *exists is
     * false where it has none. CAROM_STOPPED: there are no quantities. */
    carom_status (*at)(void *self, double offset, double *values, double *derivatives, bool *exists,
                       carom_error *error);
} carom_orbit_neighbours;

/* Derivatives from either side (count each): limits of the exact ones of neighbours, or of
 * quotients of differences where those have none either; infinite where they grow like those at a
 * grazing; NaN: none, the quantity jumps or the neighbours have no limit. *same: both sides have
 * the same derivatives, which therefore are those of the motion itself (contacts that close at one
 * instant need not know of each other). */
CAROM_API carom_status carom_orbit_one_sided(const carom_orbit_neighbours *neighbours,
                                             carom_arena *arena, double *left, double *right,
                                             bool *same, carom_error *error);

/* How many events a neighbour of a motion with so many may have and still tell something: where
 * neighbours at distance s hop 1/s times, with a restitution of 1, there is no limit as s falls.
 * Give it to them as max_events. */
CAROM_API long carom_orbit_neighbour_events(long events);

/* A section of motions, and what returns to it. Sections: each impact that gives a contact an
 * impulse, each time an event of the system happens, or the times k period. */
typedef struct carom_orbit_problem {
    const carom_system *system;
    const carom_law *law;        /* NULL: newton */
    carom_flow_options options;  /* event-driven; until does not count */
    int contact, event;          /* the section; -1: none */
    double period;               /* > 0: the time modulus; without contact and event the section */
    const int *symmetry;         /* nq: coordinate i at a section point is compared with coordinate
                                    symmetry[i] at the one before; NULL: with itself. A contact of
                                    the section stands for its images under it as well */
    const unsigned char *ignore; /* nq: 1 for a coordinate that need not return; NULL: none */
    int periods;                 /* section points of the orbit, or periods where there is one */
    double horizon;              /* longest time between two section points */
    int skip;                    /* section points that carom_orbit_guess passes */
    /* how it depends on one parameter, for branches; NULL, 0: not */
    const double *parameters;      /* parameter_count */
    const carom_contact *contacts; /* p */
    double period_change;
    /* Called now and then; a status > 0 ends the work in good order. NULL: nobody. */
    carom_status (*progress)(void *self, carom_error *error);
    void *self;
} carom_orbit_problem;

/* An impact or event on an orbit. */
typedef struct carom_orbit_segment {
    int event;       /* of the system; -1: an impact */
    int contact;     /* the first with an impulse; -1: none */
    double duration; /* since the one before */
} carom_orbit_segment;

/* A periodic motion, at a section point. Arrays live in the arena. */
typedef struct carom_orbit {
    bool found;
    double t;
    double *q, *u; /* nq, n */
    double period;
    int points; /* section points on it */
    int multiplier_count;
    double *re, *im; /* of the return map, largest modulus first: without the direction of the flow
                        and the coordinates that need not return */
    bool stable;
    double residual; /* largest difference from return, relative to the size of the state */
    int iterations;
    int segment_count;
    const carom_orbit_segment *segments;
    char message[400]; /* why there is none */
    /* for continuation: the unknowns z, the return map's derivative and that with respect to the
     * parameter, of the residual P(z) - z */
    int size;
    double *z, *jacobian, *slope; /* size, size x size, size */
} carom_orbit;

/* The next section point of the motion from `start`, or the one `skip` points later: where the
 * search begins. CAROM_STOPPED, with orbit->message, when none comes within the horizon. */
CAROM_API carom_status carom_orbit_guess(const carom_orbit_problem *problem,
                                         const carom_flow_start *start, carom_arena *arena,
                                         carom_orbit *orbit, carom_error *error);

/* Newton's method on the return map, from the state of the orbit, which is a section point.
 * CAROM_STOPPED: none was found, orbit->message says why, with the residual; orbit holds the last
 * state. */
CAROM_API carom_status carom_orbit_solve(const carom_orbit_problem *problem, carom_arena *arena,
                                         carom_orbit *orbit, carom_error *error);

/* A problem that depends on a parameter: the function fills *problem, which stays valid until the
 * next call, with its derivatives with respect to it. */
typedef struct carom_orbit_family {
    void *self;
    carom_status (*at)(void *self, double parameter, carom_orbit_problem *problem,
                       carom_error *error);
} carom_orbit_family;

typedef enum carom_orbit_event_kind {
    CAROM_ORBIT_FOLD,            /* a multiplier 1: the branch turns back */
    CAROM_ORBIT_PERIOD_DOUBLING, /* a multiplier -1 */
    CAROM_ORBIT_NEIMARK_SACKER,  /* a pair of multipliers on the unit circle */
    CAROM_ORBIT_GRAZING,         /* a contact comes to touch, or an impact loses its velocity */
    CAROM_ORBIT_MODE,            /* a contact changes what it does on the orbit */
    CAROM_ORBIT_COINCIDENCE,     /* two events come to happen at once */
    CAROM_ORBIT_END              /* of the branch, the message says why */
} carom_orbit_event_kind;

/* "fold", "period-doubling", "neimark-sacker", "grazing", "mode", "coincidence", "end" */
CAROM_API const char *carom_orbit_event_text(carom_orbit_event_kind kind);

/* How to follow a branch, and who is told. A status > 0 of a function ends it in good order. */
typedef struct carom_orbit_branch {
    double from, to; /* of the parameter; from > to is allowed */
    int most;        /* points; 0: 1000 */
    double step;     /* largest step as a part of the branch; 0: 0.02 */
    void *self;
    carom_status (*point)(void *self, double parameter, const carom_orbit *orbit,
                          carom_error *error);
    carom_status (*event)(void *self, carom_orbit_event_kind kind, double parameter,
                          const carom_orbit *orbit, const char *message, carom_error *error);
} carom_orbit_branch;

/* Follow periodic motions from `start`, one at `from` (carom_orbit_solve), by pseudo-arclength:
 * round folds, until the parameter leaves [from, to] or the branch ends. */
CAROM_API carom_status carom_orbit_follow(const carom_orbit_family *family,
                                          const carom_orbit *start,
                                          const carom_orbit_branch *branch, carom_arena *arena,
                                          carom_error *error);

/* Lyapunov exponents of the motion from a start, from the growth of a frame that is made
 * orthonormal again at the first step after every interval. */
typedef struct carom_orbit_lyapunov {
    int count;         /* 2 n */
    double *exponents; /* per time, largest first; -INFINITY: the direction is lost on contacts that
                          close for good */
    double *error;     /* standard error of each, from the means of ten parts */
    double time;       /* over which they were taken */
    long points;       /* section points, or periods, in it; 0: none */
    int section_count; /* 0: no points */
    double *section;   /* exponents per point: times the mean time between them, without that of the
                          flow, the one nearest to 0, where a section has no period */
    long restarts;     /* events without a derivative (an accumulation, a grazing): the frame starts
                          again after them */
    char message[400]; /* the last reason for one, or why the motion ended; "": none */
} carom_orbit_lyapunov;

/* problem: system, law, options, section and period (a section is not needed); skip: time that the
 * frame goes along before it is measured; interval: 0: a thousandth of the time, at most a period.
 * CAROM_STOPPED: the motion ended early or was stopped, the answer is of what there was. */
CAROM_API carom_status carom_orbit_exponents(const carom_orbit_problem *problem,
                                             const carom_flow_start *start, double until,
                                             double skip, double interval, carom_arena *arena,
                                             carom_orbit_lyapunov *answer, carom_error *error);

typedef enum carom_orbit_fate {
    CAROM_ORBIT_PERIODIC,  /* section points repeat */
    CAROM_ORBIT_APERIODIC, /* they do not within those looked at */
    CAROM_ORBIT_LOST,      /* no section points, or the motion ended */
    CAROM_ORBIT_UNKNOWN    /* it was not followed */
} carom_orbit_fate;

/* "periodic", "aperiodic", "none", "unknown" */
CAROM_API const char *carom_orbit_fate_text(carom_orbit_fate fate);

/* Where a motion goes: the section points after a transient. */
typedef struct carom_orbit_attractor {
    carom_orbit_fate fate;
    int count; /* points: the period in section points, or all that were looked at */
    int size;  /* numbers of a point: coordinates that must return, velocities, and the phase in
                  [0, period) where a section has a period */
    double *points; /* size x count */
    double modulus; /* of the last number of a point, where that is a phase; 0: it is none */
} carom_orbit_attractor;

enum {
    CAROM_ORBIT_LONGEST = 32,      /* period that is recognised */
    CAROM_ORBIT_SETTLE_POINTS = 64 /* section points that are looked at */
};

/* Follow the motion over `skip` section points and look at the next; tolerance: relative, for
 * repetition (1e-6). Of impacts that are slower one after the other until their contact rests only
 * the first counts: how many of them are computed is no property of the motion. */
CAROM_API carom_status carom_orbit_settle(const carom_orbit_problem *problem,
                                          const carom_flow_start *start, int skip, double tolerance,
                                          carom_arena *arena, carom_orbit_attractor *attractor,
                                          carom_error *error);

/* The same from section points that are known (times k period, not impacts): count rows of t, q, u.
 * Fewer than CAROM_ORBIT_SETTLE_POINTS: the motion is lost. */
CAROM_API carom_status carom_orbit_settle_points(const carom_orbit_problem *problem, int count,
                                                 const double *points, double tolerance,
                                                 carom_arena *arena,
                                                 carom_orbit_attractor *attractor,
                                                 carom_error *error);

/* One attractor of many starts, and how many go there. */
typedef struct carom_orbit_basin {
    const carom_orbit_attractor *attractor; /* of the first start that found it */
    long cells;
    double fraction;    /* of the starts that were followed */
    double interval[2]; /* of the fraction, if the starts are a sample: Wilson's, 95 % */
} carom_orbit_basin;

/* Sort starts by where they go: periodic motions with the same points, from one of them on, are one
 * attractor, all aperiodic ones are one, all lost ones one. index: by start, number of its basin in
 * the order of appearance, -1 where it was not followed. */
CAROM_API carom_status carom_orbit_basins(const carom_orbit_attractor *starts, long start_count,
                                          carom_arena *arena, int *index,
                                          carom_orbit_basin **basins, int *count,
                                          carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
