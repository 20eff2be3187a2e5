/* Alart and Curnier's equations of an island and their generalised derivative. */
#include "solver/friction_map.h"

#include <math.h>
#include <string.h>

/* The diagonal blocks of rows from k on: all of C (F = xi) or all of B (F = x). */
static void unit(int d, int from, double *block)
{
    for (int k = from; k < d; k++)
        block[k + k * d] = 1;
}

/* Sliding: F_T = x_T - p n with p = x_N - xi_N and n the direction of z = x_T - xi_T. */
static void slide(int d, double p, const double *z, double norm, const double *x, double *F,
                  double *C, double *B)
{
    double n[3] = {0, 0, 0};
    for (int k = 1; k < d; k++)
        n[k] = z[k] / norm;
    for (int i = 1; i < d; i++) {
        F[i] = x[i] - p * n[i];
        B[i] = -n[i];
        C[i] = n[i];
        for (int j = 1; j < d; j++) {
            double turn = p / norm * ((i == j) - n[i] * n[j]);
            B[i + j * d] = (i == j) - turn;
            C[i + j * d] = turn;
        }
    }
}

static double tangent_norm(int d, const double *z)
{
    return d == 3 ? sqrt(z[1] * z[1] + z[2] * z[2]) : d == 2 ? fabs(z[1]) : 0;
}

/* The mode of a contact at x, xi, with z = x - xi. */
static carom_mode mode_of(int d, bool free, const double *z)
{
    if (free)
        return CAROM_MODE_STICK;
    return z[0] <= 0                    ? CAROM_MODE_OPEN
           : tangent_norm(d, z) <= z[0] ? CAROM_MODE_STICK
                                        : CAROM_MODE_SLIP;
}

static void one_contact(int d, carom_mode mode, const double *x, const double *xi, double *F,
                        double *C, double *B)
{
    memset(C, 0, 9 * sizeof *C);
    memset(B, 0, 9 * sizeof *B);
    if (mode == CAROM_MODE_OPEN) {
        memcpy(F, x, (size_t)d * sizeof *F);
        unit(d, 0, B);
        return;
    }
    double z[3] = {0, 0, 0};
    for (int k = 0; k < d; k++)
        z[k] = x[k] - xi[k];
    double norm = tangent_norm(d, z);
    memcpy(F, xi, (size_t)d * sizeof *F);
    C[0] = 1;
    if (mode == CAROM_MODE_STICK || !(norm > 0))
        unit(d, 1, C);
    else
        slide(d, z[0], z, norm, x, F, C, B);
}

void carom_friction_map_in_modes(const carom_friction_island *island, const carom_mode *mode,
                                 const double *x, const double *xi, double *F, double *C, double *B)
{
    for (int i = 0; i < island->contacts; i++) {
        int row = island->row[i];
        one_contact(carom_friction_island_rows(island, i), mode[i], x + row, xi + row, F + row,
                    C + 9 * i, B + 9 * i);
    }
}

double carom_friction_map_evaluate(const carom_friction_island *island, const double *x,
                                   const double *xi, double *F, double *C, double *B)
{
    double sum = 0;
    for (int i = 0; i < island->contacts; i++) {
        int d = carom_friction_island_rows(island, i), row = island->row[i];
        double z[3] = {0, 0, 0};
        for (int k = 0; k < d; k++)
            z[k] = x[row + k] - xi[row + k];
        one_contact(d, mode_of(d, island->free[i], z), x + row, xi + row, F + row, C + 9 * i,
                    B + 9 * i);
    }
    for (int k = 0; k < island->n; k++)
        sum += F[k] * F[k];
    return sqrt(sum);
}
