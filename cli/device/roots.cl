/* The first root of polynomials. */

/* Loops that are written out have one length, whatever loop they are in. */
#define FROM(i) (WRITTEN_OUT ? 0 : (i))

/* b_i = sum over k <= i of C(i,k)/C(ORDER,k) a_k w^k: the coefficients in Bernstein form of a
 * polynomial on [lo, lo + w]. */
static void bernstein(const double *a, double lo, double w, double *b)
{
    double power = 1.0, choose = 1.0;
    FEW
    EACH(k, TERMS) b[k] = a[k];
    if (lo > 0.0) {
        FEW
        for (int i = 0; i < ORDER; i++) {
            FEW
            for (int j = ORDER - 1; j >= FROM(i); j--)
                b[j] = j >= i ? b[j] + lo * b[j + 1] : b[j];
        }
    }
    FEW
    for (int k = 0; k < TERMS; k++) {
        b[k] *= power * (1.0 / choose); /* of a number that is known where loops are written out */
        power *= w;
        choose *= (double)(ORDER - k) / (double)(k + 1);
    }
    FEW
    for (int i = 1; i < TERMS; i++) {
        FEW
        for (int j = ORDER; j >= FROM(i); j--)
            b[j] = j >= i ? b[j] + b[j > 0 ? j - 1 : 0] : b[j];
    }
}

static double value(const double *a, double x, double *slope)
{
    double y = a[ORDER], d = 0.0;
    FEW
    for (int k = ORDER - 1; k >= 0; k--) {
        d = d * x + y;
        y = y * x + a[k];
    }
    *slope = d;
    return y;
}

/* The root between lo, where the polynomial is positive, and hi. */
static double polish(const double *a, double lo, double hi)
{
    double x = 0.5 * (lo + hi), slope;
    for (int round = 0; round < 80; round++) {
        const double y = value(a, x, &slope);
        if (y > 0.0)
            lo = x;
        else
            hi = x;
        double next = x - y / slope;
        if (!(next >= lo && next <= hi))
            next = 0.5 * (lo + hi);
        const double moved = fabs(next - x);
        x = next;
        if (y == 0.0 || moved <= 2.0 * ROUNDING * x)
            break;
    }
    return x;
}

/* A polynomial that vanishes where it starts, divided by its argument. */
static void divide_out(double *a)
{
    FEW
    for (int k = 0; k < ORDER; k++)
        a[k] = a[k + 1];
    a[ORDER] = 0.0;
}

/* The first root in [0, 1] of a polynomial that starts positive, 2.0: none; 0.0 if it starts
 * negative. Zeros at its start do not count, and dips below zero of less than rounding are none. */
static APART double first_root(double *a)
{
    double least = a[0], size = fabs(a[0]), b[TERMS];
    FEW
    for (int k = 1; k < TERMS; k++) {
        least += fmin(a[k], 0.0);
        size += fabs(a[k]);
    }
    if (size == 0.0)
        return 2.0;
    while (a[0] == 0.0)
        divide_out(a);
    if (a[0] < 0.0)
        return 0.0;
    if (least > 0.0)
        return 2.0;
    const double noise = 16.0 * ROUNDING * size, narrow = 1.0 / (1 << 26);
    double lo = 0.0, w = 1.0;
    for (int round = 0; round < 400 && lo < 1.0; round++) {
        bernstein(a, lo, w, b);
        double lowest = b[0];
        int changes = 0;
        bool positive = b[0] > 0.0;
        FEW
        for (int k = 1; k < TERMS; k++) {
            lowest = fmin(lowest, b[k]);
            if (b[k] != 0.0 && (b[k] > 0.0) != positive) {
                changes++;
                positive = !positive;
            }
        }
        if (changes == 1 && b[0] > 0.0)
            return polish(a, lo, lo + w);
        if (changes == 0 || lowest >= -noise) {
            lo += w;
            while (w < 1.0 && fmod(lo, 2.0 * w) == 0.0)
                w *= 2.0;
        } else if (w <= narrow) {
            return lo;
        } else {
            w *= 0.5;
        }
    }
    return 2.0;
}

/* A coefficient that vanishes does so over any step, however long. */
static double times(double a, double power)
{
    return a == 0.0 ? 0.0 : a * power;
}

/* A gap along a step, made ready for first_root: the zeros where it starts divided out, as many as
 * are known (fresh), or one where rounding has put it. */
static void prepare_gap(const double *g, int fresh, double h, double *a)
{
    double power = 1.0;
    if (fresh == 0 && g[0] <= 0.0 && g[1] >= 0.0)
        fresh = 1;
    FEW
    EACH(k, TERMS) a[k] = g[k];
    for (int zero = 0; zero < fresh; zero++)
        divide_out(a);
    FEW
    EACH(k, TERMS)
    {
        a[k] = times(a[k], power);
        power *= h;
    }
}

/* The same of a force, which is not negative where the step starts, but for rounding. */
static void prepare_force(const double *force, double weak, double h, double *a)
{
    double power = 1.0;
    FEW
    EACH(k, TERMS)
    {
        a[k] = times(force[k], power);
        power *= h;
    }
    a[0] += FRICTION || a[0] <= weak ? weak : 0.0;
}

/* The root of a gap whose zeros were divided out, put where the gap itself vanishes. */
static double put_on_gap(const double *g, double s)
{
    double slope;
    const double off = value(g, s, &slope) / slope;
    return fabs(off) < 0.25 * s ? s - off : s;
}
