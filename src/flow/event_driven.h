/* The event-driven method: smooth motion by a high-order method, stopped at every event, where the
 * impact law and the contact problem decide how it goes on (docs/theory/event-driven.md). */
#ifndef CAROM_SRC_FLOW_EVENT_DRIVEN_H
#define CAROM_SRC_FLOW_EVENT_DRIVEN_H

#include "flow/bernstein.h"
#include "flow/collide.h"
#include "flow/contact_problem.h"
#include "flow/motion.h"
#include "flow/record.h"
#include "flow/zeno.h"
#include "solver/ode_dop853.h"

/* What is watched: a function of time that is positive while the mode is right. */
typedef enum carom_event_kind {
    CAROM_EVENT_GAP,          /* g of an open contact */
    CAROM_EVENT_IMPLIED,      /* g + closed of a contact whose row follows from others */
    CAROM_EVENT_FORCE,        /* normal force of a closed contact */
    CAROM_EVENT_CONE_PLUS,    /* mu force + friction, planar stick */
    CAROM_EVENT_CONE_MINUS,   /* mu force - friction */
    CAROM_EVENT_CONE,         /* mu^2 force^2 - |friction|^2, spatial stick */
    CAROM_EVENT_SLIP,         /* slip in its direction, planar */
    CAROM_EVENT_SLIP_SPATIAL, /* slip along the direction at the start of the step */
    CAROM_EVENT_RETURN,       /* -g of a contact that was passed, see carom_event_own */
    CAROM_EVENT_APEX,         /* s of a closed contact along its direction when watching began */
    CAROM_EVENT_APEX_FORCE,   /* force less spread force of a contact held in its apex */
    CAROM_EVENT_CORNER,       /* none: rates of closed contacts jump */
    CAROM_EVENT_OWN,          /* the function of an event of the system, on its present side */
} carom_event_kind;

typedef struct carom_event {
    carom_event_kind kind;
    int contact; /* or number of an event of the system */
    int fresh;   /* leading coefficients that are zero at the start of the step: 0, 1 or 2 */
    double lift; /* of a gap with fresh 2: the acceleration it leaves zero with */
} carom_event;

/* How the motion between events is known. */
typedef enum carom_event_motion {
    CAROM_EVENT_CURVED,   /* by integration */
    CAROM_EVENT_PARABOLA, /* constant accelerations, gaps of any form */
    CAROM_EVENT_UNIFORM   /* and constant rows: events are roots of quadratic polynomials */
} carom_event_motion;

/* Events of the system and contacts with guards (event_own.h). */
typedef struct carom_event_own {
    int event;             /* the one found in the present step, -1: none */
    signed char *side;     /* event_count: sign of the function; 0: it was zero at the start */
    bool *due;             /* event_count: crossed at the present event */
    bool *near;            /* event_count: work, close before its zero */
    double *size;          /* event_count: largest so far */
    double *miss;          /* event_count: what it was where its crossing was located */
    double *last;          /* event_count: when it crossed last */
    double *value;         /* event_count: what it was before an event set values */
    double *before;        /* nq + n: the state before an event */
    unsigned char *passed; /* p: went through zero where it must not close, and is below it */
    unsigned char *apex;   /* p: in the apex of its cone */
    unsigned char *held;   /* p: held in the apex of its cone */
    double *heading;       /* spread: s/|s| of cones when the watching began */
    unsigned char *turned; /* p: passed, or came out again, at the present event */
} carom_event_own;

/* The region of the system, if it has one (event_region.h). */
typedef struct carom_event_region {
    int group;            /* in force */
    unsigned char *holds; /* by group: its gaps are not negative at the present event */
    unsigned char *near;  /* p: closed, or closing at the present event */
} carom_event_region;

/* The contact problem judges to this part of force_rest: sharper than what the events allow, so
 * that a force that has become negative there is seen to be so here. */
static const double carom_event_sharp = 0.1;

typedef struct carom_event_driven {
    carom_record *record;
    const carom_system_shape *shape;
    const carom_flow_options *options;
    carom_arena *scratch;
    carom_motion motion;
    carom_state probe; /* where the rounding of gaps is measured */
    carom_ode_dop853 ode;
    carom_collide collide;
    carom_zeno zeno;
    carom_event_own own;
    carom_event_region region;
    int nq, n, extra;                    /* components of y: nq, n, then the ledger's integrals */
    double begin;                        /* when the motion began */
    double t, h;                         /* now, and the next step to try */
    double event_time;                   /* of the last event */
    bool restless;                       /* steps were short so that gaps could be seen */
    double unclear;                      /* part of the step whose events are not known; 0: none */
    bool over;                           /* the next step goes over a jump, untested */
    double pace_event, pace_time;        /* where steps are counted from: event_time then, t */
    long pace_steps;                     /* steps then */
    double grain;                        /* rounding of positions, and so of gaps at least */
    double *noise;                       /* p, rounding seen in the gap functions */
    unsigned dither;                     /* state of the numbers that choose points for it */
    long listened;                       /* events at which roundings could be looked at */
    double tick;                         /* distance in time over which its rounding shows */
    double *tremor, *shake;              /* p, that of velocities and accelerations of contacts */
    double *clock;                       /* 6 p, work for that */
    double extent;                       /* largest position so far */
    int stuck;                           /* events without progress */
    long impacts_then;                   /* at the last event */
    double *scale;                       /* nq + n */
    double *peak;                        /* nq + n, largest size so far */
    double *point;                       /* y at a sample */
    double *cancelled;                   /* n, sums of accelerations by forces, of either sign */
    double *speed;                       /* p, largest rate that cancels in gamma or slip so far */
    double *slow;                        /* p, rest * speed */
    double *weak;                        /* p, forces below this are zero */
    double *doubt;                       /* p, how far forces may be off */
    double *errors;                      /* work for that */
    double *flight;                      /* 3 p + 2 (nq + n): work of flights */
    unsigned char *touching, *candidate; /* p */
    unsigned char *triggered;            /* p, contacts of the event found */
    unsigned char *was;                  /* p, modes as told last */
    unsigned char *rested;               /* p, come to rest at this event with flights left out */
    unsigned char *low;                  /* p, leaves at this event, but too low to be told */
    double *ratio;                       /* s, friction by normal impulse in the last impact */
    double *bounce;                      /* p, ratio of the rates in its last impact; < 0: none */
    double *struck;                      /* p, when that was */
    double left;                         /* time to the limit of those flights; 0: not known */
    unsigned char *told;                 /* by contact: rest below the resolution was warned of */
    carom_event *events;
    int event_count;
    carom_event cause; /* what was found at the end of the present step */
    bool forces_watched;
    carom_event_motion kind; /* of the motion with the present modes */
    bool looked;             /* the state evaluated last is the present one */
    double *sample;          /* event_count x 8 */
    double *check;           /* event_count */
    double *bernstein;       /* event_count x 8 */
    long row;                /* number of the next row */
    double vigour;           /* largest kinetic energy so far */
    double guarded;          /* energy less what is booked of events, when the event began */
    double put_back;         /* ledger's projection then */
    double rest_loss;        /* what coming to rest took in the last impact, seen from contacts */
    bool gain_told;          /* that a law gained energy was warned of */
} carom_event_driven;

/* Work space for a run from `start`; y = (q, u, the ledger's integrals) goes on with `slope`. */
carom_status carom_event_create(carom_event_driven *e, carom_record *record, const carom_law *law,
                                const carom_flow_start *start, carom_ode_rhs *slope,
                                carom_arena *work, carom_arena *scratch, carom_error *error);

/* An accepted step with its continuous solution in e->ode, the error it has by its scale, and its
 * first event in *theta, or -1. */
carom_status carom_event_advance(carom_event_driven *e, double *theta, double *err,
                                 carom_error *error);

/* Steps are not made shorter than this for what is seen in them. */
double carom_event_advance_least(const carom_event_driven *e);

/* No step gets on, since a moment later slip that has just started would point backwards: it ends
 * here. An event of the contacts that start, on a step of no length. */
void carom_event_advance_still(carom_event_driven *e, double *theta);

/* The motion ends at a point where it cannot be evaluated. */
carom_status carom_event_advance_bad_point(carom_event_driven *e, const carom_error *error);

/* Watch what the modes of the motion ask for. fresh: p, by contact, see carom_event. */
void carom_event_watch_list(carom_event_driven *e, const unsigned char *fresh);

/* The first event in the step of e->ode, as part of the step in *theta, or -1. Fills triggered. */
carom_status carom_event_watch_find(carom_event_driven *e, double *theta, carom_error *error);

/* Decide how the motion goes on at e->t, e->ode.y: impacts of the touching contacts, then modes of
 * those that stay, then what to watch. The state must be current (look). */
carom_status carom_event_settle(carom_event_driven *e, carom_error *error);

/* Evaluate everything at e->t, e->ode.y, without contact forces. */
carom_status carom_event_settle_look(carom_event_driven *e, carom_error *error);

/* Put the state just looked at back on the constraints in force where it is off by more than
 * `tolerance`; its energy is booked apart. after_step: the modes are those of the step. */
carom_status carom_event_settle_put_back(carom_event_driven *e, double tolerance, bool after_step,
                                         carom_error *error);

/* After an impact of the collide, `contact` first: is it the last of an accumulation that is taken
 * as complete? Then its contacts come to rest. */
carom_status carom_event_accumulate(carom_event_driven *e, int contact, carom_error *error);

/* Flights that are left out (event_flights.c): the friction of an impact is kept; contacts flagged
 * come to rest on the rows of e->motion with the friction of their flights, *moved: something
 * changed; and, once modes are chosen, its difference from that at rest until the limit. */
void carom_event_flights_remember(carom_event_driven *e);
carom_status carom_event_flights_rest(carom_event_driven *e, const unsigned char *flag, bool *moved,
                                      carom_error *error);
carom_status carom_event_flights_settle(carom_event_driven *e, carom_error *error);

/* A contact stays closed that would leave too low to be told: what it and the others have of a
 * velocity is taken by impulses that bring the friction of those that slide. */
carom_status carom_event_flights_low(carom_event_driven *e, carom_error *error);

/* What the law of contact i says of it; of a law that says nothing, the contact's restitution. */
carom_law_step carom_event_flights_law(const carom_event_driven *e, int i);

/* Tell of it, flags the contacts that come to rest with `contact`; or, once modes are chosen, that
 * all contacts of a progression stay closed. */
carom_status carom_event_accumulate_declare(carom_event_driven *e, int contact, unsigned char *flag,
                                            carom_error *error);
carom_status carom_event_accumulate_kept(carom_event_driven *e, carom_error *error);

/* Would contact i, with its present velocity and accelerations a, rise no higher than its gap is
 * resolved? */
bool carom_event_accumulate_low(const carom_event_driven *e, int i, const double *a);

/* What counts as zero (docs/theory/event-driven.md, "Rounding is no event"). Bring speed and slow,
 * weak, grain, noise up to date with the state just looked at (same_step: slow and weak do not
 * fall). */
void carom_event_rounding_cancelled(carom_event_driven *e);
void carom_event_rounding_speeds(carom_event_driven *e, bool same_step);
void carom_event_rounding_rest(carom_event_driven *e);
void carom_event_rounding_forces(carom_event_driven *e, bool same_step);
void carom_event_rounding_positions(carom_event_driven *e);
carom_status carom_event_rounding_gaps(carom_event_driven *e, int points, carom_error *error);
carom_status carom_event_clock_look(carom_event_driven *e, carom_error *error);

/* Has the present time digits enough for what contacts do by themselves: touching ones, all? */
carom_status carom_event_clock_check(carom_event_driven *e);
carom_status carom_event_clock_late(carom_event_driven *e);

/* sqrt(w'M^-1 w): the rate of a contact over this is its speed in the kinetic norm. */
double carom_event_rounding_norm(carom_event_driven *e, int contact);

/* Rounding of the gap of a contact; gaps below its resolution cannot be told from zero. */
double carom_event_rounding_of(const carom_event_driven *e, int contact);
double carom_event_rounding_resolution(const carom_event_driven *e, int contact);

/* The ledger's guard: called with the state looked at when an event begins, after each of its
 * impacts (kinetic energy before, and its change by the law), and when it is settled.
 * CAROM_STOPPED and CAROM_FLOW_ENERGY where the energy changes by more than its cause allows. */
void carom_event_guard_open(carom_event_driven *e);
carom_status carom_event_guard_impact(carom_event_driven *e, double before, double by_law,
                                      carom_error *error);
carom_status carom_event_guard_close(carom_event_driven *e);

/* At the end: what is in no entry of the ledger is what steps may err by. */
carom_status carom_event_guard_end(carom_event_driven *e);

/* Would taking out this rate of a row of a closed contact be a jump, not drift? */
bool carom_event_guard_jumps(carom_event_driven *e, const double *row, double rate);

/* Speeds up to which slips of candidates are at rest, p from scratch: `slow`, and a part of it
 * where the slip is as small since its row vanishes there. NULL: no memory. */
double *carom_event_guard_creeping(carom_event_driven *e, const double *slow, double part);

/* The same where a state after a step was put back on its constraints: velocities that would have
 * to jump for it have passed a corner of a closed gap or a joint. The state before is in ode.y. */
carom_status carom_event_guard_corner(carom_event_driven *e);

/* Is there a jump of the forces between here and h later, with a limit on its other side? */
bool carom_event_jump_ahead(carom_event_driven *e, double h, carom_error *error);

/* Stops a motion whose steps are too short for it to arrive. */
carom_status carom_event_pace(carom_event_driven *e);

/* Motion with constant accelerations (docs/theory/event-driven.md, "Constant coefficients"): what
 * kind the present modes make it. */
carom_event_motion carom_event_uniform_classify(const carom_event_driven *e);

/* A step of length h into e->ode, as the integrator does it; `dense` completes it. */
carom_status carom_event_uniform_step(carom_event_driven *e, double h, carom_error *error);
void carom_event_uniform_dense(carom_event_driven *e);

/* The step to the next event (*theta = 1) or to the end (-1), for CAROM_EVENT_UNIFORM. */
carom_status carom_event_uniform_advance(carom_event_driven *e, double *theta, carom_error *error);

/* When g + v s + a s^2/2, not negative at s = 0, becomes so; INFINITY: never. */
double carom_event_uniform_root(double g, double v, double a);

/* The state at the end of a step without event becomes the start of the next. */
carom_status carom_event_uniform_look(carom_event_driven *e, carom_error *error);

/* The same for CAROM_EVENT_PARABOLA, where it is possible; *done: false where the gaps do not let
 * themselves be bounded, and nothing has happened. */
bool carom_event_flight_possible(const carom_event_driven *e);
carom_status carom_event_flight_advance(carom_event_driven *e, double *theta, bool *done,
                                        carom_error *error);

/* Run from `start` to options->until. */
carom_status carom_event_driven_run(carom_record *record, const carom_law *law,
                                    const carom_flow_start *start, carom_arena *work,
                                    carom_arena *scratch, carom_error *error);

#endif
