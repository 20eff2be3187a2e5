/* A text that grows, and the part of printf that pictures need, free of the locale. */
#include "pictures/text.h"

#include "carom/text.h"

#include <stdio.h>
#include <string.h>

void carom_text_append(carom_text *t, const char *piece, size_t size)
{
    if (t->failed)
        return;
    if (t->size + size + 1 > t->room) {
        size_t room = 2 * (t->size + size) + 4096;
        char *grown = carom_allocator_resize(&t->allocator, t->text, room);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->text = grown;
        t->room = room;
    }
    memcpy(t->text + t->size, piece, size);
    t->size += size;
    t->text[t->size] = '\0';
}

void carom_text_destroy(carom_text *t)
{
    if (t->text)
        carom_allocator_resize(&t->allocator, t->text, 0);
    t->text = NULL;
    t->size = t->room = 0;
}

/* A fixed piece of memory that is written from the left and cut at its end. */
typedef struct sink {
    char *text;
    size_t size, used;
} sink;

static void put(sink *s, const char *piece, size_t length)
{
    size_t room = s->size > s->used ? s->size - s->used - 1 : 0;
    if (length > room)
        length = room;
    memcpy(s->text + s->used, piece, length);
    s->used += length;
    s->text[s->used] = '\0';
}

static void put_number(sink *s, double value, char kind, int precision)
{
    char number[352]; /* the longest double with all its digits before the point */
    if (kind == 'f')
        carom_number_print_fixed(value, precision, number, sizeof number);
    else
        carom_number_print_digits(value, precision, number);
    put(s, number, strlen(number));
}

static int digits_of(const char **at)
{
    int value = 0;
    while (**at >= '0' && **at <= '9')
        value = 10 * value + (*(*at)++ - '0');
    return value;
}

int carom_text_format_list(char *text, size_t size, const char *format, va_list list)
{
    sink s = {text, size, 0};
    if (size == 0)
        return 0;
    text[0] = '\0';
    while (*format) {
        size_t plain = strcspn(format, "%");
        put(&s, format, plain);
        format += plain;
        if (*format++ != '%')
            break;
        int precision = -1; /* none; else ".N" or, from the list, ".*" */
        if (*format == '.') {
            format++;
            if (*format == '*') {
                precision = va_arg(list, int);
                format++;
            } else {
                precision = digits_of(&format);
            }
        }
        bool wide = *format == 'l';
        format += wide;
        char kind = *format++, number[24];
        if (kind == 's') {
            const char *piece = va_arg(list, const char *);
            size_t length = precision < 0 ? strlen(piece) : strnlen(piece, (size_t)precision);
            put(&s, piece, length);
        } else if (kind == 'c') {
            put(&s, (char[]){(char)va_arg(list, int)}, 1);
        } else if (kind == 'd') {
            long value = wide ? va_arg(list, long) : va_arg(list, int);
            int length = snprintf(number, sizeof number, "%ld", value);
            put(&s, number, (size_t)length);
        } else if (kind == 'f' || kind == 'g') {
            put_number(&s, va_arg(list, double), kind, precision < 0 ? 6 : precision);
        } else {
            put(&s, &kind, 1);
        }
    }
    return (int)s.used;
}

int carom_text_format(char *text, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = carom_text_format_list(text, size, format, list);
    va_end(list);
    return length;
}
