/* Proofs and counter-examples: what can be said about a system and a law before running them, for
 * all velocities at once (docs/theory/certificates.md).
 *
 * Every test answers yes, no or "undecided"; undecided means that the question is closer to its
 * boundary than the arithmetic (or the data) can tell, or that the caller stopped the work. A no
 * comes with a counter-example.
 */
#ifndef CAROM_CERTIFY_H
#define CAROM_CERTIFY_H

#include "carom/law.h"
#include "carom/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_truth { CAROM_FALSE, CAROM_TRUE, CAROM_UNDECIDED } carom_truth;

/* "false", "true", "undecided" */
CAROM_API const char *carom_truth_text(carom_truth truth);

/* ---- Copositivity: x'Ax >= 0 for all x >= 0 (docs/theory/copositivity.md) ---- */

typedef struct carom_copositive {
    carom_truth copositive;
    carom_truth strictly; /* x'Ax > 0 for all x >= 0, x != 0 */
    /* The least value of x'Ax / sum_i a_ii x_i^2 over x >= 0 lies in [lower, upper]; the bounds are
     * tight only near 0 (-1: a negative diagonal entry). */
    double lower, upper;
    double *x;          /* n, x >= 0: x'Ax < 0 when not copositive, = 0 when only not strictly;
                           NULL when neither is known */
    const char *method; /* what decided: "positive definite", "faces", "exact integers" ... */
    double nodes;       /* faces looked at */
    bool stopped;       /* by the watch, or by the limit on the number of faces */
} carom_copositive;

/* A: n x n; only its symmetric part matters. uncertainty: n x n bounds on the errors of the entries
 * of A, or NULL when the entries are exact; the answer then holds for all matrices within them. */
CAROM_API carom_status carom_copositive_test(int n, const double *A, const double *uncertainty,
                                             const carom_watch *watch, carom_arena *arena,
                                             carom_copositive *answer, carom_error *error);

/* The same question (exact A, n x n symmetric) by partition of the simplex into smaller ones: a
 * second, independent method; the certificate of a yes is the partition itself. It cannot decide at
 * the boundary. limit: largest number of simplices (0: 100000). */
CAROM_API carom_status carom_copositive_partition(int n, const double *A, int limit,
                                                  const carom_watch *watch, carom_arena *arena,
                                                  carom_copositive *answer, carom_error *error);

/* ---- P-matrices: all principal minors positive (docs/theory/p-matrix.md) ---- */

typedef struct carom_p_matrix {
    carom_truth p_matrix;
    const char *method; /* "positive definite", "dominant", "recursion" ... */
    int minor_count;    /* no P-matrix: the rows of a principal minor <= 0 */
    int *minor;         /* in rising order, NULL when there is none */
    double *x;          /* n: x_i (Ax)_i <= 0 for all i, x != 0; NULL when there is none */
    double nodes;       /* principal minors looked at */
    bool stopped;
} carom_p_matrix;

/* A: n x n. uncertainty as above. */
CAROM_API carom_status carom_p_matrix_test(int n, const double *A, const double *uncertainty,
                                           const carom_watch *watch, carom_arena *arena,
                                           carom_p_matrix *answer, carom_error *error);

/* ---- Certificates: conditions of theory, each with its value and bound ---- */

typedef enum carom_validity {
    CAROM_SCOPE_THIS,        /* the velocity of the scene */
    CAROM_SCOPE_APPROACHING, /* all velocities with gamma <= 0 */
    CAROM_SCOPE_ALL          /* all velocities */
} carom_validity;

/* "this velocity", "approaching velocities", "all velocities" */
CAROM_API const char *carom_validity_text(carom_validity scope);

typedef struct carom_certificate {
    const char *name;
    carom_truth holds; /* its own condition; undecided also when it does not apply */
    bool applies;      /* false: its premises are not met, text says which */
    carom_validity scope;
    double value, bound;          /* what is compared; NaN: nothing to show */
    const double *counterexample; /* n, a velocity u-; NULL: none */
    const char *law;              /* the law that is judged, where it is one; else NULL */
    unsigned coulomb;             /* forms of Coulomb's law (carom_coulomb_form) it is about */
    bool verified;                /* that law was run with it, and it does what is said */
    carom_truth own;              /* the scene's law does so too; undecided: it was not run with it,
                                     or has no outcome there */
    const char *reference;
    char text[320]; /* one or two sentences: what it means here */
    int kind;       /* the library's own: its place in the list of all certificates */
} carom_certificate;

enum { CAROM_CERTIFICATES = 48 };

typedef struct carom_certificates {
    int count;
    bool stopped; /* the watch ended the work early */
    carom_certificate list[CAROM_CERTIFICATES];
} carom_certificates;

/* The certificate of that name, NULL when there is none. */
CAROM_API const carom_certificate *carom_certificates_find(const carom_certificates *all,
                                                           const char *name);

/* The normalised restitution matrix that a law prescribes: of `matrix` (or a law with a parameter E
 * or epsilon), else NULL, which stands for the contacts' coefficients. Of an E for all
 * quasi-velocities the normal block is taken. note (may be NULL, 160 characters): what to know. */
CAROM_API carom_status carom_certify_matrix(const carom_law *law, const carom_geometry *geometry,
                                            carom_arena *arena, const double **E, char *note,
                                            carom_error *error);

/* Append the certificates of the restitution matrix v+ = -E v- in normalised normal velocities
 * v_i = gamma_i/|w_i|: kinematic, kinetic, energy-... E: p x p; NULL: diagonal of the contacts'
 * coefficients. Certificates start from {0}. */
CAROM_API carom_status carom_certify_restitution(const carom_geometry *geometry, const double *E,
                                                 const carom_watch *watch, carom_arena *arena,
                                                 carom_certificates *all, carom_error *error);

/* Append those of the contact problem with friction, D(q, mu, xi): contact-p-matrix,
 * contact-copositive, contact-perturbation. */
CAROM_API carom_status carom_certify_contact(const carom_geometry *geometry,
                                             const carom_watch *watch, carom_arena *arena,
                                             carom_certificates *all, carom_error *error);

/* For the state of a system (as in carom_painleve_solve): append contact-load, whether forces exist
 * under the loads that act now where D is copositive but not strictly (Prop. 15: c'z >= 0 on
 * {z >= 0: Dz >= 0, z'Dz = 0}, c the free gap accelerations). */
CAROM_API carom_status carom_certify_load(const carom_system *system, const carom_state *state,
                                          const carom_geometry *geometry, const int *closed,
                                          carom_arena *arena, carom_certificates *all,
                                          carom_error *error);

/* For a law `matrix` whose E prescribes all quasi-velocities (four blocks), after the others:
 * append energy-full and energy-full-frobenius, and correct what was said of its normal block alone
 * (kinematic, kinetic, friction-range). Nothing for other laws. */
CAROM_API carom_status carom_certify_full(const carom_law *law, const carom_geometry *geometry,
                                          carom_arena *arena, carom_certificates *all,
                                          carom_error *error);

/* Append those of friction at impacts: friction-range, friction-lemma-1 ... friction-energy. The
 * last is about law `coulomb` in the equality form, or in both (`law` tells); carom_check makes it
 * a statement about the scene's law. */
CAROM_API carom_status carom_certify_friction(const carom_geometry *geometry, const double *E,
                                              const carom_watch *watch, carom_arena *arena,
                                              carom_certificates *all, carom_error *error);

/* ---- Persistent contact with friction: D(q, mu, xi) (docs/theory/painleve.md) ---- */

enum { CAROM_CRITICAL_LIMIT = 10 }; /* contacts of the largest minors looked at */

/* The friction at which the contact problem stops having one solution for all forces. */
typedef struct carom_critical {
    double common;       /* smallest common mu for which D is no P-matrix for some choice of sliding
                            directions; INFINITY: none. Not exact: the smallest found */
    double lower;        /* proved: below it there is none; = common when exact */
    double *per_contact; /* p, the same with friction at that contact only; NaN where no slip */
    bool exact;          /* false: directions of spatial contacts were searched numerically, or more
                            than CAROM_CRITICAL_LIMIT contacts hang together */
    int minor_count;     /* the principal minor that vanishes at `common`, */
    int minor[CAROM_CRITICAL_LIMIT];
    double angle[CAROM_CRITICAL_LIMIT]; /* and its sliding directions (planar: 0 is +, pi is -) */
} carom_critical;

/* Find it for the closed contacts of a geometry, whatever friction they have now. */
CAROM_API carom_status carom_critical_friction(const carom_geometry *geometry,
                                               const carom_watch *watch, carom_arena *arena,
                                               carom_critical *critical, carom_error *error);

/* The same along a coordinate (index in the system) from lower to upper, all else as in *state,
 * which is changed and restored: `count` values of `common` at equal steps, and where the least is
 * (located to 1e-9 where it is smooth). Contacts with gap <= tolerance at the start count as closed
 * all along. samples: count numbers, may be NULL. */
typedef struct carom_critical_path {
    double at, least; /* coordinate and mu_c at the minimum; NaN when there is none */
    bool inside;      /* a smooth minimum in the interior */
} carom_critical_path;
CAROM_API carom_status carom_critical_along(const carom_system *system, carom_state *state,
                                            double tolerance, int coordinate, double lower,
                                            double upper, int count, double *samples,
                                            const carom_watch *watch, carom_arena *arena,
                                            carom_critical_path *path, carom_error *error);

typedef enum carom_painleve_class {
    CAROM_PAINLEVE_UNIQUE,        /* one solution */
    CAROM_PAINLEVE_UNIQUE_MOTION, /* one acceleration, forces not determined */
    CAROM_PAINLEVE_NONE,          /* none: inconsistent (Painleve), an impact without collision */
    CAROM_PAINLEVE_SEVERAL,       /* several accelerations: indeterminate */
    CAROM_PAINLEVE_UNKNOWN        /* too many contacts, or sticking spatial ones */
} carom_painleve_class;

/* "unique", "unique-motion", "none", "several", "unknown" */
CAROM_API const char *carom_painleve_text(carom_painleve_class kind);

/* One motion that satisfies the laws of contact. */
typedef struct carom_painleve_solution {
    double *force;            /* p, for the normals as given; the smallest where many will do */
    double *tangential_force; /* s */
    double *acceleration;     /* p, of the gaps */
    double *du;               /* n, u' */
    carom_mode *mode;         /* p */
    bool force_unique;        /* no other forces give this motion; false also where not known */
    double *least, *most;     /* p, bounds of each normal force among all that give this motion,
                                 INFINITY: none; NaN where not known */
} carom_painleve_solution;

typedef struct carom_painleve {
    carom_painleve_class kind;
    int count;      /* different motions, the one with the smallest forces first */
    bool continuum; /* some of them belong to a continuum of motions */
    carom_painleve_solution *solutions;
    char message[256];
} carom_painleve;

/* All motions at an evaluated state (CAROM_WANT_ALL) for the impact made from it by
 * carom_impact_from_system, with its `closed`. Sliding contacts slide on, those at rest may stick
 * or begin to slide either way. */
CAROM_API carom_status carom_painleve_solve(const carom_system *system, const carom_state *state,
                                            const carom_geometry *geometry, const int *closed,
                                            carom_arena *arena, carom_painleve *problem,
                                            carom_error *error);

/* ---- Admissible restitution coefficients (docs/theory/admissible.md) ---- */

/* Two contacts with G_12 = a, E = diag(e1, e2): curves ready to draw, in [-1, 1]^2. */
typedef struct carom_pair_region {
    double a;
    int count;
    double *e1;            /* count, from -1 to 1 */
    double *lower, *upper; /* count: no energy gained for any velocity iff lower <= e2 <= upper */
    bool square; /* a <= 0: for approaching velocities the whole square; else the same curves */
    double half_width; /* Prop. 6: max |e_i| <= half_width suffices */
    double radius;     /* Prop. 7: e1^2 + e2^2 < radius^2 suffices */
} carom_pair_region;
CAROM_API carom_status carom_pair_region_make(double a, int count, carom_arena *arena,
                                              carom_pair_region *region, carom_error *error);
/* The formula itself. */
CAROM_API bool carom_pair_region_holds(double a, double e1, double e2, bool approaching);

/* How far a restitution is from the limit of energy. */
typedef struct carom_margins {
    double scale_all, scale_approaching; /* largest s such that s E gains no energy */
    double box_all, box_approaching;     /* largest e such that no diag(e_i) with 0 <= e_i <= e
                                            gains energy; NaN: too many contacts (p > 12, 8) */
} carom_margins;
/* E as in carom_certify_restitution. All NaN when the contacts are dependent. */
CAROM_API carom_status carom_margins_find(const carom_geometry *geometry, const double *E,
                                          const carom_watch *watch, carom_arena *arena,
                                          carom_margins *margins, carom_error *error);

/* All normal velocities after the impact (normalised, v_i = gamma_i/|w_i|) with the energy share
 * `energy` (1: conserved) of the scene's velocity that are admissible, for two contacts: v+ >= 0,
 * impulses >= 0. An arc of an ellipse; e_ij = v_i+/(-v_j-) when only contact j approaches. */
typedef struct carom_same_energy {
    int count;
    double *v;            /* 2 x count */
    int matrix_freedoms;  /* dimension of the set of E (p x p) with the same outcome: p (p - 1) */
    bool unique_diagonal; /* contacts at right angles: among diagonal E the conservative one is
                             unique */
} carom_same_energy;
CAROM_API carom_status carom_same_energy_find(const carom_geometry *geometry, double energy,
                                              int count, carom_arena *arena,
                                              carom_same_energy *curve, carom_error *error);

/* ---- Restitution matrices of an outcome, and those that keep the energy ---- */

/* Is E conservative for all velocities (C = G^-1 - E'G^-1E = 0), and which matrices are? They are
 * E = L O L^-1, G = LL', O orthogonal: p (p - 1)/2 freedoms. (docs/theory/admissible.md) */
typedef struct carom_conservative_arc {
    bool reflection;           /* O = [c s; s -c], else [c -s; s c], c = cos angle, s = sin angle */
    double from, to;           /* angles, equal: a single matrix */
    double E_from[4], E_to[4]; /* 2 x 2, column-major */
} carom_conservative_arc;

typedef struct carom_conservative {
    carom_truth conservative; /* C = 0 for the E given */
    double deviation;         /* largest entry of C, relative to those of G^-1 */
    int freedoms;             /* of E = L O L^-1; -1: the contacts are dependent */
    /* those that are consistent too, E >= 0 and G^-1 (I + E) >= 0 entry by entry: */
    carom_truth unique; /* there is exactly one (the uniqueness property); undecided: p > 2 */
    int arc_count;      /* p = 2: all of them */
    carom_conservative_arc arcs[8];
} carom_conservative;

/* E as in carom_certify_restitution. */
CAROM_API carom_status carom_conservative_find(const carom_geometry *geometry, const double *E,
                                               carom_arena *arena, carom_conservative *found,
                                               carom_error *error);

/* A restitution matrix that explains an outcome, v+ = -E v- (Prop. 1): the one of least Frobenius
 * norm, E = -v+ v-'/|v-|^2, in normal velocities where the tangential ones are kept, else in all
 * quasi-velocities; and the diagonal one, where there is one. */
typedef struct carom_outcome_matrix {
    bool exists; /* v- != 0, or v+ = 0 too */
    int size;    /* p, or p + tangents */
    double *E;   /* size x size */
    bool has_diagonal;
    double *diagonal; /* p: e_i = -v_i+/v_i-; NaN where v_i- = v_i+ = 0 */
} carom_outcome_matrix;

/* u: n, velocity after the impact. */
CAROM_API carom_status carom_outcome_matrix_find(const carom_geometry *geometry, const double *u,
                                                 carom_arena *arena, carom_outcome_matrix *found,
                                                 carom_error *error);

/* ---- Micro-gaps: contacts that close one after the other (docs/theory/micro-gaps.md) ---- */

enum { CAROM_MICRO_GAPS_LIMIT = 7 }; /* contacts; 47293 orders */

typedef struct carom_micro_outcome {
    double *u;            /* n */
    double energy_change; /* from u- */
    int orders;           /* orders of closing that lead here */
    int *group;           /* p, one such order: contact i closes in group group[i], from 0 */
    bool simultaneous;    /* reached when all close at once */
} carom_micro_outcome;

typedef struct carom_micro_gaps {
    int orders;   /* tried */
    int failed;   /* of them without an outcome (law without answer, or endless collisions) */
    int count;    /* distinct outcomes, the simultaneous one first */
    int capacity; /* of the list */
    carom_micro_outcome *list;
    bool *first_matters; /* 2^p: the outcome changes when the contacts of this set close first and
                            the others together after them */
    bool stopped;
    char message[256]; /* why there is nothing, when count is 0 */
} carom_micro_gaps;

/* Try every order in which the contacts may close. With more than CAROM_MICRO_GAPS_LIMIT contacts
 * (one less for lzb), a region or second-order cones count is 0, and the message says so. */
CAROM_API carom_status carom_micro_gaps_find(const carom_law *law, const carom_geometry *geometry,
                                             const carom_watch *watch, carom_arena *arena,
                                             carom_micro_gaps *gaps, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
