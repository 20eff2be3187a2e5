/* Members of JSON objects as the program writes them: a key and its value in one call. */
#include "json.h"

void cli_json_number(carom_json *json, const char *key, double value)
{
    carom_json_key(json, key);
    carom_json_number(json, value);
}

void cli_json_integer(carom_json *json, const char *key, long long value)
{
    carom_json_key(json, key);
    carom_json_integer(json, value);
}

void cli_json_boolean(carom_json *json, const char *key, bool value)
{
    carom_json_key(json, key);
    carom_json_boolean(json, value);
}

void cli_json_string(carom_json *json, const char *key, const char *text)
{
    carom_json_key(json, key);
    carom_json_string(json, text);
}

void cli_json_null(carom_json *json, const char *key)
{
    carom_json_key(json, key);
    carom_json_null(json);
}

void cli_json_numbers(carom_json *json, const char *key, int count, const double *values)
{
    carom_json_key(json, key);
    carom_json_numbers(json, count, values);
}

void cli_json_strings(carom_json *json, const char *key, int count, const char *const *texts)
{
    carom_json_key(json, key);
    carom_json_strings(json, count, texts);
}

void cli_json_matrix(carom_json *json, const char *key, int rows, int columns, const double *values)
{
    carom_json_key(json, key);
    carom_json_matrix(json, rows, columns, values);
}

void cli_json_by_slip(carom_json *json, const char *key, const carom_geometry *g,
                      const double *values)
{
    carom_json_key(json, key);
    carom_json_row(json);
    for (int i = 0; i < g->impact->p; i++) {
        int first = g->slip_start[i], count = g->slip_start[i + 1] - first;
        if (count == 0)
            carom_json_null(json);
        else if (count == 1)
            carom_json_number(json, values[first]);
        else
            carom_json_numbers(json, count, values + first);
    }
    carom_json_end(json);
}

void cli_json_modes(carom_json *json, int count, const carom_mode *mode)
{
    carom_json_key(json, "mode");
    carom_json_row(json);
    for (int i = 0; i < count; i++)
        carom_json_string(json, carom_mode_text(mode[i]));
    carom_json_end(json);
}
