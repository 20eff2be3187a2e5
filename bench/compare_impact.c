/* Task impact: one impact from M, W, H, u- and the coefficients to u+, ours (which also derives the
 * geometry, checks the statement and verifies the outcome) against
 *   Siconos:          its kernel, one time step of the system, as its users would (siconos), and
 *                     its bare solvers (siconos_numerics: rows of contact velocities assembled by a
 *                     few loops here, nothing checked, u+ computed here)
 *   the game engines: one step of the same bodies in shapes that touch, without gravity; they
 *                     find the contacts themselves.
 * Law: Newton's restitution gamma+ >= -e gamma-, Coulomb friction on the slip after the impact.
 * Required: all conditions of the law, recomputed from the impulses alone, hold to 1e-9. Who tells
 * u+ only is measured by its distance from ours, for which they hold and which is the only one. */
#include "carom/carom.h"
#include "contest.h"
#include "engines.h"

enum { N = 8, P = 8 };

typedef struct body {
    const char *name;
    int n, p, friction;
    double M[N], u[N], W[N * P], H[N * P], e[P], mu[P];
    double x[N];   /* balls: where they touch */
    box_scene box; /* else; width 0: balls */
} body;

typedef struct entry {
    const body *b;
    carom_contact contacts[P];
    carom_arena *arena;
    double L[P], T[P], plus[N]; /* impulses, u+ */
    carom_answer answer;
    const peer_engine *peer;
#ifdef WITH_SICONOS
    siconos_lcp *lcp;
    siconos_friction *friction;
#endif
} entry;

static int solve_ours(void *self)
{
    entry *e = self;
    const body *b = e->b;
    carom_impact impact = {.n = b->n,
                           .p = b->p,
                           .mass_is_diagonal = true,
                           .M = b->M,
                           .u = b->u,
                           .W = b->W,
                           .H = b->friction ? b->H : NULL,
                           .contacts = e->contacts};
    carom_law law = {.ops = carom_law_find(b->friction ? "coulomb" : "newton")};
    carom_geometry geometry;
    carom_outcome outcome;
    carom_arena_reset(e->arena);
    if (carom_impact_derive(&impact, e->arena, &geometry, NULL) ||
        carom_law_apply(&law, &geometry, e->arena, &outcome, NULL))
        return 1;
    memcpy(e->L, outcome.impulse, (size_t)b->p * sizeof *e->L);
    if (b->friction)
        memcpy(e->T, outcome.tangential_impulse, (size_t)b->p * sizeof *e->T);
    memcpy(e->plus, outcome.u, (size_t)b->n * sizeof *e->plus);
    e->answer = outcome.answer;
    return outcome.answer == CAROM_ANSWER_FAILED || outcome.answer == CAROM_ANSWER_NONE;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* u+ of the impulses. */
static void apply(const body *b, const double *L, const double *T, double *plus)
{
    for (int k = 0; k < b->n; k++) {
        plus[k] = b->u[k];
        for (int i = 0; i < b->p; i++)
            plus[k] += (b->W[k + i * b->n] * L[i] + (T ? b->H[k + i * b->n] * T[i] : 0)) / b->M[k];
    }
}

#ifdef WITH_SICONOS
/* D = J M^-1 J', q = J u- with restitution in the normal rows; rows of J: normals, or normal and
 * tangential in turn. */
static int assemble(const body *b, double *D, double *q)
{
    const double *row[2 * P];
    double scaled[N];
    int r = 0;
    for (int i = 0; i < b->p; i++) {
        q[r] = (1 + b->e[i]) * dot(b->n, b->W + i * b->n, b->u);
        row[r++] = b->W + i * b->n;
        if (b->friction) {
            q[r] = dot(b->n, b->H + i * b->n, b->u);
            row[r++] = b->H + i * b->n;
        }
    }
    for (int j = 0; j < r; j++) {
        for (int k = 0; k < b->n; k++)
            scaled[k] = row[j][k] / b->M[k];
        for (int i = 0; i < r; i++)
            D[i + j * r] = dot(b->n, row[i], scaled);
    }
    return r;
}

static int solve_siconos(void *self)
{
    entry *e = self;
    const body *b = e->b;
    double D[4 * P * P], q[2 * P], z[2 * P], w[2 * P];
    int failed;
    assemble(b, D, q);
    if (b->friction) {
        failed = siconos_friction_solve(e->friction, D, q, z, w);
        for (int i = 0; i < b->p; i++) {
            e->L[i] = z[2 * i];
            e->T[i] = z[2 * i + 1];
        }
    } else {
        siconos_lcp_update(e->lcp, D, q);
        failed = siconos_lcp_solve(e->lcp, e->L, w);
    }
    apply(b, e->L, b->friction ? e->T : NULL, e->plus);
    return failed;
}
#endif

/* One step of an engine that is told shapes and coefficients. */
static double step_engine(void *self)
{
    entry *e = self;
    const body *b = e->b;
    double where[N];
    if (b->box.width > 0)
        return e->peer->box(&b->box, where, e->plus);
    balls_scene line = {b->n, 0.125, 1, 0, b->e[0], 0, b->x, b->u, 1e-3, 1};
    return e->peer->balls(&line, where, e->plus);
}

#ifdef WITH_SICONOS
static double step_siconos(void *self)
{
    entry *e = self;
    const body *b = e->b;
    return siconos_impact(b->n, b->p, b->M, b->u, b->W, b->friction ? b->H : NULL, b->e, b->mu,
                          e->plus);
}
#endif

/* u+ against ours, whose own conditions are verified by violation(). */
static double distance(void *self)
{
    entry *e = self, ours = *e;
    double worst = 0;
    if (solve_ours(&ours) || ours.answer != CAROM_ANSWER_OK)
        return HUGE_VAL;
    for (int k = 0; k < e->b->n; k++)
        worst = fmax(worst, isfinite(e->plus[k]) ? fabs(ours.plus[k] - e->plus[k]) : HUGE_VAL);
    return worst;
}

/* How far the impulses are from the law, and the given u+ from the impulses. All data of order 1.
 */
static double violation(void *self)
{
    entry *e = self;
    const body *b = e->b;
    double plus[N], worst = 0;
    apply(b, e->L, b->friction ? e->T : NULL, plus);
    for (int k = 0; k < b->n; k++)
        worst = fmax(worst, isfinite(e->plus[k]) ? fabs(plus[k] - e->plus[k]) : HUGE_VAL);
    for (int i = 0; i < b->p; i++) {
        const double *w = b->W + i * b->n, *h = b->H + i * b->n;
        double xi = dot(b->n, w, plus) + b->e[i] * dot(b->n, w, b->u);
        worst = fmax(worst, fabs(fmin(e->L[i], xi)));
        if (!b->friction)
            continue;
        double slip = dot(b->n, h, plus), most = b->mu[i] * e->L[i];
        worst = fmax(worst, fabs(e->T[i]) - most);
        /* where it slips, friction is largest and against the slip */
        worst = fmax(worst, fmin(fabs(slip), fabs(e->T[i] + copysign(most, slip))));
    }
    return worst;
}

static entry make(const body *b)
{
    entry e = {.b = b};
    for (int i = 0; i < b->p; i++) {
        e.contacts[i] = carom_contact_default();
        e.contacts[i].restitution = b->e[i];
        e.contacts[i].friction_static = e.contacts[i].friction_dynamic = b->mu[i];
        e.contacts[i].slip_count = b->friction ? 1 : 0;
    }
    if (carom_arena_create(NULL, &e.arena, NULL))
        abort();
    return e;
}

#ifdef WITH_SICONOS
/* Its kernel, then each of its solvers. */
static int enter_siconos(const body *b, entry *entries, contestant *list)
{
    int solvers = b->friction ? siconos_friction_solver_count() : siconos_lcp_solver_count();
    entries[0] = make(b);
    list[0] = (contestant){.engine = "siconos",
                           .variant = "kernel time step",
                           .timed = step_siconos,
                           .error = distance,
                           .self = &entries[0]};
    for (int s = 0; s < solvers; s++) {
        entry *e = &entries[s + 1];
        *e = make(b);
        if (b->friction)
            e->friction = siconos_friction_create(b->p, b->mu, s, 1e-12);
        else
            e->lcp = siconos_lcp_create(b->p, NULL, NULL, s, 1e-12);
        list[s + 1] = (contestant){.engine = "siconos_numerics",
                                   .variant = b->friction ? siconos_friction_solver_name(s)
                                                          : siconos_lcp_solver_name(s),
                                   .call = solve_siconos,
                                   .error = violation,
                                   .self = e};
    }
    return 1 + solvers;
}
#endif

static void compete(const body *b)
{
    static entry entries[CONTEST_MOST];
    contestant list[CONTEST_MOST];
    contest c = {"impact", b->name, 1e-9, 3, 1, 0};
    int count = 0;
    entries[count] = make(b);
    list[count] = (contestant){.engine = "carom",
                               .variant = b->friction ? "coulomb" : "newton",
                               .call = solve_ours,
                               .error = violation,
                               .self = &entries[count]};
    count++;
#ifdef WITH_SICONOS
    count += enter_siconos(b, entries + count, list + count);
#endif
    for (const peer_engine *g = engines; g->name; g++) {
        if (strcmp(g->name, "siconos") == 0)
            continue;
        entries[count] = make(b);
        entries[count].peer = g;
        list[count] = (contestant){.engine = g->name,
                                   .variant = "one step",
                                   .timed = step_engine,
                                   .error = distance,
                                   .self = &entries[count]};
        count++;
    }
    contest_run(&c, list, count);
}

static body balls(const char *name, int n)
{
    body b = {.name = name, .n = n, .p = n - 1, .u = {1}};
    for (int i = 0; i < n; i++) {
        b.M[i] = 1;
        b.x[i] = 0.25 * i;
    }
    for (int i = 0; i + 1 < n; i++) {
        b.W[i + i * n] = -1;
        b.W[i + 1 + i * n] = 1;
        b.e[i] = 0.8;
    }
    return b;
}

/* A planar body with contact points (x, y) from its centre on a floor: coordinates x, y, angle; to
 * the engines a box of the given size turned by the angle. */
static body planar(const char *name, double inertia, int p, const double *x, const double *y,
                   double mu, double width, double height, double angle)
{
    body b = {.name = name, .n = 3, .p = p, .friction = mu > 0, .M = {1, 1, inertia}};
    b.u[0] = 0.4;
    b.u[1] = -1;
    b.u[2] = 0.3;
    for (int i = 0; i < p; i++) {
        b.W[1 + 3 * i] = 1;
        b.W[2 + 3 * i] = x[i];
        b.H[0 + 3 * i] = 1;
        b.H[2 + 3 * i] = -y[i];
        b.e[i] = 0.5;
        b.mu[i] = mu;
    }
    b.box = (box_scene){.width = width,
                        .height = height,
                        .mass = 1,
                        .inertia = inertia,
                        .restitution = 0.5,
                        .friction = mu,
                        .q = {0, -y[0], angle},
                        .u = {0.4, -1, 0.3},
                        .step = 1e-3,
                        .steps = 1};
    return b;
}

int main(void)
{
    double corners_x[2] = {-1, 1}, corners_y[2] = {-0.5, -0.5}, tip_x[1] = {-0.5},
           tip_y[1] = {-0.8};
    /* a rod 0.1 thick whose lower corner is the tip */
    double half = 0.05, along = sqrt(tip_x[0] * tip_x[0] + tip_y[0] * tip_y[0] - half * half);
    double angle = atan2(tip_y[0], tip_x[0]) - atan2(-half, -along);
    body list[] = {
        balls("3 balls", 3), balls("5 balls", 5),
        planar("block on two corners", 5.0 / 12, 2, corners_x, corners_y, 0, 2, 1, 0),
        planar("rod with friction", 1.0 / 3, 1, tip_x, tip_y, 0.3, 2 * along, 2 * half, angle),
        planar("block with friction", 5.0 / 12, 2, corners_x, corners_y, 0.3, 2, 1, 0)};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        compete(&list[k]);
    return 0;
}
