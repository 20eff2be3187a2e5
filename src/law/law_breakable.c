/* Breakable kinetic constraints (docs/theory/breakable.md). Letters of that page:
 *   V_S = M_c^-1 W zeta_S, the part of u- orthogonal to S (contacts closed),
 *   V_B = M_c^-1 (W zeta + H beta), the part of u- - V_S orthogonal to B (contacts do not slide),
 *   I   = -(1 + eps_S) V_S - lambda V_B.
 * Approaching contacts that are coupled through M_c^-1 form a group; groups are independent. */
#include "carom/lcp.h"
#include "law/laws.h"
#include "law/promise.h"
#include "law/single.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef enum kind { FRICTIONAL, DOUBLE, RESTITUTION, IDEAL } kind;

/* One group and what the law finds for it. */
typedef struct group {
    int p, *contact; /* approaching contacts, numbers in the impact */
    int s, *column;  /* their slip columns that belong to B, numbers in H */
    double *shock;   /* p, L of -V_S: 0 <= L, complementary */
    double *normal;  /* p, L of -(1 + eps) V_S */
    double *zeta;    /* p + s, multipliers of V_B: zeta then beta */
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

/* Row a of the group's matrix [W H]' M_c^-1 [W H]: covector and gradient. */
static const double *covector(const carom_geometry *g, const group *q, int a)
{
    size_t n = (size_t)g->impact->n;
    return a < q->p ? g->impact->W + (size_t)q->contact[a] * n
                    : g->impact->H + (size_t)q->column[a - q->p] * n;
}

static const double *gradient(const carom_geometry *g, const group *q, int a)
{
    size_t n = (size_t)g->impact->n;
    return a < q->p ? g->Y + (size_t)q->contact[a] * n : g->Z + (size_t)q->column[a - q->p] * n;
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

/* Complementary normal impulses 0 <= L, D L + f gamma >= 0 with f_i = 1 or 1 + eps_i. */
static carom_status solve_normal(const carom_geometry *g, const group *q, kind law, bool shock,
                                 carom_arena *arena, double *impulse, carom_outcome *outcome,
                                 carom_error *error)
{
    int p = q->p;
    double *D = carom_arena_doubles(arena, (size_t)p * p),
           *c = carom_arena_doubles(arena, (size_t)p);
    if (!D || !c)
        return carom_error_memory(error);
    for (int b = 0; b < p; b++) {
        int i = q->contact[b];
        c[b] = (shock ? 1 : 1 + restitution(g, law, i)) * g->gamma[i];
        for (int a = 0; a < p; a++)
            D[a + (size_t)b * p] = g->D[q->contact[a] + (size_t)i * g->impact->p];
    }
    if (p == 1) {
        impulse[0] = -c[0] / D[0];
        return CAROM_OK;
    }
    carom_lcp lcp = {.n = p, .M = D, .q = c, .symmetric = true};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, NULL, arena, impulse, NULL, &info, error);
    if (!status && info.outcome != CAROM_LCP_SOLVED) {
        outcome->answer = info.outcome == CAROM_LCP_LIMIT ? CAROM_ANSWER_FAILED : CAROM_ANSWER_NONE;
        carom_outcome_say(outcome, "no normal impulses satisfy the law: the contacts work against "
                                   "each other and their coefficients differ");
    }
    if (!status && g->dependent && !info.unique_z)
        outcome->impulse_unique = false;
    return status;
}

/* Least-norm solution (in variables scaled to a unit diagonal) of K x = r for positive semidefinite
 * K. r outside the range of K by more than the rounding of velocities at this speed: false. */
static carom_status solve_semidefinite(int n, double *K, double *x, double speed,
                                       carom_arena *arena, bool *consistent, bool *unique,
                                       carom_error *error)
{
    double *scale = carom_arena_doubles(arena, (size_t)n);
    double *value = carom_arena_doubles(arena, (size_t)n);
    double *part = carom_arena_doubles(arena, (size_t)n);
    lapack_int room = 34 * n;
    double *work = carom_arena_doubles(arena, (size_t)room);
    if (!scale || !value || !part || !work)
        return carom_error_memory(error);
    for (int a = 0; a < n; a++)
        scale[a] = K[a + (size_t)a * n] > 0 ? 1 / sqrt(K[a + (size_t)a * n]) : 0;
    double size = 0;
    for (int b = 0; b < n; b++) {
        x[b] *= scale[b];
        size = fmax(size, fabs(x[b]));
        for (int a = 0; a < n; a++)
            K[a + (size_t)b * n] *= scale[a] * scale[b];
    }
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, K, n, value, work, room))
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "breakable: eigenvalues of the slip "
                               "constraints did not converge");
    *consistent = *unique = true;
    for (int k = 0; k < n; k++) {
        part[k] = 0;
        for (int a = 0; a < n; a++)
            part[k] += K[a + (size_t)k * n] * x[a];
        if (value[k] > 1e-13 * n * value[n - 1]) {
            part[k] /= value[k];
            continue;
        }
        *unique = false;
        if (fabs(part[k]) > 1e-9 * size + 1e-13 * speed)
            *consistent = false;
        part[k] = 0;
    }
    for (int a = 0; a < n; a++) {
        x[a] = 0;
        for (int k = 0; k < n; k++)
            x[a] += K[a + (size_t)k * n] * part[k];
        x[a] *= scale[a];
    }
    return CAROM_OK;
}

/* V_B: K (zeta, beta) = (0, slip of u- - V_S), K the group's Delassus matrix; contacts that S does
 * not press upon are left out. Rows of the left-out ones are decoupled by hand. */
static carom_status solve_tangential(const carom_geometry *g, group *q, carom_arena *arena,
                                     carom_outcome *outcome, carom_error *error)
{
    int m = q->p + q->s;
    double *K = carom_arena_doubles(arena, (size_t)m * m), *x = q->zeta;
    double *slip = carom_arena_doubles(arena, (size_t)q->s);
    if (!K || !slip)
        return carom_error_memory(error);
    for (int b = 0; b < m; b++)
        for (int a = 0; a < m; a++)
            K[a + (size_t)b * m] = column_dot(g, covector(g, q, a), gradient(g, q, b));
    memset(x, 0, (size_t)m * sizeof *x);
    for (int b = 0; b < q->s; b++) {
        slip[b] = g->slip[q->column[b]];
        for (int a = 0; a < q->p; a++)
            slip[b] += K[a + (size_t)(q->p + b) * m] * q->shock[a];
        x[q->p + b] = slip[b];
    }
    for (int a = 0; a < q->p; a++)
        if (q->shock[a] == 0 && q->normal[a] == 0)
            for (int b = 0; b < m; b++)
                K[a + (size_t)b * m] = K[b + (size_t)a * m] = a == b;
    bool consistent = true, unique = true;
    carom_status status = solve_semidefinite(m, K, x, g->speed, arena, &consistent, &unique, error);
    if (status)
        return status;
    double squared = 0;
    for (int b = 0; b < q->s; b++)
        squared += slip[b] * x[q->p + b];
    q->V_B = sqrt(fmax(0, squared));
    if (!unique && consistent && q->V_B > 0)
        outcome->impulse_unique = false;
    if (!consistent) {
        outcome->answer = CAROM_ANSWER_NONE;
        carom_outcome_say(outcome, "no velocity satisfies the slip constraints B together with "
                                   "the contact and the permanent constraints A");
    }
    return CAROM_OK;
}

/* The factor lambda of -V_B. The bound mu |V_S| for one coefficient becomes, for several, the root
 * of the sum of mu_i^2 times contact i's share -L_i gamma_i of |V_S|^2. */
static void choose_factor(const carom_geometry *g, group *q, kind law)
{
    double hold = 0, drag = 0;
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a];
        double share = -q->shock[a] * g->gamma[i];
        if (share > 0) {
            hold += friction_static(g, i) * friction_static(g, i) * share;
            drag += friction_dynamic(g, i) * friction_dynamic(g, i) * share;
        }
    }
    q->sticks = q->V_B <= sqrt(hold);
    q->lambda = 1;
    if (law == DOUBLE)
        q->lambda = 1 + g->impact->contacts[q->contact[0]].tangential_restitution;
    else if (!q->sticks)
        q->lambda = fmin(1, sqrt(drag) / q->V_B);
    if (law == DOUBLE)
        q->sticks = true;
}

/* Impulses, and the energy in a frame h in B: the parts of u- are orthogonal, so that
 *   1/2 sum (1 - eps_i) L_i gamma_i  -  1/2 (1 - (1 - lambda)^2) |V_B|^2. */
static void finish_group(const carom_geometry *g, group *q, kind law, carom_outcome *outcome)
{
    double squared = 0;
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a];
        squared -= q->shock[a] * g->gamma[i];
        q->energy += 0.5 * (1 - restitution(g, law, i)) * q->normal[a] * g->gamma[i];
        outcome->impulse[i] = q->normal[a] - q->lambda * q->zeta[a];
    }
    q->V_S = sqrt(fmax(0, squared));
    q->energy -= 0.5 * q->lambda * (2 - q->lambda) * q->V_B * q->V_B;
    for (int b = 0; b < q->s; b++)
        outcome->tangential_impulse[q->column[b]] = -q->lambda * q->zeta[q->p + b];
}

static carom_status apply_group(const carom_geometry *g, group *q, kind law, carom_arena *arena,
                                carom_outcome *outcome, carom_error *error)
{
    size_t m = (size_t)(q->p + q->s);
    q->shock = carom_arena_zeros(arena, (size_t)q->p, sizeof(double));
    q->normal = carom_arena_zeros(arena, (size_t)q->p, sizeof(double));
    q->zeta = carom_arena_zeros(arena, m, sizeof(double));
    if (!q->shock || !q->normal || !q->zeta)
        return carom_error_memory(error);
    carom_status status = solve_normal(g, q, law, true, arena, q->shock, outcome, error);
    if (!status)
        status = solve_normal(g, q, law, false, arena, q->normal, outcome, error);
    if (!status && q->s)
        status = solve_tangential(g, q, arena, outcome, error);
    if (status || outcome->answer != CAROM_ANSWER_OK)
        return status;
    if (q->s)
        choose_factor(g, q, law);
    finish_group(g, q, law, outcome);
    return CAROM_OK;
}

/* Are contacts i and j coupled through any of their rows? */
static bool coupled(const carom_geometry *g, int i, int j, kind law)
{
    group q = {.contact = (int[]){i, j}, .column = (int[4]){0}, .p = 2};
    int owner[6] = {0, 1};
    for (int a = 0; a < 2; a++)
        for (int c = g->slip_start[q.contact[a]];
             rough(g, law, q.contact[a]) && c < g->slip_start[q.contact[a] + 1]; c++) {
            owner[2 + q.s] = a;
            q.column[q.s++] = c;
        }
    for (int a = 0; a < 2 + q.s; a++)
        for (int b = 0; b < 2 + q.s; b++) {
            if (owner[a] != 0 || owner[b] != 1)
                continue;
            double d = column_dot(g, covector(g, &q, a), gradient(g, &q, b));
            double aa = column_dot(g, covector(g, &q, a), gradient(g, &q, a));
            double bb = column_dot(g, covector(g, &q, b), gradient(g, &q, b));
            if (d * d > 1e-26 * aa * bb)
                return true;
        }
    return false;
}

/* Number the groups of approaching contacts: group_of[i] = 0, 1, ... or -1. Returns how many. */
static int find_groups(const carom_geometry *g, kind law, int *group_of)
{
    int p = g->impact->p, count = 0;
    for (int i = 0; i < p; i++)
        group_of[i] = -1;
    for (int first = 0; first < p; first++) {
        if (group_of[first] >= 0 || !carom_single_approaches(g, first))
            continue;
        group_of[first] = count;
        bool grown = true;
        while (grown) {
            grown = false;
            for (int j = 0; j < p; j++)
                for (int i = 0; i < p && group_of[j] < 0 && carom_single_approaches(g, j); i++)
                    if (group_of[i] == count && coupled(g, i, j, law)) {
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
    q->column = carom_arena_array(arena, (size_t)g->s, sizeof(int));
    if (!q->contact || !q->column)
        return carom_error_memory(error);
    for (int i = 0; i < g->impact->p; i++) {
        if (group_of[i] != number)
            continue;
        q->contact[q->p++] = i;
        for (int c = g->slip_start[i]; rough(g, law, i) && c < g->slip_start[i + 1]; c++)
            q->column[q->s++] = c;
    }
    return CAROM_OK;
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
static void set_modes(const carom_geometry *g, const group *q, carom_outcome *outcome)
{
    int n = g->impact->n;
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a], first = g->slip_start[i], count = g->slip_start[i + 1] - first;
        bool carries = q->normal[a] != 0 || outcome->impulse[i] != 0;
        bool in_B = false;
        for (int b = 0; b < q->s; b++)
            in_B = in_B || q->column[b] == first;
        outcome->mode[i] = !carries ? CAROM_MODE_OPEN : CAROM_MODE_CLOSED;
        if (!carries || !in_B)
            continue;
        double slip = g->impact->slip_motion ? g->impact->slip_motion[first] : 0;
        slip += column_dot(g, g->impact->H + (size_t)first * n, outcome->u);
        outcome->mode[i] = q->sticks    ? CAROM_MODE_STICK
                           : count == 2 ? CAROM_MODE_SLIP
                           : slip >= 0  ? CAROM_MODE_SLIP_PLUS
                                        : CAROM_MODE_SLIP_MINUS;
    }
}

/* What a reader must know about impulses and sliding (docs/theory/breakable.md, "Mind"). */
static void warn(const carom_geometry *g, const group *q, kind law, carom_outcome *outcome,
                 double *slip_after)
{
    char text[16];
    int n = g->impact->n;
    for (int a = 0; a < q->p; a++) {
        int i = q->contact[a];
        const char *name = carom_single_name(g, i, text);
        double normal = outcome->impulse[i], tangential = 0, slip = 0;
        for (int c = g->slip_start[i]; rough(g, law, i) && c < g->slip_start[i + 1]; c++) {
            double v = column_dot(g, g->impact->H + (size_t)c * n, outcome->u);
            v += g->impact->slip_motion ? g->impact->slip_motion[c] : 0;
            slip = hypot(slip, v);
            tangential = hypot(tangential, outcome->tangential_impulse[c]);
        }
        *slip_after = fmax(*slip_after, slip);
        if (normal < -1e-12 * g->speed / g->norm[i])
            carom_outcome_say(outcome, "the normal impulse of contact %s is negative", name);
        else if (law == FRICTIONAL && tangential > friction_static(g, i) * normal * (1 + 1e-12))
            carom_outcome_say(outcome,
                              "contact %s: |tangential impulse| exceeds mu times the normal one "
                              "(the law's cone is one of velocities)",
                              name);
        if (outcome->mode[i] == CAROM_MODE_STICK && law == FRICTIONAL &&
            slip > 1e-12 * g->speed * g->norm[i])
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

static void report(const group *total, int groups, double slip_after, carom_outcome *outcome)
{
    carom_outcome_detail(outcome, "V_S", total->V_S);
    carom_outcome_detail(outcome, "V_B", total->V_B);
    if (groups == 1)
        carom_outcome_detail(outcome, "lambda", total->lambda);
    else
        carom_outcome_detail(outcome, "groups", groups);
    carom_outcome_detail(outcome, "slip_after", slip_after);
    carom_outcome_detail(outcome, "energy_change_in_frame", total->energy);
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    const char *reason = carom_law_needs_plain_contacts(g);
    kind k = read_kind(law, g, outcome);
    int *group_of = carom_arena_array(arena, (size_t)g->impact->p, sizeof(int));
    if (!group_of)
        return carom_error_memory(error);
    int count = reason ? 0 : find_groups(g, k, group_of);
    if (!reason && count == 0)
        carom_outcome_say(outcome, "no contact approaches: no impact, the velocity is kept");
    group *groups = carom_arena_zeros(arena, (size_t)count, sizeof *groups);
    if (!groups)
        return carom_error_memory(error);
    group total = {0};
    for (int number = 0; number < count && !reason; number++) {
        group *q = &groups[number];
        carom_status status = make_group(g, k, group_of, number, arena, q, error);
        reason = status ? NULL : refuse(g, q, k);
        if (!status && !reason)
            status = apply_group(g, q, k, arena, outcome, error);
        if (status || outcome->answer != CAROM_ANSWER_OK)
            return status;
        total.V_S = hypot(total.V_S, q->V_S);
        total.V_B = hypot(total.V_B, q->V_B);
        total.energy += q->energy;
        total.lambda = q->lambda;
    }
    if (reason) {
        outcome->answer = CAROM_ANSWER_INAPPLICABLE;
        carom_outcome_say(outcome, "%s", reason);
        return CAROM_OK;
    }
    carom_outcome_from_impulses(g, outcome);
    double slip_after = 0;
    for (int number = 0; number < count; number++) {
        set_modes(g, &groups[number], outcome);
        warn(g, &groups[number], k, outcome, &slip_after);
    }
    carom_single_say_pressed(g, outcome);
    if (count)
        report(&total, count, slip_after, outcome);
    return CAROM_OK;
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
