/* The frictional impact problem in contact space (docs/theory/coulomb.md).
 *
 * Unknown x = scaled impulses, contact after contact: normal, then its slip rows. With
 *     xi = A x + b,   A = S^-1 J'M_c^-1 J S^-1,   J = [w_1 h_1 w_2 h_2 ...],
 * xi_N = gamma+ + eps gamma-, xi_T = v_T+ + e_t v_T- (scaled), find x such that per contact
 *     normal    0 <= xi_N  perp  x_N >= 0          (or xi_N = 0, x_N >= 0: equality form)
 *     friction  xi_T = 0 and |x_T| <= mu_s x_N,  or  x_T = -mu_d x_N xi_T/|xi_T|.
 * All entries are in kinetic units (root of energy): impulse = x/scale, velocity = xi*scale. */
#ifndef CAROM_SRC_LAW_COULOMB_H
#define CAROM_SRC_LAW_COULOMB_H

#include "carom/impact.h"
#include "solver/instant.h"

typedef struct carom_coulomb {
    int p;          /* contacts */
    int N;          /* rows */
    int *row;       /* p + 1; contact i owns rows row[i] (normal) ... row[i+1] - 1 */
    int *contact;   /* p, number in the impact */
    double *A;      /* N x N, symmetric positive semidefinite, unless sided */
    double *b;      /* N */
    double *scale;  /* N, > 0 */
    double *mu_s;   /* p, scaled, INFINITY allowed */
    double *mu_d;   /* p */
    bool *equality; /* p */
    double floor;   /* rounding level of b: what is smaller is zero */
    bool sided;     /* some normals' columns carry friction */
    /* What A is made of; n = 0: not known. */
    int n;
    const double **J, **Y; /* N each: rows of n numbers, and M_c^-1 of them */
    const double **low;    /* N: what rounding left of Y, where there are joints; or NULL */
    double *size;          /* N, sizes of the terms of b */
    double *dust;          /* N, what rounding leaves of a velocity that is zero */
    double *rest;          /* N, what b, scaled back, lacks of the velocity of the bodies given */
    double *mu;            /* p, mu_d before it was scaled */
} carom_coulomb;

/* Per-contact data that the laws choose; arrays of p (impact order). */
typedef struct carom_coulomb_data {
    const double *normal; /* p, gamma+ aimed at is -normal[i]: eps_i gamma_i-, or (E v_n-)_i */
    const double *mu_s, *mu_d, *e_t;
    bool equality;
} carom_coulomb_data;

/* State the problem of all contacts of an impact. Contacts without friction get no slip rows. */
carom_status carom_coulomb_state(const carom_geometry *geometry, const carom_coulomb_data *data,
                                 carom_arena *arena, carom_coulomb *problem, carom_error *error);

/* The part of a problem that concerns `count` of its contacts (numbers in `which`). */
carom_status carom_coulomb_state_part(const carom_coulomb *problem, int count, const int *which,
                                      carom_arena *arena, carom_coulomb *part, carom_error *error);

/* group[i] = number of contact i's connected component of A; returns their count. */
int carom_coulomb_components(const carom_coulomb *problem, int *group);

/* xi = A x + b. */
void carom_coulomb_velocity(const carom_coulomb *problem, const double *x, double *xi);

/* How far x is from solving the problem, relative to the size of b and x: largest violation of
 * signs, complementarity and Coulomb's law over all contacts. Knows no solver. */
double carom_coulomb_residual(const carom_coulomb *problem, const double *x);

/* The same relative to b alone: how far the velocities are off, however large the impulses are. */
double carom_coulomb_miss(const carom_coulomb *problem, const double *x);

/* Is x a solution? Its residual is rounding, and the velocities miss the law by no more than the
 * verdicts forgive: impulses that run away along a ray have a residual that is small beside them
 * alone. Where no doubled precision can tell (carom_coulomb_settles) the impulses' rounding is
 * forgiven as well, as long as half of the digits are left. */
bool carom_coulomb_satisfied(const carom_coulomb *problem, const double *x);

/* The size of b and x, at least the rounding level: what tolerances are relative to. */
double carom_coulomb_size(const carom_coulomb *problem, const double *x);

/* Modes of the contacts of a solution, from x and xi alone. */
void carom_coulomb_modes(const carom_coulomb *problem, const double *x, carom_mode *mode);

/* The same where the modes that led to x are known (code, of a solution): they tell stick from a
 * slip that is small beside the impulses, but more than their rounding. */
void carom_coulomb_modes_tried(const carom_coulomb *problem, const double *x,
                               const unsigned char *code, carom_mode *mode);

/* Add a (part's) solution, or a change of one, to the outcome's impulses. */
void carom_coulomb_store(const carom_coulomb *problem, const carom_geometry *geometry,
                         const double *x, carom_outcome *outcome);

/* Correct x, the impulses and u+ of the outcome so that the equations of its modes hold to rounding
 * for velocities recomputed from u+. Changes nothing that it does not improve. *pulls: a contact of
 * the equality form that would have to pull for it, so that x is no solution; -1: none. */
carom_status carom_coulomb_refine(const carom_coulomb *problem, const carom_geometry *geometry,
                                  const carom_coulomb_data *data, double *x, carom_arena *arena,
                                  carom_outcome *outcome, int *pulls, carom_error *error);

/* ---- solutions --------------------------------------------------------------------------- */

typedef struct carom_coulomb_solution {
    double *x;           /* N */
    double *xi;          /* N */
    double *change;      /* n, of the bodies' velocities, where it is known better than by x */
    bool settled;        /* it is, and code holds beyond doubt of rounding */
    bool creeps;         /* settled with a slip that is rounding of its row, and is told to stick */
    double norm;         /* |x| */
    bool unique;         /* no other impulses give the same velocities */
    bool continuum;      /* a family of velocities; the one of least impulse is shown */
    unsigned char *code; /* p, carom_mode tried (enumeration); open: none was */
} carom_coulomb_solution;

typedef struct carom_coulomb_solutions {
    int count, room;
    carom_coulomb_solution *list;
    bool complete;    /* all solutions are in the list */
    double near_miss; /* equality form: least negative normal impulse of rejected candidates */
    int near_contact; /* its contact (number in the impact), -1: none */
    double residual;  /* largest over the list; of the best point when the list is empty */
} carom_coulomb_solutions;

/* Solutions that differ by less are one. */
#define CAROM_COULOMB_SAME 1e-9

/* Append x (copied) unless it is there already; velocities equal and impulses different merge to
 * the shorter impulse. */
carom_status carom_coulomb_solutions_add(const carom_coulomb *problem, const double *x,
                                         const unsigned char *code, bool unique, bool continuum,
                                         carom_arena *arena, carom_coulomb_solutions *solutions,
                                         carom_error *error);

/* The last of the list is taken off where it is one of the others. */
void carom_coulomb_solutions_merge(const carom_coulomb *problem,
                                   carom_coulomb_solutions *solutions);

/* Append a solution (copied) that is known to differ from all others; its xi is made from x where
 * it is not settled. */
carom_status carom_coulomb_solutions_append(const carom_coulomb *problem,
                                            const carom_coulomb_solution *solution,
                                            carom_arena *arena, carom_coulomb_solutions *solutions,
                                            carom_error *error);

/* So many rows at most are solved on their bodies with twice the digits. */
enum { CAROM_COULOMB_SETTLED = 48 };

/* Are the rows known, few enough to settle a solution on them, and does that bring digits? */
bool carom_coulomb_settles(const carom_coulomb *problem);

/* A solution (of the list) brought to the rounding of its bodies' motion, where the rows are known
 * and few; nothing changes where that fails. It starts from its modes, where no code is given (all
 * open) from those of its impulses. */
carom_status carom_coulomb_settle(const carom_coulomb *problem, carom_arena *arena,
                                  carom_coulomb_solution *solution, carom_error *error);

/* The problem as contacts at one instant, planar ones; rows: borrowed by it. */
carom_instant carom_coulomb_instant(const carom_coulomb *problem, struct carom_instant_rows *rows);

/* All solutions: every mode of every contact (solver/instant.h). Planar contacts only; not
 * enumerable when there are spatial ones or too many combinations. */
bool carom_coulomb_enumerable(const carom_coulomb *problem);
carom_status carom_coulomb_enumerate(const carom_coulomb *problem, carom_arena *arena,
                                     carom_coulomb_solutions *solutions, carom_error *error);

/* All solutions of one planar contact in closed form, where all its modes are regular; plain: so
 * far from singular that rounding stays rounding. */
bool carom_coulomb_planar_regular(const carom_coulomb *problem);
bool carom_coulomb_planar_plain(const carom_coulomb *problem);
carom_status carom_coulomb_planar(const carom_coulomb *problem, carom_arena *arena,
                                  carom_coulomb_solutions *solutions, carom_error *error);

/* A sufficient condition for at most one outcome (velocities and normal impulses), planar and
 * spatial. */
carom_status carom_coulomb_unique(const carom_coulomb *problem, carom_arena *arena, bool *proved,
                                  carom_error *error);

/* All solutions of a single contact (planar or spatial): open, stick, and every sliding direction
 * (roots of a trigonometric polynomial of degree two), none with mu_d where it can stick within a
 * larger mu_s. xs: room for CAROM_COULOMB_LOCAL solutions of 3 numbers, modes: what each is; where
 * the rows are known slips that rounding may have turned round are among them, to be settled.
 * Returns their count. b may differ from problem->b (a sweep's current residual). */
enum { CAROM_COULOMB_LOCAL = 20 }; /* a double root may come as several */
int carom_coulomb_local(const carom_coulomb *problem, int i, const double *b, double floor,
                        double *xs, carom_mode *modes);

/* Can a spatial contact with dependent rows stick? The shortest x of its friction cone with A x =
 * -b, where the consistent ones of these equations are all; false: there is none, or A is regular.
 */
bool carom_coulomb_stick(const double A[9], const double b[3], double mu, double x[3]);

/* The least pivot of the contact's rows, tangents first, beside unit diagonals: how well the
 * impulses of a contact that sticks follow from its velocities. Where it is rounding the list above
 * lacks them: dependent rows, a light body beside heavy ones. */
double carom_coulomb_local_pivot(const carom_coulomb *problem, int i);

/* One solution by the solver of friction problems (carom/friction.h); spatial and large problems. x
 * is the start and the result, never worse than the start; *residual tells. *none: proved that
 * there is no solution. */
carom_status carom_coulomb_find(const carom_coulomb *problem, carom_arena *arena, double *x,
                                double *residual, bool *none, carom_error *error);

/* Move impulses of contacts with friction without bound, whose slips were held as joints, within
 * those that give the same velocities, so that they push where they hold; they stay where they
 * cannot. */
carom_status carom_coulomb_lift(const carom_coulomb *problem, carom_arena *arena, double *x,
                                carom_error *error);

/* Where that search ends without one: is there any? Every combination of modes and sectors of slip
 * directions is excluded, or a solution found, in x; neither where that would take too long. x
 * NULL: a proof alone is asked for. */
carom_status carom_coulomb_exclude(const carom_coulomb *problem, carom_arena *arena, double *x,
                                   bool *found, bool *none, carom_error *error);

/* Solve: components are taken apart, each by enumeration, in closed form or by carom_coulomb_find;
 * solutions of components are combined. The list is ordered, the default choice (least impulse)
 * first. */
carom_status carom_coulomb_solve(const carom_coulomb *problem, carom_arena *arena,
                                 carom_coulomb_solutions *solutions, carom_error *error);

#endif
