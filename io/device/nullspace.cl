/* Equations that depend on each other: their rank, their shortest solution, and those that keep to conditions
 * (docs/theory/instant.md, "On a device"). */

#ifndef R /* rows are those of contacts where friction has none */
#define R P
#define HAS(set, i) ((set) >> (i) & 1)
#define SUM (64.0 * 2.220446049250313e-16)
#endif

/* Elimination with pivots from the whole matrix; the rank. order: of the columns. */
static int eliminate_whole(double *Q, double *z, int *order)
{
    double whole = 0.0;
    int rank = 0;
    for (int k = 0; k < R * R; k++)
        whole = fmax(whole, fabs(Q[k]));
    for (int k = 0; k < R; k++)
        order[k] = k;
    for (; rank < R; rank++) {
        int row = rank, column = rank;
        double top = 0.0;
        for (int c = rank; c < R; c++)
            for (int r = rank; r < R; r++)
                if (fabs(Q[r + c * R]) > top) {
                    top = fabs(Q[r + c * R]);
                    row = r;
                    column = c;
                }
        if (!(top > SOLVED * whole))
            break;
        for (int c = 0; c < R; c++) {
            const double t = Q[row + c * R];
            Q[row + c * R] = Q[rank + c * R];
            Q[rank + c * R] = t;
        }
        const double t = z[row];
        z[row] = z[rank];
        z[rank] = t;
        for (int r = 0; r < R; r++) {
            const double e = Q[r + column * R];
            Q[r + column * R] = Q[r + rank * R];
            Q[r + rank * R] = e;
        }
        const int o = order[column];
        order[column] = order[rank];
        order[rank] = o;
        for (int r = rank + 1; r < R; r++) {
            const double l = Q[r + rank * R] / Q[rank + rank * R];
            for (int c = rank; c < R; c++)
                Q[r + c * R] -= l * Q[rank + c * R];
            z[r] -= l * z[rank];
        }
    }
    return rank;
}

/* The triangle of the first `rank` rows, for y in place. */
static void substitute(const double *Q, int rank, double *y)
{
    for (int j = rank - 1; j >= 0; j--) {
        y[j] /= Q[j + j * R];
        for (int i = 0; i < j; i++)
            y[i] -= Q[i + j * R] * y[j];
    }
}

static double dot_of(const double *a, const double *b)
{
    double sum = 0.0;
    for (int r = 0; r < R; r++)
        sum += a[r] * b[r];
    return sum;
}

/* The kernel's columns, orthonormal. */
static void find_kernel(const double *Q, int rank, const int *order, double *K)
{
    for (int k = rank; k < R; k++) {
        double y[R], *v = K + (k - rank) * R;
        for (int i = 0; i < R; i++)
            y[i] = i < rank ? Q[i + k * R] : i == k ? -1.0 : 0.0;
        substitute(Q, rank, y);
        for (int i = 0; i < R; i++)
            v[order[i]] = y[i];
        for (int pass = 0; pass < 2; pass++) {
            for (int j = 0; j < k - rank; j++) {
                const double along = dot_of(K + j * R, v);
                for (int i = 0; i < R; i++)
                    v[i] -= along * K[i + j * R];
            }
            const double unit = 1.0 / sqrt(dot_of(v, v));
            for (int i = 0; i < R; i++)
                v[i] *= unit;
        }
    }
}

/* Directions of a kernel and conditions c + G y >= 0 on y, those of a set; condition k is column k of G, of unit
 * length. What no direction changes is not in the set. */
typedef struct {
    double G[R * R], c[R];
    int count, set; /* directions, conditions */
} choice;

/* The entries of a vector of a problem of least squares: one for each direction, and one more. */
#define ENTRIES (R + 1)

/* Factors of the columns in a set with which they come nearest to f. */
static void fit_columns(const double *E, int set, const double *f, double *l)
{
    double Q[ENTRIES * R], T[R * R];
    for (int c = 0; c < R; c++) {
        l[c] = 0.0;
        if (!HAS(set, c))
            continue;
        for (int b = 0; b < R; b++)
            T[b + c * R] = 0.0;
        for (int a = 0; a < ENTRIES; a++)
            Q[a + c * ENTRIES] = E[a + c * ENTRIES];
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < c; b++) {
                double along = 0.0;
                for (int a = 0; a < ENTRIES && HAS(set, b); a++)
                    along += Q[a + b * ENTRIES] * Q[a + c * ENTRIES];
                for (int a = 0; a < ENTRIES && HAS(set, b); a++)
                    Q[a + c * ENTRIES] -= along * Q[a + b * ENTRIES];
                T[b + c * R] += along;
            }
        double squared = 0.0;
        for (int a = 0; a < ENTRIES; a++)
            squared += Q[a + c * ENTRIES] * Q[a + c * ENTRIES];
        T[c + c * R] = sqrt(squared);
        for (int a = 0; a < ENTRIES; a++) {
            Q[a + c * ENTRIES] /= T[c + c * R];
            l[c] += Q[a + c * ENTRIES] * f[a];
        }
    }
    for (int c = R - 1; c >= 0; c--) {
        for (int b = c + 1; b < R && HAS(set, c); b++)
            l[c] -= HAS(set, b) ? T[c + b * R] * l[b] : 0.0;
        l[c] = HAS(set, c) ? l[c] / T[c + c * R] : 0.0;
    }
}

/* What is left of f beside the nearest sum of columns of E with factors >= 0: a column joins while it lies within what
 * is left, those whose factors would be negative leave (C. L. Lawson and R. J. Hanson, Solving Least Squares
 * Problems, chapter 23). A column that is at right angles to what is left up to `least`, or up to that part of its
 * last entry, adds nothing. */
static void leave_cone(const double *E, int all, const double *f, double least, bool of_last, double *left)
{
    double l[R];
    int set = 0, barred = 0; /* barred: rounding alone let them join */
    for (int c = 0; c < R; c++)
        l[c] = 0.0;
    for (int turn = 0; turn < 8 * R; turn++) {
        int join = -1;
        for (int a = 0; a < ENTRIES; a++) {
            left[a] = f[a];
            for (int c = 0; c < R; c++)
                left[a] -= HAS(set, c) ? E[a + c * ENTRIES] * l[c] : 0.0;
        }
        double most = of_last ? least * left[ENTRIES - 1] : least;
        for (int c = 0; c < R; c++) {
            double within = 0.0;
            for (int a = 0; a < ENTRIES && HAS(all & ~set & ~barred, c); a++)
                within += E[a + c * ENTRIES] * left[a];
            join = within > most ? c : join;
            most = fmax(most, within);
        }
        if (join < 0)
            return;
        set |= 1 << join;
        barred |= 1 << join;
        for (int out = join; out >= 0 && set;) {
            double next[R], part = 1.0;
            out = -1;
            fit_columns(E, set, f, next);
            for (int c = 0; c < R; c++)
                if (HAS(set, c) && !(next[c] > 0.0) && l[c] <= part * (l[c] - next[c])) {
                    part = l[c] > 0.0 ? l[c] / (l[c] - next[c]) : 0.0;
                    out = c;
                }
            for (int c = 0; c < R; c++)
                l[c] += HAS(set, c) ? part * (next[c] - l[c]) : 0.0;
            barred = part > 0.0 ? 0 : barred;
            if (out >= 0) {
                l[out] = 0.0;
                set &= ~(1 << out);
            }
        }
    }
}

/* The shortest y that keeps to all conditions, which it is a distance from; 0: there is none. Of the columns (g, -c)
 * the last entry of what is left of (0, 1) beside their cone is 1/(1 + |y|^2), and the others -y of it. */
static int find_shortest(const choice *h, double *y)
{
    double E[ENTRIES * R], f[ENTRIES], left[ENTRIES], far = 0.0;
    for (int k = 0; k < R; k++)
        far = HAS(h->set, k) ? fmax(far, -h->c[k]) : far;
    for (int a = 0; a < ENTRIES; a++)
        f[a] = left[a] = (double)(a == R);
    for (int k = 0; k < R; k++)
        for (int a = 0; a < ENTRIES; a++)
            E[a + k * ENTRIES] = a == R ? -h->c[k] / far : a < h->count ? h->G[a + k * R] : 0.0;
    if (far > 0.0)
        leave_cone(E, h->set, f, SOLVED, true, left);
    double length = far;
    for (int a = 0; a < R; a++) {
        y[a] = a < h->count ? -left[a] / left[R] * far : 0.0;
        length = fmax(length, fabs(y[a]));
    }
    int good = left[R] > SUM;
    for (int k = 0; k < R; k++) { /* where there is none what is left is rounding */
        double at = h->c[k];
        for (int a = 0; a < h->count; a++)
            at += h->G[a + k * R] * y[a];
        good = good && (!HAS(h->set, k) || at >= -SIGN * length);
    }
    return good;
}

/* Does b vary over the directions that all conditions of the set, each at its edge, allow? They allow a cone, on
 * which b does not where b and -b are sums of columns of G with factors >= 0. */
static int varies(const choice *h, int edges, const double *b)
{
    double E[ENTRIES * R], f[ENTRIES], left[ENTRIES], whole = 0.0;
    int any = 0;
    for (int a = 0; a < h->count; a++)
        whole += b[a] * b[a];
    for (int k = 0; k < R; k++)
        for (int a = 0; a < ENTRIES; a++)
            E[a + k * ENTRIES] = a < h->count ? h->G[a + k * R] : 0.0;
    for (int side = 0; side < 2; side++) {
        double squared = 0.0;
        for (int a = 0; a < ENTRIES; a++)
            f[a] = a < h->count ? (side ? b[a] : -b[a]) / sqrt(whole) : 0.0;
        leave_cone(E, edges, f, SOLVED, false, left);
        for (int a = 0; a < ENTRIES; a++)
            squared += left[a] * left[a];
        any = any || sqrt(squared) > HALF;
    }
    return any;
}
