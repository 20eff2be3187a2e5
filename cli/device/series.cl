/* Arithmetic of truncated power series: coefficient k of a result from coefficients 0 ... k of its
 * arguments (docs/theory/series.md). What the system is made of follows this text. */
#if __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define TERMS (ORDER + 1)
typedef double series[TERMS];

/* Parts of a model that are asked for with its motion. */
#define CONTACTS 1
#define ENERGY 2

/* A parameter that is zero switches its term off, whatever that is: also where it is no number. */
static double scaled(double parameter, double term)
{
    return parameter == 0.0 ? 0.0 : parameter * term;
}

/* sum over j of a_j b_(k-j) */
static double product(const double *a, const double *b, int k)
{
    double sum = 0.0;
    for (int j = 0; j <= k; j++)
        sum += a[j] * b[k - j];
    return sum;
}

static double square(const double *a, int k)
{
    double sum = 0.0;
    for (int j = 0; 2 * j < k; j++)
        sum += a[j] * a[k - j];
    sum *= 2.0;
    return k % 2 == 0 ? sum + a[k / 2] * a[k / 2] : sum;
}

/* y = a/b: y_k = (a_k - sum over j < k of y_j b_(k-j))/b_0 */
static double quotient(double a_k, const double *b, const double *y, int k)
{
    for (int j = 0; j < k; j++)
        a_k -= y[j] * b[k - j];
    return a_k / b[0];
}

/* y = sqrt(a): y y = a. Without a negative zero, as on the CPU. */
static double root(const double *a, const double *y, int k)
{
    if (k == 0)
        return sqrt(a[0]) + 0.0;
    double sum = a[k];
    for (int j = 1; j < k; j++)
        sum -= y[j] * y[k - j];
    return sum / (2.0 * y[0]);
}

/* y' = f a': k y_k = sum over j of j a_j f_(k-j) */
static double chain(const double *f, const double *a, int k)
{
    double sum = 0.0;
    for (int j = 1; j <= k; j++)
        sum += (double)j * a[j] * f[k - j];
    return sum / (double)k;
}

/* The same where a grows evenly: a_j = 0 for j > 1. */
static double even_chain(const double *f, const double *a, int k)
{
    return a[1] * f[k - 1] * (1.0 / (double)k);
}

/* y = a^e: a y' = e y a' */
static double real_power(const double *a, double e, const double *y, int k)
{
    if (k == 0)
        return pow(a[0], e);
    double sum = 0.0;
    for (int j = 1; j <= k; j++)
        sum += ((double)j * (e + 1.0) - (double)k) * a[j] * y[k - j];
    return sum / ((double)k * a[0]);
}

/* Functions of parameters alone, as the CPU computes them. */
static double square_of(double a)
{
    return a * a;
}

static double power_of(double a, double k)
{
    int n = (int)fabs(k);
    double a2 = a * a, r = n & 1 ? a : 1.0;
    r = n & 2 ? r * a2 : r;
    r = n & 4 ? r * (a2 * a2) : r;
    r = n & 8 ? r * ((a2 * a2) * (a2 * a2)) : r;
    return k < 0.0 ? 1.0 / r : r;
}

static double sech_of(double a)
{
    return 1.0 / cosh(a);
}

static double sign_of(double a)
{
    return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a;
}

static double side_of(double a)
{
    return a < 0.0 ? -1.0 : isnan(a) ? a : 1.0;
}

static double least_of(double a, double b)
{
    return a <= b ? a : b < a ? b : NAN;
}

static double most_of(double a, double b)
{
    return a >= b ? a : b > a ? b : NAN;
}

static double is_less(double a, double b)
{
    return isunordered(a, b) ? NAN : a < b ? 1.0 : 0.0;
}

static double is_at_most(double a, double b)
{
    return isunordered(a, b) ? NAN : a <= b ? 1.0 : 0.0;
}

static double is_equal(double a, double b)
{
    return isunordered(a, b) ? NAN : a == b ? 1.0 : 0.0;
}

static double select_of(double a, double b, double c)
{
    return isnan(a) ? a : a != 0.0 ? b : c;
}
