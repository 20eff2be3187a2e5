/* From parameters to the statement of the implicit law. */
#include "law/implicit.h"
#include "law/laws.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>

static const double unbounded = 1e300; /* bounds beyond are none */

/* A list or matrix of the right size, NULL when it is absent; *reason when it is wrong. */
static const double *sized(const carom_law *law, const char *name, int rows, int columns,
                           const char **reason, char text[160])
{
    const carom_value *value = carom_law_value(law, name);
    if (!value || *reason)
        return NULL;
    bool fits = columns == 1 ? value->rows * value->columns == rows
                             : value->rows == rows && value->columns == columns;
    if (fits && value->numbers)
        return value->numbers;
    snprintf(text, 160, "%s is %d x %d, it must be %d x %d here", name, value->rows, value->columns,
             rows, columns);
    *reason = text;
    return NULL;
}

static void unit(int n, double *A)
{
    for (int i = 0; i < n * n; i++)
        A[i] = i % (n + 1) == 0;
}

/* Gamma = G_bar'D in full space: Gamma v = (v_n, v_T - its motion); I for normals. */
static void default_gamma(carom_implicit *f)
{
    int k = f->k, w = f->w;
    if (!f->full) {
        unit(k, f->Gamma);
        return;
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < k; j++)
            f->Gamma[i + (size_t)j * w] =
                carom_dense_dot(k, f->G_bar + (size_t)i * k, f->D + (size_t)j * k);
}

/* D is the metric of quasi-velocities v = (v_n, v_t): the velocity that has them is
 * u = N G^-1 v_n + T v_t, for v_n = N'M u with N'M N = G, and twice its energy is
 * v_n'G^-1 v_n + |v_t|^2 = v'D v. */
static void fill_metric(carom_implicit *f)
{
    const carom_quasi *q = f->quasi;
    unit(f->k, f->D);
    for (int j = 0; j < q->p; j++)
        for (int i = 0; i < q->p; i++)
            f->D[i + (size_t)j * f->k] = q->D_n[i + (size_t)j * q->p];
}

static void add_row(carom_implicit *f, int room, int index, double factor, double bound)
{
    for (int j = 0; j < f->w; j++)
        f->A[f->r + (size_t)j * room] = j == index ? factor : 0;
    f->c[f->r++] = bound;
}

/* The polyhedral part over the first `count` coordinates of y. */
static void fill_polyhedron(const carom_law *law, carom_implicit *f, int room, int count,
                            const char **reason, char text[160])
{
    const carom_value *A = carom_law_value(law, "A");
    bool box = carom_law_is_choice(law, "set", "box");
    bool polyhedron = carom_law_is_choice(law, "set", "polyhedron");
    if (box) {
        const double *lower = sized(law, "lower", count, 1, reason, text);
        const double *upper = sized(law, "upper", count, 1, reason, text);
        for (int i = 0; i < count && !*reason; i++) {
            double low = lower ? lower[i] : i < f->quasi->p ? 0 : -INFINITY;
            double high = upper ? upper[i] : INFINITY;
            if (low > high) {
                snprintf(text, 160, "lower %g exceeds upper %g in entry %d: the box is empty", low,
                         high, i + 1);
                *reason = text;
            }
            if (low > -unbounded)
                add_row(f, room, i, -1, -low);
            if (high < unbounded)
                add_row(f, room, i, 1, high);
        }
    } else if (A && (polyhedron || carom_law_is_choice(law, "set", "cones"))) {
        const double *rows = sized(law, "A", A->rows, count, reason, text);
        if (count == 1 && A->columns != 1)
            rows = NULL;
        const double *c = sized(law, "c", A->rows, 1, reason, text);
        for (int i = 0; i < A->rows && !*reason && rows; i++) {
            add_row(f, room, -1, 0, c ? c[i] : 0);
            for (int j = 0; j < count; j++)
                f->A[i + (size_t)j * room] = rows[i + (size_t)j * A->rows];
        }
    } else if (polyhedron) {
        *reason = "set polyhedron needs the matrix A (and the list c) of {y: A y <= c}";
    } else { /* orthant: normals >= 0, slips free */
        for (int i = 0; i < count && i < f->quasi->p; i++)
            add_row(f, room, i, -1, 0);
    }
}

/* Sizes of second-order cones, at the end of y. Returns the coordinates left for the polyhedron. */
static int fill_cones(const carom_law *law, carom_implicit *f, const char **reason, char text[160])
{
    const carom_value *sizes = carom_law_value(law, "cones");
    int total = 0, count = sizes && sizes->numbers ? sizes->rows * sizes->columns : 0;
    if (!carom_law_is_choice(law, "set", "cones"))
        return f->w;
    for (int i = 0; i < count; i++) {
        double size = sizes->numbers[i];
        if (!(size >= 1 && size <= f->w) || size != floor(size)) {
            snprintf(text, 160, "cones: size %g is no whole number from 1 to %d", size, f->w);
            *reason = text;
            return 0;
        }
        total += (int)size;
    }
    if (count == 0 || total > f->w) {
        snprintf(text, 160, "cones: the sizes add up to %d; y has %d entries", total, f->w);
        *reason = text;
        return 0;
    }
    f->cones = count;
    f->cone_start[0] = f->w - total;
    for (int i = 0; i < count; i++)
        f->cone_start[i + 1] = f->cone_start[i] + (int)sizes->numbers[i];
    return f->w - total;
}

/* Rows as columns of A with leading dimension r, now that r is known. */
static void pack(carom_implicit *f, int room)
{
    for (int j = 0; j < f->w; j++)
        for (int i = 0; i < f->r; i++)
            f->A[i + (size_t)j * f->r] = f->A[i + (size_t)j * room];
}

static void fill_lambda(const carom_law *law, carom_implicit *f, const char **reason,
                        char text[160])
{
    const double *given = sized(law, "Lambda", f->k, f->k, reason, text);
    const carom_value *value = carom_law_value(law, "Lambda");
    if (value && f->k == 1 && !*reason)
        given = value->numbers;
    for (int j = 0; j < f->k; j++)
        for (int i = 0; i < f->k; i++)
            f->Lambda[i + (size_t)j * f->k] =
                given    ? given[i + (size_t)j * f->k]
                : i == j ? (i < f->quasi->p ? carom_law_restitution(f->quasi->geometry, i) : 0)
                         : 0;
}

carom_status carom_implicit_state(const carom_law *law, const carom_quasi *quasi,
                                  carom_arena *arena, carom_implicit *problem, const char **reason,
                                  char text[160], carom_error *error)
{
    carom_implicit f = {.quasi = quasi, .full = carom_law_is_choice(law, "space", "full")};
    f.k = quasi->p + (f.full ? quasi->tangents : 0);
    f.w = quasi->p + (f.full ? quasi->s : 0);
    f.v = quasi->v;
    f.G_bar = f.full ? quasi->G_bar : quasi->G;
    const carom_value *rows = carom_law_value(law, "A");
    int room = (rows ? rows->rows : 0) + 2 * f.w;
    size_t k = (size_t)f.k, w = (size_t)f.w;
    double *memory = carom_arena_doubles(arena, 2 * k * k + w * k + (size_t)room * (w + 1));
    f.cone_start = carom_arena_zeros(arena, w + 1, sizeof *f.cone_start);
    if (!memory || !f.cone_start)
        return carom_error_memory(error);
    f.D = memory;
    f.Lambda = f.D + k * k;
    f.Gamma = f.Lambda + k * k;
    f.A = f.Gamma + w * k;
    f.c = f.A + (size_t)room * w;
    *reason = NULL;
    fill_metric(&f);
    fill_lambda(law, &f, reason, text);
    const double *given = sized(law, "Gamma", f.w, f.k, reason, text);
    f.own_gamma = given != NULL;
    if (given)
        carom_dense_copy(f.w * f.k, given, f.Gamma);
    else
        default_gamma(&f);
    int left = *reason ? 0 : fill_cones(law, &f, reason, text);
    if (!*reason)
        fill_polyhedron(law, &f, room, left, reason, text);
    pack(&f, room);
    *problem = f;
    return CAROM_OK;
}
