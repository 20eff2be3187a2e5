/* With K = A + shift I, J = F \ B and R = B \ F, the solution of K_FF x = g is that of
 *
 *     [ K_BB  K_BJ  E_R ] [ x_B ]   [ g_B ]
 *     [ K_JB  K_JJ   0  ] [ x_J ] = [ g_J ],     g_R = 0, x_R = 0:
 *     [ E_R'   0     0  ] [ m_R ]   [  0  ]
 *
 * E_R are unit vectors, m_R the forces that hold x_R. With L L' = K_BB, C = [K_BJ E_R] and
 * V = L^{-1} C the Schur complement is S = diag(K_JJ, 0) - V'V: definite on J, negative definite on
 * R, so that it is factored in two Cholesky steps without pivoting. */
#include "solver/lcp_border.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

enum {
    SMALLEST = 48, /* below this size a new factor is cheaper */
    PART = 4,      /* columns of V at most: kb / PART */
    AT_ONCE = 8    /* new columns at most: kb / AT_ONCE */
};

bool carom_lcp_border_take(carom_lcp_border *b, int n, carom_arena *arena)
{
    size_t m = (size_t)n, c = m / PART + 1;
    *b = (carom_lcp_border){.n = n, .capacity = (int)c};
    b->V = carom_arena_doubles(arena, m * c + 2 * c * c + m + c);
    b->place = carom_arena_array(arena, 2 * m + c, sizeof *b->place);
    if (!b->V || !b->place)
        return false;
    b->G = b->V + m * c;
    b->S = b->G + c * c;
    b->y = b->S + c * c;
    b->h = b->y + m;
    b->slot = b->place + n;
    b->T = b->slot + n;
    return true;
}

void carom_lcp_border_start(carom_lcp_border *b, const double *A, const double *L, const int *F,
                            int k, double shift)
{
    b->A = A;
    b->L = L;
    b->F = F;
    b->shift = shift;
    b->k = b->kb = k;
    b->count = b->come = b->gone = 0;
    for (int i = 0; i < b->n; i++)
        b->place[i] = b->slot[i] = -1;
    for (int a = 0; a < k; a++)
        b->place[F[a]] = a;
}

/* T = the indices that have come, then those that have gone; how many have no column yet, or -1
 * when there are too many of them. */
static int compare(carom_lcp_border *b)
{
    int most = b->kb / PART < b->capacity ? b->kb / PART : b->capacity, fresh = 0;
    b->come = b->gone = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, a = 0; i < b->n; i++) {
            bool in = a < b->k && b->F[a] == i, was = b->place[i] >= 0;
            a += in;
            if (in == was || in == (pass == 1))
                continue;
            if (b->come + b->gone == most)
                return -1;
            b->T[b->come + b->gone] = i;
            *(in ? &b->come : &b->gone) += 1;
            fresh += b->slot[i] < 0;
        }
    return fresh > b->kb / AT_ONCE || b->count + fresh > most ? -1 : fresh;
}

/* The missing columns of V, and G. */
static void extend(carom_lcp_border *b, int fresh)
{
    int kb = b->kb, first = b->count, c = b->capacity;
    double *V = b->V + (size_t)first * (size_t)kb;
    for (int t = 0; t < b->come + b->gone; t++) {
        int j = b->T[t];
        if (b->slot[j] >= 0)
            continue;
        double *Vj = b->V + (size_t)b->count * (size_t)kb;
        memset(Vj, 0, (size_t)kb * sizeof *Vj);
        if (b->place[j] >= 0)
            Vj[b->place[j]] = 1;
        else
            for (int i = 0; i < b->n; i++)
                if (b->place[i] >= 0)
                    Vj[b->place[i]] = b->A[i + (size_t)j * (size_t)b->n];
        b->slot[j] = b->count++;
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, kb, fresh, 1,
                b->L, kb, V, kb);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, b->count, fresh, kb, 1, b->V, kb, V, kb, 0,
                b->G + (size_t)first * (size_t)c, c);
}

/* Entry of G: only its upper triangle is stored. */
static double gram(const carom_lcp_border *b, int i, int j)
{
    int r = b->slot[i], c = b->slot[j];
    return r <= c ? b->G[r + (size_t)c * (size_t)b->capacity]
                  : b->G[c + (size_t)r * (size_t)b->capacity];
}

/* S in the lower triangle: S_JJ = L1 L1', then -S_RR + W'W = L2 L2' with W = L1^{-1} S_JR, which is
 * kept as its transpose below L1. */
static bool factor(carom_lcp_border *b)
{
    int t = b->come + b->gone, come = b->come, gone = b->gone;
    for (int c = 0; c < t; c++)
        for (int r = c; r < t; r++) {
            int i = b->T[r], j = b->T[c];
            double s = gram(b, i, j);
            if (r < come)
                s = b->A[i + (size_t)j * (size_t)b->n] + (r == c ? b->shift : 0) - s;
            else if (c < come)
                s = -s;
            b->S[r + (size_t)c * (size_t)t] = s;
        }
    double *W = b->S + come, *S2 = W + (size_t)come * (size_t)t;
    if (come > 0 && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', come, b->S, t) != 0)
        return false;
    if (come > 0 && gone > 0) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, gone, come, 1,
                    b->S, t, W, t);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, gone, come, 1, W, t, 1, S2, t);
    }
    return gone == 0 || LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', gone, S2, t) == 0;
}

bool carom_lcp_border_change(carom_lcp_border *b, const int *F, int k, double shift)
{
    b->F = F;
    b->k = k;
    if (b->kb < SMALLEST || shift != b->shift)
        return false;
    int fresh = compare(b);
    if (fresh < 0)
        return false;
    if (fresh > 0)
        extend(b, fresh);
    return factor(b);
}

/* h = S^{-1} h with S = [L1; W' L2] diag(1, -1) [.]'. */
static void solve_border(const carom_lcp_border *b, double *h)
{
    int t = b->come + b->gone, come = b->come, gone = b->gone;
    const double *W = b->S + come, *S2 = W + (size_t)come * (size_t)t;
    double *h2 = h + come;
    if (come > 0)
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, come, b->S, t, h, 1);
    if (gone > 0) {
        if (come > 0)
            cblas_dgemv(CblasColMajor, CblasNoTrans, gone, come, -1, W, t, h, 1, 1, h2, 1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, gone, S2, t, h2, 1);
        cblas_dscal(gone, -1, h2, 1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, gone, S2, t, h2, 1);
        if (come > 0)
            cblas_dgemv(CblasColMajor, CblasTrans, gone, come, -1, W, t, h2, 1, 1, h, 1);
    }
    if (come > 0)
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, come, b->S, t, h, 1);
}

void carom_lcp_border_solve(carom_lcp_border *b, double *x)
{
    int kb = b->kb, t = b->come + b->gone;
    double *y = b->y, *h = b->h, *all = h; /* all: t values in the order of T */
    memset(y, 0, (size_t)kb * sizeof *y);
    for (int a = 0; a < b->k; a++)
        if (b->place[b->F[a]] >= 0)
            y[b->place[b->F[a]]] = x[a];
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, kb, b->L, kb, y, 1);
    for (int i = 0; i < t; i++)
        all[i] = -cblas_ddot(kb, b->V + (size_t)b->slot[b->T[i]] * (size_t)kb, 1, y, 1);
    for (int a = 0, i = 0; a < b->k && i < b->come; a++)
        if (b->F[a] == b->T[i])
            all[i++] += x[a];
    solve_border(b, all);
    for (int i = 0; i < t; i++)
        cblas_daxpy(kb, -all[i], b->V + (size_t)b->slot[b->T[i]] * (size_t)kb, 1, y, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, kb, b->L, kb, y, 1);
    for (int a = 0, i = 0; a < b->k; a++)
        x[a] = b->place[b->F[a]] >= 0 ? y[b->place[b->F[a]]] : all[i++];
}
