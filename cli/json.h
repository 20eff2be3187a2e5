/* Members of JSON objects: a key and its value in one call. */
#ifndef CAROM_CLI_JSON_H
#define CAROM_CLI_JSON_H

#include "carom/io.h"
#include "json/json.h"

void cli_json_number(carom_json *json, const char *key, double value);
void cli_json_integer(carom_json *json, const char *key, long long value);
void cli_json_boolean(carom_json *json, const char *key, bool value);
void cli_json_string(carom_json *json, const char *key, const char *text);
void cli_json_null(carom_json *json, const char *key);
void cli_json_numbers(carom_json *json, const char *key, int count, const double *values);
void cli_json_strings(carom_json *json, const char *key, int count, const char *const *texts);
void cli_json_matrix(carom_json *json, const char *key, int rows, int columns,
                     const double *values);

/* One entry per contact: null without slip, a number (planar), a pair (spatial). */
void cli_json_by_slip(carom_json *json, const char *key, const carom_geometry *g,
                      const double *values);

/* "mode": what each of count contacts does. */
void cli_json_modes(carom_json *json, int count, const carom_mode *mode);

#endif
