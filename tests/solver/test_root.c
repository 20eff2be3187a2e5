/* Roots in brackets on fixed hard sets: jumps, flat and steep functions, curves on which Newton's
 * method alone runs away or in circles. Every root is known; how often the functions are asked is
 * counted. */
#include "solver/root.h"
#include "solver/trig_roots.h"

#include "check.h"

/* Functions that rise through their root. */
typedef struct rise {
    const char *name;
    double (*f)(double x);
    double root, low, high;
    int most; /* calls */
} rise;

static double line(double x)
{
    return x - 0.3;
}
static double jump(double x)
{
    return x < 0.7 ? -1e-300 : 1e300;
}
static double flat(double x)
{
    return pow(x - 0.1, 9);
}
static double steep(double x)
{
    return expm1(700 * (x - 0.999));
}
static double pole(double x)
{
    return 0.25 - 1 / (8 * x);
}
static double infinite(double x)
{
    return x <= 0 ? -INFINITY : log(x / 1e-200);
}
static double late(double x)
{
    return x - 1e-15;
}
static double hooked(double x)
{
    return x < 0.5 ? -1 - x : sqrt(x - 0.5);
}
static double zero_before(double x)
{
    return x < 0.25 ? -1 : 0;
}

static const rise rises[] = {
    {"line", line, 0.3, 0, 1, 56},
    {"jump", jump, 0.7, -1, 1, 64},
    {"flat", flat, 0.1, -1, 1, 89},
    {"steep", steep, 0.999, -1, 1, 36},
    {"pole", pole, 0.5, 1e-12, 1, 57},
    {"infinite", infinite, 1e-200, 0, 1, 730},
    {"late", late, 1e-15, 0, 1, 55},
    {"hooked", hooked, 0.5, -1, 1, 81},
    {"zero on one side", zero_before, 0.25, 0, 1, 64},
};

typedef struct asked {
    const rise *r;
    int calls;
} asked;

static double ask(void *self, double x)
{
    asked *a = self;
    a->calls++;
    return a->r->f(x);
}

static void test_rises(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t k = 0; k < sizeof rises / sizeof *rises; k++) {
        const rise *r = &rises[k];
        asked a = {.r = r};
        const double x = carom_root_rise(ask, &a, r->low, r->high, 0);
        const bool right = r->f(x) >= 0 && !(r->f(nextafter(x, -INFINITY)) >= 0) &&
                           fabs(x - r->root) <= 4 * DBL_EPSILON * fabs(r->root) + 0x1p-1070;
        if (!right || a.calls > r->most) {
            print_error("%s: %.17g, not %.17g, after %d calls\n", r->name, x, r->root, a.calls);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* Curves whose value and slope are known. */
typedef struct curve {
    const char *name;
    double (*f)(double x, double *slope);
    double root, low, high, sign, from;
    int most;
} curve;

static double away(double x, double *slope)
{
    *slope = 1 / (1 + x * x);
    return atan(x); /* Newton's method from beyond 1.4 leaves for infinity */
}

static double circle(double x, double *slope)
{
    *slope = 3 * x * x - 2;
    return x * x * x - 2 * x + 2; /* 0, 1, 0, 1 ... */
}

static double cusp(double x, double *slope)
{
    *slope = x == 0 ? INFINITY : 1 / (3 * cbrt(x * x));
    return cbrt(x); /* every step doubles the distance */
}

static double triple(double x, double *slope)
{
    *slope = 3 * (x - 0.2) * (x - 0.2);
    return (x - 0.2) * (x - 0.2) * (x - 0.2);
}

static double falling(double x, double *slope)
{
    *slope = -exp(x);
    return 2 - exp(x);
}

static const curve curves[] = {
    {"away", away, 0, -50, 100, -1, 90, 60},
    {"circle", circle, -1.7692923542386314, -3, 1.5, -1, 0, 20},
    {"cusp", cusp, 0, -1, 3, -1, 2, 1200},
    {"triple", triple, 0.2, 0, 1, -1, 0.9, 90},
    {"falling", falling, 0.69314718055994531, 0, 700, 1, 699, 30},
};

typedef struct asked_curve {
    const curve *c;
    int calls;
} asked_curve;

static double ask_curve(void *self, double x, double *slope)
{
    asked_curve *a = self;
    a->calls++;
    return a->c->f(x, slope);
}

static void test_curves(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t k = 0; k < sizeof curves / sizeof *curves; k++) {
        const curve *c = &curves[k];
        asked_curve a = {.c = c};
        double slope;
        const double x = carom_root_newton(ask_curve, &a, c->low, c->high, c->sign, c->from);
        const double off = fabs(x - c->root);
        if (!(off <= 8 * DBL_EPSILON * fabs(c->root) || fabs(c->f(x, &slope)) <= 1e-25) ||
            a.calls > c->most) {
            print_error("%s: %.17g, not %.17g, after %d calls\n", c->name, x, c->root, a.calls);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

enum { EACH = 200, DEGREE = 2 * CAROM_TRIG_DEGREE };

/* The polynomial with the zeros a: the product of sin((x - a_k)/2), whose number is even. */
static void from_zeros(const double *a, carom_trig *p)
{
    double value[16];
    for (int j = 0; j < 16; j++) {
        value[j] = 1;
        for (int k = 0; k < DEGREE; k++)
            value[j] *= 2 * sin((2 * CAROM_PI * j / 16 - a[k]) / 2);
    }
    carom_trig_fit(value, p);
}

static double distance(double x, double y)
{
    const double d = fabs(fmod(x - y, 2 * CAROM_PI));
    return fmin(d, 2 * CAROM_PI - d);
}

/* Eight zeros, some of them pairs `apart`; how many sets are found, each zero within `off` and
 * nothing else. */
static int found(double apart, int pairs, double off)
{
    int right = 0;
    check_random r = {29};
    for (int k = 0; k < EACH; k++) {
        double a[DEGREE], roots[CAROM_TRIG_ROOTS];
        carom_trig p;
        bool ok = true;
        for (int i = 0; i < DEGREE; i++)
            a[i] = 2 * CAROM_PI * (i + check_random_in(&r, 0.2, 0.8)) / DEGREE;
        for (int i = 0; i < pairs; i++)
            a[2 * i + 1] = a[2 * i] + apart;
        from_zeros(a, &p);
        const int count = carom_trig_roots(&p, roots);
        for (int i = 0; i < DEGREE; i++) {
            double nearest = INFINITY;
            for (int j = 0; j < count; j++)
                nearest = fmin(nearest, distance(roots[j], a[i]));
            ok = ok && nearest <= off;
        }
        for (int j = 0; j < count; j++) {
            double nearest = INFINITY;
            for (int i = 0; i < DEGREE; i++)
                nearest = fmin(nearest, distance(roots[j], a[i]));
            ok = ok && nearest <= off;
        }
        right += ok;
    }
    return right;
}

/* A pair d apart is known to the rounding over d, a double zero to its root. */
static void test_circle(void **state)
{
    (void)state;
    assert_int_equal(found(0, 0, 1e-11), EACH);
    assert_int_equal(found(1e-3, 2, 1e-9), EACH);
    assert_int_equal(found(1e-6, 3, 1e-6), EACH);
    assert_int_equal(found(0, 1, 3e-6), EACH);
    assert_int_equal(found(0, 4, 3e-6), EACH);
}

/* Nowhere zero, however near: none is found; zero everywhere: none. */
static void test_no_zeros(void **state)
{
    (void)state;
    double roots[CAROM_TRIG_ROOTS];
    for (int k = 0; k < 12; k++)
        for (int degree = 1; degree <= CAROM_TRIG_DEGREE; degree++) {
            carom_trig p = {.c = {1 + pow(10, -k)}};
            p.c[degree] = cos(k);
            p.s[degree] = sin(k);
            assert_int_equal(carom_trig_roots(&p, roots), 0);
        }
    assert_int_equal(carom_trig_roots(&(carom_trig){{0}, {0}}, roots), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rises),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_no_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
