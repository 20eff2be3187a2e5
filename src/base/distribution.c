/* Distributions of one number: their names, and their quantiles. */
#include "carom/need.h"
#include "carom/sample.h"
#include "carom/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int count;
    const char *form;
} kinds[CAROM_DISTRIBUTION_KINDS] = {
    {"uniform", 2, "uniform(from, to)"},
    {"normal", 2, "normal(mean, deviation)"},
    {"lognormal", 2, "lognormal(mean, deviation), both of the logarithm"},
    {"exponential", 1, "exponential(mean)"},
    {"triangular", 3, "triangular(from, top, to)"},
};

static carom_status unknown(const char *text, carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_INPUT,
                           "`%.80s` is no distribution; there are uniform(a, b), normal(m, s), "
                           "lognormal(m, s), exponential(m) and triangular(a, top, b)",
                           text);
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* "(1, 2)" to its end; the numbers that were read, -1: something else is there. */
static int read_numbers(const char *text, double numbers[3])
{
    int count = 0;
    if (*text != '(')
        return -1;
    for (char end = ','; end == ','; text++) {
        char copy[64];
        text = skip_blanks(text + (count == 0));
        const size_t length = strcspn(text, " \t,)");
        if (count == 3 || length >= sizeof copy)
            return -1;
        snprintf(copy, sizeof copy, "%.*s", (int)length, text);
        if (!carom_number_parse(copy, &numbers[count]) || !isfinite(numbers[count++]))
            return -1;
        text = skip_blanks(text + length);
        end = *text;
        if (end != ',' && end != ')')
            return -1;
    }
    return *skip_blanks(text) ? -1 : count;
}

/* What is wrong with the numbers, NULL: nothing. */
static const char *find_fault(const carom_distribution *d)
{
    switch (d->kind) {
    case CAROM_DISTRIBUTION_UNIFORM:
        return d->a <= d->b ? NULL : "its end is below its start";
    case CAROM_DISTRIBUTION_NORMAL:
    case CAROM_DISTRIBUTION_LOGNORMAL:
        return d->b >= 0 ? NULL : "its deviation is negative";
    case CAROM_DISTRIBUTION_EXPONENTIAL:
        return d->a >= 0 ? NULL : "its mean is negative";
    default:
        return d->a <= d->b && d->b <= d->c ? NULL : "its numbers do not ascend";
    }
}

carom_status carom_distribution_parse(const char *text, carom_distribution *distribution,
                                      carom_error *error)
{
    CAROM_NEED(error, text, distribution);
    double numbers[3] = {0};
    const size_t length = strcspn(text, "( \t");
    int kind = 0;
    while (kind < CAROM_DISTRIBUTION_KINDS &&
           (strlen(kinds[kind].name) != length || strncmp(kinds[kind].name, text, length) != 0))
        kind++;
    if (kind == CAROM_DISTRIBUTION_KINDS)
        return unknown(text, error);
    if (read_numbers(skip_blanks(text + length), numbers) != kinds[kind].count)
        return carom_error_set(error, CAROM_ERROR_INPUT, "`%.80s`: write %s", text,
                               kinds[kind].form);
    *distribution =
        (carom_distribution){(carom_distribution_kind)kind, numbers[0], numbers[1], numbers[2]};
    const char *fault = find_fault(distribution);
    if (fault)
        return carom_error_set(error, CAROM_ERROR_INPUT, "`%.80s`: %s; write %s", text, fault,
                               kinds[kind].form);
    return CAROM_OK;
}

/* z with Phi(z) = p < 1/2: Newton for ln Phi(z) = ln p, a concave function, from the left, where
 * its tangents never pass the root. Phi(z) < exp(-z^2/2)/2 says where the left is. */
static double normal_tail(double p)
{
    double z = -sqrt(-2 * log(p));
    for (int k = 0; k < 100; k++) {
        const double below = 0.5 * erfc(-z * sqrt(0.5)),
                     density = 0.3989422804014327 * exp(-z * z / 2);
        const double next = z - (log(below) - log(p)) * below / density;
        if (!(next > z))
            break;
        z = next;
    }
    return z;
}

static double normal(double p)
{
    return p < 0.5 ? normal_tail(p) : p > 0.5 ? -normal_tail(1 - p) : 0;
}

double carom_distribution_quantile(const carom_distribution *d, double p)
{
    CAROM_NEED_OR(NAN, d);
    switch (d->kind) {
    case CAROM_DISTRIBUTION_UNIFORM:
        return d->a + p * (d->b - d->a);
    case CAROM_DISTRIBUTION_NORMAL:
        return d->a + d->b * normal(p);
    case CAROM_DISTRIBUTION_LOGNORMAL:
        return exp(d->a + d->b * normal(p));
    case CAROM_DISTRIBUTION_EXPONENTIAL:
        return -d->a * log1p(-p);
    default: {
        const double width = d->c - d->a, up = d->b - d->a;
        return p * width < up ? d->a + sqrt(p * width * up)
                              : d->c - sqrt((1 - p) * width * (d->c - d->b));
    }
    }
}
