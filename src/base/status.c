/* The texts of statuses. */
#include "carom/base.h"

#include <stdarg.h>
#include <stdio.h>

const char *carom_status_text(carom_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text)                                                             \
    case name:                                                                                     \
        return text;
        CAROM_STATUSES(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

static void fill(carom_error *error, carom_status status, int line, int column, const char *format,
                 va_list arguments)
{
    error->status = status;
    error->line = line;
    error->column = column;
    vsnprintf(error->text, sizeof error->text, format, arguments);
}

carom_status carom_error_set(carom_error *error, carom_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, 0, 0, format, arguments);
        va_end(arguments);
    }
    return status;
}

carom_status carom_error_at(carom_error *error, carom_status status, int line, int column,
                            const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, line, column, format, arguments);
        va_end(arguments);
    }
    return status;
}

carom_status carom_error_memory(carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
}
