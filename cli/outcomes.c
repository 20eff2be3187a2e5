/* All that an impact can lead to: the admissible set, every order of impulses, the laws, and where
 * a measured velocity lies among them. */
#include "outcomes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --level, repeated; without it 0, 1/4 ... 1. */
static int read_levels(const cli_arguments *arguments, cli_outcomes *o)
{
    const char *text;
    while ((text = cli_option_value(arguments, "level", o->level_count))) {
        double e;
        if (o->level_count == CLI_OUTCOMES_LEVELS)
            return cli_message_usage("outcomes: at most %d levels", CLI_OUTCOMES_LEVELS);
        if (!carom_number_parse(text, &e) || !(e >= 0 && e <= 1))
            return cli_message_usage("outcomes: --level '%s' is not a number from 0 (most energy "
                                     "lost) to 1 (none lost)",
                                     text);
        o->levels[o->level_count++].e = e;
    }
    for (int k = 0; k < 5 && !cli_option_given(arguments, "level"); k++)
        o->levels[o->level_count++].e = 0.25 * k;
    return CLI_ANSWERED;
}

/* --measured: one number for each velocity. */
static int read_measured(const cli_arguments *arguments, cli_outcomes *o)
{
    const char *rest = cli_option_value(arguments, "measured", 0);
    const int n = o->answer.impact.n;
    double *u = rest ? carom_arena_take(o->answer.arena, ((size_t)n + 1) * sizeof *u) : NULL;
    if (!rest)
        return CLI_ANSWERED;
    if (!u)
        return cli_message_memory();
    int count = 0;
    for (bool more = true; more && count <= n; count++) {
        char word[64];
        const size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), rest);
        if (count < n && (!carom_number_parse(word, &u[count]) || !isfinite(u[count])))
            return cli_message_usage("outcomes: --measured: '%s' is not a finite number", word);
        more = rest[length] == ',';
        rest += length + more;
    }
    if (count != n)
        return cli_message_usage("outcomes: --measured needs %d number%s, one for each velocity "
                                 "(%s ...), separated by commas",
                                 n, n == 1 ? "" : "s", o->answer.velocities[0]);
    o->measured = u;
    return CLI_ANSWERED;
}

static carom_status find_ranges(cli_outcomes *o, double radius, carom_admissible_range *range,
                                carom_error *error)
{
    const int n = o->answer.impact.n;
    double *weights = calloc((size_t)n + 1, sizeof *weights);
    carom_status status = weights ? CAROM_OK : carom_error_memory(error);
    for (int j = 0; j < n && !status; j++) {
        weights[j] = 1;
        status = carom_admissible_find_range(&o->set, weights, radius, o->answer.arena, &range[j],
                                             error);
        weights[j] = 0;
    }
    free(weights);
    return status;
}

static carom_status find_level(cli_outcomes *o, cli_level *level, carom_admissible_range *range,
                               carom_error *error)
{
    level->radius = carom_admissible_radius(&o->set, level->e, CAROM_READING_ENERGY);
    carom_status status = carom_admissible_level(&o->set, level->e, CAROM_READING_ENERGY,
                                                 o->answer.arena, &level->points, error);
    if (!status)
        status = find_ranges(o, level->radius, range, error);
    for (int j = 0; j < o->answer.impact.n && !status; j++)
        level->width = fmax(level->width, range[j].high - range[j].low);
    return status;
}

static carom_status find_set(cli_outcomes *o, carom_error *error)
{
    const cli_answer *a = &o->answer;
    const size_t n = (size_t)a->impact.n;
    carom_status status = carom_admissible_make(&a->geometry, a->arena, &o->set, error);
    const bool listed = !status && o->set.k <= CLI_OUTCOMES_DIMENSION;
    if (!listed)
        o->level_count = 0;
    if (!status && listed)
        status = carom_admissible_extremes(&o->set, a->arena, &o->extremes, &o->vertices, error);
    if (status)
        return status;
    o->range = carom_arena_take(a->arena, (2 * n + 1) * sizeof *o->range);
    if (!o->range)
        return carom_error_memory(error);
    status = find_ranges(o, o->set.speed, o->range, error);
    for (size_t j = 0; j < n && !status; j++)
        o->gap = fmax(o->gap, fmax(o->range[j].high_proved - o->range[j].high,
                                   o->range[j].low - o->range[j].low_proved));
    for (int k = 0; k < o->level_count && !status; k++)
        status = find_level(o, &o->levels[k], o->range + n, error);
    return status;
}

/* What is not to be had for this impact is said, not refused. */
static int settle(carom_status status, const carom_error *error, bool *has, char why[256])
{
    *has = status == CAROM_OK;
    if (status == CAROM_ERROR_UNSUPPORTED) {
        snprintf(why, 256, "%.250s", error->text);
        return CLI_ANSWERED;
    }
    return status ? cli_message_error(NULL, error) : CLI_ANSWERED;
}

/* Orders that all go on without end reach nothing. */
static void look_for_end(const carom_orders *orders, bool *has, char why[256])
{
    if (!*has || orders->endless < orders->samples)
        return;
    *has = false;
    snprintf(why, 256, "none of %ld orders of impulses came to an end", orders->samples);
}

static bool has_friction(const carom_impact *impact)
{
    for (int i = 0; i < impact->p && impact->contacts; i++)
        if (impact->contacts[i].friction_static > 0 && impact->contacts[i].slip_count > 0)
            return true;
    return false;
}

static int explore(const cli_arguments *arguments, cli_outcomes *o)
{
    const cli_answer *a = &o->answer;
    double samples = 2000, seed = 0;
    carom_error error = {0};
    int status = cli_option_number(arguments, "samples", &samples);
    if (!status)
        status = cli_option_number(arguments, "seed", &seed);
    if (status)
        return status;
    if (!(samples >= 0 && samples <= 1e9 && samples == floor(samples)) || !(seed >= 0))
        return cli_message_usage("outcomes: --samples and --seed are whole numbers from 0 on");
    carom_orders_options options = {.samples = (long)samples, .seed = (uint64_t)seed};
    carom_status found = carom_orders_explore(&a->geometry, &options, a->arena, &o->orders, &error);
    status = settle(found, &error, &o->has_orders, o->why_no_orders);
    look_for_end(&o->orders, &o->has_orders, o->why_no_orders);
    if (status || !has_friction(&a->impact))
        return status;
    options.friction = true;
    found = carom_orders_explore(&a->geometry, &options, a->arena, &o->rough, &error);
    status = settle(found, &error, &o->has_rough, o->why_no_rough);
    look_for_end(&o->rough, &o->has_rough, o->why_no_rough);
    return status;
}

/* The kinetic distance of two velocities. */
static double apart(const carom_geometry *g, const double *u, const double *v, double *work)
{
    for (int k = 0; k < g->impact->n; k++)
        work[k] = u[k] - v[k];
    return sqrt(fmax(0, carom_geometry_dot(g, work, work)));
}

static double least_apart(const cli_outcomes *o, const carom_outcome *outcome, double *work)
{
    const carom_geometry *g = &o->answer.geometry;
    double least = NAN;
    if (!cli_answer_exists(outcome))
        return least;
    least = apart(g, outcome->u, o->measured, work);
    for (int k = 0; k < outcome->alternative_count; k++)
        least = fmin(least, apart(g, outcome->alternatives[k].u, o->measured, work));
    return least;
}

bool cli_outcomes_is_rough(const cli_outcomes *o)
{
    const carom_geometry *g = &o->answer.geometry;
    for (int i = 0; i < g->impact->p; i++)
        if (g->slip_start[i + 1] > g->slip_start[i] && g->impact->contacts &&
            g->impact->contacts[i].friction_static > 0)
            return true;
    return false;
}

/* Where the measured velocity lies: in the set or not, how far, on which level, near which laws. */
static int locate(const cli_arguments *arguments, cli_outcomes *o)
{
    cli_answer *a = &o->answer;
    const size_t n = (size_t)a->impact.n;
    double *work = carom_arena_take(a->arena, (n + (size_t)a->count + 1) * sizeof *work);
    carom_error error = {0};
    o->tolerance = 1e-6;
    int status = cli_option_positive(arguments, "tolerance", &o->tolerance);
    if (status)
        return status;
    if (!work)
        return cli_message_memory();
    o->law_distance = work + n;
    for (int k = 0; k < a->count; k++)
        o->law_distance[k] = least_apart(o, &a->entries[k].outcome, work);
    if (!o->has_set)
        return CLI_ANSWERED;
    carom_status found =
        carom_admissible_locate(&o->set, o->measured, o->tolerance, a->arena, &o->place, &error);
    if (!found && cli_outcomes_is_rough(o)) {
        found = carom_admissible_rough(&o->set, o->measured, o->tolerance, a->arena, &o->friction,
                                       &error);
        o->has_friction = !found;
        found = found == CAROM_ERROR_UNSUPPORTED ? CAROM_OK : found;
    }
    return found ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

/* Where no law has an outcome the set is still there. */
static int apply_laws(cli_answer *answer)
{
    const int status = cli_answer_apply(answer);
    return status == CLI_NO_ANSWER && !answer->stopped ? CLI_ANSWERED : status;
}

int cli_outcomes_open(const cli_arguments *arguments, cli_outcomes *o)
{
    carom_error error = {0};
    *o = (cli_outcomes){0};
    int status = cli_answer_open(arguments, &o->answer);
    if (!status && o->answer.impact.p == 0) {
        fprintf(stderr, "%s: no contact is closed%s%s\n", cli_message_file(o->answer.file),
                o->answer.nearest[0] ? ": " : "", o->answer.nearest);
        return CLI_NO_ANSWER;
    }
    if (!status)
        status = read_levels(arguments, o);
    if (!status)
        status = read_measured(arguments, o);
    if (!status)
        status = cli_answer_choose(arguments, &o->answer);
    if (!status)
        status = apply_laws(&o->answer);
    if (!status)
        status = settle(find_set(o, &error), &error, &o->has_set, o->why_no_set);
    if (!status)
        status = explore(arguments, o);
    return !status && o->measured ? locate(arguments, o) : status;
}

void cli_outcomes_free(cli_outcomes *o)
{
    cli_answer_free(&o->answer);
}
