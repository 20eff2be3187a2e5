/* Kinks: `abs`, `min`, `max`, `sign` and `if` where they change sides have a derivative from each
 * side. Both are formed on the tape, along d and along -d, and compared (docs/theory/tangents.md,
 * "At a kink"). */
#include "expr/tape_code.h"

#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

/* Values and derivatives of one pass along k directions. */
typedef struct side {
    const double *slots, *size; /* size: what each slot is made of */
    const double *most;         /* k: the largest change of a variable */
    int k;
    double *d; /* of each slot, k */
} side;

static bool bends(uint32_t op)
{
    switch (op) {
    case CAROM_OP_ABS:
    case CAROM_OP_SIGN:
    case CAROM_OP_SIDE:
    case CAROM_OP_MIN:
    case CAROM_OP_MAX:
    case CAROM_OP_LESS:
    case CAROM_OP_LESS_EQUAL:
    case CAROM_OP_EQUAL:
    case CAROM_OP_SELECT:
        return true;
    default:
        return false;
    }
}

static double size_of_sum(const carom_tape_code *c, const carom_tape_term *terms,
                          const double *size)
{
    double sum = 0;
    for (const carom_tape_term *x = terms + c->a, *last = x + c->b; x < last; x++)
        sum += size[x->a] * size[x->b];
    return sum;
}

/* What the value of an instruction is made of: its rounding is a part of that. */
static void measure(uint32_t op, const carom_tape_code *c, const carom_tape_term *terms,
                    const double *slots, double *size)
{
    const double a = size[op == CAROM_TAPE_SUM ? 0 : c->a];
    double *to = &size[c->to];
    *to = fabs(slots[c->to]);
    if (op == CAROM_OP_ADD || op == CAROM_OP_SUB)
        *to = a + size[c->b];
    else if (op == CAROM_OP_NEG || op == CAROM_OP_ABS)
        *to = a;
    else if (op == CAROM_OP_MUL)
        *to = a * size[c->b];
    else if (op == CAROM_OP_DIV)
        *to = a / fabs(slots[c->b]);
    else if (op == CAROM_TAPE_SUM)
        *to = size_of_sum(c, terms, size);
    else if (op == CAROM_TAPE_SINCOS) {
        *to = fabs(slots[c->to]) + a * fabs(slots[c->c]);
        size[c->c] = fabs(slots[c->c]) + a * fabs(slots[c->to]);
    }
}

/* Positions are known to a part of the way too, and velocities of what makes it in this time. */
static void measure_leaves(const carom_tape *t, double time, const double *q, const double *u,
                           double *size)
{
    for (size_t i = 0; i < t->leaf_count; i++)
        size[i] = fabs(t->slots[i]);
    for (size_t i = 0; i < t->input_count && q && u && time != 0; i++) {
        const carom_variable v = t->inputs[i].variable;
        const int index = CAROM_VARIABLE_INDEX(v);
        if (v != CAROM_VARIABLE_T)
            size[t->inputs[i].slot] +=
                fabs(CAROM_VARIABLE_VELOCITY(v) ? q[index] / time : u[index] * time);
    }
}

/* Whether x - y is zero but for rounding. */
static bool meet(const side *s, uint32_t x, uint32_t y)
{
    return fabs(s->slots[x] - s->slots[y]) <= CAROM_TOLERANCE_CARRIED * (s->size[x] + s->size[y]);
}

/* `if`: the branch on this side, and whether the value jumps to it. */
static double choose(const side *s, const carom_tape_code *c, int j)
{
    const size_t k = (size_t)s->k, at = (size_t)j;
    const bool now = s->slots[c->a] != 0, then = s->slots[c->a] + s->d[c->a * k + at] != 0;
    const uint32_t here = now ? c->b : c->c, there = then ? c->b : c->c;
    if (now != then && !meet(s, here, there))
        return copysign(INFINITY, s->slots[there] - s->slots[here]);
    return s->d[there * k + at];
}

/* The change of an instruction that bends, along direction j. Of comparisons: by how much their
 * truth changes on this side. */
static double turn(const side *s, uint32_t op, const carom_tape_code *c, int j)
{
    const bool two = op != CAROM_OP_ABS && op != CAROM_OP_SIGN && op != CAROM_OP_SIDE;
    const size_t k = (size_t)s->k, at = (size_t)j;
    const double a = s->d[c->a * k + at], b = two ? s->d[c->b * k + at] : 0;
    const double value = s->slots[c->a] - (two ? s->slots[c->b] : 0), by = a - b;
    const bool zero =
        two ? meet(s, c->a, c->b) : fabs(value) <= CAROM_TOLERANCE_CARRIED * s->size[c->a];
    const bool moves = zero && fabs(by) > CAROM_TOLERANCE_SAME * s->most[j];
    const double sign = moves ? by : value;
    switch (op) {
    case CAROM_OP_ABS:
        return sign < 0 ? -a : a;
    case CAROM_OP_MIN:
        return sign <= 0 ? a : b;
    case CAROM_OP_MAX:
        return sign >= 0 ? a : b;
    case CAROM_OP_LESS:
    case CAROM_OP_LESS_EQUAL:
        return moves ? (by < 0) - s->slots[c->to] : 0;
    case CAROM_OP_EQUAL:
        return moves ? -s->slots[c->to] : 0;
    default: /* sign, side */
        return moves ? copysign(INFINITY, by) : 0;
    }
}

static void pass(const carom_tape_program *p, const carom_tape *tape, const side *s)
{
    const carom_tape_code *c = p->codes;
    for (size_t b = 0; b < p->batch_count; b++)
        for (const carom_tape_code *end = c + p->batches[b].count; c < end; c++) {
            const uint32_t op = p->batches[b].op;
            if (!bends(op))
                carom_tape_tangent_derive(op, c, tape->terms, s->slots, s->k, s->d);
            for (int j = 0; j < s->k && bends(op); j++)
                s->d[c->to * (size_t)s->k + (size_t)j] =
                    op == CAROM_OP_SELECT ? choose(s, c, j) : turn(s, op, c, j);
        }
}

size_t carom_tape_kink_room(const carom_tape *tape, int k)
{
    return tape->slot_count * (2 * (size_t)k + 1) + (size_t)k;
}

bool carom_tape_kink(carom_tape *tape, unsigned groups, double t, const double *q, const double *u,
                     int k, double *tangents, double *room)
{
    const carom_tape_program *p = carom_tape_find_program(tape, groups);
    const size_t all = tape->slot_count * (size_t)k, leaves = tape->leaf_count * (size_t)k;
    double *size = room, *most = size + tape->slot_count, *ahead = most + k, *back = ahead + all;
    bool any = false;
    for (size_t b = 0; b < p->batch_count; b++)
        any = any || bends(p->batches[b].op);
    if (!any)
        return false;
    measure_leaves(tape, t, q, u, size);
    const carom_tape_code *c = p->codes;
    for (size_t b = 0; b < p->batch_count; b++)
        for (const carom_tape_code *end = c + p->batches[b].count; c < end; c++)
            measure(p->batches[b].op, c, tape->terms, tape->slots, size);
    memset(most, 0, sizeof(double) * ((size_t)k + 2 * all));
    for (size_t i = 0; i < leaves; i++) {
        most[i % (size_t)k] = fmax(most[i % (size_t)k], fabs(tangents[i]));
        ahead[i] = tangents[i];
        back[i] = -tangents[i];
    }
    pass(p, tape, &(side){tape->slots, size, most, k, ahead});
    pass(p, tape, &(side){tape->slots, size, most, k, back});
    any = false;
    for (size_t i = leaves; i < all; i++)
        /* smooth ones are opposite to the last bit; x|x| has a kink of the size of x's rounding */
        if (!(fabs(ahead[i] + back[i]) <= CAROM_TOLERANCE_CARRIED * most[i % (size_t)k])) {
            tangents[i] = NAN;
            any = true;
        }
    return any;
}
