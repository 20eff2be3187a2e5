/* Mass properties as such: putting parts together, and what no body can have. */
#include "bodies/moments.h"
#include "carom/need.h"
#include "carom/tolerance.h"

#include <float.h>

/* Parts and whole add up by Steiner's theorem in the distance of the two centres: nothing cancels,
 * however far both are from the origin. */
void carom_mass_add(carom_mass *whole, const carom_mass *part, const carom_pose *at)
{
    CAROM_NEED_OR(, whole, part, at);
    const double *r = at->rotation, *I = part->inertia;
    m3 R = {v3_of(r), v3_of(r + 3), v3_of(r + 6)}, J = {v3_of(I), v3_of(I + 3), v3_of(I + 6)};
    double sum = whole->mass + part->mass, reduced = whole->mass / sum * part->mass;
    v3 d = v3_add(v3_of(at->position), m3_apply(R, v3_of(part->centre)));
    J = m3_times(R, m3_transpose(m3_times(R, J)));
    if (!(whole->mass > 0))
        *whole = (carom_mass){.centre = {d.x, d.y, d.z}};
    d = v3_sub(d, v3_of(whole->centre));
    J = m3_outer(J, -reduced, d, d);
    J.x.x += reduced * v3_norm2(d);
    J.y.y += reduced * v3_norm2(d);
    J.z.z += reduced * v3_norm2(d);
    whole->mass = sum;
    v3_to(v3_along(v3_of(whole->centre), part->mass / sum, d), whole->centre);
    const double entries[9] = {J.x.x, J.x.y, J.x.z, J.x.y, J.y.y, J.y.z, J.x.z, J.y.z, J.z.z};
    for (int k = 0; k < 9; k++)
        whole->inertia[k] += entries[k];
}

/* The eigenvalues of a symmetric matrix, ascending, by Jacobi's rotations. */
static void eigenvalues(const double I[9], double value[3])
{
    double a[3][3] = {{I[0], I[1], I[2]}, {I[1], I[4], I[5]}, {I[2], I[5], I[8]}};
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (a[p][q] == 0)
                    continue;
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                int k = 3 - p - q;
                double app = a[p][p] - t * a[p][q], aqq = a[q][q] + t * a[p][q];
                double akp = c * a[k][p] - s * a[k][q], akq = s * a[k][p] + c * a[k][q];
                a[p][p] = app;
                a[q][q] = aqq;
                a[p][q] = a[q][p] = 0;
                a[k][p] = a[p][k] = akp;
                a[k][q] = a[q][k] = akq;
            }
    for (int k = 0; k < 3; k++)
        value[k] = a[k][k];
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++)
            if (value[k] > value[k + 1]) {
                double keep = value[k];
                value[k] = value[k + 1];
                value[k + 1] = keep;
            }
}

static carom_status check_inertia(const double I[9], carom_error *error)
{
    double size = 0, J[3];
    for (int k = 0; k < 9; k++) {
        if (!isfinite(I[k]))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the inertia has the entry %g; it must be finite", I[k]);
        size = fmax(size, fabs(I[k]));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (fabs(I[i + 3 * j] - I[j + 3 * i]) > CAROM_TOLERANCE_SUM * size)
                return carom_error_set(error, CAROM_ERROR_INPUT,
                                       "the inertia is not symmetric: entries (%d, %d) and (%d, "
                                       "%d) are %g and %g",
                                       i + 1, j + 1, j + 1, i + 1, I[i + 3 * j], I[j + 3 * i]);
    eigenvalues(I, J);
    if (size == 0)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "it has a mass and no inertia; give its inertia, or a shape from "
                               "which it follows");
    if (!(J[0] > 0))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the principal moments of inertia are %g, %g, %g; they must be "
                               "positive",
                               J[0], J[1], J[2]);
    /* Equality is a plate; then the sum is right up to the rounding of the entries. */
    if (J[2] > (J[0] + J[1]) * (1 + CAROM_TOLERANCE_SUM))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the principal moments of inertia are %g, %g, %g; no body has one "
                               "larger than the sum of the others",
                               J[0], J[1], J[2]);
    return CAROM_OK;
}

carom_status carom_mass_check(const carom_mass *mass, int space, carom_error *error)
{
    CAROM_NEED(error, mass);
    if (!(mass->mass > 0) || !isfinite(mass->mass))
        return carom_error_set(error, CAROM_ERROR_INPUT, "the mass is %g; it must be positive",
                               mass->mass);
    for (int k = 0; k < 3; k++)
        if (!isfinite(mass->centre[k]))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "the centre of mass has the coordinate %g; it must be finite",
                                   mass->centre[k]);
    if (space == 2 && !(mass->inertia[8] > 0 && isfinite(mass->inertia[8])))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the moment of inertia is %g; it must be positive",
                               mass->inertia[8]);
    return space == 2 ? CAROM_OK : check_inertia(mass->inertia, error);
}
