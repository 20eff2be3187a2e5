/* Impacts with friction of planar contacts (docs/theory/coulomb.md, instant.md): every combination
 * of the modes of p contacts, one linear system each,
 *   xi = A x + b,   0 <= xi_N, 0 <= x_N, xi_N x_N = 0,
 *   xi_T = 0 and |x_T| <= mu_s x_N,   or   x_T = -mu_d x_N sign(xi_T),
 * in kinetic units. Rows 2 i and 2 i + 1 are the normal and the slip of contact i; a contact without
 * friction has a slip row of zeros. A combination is a number of two bits a contact. Rows that take
 * no part in a system are those of the unit matrix, so that all loops have constant lengths. */

#define R (2 * P)
#define OPEN 0
#define STICK 1 /* closed, where there is no friction */
#define PLUS 2
#define MINUS 3
#define MODE(combination, i) ((combination) >> (2 * (i)) & 3)
#define HAS(set, i) ((set) >> (i) & 1)
#define SLIP_NUMBER(i) popcount(SLIPPING & ((1 << (i)) - 1))
#define EPSILON 2.220446049250313e-16
#define SUM (64.0 * EPSILON)

typedef struct {
    double A[R * R], b[R], scale[R], mu_s[P], mu_d[P];
    double size, least; /* of b; below this it is rounding */
    int taking, rough;  /* sets of contacts: those that take part, those with friction */
} problem;

/* What a combination leads to. */
typedef struct {
    double x[R], xi[R], norm, violation;
    int combination;
} outcome;

static inline double size_with(const problem *f, const double *x)
{
    double size = f->size;
    EACH(r, R) size = fmax(size, fabs(x[r]));
    return size;
}

/* x_T = -slope x_N of a contact that slides. */
static inline double slope_of(const problem *f, int combination, int i)
{
    const int mode = MODE(combination, i);
    return mode == PLUS ? f->mu_d[i] : mode == MINUS ? -f->mu_d[i] : 0.0;
}

/* Is there a row r? Slips of contacts without friction are none. */
static inline int is_row(const problem *f, int r)
{
    return !(r & 1) || HAS(f->rough, r >> 1);
}

/* Does row r take part in the equations of a combination? */
static inline int is_equation(const problem *f, int combination, int r)
{
    const int mode = MODE(combination, r >> 1);
    return r & 1 ? mode == STICK && is_row(f, r) : mode != OPEN;
}

/* The matrix of a combination, column by column. */
static inline void fill(const problem *f, int combination, double *Q)
{
    EACH(c, R) {
        const double slope = c & 1 ? 0.0 : slope_of(f, combination, c >> 1);
        const int own = is_equation(f, combination, c);
        EACH(r, R) {
            double entry = f->A[r + c * R];
            if (!(c & 1))
                entry -= slope != 0.0 ? slope * f->A[r + (c | 1) * R] : 0.0;
            Q[r + c * R] = own && is_equation(f, combination, r) ? entry : r == c ? 1.0 : 0.0;
        }
    }
}

static inline double weight_of(const problem *f, int combination, int c)
{
    const double slope = c & 1 ? 0.0 : slope_of(f, combination, c >> 1);
    return sqrt(1.0 + slope * slope);
}

/* Q z = z by elimination, the largest entry of a column as pivot; 0: a pivot is small. */
static inline int eliminate(const problem *f, int combination, double *Q, double *z)
{
    int good = 1;
    EACH(j, R) {
        AFTER(i, j, R) {
            const int other = fabs(Q[i + j * R]) > fabs(Q[j + j * R]);
            EACH(c, R) {
                const double a = Q[j + c * R], b = Q[i + c * R];
                Q[j + c * R] = other ? b : a;
                Q[i + c * R] = other ? a : b;
            }
            const double a = z[j], b = z[i];
            z[j] = other ? b : a;
            z[i] = other ? a : b;
        }
        good = good && fabs(Q[j + j * R]) > REGULAR * weight_of(f, combination, j);
        const double inverse = 1.0 / Q[j + j * R];
        AFTER(i, j, R) {
            const double l = Q[i + j * R] * inverse;
            AFTER(c, j, R) Q[i + c * R] -= l * Q[j + c * R];
            z[i] -= l * z[j];
        }
        Q[j + j * R] = inverse;
    }
    EACH(back, R) {
        const int j = R - 1 - back;
        AFTER(c, j, R) z[j] -= Q[j + c * R] * z[c];
        z[j] *= Q[j + j * R];
    }
    return good;
}

/* Impulses of the unknowns of a combination, those that slide with their friction. */
static inline void impulses_of(const problem *f, int combination, const double *z, double *x)
{
    EACH(i, P) {
        const int slides = MODE(combination, i) >= PLUS;
        x[2 * i] = z[2 * i];
        x[2 * i + 1] = slides ? -slope_of(f, combination, i) * z[2 * i] : z[2 * i + 1];
    }
}

static inline void velocities_of(const problem *f, const double *x, const double *b, double *xi)
{
    EACH(r, R) {
        xi[r] = b[r];
        EACH(c, R) xi[r] += f->A[r + c * R] * x[c];
    }
}

/* The two conditions of a contact, each >= 0; those of velocities are marked. */
static inline void conditions(const problem *f, int combination, int i, const double *x,
                              const double *xi, double *one, double *two, int *velocities)
{
    const int mode = MODE(combination, i);
    const double normal = x[2 * i], tangent = x[2 * i + 1];
    *one = *two = mode == OPEN ? xi[2 * i] : normal;
    *velocities = mode == OPEN ? 3 : mode >= PLUS ? 2 : 0;
    if (mode == STICK && HAS(f->rough, i) && !isinf(f->mu_s[i])) {
        const double unit = 1.0 / (1.0 + f->mu_s[i]);
        *one = (f->mu_s[i] * normal - tangent) * unit;
        *two = (f->mu_s[i] * normal + tangent) * unit;
    } else if (mode >= PLUS) {
        *two = mode == PLUS ? xi[2 * i + 1] : -xi[2 * i + 1];
    }
}

/* Do all conditions hold? (src/solver/instant_modes.c, holds) */
static inline int holds(const problem *f, outcome *o, double tolerance, double slow)
{
    int good = 1;
    o->violation = 0.0;
    EACH(i, P) {
        double one, two;
        int velocities;
        conditions(f, o->combination, i, o->x, o->xi, &one, &two, &velocities);
        good = good && one >= (velocities & 1 ? -slow : -tolerance) &&
               two >= (velocities & 2 ? -slow : -tolerance);
        o->violation = fmax(o->violation, fmax(-one, -two));
        if (MODE(o->combination, i) == STICK && HAS(f->rough, i) && isinf(f->mu_s[i]))
            good = good && !(o->x[2 * i] <= tolerance && fabs(o->x[2 * i + 1]) > tolerance);
    }
    return good;
}

/* What z is worth. *tolerance: of forces. */
static inline int judge(const problem *f, const double *z, outcome *o, double *tolerance)
{
    impulses_of(f, o->combination, z, o->x);
    velocities_of(f, o->x, f->b, o->xi);
    const double size = size_with(f, o->x);
    *tolerance = SIGN * size + f->least;
    return holds(f, o, *tolerance, fmax(SIGN * f->size, SUM * size) + f->least);
}

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

/* The nearest y with c0 + c y >= 0 for all conditions that it changes, along one direction of the kernel; 0: none,
 * or one that it does not change is missed. K: the direction, in impulses of the unknowns; *seen: the conditions
 * that it changes, two bits a contact. */
static int find_nearest(const problem *f, const outcome *o, const double *K, double tolerance,
                        double *y, int *seen)
{
    double low = -INFINITY, high = INFINITY, x[R], xi[R], nothing[R];
    int good = 1;
    *seen = 0;
    for (int r = 0; r < R; r++)
        nothing[r] = 0.0;
    impulses_of(f, o->combination, K, x);
    velocities_of(f, x, nothing, xi);
    for (int i = 0; i < P; i++) {
        double at[2], along[2];
        int velocities;
        conditions(f, o->combination, i, o->x, o->xi, &at[0], &at[1], &velocities);
        conditions(f, o->combination, i, x, xi, &along[0], &along[1], &velocities);
        for (int k = 0; k < 2; k++) {
            const double c0 = fabs(at[k]) <= tolerance ? 0.0 : at[k];
            *seen |= (fabs(along[k]) > SOLVED) << (2 * i + k);
            if (along[k] > SOLVED)
                low = fmax(low, -c0 / along[k]);
            else if (along[k] < -SOLVED)
                high = fmin(high, -c0 / along[k]);
            else
                good = good && c0 >= 0.0;
        }
    }
    *y = fmax(low, fmin(high, 0.0));
    return good && low <= high;
}

/* z moved along the directions of a kernel until all conditions hold: 1. Directions that change conditions of their
 * own (bodies apart) decide each for itself, 0: there is no such z. Others in turn; -1: that did not find one. */
static int find_inside(const problem *f, outcome *o, const double *K, int count, double *z, double tolerance)
{
    int valid = 0, apart = 1;
    for (int turn = 0; turn < (count > 1 ? 8 : 1) && !valid; turn++) {
        int before = 0;
        for (int k = 0; k < count; k++) {
            double far;
            int seen;
            const int good = find_nearest(f, o, K + k * R, tolerance, &far, &seen);
            apart = apart && !(before & seen);
            before |= seen;
            if (!good && count == 1)
                return 0;
            for (int i = 0; i < R && isfinite(far); i++)
                z[i] += far * K[i + k * R];
            valid = judge(f, z, o, &tolerance);
        }
    }
    return valid ? 1 : apart ? 0 : -1;
}

/* Does a direction of the kernel change velocities? */
static int moves(const problem *f, int combination, const double *K)
{
    double x[R], xi[R], nothing[R];
    int any = 0;
    for (int r = 0; r < R; r++)
        nothing[r] = 0.0;
    impulses_of(f, combination, K, x);
    velocities_of(f, x, nothing, xi);
    for (int r = 0; r < R; r++)
        any = any || fabs(xi[r]) > HALF * (1.0 + f->size);
    return any;
}

/* A combination whose equations depend on each other: its shortest impulses, where numbers to choose do not act on
 * the same contacts or the shortest of all will do. -1: that is not decided here. */
static int try_dependent(const problem *f, outcome *o)
{
    double Q[R * R], K[R * R], z[R], y[R], weight[R], tolerance;
    int order[R];
    fill(f, o->combination, Q);
    for (int c = 0; c < R; c++) {
        weight[c] = weight_of(f, o->combination, c);
        for (int r = 0; r < R; r++) {
            Q[r + c * R] /= weight[c];
            Q[r + c * R] = fabs(Q[r + c * R]) <= SOLVED ? 0.0 : Q[r + c * R];
        }
        y[c] = is_equation(f, o->combination, c) ? -f->b[c] : 0.0;
    }
    const int rank = eliminate_whole(Q, y, order);
    for (int r = rank; r < R; r++)
        if (fabs(y[r]) > SAME * f->size + f->least)
            return 0;
    find_kernel(Q, rank, order, K);
    substitute(Q, rank, y);
    for (int i = 0; i < R; i++)
        z[order[i]] = i < rank ? y[i] : 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < R - rank; k++) {
            const double along = dot_of(K + k * R, z);
            for (int i = 0; i < R; i++)
                z[i] -= along * K[i + k * R];
        }
    for (int i = 0; i < R; i++) {
        z[i] /= weight[i];
        for (int k = 0; k < R - rank; k++)
            K[i + k * R] /= weight[i];
    }
    int valid = judge(f, z, o, &tolerance);
    if (!valid && rank < R)
        valid = find_inside(f, o, K, R - rank, z, tolerance);
    for (int k = 0; k < R - rank && valid; k++)
        if (moves(f, o->combination, K + k * R))
            return -1;
    return valid;
}

/* Does a combination hold? -1: that is not decided here. */
static inline int try_modes(const problem *f, int combination, outcome *o)
{
    double Q[R * R], z[R], tolerance;
    int valid;
    o->combination = combination;
    fill(f, combination, Q);
    EACH(r, R) z[r] = is_equation(f, combination, r) ? -f->b[r] : 0.0;
    if (eliminate(f, combination, Q, z))
        valid = judge(f, z, o, &tolerance);
    else
        valid = try_dependent(f, o);
    if (valid <= 0)
        return valid;
    EACH(i, P) { /* without a normal impulse there is none at all */
        const int pushes = o->x[2 * i] > 0.0;
        o->x[2 * i] = pushes ? o->x[2 * i] : 0.0;
        o->x[2 * i + 1] = pushes ? o->x[2 * i + 1] : 0.0;
    }
    velocities_of(f, o->x, f->b, o->xi);
    double squared = 0.0;
    EACH(r, R) squared += o->x[r] * o->x[r];
    o->norm = sqrt(squared);
    return 1;
}

/* Modes that are tried: one of who takes no part, two of a smooth contact and of infinite friction, else four. */
static inline int is_tried(const problem *f, int combination)
{
    int tried = 1;
    EACH(i, P) {
        const int slides = MODE(combination, i) >= PLUS;
        tried = tried && !(slides && (!HAS(f->rough, i) || isinf(f->mu_d[i]))) &&
                (HAS(f->taking, i) || MODE(combination, i) == OPEN);
    }
    return tried;
}

/* Static friction goes before: a combination that slips where the same contacts can stick, the
 * others in the same modes, is none. */
static inline int is_overruled(const problem *f, const uint *valid, int combination)
{
    int set = 0;
    EACH(i, P)
        set |= (MODE(combination, i) >= PLUS && f->mu_d[i] < f->mu_s[i]) << i;
    for (int sub = set; sub > 0; sub = (sub - 1) & set) {
        int sticks = combination;
        EACH(i, P) sticks = HAS(sub, i) ? (sticks & ~(3 << (2 * i))) | STICK << (2 * i) : sticks;
        if (HAS(valid[sticks >> 5], sticks & 31))
            return 1;
    }
    return 0;
}

/* A solution beside the best so far: the same motion, or another. */
static inline void compare(const problem *f, const outcome *new, outcome *best, int *found,
                           int *several)
{
    const double size = size_with(f, new->x);
    double squared = 0.0;
    int better = !*found;
    EACH(r, R) squared += (new->xi[r] - best->xi[r]) * (new->xi[r] - best->xi[r]);
    if (*found && sqrt(squared) <= SAME * size) {
        const double rounding = 4.0 * R * EPSILON * size;
        better = new->violation < best->violation - rounding ||
                 (new->violation <= best->violation + rounding &&
                  new->norm < best->norm * (1.0 - SAME));
    } else if (*found) {
        *several = 1;
        better = new->norm < best->norm;
    }
    if (better)
        *best = *new;
    *found = 1;
}

/* 0, NONE, SEVERAL or FAILED; the outcome of least impulse. */
static inline int decide_modes(const problem *f, outcome *best)
{
    enum { ALL = 1 << (2 * P) };
    uint valid[(ALL + 31) / 32];
    int statics = 0, found = 0, several = 0;
    outcome o;
    EACH(i, P) statics = statics || (HAS(f->rough, i) && f->mu_d[i] < f->mu_s[i]);
    for (int k = 0; k < (ALL + 31) / 32; k++)
        valid[k] = 0;
    for (int pass = statics ? 0 : 1; pass < 2; pass++)
        _Pragma("unroll 1") for (int combination = 0; combination < ALL; combination++) {
            if (!is_tried(f, combination))
                continue;
            if (pass == 1 && statics &&
                (!HAS(valid[combination >> 5], combination & 31) ||
                 is_overruled(f, valid, combination)))
                continue;
            const int held = try_modes(f, combination, &o);
            if (held < 0)
                return FAILED;
            if (held && pass == 0)
                valid[combination >> 5] |= 1u << (combination & 31);
            else if (held)
                compare(f, &o, best, &found, &several);
        }
    return !found ? NONE : several ? SEVERAL : 0;
}
