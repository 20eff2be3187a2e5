/* Moreau's law, one coefficient for all contacts (docs/theory/moreau.md): split u- - b = z + z_perp
 * in the kinetic metric, z in T; then u+ - b = z - epsilon z_perp. */
#include "law/law_moreau.h"

#include "carom/tolerance.h"
#include "law/impulses.h"
#include "law/promise.h"

#include <math.h>
#include <string.h>

#include "carom/cone.h"
#include "impact/tangent.h"

static void detail_text(carom_outcome *o, const char *name, const char *text)
{
    if (o->detail_count < CAROM_DETAILS)
        o->details[o->detail_count++] = (carom_detail){.name = name, .text = text};
}

/* What the outcome at z has more than its velocity. */
static void describe(carom_outcome *o, carom_stationary_type type, double distance, double epsilon)
{
    detail_text(o, "type", carom_cone_union_text(type));
    carom_outcome_detail(o, "distance", distance);
    carom_outcome_detail(o, "restitution", epsilon);
}

/* v = u- - z_perp, refined, and u+ = v + epsilon (v - u-). `all`: every contact must hold. */
static carom_status leave(const carom_geometry *g, const double *z_perp, bool all, double epsilon,
                          carom_arena *arena, carom_outcome *o, carom_error *error)
{
    const int n = g->impact->n;
    double *v = carom_arena_doubles(arena, (size_t)n);
    if (!v)
        return carom_error_memory(error);
    for (int i = 0; i < n; i++)
        v[i] = g->u[i] - z_perp[i];
    carom_status status = carom_moreau_refine(g, epsilon, all, arena, v, o, error);
    for (int i = 0; i < n; i++)
        o->u[i] = v[i] + epsilon * (v[i] - g->u[i]);
    carom_law_set_modes(g, o);
    return status;
}

/* Half-spaces only: v is the nearest allowed velocity, u+ = v + epsilon (v - u-). No frame velocity
 * b is needed, and light bodies keep their digits. */
static carom_status project_plain(const carom_geometry *g, double epsilon, carom_arena *arena,
                                  carom_outcome *o, carom_error *error)
{
    carom_impulses f;
    carom_status status = carom_impulses_nearest(g, NULL, CAROM_LCP_AUTO, arena, &f, error);
    if (status)
        return status;
    f.converged = f.converged && f.exists; /* b itself is allowed: there is always one */
    double *away = carom_arena_doubles(arena, (size_t)g->impact->n);
    if (!away)
        return carom_error_memory(error);
    for (int k = 0; k < g->impact->n; k++) {
        doubled v = f.exact_u ? f.exact_u[k] : (doubled){f.u[k], 0};
        away[k] = doubled_add_double(v, -g->u[k]).hi;
        f.u[k] = doubled_add(v, doubled_scale(doubled_add_double(v, -g->u[k]), epsilon)).hi;
    }
    bool inside = true;
    for (int i = 0; i < g->impact->p; i++) {
        inside = inside && f.impulse[i] == 0;
        f.impulse[i] *= 1 + epsilon;
    }
    carom_impulses_store(g, &f, o);
    carom_law_set_modes(g, o);
    describe(o, inside ? CAROM_STATIONARY_INSIDE : CAROM_STATIONARY_MINIMUM,
             sqrt(carom_geometry_dot(g, away, away)), epsilon);
    return CAROM_OK;
}

static carom_status project_convex(const carom_geometry *g, const double *x, double epsilon,
                                   carom_arena *arena, carom_outcome *o, carom_error *error)
{
    if (!carom_tangent_moves_along(g))
        return carom_law_refuse(o, "a second-order cone moves along its own spread: no frame "
                                   "velocity b has w'b = -motion and A b = 0, so the admissible "
                                   "velocities are no translated cone");
    carom_tangent t;
    carom_projection pr;
    carom_status status = carom_tangent_make(g, arena, &t, error);
    if (!status)
        status = carom_cone_project(&t.cone, x, arena, &pr, error);
    if (status)
        return status;
    for (int k = 0; k < t.cone.p; k++)
        o->impulse[t.row[k]] = (1 + epsilon) * pr.lambda[k];
    for (int k = 0; k < t.cone.q; k++)
        o->impulse[t.soc[k]] = (1 + epsilon) * pr.nu[k];
    for (int j = 0; j < g->spread_start[g->impact->p]; j++)
        o->spread_impulse[j] = (1 + epsilon) * pr.eta[j];
    o->impulse_unique = pr.unique;
    o->impulse_exists = pr.attained;
    status = leave(g, pr.z_perp, true, epsilon, arena, o, error);
    if (status)
        return status;
    bool inside = pr.distance <= CAROM_TOLERANCE_CARRIED * g->speed;
    describe(o, inside ? CAROM_STATIONARY_INSIDE : CAROM_STATIONARY_MINIMUM, pr.distance, epsilon);
    if (!pr.attained)
        carom_outcome_say(o, "a second-order cone has no interior: the velocity is right, but no "
                             "finite impulse along its normal and spread explains it");
    if (!pr.converged) {
        o->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(o, "the projection was found to %.3g only", pr.residual);
    }
    return CAROM_OK;
}

static carom_status take_stationary(const carom_geometry *g, const double *x,
                                    const carom_stationary *s, double epsilon, double *z_perp,
                                    carom_arena *arena, carom_outcome *o, carom_error *error)
{
    for (int i = 0; i < g->impact->n; i++)
        z_perp[i] = s->type == CAROM_STATIONARY_INSIDE ? 0 : x[i] - s->z[i];
    for (int i = 0; i < g->impact->p; i++)
        o->impulse[i] = (1 + epsilon) * s->lambda[i];
    o->impulse_unique = s->unique;
    describe(o, s->type, s->distance, epsilon);
    return leave(g, z_perp, false, epsilon, arena, o, error);
}

static carom_status project_union(const carom_geometry *g, const double *x, double epsilon,
                                  carom_arena *arena, carom_outcome *o, carom_error *error)
{
    const carom_impact *impact = g->impact;
    if (g->spread_start[impact->p] > 0)
        return carom_law_refuse(o, "a region of groups together with second-order cones (spread) "
                                   "is not supported");
    if (impact->p > CAROM_UNION_LIMIT)
        return carom_law_refuse(o,
                                "a region with %d contacts: all stationary points are found "
                                "for at most %d",
                                impact->p, CAROM_UNION_LIMIT);
    carom_union set = {.n = impact->n, .p = impact->p, .W = impact->W, .c = g->c, .C = g->C};
    set.metric = (carom_metric){impact->mass_is_diagonal, impact->M, g->L};
    set.group_count = impact->region->group_count;
    set.group_start = impact->region->group_start;
    set.group_row = impact->region->group_contact;
    carom_stationary *s;
    carom_error reason = {0};
    int count;
    carom_status status = carom_cone_union_stationary(&set, x, arena, &s, &count, &reason);
    if (status == CAROM_ERROR_UNSUPPORTED)
        return carom_law_refuse(o, "%s", reason.text);
    if (status)
        return carom_error_set(error, status, "%s", reason.text);
    if (count == 0) {
        o->answer = CAROM_ANSWER_FAILED;
        carom_outcome_say(o, "no point of the region was found to be stationary: rounding");
        return CAROM_OK;
    }
    double *z_perp = carom_arena_doubles(arena, (size_t)impact->n);
    o->alternatives = carom_arena_array(arena, (size_t)count, sizeof *o->alternatives);
    if (!z_perp || !o->alternatives)
        return carom_error_memory(error);
    status = take_stationary(g, x, s, epsilon, z_perp, arena, o, error);
    for (int k = 1; k < count && !status; k++) {
        carom_outcome *other = o->alternatives + k - 1;
        status = carom_outcome_create(g, arena, other, error);
        if (!status)
            status = take_stationary(g, x, s + k, epsilon, z_perp, arena, other, error);
        o->alternative_count = k;
    }
    if (status || count == 1)
        return status;
    o->answer = CAROM_ANSWER_SEVERAL;
    if (s->type == CAROM_STATIONARY_INSIDE)
        carom_outcome_say(o,
                          "re-entrant corner: u- is admissible, no impact is the default; %d "
                          "further stationary point%s",
                          count - 1, count == 2 ? "" : "s");
    else if (s[1].distance - s[0].distance <= CAROM_TOLERANCE_SAME * s[0].distance)
        carom_outcome_say(o, "re-entrant corner: %d stationary points, the nearest ones tie",
                          count);
    else
        carom_outcome_say(o, "re-entrant corner: %d stationary points, the nearest is shown",
                          count);
    return CAROM_OK;
}

carom_status carom_law_moreau_project(const carom_geometry *g, double epsilon, carom_arena *arena,
                                      carom_outcome *outcome, carom_error *error)
{
    if (!g->impact->region && g->spread_start[g->impact->p] == 0)
        return project_plain(g, epsilon, arena, outcome, error);
    double *x = carom_arena_doubles(arena, (size_t)g->impact->n);
    if (!x)
        return carom_error_memory(error);
    for (int i = 0; i < g->impact->n; i++)
        x[i] = g->u[i] - g->b[i];
    return g->impact->region ? project_union(g, x, epsilon, arena, outcome, error)
                             : project_convex(g, x, epsilon, arena, outcome, error);
}

/* The parameter, else the value all contacts share. False: they differ. */
static bool find_restitution(const carom_law *law, const carom_geometry *g, double *epsilon)
{
    *epsilon = carom_law_number(law, "restitution");
    if (!isnan(*epsilon))
        return true;
    *epsilon = g->impact->p ? carom_law_restitution(g, 0) : 0;
    for (int i = 1; i < g->impact->p; i++)
        if (carom_law_restitution(g, i) != *epsilon)
            return false;
    return true;
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    double epsilon;
    if (!find_restitution(law, g, &epsilon))
        return carom_law_refuse(outcome, "one coefficient is needed for all contacts, and theirs "
                                         "differ: give the parameter `restitution`");
    bool any = g->impact->flags & CAROM_IMPACT_ANY_RESTITUTION;
    if (!isfinite(epsilon) || (!any && !(epsilon >= 0 && epsilon <= 1)))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "law moreau: restitution %g is outside [0, 1]", epsilon);
    return carom_law_moreau_project(g, epsilon, arena, outcome, error);
}

static double coefficient(const carom_law *law, const carom_contact *contact)
{
    double own = carom_law_number(law, "restitution");
    return isnan(own) ? contact->restitution : own;
}

static bool step(const carom_law *law, const carom_contact *contact, carom_law_step *say)
{
    *say = (carom_law_step){.restitution = coefficient(law, contact),
                            .whose = isnan(carom_law_number(law, "restitution"))
                                         ? CAROM_COEFFICIENTS_OF_CONTACT
                                         : CAROM_COEFFICIENTS_OF_LAW};
    return true;
}

/* Do finite impulses explain the velocity? Cones without interior may leave none, which the
 * projection alone can tell. */
static carom_status find_attained(const carom_geometry *g, carom_arena *arena, bool *attained,
                                  carom_error *error)
{
    carom_tangent t;
    carom_projection pr;
    *attained = true;
    if (g->impact->region || g->spread_start[g->impact->p] == 0 || !carom_tangent_moves_along(g))
        return CAROM_OK;
    double *x = carom_arena_doubles(arena, (size_t)g->impact->n);
    if (!x)
        return carom_error_memory(error);
    for (int i = 0; i < g->impact->n; i++)
        x[i] = g->u[i] - g->b[i];
    carom_status status = carom_tangent_make(g, arena, &t, error);
    if (!status)
        status = carom_cone_project(&t.cone, x, arena, &pr, error);
    *attained = status || pr.attained;
    return status;
}

/* u+ - b = z - epsilon z_perp: not longer than z + z_perp for |epsilon| <= 1, whatever T is. z is
 * in T (in a convex part of it), and so is z + epsilon (z - x) where -x is: all contacts approach.
 */
carom_status carom_law_moreau_promise(const carom_geometry *g, double epsilon, carom_arena *arena,
                                      carom_promise *made, carom_error *error)
{
    bool attained;
    carom_status status = find_attained(g, arena, &attained, error);
    if (status)
        return status;
    made->kinematic = epsilon == 0 || (epsilon > 0 && g->approaching);
    made->kinetic = epsilon >= -1 && attained;
    made->energetic = epsilon >= -1 && epsilon <= 1;
    carom_promise_write(made,
                        epsilon != 0 ? "never gains energy"
                        : g->impact->region
                            ? "loses energy (another stationary point may lose more)"
                            : "loses the most energy possible",
                        !(epsilon >= 0 && epsilon <= 1) ? "the coefficient is outside [0, 1]"
                        : !attained                     ? "no finite impulses explain the velocity"
                        : !g->approaching ? "a contact separates before, it may not afterwards"
                                          : NULL);
    return CAROM_OK;
}

static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    double epsilon;
    return find_restitution(law, g, &epsilon)
               ? carom_law_moreau_promise(g, epsilon, arena, made, error)
               : CAROM_OK;
}

static const carom_parameter parameters[] = {
    {.name = "restitution",
     .doc = "global dissipation index epsilon; default: the contacts' common value",
     .kind = CAROM_PARAMETER_NUMBER,
     .number = NAN,
     .lower = 0,
     .upper = 1},
    {0},
};

const carom_law_ops carom_law_moreau = {
    .name = "moreau",
    .summary = "global dissipation index by cone projection; second-order cones, re-entrant "
               "corners",
    .reference = "Moreau, decomposition by two polar cones; Glocker, geometry of Newtonian impacts "
                 "with global dissipation index for moving sets",
    .parameters = parameters,
    .apply = apply,
    .step = step,
    .single = coefficient,
    .promise = promise,
};
