/* The boundary layer of one frictionless contact as an impact law (docs/theory/layer.md). */
#include "carom/layer.h"
#include "law/laws.h"
#include "law/promise.h"
#include "law/single.h"

#include <math.h>

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    int i = carom_single_find(g, "layer", outcome);
    if (i < 0)
        return CAROM_OK;
    double D = g->norm[i] * g->norm[i];
    carom_layer layer = {.k = carom_law_number(law, "k"),
                         .c = carom_law_number(law, "c"),
                         .a = carom_law_number(law, "a"),
                         .b = carom_law_number(law, "b"),
                         .inertia = 1 / D,
                         .speed = -g->gamma[i],
                         .metric = carom_law_is_choice(law, "metric", "smooth")
                                       ? CAROM_LAYER_SMOOTH
                                       : CAROM_LAYER_SOURCE};
    if (isnan(layer.a))
        layer.a = layer.b;
    if (layer.a > layer.b)
        return carom_law_refuse(outcome, "a = %g is larger than the width b = %g of the layer",
                                layer.a, layer.b);
    carom_layer_result r;
    carom_status status = carom_layer_follow(&layer, arena, 0, NULL, NULL, NULL, &r, error);
    if (status)
        return status;
    if (!r.ended) {
        outcome->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(outcome,
                          "the layer was not left within %ld steps: damping c is very "
                          "large against k; a = b has a closed form",
                          r.steps);
        return CAROM_OK;
    }
    outcome->impulse[i] = -(1 + r.restitution) * g->gamma[i] / D;
    carom_outcome_from_impulses(g, outcome);
    carom_law_set_modes(g, outcome);
    carom_outcome_detail(outcome, "duration", r.duration);
    carom_outcome_detail(outcome, "e_N", r.restitution);
    carom_outcome_detail(outcome, "e_P", r.impulse_ratio);
    carom_outcome_detail(outcome, "min_distance", r.least);
    carom_outcome_detail(outcome, "log_min_distance", log(layer.b) + r.log_least);
    carom_outcome_detail(outcome, "turn_time", r.turn);
    carom_single_say_pressed(g, outcome);
    return CAROM_OK;
}

/* One contact: 0 <= e_N <= 1 for c >= 0. Nothing is said of the others. */
static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)law;
    (void)arena;
    (void)error;
    made->kinematic = g->impact->p == 1;
    made->kinetic = made->energetic = true;
    carom_promise_write(made, "never gains energy",
                        "a law of one contact, the others may approach afterwards");
    return CAROM_OK;
}

static const carom_parameter parameters[] = {
    {.name = "k",
     .doc = "repulsion of the layer",
     .kind = CAROM_PARAMETER_NUMBER,
     .number = 1,
     .lower = 1e-300,
     .upper = 1e300},
    {.name = "c",
     .doc = "damping of the layer; restitution depends on b k/c",
     .kind = CAROM_PARAMETER_NUMBER,
     .number = 1,
     .lower = 0,
     .upper = 1e300},
    {.name = "a",
     .doc = "where the force is whole, at most b; default b, the sharp layer",
     .kind = CAROM_PARAMETER_NUMBER,
     .number = NAN,
     .lower = 1e-300,
     .upper = 1e300},
    {.name = "b",
     .doc = "width of the layer",
     .kind = CAROM_PARAMETER_NUMBER,
     .number = 1,
     .lower = 1e-300,
     .upper = 1e300},
    {.name = "metric",
     .doc = "inertia: b^2/x^2 from x = b on, or from x = a on with a smooth transition",
     .kind = CAROM_PARAMETER_CHOICE,
     .choices = "source|smooth"},
    {0}};

const carom_law_ops carom_law_layer = {
    .name = "layer",
    .layered = true,
    .summary = "smooth passage through a boundary layer of one frictionless contact",
    .reference = "Natsiavas, Paraskevopoulos: b-geometry of a single frictionless contact",
    .parameters = parameters,
    .cost = 3,
    .apply = apply,
    .promise = promise,
};
