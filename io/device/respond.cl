/* The response of a mass to impulses along rows, in twice the digits (doubled.cl stands before this text). RESPONSES:
 * how many rows there are, the contacts where nothing else is said. */
#ifndef RESPONSES
#define RESPONSES P
#endif

/* A pivot that is less than this part of its diagonal is none, and velocities are zero: the square of
 * 2^-36, which leaves 2^-28 to one correction. */
#define NOTHING 0x1p-72

/* Y = M^-1 W and D = W'Y; 0: the mass is none. M: n on the diagonal, or n x n. */
__attribute__((noinline)) static int respond_doubled(const double *M, const double *W, doubled *Y, doubled *D)
{
    int good = 1;
#if MASS_IS_DIAGONAL
    for (int a = 0; a < N; a++) {
        good = good && M[a] > 0.0 && isfinite(M[a]);
        for (int i = 0; i < RESPONSES; i++)
            Y[a + i * N] = W[a + i * N] == 0.0
                               ? (doubled)(0.0, 0.0)
                               : divide((doubled)(W[a + i * N], 0.0), (doubled)(M[a], 0.0));
    }
#else
    doubled A[N * N], L[N * N], C[N * N];
    for (int k = 0; k < N * N; k++)
        A[k] = (doubled)(M[k], 0.0);
    good = factor_doubled(N, A, (1 << N) - 1, NOTHING, L, C) == 0;
    for (int i = 0; i < RESPONSES; i++) {
        for (int a = 0; a < N; a++)
            Y[a + i * N] = (doubled)(W[a + i * N], 0.0);
        solve_doubled(N, L, C, Y + i * N);
    }
#endif
    for (int i = 0; i < RESPONSES; i++)
        for (int j = 0; j < RESPONSES; j++) {
            doubled sum = (doubled)(0.0, 0.0);
            for (int a = 0; a < N; a++)
                sum = add_scaled(sum, W[a + i * N], Y[a + j * N]);
            D[i + j * RESPONSES] = sum;
        }
    return good;
}
