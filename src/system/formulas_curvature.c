/* How fast gaps may bend on a flight: bounds of their second derivatives in time by intervals. */
#include "system/formulas_model.h"

/* The largest number surely not above W_ji a_j, rounded down with the sum it joins. */
static double least_product(carom_range w, double a)
{
    const double x = w.low * a, y = w.high * a;
    return x < y ? x : y;
}

bool carom_formulas_model_curvature(void *self, const carom_flight *flight, double *low)
{
    carom_formulas_model *m = self;
    const carom_formulas_tape *tape = &m->plain;
    const unsigned groups = CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_BIASES;
    const size_t n = (size_t)m->n;
    if (!m->ranges)
        return false;
    carom_range *q = m->ranges + carom_tape_ranges_room(tape->tape), *u = q + n;
    for (int j = 0; j < m->n; j++) {
        q[j] = (carom_range){flight->q_low[j], flight->q_high[j]};
        u[j] = (carom_range){flight->u_low[j], flight->u_high[j]};
    }
    const carom_tape_box box = {{flight->t[0], flight->t[1]}, q, u};
    if (!carom_tape_ranges(tape->tape, groups, &box, m->ranges))
        return false;
    for (int i = 0; i < m->p; i++)
        low[i] = 0;
    for (int bit = 0; bit < CAROM_FORMULAS_WANT_BITS; bit++) {
        if (!(groups >> bit & 1))
            continue;
        for (size_t k = tape->start[bit]; k < tape->start[bit + 1]; k++) {
            const carom_formulas_value *v = &tape->values[k];
            const carom_range r = m->ranges[v->slot];
            if (v->field == CAROM_FIELD_W)
                low[v->index / n] += least_product(r, flight->a[v->index % n]);
            else if (v->field == CAROM_FIELD_G_BIAS)
                low[v->index] += r.low;
        }
    }
    return true;
}
