/* Figures: all draw, well-formed, the same bytes twice, and their points are where theory has them,
 * read back from the document itself. */
#include "check.h"
#include "check_memory.h"
#include "pictures/figure.h"
#include "pictures/svg.h"
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
    check_ok(carom_figure_draw(name, NULL, NULL, &made.text, &made.size, &error), &error);
    assert_int_equal(strlen(made.text), made.size);
    *size = made.size;
    return made.text;
}

static void test_all_draw(void **state)
{
    (void)state;
    assert_true(carom_figure_count() > 40);
    for (int k = 0; k < carom_figure_count(); k++) {
        const carom_figure *figure = carom_figure_at(k);
        assert_ptr_equal(carom_figure_find(figure->name), figure); /* names are unique */
        assert_null(strpbrk(figure->title, "`_^\n"));
        assert_true(strlen(figure->source) > 10 && !strchr(figure->source, '`'));
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
    assert_int_equal(carom_figure_draw("np-9", NULL, NULL, &none, &size, &error),
                     CAROM_ERROR_ARGUMENT);
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

/* Every figure, with memory ending at every 1st, 2nd, ... allocation. */
static void test_out_of_memory(void **state)
{
    (void)state;
    for (int k = 0; k < carom_figure_count(); k++) {
        const char *name = carom_figure_at(k)->name;
        for (int fail_at = 0;; fail_at += fail_at < 12 ? 1 : fail_at / 4) {
            check_memory c = {.fail_at = fail_at};
            carom_allocator allocator = {check_memory_resize, &c};
            char *text = NULL;
            size_t size = 0;
            carom_error error = {0};
            carom_status status = carom_figure_draw(name, NULL, &allocator, &text, &size, &error);
            if (status == CAROM_OK) {
                check_memory_resize(&c, text, 0);
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

/* The last curve is the closed form; the others tend to it, and all leave with the same speed. */
static void test_np_3(void **state)
{
    (void)state;
    const double e_N = 0.59362426004;
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
                check_close(xy[2 * points - 1], e_N, 1e-4);
            }
        }
        if (panel == 0)
            assert_true(before < 4e-4);
        free(text);
    }
}

/* ---- Glocker: the x-ct diagram of the rods ---- */

/* Strain over -v/2c at (x, ct), same material, l1 = 1, l2 = 2.5: in rod 1 the wave goes to the free
 * end and back; in rod 2 a pulse of length 2 l1 runs to and fro, with opposite sign on its way
 * back. The contact is open from 2 l2 on, so both ends of rod 2 reflect alike. */
static int exact_strain(double x, double ct)
{
    const double l1 = 1, l2 = 2.5;
    if (x < 0)
        return x > -fmin(ct, 2 * l1 - ct);
    int sum = 0;
    for (int n = 0; n < 4; n++) {
        double there = ct - x - 2 * n * l2, back = ct + x - 2 * (n + 1) * l2;
        sum += there > 0 && there < 2 * l1;
        sum -= back > 0 && back < 2 * l1;
    }
    return sum;
}

/* Twice the signed area. */
static double area_of(int count, const double *xy)
{
    double sum = 0;
    for (int k = 0; k < count; k++) {
        int n = (k + 1) % count;
        sum += xy[2 * k] * xy[2 * n + 1] - xy[2 * n] * xy[2 * k + 1];
    }
    return sum;
}

static void test_g4_2(void **state)
{
    (void)state;
    size_t size;
    char *text = draw("g4-2", &size);
    svg_plot plot;
    assert_true(svg_plot_find(text, &plot));
    double total[2] = {0, 0}, expected[2] = {0, 0};
    for (int kind = 0; kind < 2; kind++) {
        const char *at = plot.after,
                   *element = kind ? "<polygon class=\"f1" : "<polygon class=\"f0";
        double xy[2 * SVG_POINTS];
        for (int count; (count = svg_next(&plot, element, &at, xy)) > 0;) {
            double x = 0, ct = 0;
            for (int k = 0; k < count; k++) {
                /* corners are where characteristics, ends and the frame's top meet */
                double a = xy[2 * k] + xy[2 * k + 1], b = xy[2 * k + 1] - xy[2 * k];
                bool on = fabs(2 * a - round(2 * a)) < 2e-3 && fabs(2 * b - round(2 * b)) < 2e-3;
                assert_true(on || fabs(xy[2 * k + 1] - plot.y_most) < 1e-6);
                x += xy[2 * k] / count;
                ct += xy[2 * k + 1] / count;
            }
            assert_int_equal(exact_strain(x, ct), kind ? -1 : 1);
            total[kind] += fabs(area_of(count, xy)) / 2;
        }
    }
    const int n = 700; /* cells of a grid: their edges are not on characteristics */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = -1 + 3.5 * (i + 0.5) / n, ct = plot.y_most * (j + 0.5) / n;
            int strain = exact_strain(x, ct);
            if (strain)
                expected[strain < 0] += 3.5 * plot.y_most / n / n;
        }
    check_close(total[0], expected[0], 0.02);
    check_close(total[1], expected[1], 0.02);
    assert_true(total[1] > 2);
    free(text);
}

/* ---- Brogliato ---- */

/* The boundary of the region satisfies its equation; the inner bounds touch what they should. */
static void test_b_region(void **state)
{
    (void)state;
    for (int panel = 0; panel < 2; panel++) {
        const double a = panel ? -0.5 : 0.5;
        size_t size;
        char *text = draw(panel ? "b-region-acute" : "b-region", &size);
        svg_plot plot;
        assert_true(svg_plot_find(text, &plot));
        const char *at = plot.after;
        double xy[2 * SVG_POINTS];
        int count = svg_next(&plot, "<polygon class=\"f0 c0", &at, xy);
        assert_true(count > 700);
        for (int k = 0; k < count; k++) {
            double e = xy[2 * k], f = xy[2 * k + 1];
            double left = (1 - e * e) * (1 - f * f), right = a * a * pow(1 - e * f, 2);
            check_close(left, right, 3e-4);
            assert_true(fabs(e) < 1 + 1e-4 && fabs(f) < 1 + 1e-4);
        }
        count = svg_next(&plot, "<polygon class=\"f2 c2 dashed", &at, xy);
        assert_int_equal(count, 4);
        for (int k = 0; k < 8; k++)
            check_close(fabs(xy[k]), sqrt(1 / 3.0), 1e-4);
        count = svg_next(&plot, "<polygon class=\"f3 c3", &at, xy);
        for (int k = 0; k < count; k++)
            check_close(hypot(xy[2 * k], xy[2 * k + 1]), sqrt(0.75 / 2.5), 1e-4);
        free(text);
    }
}

static void test_b_ellipse(void **state)
{
    (void)state;
    const double energy[] = {1, 1, 0.75, 0.5, 0.25};
    size_t size;
    char *text = draw("b-ellipse", &size);
    svg_plot plot;
    assert_true(svg_plot_find(text, &plot));
    const char *at = plot.after;
    double xy[2 * SVG_POINTS];
    svg_next_curve(&plot, &at, xy); /* the two axes */
    svg_next_curve(&plot, &at, xy);
    for (int i = 0; i < 5; i++) {
        int count = svg_next_curve(&plot, &at, xy);
        assert_true(count > 50);
        for (int k = 0; k < count; k++) {
            double e = xy[2 * k], f = xy[2 * k + 1];
            check_close(e * e + f * f + e * f, energy[i], 2e-4);
            if (i > 0)
                assert_true(e > -1e-4 && f > -1e-4);
        }
    }
    free(text);
}

/* mu_c in the frame against the closed forms of rod, oscillator and planar body. */
static double critical(int system, double f, double angle)
{
    double c = cos(angle), s = sin(angle), l = 1, r = 0.5, R = l * l + r * r;
    if (system == 0)
        return (f + c * c) / fabs(s * c);
    if (system == 1)
        return tan(angle) + f / tan(angle);
    double sigma = l * s - r * c, eta = l * c + r * s;
    return (f * R + sigma * sigma) / fabs(sigma * eta);
}

static void test_b_critical(void **state)
{
    (void)state;
    static const char *const names[] = {"b-critical-rod", "b-critical-oscillator",
                                        "b-critical-body"};
    static const double f[3][3] = {{1 / 3.0, 1 / 12.0, 1}, {0.05, 0.25, 1}, {0.02, 0.1, 0.4}};
    static const char *const styles[] = {"<polyline class=\"c0", "<polyline class=\"c1",
                                         "<polyline class=\"c2"};
    for (int i = 0; i < 3; i++) {
        size_t size;
        char *text = draw(names[i], &size);
        svg_plot plot;
        assert_true(svg_plot_find(text, &plot));
        for (int j = 0; j < 3; j++) {
            const char *at = plot.after;
            double xy[2 * SVG_POINTS];
            int seen = 0;
            for (int count; (count = svg_next(&plot, styles[j], &at, xy)) > 0;)
                for (int k = 1; k + 1 < count; k++, seen++) {
                    double degree = CAROM_PI / 180, angle = xy[2 * k] * degree;
                    double mu = critical(i, f[i][j], angle);
                    double side = 0.01 * degree; /* half a rounded pixel, twice over */
                    double slope = fabs(critical(i, f[i][j], angle + side) - mu) +
                                   fabs(critical(i, f[i][j], angle - side) - mu);
                    check_close(xy[2 * k + 1], mu, 2e-4 + slope);
                }
            assert_true(seen > 100);
        }
        free(text);
    }
}

/* T_L = 0: ratio = 2 mu/(e - 1 + mu^2 (1 + e)) with e = 1/2; sliding is a mode while
 * mu (1 + e) ratio < 1 + e_t. */
static void test_b_gain(void **state)
{
    (void)state;
    size_t size;
    char *text = draw("b-gain", &size);
    svg_plot plot;
    assert_true(svg_plot_find(text, &plot));
    const char *at = plot.after;
    double xy[2 * SVG_POINTS];
    int count = svg_next(&plot, "<polyline class=\"c1 thick", &at, xy);
    assert_true(count > 80);
    for (int k = 1; k < count; k++) {
        double mu = xy[2 * k + 1], e = 0.5, change = e - 1 + mu * mu * (1 + e);
        check_close(xy[2 * k] * change, 2 * mu, 3e-3);
    }
    static const char *const borders[] = {"<polyline class=\"c0 thick dashed",
                                          "<polyline class=\"c0 dashdot"};
    for (int e_t = 0; e_t < 2; e_t++) {
        at = plot.after;
        count = svg_next(&plot, borders[e_t], &at, xy);
        assert_true(count > 80);
        for (int k = 1; k < count; k++)
            check_close(xy[2 * k] * xy[2 * k + 1] * 1.5, 1 + e_t, 0.012);
    }
    free(text);
}

/* Without title and caption, cut at what is drawn, to a width in a unit. */
static void test_bare(void **state)
{
    (void)state;
    for (int k = 0; k < carom_figure_count(); k++) {
        const carom_figure *figure = carom_figure_at(k);
        const carom_figure_options bare = {.bare = true, .width = 85, .unit = "mm"};
        char *text;
        size_t size;
        carom_error error = {0};
        check_ok(carom_figure_draw(figure->name, &bare, NULL, &text, &size, &error), &error);
        assert_null(svg_well_formed(text));
        assert_non_null(strstr(text, " width=\"85mm\" height=\""));
        const char *body = strstr(text, "</style>");
        assert_non_null(body);
        assert_null(strstr(body, "Source: "));
        assert_null(strstr(body, figure->title));
        double box[4];
        assert_int_equal(sscanf(strstr(text, " viewBox=\""), " viewBox=\"%lf %lf %lf %lf\"", box,
                                box + 1, box + 2, box + 3),
                         4);
        assert_true(box[0] >= -5 && box[1] >= 20);
        assert_true(box[2] <= 650 && box[3] <= 500 && box[2] > 150 && box[3] > 80);
        double height = svg_number(text, "mm\" height=\"");
        check_close(height / 85, box[3] / box[2], 1e-4);
        free(text);
    }
}

/* Scripts may hold italics; numbers have a decimal point; blanks are kept for every reader. */
static void test_text(void **state)
{
    (void)state;
    carom_svg svg;
    char *text, number[64];
    size_t size;
    carom_error error = {0};
    carom_svg_begin(&svg, NULL, 100, 50, "a_{1} & b", "");
    carom_svg_text(&svg, "ink", 10, 20, 's', 10, 0, "`w`_{`j`n}^2 + 1");
    check_ok(carom_svg_finish(&svg, NULL, &text, &size, &error), &error);
    assert_non_null(strstr(text, "xml:space=\"preserve\""));
    assert_non_null(strstr(text, "<title>a_1 &amp; b</title>"));
    assert_non_null(strstr(text, "<tspan font-style=\"italic\">w</tspan><tspan dy=\"2.8\" "
                                 "font-size=\"7.2\" font-style=\"italic\">j</tspan><tspan "
                                 "font-size=\"7.2\">n</tspan><tspan dy=\"-6.4\" "
                                 "font-size=\"7.2\">2</tspan><tspan dy=\"3.6\"> + 1</tspan>"));
    free(text);
    assert_true(carom_svg_text_width(10, "w_1") < carom_svg_text_width(10, "w1"));
    check_close(carom_svg_text_width(10, "`a`"), carom_svg_text_width(10, "a"), 0);
    assert_int_equal(
        carom_text_format(number, sizeof number, "%s=%.3g%c %.2f %d%%", "x", 0.5, ';', -1.25, 7),
        15);
    assert_string_equal(number, "x=0.5; -1.25 7%");
    assert_int_equal(carom_text_format(number, 4, "%.*s", 9, "abcdef"), 3);
    assert_string_equal(number, "abc");
}

/* ---- Pasquero: the rod that falls without spin, A = f m L^2 ---- */

static void test_p_rod(void **state)
{
    (void)state;
    const double degree = CAROM_PI / 180, f[] = {1 / 3.0, 1 / 12.0, 1};
    static const char *const styles[] = {"<polyline class=\"c0", "<polyline class=\"c1",
                                         "<polyline class=\"c2"};
    double xy[2 * SVG_POINTS];
    svg_plot plot;
    size_t size;
    char *text = draw("p-stick", &size);
    assert_true(svg_plot_find(text, &plot));
    for (int j = 0; j < 3; j++) {
        const char *at = plot.after;
        int count = svg_next(&plot, styles[j], &at, xy);
        assert_int_equal(count, 181);
        for (int k = 0; k < count; k++) {
            double t = xy[2 * k] * degree;
            check_close(xy[2 * k + 1], fabs(sin(t) * cos(t)) / sqrt(f[j] * (f[j] + 1)), 6e-4);
        }
    }
    free(text);
    text = draw("p-rebound", &size);
    assert_true(svg_plot_find(text, &plot));
    const char *at = plot.after;
    int count = svg_next(&plot, styles[0], &at, xy);
    assert_true(count > 80);
    for (int k = 0; k < count; k++) {
        double t = xy[2 * k] * degree, e = xy[2 * k + 1], a = 1 / 3.0;
        check_close(pow(cos(t), 2), a / 2 * (sqrt(1 + 4 * e * (1 + a) / a) - 1), 6e-4);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checker),    cmocka_unit_test(test_all_draw),
        cmocka_unit_test(test_np_1),       cmocka_unit_test(test_np_2),
        cmocka_unit_test(test_np_3),       cmocka_unit_test(test_g4_2),
        cmocka_unit_test(test_b_region),   cmocka_unit_test(test_b_ellipse),
        cmocka_unit_test(test_b_critical), cmocka_unit_test(test_b_gain),
        cmocka_unit_test(test_p_rod),      cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_bare),       cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
