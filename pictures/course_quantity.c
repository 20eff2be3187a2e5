/* A quantity along a motion by its name: a column of the trace, or a formula of the scene. */
#include "pictures/course_series.h"

#include <stdio.h>
#include <string.h>

/* Tables whose columns are named with a prefix: "gap:floor". */
static const carom_trace_table *table_of(const carom_trace *trace, const char *name,
                                         const char **column)
{
    const struct {
        const char *prefix;
        const carom_trace_table *table;
    } tables[] = {{"gap:", &trace->gap},
                  {"force:", &trace->force},
                  {"friction:", &trace->friction},
                  {"energy:", &trace->energy}};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        size_t length = strlen(tables[k].prefix);
        if (strncmp(name, tables[k].prefix, length) == 0) {
            *column = name + length;
            return tables[k].table;
        }
    }
    return NULL;
}

/* Names of the trace's columns, as many as fit, for a message. */
static void list_names(const carom_trace *trace, char *text, size_t size)
{
    const carom_trace_table *const tables[] = {&trace->position, &trace->velocity};
    size_t used = (size_t)snprintf(text, size, "t");
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < tables[k]->columns && used + 40 < size; j++)
            used += (size_t)snprintf(text + used, size - used, ", %.32s",
                                     carom_course_name(tables[k], j));
}

static carom_status unknown(const carom_trace *trace, const char *name, carom_error *error)
{
    char names[300];
    list_names(trace, names, sizeof names);
    return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                           "'%s' is not known; there are %s, and gap:, force:, friction: of a "
                           "contact, energy:kinetic and the like",
                           name, names);
}

/* A formula of the scene at every moment. */
static carom_status evaluate(const carom_course *course, const carom_course_moments *m,
                             const char *text, double *values, carom_error *error)
{
    carom_expr *expr;
    carom_error why = {0};
    carom_status status = carom_scene_formula_create(course->scene, text, 0, &expr, &why);
    if (status == CAROM_ERROR_MEMORY)
        return carom_error_memory(error);
    if (status)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "'%s': %s", text, why.text);
    for (int k = 0; k < m->count; k++)
        values[k] = carom_expr_evaluate(expr, m->t[k], m->q[k], m->u[k], NULL, NULL);
    carom_expr_destroy(expr);
    return CAROM_OK;
}

carom_status carom_course_quantity(const carom_course *course, const carom_course_moments *m,
                                   const char *name, carom_arena *arena, double **values,
                                   carom_error *error)
{
    const carom_trace *trace = course->trace;
    const char *column = NULL;
    double *made = *values = carom_arena_doubles(arena, (size_t)m->count + 1);
    if (!made)
        return carom_error_memory(error);
    const carom_trace_table *table = table_of(trace, name, &column);
    int q = carom_course_find(&trace->position, name),
        u = carom_course_find(&trace->velocity, name);
    int j = table ? carom_course_find(table, column) : -1;
    bool plain = strcmp(name, "t") == 0 || q >= 0 || u >= 0 || j >= 0;
    if (!plain && (table || !course->scene))
        return unknown(trace, name, error);
    if (!plain)
        return evaluate(course, m, name, made, error);
    for (int k = 0; k < m->count; k++)
        made[k] = q >= 0   ? m->q[k][q]
                  : u >= 0 ? m->u[k][u]
                  : j >= 0 ? table->values[(size_t)m->row[k] * (size_t)table->columns + (size_t)j]
                           : m->t[k];
    return CAROM_OK;
}
