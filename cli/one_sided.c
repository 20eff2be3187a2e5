/* One-sided derivatives of motions, by differences: where a motion has a kink in its data (two
 * contacts at one instant, say), each side has a derivative of its own, and there the order of
 * events is the same for all small steps. */
#include "one_sided.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* First step as a part of the number, and what the last two extrapolations may differ by. */
static const double first_step = 0.001, agreed = 0.0001;
enum { LEVELS = 5 };

/* The number that a name stands for. */
static double value_of(const cli_orbit *o, const char *name)
{
    const carom_scene_content *c = o->content;
    for (int k = 0; k < c->parameter_count; k++)
        if (strcmp(c->parameters[k].name, name) == 0)
            return c->parameters[k].value;
    name += strncmp(name, "initial.", 8) == 0 ? 8 : 0;
    for (int i = 0; i < o->shape->n; i++) {
        if (strcmp(o->shape->coordinates[i], name) == 0)
            return c->initial.q[i];
        if (strcmp(o->shape->velocities[i], name) == 0)
            return c->initial.u[i];
    }
    return c->initial.t;
}

/* The values with the name's number changed; CLI_NO_ANSWER: they have none. */
static int values_at(const cli_arguments *arguments, const cli_orbit *o, const char *name,
                     double value, cli_one_sided_values *evaluate, void *self, double *out)
{
    char text[300];
    int count;
    const char **sets = cli_option_values(arguments, "set", &count);
    const char **more = sets ? realloc(sets, (size_t)(count + 2) * sizeof *more) : NULL;
    if (!more) {
        free((void *)sets);
        return cli_message_memory();
    }
    snprintf(text, sizeof text, "%.200s=%.17g", name, value);
    more[count] = text;
    const carom_scene_options options = {.sets = more,
                                         .set_count = count + 1,
                                         .any_restitution = true,
                                         .derivatives = true,
                                         .allocator = cli_memory()};
    carom_scene *scene;
    carom_error error = {0};
    carom_status status =
        carom_scene_read_text(o->content->text, strlen(o->content->text), &options, &scene, &error);
    free((void *)more);
    if (status != CAROM_OK)
        return CLI_NO_ANSWER;
    const bool good = evaluate(self, scene, out);
    carom_scene_destroy(scene);
    return good ? CLI_ANSWERED : CLI_NO_ANSWER;
}

/* One side: quotients at h, h/2, h/4 ... extrapolated to h = 0 (Neville). */
static int derive(const cli_arguments *arguments, const cli_orbit *o, const char *name, double side,
                  int count, const double *here, cli_one_sided_values *evaluate, void *self,
                  double *out)
{
    const double value = value_of(o, name);
    double h = side * first_step * (fabs(value) > 0 ? fabs(value) : 1);
    double *table = calloc((size_t)count * LEVELS, sizeof *table);
    int status = table ? CLI_ANSWERED : cli_message_memory();
    for (int level = 0; level < LEVELS && !status; level++, h /= 2) {
        double *row = table + (size_t)level * (size_t)count;
        status = values_at(arguments, o, name, value + h, evaluate, self, row);
        for (int i = 0; i < count; i++)
            row[i] = (row[i] - here[i]) / h;
    }
    for (int i = 0; i < count && !status; i++) {
        double before = NAN;
        for (int k = 1; k < LEVELS; k++) /* column after column, in place */
            for (int l = LEVELS - 1; l >= k; l--) {
                double *at = table + (size_t)l * (size_t)count + i;
                if (k == LEVELS - 1)
                    before = *at;
                *at += (*at - *(at - count)) / ((double)(1 << k) - 1);
            }
        const double last = table[(size_t)(LEVELS - 1) * (size_t)count + (size_t)i];
        out[i] = fabs(last - before) <= agreed * fmax(fabs(last), agreed) ? last : NAN;
    }
    free(table);
    for (int i = 0; i < count && status == CLI_NO_ANSWER; i++)
        out[i] = NAN;
    return status == CLI_NO_ANSWER ? CLI_ANSWERED : status;
}

int cli_one_sided(const cli_arguments *arguments, const cli_orbit *o, const char *name, int count,
                  const double *here, cli_one_sided_values *evaluate, void *self, double *left,
                  double *right)
{
    int status = derive(arguments, o, name, -1, count, here, evaluate, self, left);
    return status ? status : derive(arguments, o, name, 1, count, here, evaluate, self, right);
}
