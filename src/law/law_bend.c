/* The sharp bend (docs/theory/bend.md): a motion confined to two half-hyperplanes that meet at an
 * edge. With the unit normals to the edge m1, m2 pointing into sheet 1, 2:
 *   u- = v_edge - s m1   becomes   u+ = v_edge + s m2,   s > 0.
 * Sheet 1 is w1.u = 0 with w2.u >= 0, sheet 2 is w2.u = 0 with w1.u >= 0. */
#include "law/laws.h"

#include <math.h>

/* Why there is no bend here, or NULL; *from is the contact whose sheet u- lies in. */
static const char *find_sheet(const carom_geometry *g, int *from)
{
    if (g->impact->p != 2)
        return "a bend has exactly two contacts, the sheets that meet at the edge";
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return reason;
    double D11 = g->D[0], D12 = g->D[1], D22 = g->D[3];
    if (g->dependent || !(D11 * D22 - D12 * D12 > 0))
        return "the normals are parallel: two sheets that are the same plane have no edge";
    for (int i = 0; i < 2; i++) {
        double tolerance = 1e-9 * g->norm[i] * g->speed;
        if (fabs(g->gamma[i]) <= tolerance) {
            *from = i;
            if (g->gamma[1 - i] < 1e-9 * g->norm[1 - i] * g->speed)
                return NULL;
        }
    }
    if (fabs(g->gamma[*from]) <= 1e-9 * g->norm[*from] * g->speed)
        return NULL;
    return "u- lies in neither sheet: one normal velocity must be zero, the other negative";
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    (void)law;
    (void)arena;
    (void)error;
    int from = 0;
    const char *reason = find_sheet(g, &from);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    int to = 1 - from;
    if (g->gamma[to] >= 0) {
        carom_outcome_say(outcome, "u- moves into its sheet, away from the edge: no impact");
        return CAROM_OK;
    }
    /* m1 = (Y_to - Y_from D12/D11) / n1 has unit length with n1 = sqrt(D22 - D12^2/D11); its normal
     * velocity w_to.m1 = n1, so that s = -gamma_to / n1. Likewise m2 with the contacts exchanged.
     */
    double Dff = g->D[from * 3], Dtt = g->D[to * 3], Dft = g->D[1];
    double n1 = sqrt(Dtt - Dft * Dft / Dff), n2 = sqrt(Dff - Dft * Dft / Dtt);
    double s = -g->gamma[to] / n1;
    outcome->impulse[to] = s * (1 / n1 - Dft / Dtt / n2);
    outcome->impulse[from] = s * (1 / n2 - Dft / Dff / n1);
    carom_outcome_from_impulses(g, outcome);
    carom_law_set_modes(g, outcome);
    carom_outcome_detail(outcome, "edge_speed", s);
    return CAROM_OK;
}

static const carom_parameter parameters[] = {{0}};

const carom_law_ops carom_law_bend = {
    .name = "bend",
    .summary = "sharp bend: a motion confined to two sheets passes their common edge",
    .reference = "Glocker, Concepts for modeling impacts without friction, Fig. 6",
    .parameters = parameters,
    .apply = apply,
};
