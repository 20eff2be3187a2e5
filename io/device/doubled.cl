/* Numbers of twice the working precision, as src/linalg/doubled.h has them: x is the sum rounded, y what
 * is left of it. */
typedef double2 doubled;

static inline doubled exact_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return (doubled)(s, (a - (s - t)) + (b - t));
}

static inline doubled exact_product(double a, double b)
{
    const double p = a * b;
    return (doubled)(p, fma(a, b, -p));
}

static inline doubled add(doubled a, doubled b)
{
    doubled s = exact_sum(a.x, b.x);
    const doubled t = exact_sum(a.y, b.y);
    s = exact_sum(s.x, s.y + t.x);
    return exact_sum(s.x, s.y + t.y);
}

static inline doubled multiply(doubled a, doubled b)
{
    const doubled p = exact_product(a.x, b.x);
    return exact_sum(p.x, p.y + (a.x * b.y + a.y * b.x));
}

/* sum - a b */
static inline doubled take_away(doubled sum, doubled a, doubled b)
{
    return add(sum, -multiply(a, b));
}

/* sum + w a */
static inline doubled add_scaled(doubled sum, double w, doubled a)
{
    return w == 0.0 ? sum : add(sum, multiply((doubled)(w, 0.0), a));
}

static inline doubled divide(doubled a, doubled b)
{
    const double q = a.x / b.x;
    doubled r = take_away(a, b, (doubled)(q, 0.0));
    const double q2 = r.x / b.x;
    r = take_away(r, b, (doubled)(q2, 0.0));
    return add(exact_sum(q, q2), (doubled)(r.x / b.x, 0.0));
}

/* L diag(C) L' = A within the rows of a set, n x n; C holds the pivots on its diagonal and L times them
 * below, L its own below. A pivot of less than `nothing` of its diagonal is none: the row is left out,
 * and the set of those that are left out is returned. */
static int factor_doubled(int n, const doubled *A, int set, double nothing, doubled *L, doubled *C)
{
    int out = 0;
    for (int j = 0; j < n; j++) {
        doubled pivot = A[j + j * n];
        for (int l = 0; l < j; l++)
            pivot = take_away(pivot, L[j + l * n], C[j + l * n]);
        const bool in = set >> j & 1, none = !(pivot.x > nothing * A[j + j * n].x);
        out |= (in && none) << j;
        C[j + j * n] = in && !none ? pivot : (doubled)(0.0, 0.0);
        for (int i = j + 1; i < n; i++) {
            doubled sum = (doubled)(0.0, 0.0);
            if (in && !none && (set >> i & 1)) {
                sum = A[i + j * n];
                for (int l = 0; l < j; l++)
                    sum = take_away(sum, L[i + l * n], C[j + l * n]);
            }
            C[i + j * n] = sum;
            L[i + j * n] = sum.x == 0.0 ? sum : divide(sum, C[j + j * n]);
        }
    }
    return out;
}

/* x becomes A^-1 x within the rows that have a pivot, zero elsewhere. */
static void solve_doubled(int n, const doubled *L, const doubled *C, doubled *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            x[i] = take_away(x[i], L[i + j * n], x[j]);
    for (int i = n - 1; i >= 0; i--) {
        const bool in = C[i + i * n].x > 0.0;
        x[i] = in ? divide(x[i], C[i + i * n]) : (doubled)(0.0, 0.0);
        for (int j = i + 1; j < n && in; j++)
            x[i] = take_away(x[i], L[j + i * n], x[j]);
    }
}
