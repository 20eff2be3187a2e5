/* carom rods: colliding elastic rods, solved exactly by characteristics. */
#include "cli.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RODS = 64 };

/* "a,b,c": the numbers of a list; one number stands for all rods. *count is set by the first list
 * (lengths), later ones must have one number or as many. */
static int read_list(const cli_arguments *arguments, const char *name, int *count, double *values)
{
    const char *text = cli_option_value(arguments, name, 0);
    int n = 0;
    for (const char *at = text; text;) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0') || !isfinite(value))
            return cli_message_usage("--%s %s: not a list of numbers, as in --%s 1,2", name, text,
                                     name);
        if (!(value > 0))
            return cli_message_usage("--%s: %g must be positive", name, value);
        if (n == MOST_RODS)
            return cli_message_usage("--%s: more than %d rods", name, MOST_RODS);
        values[n++] = value;
        if (*end == '\0')
            break;
        at = end + 1;
    }
    if (*count == 0)
        *count = n;
    if (n > 1 && n != *count)
        return cli_message_usage("--%s: %d numbers for %d rods", name, n, *count);
    for (int i = n > 0 ? n : 0; i < *count; i++)
        values[i] = n ? values[0] : 1;
    return CLI_ANSWERED;
}

static int read_rods(const cli_arguments *arguments, carom_rod *rods, int *count)
{
    double length[MOST_RODS], modulus[MOST_RODS], density[MOST_RODS], area[MOST_RODS];
    const char *speed = cli_option_value(arguments, "speed", 0);
    if (!cli_option_given(arguments, "length") || !speed)
        return cli_message_usage("rods: --length l1,l2 and --speed v are needed");
    char *end;
    double v = strtod(speed, &end);
    if (end == speed || *end || !isfinite(v) || !(v > 0))
        return cli_message_usage("--speed %s: must be a positive number, the velocity of rod 1 "
                                 "towards the others",
                                 speed);
    int status = read_list(arguments, "length", count, length);
    if (!status && *count < 2)
        status =
            cli_message_usage("--length: %d rod, need at least two as in --length 1,2", *count);
    if (!status)
        status = read_list(arguments, "modulus", count, modulus);
    if (!status)
        status = read_list(arguments, "density", count, density);
    if (!status)
        status = read_list(arguments, "area", count, area);
    if (status)
        return status;
    for (int i = 0; i < *count; i++)
        rods[i] = (carom_rod){length[i], modulus[i], density[i], area[i], i == 0 ? v : 0};
    return CLI_ANSWERED;
}

static void json_contact(carom_json *json, const carom_rods *rods, const carom_rods_motion *m,
                         int k)
{
    const carom_rods_contact *c = &m->joints[k];
    cli_json_number(json, "contact_time", c->contact_time);
    cli_json_number(json, "open_time", c->open_time);
    cli_json_number(json, "restitution", carom_rods_restitution(rods, m, k));
    cli_json_integer(json, "closings", c->closings);
    cli_json_number(json, "impulse", c->impulse);
    carom_json_key(json, "force_steps");
    carom_json_array(json);
    for (int n = 0; n < c->force.count; n++)
        carom_json_numbers(json, 2, (double[]){c->force.steps[n].t, c->force.steps[n].value});
    carom_json_end(json);
}

/* What --energies and --regions ask for: times of the energies (0: none), and whether the x-t
 * diagram is wanted. */
typedef struct extras {
    int energies;
    bool regions;
} extras;

static double time_of(const carom_rods_motion *m, const extras *e, int k)
{
    return k == e->energies ? m->end : m->end * k / e->energies;
}

static void json_energies(carom_json *json, const carom_rods_motion *m, const extras *e)
{
    carom_json_key(json, "energies");
    carom_json_array(json);
    for (int k = 0; k <= e->energies; k++) {
        double kinetic[MOST_RODS], strain[MOST_RODS];
        for (int i = 0; i < m->count; i++)
            carom_rods_field_energy(m, i, time_of(m, e, k), &kinetic[i], &strain[i]);
        carom_json_object(json);
        cli_json_number(json, "t", time_of(m, e, k));
        cli_json_numbers(json, "kinetic", m->count, kinetic);
        cli_json_numbers(json, "strain", m->count, strain);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void json_regions(carom_json *json, int count, const carom_rods_region *regions)
{
    carom_json_key(json, "regions");
    carom_json_array(json);
    for (int n = 0; n < count; n++) {
        const carom_rods_region *r = &regions[n];
        carom_json_object(json);
        cli_json_integer(json, "rod", r->rod + 1);
        cli_json_number(json, "force", r->force);
        cli_json_number(json, "strain", r->strain);
        cli_json_number(json, "velocity", r->velocity);
        cli_json_numbers(json, "x", r->corner_count, r->x);
        cli_json_numbers(json, "t", r->corner_count, r->t);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static int print_json(const carom_rods *rods, const carom_rods_motion *m, const extras *e,
                      int region_count, const carom_rods_region *regions)
{
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    json_contact(&json, rods, m, 1);
    cli_json_numbers(&json, "velocity", m->count, m->velocity);
    cli_json_number(&json, "energy", m->energy);
    cli_json_number(&json, "energy_in_waves", m->energy_in_waves);
    cli_json_boolean(&json, "settled", m->settled);
    cli_json_boolean(&json, "exact", m->exact);
    if (m->count > 2) {
        carom_json_key(&json, "contacts");
        carom_json_array(&json);
        for (int k = 1; k < m->count; k++) {
            carom_json_object(&json);
            json_contact(&json, rods, m, k);
            carom_json_end(&json);
        }
        carom_json_end(&json);
    }
    if (e->energies > 0)
        json_energies(&json, m, e);
    if (e->regions)
        json_regions(&json, region_count, regions);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

static void print_time(cli_table *table, double value)
{
    if (isnan(value))
        cli_table_cell(table, "never");
    else
        cli_table_number(table, value);
}

static void print_steps(const carom_rods_contact *c)
{
    enum { SHOWN = 12 };
    cli_table *table = cli_table_create(3);
    cli_table_cell(table, "  from t");
    cli_table_cell(table, "to");
    cli_table_cell(table, "force");
    for (int n = 0; n < c->force.count && n < SHOWN; n++) {
        cli_table_number(table, c->force.steps[n].t);
        if (n + 1 < c->force.count)
            cli_table_number(table, c->force.steps[n + 1].t);
        else
            cli_table_cell(table, "on");
        cli_table_number(table, c->force.steps[n].value);
    }
    cli_table_print(table, stdout);
    if (c->force.count > SHOWN)
        printf("  ... %d more steps (--json has all)\n", c->force.count - SHOWN);
}

static void print_energies(const carom_rods_motion *m, const extras *e)
{
    cli_table *table = cli_table_create(1 + 2 * m->count);
    cli_table_cell(table, "t");
    for (int i = 0; i < m->count; i++) {
        cli_table_cell(table, "kinetic %d", i + 1);
        cli_table_cell(table, "strain %d", i + 1);
    }
    for (int k = 0; k <= e->energies; k++) {
        cli_table_number(table, time_of(m, e, k));
        for (int i = 0; i < m->count; i++) {
            double kinetic, strain;
            carom_rods_field_energy(m, i, time_of(m, e, k), &kinetic, &strain);
            cli_table_number(table, kinetic);
            cli_table_number(table, strain);
        }
    }
    cli_table_print(table, stdout);
}

static void print_regions(int count, const carom_rods_region *regions)
{
    cli_table *table = cli_table_create(5);
    cli_table_cell(table, "rod");
    cli_table_cell(table, "force");
    cli_table_cell(table, "strain");
    cli_table_cell(table, "velocity");
    cli_table_cell(table, "corners (x, t), x from the left end of the rod");
    for (int n = 0; n < count; n++) {
        const carom_rods_region *r = &regions[n];
        char text[CAROM_RODS_CORNERS * 40];
        size_t used = 0;
        for (int i = 0; i < r->corner_count; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s(%.6g, %.6g)",
                                     i ? " " : "", r->x[i], r->t[i]);
        cli_table_cell(table, "%d", r->rod + 1);
        cli_table_number(table, r->force);
        cli_table_number(table, r->strain);
        cli_table_number(table, r->velocity);
        cli_table_cell(table, "%s", text);
    }
    cli_table_print(table, stdout);
}

static void print_text(const carom_rods *rods, const carom_rods_motion *m)
{
    for (int k = 1; k < m->count; k++) {
        const carom_rods_contact *c = &m->joints[k];
        printf("contact of rods %d and %d\n", k, k + 1);
        cli_table *table = cli_table_create(3);
        cli_table_cell(table, "  under compression until");
        print_time(table, c->contact_time);
        if (c->closings > 1)
            cli_table_cell(table, "touched %d times", c->closings);
        else
            cli_table_cell(table, "%s", "");
        cli_table_cell(table, "  gap open from");
        print_time(table, c->open_time);
        cli_table_cell(table, " ");
        cli_table_cell(table, "  restitution");
        cli_table_number(table, carom_rods_restitution(rods, m, k));
        cli_table_cell(table, "of the mean velocities");
        cli_table_print(table, stdout);
        print_steps(c);
    }
    cli_table *table = cli_table_create(4);
    cli_table_cell(table, "rod");
    cli_table_cell(table, "mass");
    cli_table_cell(table, "velocity before");
    cli_table_cell(table, "mean velocity after");
    for (int i = 0; i < m->count; i++) {
        cli_table_cell(table, "%d", i + 1);
        cli_table_number(table, m->mass[i]);
        cli_table_number(table, rods->rods[i].velocity);
        cli_table_number(table, m->velocity[i]);
    }
    cli_table_print(table, stdout);
    printf("energy %g, of which in waves %g\n", m->energy, m->energy_in_waves);
    if (!m->exact)
        printf("a force too small to be told from none was taken for none: the times of such "
               "contacts are lower bounds\n");
    if (!m->settled)
        printf("not settled after %d events (t = %g): the rods may touch again\n", m->events,
               m->end);
}

static int read_energies(const cli_arguments *arguments, extras *e)
{
    enum { MOST = 1000000 };
    const char *text = cli_option_value(arguments, "energies", 0);
    char *end;
    if (!text)
        return CLI_ANSWERED;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > MOST)
        return cli_message_usage("--energies %s: must be a whole number from 1 to %d", text, MOST);
    e->energies = (int)n;
    return CLI_ANSWERED;
}

static int run_rods(const cli_arguments *arguments)
{
    carom_rod list[MOST_RODS];
    carom_rods rods = {.rods = list};
    extras e = {.regions = cli_option_given(arguments, "regions")};
    int status = read_rods(arguments, list, &rods.count);
    if (!status)
        status = read_energies(arguments, &e);
    if (status)
        return status;
    carom_arena *arena;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error))
        return cli_message_error(NULL, &error);
    carom_rods_motion motion;
    carom_rods_region *regions = NULL;
    int count = 0;
    if (carom_rods_solve(&rods, arena, &motion, &error) ||
        (e.regions && motion.end > 0 &&
         carom_rods_regions(&motion, motion.end, arena, &count, &regions, &error))) {
        status = cli_message_error(NULL, &error);
    } else if (cli_option_given(arguments, "json")) {
        status = print_json(&rods, &motion, &e, count, regions);
    } else {
        print_text(&rods, &motion);
        if (e.energies > 0)
            print_energies(&motion, &e);
        if (e.regions)
            print_regions(count, regions);
    }
    carom_arena_destroy(arena);
    return status;
}

static const cli_option options[] = {
    {"length", "L1,L2", "lengths of the rods, from the one that moves; three or more: a series", 0},
    {"speed", "V", "velocity of the first rod, the others are at rest", 0},
    {"modulus", "E[,E2]", "elastic modulus (1)", 0},
    {"density", "R[,R2]", "mass per volume (1)", 0},
    {"area", "A[,A2]", "cross section (1)", 0},
    {"energies", "N", "kinetic and strain energy of each rod at N + 1 times, to the end", 0},
    {"regions", NULL, "the x-t diagram: polygons of constant force, strain and velocity", 0},
    {"json", NULL, "one JSON document on standard output", 0},
    {0},
};

const cli_command cli_rods = {
    .name = "rods",
    .arguments = "",
    .summary = "colliding elastic rods: contact force, restitution and energy in waves, exactly",
    .text = "Rod 1 moves at V into rod 2 (and further rods in line), all unstressed, ends free.\n"
            "The answer is exact: waves are followed front by front.",
    .options = options,
    .run = run_rods,
};
