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

static void one_contact(int d, bool free, const double *x, const double *xi, double *F, double *C,
                        double *B)
{
    memset(C, 0, 9 * sizeof *C);
    memset(B, 0, 9 * sizeof *B);
    double p = x[0] - xi[0];
    if (!free && p <= 0) { /* open */
        memcpy(F, x, (size_t)d * sizeof *F);
        unit(d, 0, B);
        return;
    }
    memcpy(F, xi, (size_t)d * sizeof *F);
    C[0] = 1;
    double z[3] = {0, 0, 0};
    for (int k = 1; k < d; k++)
        z[k] = x[k] - xi[k];
    double norm = d == 3 ? sqrt(z[1] * z[1] + z[2] * z[2]) : fabs(z[1]);
    if (free || norm <= p)
        unit(d, 1, C);
    else
        slide(d, p, z, norm, x, F, C, B);
}

double carom_friction_map_evaluate(const carom_friction_island *island, const double *x,
                                   const double *xi, double *F, double *C, double *B)
{
    double sum = 0;
    for (int i = 0; i < island->contacts; i++) {
        int row = island->row[i];
        one_contact(carom_friction_island_rows(island, i), island->free[i], x + row, xi + row,
                    F + row, C + 9 * i, B + 9 * i);
    }
    for (int k = 0; k < island->n; k++)
        sum += F[k] * F[k];
    return sqrt(sum);
}
