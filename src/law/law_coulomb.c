/* Normal restitution with Coulomb friction at the level of impulses (docs/theory/coulomb.md). */
#include "law/law_coulomb.h"
#include "impact/check.h"
#include "law/laws.h"
#include "law/restitution.h"

#include <math.h>

/* Modes; a contact without friction has no say in xi, its slip is judged from the velocities. */
static void set_modes(const carom_geometry *g, const carom_friction *f, const double *x,
                      const double *e_t, carom_outcome *outcome)
{
    carom_friction_modes(f, x, outcome->mode);
    int n = g->impact->n;
    for (int i = 0; i < f->p; i++) {
        int start = g->slip_start[i], s = g->slip_start[i + 1] - start;
        if (outcome->mode[i] != CAROM_MODE_CLOSED || s == 0)
            continue;
        double v[2] = {0}, scale = 0;
        for (int k = 0; k < s; k++) {
            const double *h = g->impact->H + (size_t)(start + k) * n;
            v[k] = (1 + e_t[i]) * g->slip[start + k];
            scale = fmax(scale, fabs(v[k]));
            for (int j = 0; j < n; j++)
                v[k] += h[j] * (outcome->u[j] - g->u[j]);
            for (int j = 0; j < n; j++)
                scale = fmax(scale, fabs(h[j] * g->u[j]));
        }
        if (hypot(v[0], v[1]) <= 1e-10 * scale)
            outcome->mode[i] = CAROM_MODE_STICK;
        else if (s == 2)
            outcome->mode[i] = CAROM_MODE_SLIP;
        else
            outcome->mode[i] = v[0] > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
    }
}

/* The outcome of one solution, its impulses refined. */
static carom_status write_solution(const carom_geometry *g, const carom_friction *f,
                                   const carom_friction_data *data,
                                   const carom_friction_solution *solution, carom_arena *arena,
                                   carom_outcome *outcome, carom_error *error)
{
    carom_friction_store(f, g, solution->x, outcome);
    carom_outcome_from_impulses(g, outcome);
    set_modes(g, f, solution->x, data->e_t, outcome);
    outcome->impulse_unique = solution->unique;
    if (solution->continuum)
        carom_outcome_say(outcome, "one of a continuum of outcomes, that of least impulse");
    if (f->N > f->p || data->equality)
        return carom_friction_refine(f, g, data, solution->x, arena, outcome, error);
    carom_mark mark = carom_arena_mark(arena); /* without friction, as Newton's law */
    double *target = carom_arena_doubles(arena, (size_t)f->p);
    if (!target)
        return carom_error_memory(error);
    for (int i = 0; i < f->p; i++)
        target[i] = -data->normal[i];
    carom_status status = carom_law_refine(g, target, arena, outcome->u, outcome->impulse, error);
    carom_arena_rewind(arena, mark);
    return status;
}

/* Why there is none. */
static void explain_none(const carom_geometry *g, const carom_friction_solutions *solutions,
                         bool equality, carom_outcome *outcome)
{
    char text[16];
    outcome->answer = solutions->complete ? CAROM_ANSWER_NONE : CAROM_ANSWER_FAILED;
    if (!solutions->complete) {
        carom_outcome_say(outcome, "no solution found (residual %.3g); none may exist",
                          solutions->residual);
        return;
    }
    carom_outcome_say(outcome, equality ? "no mode satisfies the law"
                                        : "no impulses satisfy the law: the contacts work against "
                                          "each other");
    if (!equality)
        return;
    for (int i = 0; i < g->impact->p; i++)
        if (g->gamma[i] > 1e-9 * g->norm[i] * g->speed) {
            carom_outcome_say(outcome,
                              "contact %s separates before the impact and the equality form asks "
                              "it to come back; form complementarity lets it go",
                              carom_impact_check_name(g->impact, i, text));
            return;
        }
    if (solutions->near_contact >= 0)
        carom_outcome_say(outcome, "contact %s would have to pull (normal impulse %.6g)",
                          carom_impact_check_name(g->impact, solutions->near_contact, text),
                          solutions->near_miss);
}

carom_status carom_law_coulomb_solve(const carom_geometry *g, const carom_friction_data *data,
                                     carom_arena *arena, carom_outcome *outcome, carom_error *error)
{
    carom_friction f;
    carom_friction_solutions solutions;
    carom_status status = carom_friction_state(g, data, arena, &f, error);
    if (!status)
        status = carom_friction_solve(&f, arena, &solutions, error);
    if (status)
        return status;
    carom_outcome_detail(outcome, "solutions", solutions.count);
    carom_outcome_detail(outcome, "residual", solutions.residual);
    if (solutions.count == 0) {
        explain_none(g, &solutions, data->equality, outcome);
        return CAROM_OK;
    }
    status = write_solution(g, &f, data, &solutions.list[0], arena, outcome, error);
    if (!solutions.complete)
        carom_outcome_say(outcome, "one solution; whether there are others was not examined");
    if (solutions.count == 1 || status)
        return status;
    outcome->answer = CAROM_ANSWER_SEVERAL;
    carom_outcome_say(outcome, "%d solutions; the one of least impulse is shown first",
                      solutions.count);
    outcome->alternatives = carom_arena_zeros(arena, (size_t)solutions.count - 1, sizeof *outcome);
    if (!outcome->alternatives)
        return carom_error_memory(error);
    for (int k = 1; k < solutions.count && !status; k++) {
        carom_outcome *other = &outcome->alternatives[k - 1];
        status = carom_outcome_create(g, arena, other, error);
        if (!status)
            status = write_solution(g, &f, data, &solutions.list[k], arena, other, error);
    }
    outcome->alternative_count = solutions.count - 1;
    return status;
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p;
    const char *reason = carom_law_needs_plain_contacts(g);
    char text[160];
    bool equality = law->value_count && carom_law_is_choice(law, "form", "equality");
    double *data = carom_arena_doubles(arena, 4 * (size_t)p);
    if (!data)
        return carom_error_memory(error);
    double *target = data, *mu_s = data + p, *mu_d = data + 2 * p, *e_t = data + 3 * p;
    if (!reason && equality)
        carom_restitution_target(law, g, target, &reason, text);
    if (!reason && !equality && law->value_count && carom_law_value(law, "E"))
        reason = "a matrix E belongs to form equality; form complementarity takes a coefficient "
                 "per contact";
    if (reason) {
        outcome->answer = CAROM_ANSWER_INAPPLICABLE;
        carom_outcome_say(outcome, "%s", reason);
        return CAROM_OK;
    }
    for (int i = 0; i < p; i++) {
        const carom_contact *c = g->impact->contacts ? &g->impact->contacts[i] : NULL;
        mu_s[i] = c && c->slip_count ? c->friction_static : 0;
        mu_d[i] = c && c->slip_count ? c->friction_dynamic : 0;
        e_t[i] = c ? c->tangential_restitution : 0;
        if (!equality)
            target[i] = carom_law_restitution(g, i) * g->gamma[i];
    }
    carom_friction_data statement = {target, mu_s, mu_d, e_t, equality};
    return carom_law_coulomb_solve(g, &statement, arena, outcome, error);
}

static const carom_parameter parameters[] = {
    {.name = "form",
     .doc = "normal law: inequality with complementarity, or the equation v_n+ = -E v_n-",
     .kind = CAROM_PARAMETER_CHOICE,
     .choices = "complementarity|equality",
     .varies = true},
    {.name = "E",
     .doc = "normalised restitution matrix p x p of form equality; default: diagonal of the "
            "contacts' restitution",
     .kind = CAROM_PARAMETER_SQUARE},
    {0},
};

const carom_law_ops carom_law_coulomb = {
    .name = "coulomb",
    .summary = "normal restitution and Coulomb friction at impulse level, all modes",
    .reference = "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction; "
                 "Stewart and Trinkle; Glocker and Pfeiffer",
    .frictional = true,
    .parameters = parameters,
    .cost = 2,
    .apply = apply,
};
