/* The statement of an impact: shapes, numbers, coefficients. */
#include "impact/check.h"

#include "carom/tolerance.h"
#include "linalg/finite.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/short_loops.h"

/* Of an array that may be left out. */
static bool all_finite(const double *x, size_t count)
{
    return !x || carom_finite_all(count, x);
}

static carom_status check_finite(const char *name, const double *x, int rows, int columns,
                                 carom_error *error)
{
    if (all_finite(x, (size_t)rows * (size_t)columns))
        return CAROM_OK;
    int k = 0;
    while (isfinite(x[k]))
        k++;
    return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                           "%s: entry (%d, %d) is %g; only finite numbers are allowed", name,
                           k % rows + 1, k / rows + 1, x[k]);
}

static carom_status check_shapes(const carom_impact *impact, carom_error *error)
{
    if (impact->n < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "an impact needs at least one degree of freedom, not %d", impact->n);
    if (impact->p < 0 || impact->m < 0 || impact->a < 0)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "the numbers of contacts (%d), joints (%d) and permanent "
                               "constraints (%d) must not be negative",
                               impact->p, impact->m, impact->a);
    if (!impact->M || !impact->u || (impact->p && !impact->W) || (impact->m && !impact->B) ||
        (impact->a && !impact->A))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "M, u, W, B and A must be given where their sizes are not zero");
    return CAROM_OK;
}

static carom_status check_symmetric(const carom_impact *impact, carom_error *error)
{
    int n = impact->n;
    const double *M = impact->M;
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) {
            double a = M[i + (size_t)j * n], b = M[j + (size_t)i * n];
            if (fabs(a - b) > CAROM_TOLERANCE_CARRIED * (fabs(a) + fabs(b)) &&
                fabs(a - b) >
                    CAROM_TOLERANCE_SUM * sqrt(fabs(M[i + (size_t)i * n] * M[j + (size_t)j * n])))
                return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                       "the mass matrix is not symmetric: entry (%d, %d) is %.17g "
                                       "but (%d, %d) is %.17g",
                                       i + 1, j + 1, a, j + 1, i + 1, b);
        }
    return CAROM_OK;
}

static carom_status out_of_range(const carom_contact *contacts, int i, const char *what,
                                 double value, const char *allowed, carom_error *error)
{
    char text[16];
    return carom_error_set(error, CAROM_ERROR_ARGUMENT, "contact %s: %s %g %s",
                           carom_contact_name(contacts, i, text), what, value, allowed);
}

/* Rows of one second-order cone; the sum over all contacts stays a number. */
enum { MOST_SPREADS = 1 << 16 };

static bool in_unit_interval(double x)
{
    return x >= 0 && x <= 1;
}

/* Everything in range, restitution in [0, 1]: nearly every contact. Comparisons without branches,
 * false for NaN. */
static bool is_ordinary(const carom_contact *c)
{
    return (c->restitution >= 0) & (c->restitution <= 1) & (c->tangential_restitution >= -1) &
           (c->tangential_restitution <= 1) & (c->friction_dynamic >= 0) &
           (c->friction_dynamic <= c->friction_static) & (c->stiffness > 0) &
           (c->stiffness <= DBL_MAX) & (c->exponent > 0) & (c->exponent <= DBL_MAX) &
           ((unsigned)c->slip_count <= 2) & ((unsigned)c->spread_count <= MOST_SPREADS);
}

/* What is wrong with contact i, in words, unless its restitution may be anything. */
static carom_status check_contact(const carom_contact *contacts, int i, bool any,
                                  carom_error *error)
{
    const carom_contact *c = &contacts[i];
    const char *unit = any ? "must be a finite number" : "is outside [0, 1]";
    if (any ? !isfinite(c->restitution) : !in_unit_interval(c->restitution))
        return out_of_range(contacts, i, "restitution", c->restitution, unit, error);
    if (any ? !isfinite(c->tangential_restitution) : !(fabs(c->tangential_restitution) <= 1))
        return out_of_range(contacts, i, "tangential restitution", c->tangential_restitution,
                            any ? unit : "is outside [-1, 1]", error);
    if (!(c->friction_static >= 0))
        return out_of_range(contacts, i, "static friction", c->friction_static,
                            "must not be negative", error);
    if (!(c->friction_dynamic >= 0 && c->friction_dynamic <= c->friction_static))
        return out_of_range(contacts, i, "dynamic friction", c->friction_dynamic,
                            "must be between 0 and the static friction", error);
    if (!(c->stiffness > 0 && isfinite(c->stiffness)))
        return out_of_range(contacts, i, "stiffness", c->stiffness, "must be positive and finite",
                            error);
    if (!(c->exponent > 0 && isfinite(c->exponent)))
        return out_of_range(contacts, i, "exponent", c->exponent, "must be positive and finite",
                            error);
    if (c->slip_count < 0 || c->slip_count > 2)
        return out_of_range(contacts, i, "slip_count", c->slip_count, "must be 0, 1 or 2", error);
    if (c->spread_count < 0 || c->spread_count > MOST_SPREADS)
        return out_of_range(contacts, i, "spread_count", c->spread_count, "must be 0 to 65536",
                            error);
    return CAROM_OK;
}

carom_status carom_impact_check_contacts(int p, const carom_contact *contacts, bool any,
                                         carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int i = 0; i < p && status == CAROM_OK; i++)
        if (!is_ordinary(&contacts[i]))
            status = check_contact(contacts, i, any, error);
    return status;
}

static carom_status check_contacts(const carom_impact *impact, int *s, int *k, carom_error *error)
{
    const bool any = impact->flags & CAROM_IMPACT_ANY_RESTITUTION;
    carom_status status = CAROM_OK;
    int slips = 0, spreads = 0;
    for (int i = 0, p = impact->contacts ? impact->p : 0; i < p; i++) {
        const carom_contact *c = &impact->contacts[i];
        if (!is_ordinary(c) && (status = check_contact(impact->contacts, i, any, error)))
            return status;
        slips += c->slip_count;
        if (spreads > INT_MAX - c->spread_count)
            return out_of_range(impact->contacts, i, "spread_count", c->spread_count,
                                "makes too many rows in all", error);
        spreads += c->spread_count;
    }
    *s = slips;
    *k = spreads;
    if ((*s && !impact->H) || (*k && !impact->spread))
        status = carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                 "H and spread must be given where contacts own columns of them");
    return status;
}

static carom_status check_region(const carom_impact *impact, carom_error *error)
{
    const carom_region *r = impact->region;
    if (r->group_count < 1 || !r->group_start || !r->group_contact)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "region: %d groups with %s offsets and %s contacts; at least one "
                               "group and both arrays are needed",
                               r->group_count, r->group_start ? "given" : "no",
                               r->group_contact ? "given" : "no");
    for (int k = 0; k < r->group_count; k++)
        if (r->group_start[k] < 0 || r->group_start[k + 1] < r->group_start[k])
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "region: group %d reaches from offset %d to %d", k + 1,
                                   r->group_start[k], r->group_start[k + 1]);
    for (int k = 0; k < r->group_count; k++)
        for (int j = r->group_start[k]; j < r->group_start[k + 1]; j++)
            if (r->group_contact[j] < 0 || r->group_contact[j] >= impact->p)
                return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                       "region: group %d names contact %d of %d", k + 1,
                                       r->group_contact[j] + 1, impact->p);
    return CAROM_OK;
}

/* Every array of the statement that is given, one after the other until the culprit is found. */
static carom_status check_arrays(const carom_impact *impact, int s, int k, carom_error *error)
{
    int n = impact->n, p = impact->p;
    const struct {
        const char *name;
        const double *x;
        int rows, columns;
    } arrays[] = {
        {"mass", impact->M, n, impact->mass_is_diagonal ? 1 : n},
        {"velocity", impact->u, n, 1},
        {"normals", impact->W, n, p},
        {"motion of the contacts", impact->w_hat, p, 1},
        {"slip rows", s ? impact->H : NULL, n, s},
        {"motion of the slips", s ? impact->slip_motion : NULL, s, 1},
        {"spread rows", k ? impact->spread : NULL, n, k},
        {"bilateral rows", impact->B, n, impact->m},
        {"motion of the bilateral constraints", impact->b_hat, impact->m, 1},
        {"permanent rows", impact->A, n, impact->a},
        {"motion of the permanent constraints", impact->a_hat, impact->a, 1},
    };
    carom_status status = CAROM_OK;
    for (size_t j = 0; j < sizeof arrays / sizeof *arrays && !status; j++)
        status =
            check_finite(arrays[j].name, arrays[j].x, arrays[j].rows, arrays[j].columns, error);
    return status;
}

/* The same question without names, for a statement without joints and spreads. */
static bool arrays_finite(const carom_impact *impact, int s, int k)
{
    size_t n = (size_t)impact->n, p = (size_t)impact->p;
    return !impact->m && !impact->a && k == 0 &&
           all_finite(impact->M, impact->mass_is_diagonal ? n : n * n) &&
           all_finite(impact->u, n) && all_finite(impact->W, n * p) &&
           all_finite(impact->w_hat, p) &&
           (s == 0 ||
            (all_finite(impact->H, n * (size_t)s) && all_finite(impact->slip_motion, (size_t)s)));
}

carom_status carom_impact_check(const carom_impact *impact, int *slips, int *spreads,
                                carom_error *error)
{
    carom_status status = check_shapes(impact, error);
    int s = 0, k = 0;
    if (!status)
        status = check_contacts(impact, &s, &k, error);
    if (!status && !arrays_finite(impact, s, k))
        status = check_arrays(impact, s, k, error);
    if (!status && !impact->mass_is_diagonal)
        status = check_symmetric(impact, error);
    *slips = s;
    *spreads = k;
    if (!status && impact->region)
        status = check_region(impact, error);
    return status;
}
