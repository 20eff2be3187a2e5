/* What a sweep keeps of each cell, and the names of the columns it goes to. */
#include "sweep_task.h"

#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_name(cli_sweep_plan *plan, const char *name)
{
    char **names = realloc(plan->results, (size_t)(plan->columns + 1) * sizeof *names);
    if (!names)
        return false;
    plan->results = names;
    names[plan->columns] = strdup(name);
    return names[plan->columns] && ++plan->columns;
}

static bool add_names(cli_sweep_plan *plan, const char *const *names, int count)
{
    bool good = true;
    for (int k = 0; k < count && good; k++)
        good = add_name(plan, names[k]);
    return good;
}

const carom_entry cli_sweep_columns_energies[CLI_SWEEP_ENERGIES] = {
    CAROM_ENTRY_INITIAL, CAROM_ENTRY_FINAL, CAROM_ENTRY_IMPACTS, CAROM_ENTRY_FRICTION,
    CAROM_ENTRY_FORCES};

static bool add_energy(cli_sweep_plan *plan, carom_entry entry)
{
    char name[64];
    snprintf(name, sizeof name, "energy_%s", carom_flow_entries(entry)->name);
    return add_name(plan, name);
}

/* The final state, and the ledger. */
static bool name_motion(cli_sweep_plan *plan, const carom_system_shape *shape)
{
    bool good = add_name(plan, "t") && add_names(plan, shape->coordinates, shape->nq) &&
                add_names(plan, shape->velocities, shape->n) && add_name(plan, "impacts") &&
                add_name(plan, "accumulations");
    for (int k = 0; k < CLI_SWEEP_ENERGIES && good; k++)
        good = add_energy(plan, cli_sweep_columns_energies[k]);
    return good && add_name(plan, "balance_error") && add_name(plan, "max_penetration") &&
           (shape->event_count == 0 || add_energy(plan, CAROM_ENTRY_EVENTS));
}

bool cli_sweep_columns_repeat(const cli_sweep_plan *plan, const carom_scene_section *section, int k)
{
    const char *name = section->keep[k];
    bool known = strcmp(name, "t") == 0;
    for (int j = 0; j < plan->varied; j++)
        known = known || strcmp(name, plan->names[j]) == 0;
    for (int j = 0; j < k; j++)
        known = known || strcmp(name, section->keep[j]) == 0;
    return known;
}

/* A point of the motion: time, what the section keeps, and its number in the motion. */
static bool name_points(cli_sweep_plan *plan, const carom_scene_content *content)
{
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    const int kept = content->section ? content->section->keep_count : 0;
    bool good = add_name(plan, "t");
    for (int k = 0; k < kept; k++)
        if (!cli_sweep_columns_repeat(plan, content->section, k))
            good = good && add_name(plan, content->section->keep[k]);
    if (kept == 0)
        good = good && add_names(plan, shape->coordinates, shape->nq) &&
               add_names(plan, shape->velocities, shape->n);
    return good && add_name(plan, "point");
}

/* A periodic motion, at its section. */
static bool name_orbit(cli_sweep_plan *plan, const carom_system_shape *shape)
{
    static const char *const rest[] = {"t", "period", "multiplier", "stable", "residual"};
    return add_names(plan, shape->coordinates, shape->nq) &&
           add_names(plan, shape->velocities, shape->n) &&
           add_names(plan, rest, (int)(sizeof rest / sizeof *rest));
}

/* What an impact leaves: velocities, energy, verdicts. */
static bool name_impact(cli_sweep_plan *plan, const carom_scene_content *content)
{
    static const char *const rest[] = {"energy_change", "kinematic", "kinetic", "energetic"};
    const carom_system_shape *shape =
        content->system ? carom_system_get_shape(content->system) : NULL;
    const char *const *known = shape ? shape->velocities : content->impact->coordinates;
    bool good = true;
    for (int i = 0; i < (shape ? shape->n : content->impact->n) && good; i++) {
        char number[32];
        snprintf(number, sizeof number, "u%d", i + 1);
        good = add_name(plan, known && known[i] ? known[i] : number);
    }
    return good && add_names(plan, rest, (int)(sizeof rest / sizeof *rest));
}

/* One column for each contact: the number of its mode at the end (carom_mode). */
static bool name_modes(cli_sweep_plan *plan, const carom_scene_content *content)
{
    const carom_system_shape *shape =
        content->system ? carom_system_get_shape(content->system) : NULL;
    const int count = shape ? shape->p : content->impact->p;
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        char number[16], name[160];
        snprintf(
            name, sizeof name, "mode:%.140s",
            carom_contact_name(shape ? shape->contacts : content->impact->contacts, i, number));
        good = add_name(plan, name);
        plan->modes++;
    }
    return good;
}

/* The numbers that the laws add to their outcomes, found by deciding the scene as it stands. */
static int name_details(cli_sweep_plan *plan)
{
    carom_arena *arena;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error))
        return cli_message_error(NULL, &error);
    bool good = true;
    for (int k = 0; k < plan->law_count && good; k++) {
        cli_sweep_decision d;
        if (cli_sweep_task_decide(plan, plan->scene, plan->laws[k], arena, &d, &error))
            continue;
        for (int j = 0; j < d.outcome.detail_count && good; j++) {
            char name[160];
            snprintf(name, sizeof name, "details.%.140s", d.outcome.details[j].name);
            bool known = d.outcome.details[j].text != NULL;
            for (int i = 0; i < plan->columns && !known; i++)
                known = strcmp(plan->results[i], name) == 0;
            if (!known) {
                good = add_name(plan, name);
                plan->details++;
            }
        }
    }
    carom_arena_destroy(arena);
    return good ? CLI_ANSWERED : cli_message_memory();
}

/* --with: more columns. */
static int read_with(cli_sweep_plan *plan)
{
    const carom_scene_content *content = carom_scene_get(plan->scene);
    const char *text = cli_option_value(plan->arguments, "with", 0);
    if (!text)
        return CLI_ANSWERED;
    const bool modes = strcmp(text, "modes") == 0 || strcmp(text, "modes,details") == 0;
    const bool details = strcmp(text, "details") == 0 || strcmp(text, "modes,details") == 0;
    if (!modes && !details)
        return cli_message_usage("sweep: --with %s: there are modes, details and modes,details",
                                 text);
    if (plan->keep != CLI_KEEP_FINAL)
        return cli_message_usage("sweep: --with belongs to --keep final");
    if (details && plan->moves)
        return cli_message_usage("sweep: details are of single impacts, this scene is run");
    if (modes && !name_modes(plan, content))
        return cli_message_memory();
    return details ? name_details(plan) : CLI_ANSWERED;
}

static int read_skip(cli_sweep_plan *plan)
{
    double skip = 0;
    int status = cli_option_number(plan->arguments, "skip", &skip);
    if (!status && (!(skip >= 0 && skip <= 1e9) || skip != floor(skip)))
        status = cli_message_usage("sweep: --skip %.10g is not a whole number from 0 on", skip);
    plan->skip = (long)skip;
    return status;
}

/* A chain goes on where the value before ended: what only says where a motion starts is felt by its
 * first alone. */
static int warn_follow(const cli_sweep_plan *plan)
{
    const char *name = plan->axes[plan->axis_count - 1].name;
    carom_error error = {0};
    bool acts;
    if (carom_scene_acts(plan->scene, name, &acts, &error))
        return cli_message_error(NULL, &error);
    if (!acts)
        cli_message_warning(
            "sweep: %s changes nothing but the start of a motion, and with --follow "
            "only the first begins there",
            name);
    return CLI_ANSWERED;
}

static int read_keep(cli_sweep_plan *plan)
{
    static const char *const words[] = {"final", "impacts", "section", "orbit"};
    const carom_scene_content *content = carom_scene_get(plan->scene);
    const char *text = cli_option_value(plan->arguments, "keep", 0);
    const bool has_section = content->section || content->period > 0;
    int kept = text ? -1 : plan->plotted && plan->moves && has_section ? 2 : 0;
    for (int k = 0; text && k < 4; k++)
        if (strcmp(text, words[k]) == 0)
            kept = k;
    if (kept < 0)
        return cli_message_usage("sweep: --keep %s: there are final, impacts, section and orbit",
                                 text);
    plan->keep = (cli_sweep_keep)kept;
    if (plan->keep != CLI_KEEP_FINAL && !plan->moves)
        return cli_message_usage("sweep: --keep %s needs a motion: a system with `run`, or --until",
                                 text);
    if ((plan->keep == CLI_KEEP_SECTION || plan->keep == CLI_KEEP_ORBIT) && !has_section)
        return cli_message_usage("sweep: --keep %s needs `section` or `period` in the scene", text);
    if (plan->keep == CLI_KEEP_ORBIT && plan->follow)
        return cli_message_usage("sweep: --keep orbit searches from `initial`; carom follow goes "
                                 "along a branch");
    if (plan->keep != CLI_KEEP_ORBIT && cli_option_given(plan->arguments, "periods"))
        return cli_message_usage("sweep: --periods belongs to --keep orbit");
    if (plan->keep == CLI_KEEP_FINAL && cli_option_given(plan->arguments, "skip"))
        return cli_message_usage("sweep: --skip belongs to --keep impacts, section and orbit");
    if (plan->follow && !plan->moves)
        return cli_message_usage("sweep: --follow needs a motion: a system with `run`, or --until");
    const int status = plan->follow ? warn_follow(plan) : CLI_ANSWERED;
    return status == CLI_ANSWERED ? read_skip(plan) : status;
}

/* --plot: a column, or a formula of the scene's names. */
static int check_plotted(const cli_sweep_plan *plan)
{
    carom_error error = {0};
    carom_expr *expr = NULL;
    if (!plan->plotted)
        return CLI_ANSWERED;
    for (int k = 0; k < plan->columns; k++)
        if (strcmp(plan->results[k], plan->plotted) == 0)
            return CLI_ANSWERED;
    if (!carom_scene_get(plan->scene)->system)
        return cli_message_unknown(plan->plotted, (const char *const *)plan->results, plan->columns,
                                   "", "sweep: --plot: there is no column '%s'", plan->plotted);
    if (carom_scene_formula_create(plan->scene, plan->plotted, 0, &expr, &error))
        return error.status == CAROM_ERROR_MEMORY
                   ? cli_message_memory()
                   : cli_message_usage("sweep: --plot '%s': %s", plan->plotted, error.text);
    carom_expr_destroy(expr);
    return CLI_ANSWERED;
}

int cli_sweep_columns_make(cli_sweep_plan *plan)
{
    const carom_scene_content *content = carom_scene_get(plan->scene);
    carom_flow_options options;
    int status = CLI_ANSWERED;
    plan->plotted = cli_option_value(plan->arguments, "plot", 0);
    plan->moves = content->system && (content->run || cli_option_given(plan->arguments, "until"));
    if (plan->moves)
        status =
            cli_motion_options(plan->arguments, plan->arguments->files[0], plan->scene, &options);
    if (!status)
        status = read_keep(plan);
    if (status)
        return status;
    if (plan->keep == CLI_KEEP_ORBIT)
        status = cli_sweep_orbit_check(plan);
    if (status)
        return status;
    const carom_system_shape *shape = plan->moves ? carom_system_get_shape(content->system) : NULL;
    bool good = !plan->moves                   ? name_impact(plan, content)
                : plan->keep == CLI_KEEP_FINAL ? name_motion(plan, shape)
                : plan->keep == CLI_KEEP_ORBIT ? name_orbit(plan, shape)
                                               : name_points(plan, content);
    status = good ? read_with(plan) : cli_message_memory();
    return status ? status : check_plotted(plan);
}
