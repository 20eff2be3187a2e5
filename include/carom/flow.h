/* Motion: from a start to a time, through impacts, persistent contact, stick-slip, accumulation.
 *
 * One call, carom_flow_run, for three methods (docs/theory/event-driven.md, time-stepping.md,
 * boundary-layer.md). What happens on the way is told to an observer as it happens; what is left at
 * the end, with the energy ledger (docs/theory/energy-ledger.md), is in the result.
 */
#ifndef CAROM_FLOW_H
#define CAROM_FLOW_H

#include "carom/law.h"
#include "carom/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_flow_method {
    CAROM_FLOW_EVENT_DRIVEN,
    CAROM_FLOW_TIME_STEPPING,
    CAROM_FLOW_BOUNDARY_LAYER
} carom_flow_method;

typedef enum carom_flow_scheme {
    CAROM_FLOW_MOREAU_JEAN,
    CAROM_FLOW_SCHATZMAN_PAOLI
} carom_flow_scheme;

/* "event-driven" ...; "moreau-jean" ... */
CAROM_API const char *carom_flow_method_text(carom_flow_method method);
CAROM_API const char *carom_flow_scheme_text(carom_flow_scheme scheme);

/* Can a method use this law? (Time-stepping: those whose impulse is part of a step.) */
CAROM_API bool carom_flow_takes_law(carom_flow_method method, const carom_law *law);

/* How to go on where sliding friction leaves no contact force (Painleve's paradox). */
typedef enum carom_flow_paradox {
    CAROM_FLOW_PARADOX_STOP,   /* stop, with the state and the class of the contact problem */
    CAROM_FLOW_PARADOX_IMPACT, /* tangential impact: the contact jams, v_T+ = 0 and gamma+ = 0 */
} carom_flow_paradox;

/* Every threshold the motion uses. Start from carom_flow_options_default(). */
typedef struct carom_flow_options {
    carom_flow_method method;
    double until; /* end time, >= the start's (required) */
    double
        output; /* interval of rows, at least 1e-9 of the motion; 0: only the first and the last */
    bool any_restitution; /* accept coefficients outside [0, 1]; energy may grow */
    /* event-driven */
    double tolerance;         /* 1e-10: local error of a step relative to the size of the motion */
    double event_tolerance;   /* 1e-12: events are located to this, relative to max(1, |t|); gaps
                                 that close within it of each other are one impact */
    double closed;            /* 1e-9: a gap up to this is closed at the start; deeper: refused */
    double rest;              /* 1e-11: speeds below this part of the largest are zero */
    double force_rest;        /* 1e-11: forces below this part of the largest are zero */
    double drift;             /* 1e-12: closed gaps and joints off by more of the size are
                                 projected back */
    double accumulation;      /* 1e-7: jump to an accumulation point when what is left of it is
                                 below this part of its duration; 0: never */
    int accumulation_impacts; /* 8: impacts in geometric progression before one may be declared */
    carom_flow_paradox paradox;
    double max_step; /* 0: none */
    double min_step; /* 1e-14, relative to max(1, |t|): smaller is a failure */
    long max_events; /* 0: no limit on impacts and mode changes together */
    /* time-stepping */
    double step;       /* h, required */
    double theta;      /* 0.5, in [0, 1] */
    double activation; /* 0.5, gamma of the activation rule g + gamma h g' <= 0 */
    carom_flow_scheme scheme;
    bool project;            /* false: after each step put penetrating positions back */
    double solver_tolerance; /* 1e-13: of the contact problem in a step */
    /* boundary layer */
    /* (width, transition, stiffness, damping: NAN for what is the law `layer`'s to say, where the
     * motion is given that law; else the values named) */
    double width;              /* b > 0, required */
    double transition;         /* a/b in (0, 1]: 0.9 */
    double stiffness;          /* k: 1 */
    double damping;            /* c: 0 */
    carom_layer_metric metric; /* CAROM_LAYER_SOURCE: how the inertia grows */
    double least_speed; /* 1e-6: the speed of entry v that scales the damping is at least this part
                           of the largest so far and of width*sqrt(stiffness/inertia) */
    double joint_damping, joint_stiffness; /* c, k >= 0 of f'' + c f' + k f = 0, which the error f
                           of a joint obeys, and f' + c f = 0 of a nonholonomic constraint; NAN: c =
                           2w, k = w^2, w = 100/(until - start) */
    /* what is kept in the result; the observer sees everything in any case */
    long keep_impacts; /* LONG_MAX: all */
} carom_flow_options;

/* The defaults written above, event-driven; `until` (and `step`, `width`) are the caller's. */
CAROM_API carom_flow_options carom_flow_options_default(void);

/* Where the motion starts. */
typedef struct carom_flow_start {
    double t;
    const double *q; /* nq */
    const double *u; /* n */
} carom_flow_start;

/* Where the joules went. Energy is 1/2 u'Mu + V; what a contact or force takes is negative. Inside
 * a boundary layer, inertia and potential of the layer are part of it. final = initial + impacts +
 * events + friction + forces + projection + balance_error. */
typedef struct carom_flow_ledger {
    double initial, final; /* kinetic + potential */
    double kinetic, potential;
    double impacts;         /* all impacts, friction within them included */
    double events;          /* what events of the system set */
    double friction;        /* sliding in persistent contact */
    double forces;          /* forces beyond the potential, and `constraints` */
    double constraints;     /* of which: moving contacts and joints in persistent contact */
    double projection;      /* putting positions and velocities back on constraints */
    double balance_error;   /* what is left over: the error of the method */
    double *impact_loss;    /* p, part of `impacts` by contact (as given by impulse times mean
                               velocity); with the joints' and laws' rest they add up to it */
    double *friction_loss;  /* p, part of `friction` by contact */
    double largest_balance; /* largest |balance_error| at any row or impact */
} carom_flow_ledger;

/* The numbers of a ledger, for those who list them, in the order of answers. */
typedef enum carom_entry {
    CAROM_ENTRY_INITIAL,
    CAROM_ENTRY_FINAL,
    CAROM_ENTRY_IMPACTS,
    CAROM_ENTRY_EVENTS,
    CAROM_ENTRY_FRICTION,
    CAROM_ENTRY_FORCES,
    CAROM_ENTRY_CONSTRAINTS,
    CAROM_ENTRY_PROJECTION,
    CAROM_ENTRY_BALANCE,
    CAROM_ENTRY_LARGEST_BALANCE,
    CAROM_ENTRY_KINETIC,
    CAROM_ENTRY_POTENTIAL,
    CAROM_FLOW_ENTRIES
} carom_entry;

typedef struct carom_flow_entry {
    const char *name;   /* in answers and tables */
    const char *title;  /* in words */
    const char *column; /* among the energies of a trace; NULL: not there */
} carom_flow_entry;

/* How an entry is called; NULL where there is none. */
CAROM_API const carom_flow_entry *carom_flow_entries(carom_entry entry);

/* Its number in a ledger, in joules. */
CAROM_API double carom_flow_entries_value(const carom_flow_ledger *ledger, carom_entry entry);

typedef enum carom_flow_impact_kind {
    CAROM_FLOW_COLLISION,  /* a gap closed with gamma < 0 */
    CAROM_FLOW_TANGENTIAL, /* friction without collision (CAROM_FLOW_PARADOX_IMPACT) */
    CAROM_FLOW_PASSAGE     /* through a boundary layer: nothing jumps; rows are told at its entry,
                              turn and exit */
} carom_flow_impact_kind;

/* "collision", "tangential", "passage". */
CAROM_API const char *carom_flow_impact_text(carom_flow_impact_kind kind);

/* One impact. Pointers are valid during the observer's call; those in the result as long as its
 * arena. */
typedef struct carom_flow_impact {
    carom_flow_impact_kind kind;
    double t;                 /* passage: of its turning point */
    double t_before, t_after; /* of the two velocities: t but for a passage, its entry and exit */
    int contact_count;
    const int *contacts;   /* numbers in the system, ascending */
    const char *law;       /* name */
    const double *q;       /* nq */
    const double *before;  /* n, u- */
    const double *after;   /* n, u+ */
    const double *impulse; /* contact_count, normal impulses */
    double energy_change;
} carom_flow_impact;

/* An event of the system that happened: its function crossed zero in its direction, where its guard
 * was > 0. Pointers as in carom_flow_impact. */
typedef struct carom_flow_instant {
    double t;
    int event;                         /* number in the system */
    const double *q_before, *u_before; /* nq, n */
    const double *q, *u;               /* after what it sets; impacts at that instant come later */
} carom_flow_instant;

/* An accumulation point: infinitely many impacts before t_limit. */
typedef struct carom_flow_accumulation {
    int contact;    /* the contact that carries it (the first of several) */
    double t_first; /* first impact of the progression */
    double t_last;  /* last impact computed */
    double t_limit; /* from the geometric ratio */
    double ratio;
    long impacts; /* computed before the jump */
} carom_flow_accumulation;

/* A contact changes what it does: it comes to rest or lifts off, sticks or slips; in a boundary
 * layer it enters or leaves. Impacts are told apart, a bounce is no change. */
typedef struct carom_flow_change {
    double t;
    int contact;
    carom_mode from, to;
} carom_flow_change;

/* One row of the trace. Pointers are valid during the call only. */
typedef struct carom_flow_row {
    double t;
    const double *q, *u;             /* nq, n */
    const double *gap;               /* p */
    const double *force;             /* p: normal contact forces; time-stepping: impulse/step */
    const double *friction;          /* s: tangential contact forces, likewise */
    const unsigned char *mode;       /* p, carom_mode */
    const double *mass;              /* M as in carom_state */
    const carom_flow_ledger *ledger; /* so far */
} carom_flow_row;

/* Who is told. Any function may be NULL. A status > 0 (CAROM_STOPPED) ends the run in good order
 * (result filled, CAROM_STOPPED returned), < 0 makes it fail with *error as the function set it. */
typedef struct carom_flow_observer {
    void *self;
    carom_status (*row)(void *self, const carom_flow_row *row, carom_error *error);
    carom_status (*impact)(void *self, const carom_flow_impact *impact, carom_error *error);
    carom_status (*accumulation)(void *self, const carom_flow_accumulation *accumulation,
                                 carom_error *error);
    carom_status (*change)(void *self, const carom_flow_change *change, carom_error *error);
    carom_status (*instant)(void *self, const carom_flow_instant *instant, carom_error *error);
    carom_status (*warning)(void *self, double t, const char *text, carom_error *error);
    /* Called every few hundred steps: the place to look at a clock or a signal. */
    carom_status (*progress)(void *self, double t, long steps, carom_error *error);
} carom_flow_observer;

typedef enum carom_flow_end {
    CAROM_FLOW_REACHED,      /* `until` */
    CAROM_FLOW_STOPPED,      /* by the observer */
    CAROM_FLOW_INCONSISTENT, /* no contact force exists (Painleve) */
    CAROM_FLOW_NO_OUTCOME,   /* the law has no answer to an impact */
    CAROM_FLOW_BAD_FORCE,    /* a force, gap or mass is not a finite number */
    CAROM_FLOW_UNDERFLOW,    /* step size below min_step */
    CAROM_FLOW_EVENT_LIMIT,  /* max_events */
    CAROM_FLOW_UNSOLVED,     /* a contact problem could not be solved to its accuracy */
    CAROM_FLOW_ENERGY        /* an event changed the energy by more than its cause allows */
} carom_flow_end;

/* "reached", "stopped", "inconsistent" ..., as in the answers of `carom run --json`. */
CAROM_API const char *carom_flow_end_text(carom_flow_end end);

enum { CAROM_FLOW_WARNINGS = 32 };

/* What is left at the end. Arrays live in the arena given to run. */
typedef struct carom_flow_result {
    carom_flow_end end;
    char message[512]; /* why it ended before `until`, with the class of the contact problem */
    double t;
    double *q, *u; /* nq, n */
    carom_flow_ledger ledger;
    long steps;             /* accepted */
    long rejected;          /* steps tried again */
    long evaluations;       /* of the equations of motion */
    long events;            /* impacts and mode changes */
    double max_penetration; /* largest -g of any contact at any step, >= 0 */
    long impact_count;      /* all */
    long impact_kept;       /* in `impacts` */
    const carom_flow_impact *impacts;
    long instant_count; /* events of the system that happened */
    long instant_kept;  /* in `instants`, at most keep_impacts */
    const carom_flow_instant *instants;
    int accumulation_count;
    const carom_flow_accumulation *accumulations;
    int warning_count; /* those beyond CAROM_FLOW_WARNINGS are counted, not kept */
    const char *warnings[CAROM_FLOW_WARNINGS];
} carom_flow_result;

/* Run. law: for impacts (NULL: newton); observer may be NULL. Returns CAROM_OK when `until` was
 * reached, CAROM_STOPPED when the motion ended before (result->end and message say why, everything
 * up to there is in the result); < 0: nothing was computed, or the machine or an observer failed.
 */
CAROM_API carom_status carom_flow_run(const carom_system *system, const carom_law *law,
                                      const carom_flow_start *start,
                                      const carom_flow_options *options,
                                      const carom_flow_observer *observer, carom_arena *arena,
                                      carom_flow_result *result, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
