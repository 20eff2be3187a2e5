/* Derived geometry of an impact (docs/theory/impact.md).
 *
 * Everything is computed once here and read by the laws: gradients Y = M_c^-1 W, Delassus matrix
 * D = W'Y, normal velocities, the frame velocity b. Contacts usually touch few coordinates, so each
 * normal is used on its own range of non-zero entries only; a chain of a thousand balls then costs
 * what its thousand non-zeros cost. */
#include "base/larger.h"
#include "carom/need.h"
#include "impact/check.h"
#include "impact/frame.h"
#include "impact/joints.h"
#include "impact/predicate.h"
#include "impact/velocity.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/short_loops.h"

/* Non-zero entries of every normal are in [first, last). Returns the first normal that has none, or
 * p. */
static int find_ranges(int n, int p, const double *W, int *first, int *last)
{
    int zero = p;
    for (int i = p - 1; i >= 0; i--) {
        const double *w = W + (size_t)i * n;
        int lo = 0, hi = n;
        while (lo < n && w[lo] == 0)
            lo++;
        while (hi > lo && w[hi - 1] == 0)
            hi--;
        first[i] = lo;
        last[i] = hi;
        zero = lo < n ? zero : i;
    }
    return zero;
}

static void make_offsets(const carom_impact *impact, int s, int k, int *slip, int *spread)
{
    int slips = 0, spreads = 0;
    for (int i = 0; i < impact->p; i++) {
        slip[i] = slips;
        spread[i] = spreads;
        if (s)
            slips += impact->contacts[i].slip_count;
        if (k)
            spreads += impact->contacts[i].spread_count;
    }
    slip[impact->p] = s;
    spread[impact->p] = k;
}

/* All arrays whose sizes the statement tells, in one piece; what joints and moving frames need
 * besides is taken where it is needed. slips, spreads: columns of H and spread. */
static carom_status make_room(carom_geometry *g, int slips, int spreads, carom_arena *arena,
                              carom_error *error)
{
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n, p = (size_t)impact->p, s = (size_t)slips;
    size_t mass = impact->mass_is_diagonal ? n : n * n;
    size_t numbers = mass + n * (p + s + 2) + p * (p + 3) + s, offsets = 4 * p + 2;
    double *memory = carom_arena_doubles(arena, numbers + (offsets + 1) / 2);
    if (!memory)
        return carom_error_memory(error);
    g->s = slips;
    g->L = memory;
    g->Y = g->L + mass;
    g->Z = g->Y + n * p;
    g->D = g->Z + n * s;
    g->norm = g->D + p * p;
    g->u = g->norm + p;
    g->b = g->u + n;
    g->gamma = g->b + n;
    g->gamma_size = g->gamma + p;
    g->slip = g->gamma_size + p;
    int *slip = (int *)(memory + numbers), *spread = slip + p + 1, *first = spread + p + 1;
    g->slip_start = slip;
    g->spread_start = spread;
    g->first = first;
    g->last = first + p;
    make_offsets(impact, slips, spreads, slip, spread);
    int zero = find_ranges(impact->n, impact->p, impact->W, first, first + p);
    char text[16];
    if (zero < impact->p)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "contact %s: the normal is zero; it must have a direction",
                               carom_contact_name(impact->contacts, zero, text));
    return CAROM_OK;
}

static carom_status factor_mass(carom_geometry *g, carom_error *error)
{
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n;
    int failed = 0;
    if (impact->mass_is_diagonal) {
        for (size_t i = 0; i < n; i++) {
            if (!(impact->M[i] > 0) && !failed)
                failed = (int)i + 1;
            g->L[i] = sqrt(impact->M[i]);
        }
    } else {
        memcpy(g->L, impact->M, n * n * sizeof(double));
        failed = carom_cholesky_factor((int)n, g->L, (int)n);
    }
    if (!failed)
        return CAROM_OK;
    size_t entry = (size_t)(failed - 1) * (impact->mass_is_diagonal ? 1 : n + 1);
    return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                           "the mass matrix is not positive definite: pivot %d is not positive "
                           "(its diagonal entry is %g)",
                           failed, impact->M[entry]);
}

/* Y = M^-1 W without joints; where M is diagonal a column keeps the range of its normal. */
static void make_gradients(carom_geometry *g)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    for (int i = 0; i < impact->p; i++) {
        const double *w = impact->W + (size_t)i * n;
        double *y = g->Y + (size_t)i * n;
        if (!impact->mass_is_diagonal) {
            memcpy(y, w, (size_t)n * sizeof(double));
            carom_joints_inverse_mass(g, y);
            continue;
        }
        bool sparse = n > 8;
        if (sparse)
            memset(y, 0, (size_t)n * sizeof(double));
        for (int k = sparse ? g->first[i] : 0, end = sparse ? g->last[i] : n; k < end; k++)
            y[k] = w[k] / impact->M[k];
    }
}

/* D = W'Y without joints. */
static void multiply(carom_geometry *g)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, p = impact->p;
    const int *first = g->first, *last = g->last;
    const double *W = impact->W;
    double *D = g->D;
    const double *y = g->Y;
    for (int j = 0; j < p; j++, y += n) {
        int from = impact->mass_is_diagonal ? first[j] : 0;
        int to = impact->mass_is_diagonal ? last[j] : n;
        double *column = D + (size_t)j * p, *row = D + j + (size_t)j * p;
        const double *w = W + (size_t)j * n;
        for (int i = j; i < p; i++, w += n, row += p) {
            int lo = from > first[i] ? from : first[i], hi = to < last[i] ? to : last[i];
            column[i] = *row = hi > lo ? carom_dense_dot(hi - lo, w + lo, y + lo) : 0;
        }
    }
}

/* Y and D within the joints, and Z = M_c^-1 H. */
static carom_status respond(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, most = impact->p > g->s ? impact->p : g->s;
    carom_mark mark = carom_arena_mark(arena);
    double *work = carom_arena_doubles(arena, (size_t)n * (size_t)(most + 1) + (size_t)g->c);
    const double **rows = carom_arena_array(arena, (size_t)most, sizeof *rows);
    if (!work || !rows)
        return carom_error_memory(error);
    for (int i = 0; i < impact->p; i++)
        rows[i] = impact->W + (size_t)i * n;
    carom_response_delassus(g->joints, impact->p, rows, g->Y, g->D, work);
    for (int j = 0; j < g->s; j++)
        rows[j] = impact->H + (size_t)j * n;
    carom_response_delassus(g->joints, g->s, rows, g->Z, NULL, work);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* w'M_c^-1 w must be a number to divide by, unless the joints block the contact. */
static carom_status check_norm(const carom_geometry *g, int i, carom_error *error)
{
    char text[16];
    double d = g->D[i + (size_t)i * (size_t)g->impact->p];
    if ((d >= DBL_MIN && d <= DBL_MAX) || (d == 0 && g->c))
        return CAROM_OK;
    return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                           "contact %s: w'M^-1 w is %g, beyond the range of numbers; normal and "
                           "mass need other units",
                           carom_contact_name(g->impact->contacts, i, text), d);
}

/* Y, Z, D, norms and the bandwidth of D. */
static carom_status make_delassus(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p, bandwidth = 0;
    carom_status status = CAROM_OK;
    if (g->c) {
        status = respond(g, arena, error);
    } else {
        make_gradients(g);
        multiply(g);
        for (int j = 0; j < g->s; j++) {
            double *z = g->Z + (size_t)j * (size_t)n;
            memcpy(z, g->impact->H + (size_t)j * (size_t)n, (size_t)n * sizeof(double));
            carom_joints_inverse_mass(g, z);
        }
    }
    for (int j = 0; j < p && !status; j++) {
        const double *D = g->D + (size_t)j * (size_t)p;
        for (int i = p - 1; i > j + bandwidth; i--)
            if (D[i] != 0)
                bandwidth = i - j;
        status = check_norm(g, j, error);
        g->norm[j] = sqrt(D[j]);
    }
    g->bandwidth = bandwidth;
    return status;
}

/* Banded Cholesky without pivoting in L (p columns of ld), L[d + j*ld] = L_(j+d, j), only to see
 * the smallest pivot in units of its diagonal entry: what of D is left for decisions. 0: none. */
static double least_pivot(const carom_geometry *g, double *L, int ld)
{
    int p = g->impact->p;
    const double *D = g->D;
    double tolerance = carom_joints_rank_tolerance(p), least = 1, *to = L;
    for (int j = 0; j < p; j++, D += p + 1, to += ld)
        for (int d = 0, end = ld < p - j ? ld : p - j; d < end; d++)
            to[d] = D[d];
    D = g->D;
    double *Lj = L;
    for (int j = 0; j < p; j++, D += p + 1, Lj += ld) {
        const double diagonal = D[0];
        if (!(Lj[0] > tolerance * diagonal))
            return 0;
        if (Lj[0] < least * diagonal)
            least = Lj[0] / diagonal;
        int end = ld < p - j ? ld : p - j;
        double inverse = end > 1 ? 1 / Lj[0] : 0;
        for (int d = 1; d < end; d++) {
            double a = Lj[d] * inverse, *Ld = L + (size_t)(j + d) * ld - d;
            for (int e = d; e < end && a != 0; e++)
                Ld[e] -= a * Lj[e];
        }
    }
    return least;
}

static carom_status find_dependence(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    enum { SMALL = 64 };
    double few[SMALL], *L = few;
    carom_mark mark = {0};
    int ld = g->bandwidth + 1;
    size_t size = (size_t)g->impact->p * (size_t)ld;
    if (size > SMALL) {
        mark = carom_arena_mark(arena);
        L = carom_arena_doubles(arena, size);
        if (!L)
            return carom_error_memory(error);
    }
    g->pivot = least_pivot(g, L, ld);
    g->dependent = g->pivot == 0;
    if (L != few)
        carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* The velocity made compatible with the joints, where it is not so already. */
static carom_status join_velocity(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    int n = g->impact->n;
    carom_mark mark = carom_arena_mark(arena);
    double *u = carom_arena_doubles(arena, 7 * (size_t)n + 6 * (size_t)g->c);
    if (!u)
        return carom_error_memory(error);
    bool off = false;
    for (int j = 0; j < g->c && !off; j++) {
        double sum = g->c_hat[j], size = fabs(sum);
        for (int i = 0; i < n; i++) {
            sum += g->C[i + (size_t)j * n] * g->u[i];
            size += fabs(g->C[i + (size_t)j * n] * g->u[i]);
        }
        off = fabs(sum) > CAROM_PREDICATE_REST * size;
    }
    memcpy(u, g->u, (size_t)n * sizeof(double));
    if (off)
        carom_joints_project(g, g->c_hat, g->u, u + n);
    for (int i = 0; i < n; i++)
        u[i] -= g->u[i];
    g->joint_error = sqrt(carom_geometry_dot(g, u, u));
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* Energy and speed must be numbers: everything is judged in their units. */
static carom_status check_energy(const carom_geometry *g, carom_error *error)
{
    bool moves = false;
    if (isfinite(g->speed) && g->energy >= DBL_MIN)
        return CAROM_OK;
    for (int i = 0; i < g->impact->n; i++)
        moves = moves || g->impact->u[i] != 0;
    if (isfinite(g->speed) && !moves)
        return CAROM_OK;
    return carom_error_set(
        error, CAROM_ERROR_ARGUMENT,
        "the kinetic energy before the impact is %g (speed %g), beyond the range "
        "of numbers; mass and velocity need other units",
        g->energy, g->speed);
}

/* The largest |a_k u_k| of the columns of A, if it is above `most`. */
static double largest_term(int n, int columns, const double *A, const double *u, double most)
{
    for (int j = 0; j < columns; j++, A += n)
        for (int k = 0; k < n; k++)
            most = larger(fabs(A[k] * u[k]), most);
    return most;
}

/* Velocities: the compatible u-, normal velocities with their sizes, slips, scale of speeds. */
static carom_status make_velocities(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    double squared = carom_velocity_product(g, impact->u, impact->u);
    double frame = g->still ? 0 : carom_velocity_product(g, g->b_slip, g->b_slip);
    g->energy = 0.5 * squared;
    g->speed = sqrt(squared > frame ? squared : frame);
    for (int i = 0; i < n; i++)
        g->u[i] = impact->u[i];
    g->joint_error = 0;
    carom_status status = check_energy(g, error);
    if (!status && g->c)
        status = join_velocity(g, arena, error);
    for (int j = 0; j < g->s; j++)
        g->slip[j] = carom_velocity_slip(g, j, g->u);
    const double *w = impact->W;
    double fastest = 0;
    bool parts = g->spread_start[impact->p] > 0; /* may a contact separate? */
    for (int i = 0, p = impact->p; i < p; i++, w += n) {
        double size = impact->w_hat ? fabs(impact->w_hat[i]) : 0;
        fastest = larger(size, fastest);
        for (int k = g->first[i], end = g->last[i]; k < end; k++) {
            double term = fabs(w[k] * g->u[k]);
            fastest = larger(term, fastest);
            size += term;
        }
        g->gamma_size[i] = size;
        g->gamma[i] = carom_velocity_normal(g, i, g->u);
        /* blocked by joints: no impulse could undo the rounding; near the smallest of numbers
         * digits are lost, and so is the energy */
        bool rests = g->norm[i] == 0 && fabs(g->gamma[i]) <= CAROM_PREDICATE_REST * size;
        if (rests || size < DBL_MIN / DBL_EPSILON)
            g->gamma[i] = 0;
        parts = parts || g->gamma[i] > 0;
    }
    fastest = largest_term(n, g->s, impact->H, g->u, fastest);
    fastest = largest_term(n, g->spread_start[impact->p], impact->spread, g->u, fastest);
    for (int j = 0; j < g->s && impact->slip_motion; j++)
        fastest = larger(fabs(impact->slip_motion[j]), fastest);
    g->fastest = fastest;
    g->approaching = !parts || carom_predicate_approaching(g);
    return status;
}

/* Joints, where there are some. */
static carom_status make_joints(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    g->c = g->impact->m + g->impact->a;
    g->C = g->c_hat = NULL;
    g->joints = NULL;
    g->joint_rank = 0;
    return g->c ? carom_joints_make(g, arena, error) : CAROM_OK;
}

/* The frame velocities, zero where nothing moves. */
static carom_status make_frame(carom_geometry *g, carom_arena *arena, carom_error *error)
{
    const carom_impact *impact = g->impact;
    g->b_slip = g->b;
    g->slip_frame = true;
    g->still = carom_frame_rests(impact->w_hat, impact->p) && carom_frame_rests(g->c_hat, g->c) &&
               carom_frame_rests(impact->slip_motion, g->s);
    if (!g->still)
        return carom_frame_make(g, arena, error);
    for (int i = 0; i < impact->n; i++)
        g->b[i] = 0;
    return CAROM_OK;
}

carom_status carom_impact_derive(const carom_impact *impact, carom_arena *arena,
                                 carom_geometry *geometry, carom_error *error)
{
    CAROM_NEED(error, impact, arena, geometry);
    carom_geometry g;
    g.impact = impact;
    int slips, spreads;
    carom_status status = carom_impact_check(impact, &slips, &spreads, error);
    if (!status)
        status = make_room(&g, slips, spreads, arena, error);
    if (!status)
        status = factor_mass(&g, error);
    if (!status)
        status = make_joints(&g, arena, error);
    if (status)
        return status;
    status = make_delassus(&g, arena, error);
    if (!status)
        status = find_dependence(&g, arena, error);
    if (!status)
        status = make_frame(&g, arena, error);
    if (!status)
        status = make_velocities(&g, arena, error);
    if (!status)
        *geometry = g;
    return status;
}

void carom_geometry_normal_velocity(const carom_geometry *g, const double *u, double *gamma)
{
    CAROM_NEED_OR(, g, g->impact, u, gamma);
    for (int i = 0, p = g->impact->p; i < p; i++)
        gamma[i] = carom_velocity_normal(g, i, u);
}

void carom_geometry_slip_velocity(const carom_geometry *g, const double *u, double *slip)
{
    CAROM_NEED_OR(, g, g->impact, u, slip);
    for (int j = 0; j < g->s; j++)
        slip[j] = carom_velocity_slip(g, j, u);
}

void carom_geometry_inverse_mass(const carom_geometry *g, const double *x, double *y, double *work)
{
    CAROM_NEED_OR(, g, g->impact, x, y);
    if (g->joints) {
        carom_response_apply(g->joints, x, y, work);
        return;
    }
    memcpy(y, x, (size_t)g->impact->n * sizeof(double));
    carom_joints_inverse_mass(g, y);
}

void carom_geometry_mass(const carom_geometry *g, const double *x, double *y)
{
    CAROM_NEED_OR(, g, g->impact, x, y);
    int n = g->impact->n;
    const double *M = g->impact->M;
    for (int j = 0; j < n; j++) /* symmetric: column j is row j */
        y[j] = g->impact->mass_is_diagonal ? M[j] * x[j] : carom_dense_dot(n, M + (size_t)j * n, x);
}

double carom_geometry_dot(const carom_geometry *g, const double *x, const double *y)
{
    CAROM_NEED_OR(NAN, g, g->impact, x, y);
    return carom_velocity_product(g, x, y);
}

void carom_geometry_angles(const carom_geometry *g, double *theta)
{
    CAROM_NEED_OR(, g, g->impact, theta);
    int p = g->impact->p;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double norms = g->norm[i] * g->norm[j];
            double cosine = i == j ? 1 : g->D[i + (size_t)j * p] / norms;
            cosine = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
            theta[i + (size_t)j * p] = norms > 0 ? CAROM_PI - acos(cosine) : NAN;
        }
}
