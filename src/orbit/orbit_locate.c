/* What happens between two neighbouring points of a branch is found here: zeros of the tests, and
 * where the path of events changes (docs/theory/orbits.md, "Branches"). */
#include "orbit/orbit_locate.h"

#include <math.h>

#include "carom/tolerance.h"

typedef carom_orbit_follower follower;
typedef carom_orbit_place place;

/* How sharply events are located, as a part of the branch. */
static const double located = CAROM_TOLERANCE_REFINED;

enum { LOCATIONS = 60 };

/* The point on the way from `base` where a test is zero, its values there and at `length` of
 * different signs: Illinois' method on the length. */
static carom_status locate(follower *f, const place *base, double length, double at_end, int test,
                           place *x, carom_error *error)
{
    double a = 0, fa = base->test[test], b = length, fb = at_end, last = 0;
    for (int i = 0; i < LOCATIONS; i++) {
        double s = (a * fb - b * fa) / (fb - fa);
        if (!(s > fmin(a, b) && s < fmax(a, b)))
            s = 0.5 * (a + b);
        carom_status status = carom_orbit_place_advance(f, base, s, x, error);
        if (status != CAROM_OK)
            return status;
        const double y = x->test[test];
        if (y == 0 || fabs(b - a) <= located || fabs(s - last) <= 0.01 * located)
            return CAROM_OK;
        last = s;
        if ((y > 0) == (fb > 0)) {
            b = s;
            fb = y;
            fa *= 0.5;
        } else {
            a = s;
            fa = y;
            fb *= 0.5;
        }
        if ((y > 0) == (fb > 0) && b == s)
            continue;
    }
    return CAROM_OK;
}

carom_status carom_orbit_locate_tell(follower *f, carom_orbit_event_kind kind, const place *x,
                                     const char *message, carom_error *error)
{
    const carom_orbit_branch *b = f->branch;
    return b->event ? b->event(b->self, kind, x->p, &x->orbit, message, error) : CAROM_OK;
}

bool carom_orbit_locate_within(const follower *f, double p)
{
    const double a = fmin(f->branch->from, f->branch->to), b = fmax(f->branch->from, f->branch->to);
    return p >= a && p <= b;
}

/* Bifurcations between two neighbouring points, located and told. */
carom_status carom_orbit_locate_bifurcations(follower *f, const place *base, double length,
                                             const place *next, place *spare, carom_error *error)
{
    static const carom_orbit_event_kind kinds[CAROM_ORBIT_TESTS] = {
        CAROM_ORBIT_FOLD, CAROM_ORBIT_PERIOD_DOUBLING, CAROM_ORBIT_NEIMARK_SACKER};
    for (int k = 0; k < CAROM_ORBIT_TESTS; k++) {
        const bool crossed = (base->test[k] > 0) != (next->test[k] > 0);
        if (!crossed || (k == 2 && !(base->pair && next->pair)))
            continue;
        carom_status status = locate(f, base, length, next->test[k], k, spare, error);
        if (status == CAROM_OK && carom_orbit_locate_within(f, spare->p))
            status = carom_orbit_locate_tell(f, kinds[k], spare, NULL, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

carom_status carom_orbit_locate_last(follower *f, const place *base, double length, place *spare,
                                     carom_error *error)
{
    double a = 0, b = length;
    while (b - a > located) {
        const double s = 0.5 * (a + b);
        if (s == a || s == b)
            break;
        carom_status status = carom_orbit_place_advance(f, base, s, spare, error);
        if (status < 0)
            return status;
        if (status == CAROM_OK && carom_orbit_path_same(&base->path, &spare->path))
            a = s;
        else
            b = s;
    }
    return carom_orbit_place_advance(f, base, a, spare, error);
}

carom_status carom_orbit_locate_change(follower *f, const place *base, double length,
                                       const place *next, place *spare, carom_error *error)
{
    char text[300];
    carom_orbit_problem problem;
    carom_status status = carom_orbit_locate_last(f, base, length, spare, error);
    if (status == CAROM_OK)
        status = f->family->at(f->family->self, spare->p, &problem, error);
    if (status != CAROM_OK)
        return status;
    const carom_orbit_event_kind kind = carom_orbit_path_compare(
        &base->path, &next->path, carom_system_get_shape(problem.system), text, sizeof text);
    return carom_orbit_locate_tell(f, kind, spare, text, error);
}
