/* Decimal numbers without the locale: the digits are given to strtod without a decimal point, the
 * exponent corrected, so that the point's name in the host's locale does not matter. */
#include "expr/scope.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    DIGITS_MAX = 800,        /* no double needs more than 767 digits to be rounded correctly */
    EXPONENT_MAX = 100000000 /* far beyond any double, far from overflow */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

typedef struct digits {
    char text[DIGITS_MAX + 16];
    int count;
    long exponent; /* of ten, to be added */
    bool any;      /* a digit was read, zero or not */
} digits;

/* Take the digit c, before or after the point. */
static void digit(digits *d, char c, bool fraction)
{
    d->any = true;
    if (c == '0' && d->count == 0) { /* leading zero */
        d->exponent -= fraction;
    } else if (d->count < DIGITS_MAX) {
        d->text[d->count++] = c;
        d->exponent -= fraction;
    } else {
        if (c != '0')
            d->text[DIGITS_MAX - 1] = '1'; /* something follows: enough for rounding */
        d->exponent += !fraction;
    }
}

/* The exponent part at p, if there is a whole one; returns its end. */
static const char *read_exponent(const char *p, long *exponent)
{
    if (*p != 'e' && *p != 'E')
        return p;
    const char *q = p + 1;
    bool negative = *q == '-';
    if (*q == '-' || *q == '+')
        q++;
    if (!is_digit(*q))
        return p;
    long value = 0;
    for (; is_digit(*q); q++)
        value = value < EXPONENT_MAX ? 10 * value + (*q - '0') : value;
    *exponent += negative ? -value : value;
    return q;
}

double carom_parse_number(const char *text, size_t *length)
{
    digits d;
    d.count = 0;
    d.exponent = 0;
    d.any = false;
    const char *p = text;
    for (; is_digit(*p); p++)
        digit(&d, *p, false);
    if (*p == '.' && (d.any || is_digit(p[1])))
        for (p++; is_digit(*p); p++)
            digit(&d, *p, true);
    if (!d.any) {
        *length = 0;
        return 0;
    }
    p = read_exponent(p, &d.exponent);
    *length = (size_t)(p - text);
    if (d.count == 0)
        return 0;
    snprintf(d.text + d.count, 16, "e%ld", d.exponent);
    return strtod(d.text, NULL);
}
