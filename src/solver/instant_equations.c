/* The equations of one combination of modes (docs/theory/instant.md, "One combination"). */
#include "solver/instant_equations.h"

#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

#include "base/short_loops.h"

void carom_instant_equations_choose(carom_instant_modes *s)
{
    s->m = 0;
    for (int i = 0; i < s->f->p; i++) {
        int r = s->f->row[i];
        if (s->mode[i] == CAROM_MODE_OPEN)
            continue;
        s->equation[s->m++] = r;
        if (s->mode[i] == CAROM_MODE_STICK)
            s->equation[s->m++] = r + 1;
    }
}

void carom_instant_equations_fill(carom_instant_modes *s, const double *u)
{
    const carom_instant *f = s->f;
    int N = f->N, m = s->m, c = 0;
    for (int i = 0; i < f->p; i++) {
        if (s->mode[i] == CAROM_MODE_OPEN)
            continue;
        const double *normal = f->W + (size_t)f->row[i] * N, *slip = normal + N;
        double k = carom_instant_modes_slope(s, i);
        double *R = s->R + (size_t)c * m;
        s->weight[c++] = sqrt(1 + k * k);
        for (int e = 0; e < m; e++)
            R[e] = normal[s->equation[e]] - (k != 0 ? k * slip[s->equation[e]] : 0);
        if (s->mode[i] == CAROM_MODE_STICK) {
            s->weight[c++] = 1;
            for (int e = 0; e < m; e++)
                R[m + e] = slip[s->equation[e]];
        }
    }
    for (int e = 0; e < m; e++)
        s->z[e] = -u[s->equation[e]];
}

/* In the order of the contacts what follows a small pivot is as uncertain as rounding over its
 * square, and a row that is dependent may look as if it were not. */
bool carom_instant_equations_solve(carom_instant_modes *s, int m)
{
    double *R = s->R, *z = s->z;
    s->pivot = 1;
    for (int j = 0; j < m; j++) {
        int best = j;
        for (int i = j + 1; i < m; i++)
            if (fabs(R[i + j * m]) > fabs(R[best + j * m]))
                best = i;
        const double pivot = fabs(R[best + j * m]) / fmax(1, s->weight[j]);
        if (!(pivot > CAROM_TOLERANCE_REGULAR))
            return false;
        s->pivot = pivot < s->pivot ? pivot : s->pivot;
        if (best != j) {
            for (int k = j; k < m; k++) {
                double t = R[j + k * m];
                R[j + k * m] = R[best + k * m];
                R[best + k * m] = t;
            }
            double t = z[j];
            z[j] = z[best];
            z[best] = t;
        }
        for (int i = j + 1; i < m; i++) {
            double l = R[i + j * m] / R[j + j * m];
            if (l == 0)
                continue;
            for (int k = j + 1; k < m; k++)
                R[i + k * m] -= l * R[j + k * m];
            z[i] -= l * z[j];
        }
    }
    for (int j = m - 1; j >= 0; j--) {
        z[j] /= R[j + j * m];
        for (int i = 0; i < j; i++)
            z[i] -= R[i + j * m] * z[j];
    }
    return true;
}

/* Is unknown c the force of its row alone, without friction that comes with it? */
static bool is_plain(const carom_instant_modes *s, int c)
{
    const carom_instant *f = s->f;
    int i = 0;
    while (f->row[i + 1] <= s->equation[c])
        i++;
    return carom_instant_modes_slope(s, i) == 0;
}

/* Are rows a and b, and what is known of their velocities, the same to the last bit? */
static bool is_same(const carom_instant *f, int a, int b)
{
    const struct carom_instant_rows *rows = f->rows;
    const size_t size = sizeof **rows->J * (size_t)rows->n;
    return f->q[a] == f->q[b] && rows->scale[a] == rows->scale[b] &&
           (!rows->rest || rows->rest[a] == rows->rest[b]) &&
           memcmp(rows->J[a], rows->J[b], size) == 0 && memcmp(rows->Y[a], rows->Y[b], size) == 0 &&
           (!rows->low || memcmp(rows->low[a], rows->low[b], size) == 0);
}

int *carom_instant_equations_twins(const carom_instant *f, int *twin)
{
    bool any = false;
    for (int k = 0; k < f->N; k++) {
        twin[k] = 0;
        while (twin[k] < k && !is_same(f, twin[k], k))
            twin[k]++;
        any = any || twin[k] < k;
    }
    return any ? twin : NULL;
}

/* The first unknown whose row is that of unknown c. */
static int owner_of(const carom_instant_modes *s, int c)
{
    for (int o = 0; o < c; o++)
        if (s->twin[s->equation[o]] == s->twin[s->equation[c]] && is_plain(s, c) && is_plain(s, o))
            return o;
    return c;
}

/* Rows that are the same have the same column of W: the forces of their owners are what the
 * equations know, a sum of shares, of which equal ones are the shortest. */
bool carom_instant_equations_solve_shared(carom_instant_modes *s, const double *u)
{
    const int m = s->m, *owner = s->order;
    int kept = 0, to = 0;
    carom_instant_equations_fill(s, u);
    for (int c = 0; c < m; c++) {
        if (owner[c] != c)
            continue;
        for (int e = 0; e < m; e++)
            if (owner[e] == e)
                s->R[to++] = s->R[e + (size_t)c * (size_t)m];
        s->weight[kept] = s->weight[c];
        s->z[kept++] = s->z[c];
    }
    if (!carom_instant_equations_solve(s, kept))
        return false;
    for (int c = m - 1; c >= 0; c--) /* back to their places, behind which they lie */
        s->z[c] = owner[c] == c ? s->z[--kept] : 0;
    for (int o = 0; o < m; o++) {
        int shares = 0;
        for (int c = o; c < m; c++)
            shares += owner[c] == o;
        for (int c = m - 1; c >= o && shares > 1; c--)
            if (owner[c] == o)
                s->z[c] = s->z[o] / shares;
    }
    return true;
}

bool carom_instant_equations_share(carom_instant_modes *s)
{
    bool shared = false;
    for (int c = 0; c < s->m && s->twin; c++) {
        s->order[c] = owner_of(s, c);
        shared = shared || s->order[c] != c;
    }
    return shared;
}
