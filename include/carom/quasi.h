/* Kinetic quasi-velocities of an impact: the velocity split along the unit normals of the closed
 * contacts and along tangents orthogonal to them in the kinetic metric
 * (docs/theory/quasi-velocities.md; Brogliato, kinetic quasi-velocities).
 *
 *   n_i = M_c^-1 w_i / |w_i|,   t_j orthonormal, t_j'w_i = 0 and t_j'C = 0,   Xi = [n t]'
 *   v = Xi M (u - b) = (v_n, v_t),   v_n,i = gamma_i / |w_i|,   u = b + Xi'diag(D_n, D_t) v
 *   T = 1/2 v_n'D_n v_n + 1/2 v_t'D_t v_t,   D_n = G^-1,   G = n'Mn,   D_t = (t'Mt)^-1 = I
 */
#ifndef CAROM_QUASI_H
#define CAROM_QUASI_H

#include "carom/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All arrays live in the arena given to carom_quasi_make. k = p + tangents. */
typedef struct carom_quasi {
    const carom_geometry *geometry;
    int n, p, s;
    int rank;          /* of the normals within the joints */
    int tangents;      /* n - rank - rank of the joints */
    double *n_q;       /* n x p, unit normals (zero for a contact that the joints block) */
    double *t_q;       /* n x tangents */
    double *Xi;        /* k x n */
    double *v;         /* k, (v_n, v_t) of u- */
    double *G;         /* p x p, unit diagonal, G_ij = -cos theta_ij */
    double *D_n;       /* p x p, G^-1; pseudo-inverse when contacts are dependent */
    double *D_t;       /* tangents x tangents, the unit matrix */
    double *n_H;       /* p x s, n'H_T */
    double *t_H;       /* tangents x s, t'H_T */
    double *G_bar;     /* k x (p + s), [G n'H_T; 0 t'H_T] */
    double *schur;     /* p x p, G_uu - G_ub G_bb^-1 G_bu with normals of unit length in M^-1 */
    double *free_norm; /* p, sqrt(w_i'M^-1 w_i), without the joints */
    double energy_normal, energy_tangent; /* of u- - b */
} carom_quasi;

/* Fill *quasi for a geometry, which must outlive it. */
CAROM_API carom_status carom_quasi_make(const carom_geometry *geometry, carom_arena *arena,
                                        carom_quasi *quasi, carom_error *error);

/* v (k) = Xi M (u - b), and back: u (n) = b + Xi'diag(D_n, D_t) v. The second undoes the first for
 * every u compatible with the joints. */
CAROM_API void carom_quasi_from_velocity(const carom_quasi *quasi, const double *u, double *v);
CAROM_API void carom_quasi_to_velocity(const carom_quasi *quasi, const double *v, double *u);

/* The two parts of the kinetic energy of v (k). */
CAROM_API void carom_quasi_energy(const carom_quasi *quasi, const double *v, double *normal,
                                  double *tangent);

/* Power of the forces lambda_bar_i = |w_i| lambda_i (p) and lambda_T (s) at v (k):
 * power[0] = <G lambda_bar, v_n> in D_n, power[1] = <n'H_T lambda_T, v_n> in D_n,
 * power[2] = <t'H_T lambda_T, v_t> in D_t. */
CAROM_API void carom_quasi_power(const carom_quasi *quasi, const double *v,
                                 const double *lambda_bar, const double *lambda_T, double power[3]);

/* The quasi-forces of a system at a state: v_n' + F_n = G lambda_bar + n'H_T lambda_T,
 * v_t' + F_t = t'H_T lambda_T, and c = -F_n, what the normal quasi-accelerations would be without
 * contact forces. The rates of Xi M along the motion are exact where mass and rows are constant or
 * contacts neither approach nor leave and t is constant, else extrapolated differences (`error`
 * says how good); tangents are taken along without turning. */
typedef struct carom_quasi_forces {
    double *F_n;  /* p */
    double *F_t;  /* tangents */
    double *c;    /* p */
    double error; /* estimated, relative to the sizes of the terms; 0: exact but for rounding */
} carom_quasi_forces;

/* For the quasi-velocities of the impact made from the state (evaluated with CAROM_WANT_ALL) by
 * carom_impact_from_system, with its `closed`. The state is changed and restored. */
CAROM_API carom_status carom_quasi_forces_find(const carom_quasi *quasi, const carom_system *system,
                                               carom_state *state, const int *closed,
                                               carom_arena *arena, carom_quasi_forces *forces,
                                               carom_error *error);

/* The geometry of a boundary layer at one contact gap x = rho(q) (docs/theory/boundary-layer.md):
 * A = drho/dq, g^11 = A M^-1 A', g_11 = 1/g^11, B_1 = g_11 M^-1 A'. Width b and x > 0 given:
 * boundary metric ghat_11 = b^2 g_11/x^2, b-metric M + A'ghat_11 A, and the affinity of the normal
 * direction -1/x, in coordinates -1/x A_I A_J B_1^K, which adds to the ordinary affinities. */
typedef struct carom_boundary {
    double g_upper, g_lower; /* g^11, g_11 */
    double *B;               /* n, B_1 */
    double ghat;             /* NaN without b and x */
    double affinity;         /* -1/x; NaN without x */
    double *metric;          /* n x n, M + A'ghat A; NULL without b and x */
} carom_boundary;

/* A: n; M: n x n or its diagonal (M_c^-1 is not used: joints are left aside). b: NaN: not given. */
CAROM_API carom_status carom_boundary_make(int n, const double *M, bool diagonal, const double *A,
                                           double x, double b, carom_arena *arena,
                                           carom_boundary *boundary, carom_error *error);

/* A constraint as an equation of its own error f (docs/theory/boundary-layer.md, "Joints"): its
 * inertia m = 1/(a M^-1 a'), and the reaction that holds it at a state. */
typedef struct carom_joint_equation {
    double inertia;  /* m; infinite: the row is zero */
    double reaction; /* multiplier of its row in M u' = h + B beta without contact forces */
} carom_joint_equation;

/* Of the bilateral, then the nonholonomic constraints of a system at an evaluated state
 * (CAROM_WANT_ALL), the geometry that of the impact made from it. out: m + a. */
CAROM_API carom_status carom_joint_equations_find(const carom_geometry *geometry,
                                                  const carom_state *state, carom_arena *arena,
                                                  carom_joint_equation *out, carom_error *error);

/* Ordinary affinities of the metric M(q) at a state, Lambda^K_IJ (n x n x n, K fastest): the terms
 * of the equations of motion that are quadratic in the velocities, u'^K + Lambda^K_IJ u^I u^J = ...
 * (symmetric in I, J), by evaluating the forces at unit velocities; forces that are themselves
 * quadratic in velocities are among them. out: n^3. The state is changed and restored. */
CAROM_API carom_status carom_boundary_affinities(const carom_system *system, carom_state *state,
                                                 carom_arena *arena, double *out,
                                                 carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
