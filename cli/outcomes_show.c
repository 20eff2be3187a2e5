/* The answer of `carom outcomes` as a table and as a JSON document. */
#include "outcomes.h"

#include "carom/text.h"
#include "carom/tolerance.h"
#include "json.h"

#include <math.h>

/* Rounding around zero is shown as zero. */
static void put(cli_table *table, const cli_outcomes *o, double value)
{
    const double unit = o->answer.geometry.fastest;
    cli_table_number(table, carom_number_clean(value, unit));
}

/* An order of impulses ends where no contact is seen to approach: what is left of that is zero too.
 */
static void put_end(cli_table *table, const cli_outcomes *o, double value)
{
    const bool left = fabs(value) <= CAROM_TOLERANCE_SOLVED * o->answer.geometry.fastest;
    put(table, o, left ? 0 : value);
}

static void print_ranges(const cli_outcomes *o)
{
    const cli_answer *a = &o->answer;
    const int parts = o->has_set + o->has_orders + o->has_rough;
    cli_table *table = cli_table_create(2 + 2 * parts);
    static const char *const heads[] = {
        "least", "largest", "orders from", "to", "with friction from", "to"};
    cli_table_cell(table, "velocity");
    cli_table_heading(table, "before");
    for (int k = 0; k < 3; k++)
        if (k == 0 ? o->has_set : k == 1 ? o->has_orders : o->has_rough) {
            cli_table_heading(table, heads[2 * k]);
            cli_table_heading(table, heads[2 * k + 1]);
        }
    for (int j = 0; j < a->impact.n; j++) {
        cli_table_cell(table, "%s", a->velocities[j]);
        put(table, o, a->impact.u[j]);
        if (o->has_set) {
            put(table, o, o->range[j].low);
            put(table, o, o->range[j].high);
        }
        if (o->has_orders) {
            put_end(table, o, o->orders.low[j]);
            put_end(table, o, o->orders.high[j]);
        }
        if (o->has_rough) {
            put_end(table, o, o->rough.low[j]);
            put_end(table, o, o->rough.high[j]);
        }
    }
    cli_table_print(table, stdout);
}

static void print_points(const cli_outcomes *o, int count, const double *u)
{
    const cli_answer *a = &o->answer;
    const int n = a->impact.n, shown = count < 24 ? count : 24;
    cli_table *table = cli_table_create(n + 1);
    cli_table_cell(table, "  ");
    for (int j = 0; j < n; j++)
        cli_table_heading(table, a->velocities[j]);
    for (int k = 0; k < shown; k++) {
        cli_table_cell(table, "  ");
        for (int j = 0; j < n; j++)
            put_end(table, o, u[j + k * n]);
    }
    cli_table_print(table, stdout);
    if (shown < count)
        printf("  and %d more (--json has all)\n", count - shown);
}

static void print_set(const cli_outcomes *o)
{
    if (!o->has_set) {
        printf("\n%s\n", o->why_no_set);
        return;
    }
    if (o->set.k > CLI_OUTCOMES_DIMENSION) {
        printf("\nthe admissible set has dimension %d: points and levels are listed up to %d\n",
               o->set.k, CLI_OUTCOMES_DIMENSION);
        return;
    }
    printf(
        "\nextreme points of the admissible set, of dimension %d (%d corner%s, then those on the "
        "energy sphere):\n",
        o->set.k, o->vertices, o->vertices == 1 ? "" : "s");
    print_points(o, o->extremes.count, o->extremes.u);
    puts("\nlevels of dissipation: e = 0 loses the most, e = 1 nothing");
    cli_table *table = cli_table_create(3);
    cli_table_heading(table, "e");
    cli_table_heading(table, "radius");
    cli_table_heading(table, "widest range up to it");
    for (int k = 0; k < o->level_count; k++) {
        cli_table_number(table, o->levels[k].e);
        cli_table_number(table, o->levels[k].radius);
        cli_table_number(table, o->levels[k].width);
    }
    cli_table_print(table, stdout);
}

static void print_orders(const cli_outcomes *o)
{
    const carom_orders *orders = o->has_rough ? &o->rough : &o->orders;
    if (!o->has_orders) {
        printf("\n%s\n", o->why_no_orders);
        return;
    }
    if (o->why_no_rough[0])
        printf("\n%s\n", o->why_no_rough);
    printf("\nextreme outcomes of %ld orders of impulses%s", orders->samples,
           o->has_rough ? " with friction" : "");
    if (orders->endless)
        printf(" (%ld of them did not end)", orders->endless);
    puts(":");
    print_points(o, orders->extreme_count, orders->extremes);
}

static void print_measured(const cli_outcomes *o)
{
    const cli_answer *a = &o->answer;
    const double speed = a->geometry.speed > 0 ? a->geometry.speed : 1;
    putchar('\n');
    if (o->has_set && o->place.membership.inside)
        printf("the measured velocity is admissible%s, on the level e = %.6g\n",
               cli_outcomes_is_rough(o) ? " without friction" : "", o->place.level);
    else if (o->has_set)
        printf("the measured velocity is not admissible%s: it violates the %s requirement; kinetic "
               "distance %.6g\n",
               cli_outcomes_is_rough(o) ? " without friction" : "", o->place.membership.violated,
               o->place.distance);
    if (o->has_friction && o->friction.inside)
        puts(
            "with friction it is admissible: impulses in the friction cones lead to it, no contact "
            "closes,\nno energy is gained");
    else if (o->has_friction)
        printf("with friction it is not admissible: it violates the %s requirement (friction cones "
               "%.3g,\ncontacts %.3g, energy %.3g, as kinetic distances)\n",
               o->friction.violated, o->friction.kinetic_gap, o->friction.kinematic_gap,
               fmax(o->friction.energy_gap, 0));
    cli_table *table = cli_table_create(3);
    cli_table_cell(table, "law");
    cli_table_heading(table, "kinetic distance");
    cli_table_cell(table, " ");
    for (int k = 0; k < a->count; k++) {
        char label[128];
        if (isnan(o->law_distance[k]))
            continue;
        cli_answer_label(a, k, label, sizeof label);
        cli_table_cell(table, "%s", label);
        put(table, o, o->law_distance[k]);
        cli_table_cell(table, "%s", o->law_distance[k] <= o->tolerance * speed ? "reaches it" : "");
    }
    cli_table_print(table, stdout);
}

void cli_outcomes_print(const cli_outcomes *o)
{
    const cli_answer *a = &o->answer;
    printf("%s\n", a->title ? a->title : cli_message_file(a->file));
    cli_answer_print_instant(a);
    printf("%d degree%s of freedom, %d closed contact%s; energy before %.6g\n\n", a->impact.n,
           a->impact.n == 1 ? "" : "s", a->impact.p, a->impact.p == 1 ? "" : "s",
           a->geometry.energy);
    print_ranges(o);
    if (o->has_set) {
        char proved[48] = "rounding";
        if (o->gap > CAROM_TOLERANCE_CARRIED * a->geometry.fastest)
            snprintf(proved, sizeof proved, "%.1e", o->gap);
        printf(
            "\nleast, largest: of all that pushes only, separates and gains no energy, proved to "
            "%s;\norders: one contact struck after the other, in every order that was tried\n",
            proved);
        if (cli_outcomes_is_rough(o))
            puts("impulses of the set push along the normals alone: friction is left aside in it, "
                 "as\nin its points and levels; the picture's set takes friction in");
    }
    print_set(o);
    print_orders(o);
    if (o->measured)
        print_measured(o);
}

static void write_points(carom_json *json, const char *key, int n, int count, const double *u)
{
    carom_json_key(json, key);
    carom_json_array(json);
    for (int k = 0; k < count; k++) {
        carom_json_array(json);
        for (int j = 0; j < n; j++)
            carom_json_number(json, u[j + k * n]);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void write_pairs(carom_json *json, const char *key, int n, const double *low,
                        const double *high, int stride)
{
    carom_json_key(json, key);
    carom_json_array(json);
    for (int j = 0; j < n; j++) {
        carom_json_array(json);
        carom_json_number(json, low[j * stride]);
        carom_json_number(json, high[j * stride]);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void write_set(carom_json *json, const cli_outcomes *o)
{
    const int n = o->answer.impact.n;
    const int stride = (int)(sizeof *o->range / sizeof(double));
    if (!o->has_set) {
        cli_json_null(json, "set");
        cli_json_string(json, "set_reason", o->why_no_set);
        return;
    }
    carom_json_key(json, "set");
    carom_json_object(json);
    cli_json_integer(json, "dimension", o->set.k);
    write_points(json, "extreme_points", n, o->extremes.count, o->extremes.u);
    cli_json_integer(json, "vertices", o->vertices);
    carom_json_key(json, "max_dissipation");
    carom_json_array(json);
    for (int j = 0; j < n; j++)
        carom_json_number(json, o->set.z[j] + o->answer.geometry.b[j]);
    carom_json_end(json);
    carom_json_key(json, "levels");
    carom_json_array(json);
    for (int k = 0; k < o->level_count; k++) {
        carom_json_object(json);
        cli_json_number(json, "e", o->levels[k].e);
        cli_json_number(json, "radius", o->levels[k].radius);
        cli_json_number(json, "width", o->levels[k].width);
        write_points(json, "points", n, o->levels[k].points.count, o->levels[k].points.u);
        carom_json_end(json);
    }
    carom_json_end(json);
    write_pairs(json, "range", n, &o->range->low, &o->range->high, stride);
    write_pairs(json, "range_proved", n, &o->range->low_proved, &o->range->high_proved, stride);
    carom_json_end(json);
}

static void write_orders(carom_json *json, const char *key, int n, bool has,
                         const carom_orders *orders, const char *why)
{
    if (!has) {
        char reason[64];
        snprintf(reason, sizeof reason, "%.40s_reason", key);
        cli_json_null(json, key);
        if (why[0])
            cli_json_string(json, reason, why);
        return;
    }
    carom_json_key(json, key);
    carom_json_object(json);
    write_points(json, "extremes", n, orders->extreme_count, orders->extremes);
    write_pairs(json, "range", n, orders->low, orders->high, 1);
    cli_json_integer(json, "samples", orders->samples);
    cli_json_integer(json, "endless", orders->endless);
    carom_json_end(json);
}

static void write_friction(carom_json *json, const cli_outcomes *o)
{
    if (!o->has_friction) {
        cli_json_null(json, "with_friction");
        return;
    }
    carom_json_key(json, "with_friction");
    carom_json_object(json);
    cli_json_boolean(json, "inside", o->friction.inside);
    cli_json_string(json, "violated", o->friction.violated);
    cli_json_number(json, "cone_distance", o->friction.kinetic_gap);
    cli_json_number(json, "contact_distance", o->friction.kinematic_gap);
    cli_json_number(json, "energy_distance", fmax(o->friction.energy_gap, 0));
    carom_json_end(json);
}

static void write_measured(carom_json *json, const cli_outcomes *o)
{
    const cli_answer *a = &o->answer;
    const double speed = a->geometry.speed > 0 ? a->geometry.speed : 1;
    if (!o->measured) {
        cli_json_null(json, "measured");
        return;
    }
    carom_json_key(json, "measured");
    carom_json_object(json);
    cli_json_numbers(json, "velocity", a->impact.n, o->measured);
    if (o->has_set) {
        cli_json_boolean(json, "inside", o->place.membership.inside);
        cli_json_number(json, "distance", o->place.distance);
        cli_json_number(json, "level", o->place.level);
        cli_json_string(json, "violated", o->place.membership.violated);
    } else {
        cli_json_null(json, "inside");
        cli_json_null(json, "distance");
        cli_json_null(json, "level");
    }
    write_friction(json, o);
    for (int reached = 1; reached >= 0; reached--) {
        carom_json_key(json, reached ? "laws" : "law_distance");
        if (reached)
            carom_json_array(json);
        else
            carom_json_object(json);
        for (int k = 0; k < a->count; k++) {
            char label[128];
            cli_answer_label(a, k, label, sizeof label);
            if (!reached)
                cli_json_number(json, label, o->law_distance[k]);
            else if (o->law_distance[k] <= o->tolerance * speed)
                carom_json_string(json, label);
        }
        carom_json_end(json);
    }
    carom_json_end(json);
}

int cli_outcomes_json(const cli_outcomes *o)
{
    const cli_answer *a = &o->answer;
    carom_error error = {0};
    carom_json json;
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    cli_json_string(&json, "title", a->title);
    cli_json_strings(&json, "velocities", a->impact.n, a->velocities);
    cli_json_strings(&json, "contacts", a->impact.p, a->contacts);
    cli_json_numbers(&json, "before", a->impact.n, a->impact.u);
    write_set(&json, o);
    if (o->has_rough || o->why_no_rough[0]) {
        write_orders(&json, "orders", a->impact.n, o->has_rough, &o->rough, o->why_no_rough);
        write_orders(&json, "orders_without_friction", a->impact.n, o->has_orders, &o->orders,
                     o->why_no_orders);
    } else {
        write_orders(&json, "orders", a->impact.n, o->has_orders, &o->orders, o->why_no_orders);
    }
    write_measured(&json, o);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}
