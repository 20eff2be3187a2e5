/* Variations of a motion in k directions, carried along an event-driven motion
 * (docs/theory/sensitivities.md). They are kept at an instant that moves with the last event:
 * D = dx/d(direction) at t + dt, so that X = D - x' dt at a fixed time. Events that happen at once
 * then are products of what happens there, and nothing cancels while impacts accumulate. */
#ifndef CAROM_SRC_ORBIT_VARIATION_H
#define CAROM_SRC_ORBIT_VARIATION_H

#include "carom/orbit.h"
#include "flow/event_follow.h"
#include "solver/ode_gauss.h"

/* Contacts whose slip in space has just started: their directions, and how these turn. */
typedef struct carom_variation_onset {
    bool any;
    carom_motion motion; /* finds the directions */
    int count, *contacts, *pivot;
    double *J, *turn; /* count^2, count */
    double *da, *dx;  /* n x count, r x count: what a turn does */
} carom_variation_onset;

/* The friction of flights, rho = Lambda_T/Lambda of the last impact of a contact, and its changes.
 */
typedef struct carom_variation_ratio {
    unsigned char *known; /* p */
    double *before;       /* n x k: du- of the present impact */
    double *change;       /* s x k */
} carom_variation_ratio;

/* The equations of one mode at one point: M a = h + F x, R'a + bias = 0, rows R independent. */
typedef struct carom_variation_point {
    const carom_system *system;
    const carom_system_shape *shape;
    carom_state state;
    double *L, *inverse; /* Cholesky factor of M; 1/L_ii, or 1/M_ii */
    /* the mode */
    int r;
    carom_motion_row *rows;
    unsigned char *sliding; /* p: its friction acts with full strength against `direction` */
    double *direction;      /* s */
    double *mu;             /* p */
    unsigned char *spatial; /* p: sliding in space, the direction follows the slip */
    /* values */
    double *F, *Y, *K; /* n x r, n x r, r x r factored */
    int *pivot;
    double *x, *a;                               /* r, n */
    double *lambda, *lambda_T, *joint, *rolling; /* by contact, slip, joint, rolling */
    /* work for k directions */
    int k;
    double *Mx, *h, *force, *rhs;       /* n x k */
    double *normal, *normal_bias;       /* p x k */
    double *slip, *slip_bias;           /* s x k */
    double *held, *held_bias;           /* m x k */
    double *rolls, *rolls_bias;         /* a x k */
    double *slip_u, *slip_motion;       /* s x k */
    double *dx;                         /* r x k */
    double *unheld;                     /* n x k: M^-1(dh + ...), what forces cancel included */
    const carom_variation_ratio *ratio; /* friction of flights; NULL: that of sliding */
    carom_variation_onset *onset;       /* NULL: no slip starts here */
} carom_variation_point;

enum { CAROM_VARIATION_MEMORY = 17 };

/* The matrix of D' = f_x D + f_t dt + f_theta at the nodes of a step. Its columns: coordinates and
 * velocities that the equations depend on, time, and the directions of parameters, which are last.
 */
typedef struct carom_variation_nodes {
    carom_ode_gauss gauss;
    unsigned char *depends; /* 2 x (2n + 1): of modes without and with rows; on q, u, t */
    bool known[2];
    int count;                               /* columns */
    int active_count, *active, *by_q, *by_u; /* coordinates with their columns; -1: none */
    int unknown_count, *unknown; /* of those, the ones whose slopes depend on each other */
    int by_t;
    int driven_count, *driven;            /* columns of D with parameters of their own */
    double *t, *q, *u, *parameters, *dmu; /* directions of the columns */
    double *value;                        /* count */
    double *A;                            /* n x count at each node */
    double *matrix, *F, *G;               /* of the slopes at the nodes; slopes */
    int *pivot;
} carom_variation_nodes;

typedef struct carom_variation {
    const carom_system *system;
    const carom_system_shape *shape;
    const carom_orbit_directions *along;
    carom_orbit_tangents *told; /* the caller's view, kept up to date */
    carom_arena *scratch;
    int n, k;
    double *X;              /* 2n x k, column j: D */
    double *dt;             /* k: shift of the instant */
    double *early;          /* k: work, less than nothing: what is left of extra */
    double *extra;          /* k: by how much the present event moves it on, if something jumps */
    double *dq, *du;        /* n x k: D split for directions */
    double *dmu;            /* p x k */
    double *work;           /* 2n x k */
    double *slope;          /* 2n: x' before the event */
    unsigned char *mode;    /* p: modes of the motion so far */
    unsigned char *spatial; /* p */
    unsigned char *fresh;   /* p: closed at the present event */
    unsigned char *lifted;  /* p: opened at the last event */
    double *again;          /* event_count: when each has come last */
    unsigned char *slips;   /* p: closed with a slip of zero, which a direction moves */
    double *lost;   /* p: the rate of D that it loses at the present event, as a part of D */
    double slack;   /* by how much the present event may be off its instant */
    bool grazes;    /* the present event is not crossed transversally */
    bool shared;    /* it is one of forces that are not determined */
    bool projected; /* contacts came to rest at it */
    bool moved;     /* values or velocities jumped at it */
    bool begins;
    bool ended;      /* what follows is known */
    double *arrival; /* 2n: x' with which the motion arrives at the end of the run */
    int inside;      /* contact which neighbours on one side start in; -1: none */
    bool free;       /* directions of the start may lead off joints: they are put on them */
    carom_event cause;
    carom_variation_point point;      /* the mode of the motion */
    carom_variation_point strike;     /* rows of impulses, at the state of an event */
    carom_state probe;                /* where the motion is looked at within a step */
    double *switches;                 /* switch_count: work of carom_system_switching */
    signed char *side;                /* switch_count: of zero, so far; 0: not known */
    double *crossed;                  /* switch_count: when each has crossed zero last */
    double *change;                   /* n: u+ - u- */
    carom_ode_dop853 ode;             /* of X */
    const carom_event_driven *motion; /* whose step is followed */
    double from;                      /* start of it */
    double began, *beginning;         /* start of the last step, and the state there: 2n */
    double *x;                        /* 2n, point on it */
    double *scale;                    /* 2n k */
    double *made;                     /* k: the largest of what D was made of since it was held */
    double *most;                     /* k: the largest of all that, whose rounding D keeps */
    double *doubt;                    /* k: what quotients of a law's outcomes have left in it */
    double *tried;                    /* k: the same of a step that is not accepted yet */
    carom_variation_nodes nodes;
    carom_variation_onset onset;
    carom_variation_ratio ratio;
    double h; /* step tried next, as a part */
    /* the last impacts and their shifts, for the limit of an accumulation; the latest first */
    int memory;
    double instant[CAROM_VARIATION_MEMORY];
    double *shift;           /* CAROM_VARIATION_MEMORY x k */
    double *limit;           /* k: of the last accumulation */
    double rest, rest_since; /* when it is, and the last impact before it */
} carom_variation;

/* A function of the state that decides something where it is zero, at v->probe. */
typedef enum carom_variation_condition_kind {
    CAROM_VARIATION_GUARD, /* `when` of a contact */
    CAROM_VARIATION_EVENT,
    CAROM_VARIATION_EVENT_IF,
    CAROM_VARIATION_SWITCH /* of carom_system_switching */
} carom_variation_condition_kind;

typedef struct carom_variation_condition {
    carom_variation_condition_kind kind;
    int index;
    const double *late; /* k: dt beyond the instant at which it decides; NULL: none */
    double *gradient;   /* 2n + 1: by q, u, t; NULL: not wanted */
    double *moved;      /* k: in the directions of D; NULL: not wanted */
    double value, rate; /* along v->slope */
    double terms;       /* what it is made of, at most so far */
    double steep;       /* the largest of its gradient */
    bool open;          /* zero but for what the motion may err by, while directions move it */
} carom_variation_condition;

/* A crossing of functions at which formulas switch. */
typedef struct carom_variation_crossing {
    int index;            /* of the first function; -1: none */
    double before, after; /* times surely on either side */
} carom_variation_crossing;

carom_status carom_variation_create(const carom_system *system, const carom_orbit_directions *along,
                                    carom_orbit_tangents *told, carom_arena *arena,
                                    carom_arena *scratch, carom_variation *v, carom_error *error);

/* The motion at t, within its present step: 2n. */
void carom_variation_at(const carom_variation *v, double t, double *x);

/* Collocation on the steps of the motion: whether it costs less than the explicit method in the
 * present mode; and a step of length h from t, with D in ode.y and its end in ode.next. *err: its
 * error as a part of what is allowed, tolerance times the size of D. */
carom_status carom_variation_collocate_create(carom_variation *v, carom_arena *arena,
                                              carom_error *error);
bool carom_variation_collocate_pays(carom_variation *v);

/* Do the equations of the present mode depend on no coordinate, velocity or time, whatever the
 * parameters are? A force that is zero because its factor is, F*sin(t) with F = 0, does. */
bool carom_variation_collocate_uniform(carom_variation *v);
carom_status carom_variation_collocate_try(carom_variation *v, double t, double h, double tolerance,
                                           double *err, carom_error *error);

/* Begin again with the directions, at an event that is settled. */
carom_status carom_variation_event_restart(carom_variation *v, const carom_event_driven *e,
                                           carom_error *error);

/* Functions for carom_event_follow, self: the variation. */
carom_status carom_variation_step(void *self, const carom_event_driven *e, double end,
                                  carom_error *error);
carom_status carom_variation_event_open(void *self, const carom_event_driven *e, bool begins,
                                        carom_error *error);
carom_status carom_variation_event_reset(void *self, const carom_event_driven *e, int event,
                                         carom_error *error);
carom_status carom_variation_event_project(void *self, const carom_event_driven *e,
                                           const double *before, carom_error *error);
carom_status carom_variation_event_limit(void *self, const carom_event_driven *e, int pattern,
                                         int from, carom_error *error);
carom_status carom_variation_event_flights(void *self, const carom_event_driven *e, double sign,
                                           carom_error *error);
carom_status carom_variation_event_close(void *self, const carom_event_driven *e,
                                         carom_error *error);
carom_status carom_variation_law_impact(void *self, const carom_event_driven *e,
                                        carom_error *error);

carom_status carom_variation_tail(void *self, const carom_event_driven *e,
                                  const carom_event_tail *tail, carom_error *error);

/* Impulses x on the rows of v->strike (its state is that of e after them) change velocities from
 * `before`: M(u+ - u-) = F x, and the rates r'u+ + hat follow targets. target: r x k, how they
 * change, replaced by the derivatives of x; v->du by that of u+. */
carom_status carom_variation_strike(carom_variation *v, const carom_event_driven *e,
                                    const double *before, double *target, carom_error *error);

/* After the derivative of an impact, v->ratio.before is what v->du was: how the ratios of friction
 * to normal impulses of its contacts change. */
carom_status carom_variation_ratio_find(carom_variation *v, const carom_event_driven *e,
                                        carom_error *error);

/* In place of the friction of sliding: how rho_j of contact i changes in direction c; false: it is
 * not known, or sliding is meant. */
bool carom_variation_ratio_of(const carom_variation_point *point, int i, int j, int c,
                              double *change);

/* Choose rows for v->strike, as many of those given as are independent; the others come after
 * them. Returns how many. */
int carom_variation_strike_choose(carom_variation *v, const carom_event_driven *e, int count);

/* How the rate r'u + hat of a row changes with everything but u itself, at the velocity of the
 * last carom_variation_strike_rates. */
carom_status carom_variation_strike_rates(carom_variation *v, const carom_state *state,
                                          const double *u, carom_error *error);
double carom_variation_strike_rate(const carom_variation *v, carom_motion_row row, int column);

/* Is a contact grazed in the present step, to rounding? Then there is no derivative. */
carom_status carom_variation_graze_check(carom_variation *v, const carom_event_driven *e,
                                         double end, carom_error *error);

/* Is a function zero somewhere in the present step, and turns back? And is that of v->cause, at the
 * event, touched rather than crossed with this rate (gaps, slips, events)? What counts
 * as zero of the gap of contact i: rounding, and where the motion is integrated its accuracy. */
carom_status carom_variation_touch_step(carom_variation *v, const carom_event_driven *e, double end,
                                        carom_error *error);
carom_status carom_variation_touch_event(carom_variation *v, const carom_event_driven *e,
                                         double rate, bool *touches, carom_error *error);
/* Is the function of an event, just read at the start, zero there together with its rate, which
 * directions move? */
carom_status carom_variation_touch_start(carom_variation *v, const carom_event_driven *e,
                                         const carom_variation_condition *at, carom_error *error);
double carom_variation_touch_noise(const carom_variation *v, const carom_event_driven *e, int i);

/* D at the present instant, with its shift of time, as directions of derivatives of the system. */
static inline carom_directions carom_variation_directions(const carom_variation *v)
{
    return (carom_directions){
        .k = v->k, .t = v->dt, .q = v->dq, .u = v->du, .parameters = v->along->parameters};
}

/* Event `event` is about to set values: does an open contact close just then, which a direction
 * parts from it? Then there is no derivative. */
carom_status carom_variation_closing_meet(carom_variation *v, const carom_event_driven *e,
                                          int event, carom_error *error);

/* The contacts of the present impact: those that close with it do so in neighbouring motions too,
 * and those that were closed had a force. At the start D is moved to the instant of the first. */
carom_status carom_variation_closing_check(carom_variation *v, const carom_event_driven *e,
                                           carom_error *error);

/* How the instant of the event v->cause moves, into v->extra (k); v->grazes: it does not, or nobody
 * knows. Is its condition one of forces? */
carom_status carom_variation_shift(carom_variation *v, const carom_event_driven *e,
                                   carom_error *error);
bool carom_variation_shift_is_force(const carom_variation *v);

/* Conditions of forces, CAROM_EVENT_FORCE and those of cones, at the point evaluated last: sigma'
 * along v->slope and dsigma (k). */
carom_status carom_variation_shift_force(carom_variation *v, const carom_event *cause, double *rate,
                                         double *sigma, bool *known, carom_error *error);

/* Neighbours on one side do something else (variation_limit.c): contacts at the limit of the modes
 * just taken, `beside`: D was off their rows; guards that are zero where they decide; functions of
 * events that are zero at the start; an event at the end of the run, or one just missed there. */
carom_status carom_variation_limit_modes(carom_variation *v, const carom_event_driven *e,
                                         bool beside, carom_error *error);
carom_status carom_variation_limit_slips(carom_variation *v, const carom_event_driven *e,
                                         carom_error *error);
/* Contacts that touch without a velocity and leave, where a direction gives them one. */
carom_status carom_variation_limit_leaving(carom_variation *v, const carom_event_driven *e,
                                           carom_error *error);
/* A formula switches, forces jump, and a slip is zero just then; D is at that instant. */
carom_status carom_variation_limit_crossing(carom_variation *v, const carom_event_driven *e,
                                            double t, const double *x, carom_error *error);
carom_status carom_variation_limit_guards(carom_variation *v, const carom_event_driven *e,
                                          carom_error *error);
/* An event of one's own comes again after no more than rounding of its function. */
carom_status carom_variation_limit_again(carom_variation *v, const carom_event_driven *e,
                                         carom_error *error);
/* Neighbours that start off a joint, which the motion refuses. */
carom_status carom_variation_limit_joints(carom_variation *v, const carom_event_driven *e,
                                          carom_error *error);
/* Neighbours on one side that start inside a closed contact, which the motion refuses too: which
 * contact, found before anything happens, told after. */
carom_status carom_variation_limit_inside(carom_variation *v, const carom_event_driven *e,
                                          carom_error *error);
/* Its function has a kink there, which D, taken to its instant, crosses. */
carom_status carom_variation_limit_kink(carom_variation *v, const carom_event_driven *e,
                                        carom_error *error);
carom_status carom_variation_limit_start(carom_variation *v, const carom_event_driven *e,
                                         carom_error *error);

/* What those share. The condition of contact i that is at its limit in the new mode: it presses
 * without a force, or sticks with all the friction there is; false: none. */
bool carom_variation_limit_at(const carom_variation *v, const carom_event_driven *e, int i,
                              carom_event *cause);
/* Guards and events at t, x, into v->probe. */
carom_status carom_variation_limit_probe(carom_variation *v, double t, const double *x,
                                         unsigned want, carom_error *error);
/* The guard of a contact, -1: none. */
int carom_variation_limit_guard(const carom_variation *v, int contact);
/* Does event k count where its function goes on at this rate? */
bool carom_variation_limit_counts(const carom_variation *v, int k, double rate);

/* The same at the end of the run: something that happens at t, impacts that accumulate at t, what
 * is met there to rounding. */
void carom_variation_end_until(carom_variation *v, const carom_event_driven *e, double t);
void carom_variation_end_accumulation(carom_variation *v, const carom_event_driven *e, double t);
/* Something jumps at the limit of impacts that accumulate elsewhere. */
void carom_variation_end_rest(carom_variation *v, const carom_event_driven *e);
carom_status carom_variation_end(carom_variation *v, const carom_event_driven *e, double end,
                                 carom_error *error);

carom_status carom_variation_condition_read(carom_variation *v, const carom_event_driven *e,
                                            carom_variation_condition *c, carom_error *error);

/* The largest of direction j. */
double carom_variation_condition_size(const carom_variation *v, int j);

/* Function s is zero at t, x, and directions move it: is there a derivative all the same? stays: it
 * is zero for a while; late: as for conditions. */
carom_status carom_variation_contrast_zero(carom_variation *v, const carom_event_driven *e, int s,
                                           double t, const double *x, bool stays,
                                           const double *late, carom_error *error);

/* Do numbers made of terms of this size change by more than smooth ones do in a step that is next
 * to nothing? */
bool carom_variation_contrast_differ(int n, double size, const double *a, const double *b);

/* All functions at which formulas switch at t, x, into v->switches; the state is left in v->probe.
 */
carom_status carom_variation_switch_look(carom_variation *v, double t, const double *x,
                                         carom_error *error);

/* Formulas that switch (variation_switch.c): the first crossing between v->from and end; D goes
 * through it; and an event of forces at the instant of a crossing, which it moves with. */
carom_status carom_variation_switch_find(carom_variation *v, const carom_event_driven *e,
                                         double end, carom_variation_crossing *crossing,
                                         carom_error *error);
carom_status carom_variation_switch_cross(carom_variation *v, const carom_event_driven *e,
                                          const carom_variation_crossing *crossing,
                                          carom_error *error);
/* Something else happens at t, x: is one of the functions zero just then? late: as for conditions.
 */
carom_status carom_variation_switch_meet(carom_variation *v, const carom_event_driven *e, double t,
                                         const double *x, const double *late, carom_error *error);
carom_status carom_variation_switch_shift(carom_variation *v, const carom_event_driven *e,
                                          bool *found, carom_error *error);
/* Formulas switch at t (of an event, of the end), where the state is x: v->slope is that of the
 * side which the motion comes from. */
carom_status carom_variation_switch_before(carom_variation *v, const carom_event_driven *e,
                                           double t, const double *x, carom_error *error);

/* Something jumps at the present event: D is taken at its instant. */
void carom_variation_event_arrive(carom_variation *v);

/* What errors and rounding may have left in column j of D. */
double carom_variation_error(const carom_variation *v, const carom_event_driven *e, int j);

/* By how much D was off the rows of a mode, positions and rates, as a part of itself or of the
 * errors it may have, whichever is more. */
typedef struct carom_variation_off {
    double position, rate;
} carom_variation_off;

/* The rates that D has on the rows of v->strike and is about to lose, less than nothing, into its
 * dx; the largest of each contact so far, as a part of D or of its errors, in v->lost. */
carom_status carom_variation_strike_lost(carom_variation *v, const carom_event_driven *e,
                                         carom_error *error);

/* D is put on the rows of the present mode: gaps that stay closed, rates that stay zero. */
carom_status carom_variation_strike_hold(carom_variation *v, const carom_event_driven *e,
                                         carom_variation_off *off, carom_error *error);

/* Contacts that hop in neighbouring motions come back with the friction of what slides, or there is
 * no derivative. Does contact i? */
void carom_variation_hop_check(carom_variation *v, const carom_event_driven *e);
bool carom_variation_hop(const carom_variation *v, int i);

/* Contacts begin to slide whose forces were not determined: how that moves, into v->extra; known
 * from the mode before and the accelerations behind. */
carom_status carom_variation_slip_shift(carom_variation *v, const carom_event_driven *e,
                                        bool *known, carom_error *error);

/* Does the motion depend on how redundant contacts share forces? Then its derivative is not known.
 */
carom_status carom_variation_sharing_check(carom_variation *v, const carom_event_driven *e,
                                           carom_error *error);

/* How many directions of the state the present mode takes away: independent rows of positions and
 * of velocities. */
int carom_variation_strike_rank(carom_variation *v, const carom_event_driven *e);

/* Numbers that do not exist are a reason why there is no derivative, not an end of the motion. */
carom_status carom_variation_pass(carom_variation *v, double t, carom_status status,
                                  carom_error *error);

/* There is no derivative: the first reason stays. */
void carom_variation_refuse(carom_variation *v, double t, const char *format, ...)
    CAROM_PRINTF(3, 4);

/* Split X into dq, du. */
void carom_variation_split(carom_variation *v);

/* Make a point, for k directions. */
carom_status carom_variation_point_create(const carom_system *system, int k, carom_arena *arena,
                                          carom_variation_point *point, carom_error *error);

/* How the slip of column j changes in direction c; after the products with u. */
double carom_variation_point_slip_change(const carom_variation_point *point, int j,
                                         const carom_directions *along, int c);

/* Slip that starts in space: room; the contacts of the present step, taken from
 * the motion; their directions at a point; what a turn of each does there, false: singular; and
 * what their turning adds to the derivatives of the accelerations (n x k) and of the forces that
 * were found with directions held. */
carom_status carom_variation_onset_create(const carom_system *system, carom_arena *arena,
                                          carom_variation_onset *onset, carom_error *error);
void carom_variation_onset_take(carom_variation_onset *onset, const carom_motion *motion);
carom_status carom_variation_onset_head(carom_variation_onset *onset, double t, const double *q,
                                        const double *u, double *direction, carom_error *error);
bool carom_variation_onset_prepare(carom_variation_point *point, carom_variation_onset *onset);
void carom_variation_onset_turn(carom_variation_point *point, carom_variation_onset *onset,
                                const carom_directions *along, double *da);

/* What is evaluated of the system in the present mode. */
unsigned carom_variation_point_want(const carom_variation_point *point);

/* Evaluate the mode at t, q, u: accelerations a and forces x. */
carom_status carom_variation_point_evaluate(carom_variation_point *point, double t, const double *q,
                                            const double *u, carom_error *error);

/* The largest of what its accelerations are made of: forces that cancel leave their rounding. */
double carom_variation_point_size(const carom_variation_point *point);

/* Derivatives of a (n x k) there; dmu: p x k, NULL: none. point->dx has those of the forces. */
carom_status carom_variation_point_tangent(carom_variation_point *point,
                                           const carom_directions *along, const double *dmu,
                                           double *da, carom_error *error);

/* x = M^-1 x for the mass evaluated last; factor it, false: not positive definite. */
void carom_variation_point_inverse_mass(const carom_variation_point *point, double *x);
bool carom_variation_point_factor(carom_variation_point *point);

/* Columns F of the rows, Y = M^-1 F, K = R'Y factored; false: singular. */
bool carom_variation_point_assemble(carom_variation_point *point);

/* M dy - F dx = b (n x k, replaced by dy), R'dy = c (r x k, replaced by dx). */
void carom_variation_point_solve(carom_variation_point *point, double *b, double *c);

/* The vector of a row at the state of the point. */
const double *carom_variation_point_row(const carom_variation_point *point, carom_motion_row row);

/* Its change in direction c, as the last tangents have it: (dR)'x + dbias. */
double carom_variation_point_row_change(const carom_variation_point *point, carom_motion_row row,
                                        int c);

/* The forces x of the rows by contact, slip, joint, nonholonomic constraint. */
void carom_variation_point_distribute(carom_variation_point *point);

#endif
