/* What the statements of all impacts share: arrays by entries, and the response of the mass. Before
 * this text: N, P, ROWS, MASS_IS_DIAGONAL, what is the same for all (SAME_...), what is there (HAS_...) and
 * wanted (WANT_...), and tolerances. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Loops are written out, so that numbers stay in registers, but for structures whose program would
 * be too long for that. */
#if WRITTEN_OUT
#define EACH(i, count) _Pragma("unroll") for (int i = 0; i < (count); i++)
#define AFTER(i, first, count) _Pragma("unroll") for (int i = (first) + 1; i < (count); i++)
#else
#define EACH(i, count) _Pragma("unroll 1") for (int i = 0; i < (count); i++)
#define AFTER(i, first, count) _Pragma("unroll 1") for (int i = (first) + 1; i < (count); i++)
#endif
#define GET(array, same, entry) ((array)[(same) ? (entry) : (entry) * stride + k])

/* The arguments of the kernels, in the order of io/device/device.h. */
#define IN  __global const double *restrict
#define OUT __global double *restrict
#define ARGUMENTS                                                                                  \
    const long count, const long stride, IN mass, IN velocity, IN normals, IN motion,              \
        IN restitution, IN slips, IN slip_motion, IN friction, IN own, OUT out_velocity,           \
        OUT out_normal, OUT out_impulse, OUT out_energy, OUT out_slip, OUT out_tangential,         \
        __global uchar *restrict answer, __global uchar *restrict verdict

/* Y = M^-1 J of the rows of an impact; 0: the mass is none. */
static inline int accelerate(IN mass, long k, long stride, const double *J, double *Y)
{
    int good = 1;
#if MASS_IS_DIAGONAL
    EACH(a, N) {
        const double m = GET(mass, SAME_MASS, a);
        good = good && m > 0.0 && isfinite(m);
        const double lightness = 1.0 / m;
        EACH(i, ROWS) Y[a + i * N] = J[a + i * N] * lightness;
    }
#else
    double C[N * N];
    EACH(b, N) EACH(a, N) C[a + b * N] = GET(mass, SAME_MASS, a + b * N);
    EACH(b, N) EACH(a, b) {
        const double one = C[a + b * N], other = C[b + a * N];
        good = good && (fabs(one - other) <= CARRIED * (fabs(one) + fabs(other)) ||
                        fabs(one - other) <= ROUNDING * sqrt(fabs(C[a + a * N] * C[b + b * N])));
    }
    EACH(b, N) {
        double pivot = C[b + b * N];
        EACH(c, b) pivot -= C[b + c * N] * C[b + c * N];
        good = good && pivot > 0.0 && isfinite(pivot);
        C[b + b * N] = 1.0 / sqrt(pivot > 0.0 ? pivot : 1.0);
        AFTER(a, b, N) {
            double sum = C[a + b * N];
            EACH(c, b) sum -= C[a + c * N] * C[b + c * N];
            C[a + b * N] = sum * C[b + b * N];
        }
    }
    EACH(i, ROWS) {
        double *y = Y + i * N;
        EACH(a, N) {
            y[a] = J[a + i * N];
            EACH(c, a) y[a] -= C[a + c * N] * y[c];
            y[a] *= C[a + a * N];
        }
        EACH(back, N) {
            const int a = N - 1 - back;
            AFTER(c, a, N)
                y[a] -= C[c + a * N] * y[c];
            y[a] *= C[a + a * N];
        }
    }
#endif
    return good;
}

