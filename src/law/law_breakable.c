/* Breakable kinetic constraints (docs/theory/breakable.md). Letters of that page:
 *   V_S = M_c^-1 W zeta_S, the part of u- orthogonal to S (contacts closed),
 *   V_B = M_c^-1 (W zeta + H beta), the part of u- - V_S orthogonal to B (contacts do not slide),
 *   I   = -(1 + eps_S) V_S - lambda V_B.
 * Approaching contacts that are coupled through M_c^-1 form a group; groups are independent. */
#include "impact/predicate.h"
#include "law/breakable_split.h"
#include "law/laws.h"
#include "law/promise.h"
#include "law/single.h"

#include <float.h>
#include <math.h>

typedef enum kind { FRICTIONAL, DOUBLE, RESTITUTION, IDEAL } kind;

/* One group and what the law finds for it. */
typedef struct group {
    int p, *contact; /* approaching contacts, numbers in the impact */
    bool acts;       /* friction acts, or the kind asks for V_B */
    double V_S, V_B; /* kinetic norms */
    double lambda;
    double energy; /* change, in a frame that rests in B */
    bool sticks;   /* the constraint B was not broken */
} group;

static double column_dot(const carom_geometry *g, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < g->impact->n; k++)
        sum += x[k] * y[k];
    return sum;
}

static double friction_static(const carom_geometry *g, int i)
{
    return g->impact->contacts ? g->impact->contacts[i].friction_static : 0;
}

static double friction_dynamic(const carom_geometry *g, int i)
{
    return g->impact->contacts ? g->impact->contacts[i].friction_dynamic : 0;
}

static double restitution(const carom_geometry *g, kind law, int i)
{
    return law == IDEAL ? 1 : carom_law_restitution(g, i);
}

/* Does contact i bring its slip rows into B? A smooth contact cannot hold them. */
static bool rough(const carom_geometry *g, kind law, int i)
{
    return law == DOUBLE || (law == FRICTIONAL && friction_static(g, i) > 0);
}

/* The factor lambda of -V_B. The bound mu |V_S| for one coefficient becomes, for several, the root
 * of the sum of mu_i^2 times contact i's share -L_i gamma_i of |V_S|^2. The border belongs to
 * sticking, in units of the squares compared. */
static void choose_factor(const carom_geometry *g, const carom_breakable_split *s, kind law,
                          group *q)
{
    doubled hold = {0, 0}, drag = {0, 0}, squared = {0, 0}, shock = {0, 0};
    bool glued = false; /* infinite friction */
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a];
        doubled share = doubled_scale(s->shock[i], -g->gamma[i]);
        double mu_s = friction_static(g, i), mu_d = friction_dynamic(g, i);
        shock = doubled_add(shock, share);
        glued = glued || (share.hi > 0 && isinf(mu_s));
        if (share.hi > 0 && law == FRICTIONAL && !isinf(mu_s)) {
            hold = doubled_add(hold, doubled_multiply(share, doubled_product(mu_s, mu_s)));
            drag = doubled_add(drag, doubled_multiply(share, doubled_product(mu_d, mu_d)));
        }
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++)
            squared = doubled_add(squared, doubled_multiply(s->beta[j], s->slip[j]));
    }
    q->V_S = sqrt(fmax(0, shock.hi));
    q->V_B = sqrt(fmax(0, squared.hi));
    q->sticks = glued || squared.hi <= (1 + CAROM_PREDICATE_REST) * hold.hi;
    q->lambda = !q->acts ? 0 : q->sticks || !(q->V_B > 0) ? 1 : fmin(1, sqrt(drag.hi / squared.hi));
    if (law == DOUBLE && q->acts) {
        q->lambda = 1 + g->impact->contacts[q->contact[0]].tangential_restitution;
        q->sticks = true;
    }
}

/* Energy in a frame h in B: the parts of u- are orthogonal, so that it changes by
 *   1/2 sum (1 - eps_i) L_i gamma_i  -  1/2 (1 - (1 - lambda)^2) |V_B|^2. */
static void finish_group(const carom_geometry *g, const carom_breakable_split *s, kind law,
                         group *q, carom_outcome *outcome)
{
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a];
        q->energy += 0.5 * (1 - restitution(g, law, i)) * s->normal[i].hi * g->gamma[i];
        outcome->impulse[i] = doubled_add(s->normal[i], doubled_scale(s->zeta[i], -q->lambda)).hi;
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++)
            outcome->tangential_impulse[j] = -q->lambda * s->beta[j].hi;
    }
    q->energy -= 0.5 * q->lambda * (2 - q->lambda) * q->V_B * q->V_B;
}

/* u+ = (velocity after the normal impulses) - sum over groups lambda V_B. With one factor for all
 * V_B itself is used; a group's part of it is M_c^-1 (W zeta + H beta) of its own contacts. */
static void find_velocity(const carom_geometry *g, const carom_breakable_split *s,
                          const group *groups, int count, carom_outcome *outcome)
{
    int n = g->impact->n;
    double common = count ? groups[0].lambda : 0;
    for (int k = 0; k < n; k++) {
        double u = doubled_add(s->after[k], doubled_scale(s->V_B[k], -common)).hi;
        double dust = DBL_EPSILON * DBL_EPSILON * (fabs(s->after[k].hi) + fabs(s->V_B[k].hi));
        outcome->u[k] = fabs(u) > dust ? u : 0;
    }
    for (int number = 1; number < count; number++) {
        const group *q = &groups[number];
        for (int a = 0; a < q->p && q->lambda != common; a++) {
            int i = q->contact[a];
            const double *y = g->Y + (size_t)i * (size_t)n;
            for (int k = 0; k < n; k++)
                outcome->u[k] -= (q->lambda - common) * y[k] * s->zeta[i].hi;
            for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++)
                for (int k = 0; k < n; k++)
                    outcome->u[k] -=
                        (q->lambda - common) * g->Z[k + (size_t)j * (size_t)n] * s->beta[j].hi;
        }
    }
}

/* Are two columns coupled through M_c^-1, beyond rounding? */
static bool columns_coupled(const carom_geometry *g, const double *x, const double *x_gradient,
                            const double *y, const double *y_gradient)
{
    double d = column_dot(g, x, y_gradient);
    double xx = column_dot(g, x, x_gradient), yy = column_dot(g, y, y_gradient);
    return d * d > CAROM_PREDICATE_REST * CAROM_PREDICATE_REST * xx * yy;
}

/* Column a of contact i, normal first, then its slips: covector and gradient. */
static const double *column_of(const carom_geometry *g, int i, int a, const double **gradient)
{
    size_t n = (size_t)g->impact->n, slip = (size_t)(g->slip_start[i] + a - 1);
    *gradient = a == 0 ? g->Y + (size_t)i * n : g->Z + slip * n;
    return a == 0 ? g->impact->W + (size_t)i * n : g->impact->H + slip * n;
}

/* Are contacts i and j coupled through any of their columns? */
static bool coupled(const carom_geometry *g, int i, int j)
{
    const double *x_gradient, *y_gradient;
    for (int a = 0; a <= g->slip_start[i + 1] - g->slip_start[i]; a++)
        for (int b = 0; b <= g->slip_start[j + 1] - g->slip_start[j]; b++) {
            const double *x = column_of(g, i, a, &x_gradient);
            const double *y = column_of(g, j, b, &y_gradient);
            if (columns_coupled(g, x, x_gradient, y, y_gradient))
                return true;
        }
    return false;
}

/* Number the groups of approaching contacts: group_of[i] = 0, 1, ... or -1. Returns how many. */
static int find_groups(const carom_geometry *g, int *group_of)
{
    int p = g->impact->p, count = 0;
    for (int i = 0; i < p; i++)
        group_of[i] = -1;
    for (int first = 0; first < p; first++) {
        if (group_of[first] >= 0 || !carom_predicate_approaches(g, first))
            continue;
        group_of[first] = count;
        bool grown = true;
        while (grown) {
            grown = false;
            for (int j = 0; j < p; j++)
                for (int i = 0; i < p && group_of[j] < 0 && carom_predicate_approaches(g, j); i++)
                    if (group_of[i] == count && coupled(g, i, j)) {
                        group_of[j] = count;
                        grown = true;
                    }
        }
        count++;
    }
    return count;
}

static carom_status make_group(const carom_geometry *g, kind law, const int *group_of, int number,
                               carom_arena *arena, group *q, carom_error *error)
{
    *q = (group){0};
    q->contact = carom_arena_array(arena, (size_t)g->impact->p, sizeof(int));
    if (!q->contact)
        return carom_error_memory(error);
    for (int i = 0; i < g->impact->p; i++)
        if (group_of[i] == number) {
            q->contact[q->p++] = i;
            q->acts = q->acts || (rough(g, law, i) && g->slip_start[i + 1] > g->slip_start[i]);
        }
    return CAROM_OK;
}

/* The slip columns that belong to B: those of rough contacts; where no friction acts all of a
 * group, so that V_B is told, with lambda = 0. */
static void mark_held(const carom_geometry *g, kind law, const group *q, bool *held)
{
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a];
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++)
            held[j] = !q->acts || rough(g, law, i);
    }
}

/* What must be so before the law can be applied; the reason otherwise. */
static const char *refuse(const carom_geometry *g, const group *q, kind law)
{
    for (int a = 0; a < q->p; a++) {
        if (!(g->norm[q->contact[a]] > 0))
            return "the joints block an approaching contact: no impulse changes its velocity";
        if (law == DOUBLE && g->impact->contacts[q->contact[a]].tangential_restitution !=
                                 g->impact->contacts[q->contact[0]].tangential_restitution)
            return "coupled contacts have different tangential restitution: V_B is one vector and "
                   "has one coefficient";
    }
    return NULL;
}

/* Modes in the law's own sense, from the velocities after the impact. */
static void set_modes(const carom_geometry *g, const carom_breakable_split *s, const group *q,
                      kind law, carom_outcome *outcome)
{
    int n = g->impact->n;
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a], first = g->slip_start[i], count = g->slip_start[i + 1] - first;
        bool carries = s->normal[i].hi != 0 || outcome->impulse[i] != 0;
        outcome->mode[i] = !carries ? CAROM_MODE_OPEN : CAROM_MODE_CLOSED;
        if (!carries || count == 0 || !rough(g, law, i))
            continue;
        double slip = g->impact->slip_motion ? g->impact->slip_motion[first] : 0;
        slip += column_dot(g, g->impact->H + (size_t)first * n, outcome->u);
        outcome->mode[i] = q->sticks    ? CAROM_MODE_STICK
                           : count == 2 ? CAROM_MODE_SLIP
                           : slip >= 0  ? CAROM_MODE_SLIP_PLUS
                                        : CAROM_MODE_SLIP_MINUS;
    }
}

/* The slip of contact i at u+, with the size of its terms. */
static double slip_after(const carom_geometry *g, const carom_outcome *outcome, int i, double *size)
{
    double slip = 0;
    *size = 0;
    for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++) {
        double v = g->impact->slip_motion ? g->impact->slip_motion[j] : 0;
        v += column_dot(g, g->impact->H + (size_t)j * (size_t)g->impact->n, outcome->u);
        slip = hypot(slip, v);
        *size +=
            carom_predicate_slip_size(g, j, outcome->u) + carom_predicate_slip_size(g, j, g->u);
    }
    return slip;
}

/* What a reader must know about impulses and sliding (docs/theory/breakable.md, "Mind"). */
static void warn(const carom_geometry *g, const group *q, kind law, carom_outcome *outcome)
{
    char text[16];
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a];
        const char *name = carom_contact_name(g->impact->contacts, i, text);
        double normal = outcome->impulse[i], tangential = 0, size;
        double slip = slip_after(g, outcome, i, &size), D = g->norm[i] * g->norm[i];
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++)
            tangential = hypot(tangential, outcome->tangential_impulse[j]);
        if (normal * D < -CAROM_PREDICATE_REST * g->gamma_size[i])
            carom_outcome_say(outcome, "the normal impulse of contact %s is negative", name);
        else if (law == FRICTIONAL &&
                 tangential > friction_static(g, i) * normal * (1 + CAROM_PREDICATE_REST))
            carom_outcome_say(outcome,
                              "contact %s: |tangential impulse| exceeds mu times the normal one "
                              "(the law's cone is one of velocities)",
                              name);
        if (outcome->mode[i] == CAROM_MODE_STICK && law == FRICTIONAL &&
            slip > CAROM_PREDICATE_REST * size + carom_predicate_dust(g, g->impact->n))
            carom_outcome_say(outcome,
                              "contact %s sticks in the law's sense (V_B = 0 after); its true "
                              "slip after is %.6g",
                              name, slip);
    }
}

static kind read_kind(const carom_law *law, const carom_geometry *g, carom_outcome *outcome)
{
    if (!carom_law_value(law, "kind"))
        return g->s ? FRICTIONAL : RESTITUTION;
    kind k = carom_law_is_choice(law, "kind", "double")        ? DOUBLE
             : carom_law_is_choice(law, "kind", "restitution") ? RESTITUTION
             : carom_law_is_choice(law, "kind", "ideal")       ? IDEAL
                                                               : FRICTIONAL;
    if ((k == DOUBLE || k == FRICTIONAL) && g->s == 0)
        carom_outcome_say(outcome, "no contact has slip rows, so B = S");
    if (k == RESTITUTION || k == IDEAL)
        for (int i = 0; i < g->impact->p; i++)
            if (g->slip_start[i + 1] > g->slip_start[i] && friction_static(g, i) > 0) {
                carom_outcome_say(outcome, "this kind leaves slip and friction aside");
                break;
            }
    return k;
}

static void report(const carom_geometry *g, const group *groups, int count, carom_outcome *outcome)
{
    group total = {0};
    double slip = 0, size;
    for (int number = 0; number < count; number++) {
        total.V_S = hypot(total.V_S, groups[number].V_S);
        total.V_B = hypot(total.V_B, groups[number].V_B);
        total.energy += groups[number].energy;
    }
    for (int i = 0; i < g->impact->p; i++)
        slip = fmax(slip, slip_after(g, outcome, i, &size));
    carom_outcome_detail(outcome, "V_S", total.V_S);
    carom_outcome_detail(outcome, "V_B", total.V_B);
    if (count == 1)
        carom_outcome_detail(outcome, "lambda", groups[0].lambda);
    else
        carom_outcome_detail(outcome, "groups", count);
    carom_outcome_detail(outcome, "slip_after", slip);
    carom_outcome_detail(outcome, "energy_change_in_frame", total.energy);
}

/* The parts of u- = P_B + V_B + V_S themselves. */
static carom_status report_parts(const carom_geometry *g, const carom_breakable_split *s,
                                 carom_arena *arena, carom_outcome *outcome, carom_error *error)
{
    const size_t n = (size_t)g->impact->n;
    double *V_S = carom_arena_zeros(arena, 3 * n, sizeof *V_S);
    if (!V_S)
        return carom_error_memory(error);
    double *V_B = V_S + n, *P_B = V_B + n;
    for (int i = 0; i < g->impact->p; i++)
        for (size_t k = 0; k < n; k++)
            V_S[k] -= g->Y[k + (size_t)i * n] * s->shock[i].hi;
    for (size_t k = 0; k < n; k++) {
        V_B[k] = s->V_B[k].hi;
        P_B[k] = g->u[k] - V_S[k] - V_B[k];
    }
    carom_outcome_detail_vector(outcome, "P_B_vector", g, P_B);
    carom_outcome_detail_vector(outcome, "V_B_vector", g, V_B);
    carom_outcome_detail_vector(outcome, "V_S_vector", g, V_S);
    return CAROM_OK;
}

/* The groups decided: factors, impulses, velocity, words. */
static void decide(const carom_geometry *g, const carom_breakable_split *s, kind law, group *groups,
                   int count, carom_outcome *outcome)
{
    for (int number = 0; number < count; number++) {
        choose_factor(g, s, law, &groups[number]);
        finish_group(g, s, law, &groups[number], outcome);
    }
    find_velocity(g, s, groups, count, outcome);
    outcome->impulse_unique = s->unique;
    for (int number = 0; number < count; number++) {
        set_modes(g, s, &groups[number], law, outcome);
        warn(g, &groups[number], law, outcome);
    }
    carom_single_say_pressed(g, outcome);
    report(g, groups, count, outcome);
}

/* Why there is no outcome. */
static carom_status refuse_split(const carom_breakable_split *s, carom_outcome *outcome)
{
    outcome->answer = CAROM_ANSWER_NONE;
    carom_outcome_say(outcome,
                      s->solvable ? "no velocity satisfies the slip constraints B together with "
                                    "the contact and the permanent constraints A"
                                  : "no normal impulses satisfy the law: the contacts work against "
                                    "each other and their coefficients differ");
    return CAROM_OK;
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p;
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    kind k = read_kind(law, g, outcome);
    int *group_of = carom_arena_array(arena, (size_t)p, sizeof(int));
    bool *only = carom_arena_zeros(arena, (size_t)(p + g->s), sizeof(bool)), *held = only + p;
    double *epsilon = carom_arena_doubles(arena, (size_t)p);
    group *groups = carom_arena_zeros(arena, (size_t)p, sizeof *groups);
    if (!group_of || !only || !epsilon || !groups)
        return carom_error_memory(error);
    int count = find_groups(g, group_of);
    for (int i = 0; i < p; i++) {
        only[i] = group_of[i] >= 0;
        epsilon[i] = restitution(g, k, i);
    }
    for (int number = 0; number < count; number++) {
        carom_status status = make_group(g, k, group_of, number, arena, &groups[number], error);
        if (status)
            return status;
        if ((reason = refuse(g, &groups[number], k)))
            return carom_law_refuse(outcome, "%s", reason);
        mark_held(g, k, &groups[number], held);
    }
    if (count == 0) {
        carom_outcome_say(outcome, "no contact approaches: no impact, the velocity is kept");
        return CAROM_OK;
    }
    carom_breakable_split s;
    carom_status status = carom_breakable_split_make(g, only, epsilon, held, arena, &s, error);
    if (status)
        return status;
    if (!s.solvable || !s.exists)
        return refuse_split(&s, outcome);
    decide(g, &s, k, groups, count, outcome);
    return report_parts(g, &s, arena, outcome, error);
}

/* V_B is tangent to S, so that gamma+ = -eps_S gamma- at a contact alone; the energy formula above
 * is that of a frame in B. The cone is one of velocities: impulses may leave theirs. */
static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)law;
    (void)arena;
    (void)error;
    bool alone = g->impact->p == 1;
    made->kinematic = alone && carom_promise_within(g, 0, INFINITY);
    made->energetic = alone && carom_promise_within(g, -1, 1);
    carom_promise_write(made, "never gains energy",
                        !alone ? "a law of one contact"
                               : "the cone is one of velocities, impulses may leave it");
    return CAROM_OK;
}

static const carom_parameter parameters[] = {
    {.name = "kind",
     .doc = "frictional (default where a contact has slip rows), double restitution, restitution "
            "(default without slip rows) or ideal",
     .kind = CAROM_PARAMETER_CHOICE,
     .choices = "frictional|double|restitution|ideal"},
    {0}};

const carom_law_ops carom_law_breakable = {
    .name = "breakable",
    .summary = "breakable kinetic constraints: stick or slip decided in the kinetic metric",
    .reference = "Pasquero, geometric characterization of frictional impacts by means of "
                 "breakable kinetic constraints",
    .frictional = true,
    .parameters = parameters,
    .apply = apply,
    .promise = promise,
};
