/* The plan of a sweep: what varies, checked against the scene, and the order of the cells. */
#include "sweep_plan.h"

#include "answer.h"

#include <stdlib.h>
#include <string.h>

static int unknown(const carom_scene_content *content, const char *name)
{
    const char *names[256] = {NULL};
    char list[500] = ": it has none";
    int count = content->parameter_count < 256 ? content->parameter_count : 256;
    for (int k = 0; k < count; k++) {
        const size_t used = k ? strlen(list) : 0;
        names[k] = content->parameters[k].name;
        snprintf(list + used, 400 - used, "%s%s", k ? ", " : ": there are ", names[k]);
    }
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "; values of `initial` are varied as initial.x");
    return cli_message_unknown(name, names, count, list, "sweep: the scene has no parameter '%s'",
                               name);
}

/* A parameter either varies or is set. */
static int check_settings(const cli_sweep_plan *plan)
{
    const char *set;
    for (int k = 0; (set = cli_option_value(plan->arguments, "set", k)); k++) {
        const size_t length = strcspn(set, "=");
        for (int j = 0; j < plan->varied; j++)
            if (strlen(plan->names[j]) == length && memcmp(plan->names[j], set, length) == 0)
                return cli_message_usage("sweep: '%s' varies: --set %s has no effect on it",
                                         plan->names[j], set);
    }
    return CLI_ANSWERED;
}

/* All names that vary, in the order of the table; each once, and in the scene. */
static int collect_names(cli_sweep_plan *plan)
{
    const carom_scene_content *content = carom_scene_get(plan->scene);
    plan->names = calloc((size_t)(plan->axis_count + plan->rows.names + plan->samples.names) + 1,
                         sizeof *plan->names);
    if (!plan->names)
        return cli_message_memory();
    for (int k = 0; k < plan->axis_count; k++)
        plan->names[plan->varied++] = plan->axes[k].name;
    for (int k = 0; k < plan->rows.names; k++)
        plan->names[plan->varied++] = plan->rows.name[k];
    for (int k = 0; k < plan->samples.names; k++)
        plan->names[plan->varied++] = plan->samples.name[k];
    for (int k = 0; k < plan->varied; k++) {
        if (!carom_scene_has_value(plan->scene, plan->names[k]))
            return unknown(content, plan->names[k]);
        for (int j = 0; j < k; j++)
            if (strcmp(plan->names[j], plan->names[k]) == 0)
                return cli_message_usage("sweep: '%s' varies twice", plan->names[k]);
    }
    return check_settings(plan);
}

static int read_laws(cli_sweep_plan *plan)
{
    carom_law law;
    carom_error error = {0};
    plan->laws = cli_option_values(plan->arguments, "law", &plan->law_count);
    if (!plan->laws)
        return cli_message_memory();
    for (int k = 0; k < plan->law_count; k++)
        if (carom_scene_parse_law(plan->scene, plan->laws[k], &law, &error))
            return cli_message_law(&error);
    if (plan->law_count == 0) /* the list has room for its end */
        plan->laws[plan->law_count++] = NULL;
    return CLI_ANSWERED;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int read_follow(cli_sweep_plan *plan)
{
    static const char *const words[] = {"up", "down", "both"};
    const char *text = cli_option_value(plan->arguments, "follow", 0);
    for (int k = 0; text && k < 3; k++)
        if (strcmp(text, words[k]) == 0)
            plan->follow = (cli_sweep_follow)(k + 1);
    if (!text)
        return CLI_ANSWERED;
    if (!plan->follow)
        return cli_message_usage("sweep: --follow %s: there are up, down and both", text);
    if (plan->axis_count == 0)
        return cli_message_usage("sweep: --follow needs a --vary to go along");
    cli_axis *last = &plan->axes[plan->axis_count - 1];
    qsort(last->values, (size_t)last->count, sizeof *last->values, compare);
    return CLI_ANSWERED;
}

static void add_digit(cli_sweep_plan *plan, cli_digit_kind kind, int axis, long count)
{
    if (count > 0)
        plan->digits[plan->digit_count++] = (cli_digit){kind, axis, count};
}

/* Samples count fastest; along a chain its own axis does. */
static int order(cli_sweep_plan *plan)
{
    const int last = plan->axis_count - 1;
    const bool chained = plan->follow != CLI_FOLLOW_NONE;
    plan->digits = calloc((size_t)plan->axis_count + 5, sizeof *plan->digits);
    if (!plan->digits)
        return cli_message_memory();
    for (int k = 0; k < plan->axis_count - chained; k++)
        add_digit(plan, CLI_DIGIT_AXIS, k, plan->axes[k].count);
    add_digit(plan, CLI_DIGIT_LAW, 0, plan->law_count);
    add_digit(plan, CLI_DIGIT_ROW, 0, plan->rows.count);
    add_digit(plan, CLI_DIGIT_SAMPLE, 0, plan->samples.count);
    if (chained) {
        add_digit(plan, CLI_DIGIT_TURN, 0, plan->follow == CLI_FOLLOW_BOTH ? 2 : 1);
        add_digit(plan, CLI_DIGIT_AXIS, last, plan->axes[last].count);
    }
    plan->cells = 1;
    for (int k = 0; k < plan->digit_count; k++) {
        if (plan->digits[k].count > 1000000000 / plan->cells)
            return cli_message_usage("sweep: more than 1e9 cells");
        plan->cells *= plan->digits[k].count;
    }
    plan->chain =
        chained ? plan->axes[last].count * (plan->follow == CLI_FOLLOW_BOTH ? 2L : 1L) : 1;
    return CLI_ANSWERED;
}

/* A digit of the cell's number; 0 when it has none of this kind. */
static long find_digit(const cli_sweep_plan *plan, long cell, cli_digit_kind kind, int axis)
{
    for (int k = plan->digit_count - 1; k >= 0; k--) {
        const cli_digit *d = &plan->digits[k];
        if (d->kind == kind && d->axis == axis)
            return cell % d->count;
        cell /= d->count;
    }
    return 0;
}

int cli_sweep_plan_turn(const cli_sweep_plan *plan, long cell)
{
    const bool down =
        plan->follow == CLI_FOLLOW_DOWN ||
        (plan->follow == CLI_FOLLOW_BOTH && find_digit(plan, cell, CLI_DIGIT_TURN, 0) == 1);
    return down ? -1 : 1;
}

double cli_sweep_plan_value(const cli_sweep_plan *plan, long cell, int k)
{
    if (k < plan->axis_count) {
        const cli_axis *axis = &plan->axes[k];
        long index = find_digit(plan, cell, CLI_DIGIT_AXIS, k);
        if (k == plan->axis_count - 1 && cli_sweep_plan_turn(plan, cell) < 0)
            index = axis->count - 1 - index;
        return axis->values[index];
    }
    k -= plan->axis_count;
    const bool row = k < plan->rows.names;
    const cli_list *list = row ? &plan->rows : &plan->samples;
    const long index = find_digit(plan, cell, row ? CLI_DIGIT_ROW : CLI_DIGIT_SAMPLE, 0);
    return list->values[index * list->names + (row ? k : k - plan->rows.names)];
}

int cli_sweep_plan_law(const cli_sweep_plan *plan, long cell)
{
    return (int)find_digit(plan, cell, CLI_DIGIT_LAW, 0);
}

static bool is_grouped(const cli_digit *d)
{
    return d->kind == CLI_DIGIT_ROW || d->kind == CLI_DIGIT_SAMPLE;
}

long cli_sweep_plan_groups(const cli_sweep_plan *plan)
{
    long groups = 1;
    for (int k = 0; k < plan->digit_count; k++)
        groups *= is_grouped(&plan->digits[k]) ? 1 : plan->digits[k].count;
    return groups;
}

long cli_sweep_plan_group(const cli_sweep_plan *plan, long cell)
{
    long group = 0, weight = 1;
    for (int k = plan->digit_count - 1; k >= 0; k--) {
        const cli_digit *d = &plan->digits[k];
        if (!is_grouped(d)) {
            group += cell % d->count * weight;
            weight *= d->count;
        }
        cell /= d->count;
    }
    return group;
}

int cli_sweep_plan_make(const cli_arguments *arguments, cli_sweep_plan *plan)
{
    *plan = (cli_sweep_plan){.arguments = arguments};
    int status = cli_answer_closed(arguments, &plan->closed);
    if (!status)
        status = cli_sweep_vary_read(plan);
    if (!status)
        status = cli_sweep_rows_read(plan);
    if (!status)
        status = cli_sweep_sample_read(plan);
    if (!status && plan->axis_count + plan->rows.names + plan->samples.names == 0 &&
        !cli_option_value(arguments, "law", 1))
        status = cli_message_usage("sweep: nothing varies; give --vary name=from:to:count, --rows "
                                   "TABLE.csv, --sample or several laws");
    if (!status)
        status = cli_answer_read(arguments, arguments->files[0], &plan->scene);
    if (!status && carom_scene_get(plan->scene)->system)
        status = cli_answer_check_start(arguments->files[0], carom_scene_get(plan->scene));
    if (!status)
        status = collect_names(plan);
    if (!status)
        status = read_laws(plan);
    if (!status)
        status = read_follow(plan);
    if (!status)
        status = order(plan);
    return status ? status : cli_sweep_columns_make(plan);
}

static void free_list(cli_list *list)
{
    for (int k = 0; k < list->names; k++)
        free(list->name[k]);
    free(list->name);
    free(list->values);
}

void cli_sweep_plan_free(cli_sweep_plan *plan)
{
    for (int k = 0; k < plan->columns; k++)
        free(plan->results[k]);
    free(plan->results);
    free(plan->digits);
    free(plan->names);
    free((void *)plan->laws);
    free_list(&plan->rows);
    free_list(&plan->samples);
    for (int k = 0; k < plan->axis_count && plan->axes; k++) {
        free(plan->axes[k].name);
        free(plan->axes[k].values);
    }
    free(plan->axes);
    carom_scene_destroy(plan->scene);
}
