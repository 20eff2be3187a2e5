/* Restitution matrices that keep the energy (docs/theory/certificates.md, "Uniqueness"):
 * E'G^-1E = G^-1 means E = L O L^-1, O orthogonal. For two contacts every entry of E and of
 * G^-1(I + E) is a + b cos(angle) + c sin(angle) on each of the two circles of O. */
#include "carom/need.h"
#include "carom/tolerance.h"
#include "certify/loss.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What counts as zero in an entry on the circle; G has a unit diagonal. */
static const double touch = CAROM_TOLERANCE_CARRIED;

/* E = L O L^-1 of two contacts at an angle. */
static void matrix_at(const carom_normal *m, bool reflection, double angle, double *E)
{
    const double c = cos(angle), s = sin(angle), l = m->L[1], d = m->L[3]; /* L = [1 0; l d] */
    const double O[4] = {c, s, reflection ? s : -s, reflection ? -c : c};
    double LO[4] = {O[0], l * O[0] + d * O[1], O[2], l * O[2] + d * O[3]};
    E[2] = LO[2] / d; /* columns of (LO) L^-1, L^-1 = [1 0; -l/d 1/d] */
    E[3] = LO[3] / d;
    E[0] = LO[0] - E[2] * l;
    E[1] = LO[1] - E[3] * l;
}

/* The eight entries that must not be negative: E, then G^-1 (I + E). */
static void entries_at(const carom_normal *m, bool reflection, double angle, double *x)
{
    matrix_at(m, reflection, angle, x);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            x[4 + i + 2 * j] = m->K[i + 2 * j] + m->K[i] * x[2 * j] + m->K[i + 2] * x[1 + 2 * j];
}

static bool is_admissible(const carom_normal *m, bool reflection, double angle)
{
    double x[8];
    entries_at(m, reflection, angle, x);
    for (int k = 0; k < 8; k++)
        if (x[k] < -touch * (k < 4 ? 1 : m->K_norm))
            return false;
    return true;
}

/* The angles where an entry changes sign; at most 16. */
static int find_borders(const carom_normal *m, bool reflection, double *border)
{
    const double turn = 2 * CAROM_PI;
    double at[3][8];
    int count = 0;
    for (int k = 0; k < 3; k++) /* three points determine a + b cos + c sin */
        entries_at(m, reflection, turn * k / 4, at[k]);
    for (int k = 0; k < 8; k++) {
        const double a = (at[0][k] + at[2][k]) / 2, b = (at[0][k] - at[2][k]) / 2;
        const double c = at[1][k] - a, radius = hypot(b, c);
        if (!(radius > touch) || fabs(a) > radius * (1 + touch))
            continue;
        const double middle = atan2(c, b), half = acos(fmax(-1, fmin(1, -a / radius)));
        for (int side = -1; side <= 1; side += 2) {
            double angle = middle + side * half;
            angle -= turn * floor(angle / turn);
            border[count++] = angle;
        }
    }
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && border[k] < border[k - 1]; k--) {
            const double t = border[k];
            border[k] = border[k - 1];
            border[k - 1] = t;
        }
    return count;
}

static void add_arc(const carom_normal *m, bool reflection, double from, double to,
                    carom_conservative *found)
{
    enum { ROOM = sizeof found->arcs / sizeof *found->arcs };
    if (found->arc_count == ROOM)
        return;
    carom_conservative_arc *arc = &found->arcs[found->arc_count++];
    *arc = (carom_conservative_arc){.reflection = reflection, .from = from, .to = to};
    matrix_at(m, reflection, from, arc->E_from);
    matrix_at(m, reflection, to, arc->E_to);
    for (int k = 0; k < 4; k++) { /* the border is where an entry vanishes */
        arc->E_from[k] = fabs(arc->E_from[k]) > touch ? arc->E_from[k] : 0;
        arc->E_to[k] = fabs(arc->E_to[k]) > touch ? arc->E_to[k] : 0;
    }
}

/* All arcs of one circle: pieces between borders whose middle is admissible, joined; and borders
 * that are admissible by themselves. */
static void find_arcs(const carom_normal *m, bool reflection, carom_conservative *found)
{
    const double turn = 2 * CAROM_PI, same = CAROM_TOLERANCE_SAME;
    double border[16];
    const int count = find_borders(m, reflection, border);
    if (count == 0) {
        if (is_admissible(m, reflection, 0))
            add_arc(m, reflection, 0, turn, found);
        return;
    }
    bool inside[16];
    for (int k = 0; k < count; k++) {
        const double next = k + 1 < count ? border[k + 1] : border[0] + turn;
        inside[k] = next - border[k] > same && is_admissible(m, reflection, (border[k] + next) / 2);
    }
    for (int k = 0; k < count; k++) {
        const int before = (k + count - 1) % count;
        const double last = border[k] - border[before] + (k == 0 ? turn : 0);
        if (inside[k] && !inside[before]) { /* an arc begins: follow it to its end */
            int end = k;
            double to = border[k];
            while (inside[end % count] && end < k + count) {
                const double from = border[end % count], next = border[(end + 1) % count];
                to += next - from + ((end + 1) % count == 0 ? turn : 0);
                end++;
            }
            add_arc(m, reflection, border[k], to, found);
        } else if (!inside[k] && !inside[before] && last > same &&
                   is_admissible(m, reflection, border[k])) {
            add_arc(m, reflection, border[k], border[k], found);
        }
    }
}

/* C = 0? Exactly where the entries are, else within their doubt. */
static carom_status judge(const carom_normal *m, const double *E, carom_arena *arena,
                          carom_conservative *found, carom_error *error)
{
    carom_loss loss;
    carom_status status = carom_loss_make(m, E, arena, &loss, error);
    bool exact = true, clear = false;
    for (int k = 0; k < m->p * m->p && !status; k++) {
        found->deviation = fmax(found->deviation, fabs(loss.C[k]));
        exact = exact && loss.C[k] == 0;
        clear = clear || fabs(loss.C[k]) > loss.C_doubt[k];
    }
    found->deviation /= m->K_norm > 0 ? m->K_norm : 1;
    found->conservative = clear ? CAROM_FALSE : exact ? CAROM_TRUE : CAROM_UNDECIDED;
    if (!clear && found->deviation <= 64.0 * m->p * DBL_EPSILON)
        found->conservative = CAROM_TRUE; /* as far as numbers can tell */
    return status;
}

carom_status carom_conservative_find(const carom_geometry *geometry, const double *E,
                                     carom_arena *arena, carom_conservative *found,
                                     carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, found);
    carom_conservative made = {
        .conservative = CAROM_UNDECIDED, .unique = CAROM_UNDECIDED, .deviation = 0, .freedoms = -1};
    carom_normal m;
    carom_status status = carom_normal_make(geometry, arena, &m, error);
    if (status)
        return status;
    const carom_impact *impact = geometry->impact;
    if (m.regular && !impact->region && geometry->spread_start[impact->p] == 0) {
        made.freedoms = m.p * (m.p - 1) / 2;
        E = carom_normal_restitution(geometry, E, arena);
        if (!E)
            return carom_error_memory(error);
        status = judge(&m, E, arena, &made, error);
        if (m.p == 1)
            made.unique = CAROM_TRUE; /* E = 1 */
        if (m.p == 2) {
            find_arcs(&m, false, &made);
            find_arcs(&m, true, &made);
            made.unique = made.arc_count == 1 && made.arcs[0].from == made.arcs[0].to ? CAROM_TRUE
                                                                                      : CAROM_FALSE;
        }
    }
    *found = made;
    return status;
}
