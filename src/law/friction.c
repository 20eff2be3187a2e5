#include "law/friction.h"

#include "base/arena.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Sign and complementarity tolerance of mode decisions, relative to the size of b and x. */
static const double mode_tolerance = 1e-10;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static carom_status room_take(int p, int N, carom_arena *arena, carom_friction *f,
                              carom_error *error)
{
    size_t ps = (size_t)p, Ns = (size_t)N, numbers = Ns * (Ns + 2) + 2 * ps;
    double *memory = carom_arena_doubles(
        arena, numbers + ((2 * ps + 1) * sizeof(int) + ps * sizeof(bool)) / sizeof(double) + 1);
    if (!memory)
        return carom_error_memory(error);
    f->p = p;
    f->N = N;
    f->A = memory;
    f->b = f->A + Ns * Ns;
    f->scale = f->b + Ns;
    f->mu_s = f->scale + Ns;
    f->mu_d = f->mu_s + ps;
    f->row = (int *)(memory + numbers);
    f->contact = f->row + ps + 1;
    f->equality = (bool *)(f->contact + ps);
    f->row[0] = 0;
    f->sided = false;
    return CAROM_OK;
}

/* The unscaled matrix J'M_c^-1 J; J and Z = M_c^-1 J are pointers to columns. */
static void fill_matrix(const carom_geometry *geo, carom_friction *f, const double **J,
                        const double **Z)
{
    const carom_impact *im = geo->impact;
    int n = im->n;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        J[r] = im->W + (size_t)i * n;
        Z[r] = geo->Y + (size_t)i * n;
        for (int k = r + 1; k < f->row[i + 1]; k++) {
            size_t column = (size_t)(geo->slip_start[i] + k - r - 1) * n;
            J[k] = im->H + column;
            Z[k] = geo->Z + column;
        }
    }
    for (int i = 0; i < f->p; i++)
        for (int j = 0; j <= i; j++)
            for (int r = f->row[i]; r < f->row[i + 1]; r++)
                for (int s = f->row[j]; s < f->row[j + 1] && s <= r; s++) {
                    bool normals = r == f->row[i] && s == f->row[j];
                    double a =
                        normals ? geo->D[i + (size_t)j * f->p] : carom_dense_dot(n, J[r], Z[s]);
                    f->A[r + (size_t)s * f->N] = f->A[s + (size_t)r * f->N] = a;
                }
}

/* Kinetic units: unit diagonal for normals and for the larger of two slips. */
static void scale_rows(carom_friction *f)
{
    int N = f->N;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        double normal = f->A[r + (size_t)r * N], tangent = 0;
        for (int k = r + 1; k < f->row[i + 1]; k++)
            tangent = larger(tangent, f->A[k + (size_t)k * N]);
        f->scale[r] = normal > 0 ? sqrt(normal) : 1;
        if (r + 1 == f->row[i + 1])
            continue;
        double slip = tangent > 0 ? sqrt(tangent) : 1, ratio = slip / f->scale[r];
        for (int k = r + 1; k < f->row[i + 1]; k++)
            f->scale[k] = slip;
        f->mu_s[i] *= ratio;
        f->mu_d[i] *= ratio;
    }
    for (int j = 0; j < N; j++) {
        f->b[j] /= f->scale[j];
        for (int i = 0; i < N; i++)
            f->A[i + (size_t)j * N] /= f->scale[i] * f->scale[j];
    }
}

carom_status carom_friction_state(const carom_geometry *geometry, const carom_friction_data *data,
                                  carom_arena *arena, carom_friction *problem, carom_error *error)
{
    int p = geometry->impact->p, N = 0;
    for (int i = 0; i < p; i++)
        N += 1 + (data->mu_s[i] > 0 ? geometry->slip_start[i + 1] - geometry->slip_start[i] : 0);
    carom_friction f;
    carom_status status = room_take(p, N, arena, &f, error);
    if (status)
        return status;
    for (int i = 0, r = 0; i < p; i++) {
        int start = geometry->slip_start[i];
        int s = data->mu_s[i] > 0 ? geometry->slip_start[i + 1] - start : 0;
        f.row[i] = r;
        f.contact[i] = i;
        f.mu_s[i] = data->mu_s[i];
        f.mu_d[i] = data->mu_d[i] < data->mu_s[i] ? data->mu_d[i] : data->mu_s[i];
        f.equality[i] = data->equality;
        f.b[r] = geometry->gamma[i] + data->normal[i];
        for (int k = 0; k < s; k++)
            f.b[r + 1 + k] = (1 + data->e_t[i]) * geometry->slip[start + k];
        f.row[i + 1] = r += 1 + s;
    }
    carom_mark mark = carom_arena_mark(arena);
    const double **J = carom_arena_array(arena, 2 * (size_t)N, sizeof *J);
    if (!J)
        return carom_error_memory(error);
    fill_matrix(geometry, &f, J, J + N);
    carom_arena_rewind(arena, mark);
    scale_rows(&f);
    f.floor = 1e-14 * geometry->speed;
    *problem = f;
    return CAROM_OK;
}

carom_status carom_friction_part(const carom_friction *problem, int count, const int *which,
                                 carom_arena *arena, carom_friction *part, carom_error *error)
{
    int N = 0;
    for (int k = 0; k < count; k++)
        N += problem->row[which[k] + 1] - problem->row[which[k]];
    carom_friction f;
    carom_status status = room_take(count, N, arena, &f, error);
    if (status)
        return status;
    for (int k = 0; k < count; k++) {
        int i = which[k], rows = problem->row[i + 1] - problem->row[i];
        f.row[k + 1] = f.row[k] + rows;
        f.contact[k] = problem->contact[i];
        f.mu_s[k] = problem->mu_s[i];
        f.mu_d[k] = problem->mu_d[i];
        f.equality[k] = problem->equality[i];
        memcpy(f.b + f.row[k], problem->b + problem->row[i], sizeof *f.b * (size_t)rows);
        memcpy(f.scale + f.row[k], problem->scale + problem->row[i], sizeof *f.b * (size_t)rows);
    }
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            for (int c = 0; c < f.row[l + 1] - f.row[l]; c++) /* rows of k, column c of l */
                memcpy(f.A + f.row[k] + (size_t)(f.row[l] + c) * N,
                       problem->A + problem->row[which[k]] +
                           (size_t)(problem->row[which[l]] + c) * problem->N,
                       sizeof *f.A * (size_t)(f.row[k + 1] - f.row[k]));
    f.floor = problem->floor;
    f.sided = problem->sided;
    *part = f;
    return CAROM_OK;
}

/* Whether any entry of A couples two contacts, beyond rounding (A is in kinetic units). */
static bool coupled(const carom_friction *f, int i, int j)
{
    for (int r = f->row[i]; r < f->row[i + 1]; r++)
        for (int s = f->row[j]; s < f->row[j + 1]; s++)
            if (fabs(f->A[r + (size_t)s * f->N]) > 1e-14)
                return true;
    return false;
}

int carom_friction_components(const carom_friction *problem, int *group)
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

void carom_friction_velocity(const carom_friction *problem, const double *x, double *xi)
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

double carom_friction_size(const carom_friction *problem, const double *x)
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
static void own_velocity(const carom_friction *f, const double *x, int i, double xi[3])
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

/* Violation of Coulomb's law: either stick within mu_s or slip against the motion with mu_d.
 * With finite mu the weakest of "velocity off", "impulse off the direction of the velocity" and
 * "velocity off the direction of the impulse" counts: near the edge of the cone these descriptions
 * are one, and where slip only just starts the last alone is not the rounding of a direction. */
static double friction_violation(int s, const double *x, const double *xi, double mu_s, double mu_d)
{
    double force = length(s, x + 1), speed = length(s, xi + 1), normal = larger(x[0], 0);
    double limit = isinf(mu_s) ? (normal > 0 ? INFINITY : 0) : mu_s * normal;
    double stick = larger(speed, (force - limit) / (1 + (isinf(mu_s) ? 0 : mu_s)));
    if (isinf(mu_d) || speed == 0)
        return stick;
    double off[2] = {0}, across[2] = {0}, along = 0;
    for (int k = 0; k < s; k++) {
        off[k] = x[k + 1] + mu_d * normal * xi[k + 1] / speed;
        along -= force > 0 ? x[k + 1] * xi[k + 1] / force : 0;
    }
    for (int k = 0; k < s; k++)
        across[k] = xi[k + 1] + (along > 0 ? along * x[k + 1] / force : 0);
    double slip = length(s, off) / (1 + mu_d);
    double edge = larger(length(s, across), fabs(force - mu_d * normal) / (1 + mu_d));
    double least = slip < edge ? slip : edge;
    return least < stick ? least : stick;
}

double carom_friction_residual(const carom_friction *problem, const double *x)
{
    double worst = 0, size = carom_friction_size(problem, x);
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
            double law = friction_violation(s, x + r, xi, problem->mu_s[i], problem->mu_d[i]);
            worst = larger(law < none ? law : none, worst);
        }
    }
    return worst / size;
}

double carom_friction_error(const carom_friction *problem, const double *x)
{
    double excess = 1e-3 * carom_friction_size(problem, x) / carom_friction_size(problem, NULL);
    return carom_friction_residual(problem, x) * (excess > 1 ? excess : 1);
}

void carom_friction_modes(const carom_friction *problem, const double *x, carom_mode *mode)
{
    double tol = mode_tolerance * carom_friction_size(problem, x);
    for (int i = 0; i < problem->p; i++) {
        int r = problem->row[i], s = problem->row[i + 1] - r - 1;
        double xi[3] = {0};
        own_velocity(problem, x, i, xi);
        if (x[r] <= tol && length(s, x + r + 1) <= tol)
            mode[i] = CAROM_MODE_OPEN;
        else if (s == 0)
            mode[i] = CAROM_MODE_CLOSED;
        else if (length(s, xi + 1) <= tol)
            mode[i] = CAROM_MODE_STICK;
        else if (s == 2)
            mode[i] = CAROM_MODE_SLIP;
        else
            mode[i] = xi[1] > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
    }
}

void carom_friction_change(const carom_friction *problem, const carom_geometry *geometry,
                           const double *from, const double *to, carom_outcome *outcome)
{
    for (int i = 0; i < problem->p; i++) {
        int r = problem->row[i], c = problem->contact[i];
        outcome->impulse[c] += (to[r] - (from ? from[r] : 0)) / problem->scale[r];
        for (int k = r + 1, j = geometry->slip_start[c]; k < problem->row[i + 1]; k++, j++)
            outcome->tangential_impulse[j] += (to[k] - (from ? from[k] : 0)) / problem->scale[k];
    }
}

void carom_friction_store(const carom_friction *problem, const carom_geometry *geometry,
                          const double *x, carom_outcome *outcome)
{
    carom_friction_change(problem, geometry, NULL, x, outcome);
}
