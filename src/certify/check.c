/* Everything that can be said before running, from the cheap to the dear, each part with a limit on
 * its work (docs/guide/certificates.md). */
#include "carom/check.h"
#include "carom/need.h"

#include "certify/normal.h"
#include "certify/own_law.h"

#include <math.h>
#include <string.h>

enum { CURVE = 101 }; /* points of the regions of two contacts */

/* Counts the work of a part in calls of the watch, of some milliseconds each, and hands them on. */
typedef struct meter {
    const carom_watch *user;
    double left;
    bool ended, spent; /* by the caller, by the limit */
} meter;

static bool go_on(void *self, const char *what, double done)
{
    meter *m = self;
    if (m->ended || (m->user && !m->user->go_on(m->user->self, what, done)))
        m->ended = true;
    m->left--;
    m->spent = m->spent || m->left < 0;
    return !m->ended && m->left >= 0;
}

typedef struct work {
    const carom_check_request *request;
    carom_arena *arena;
    carom_check_answer *answer;
    carom_error *error;
    meter meter;
    carom_watch watch; /* the meter */
} work;

/* ---- the parts ------------------------------------------------------------------------------- */

static carom_status restitution(work *w)
{
    return carom_certify_restitution(w->request->geometry, w->answer->E, &w->watch, w->arena,
                                     &w->answer->certificates, w->error);
}

static carom_status contact(work *w)
{
    return carom_certify_contact(w->request->geometry, &w->watch, w->arena,
                                 &w->answer->certificates, w->error);
}

static carom_status friction(work *w)
{
    return carom_certify_friction(w->request->geometry, w->answer->E, &w->watch, w->arena,
                                  &w->answer->certificates, w->error);
}

static carom_status full(work *w)
{
    return carom_certify_full(w->request->law, w->request->geometry, w->arena,
                              &w->answer->certificates, w->error);
}

static carom_status problem(work *w)
{
    const carom_check_request *r = w->request;
    if (!r->system)
        return CAROM_OK;
    carom_status status = carom_painleve_solve(r->system, r->state, r->geometry, r->closed,
                                               w->arena, &w->answer->problem, w->error);
    w->answer->has_problem = !status;
    return status ? status
                  : carom_certify_load(r->system, r->state, r->geometry, r->closed, w->arena,
                                       &w->answer->certificates, w->error);
}

static carom_status critical(work *w)
{
    carom_status status = carom_critical_friction(w->request->geometry, &w->watch, w->arena,
                                                  &w->answer->critical, w->error);
    w->answer->has_critical = !status;
    return status;
}

/* Does the law's E prescribe tangential velocities too? Then its normal block alone says nothing.
 */
static bool is_full(const work *w)
{
    const carom_law *law = w->request->law;
    const carom_value *E = law && law->ops ? carom_law_value(law, "E") : NULL;
    return E && E->rows > w->request->geometry->impact->p;
}

static carom_status coefficients(work *w)
{
    carom_check_answer *a = w->answer;
    const carom_geometry *g = w->request->geometry;
    if (is_full(w))
        return CAROM_OK;
    carom_status status = carom_margins_find(g, a->E, &w->watch, w->arena, &a->margins, w->error);
    if (!status)
        status = carom_conservative_find(g, a->E, w->arena, &a->conservative, w->error);
    a->has_coefficients = !status;
    if (status || g->impact->p != 2 || isnan(a->margins.scale_all))
        return status;
    carom_normal m; /* right angles within rounding are such */
    status = carom_normal_make(g, w->arena, &m, w->error);
    if (!status)
        status = carom_pair_region_make(m.G[2], CURVE, w->arena, &a->region, w->error);
    if (!status)
        status = carom_same_energy_find(g, 1, CURVE, w->arena, &a->same_energy, w->error);
    a->has_pair = !status;
    return status;
}

static carom_status micro_gaps(work *w)
{
    carom_law law = {carom_law_find("newton"), NULL, 0};
    if (w->request->law && w->request->law->ops)
        law = *w->request->law;
    w->answer->micro_law = law.ops->name;
    if (w->request->geometry->impact->p < 2)
        return CAROM_OK;
    carom_status status = carom_micro_gaps_find(&law, w->request->geometry, &w->watch, w->arena,
                                                &w->answer->micro, w->error);
    w->answer->has_micro_gaps = !status;
    return status;
}

/* The limits in calls of the watch: measured so that a part ends within half a second or so, micro-
 * gaps within two, on the machine of docs/benchmarks.md. */
static const struct part {
    unsigned of;
    const char *name;
    carom_status (*run)(work *w);
    double limit;
} parts[] = {
    {CAROM_CHECK_CERTIFICATES, "restitution", restitution, 60},
    {CAROM_CHECK_CERTIFICATES, "contact forces", contact, 100},
    {CAROM_CHECK_CERTIFICATES, "impacts with friction", friction, 60},
    {CAROM_CHECK_CERTIFICATES, "restitution in all directions", full, 60},
    {CAROM_CHECK_PROBLEM, "contact problem", problem, 60},
    {CAROM_CHECK_CRITICAL, "critical friction", critical, 4000},
    {CAROM_CHECK_COEFFICIENTS, "coefficients", coefficients, 4200},
    {CAROM_CHECK_MICRO_GAPS, "micro-gaps", micro_gaps, 60000},
};

carom_status carom_check(const carom_check_request *request, carom_arena *arena,
                         carom_check_answer *answer, carom_error *error)
{
    CAROM_NEED(error, request, request->geometry, request->geometry->impact, arena, answer);
    if (request->system)
        CAROM_NEED(error, request->state, request->closed);
    carom_check_answer *made = carom_arena_zeros(arena, 1, sizeof *made);
    if (!made)
        return carom_error_memory(error);
    const unsigned wanted = request->parts ? request->parts : CAROM_CHECK_ALL;
    const double effort = request->effort > 0 ? request->effort : 1;
    work w = {.request = request, .arena = arena, .answer = made, .error = error};
    w.meter.user = request->watch;
    w.watch = (carom_watch){go_on, &w.meter};
    made->margins = (carom_margins){NAN, NAN, NAN, NAN};
    carom_status status =
        carom_certify_matrix(request->law, request->geometry, arena, &made->E, made->note, error);
    for (size_t k = 0; k < sizeof parts / sizeof *parts && !status && !w.meter.ended; k++) {
        if (!(wanted & parts[k].of))
            continue;
        w.meter.left = INFINITY; /* the caller may end it before a part begins */
        if (!go_on(&w.meter, parts[k].name, 0))
            break;
        w.meter.left = effort * parts[k].limit;
        w.meter.spent = false;
        status = parts[k].run(&w);
        made->limited = made->limited || w.meter.spent;
        if (parts[k].run == full && !status)
            status = carom_own_law_judge(request->law, request->geometry, &w.watch, arena,
                                         &made->certificates, error);
    }
    made->stopped = w.meter.ended;
    if (!status)
        *answer = *made;
    return status;
}
