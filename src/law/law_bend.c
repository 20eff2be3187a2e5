/* The sharp bend (docs/theory/bend.md): a motion confined to two half-hyperplanes that meet at an
 * edge. With the unit normals to the edge m1, m2 pointing into sheet 1, 2:
 *   u- = v_edge - s m1   becomes   u+ = v_edge + s m2,   s > 0.
 * Sheet 1 is w1.u = 0 with w2.u >= 0, sheet 2 is w2.u = 0 with w1.u >= 0. */
#include "impact/joints.h"
#include "law/laws.h"
#include "law/promise.h"
#include "linalg/dense.h"

#include <math.h>

/* a b - c d with one rounding (Kahan). */
static double difference(double a, double b, double c, double d)
{
    double cd = c * d, error = fma(-c, d, cd);
    return fma(a, b, -cd) + error;
}

/* Everything in the coordinates L'u, in which the metric is Euclidean, by the minors of the two
 * rows x, y there: |x|^2 |y|^2 - (x.y)^2 = sum of (x_k y_l - x_l y_k)^2 over k < l (Lagrange).
 * Nothing cancels in it but what cancels in the rows themselves. */
typedef struct wedge {
    double xx, yy;  /* squares of the rows */
    double squared; /* |x|^2 |y|^2 - (x.y)^2 */
} wedge;

static wedge measure(int n, const double *x, const double *y)
{
    wedge w = {0, 0, 0};
    for (int k = 0; k < n; k++) {
        w.xx += x[k] * x[k];
        w.yy += y[k] * y[k];
        for (int l = k + 1; l < n; l++) {
            double minor = difference(x[k], y[l], x[l], y[k]);
            w.squared += minor * minor;
        }
    }
    return w;
}

/* m = (y - x (x.y)/|x|^2) |x|^2, the part of y orthogonal to x: entry k is the sum over l of
 * x_l (y_k x_l - x_k y_l). */
static void orthogonal_part(int n, const double *x, const double *y, double *m)
{
    for (int k = 0; k < n; k++) {
        m[k] = 0;
        for (int l = 0; l < n; l++)
            m[k] += x[l] * difference(y[k], x[l], x[k], y[l]);
    }
}

/* The normal velocity of contact i is zero in units of the quantities compared. */
static bool lies_in(const carom_geometry *g, int i)
{
    return fabs(g->gamma[i]) <= CAROM_VERDICT_TOLERANCE * g->gamma_size[i];
}

/* Why there is no bend here, or NULL; *from is the contact whose sheet u- lies in. */
static const char *find_sheet(const carom_geometry *g, int *from)
{
    if (g->impact->p != 2)
        return "a bend has exactly two contacts, the sheets that meet at the edge";
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return reason;
    *from = lies_in(g, 0) ? 0 : 1;
    return lies_in(g, *from)
               ? NULL
               : "u- lies in neither sheet: one normal velocity must be zero, the other negative";
}

/* m1, m2 are the unit normals to the edge in the sheets: u+ = u- + s (m1 + m2), s = -gamma_to/n1,
 * n1 = |y| sin(theta) the normal velocity w_to.m1, theta the angle between the rows x and y. With
 *     m1 + m2 = tan(theta/2) (x/|x| + y/|y|)
 * the impulses are s tan(theta/2)/|y| and s tan(theta/2)/|x|: they push. For obtuse angles the sum
 * of the rows cancels; there m1 and m2 are added. rows: two vectors of n numbers, work: as many. */
static void turn(const carom_geometry *g, int from, const carom_response *r, const double *rows,
                 double *work, carom_outcome *outcome)
{
    int n = g->impact->n, to = 1 - from;
    const double *x = rows, *y = rows + n;
    double *m1 = work, *m2 = work + n;
    wedge w = measure(n, x, y);
    double xx = sqrt(w.xx), yy = sqrt(w.yy), sine = sqrt(w.squared) / (xx * yy);
    double cosine = carom_dense_dot(n, x, y) / (xx * yy), s = -g->gamma[to] / (yy * sine);
    double tangent = cosine >= 0 ? sine / (1 + cosine) : (1 - cosine) / sine;
    orthogonal_part(n, x, y, m1);
    orthogonal_part(n, y, x, m2);
    for (int k = 0; k < n; k++)
        m1[k] = cosine >= 0 ? tangent * (x[k] / xx + y[k] / yy)
                            : (m1[k] / (w.xx * yy) + m2[k] / (w.yy * xx)) / sine;
    carom_response_vector_back(r, m1);
    for (int k = 0; k < n; k++)
        outcome->u[k] = g->u[k] + s * m1[k];
    outcome->impulse[to] = s * tangent / yy;
    outcome->impulse[from] = s * tangent / xx;
    carom_law_set_modes(g, outcome);
    carom_outcome_detail(outcome, "edge_speed", s);
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    (void)law;
    int from = 0, n = g->impact->n;
    const char *reason = find_sheet(g, &from);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    carom_mark mark = carom_arena_mark(arena);
    carom_response r;
    const size_t numbers = 5 * (size_t)n + (size_t)g->c;
    carom_status status = carom_arena_reserve(
        arena, carom_arena_bytes(numbers, sizeof(double)) + carom_joints_bytes(g, 1), error);
    if (status)
        return status;
    double *rows = carom_arena_reserved(arena, numbers, sizeof *rows), *work = rows + 2 * n;
    carom_joints_response(g, 1, arena, &r);
    for (int i = 0; i < 2; i++) {
        double *row = rows + (size_t)i * (size_t)n;
        carom_dense_copy(n, g->impact->W + (size_t)(i ? 1 - from : from) * (size_t)n, row);
        carom_response_row(&r, row);
        carom_basis_subtract(&r.basis, row);
    }
    const double *first = g->impact->W + (size_t)from * (size_t)n;
    const double *second = g->impact->W + (size_t)(1 - from) * (size_t)n;
    bool edge =
        carom_response_take(&r, first, 0, work) && !carom_response_depends(&r, second, work);
    if (!edge)
        carom_law_refuse(outcome, "the normals are parallel: two sheets that are the same plane "
                                  "have no edge");
    else if (g->gamma[1 - from] >= 0 || lies_in(g, 1 - from))
        carom_outcome_say(outcome, "u- moves into its sheet, away from the edge: no impact");
    else
        turn(g, from, &r, rows, work, outcome);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* gamma+ = (s n2, 0), impulses s tan(theta/2)/|w|, |u+| = |u-|. Away from the edge nothing happens.
 */
static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)law;
    (void)g;
    (void)arena;
    (void)error;
    made->kinematic = made->kinetic = made->energetic = true;
    carom_promise_write(made, "keeps energy", NULL);
    return CAROM_OK;
}

static const carom_parameter parameters[] = {{0}};

const carom_law_ops carom_law_bend = {
    .name = "bend",
    .summary = "sharp bend: a motion confined to two sheets passes their common edge",
    .reference = "Glocker, Concepts for modeling impacts without friction, Fig. 6",
    .parameters = parameters,
    .apply = apply,
    .promise = promise,
};
