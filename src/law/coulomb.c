/* States the frictional impact problem and knows its residual. */
#include "law/coulomb.h"
#include "base/larger.h"
#include "carom/tolerance.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Sign and complementarity tolerance of mode decisions, relative to the size of b and x. */
static const double mode_tolerance = 1e-10;

/* Whether any entry of A couples two contacts, beyond rounding (A is in kinetic units). */
static bool coupled(const carom_coulomb *f, int i, int j)
{
    for (int r = f->row[i]; r < f->row[i + 1]; r++)
        for (int s = f->row[j]; s < f->row[j + 1]; s++)
            if (fabs(f->A[r + (size_t)s * f->N]) > 1e-14)
                return true;
    return false;
}

int carom_coulomb_components(const carom_coulomb *problem, int *group)
{
    int p = problem->p, count = 0;
    for (int i = 0; i < p; i++)
        group[i] = -1;
    for (int seed = 0; seed < p; seed++) {
        if (group[seed] >= 0)
            continue;
        group[seed] = count;
        for (bool grew = true; grew;) {
            grew = false;
            for (int i = seed; i < p; i++)
                for (int j = seed + 1; group[i] == count && j < p; j++)
                    if (group[j] < 0 && coupled(problem, i, j)) {
                        group[j] = count;
                        grew = grew || j < i;
                    }
        }
        count++;
    }
    return count;
}

void carom_coulomb_velocity(const carom_coulomb *problem, const double *x, double *xi)
{
    enum { SMALL = 12 };
    int N = problem->N;
    if (N <= SMALL && !problem->sided) { /* A is symmetric: its columns serve as rows */
        for (int i = 0; i < N; i++)
            xi[i] = problem->b[i] + carom_dense_dot(N, problem->A + (size_t)i * N, x);
        return;
    }
    memcpy(xi, problem->b, sizeof *xi * (size_t)N);
    for (int j = 0; j < N; j++) {
        const double *Aj = problem->A + (size_t)j * N;
        if (x[j] != 0)
            for (int i = 0; i < N; i++)
                xi[i] += Aj[i] * x[j];
    }
}

double carom_coulomb_size(const carom_coulomb *problem, const double *x)
{
    double size = problem->floor;
    for (int i = 0; i < problem->N; i++)
        size = larger(fabs(problem->b[i]), size);
    for (int i = 0; x && i < problem->N; i++)
        size = larger(fabs(x[i]), size);
    return size;
}

/* Rows of contact i of xi = A x + b, recomputed: no trust in stored velocities. Where A is
 * symmetric its columns serve as rows. */
static void own_velocity(const carom_coulomb *f, const double *x, int i, double xi[3])
{
    for (int r = f->row[i], k = 0; r < f->row[i + 1]; r++, k++) {
        xi[k] = f->b[r];
        if (!f->sided)
            xi[k] += carom_dense_dot(f->N, f->A + (size_t)r * f->N, x);
        for (int j = 0; f->sided && j < f->N; j++)
            xi[k] += f->A[r + (size_t)j * f->N] * x[j];
    }
}

/* |x| of one or two numbers. */
static double length(int s, const double *x)
{
    return s == 1 ? fabs(x[0]) : s == 2 ? hypot(x[0], x[1]) : 0;
}

/* Violations of Coulomb's law by the two descriptions of a contact that pushes. */
typedef struct violation {
    double stick, slip;
} violation;

/* Stick within mu_s, and slip against the motion with mu_d. With finite mu the weaker of "impulse
 * off the direction of the velocity" and "velocity off the direction of the impulse" counts for
 * slip: where it only just starts the last alone is not the rounding of a direction. */
static violation friction_violation(int s, const double *x, const double *xi, double mu_s,
                                    double mu_d)
{
    double force = length(s, x + 1), speed = length(s, xi + 1), normal = larger(x[0], 0);
    /* without bound it takes a normal impulse that is more than rounding of the tangential one */
    const bool pushes = normal > CAROM_TOLERANCE_SIGN * force;
    double limit = isinf(mu_s) ? (pushes ? INFINITY : 0) : mu_s * normal;
    violation v = {larger(speed, (force - limit) / (1 + (isinf(mu_s) ? 0 : mu_s))), INFINITY};
    if (isinf(mu_d) || speed == 0)
        return v;
    double off[2] = {0}, across[2] = {0}, along = 0;
    for (int k = 0; k < s; k++) {
        off[k] = x[k + 1] + mu_d * normal * xi[k + 1] / speed;
        along -= force > 0 ? x[k + 1] * xi[k + 1] / force : 0;
    }
    for (int k = 0; k < s; k++)
        across[k] = xi[k + 1] + (along > 0 ? along * x[k + 1] / force : 0);
    double slip = length(s, off) / (1 + mu_d);
    double edge = larger(length(s, across), fabs(force - mu_d * normal) / (1 + mu_d));
    v.slip = slip < edge ? slip : edge;
    return v;
}

double carom_coulomb_residual(const carom_coulomb *problem, const double *x)
{
    double worst = 0, size = carom_coulomb_size(problem, x);
    for (int i = 0; i < problem->N; i++)
        if (!isfinite(x[i]))
            return INFINITY;
    if (size == 0)
        return 0;
    for (int i = 0; i < problem->p; i++) {
        int r = problem->row[i], s = problem->row[i + 1] - r - 1;
        double xi[3] = {0};
        own_velocity(problem, x, i, xi);
        double normal = problem->equality[i] || xi[0] < x[r] ? fabs(xi[0]) : fabs(x[r]);
        worst = larger(larger(normal, -x[r]), worst);
        if (s) { /* a contact without impulse owes no friction law */
            double none = larger(fabs(x[r]), length(s, x + r + 1));
            violation v = friction_violation(s, x + r, xi, problem->mu_s[i], problem->mu_d[i]);
            double law = v.slip < v.stick ? v.slip : v.stick; /* near the edge they are one */
            worst = larger(law < none ? law : none, worst);
        }
    }
    return worst / size;
}

double carom_coulomb_miss(const carom_coulomb *problem, const double *x)
{
    const double given = carom_coulomb_size(problem, NULL);
    const double miss = carom_coulomb_residual(problem, x) * carom_coulomb_size(problem, x);
    return miss > 0 && given > 0 ? miss / given : 0;
}

bool carom_coulomb_satisfied(const carom_coulomb *problem, const double *x)
{
    const double given = carom_coulomb_size(problem, NULL), miss = carom_coulomb_miss(problem, x);
    const double rounding = given > 0 && !carom_coulomb_settles(problem)
                                ? CAROM_TOLERANCE_REFINED * carom_coulomb_size(problem, x) / given
                                : 0;
    return carom_coulomb_residual(problem, x) <= CAROM_TOLERANCE_SIGN &&
           miss <= CAROM_TOLERANCE_SAME + rounding && miss <= CAROM_TOLERANCE_HALF;
}

/* Does a contact that pushes stick? Its slip is nothing beside the velocities given, or the point
 * is nearer to sticking than to any slip: xi has the rounding of impulses, which may be far larger.
 */
static bool sticks(const carom_coulomb *f, int i, const double *x, const double *xi)
{
    const int s = f->row[i + 1] - f->row[i] - 1;
    const violation v = friction_violation(s, x, xi, f->mu_s[i], f->mu_d[i]);
    return length(s, xi + 1) <= mode_tolerance * carom_coulomb_size(f, NULL) || v.stick <= v.slip;
}

void carom_coulomb_modes(const carom_coulomb *problem, const double *x, carom_mode *mode)
{
    double tol = mode_tolerance * carom_coulomb_size(problem, x);
    for (int i = 0; i < problem->p; i++) {
        int r = problem->row[i], s = problem->row[i + 1] - r - 1;
        double xi[3] = {0};
        own_velocity(problem, x, i, xi);
        if (x[r] <= tol && length(s, x + r + 1) <= tol)
            mode[i] = CAROM_MODE_OPEN;
        else if (s == 0)
            mode[i] = CAROM_MODE_CLOSED;
        else if (sticks(problem, i, x + r, xi))
            mode[i] = CAROM_MODE_STICK;
        else if (s == 2)
            mode[i] = CAROM_MODE_SLIP;
        else
            mode[i] = xi[1] > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
    }
}

void carom_coulomb_modes_tried(const carom_coulomb *problem, const double *x,
                               const unsigned char *code, carom_mode *mode)
{
    const double rounding = CAROM_TOLERANCE_SUM * carom_coulomb_size(problem, x);
    carom_coulomb_modes(problem, x, mode);
    for (int i = 0; i < problem->p; i++) {
        double xi[3] = {0};
        if (mode[i] != CAROM_MODE_STICK || code[i] < CAROM_MODE_SLIP_PLUS)
            continue;
        own_velocity(problem, x, i, xi);
        if (length(problem->row[i + 1] - problem->row[i] - 1, xi + 1) > rounding)
            mode[i] = (carom_mode)code[i];
    }
}

void carom_coulomb_store(const carom_coulomb *problem, const carom_geometry *geometry,
                         const double *x, carom_outcome *outcome)
{
    for (int i = 0; i < problem->p; i++) {
        int r = problem->row[i], c = problem->contact[i];
        outcome->impulse[c] += x[r] / problem->scale[r];
        for (int k = r + 1, j = geometry->slip_start[c]; k < problem->row[i + 1]; k++, j++)
            outcome->tangential_impulse[j] += x[k] / problem->scale[k];
    }
}
