/* `run`: how a system is simulated. */
#include "scene/scene_parts.h"

#include "scene/keys.h"

#include <math.h>
#include <string.h>

/* Which keys belong to one method only. */
static const struct {
    const char *key;
    carom_flow_method method;
} owners[] = {
    {"tolerance", CAROM_FLOW_EVENT_DRIVEN},
    {"closed", CAROM_FLOW_EVENT_DRIVEN},
    {"max_step", CAROM_FLOW_EVENT_DRIVEN},
    {"paradox", CAROM_FLOW_EVENT_DRIVEN},
    {"step", CAROM_FLOW_TIME_STEPPING},
    {"theta", CAROM_FLOW_TIME_STEPPING},
    {"activation", CAROM_FLOW_TIME_STEPPING},
    {"scheme", CAROM_FLOW_TIME_STEPPING},
    {"project", CAROM_FLOW_TIME_STEPPING},
    {"width", CAROM_FLOW_BOUNDARY_LAYER},
    {"transition", CAROM_FLOW_BOUNDARY_LAYER},
    {"stiffness", CAROM_FLOW_BOUNDARY_LAYER},
    {"damping", CAROM_FLOW_BOUNDARY_LAYER},
    {"least_speed", CAROM_FLOW_BOUNDARY_LAYER},
    {"metric", CAROM_FLOW_BOUNDARY_LAYER},
    {"joint_damping", CAROM_FLOW_BOUNDARY_LAYER},
    {"joint_stiffness", CAROM_FLOW_BOUNDARY_LAYER},
};

static carom_status warn_unused(carom_reader *r, const carom_yaml_node *map,
                                const carom_flow_options *run)
{
    carom_status status = CAROM_OK;
    for (const carom_yaml_node *key = map->first; key && status == CAROM_OK; key = key->next)
        for (size_t k = 0; k < sizeof owners / sizeof *owners; k++)
            /* The layer's motion is integrated like the event-driven one. */
            if (strcmp(owners[k].key, key->text) == 0 && owners[k].method != run->method &&
                !(run->method == CAROM_FLOW_BOUNDARY_LAYER &&
                  owners[k].method == CAROM_FLOW_EVENT_DRIVEN))
                status = carom_reader_warn(r, key, "`%s` is not used by method %s", key->text,
                                           carom_flow_method_text(run->method));
    return status;
}

static carom_status read_choice(carom_reader *r, const carom_yaml_node *map, const char *key,
                                const char *const *words, int *index)
{
    const carom_yaml_node *node = carom_reader_find(map, key);
    return node ? carom_reader_choice(r, node, key, words, index) : CAROM_OK;
}

static carom_status read_choices(carom_reader *r, const carom_yaml_node *map,
                                 carom_flow_options *run)
{
    static const char *const methods[] = {"event-driven", "time-stepping", "boundary-layer", NULL};
    static const char *const schemes[] = {"moreau-jean", "schatzman-paoli", NULL};
    static const char *const paradoxes[] = {"stop", "impact", NULL};
    static const char *const projects[] = {"no", "yes", NULL};
    static const char *const metrics[] = {"source", "smooth", NULL};
    int method = run->method, scheme = run->scheme, paradox = run->paradox, project = run->project,
        metric = run->metric;
    carom_status status = read_choice(r, map, "method", methods, &method);
    if (status == CAROM_OK)
        status = read_choice(r, map, "scheme", schemes, &scheme);
    if (status == CAROM_OK)
        status = read_choice(r, map, "paradox", paradoxes, &paradox);
    if (status == CAROM_OK)
        status = read_choice(r, map, "project", projects, &project);
    if (status == CAROM_OK)
        status = read_choice(r, map, "metric", metrics, &metric);
    run->method = (carom_flow_method)method;
    run->scheme = (carom_flow_scheme)scheme;
    run->paradox = (carom_flow_paradox)paradox;
    run->project = project;
    run->metric = (carom_layer_metric)metric;
    return status;
}

/* Numbers: key, where it goes, its range; positive excludes the lower end. */
static carom_status read_numbers(carom_reader *r, const carom_yaml_node *map,
                                 carom_flow_options *run)
{
    const struct {
        const char *key;
        double *value, low, high;
        bool positive;
    } numbers[] = {
        {"until", &run->until, -INFINITY, INFINITY, false},
        {"output", &run->output, 0, INFINITY, true},
        {"tolerance", &run->tolerance, 0, 0.1, true},
        {"closed", &run->closed, 0, INFINITY, true},
        {"max_step", &run->max_step, 0, INFINITY, true},
        {"step", &run->step, 0, INFINITY, true},
        {"theta", &run->theta, 0, 1, false},
        {"activation", &run->activation, 0, INFINITY, false},
        {"width", &run->width, 0, INFINITY, true},
        {"transition", &run->transition, 0, 1, true},
        {"stiffness", &run->stiffness, 0, INFINITY, true},
        {"damping", &run->damping, 0, INFINITY, false},
        {"least_speed", &run->least_speed, 0, 1, true},
        {"joint_damping", &run->joint_damping, 0, INFINITY, false},
        {"joint_stiffness", &run->joint_stiffness, 0, INFINITY, false},
    };
    carom_status status = CAROM_OK;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers && status == CAROM_OK; k++) {
        const carom_yaml_node *node = carom_reader_find(map, numbers[k].key);
        if (!node)
            continue;
        if (numbers[k].positive)
            status = carom_reader_positive(r, node, numbers[k].key, numbers[k].value);
        if (status == CAROM_OK)
            status = carom_reader_number_in(r, node, numbers[k].key, numbers[k].low,
                                            numbers[k].high, numbers[k].value);
    }
    return status;
}

carom_status carom_scene_run(carom_reader *r, const carom_yaml_node *node, double start,
                             const carom_flow_options **run)
{
    carom_flow_options *made = carom_arena_zeros(r->arena, 1, sizeof *made);
    if (!made)
        return carom_error_memory(r->error);
    *made = carom_flow_options_default();
    made->any_restitution = r->any_restitution;
    const carom_yaml_node *until = NULL, *needed = NULL;
    carom_status status = carom_reader_map(r, node, "run", carom_keys_run);
    if (status == CAROM_OK)
        status = carom_reader_need(r, node, "run", "until", &until);
    if (status == CAROM_OK)
        status = read_choices(r, node, made);
    if (status == CAROM_OK && made->method == CAROM_FLOW_TIME_STEPPING)
        status = carom_reader_need(r, node, "run by time-stepping", "step", &needed);
    if (status == CAROM_OK && made->method == CAROM_FLOW_BOUNDARY_LAYER)
        status = carom_reader_need(r, node, "run by boundary-layer", "width", &needed);
    if (status == CAROM_OK)
        status = read_numbers(r, node, made);
    if (status == CAROM_OK && made->until < start)
        return carom_reader_fail(r, until, "until is %g, before the initial time %g", made->until,
                                 start);
    if (status == CAROM_OK)
        status = warn_unused(r, node, made);
    if (status == CAROM_OK)
        *run = made;
    return status;
}
