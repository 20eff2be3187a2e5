/* Normal restitution with Coulomb friction at the level of impulses (docs/theory/coulomb.md). */
#include "law/law_coulomb.h"
#include "base/larger.h"
#include "carom/tolerance.h"
#include "impact/predicate.h"
#include "law/law_matrix.h"
#include "law/laws.h"
#include "law/promise.h"
#include "law/restitution.h"
#include "linalg/dense.h"

#include <math.h>

/* Modes; a contact without friction has no say in xi, its slip is judged from the velocities. */
static void set_modes(const carom_geometry *g, const carom_coulomb *f,
                      const carom_coulomb_solution *solution, const double *e_t,
                      carom_outcome *outcome)
{
    if (solution->settled)
        for (int i = 0; i < f->p; i++)
            outcome->mode[i] = solution->x[f->row[i]] > 0 || f->equality[i]
                                   ? (carom_mode)solution->code[i]
                                   : CAROM_MODE_OPEN;
    else
        carom_coulomb_modes_tried(f, solution->x, solution->code, outcome->mode);
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
        if (hypot(v[0], v[1]) <= CAROM_TOLERANCE_SIGN * scale)
            outcome->mode[i] = CAROM_MODE_STICK;
        else if (s == 2)
            outcome->mode[i] = CAROM_MODE_SLIP;
        else
            outcome->mode[i] = v[0] > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
    }
}

/* The outcome of one solution, its impulses refined. *pulls: as of carom_coulomb_refine. */
static carom_status write_solution(const carom_geometry *g, const carom_coulomb *f,
                                   const carom_coulomb_data *data,
                                   const carom_coulomb_solution *solution, carom_arena *arena,
                                   carom_outcome *outcome, int *pulls, carom_error *error)
{
    *pulls = -1;
    carom_coulomb_store(f, g, solution->x, outcome);
    carom_outcome_from_impulses(g, outcome);
    for (int k = 0; k < g->impact->n && solution->settled; k++)
        outcome->u[k] = g->u[k] + solution->change[k];
    set_modes(g, f, solution, data->e_t, outcome);
    outcome->impulse_unique = solution->unique;
    if (solution->continuum)
        carom_outcome_say(outcome, "one of a continuum of outcomes, that of least impulse");
    if (solution->creeps) /* on the modes told it would come to rest */
        return CAROM_OK;
    if (f->N > f->p || data->equality)
        return carom_coulomb_refine(f, g, data, solution->x, arena, outcome, pulls, error);
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
static void explain_none(const carom_geometry *g, const carom_coulomb_solutions *solutions,
                         bool equality, carom_outcome *outcome)
{
    char text[16];
    outcome->answer = solutions->complete ? CAROM_ANSWER_NONE : CAROM_ANSWER_FAILED;
    if (!solutions->complete) {
        carom_outcome_say(outcome,
                          "no solution found (residual %.3g); that there is none is not proved",
                          solutions->residual);
        return;
    }
    carom_outcome_say(outcome, equality ? "no mode satisfies the law"
                                        : "no impulses satisfy the law: the contacts work against "
                                          "each other");
    if (!equality)
        return;
    for (int i = 0; i < g->impact->p; i++)
        if (carom_predicate_separates(g, i)) {
            carom_outcome_say(outcome,
                              "contact %s separates before the impact and the equality form asks "
                              "it to come back; form complementarity lets it go",
                              carom_contact_name(g->impact->contacts, i, text));
            return;
        }
    if (solutions->near_contact >= 0)
        carom_outcome_say(outcome, "contact %s would have to pull (normal impulse %.6g)",
                          carom_contact_name(g->impact->contacts, solutions->near_contact, text),
                          solutions->near_miss);
}

/* The solutions as outcomes, the first and its alternatives; those that refinement refutes are
 * taken off the list. *continuum: one that stays stands for many. */
static carom_status write_solutions(const carom_geometry *g, const carom_coulomb *f,
                                    const carom_coulomb_data *data, carom_coulomb_solutions *all,
                                    carom_arena *arena, carom_outcome *outcome, bool *continuum,
                                    carom_error *error)
{
    int kept = 0, pulls = -1;
    *continuum = false;
    carom_status status = CAROM_OK;
    carom_outcome *others = NULL;
    if (all->count > 1)
        others = carom_arena_zeros(arena, (size_t)all->count - 1, sizeof *outcome);
    if (all->count > 1 && !others)
        return carom_error_memory(error);
    for (int k = 0; k < all->count && !status; k++) {
        carom_outcome *o = kept ? &others[kept - 1] : outcome;
        if (k > 0)
            status = carom_outcome_create(g, arena, o, error);
        if (!status)
            status = write_solution(g, f, data, &all->list[k], arena, o, &pulls, error);
        *continuum = *continuum || (all->list[k].continuum && pulls < 0);
        kept += !status && pulls < 0;
    }
    if (kept == 0 && all->count > 0 && !status)
        status = carom_outcome_create(g, arena, outcome, error);
    outcome->alternatives = others;
    outcome->alternative_count = kept > 1 ? kept - 1 : 0;
    all->count = kept;
    return status;
}

carom_status carom_law_coulomb_solve(const carom_geometry *g, const carom_coulomb_data *data,
                                     carom_arena *arena, carom_outcome *outcome, carom_error *error)
{
    carom_coulomb f;
    carom_coulomb_solutions solutions;
    carom_status status = carom_coulomb_state(g, data, arena, &f, error);
    if (!status)
        status = carom_coulomb_solve(&f, arena, &solutions, error);
    if (status)
        return status;
    bool continuum;
    status = write_solutions(g, &f, data, &solutions, arena, outcome, &continuum, error);
    if (status)
        return status;
    carom_outcome_detail(outcome, "solutions", solutions.count);
    /* What was proved not to exist has none. */
    if (solutions.count > 0 || !solutions.complete)
        carom_outcome_detail(outcome, "residual", solutions.residual);
    carom_outcome_detail(outcome, "complete", solutions.complete);
    if (solutions.count == 0) {
        explain_none(g, &solutions, data->equality, outcome);
        return CAROM_OK;
    }
    if (!solutions.complete)
        carom_outcome_say(outcome, "one solution; whether there are others was not examined");
    if (continuum) {
        outcome->answer = CAROM_ANSWER_SEVERAL;
        carom_outcome_detail(outcome, "continuum", 1);
    }
    if (solutions.count > 1) {
        outcome->answer = CAROM_ANSWER_SEVERAL;
        carom_outcome_say(outcome, "%d solutions; the one of least impulse is shown first",
                          solutions.count);
    }
    return CAROM_OK;
}

/* Without values the form is the first of its choices, complementarity: asked for every impact. */
static bool is_equality(const carom_law *law)
{
    return law->value_count > 0 && carom_law_is_choice(law, "form", "equality");
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p;
    const char *reason = carom_law_needs_plain_contacts(g);
    char text[160];
    bool equality = is_equality(law);
    const carom_law smooth = {.ops = &carom_law_newton};
    if (!reason && !equality && g->s == 0 && !(law->value_count && carom_law_value(law, "E")))
        return smooth.ops->apply(&smooth, g, arena, outcome, error); /* without a slip it is that */
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
    carom_coulomb_data statement = {target, mu_s, mu_d, e_t, equality};
    return carom_law_coulomb_solve(g, &statement, arena, outcome, error);
}

static bool acts(const carom_contact *contact)
{
    return contact->slip_count > 0 && contact->friction_static > 0;
}

static bool step(const carom_law *law, const carom_contact *contact, carom_law_step *say)
{
    (void)law;
    *say = (carom_law_step){contact->restitution, contact->tangential_restitution, true,
                            CAROM_COEFFICIENTS_OF_CONTACT};
    return true;
}

static double single(const carom_law *law, const carom_contact *contact)
{
    return acts(contact) || is_equality(law) ? NAN : contact->restitution;
}

static bool mixes(const carom_law *law)
{
    return !is_equality(law);
}

static carom_coulomb_form form(const carom_law *law)
{
    return is_equality(law) ? CAROM_COULOMB_EQUALITY : CAROM_COULOMB_COMPLEMENTARITY;
}

/* Normal law and friction cone hold by construction; where friction acts energy may grow. */
static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    const carom_impact *impact = g->impact;
    bool rough = false;
    for (int i = 0; i < impact->p && impact->contacts; i++)
        rough = rough || acts(&impact->contacts[i]);
    if (!rough && is_equality(law))
        return carom_law_matrix_promise(law, g, arena, made, error);
    if (!rough)
        return carom_law_newton.promise(law, g, arena, made, error);
    double *target = carom_arena_doubles(arena, (size_t)impact->p);
    if (!target)
        return carom_error_memory(error);
    const char *reason = NULL;
    char text[160];
    carom_restitution_target(law, g, target, &reason, text);
    made->kinematic = !reason;
    for (int i = 0; i < impact->p && !reason; i++)
        made->kinematic = made->kinematic && target[i] <= CAROM_PREDICATE_REST * g->gamma_size[i];
    made->kinetic = true;
    carom_promise_write(made, "", "energy may grow (carom check: friction-energy)");
    return CAROM_OK;
}

/* Rows whose own terms vanish carry the rounding of those beside them: 1e-12 of these is no more
 * than 1e-7 of a size that counts them so. */
static const double DULL = 1e-5;

/* |v| of one or two numbers. */
static double length(int s, const double *v)
{
    return s == 2 ? hypot(v[0], v[1]) : fabs(v[0]);
}

/* Coulomb's law at contact i: sticks within mu_s, or slides with mu_d against xi = v_T+ + e_t v_T-;
 * the better description counts. Impulses in units of what stops the slips and of themselves. */
static double friction_off(const carom_geometry *g, const carom_outcome *o, int i, double fastest)
{
    const carom_contact *c = &g->impact->contacts[i];
    int first = g->slip_start[i], s = g->slip_start[i + 1] - first;
    double xi[2] = {0}, size = 0, D = 0, normal = larger(o->impulse[i], 0), off[2] = {0};
    const double *l = o->tangential_impulse + first;
    for (int k = 0; k < s; k++) {
        size_t column = (size_t)(first + k) * (size_t)g->impact->n;
        xi[k] = o->slip[first + k] + c->tangential_restitution * g->slip[first + k];
        size += carom_predicate_slip_size(g, first + k, o->u) +
                carom_predicate_slip_size(g, first + k, g->u);
        if (fastest > 0)
            size += DULL * carom_predicate_reach(g, g->impact->H + column, fastest);
        D += carom_dense_dot(g->impact->n, g->impact->H + column, g->Z + column);
    }
    double force = length(s, l), slip = length(s, xi), unit = D > 0 ? size / D : 0;
    unit += force + (isinf(c->friction_dynamic) ? 0 : c->friction_dynamic * normal);
    if (!(unit > 0) || !(size > 0))
        return 0;
    double excess =
        isinf(c->friction_static) ? (normal > 0 ? 0 : force) : force - c->friction_static * normal;
    double stick = larger(slip / size, excess / unit);
    if (isinf(c->friction_dynamic)) { /* open: slips freely, and nothing acts */
        double open = larger(force, normal) / unit;
        return open < stick ? open : stick;
    }
    if (!(slip > 0))
        return stick;
    for (int k = 0; k < s; k++)
        off[k] = l[k] + c->friction_dynamic * normal * xi[k] / slip;
    double slides = length(s, off) / unit;
    return slides < stick ? slides : stick;
}

/* gamma+ + epsilon gamma- >= 0 complementary to L >= 0, or equal to zero with L >= 0. */
static double normal_off(const carom_geometry *g, const carom_outcome *o, int i, double target,
                         bool equality, double fastest)
{
    const double *w = g->impact->W + (size_t)i * (size_t)g->impact->n;
    double size = carom_predicate_normal_size(g, i, o->u) + g->gamma_size[i] + fabs(target);
    if (fastest > 0)
        size += DULL * carom_predicate_reach(g, w, fastest);
    double xi = o->gamma[i] + target, push = o->impulse[i] * g->norm[i] * g->norm[i];
    double off = equality ? fabs(xi) : larger(-xi, xi < push ? xi : push);
    return size > 0 ? larger(off, -push) / size : 0;
}

/* The worst contact; sizes count the fastest term too, unless that is 0. */
static double law_off(const carom_law *law, const carom_geometry *g, const carom_outcome *o,
                      const double *target, double fastest)
{
    const bool equality = is_equality(law);
    double worst = 0;
    for (int i = 0; i < g->impact->p; i++) {
        worst = larger(worst, normal_off(g, o, i, target[i], equality, fastest));
        if (g->impact->contacts && acts(&g->impact->contacts[i]))
            worst = larger(worst, friction_off(g, o, i, fastest));
    }
    return worst;
}

static carom_status residual(const carom_law *law, const carom_geometry *g, const carom_outcome *o,
                             carom_arena *arena, double *worst, carom_error *error)
{
    int p = g->impact->p;
    const char *reason = NULL;
    char text[160];
    carom_mark mark = carom_arena_mark(arena);
    double *target = carom_arena_doubles(arena, (size_t)p);
    if (!target)
        return carom_error_memory(error);
    carom_restitution_target(law, g, target, &reason, text);
    *worst = reason ? 0 : law_off(law, g, o, target, 0);
    if (*worst > CAROM_PREDICATE_REST) /* beside rows whose terms vanish */
        *worst = law_off(law, g, o, target, carom_predicate_fastest(g, o->u));
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
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
    .step = step,
    .single = single,
    .mixes = mixes,
    .promise = promise,
    .residual = residual,
    .coulomb = form,
};
