/* Decimal numbers without the locale. Reading gives the digits to strtod without a decimal point
 * and corrects the exponent, so that the point's name in the host's locale does not matter;
 * printing puts a point where the host's locale has put its own. */
#include "carom/text.h"

#include "carom/need.h"
#include "carom/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS_MAX = 800,        /* no double needs more than 767 digits to be rounded correctly */
    EXPONENT_MAX = 100000000 /* far beyond any double, far from overflow */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

typedef struct decimal {
    char text[DIGITS_MAX + 16];
    int count;
    long exponent; /* of ten, to be added */
    bool any;      /* a digit was read, zero or not */
} decimal;

/* Take the digit c, before or after the point. */
static void digit(decimal *d, char c, bool fraction)
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

double carom_number_prefix(const char *text, size_t *length)
{
    CAROM_NEED_OR(NAN, text, length);
    decimal d;
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

bool carom_number_parse(const char *text, double *value)
{
    CAROM_NEED_OR(false, text, value);
    bool negative = *text == '-';
    text += negative || *text == '+';
    size_t length;
    double size = carom_number_prefix(text, &length);
    if (length == 0 || text[length])
        return false;
    *value = negative ? -size : size;
    return true;
}

/* The host's decimal point, one character or several, becomes a point. Numbers that printf writes
 * hold nothing else but digits, signs, and the letters of the exponent, inf and nan. */
static int put_point(char *text)
{
    char *from = text + strspn(text, "+-0123456789");
    char *to = from;
    if (*from && !strchr("eEin", *from)) {
        while (*from && !strchr("0123456789eE", *from))
            from++;
        *to++ = '.';
        memmove(to, from, strlen(from) + 1);
    }
    return (int)strlen(text);
}

int carom_number_print_digits(double value, int digits, char *text)
{
    CAROM_NEED_OR(0, text);
    if (isnan(value))
        return snprintf(text, CAROM_NUMBER_SIZE, "nan");
    snprintf(text, CAROM_NUMBER_SIZE, "%.*g", digits, value);
    return put_point(text);
}

int carom_number_print_fixed(double value, int decimals, char *text, size_t room)
{
    CAROM_NEED_OR(0, text);
    if (isnan(value))
        return snprintf(text, room, "nan");
    snprintf(text, room, "%.*f", decimals, value);
    return put_point(text);
}

double carom_number_clean(double value, double scale)
{
    return fabs(value) <= CAROM_TOLERANCE_REFINED * scale ? 0 : value;
}

int carom_number_print(double value, char *text)
{
    CAROM_NEED_OR(0, text);
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = carom_number_print_digits(value, digits, text);
        double back;
        if (!isfinite(value) || (carom_number_parse(text, &back) && back == value))
            break;
    }
    return length;
}
