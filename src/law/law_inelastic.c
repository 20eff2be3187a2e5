/* Maximum dissipation (docs/theory/inelastic.md): u+ - b is the point of least kinetic energy among
 * u- - b - T_perp, which is the projection of u- - b on T. Unique for dependent contacts too. */
#include "law/law_moreau.h"

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    (void)law;
    return carom_law_moreau_project(g, 0, arena, outcome, error);
}

static bool step(const carom_law *law, const carom_contact *contact, carom_law_step *say)
{
    (void)law;
    (void)contact;
    *say = (carom_law_step){.whose = CAROM_COEFFICIENTS_NONE};
    return true;
}

static double single(const carom_law *law, const carom_contact *contact)
{
    (void)law;
    (void)contact;
    return 0;
}

static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)law;
    return carom_law_moreau_promise(g, 0, arena, made, error);
}

static const carom_parameter parameters[] = {{0}};

const carom_law_ops carom_law_inelastic = {
    .name = "inelastic",
    .summary = "maximum dissipation: the projection on the tangent cone, whatever the coefficients",
    .reference = "Glocker, concepts for modelling impacts without friction",
    .parameters = parameters,
    .apply = apply,
    .step = step,
    .single = single,
    .mixes = carom_law_mixes,
    .promise = promise,
};
