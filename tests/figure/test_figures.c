/* Figures: all draw, well-formed, the same bytes twice, and their points are where theory has them,
 * read back from the document itself. */
#include "carom/figure.h"
#include "check.h"
#include "svg_read.h"

#include <stdlib.h>

typedef struct drawn {
    char *text;
    size_t size;
} drawn;

static char *draw(const char *name, size_t *size)
{
    drawn made = {0};
    carom_error error = {0};
    check_ok(carom_figure_draw(name, NULL, &made.text, &made.size, &error), &error);
    assert_int_equal(strlen(made.text), made.size);
    *size = made.size;
    return made.text;
}

static void test_all_draw(void **state)
{
    (void)state;
    assert_true(carom_figure_count() > 10);
    for (int k = 0; k < carom_figure_count(); k++) {
        const carom_figure *figure = carom_figure_at(k);
        assert_ptr_equal(carom_figure_find(figure->name), figure); /* names are unique */
        assert_null(strpbrk(figure->title, "`_^\n"));
        assert_true(strlen(figure->source) > 10);
        size_t size, again;
        char *text = draw(figure->name, &size), *other = draw(figure->name, &again);
        assert_int_equal(size, again);
        assert_memory_equal(text, other, size);
        const char *wrong = svg_well_formed(text);
        if (wrong)
            print_error("%s: %s\n", figure->name, wrong);
        assert_null(wrong);
        assert_non_null(strstr(text, figure->title));
        assert_non_null(strstr(text, "Source: "));
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf "));
        assert_true(size < 200000);
        /* nothing is drawn outside the picture */
        double width = svg_number(text, " width=\""), height = svg_number(text, " height=\"");
        check_close(width, 640, 0);
        assert_true(height > 200 && height < 700);
        if (!svg_inside(text, width, height))
            print_error("%s: something is outside\n", figure->name);
        assert_true(svg_inside(text, width, height));
        free(text);
        free(other);
    }
    assert_null(carom_figure_at(-1));
    assert_null(carom_figure_at(carom_figure_count()));
    assert_null(carom_figure_find("np-9"));
    char *none = NULL;
    size_t size = 0;
    carom_error error = {0};
    assert_int_equal(carom_figure_draw("np-9", NULL, &none, &size, &error), CAROM_ERROR_ARGUMENT);
    assert_null(none);
    assert_non_null(strstr(error.text, "np-9"));
}

/* The checker itself finds what it looks for. */
static void test_checker(void **state)
{
    (void)state;
    assert_null(svg_well_formed("<a b=\"1\"><c/>x &amp; y</a>\n"));
    assert_non_null(svg_well_formed("<a><b></a></b>"));
    assert_non_null(svg_well_formed("<a>x & y</a>"));
    assert_non_null(svg_well_formed("<a b=1></a>"));
    assert_non_null(svg_well_formed("<a b=\"<\"></a>"));
    assert_non_null(svg_well_formed("<a></a><b></b>"));
    assert_non_null(svg_well_formed("<a>"));
    assert_non_null(svg_well_formed("<a b=\"1\" b=\"2\"></a>"));
    assert_true(svg_inside("<line x1=\"2\" y1=\"3\"/>", 10, 10));
    assert_false(svg_inside("<line x1=\"12\" y1=\"3\"/>", 10, 10));
    assert_false(svg_inside("<polyline points=\"1,2 3,-4\"/>", 10, 10));
}

typedef struct counter {
    int calls, fail_at, live;
} counter;

static void *failing_resize(void *self, void *memory, size_t size)
{
    counter *c = self;
    if (size == 0) {
        c->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (c->calls++ == c->fail_at)
        return NULL;
    c->live += memory == NULL;
    return realloc(memory, size);
}

/* Every figure, with memory ending at every 1st, 2nd, ... allocation. */
static void test_out_of_memory(void **state)
{
    (void)state;
    for (int k = 0; k < carom_figure_count(); k++) {
        const char *name = carom_figure_at(k)->name;
        for (int fail_at = 0;; fail_at += fail_at < 12 ? 1 : fail_at / 4) {
            counter c = {0, fail_at, 0};
            carom_allocator allocator = {failing_resize, &c};
            char *text = NULL;
            size_t size = 0;
            carom_error error = {0};
            carom_status status = carom_figure_draw(name, &allocator, &text, &size, &error);
            if (status == CAROM_OK) {
                failing_resize(&c, text, 0);
                assert_int_equal(c.live, 0);
                break;
            }
            assert_int_equal(status, CAROM_ERROR_MEMORY);
            assert_null(text);
            assert_int_equal(c.live, 0);
        }
    }
}

/* ---- Natsiavas and Paraskevopoulos: curves against the closed form, written out here ---- */

/* a = b = m = v = 1: log x = k t/c - (1 + k/c)(1 - e^(-ct))/c, c = 0: kt^2/2 - t. */
static double closed_x(double k, double c, double t)
{
    return c > 0 ? exp(k * t / c - (1 + k / c) / c * -expm1(-c * t)) : exp(k * t * t / 2 - t);
}

static double closed_u(double k, double c, double t)
{
    double rate = c > 0 ? (1 - exp(-c * t)) * k / c - exp(-c * t) : k * t - 1;
    return closed_x(k, c, t) * rate;
}

/* The exit: log x = 0 again, by bisection. */
static double closed_exit(double k, double c)
{
    double low = 1e-6, high = 10 / k;
    while (closed_u(k, c, low) < 0)
        low *= 1.01;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        if (closed_x(k, c, middle) < 1)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void check_curves(const char *name, int count, const double *k, const double *c,
                         bool velocity)
{
    size_t size;
    char *text = draw(name, &size);
    svg_plot plot;
    assert_true(svg_plot_find(text, &plot));
    const char *at = plot.after;
    for (int i = 0; i < count; i++) {
        double xy[2 * SVG_POINTS];
        int points = svg_next_curve(&plot, &at, xy);
        assert_true(points > 100);
        for (int n = 0; n < points; n++) {
            double t = xy[2 * n];
            double expected = velocity ? closed_u(k[i], c[i], t) : closed_x(k[i], c[i], t);
            /* 0.005 pixels of rounding in both directions, and the slope */
            check_close(xy[2 * n + 1], expected, 8e-4);
        }
        check_close(xy[0], 0, 1e-4);
        check_close(xy[2 * points - 2], closed_exit(k[i], c[i]), 2e-4);
    }
    free(text);
}

static void test_np_1(void **state)
{
    (void)state;
    const double k[] = {0.5, 1, 2, 5}, none[] = {0, 0, 0, 0};
    const double one[] = {1, 1, 1, 1, 1}, c[] = {0, 0.5, 1, 2, 5};
    check_curves("np-1a", 4, k, none, false);
    check_curves("np-1b", 4, k, none, true);
    check_curves("np-1c", 5, one, c, false);
    check_curves("np-1d", 5, one, c, true);
}

/* t_f and e_N = k t_f - 1 over c. In 2a every curve is followed by its limit, in 2b by e_P. */
static void test_np_2(void **state)
{
    (void)state;
    const double k[] = {0.5, 1, 2, 5};
    for (int panel = 0; panel < 2; panel++) {
        size_t size;
        char *text = draw(panel ? "np-2b" : "np-2a", &size);
        svg_plot plot;
        assert_true(svg_plot_find(text, &plot));
        const char *at = plot.after;
        for (int i = 0; i < 4; i++) {
            double xy[2 * SVG_POINTS], other[2 * SVG_POINTS];
            int points = svg_next_curve(&plot, &at, xy);
            int others = svg_next_curve(&plot, &at, other);
            assert_true(points > 90 && others >= 2);
            for (int n = 0; n < points; n++) {
                double t_f = closed_exit(k[i], xy[2 * n]);
                check_close(xy[2 * n + 1], panel ? k[i] * t_f - 1 : t_f, 1e-3);
            }
            if (panel == 0)
                check_close(other[1], 1 / k[i], 1e-4);
            else
                for (int n = 0; n < others; n++) /* the same at c = 0, else a little larger */
                    assert_true(other[2 * n + 1] > xy[2 * n + 1] - 2e-4 &&
                                other[2 * n + 1] < xy[2 * n + 1] + 0.05);
            if (panel && k[i] == 1) /* c = 1: 0.6095 with the force as it stands */
                check_close(other[2 * 20 + 1], 0.6095, 2e-4);
        }
        free(text);
    }
}

/* The last curve is the closed form; the others tend to it. */
static void test_np_3(void **state)
{
    (void)state;
    const double e_N[] = {0.5756, 0.5909, 0.5935, 0.5936};
    for (int panel = 0; panel < 2; panel++) {
        size_t size;
        char *text = draw(panel ? "np-3b" : "np-3a", &size);
        svg_plot plot;
        assert_true(svg_plot_find(text, &plot));
        const char *at = plot.after;
        double before = 1e9;
        for (int i = 0; i < 4; i++) {
            double xy[2 * SVG_POINTS], far = 0;
            int points = svg_next_curve(&plot, &at, xy);
            assert_true(points > 100);
            for (int n = 0; n < points && panel == 0; n++)
                far = fmax(far, fabs(xy[2 * n + 1] - closed_x(1, 1, xy[2 * n])));
            if (panel == 0) {
                assert_true(far < before);
                before = far;
            } else {
                check_close(xy[2 * points - 1], e_N[i], 3e-4);
            }
        }
        if (panel == 0)
            assert_true(before < 4e-4);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checker), cmocka_unit_test(test_all_draw),
        cmocka_unit_test(test_np_1),    cmocka_unit_test(test_np_2),
        cmocka_unit_test(test_np_3),    cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
