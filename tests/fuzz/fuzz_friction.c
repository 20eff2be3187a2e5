/* Fuzzing of the reader of friction problems and of the solver behind it. Not part of the default
 * build; .ci/gates/80-fuzz runs it.
 *
 * Checked besides the absence of crashes: errors have a text; the residual told is that of r again,
 * from r alone, and small where the problem is called solved; a proof of infeasibility is one: y >=
 * 0 on the normals, 0 on the tangents, q'y < 0 and W'y nothing that rounding would not leave. */
#include "carom/fclib.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 48 };

static void demand(int condition)
{
    if (!condition)
        abort();
}

static bool stop_early(void *self, int iterations, double residual)
{
    (void)self;
    (void)residual;
    return iterations < 300;
}

/* W's columns by differences of velocities; free: q. */
static void measure(const carom_friction_problem *p, carom_arena *arena, double free[ROWS],
                    double W[ROWS][ROWS])
{
    int n = carom_friction_problem_rows(p);
    double e[ROWS] = {0};
    demand(carom_friction_problem_velocity(p, e, arena, free, NULL, NULL) == CAROM_OK);
    for (int j = 0; j < n; j++) {
        e[j] = 1;
        demand(carom_friction_problem_velocity(p, e, arena, W[j], NULL, NULL) == CAROM_OK);
        e[j] = 0;
        for (int k = 0; k < n; k++)
            W[j][k] -= free[k];
    }
}

/* y'W for every column of a reaction that can act: no more than the rounding of W, whose entries
 * are sums of terms as large as sqrt(W_kk W_jj), and of the differences. */
static void check_ray(const carom_friction_problem *p, const double *y, carom_arena *arena)
{
    int n = carom_friction_problem_rows(p), row = 0;
    double free[ROWS], W[ROWS][ROWS], product = 0;
    bool carries[ROWS];
    for (int i = 0; i < p->contacts; i++)
        for (int k = 0, d = carom_friction_problem_rows_at(p, i); k < d; k++, row++) {
            demand(k == 0 ? y[row] >= 0 : y[row] == 0);
            carries[row] = k == 0 || (p->mu && p->mu[i] > 0);
        }
    measure(p, arena, free, W);
    for (int k = 0; k < n; k++)
        product += y[k] * free[k];
    demand(product < 0);
    for (int j = 0; j < n; j++) {
        double sum = 0, size = 0;
        for (int k = 0; k < n && carries[j]; k++) {
            sum += y[k] * W[j][k];
            size += y[k] * (sqrt(fabs(W[k][k])) * sqrt(fabs(W[j][j])) + fabs(W[j][k] + free[k]) +
                            fabs(free[k]));
        }
        demand(!(fabs(sum) > 1024 * DBL_EPSILON * size));
    }
}

static void try_solve(const carom_friction_problem *p, carom_arena *arena)
{
    double r[ROWS], u[ROWS], ray[ROWS], residual;
    carom_friction_options options = {.watch = stop_early};
    carom_friction_info info = {0};
    carom_error error = {0};
    if (carom_friction_problem_solve(p, &options, arena, r, u, ray, &info, &error) != CAROM_OK) {
        demand(error.text[0]);
        return;
    }
    demand(carom_friction_problem_residual(p, r, arena, NULL, &residual, NULL) == CAROM_OK);
    /* summed in another order for small problems */
    demand(residual == info.residual || /* infinite, where numbers overflow */
           fabs(residual - info.residual) <= 64 * DBL_EPSILON * (1 + residual));
    demand(info.outcome != CAROM_FRICTION_SOLVED || residual <= 1e-8);
    if (info.outcome == CAROM_FRICTION_INFEASIBLE)
        check_ray(p, ray, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    carom_arena *arena;
    carom_fclib file;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, NULL) != CAROM_OK)
        return 0;
    if (carom_fclib_read_text((const char *)data, size, arena, &file, &error) != CAROM_OK)
        demand(error.text[0] && error.line >= 0);
    else if (carom_friction_problem_rows(&file.problem) <= ROWS && !file.problem.bilateral)
        try_solve(&file.problem, arena);
    carom_arena_destroy(arena);
    return 0;
}
