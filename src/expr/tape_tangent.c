/* Forward mode on a tape: after a run, every slot's derivative in k directions, from those of its
 * arguments by the chain rule (docs/theory/tangents.md, "Forward mode"). */
#include "expr/tape_code.h"

#include "expr/op.h"

#include <string.h>

size_t carom_tape_tangent_room(const carom_tape *tape, int k)
{
    return tape->slot_count * (size_t)k;
}

static bool all_zero(const double *x, int k)
{
    for (int j = 0; j < k; j++)
        if (x[j] != 0)
            return false;
    return true;
}

/* The slope of a function of one argument at a; v is its value there. */
static double slope(carom_op op, double a, double v)
{
    switch (op) {
    case CAROM_OP_NEG:
        return -1;
    case CAROM_OP_SQUARE:
        return 2 * a;
    case CAROM_OP_SIN:
        return cos(a);
    case CAROM_OP_COS:
        return -sin(a);
    case CAROM_OP_TAN:
        return 1 + v * v;
    case CAROM_OP_ASIN:
        return 1 / carom_op_sqrt((1 - a) * (1 + a));
    case CAROM_OP_ACOS:
        return -1 / carom_op_sqrt((1 - a) * (1 + a));
    case CAROM_OP_ATAN:
        return 1 / (1 + a * a);
    case CAROM_OP_SINH:
        return cosh(a);
    case CAROM_OP_COSH:
        return sinh(a);
    case CAROM_OP_TANH: {
        double sech = carom_op_evaluate(CAROM_OP_SECH, a, 0, 0);
        return sech * sech;
    }
    case CAROM_OP_SECH:
        return -v * tanh(a);
    case CAROM_OP_EXP:
        return v;
    case CAROM_OP_LOG:
        return 1 / a;
    case CAROM_OP_SQRT:
        return 0.5 / v;
    case CAROM_OP_ABS:
        return carom_op_side(a);
    default: /* sign, side: constant where they have a slope */
        return 0;
    }
}

/* to = x a + y b; an instruction never writes to a slot that it reads. */
static inline void combine(int k, double x, const double *a, double y, const double *b,
                           double *restrict to)
{
    for (int j = 0; j < k; j++)
        to[j] = x * a[j] + y * b[j];
}

static inline void scale(int k, double x, const double *a, double *restrict to)
{
    for (int j = 0; j < k; j++)
        to[j] = x * a[j];
}

/* a^b; with respect to b only where b changes, for its logarithm may not exist. 0^b stays 0. */
static inline void power(int k, double a, double b, double v, const double *da, const double *db,
                         double *to)
{
    double by_a = b * pow(a, b - 1), by_b = a == 0 && b > 0 ? 0 : v * log(a);
    if (all_zero(db, k))
        scale(k, by_a, da, to);
    else if (all_zero(da, k)) /* the slope at 0 may be infinite */
        scale(k, by_b, db, to);
    else
        combine(k, by_a, da, by_b, db, to);
}

static inline void copy(int k, const double *from, double *to)
{
    memcpy(to, from, (size_t)k * sizeof *to);
}

/* One instruction that is not a sum of many terms. v: its value. */
static inline void derive(carom_op op, const carom_tape_code *c, const double *slots, int k,
                          double *d)
{
    const double a = slots[c->a], b = slots[c->b], v = slots[c->to];
    const double *da = d + (size_t)c->a * (size_t)k, *db = d + (size_t)c->b * (size_t)k;
    double *to = d + (size_t)c->to * (size_t)k;
    switch (op) {
    case CAROM_OP_ADD:
        combine(k, 1, da, 1, db, to);
        break;
    case CAROM_OP_SUB:
        combine(k, 1, da, -1, db, to);
        break;
    case CAROM_OP_MUL:
        combine(k, b, da, a, db, to);
        break;
    case CAROM_OP_DIV:
        for (int j = 0; j < k; j++)
            to[j] = (da[j] - v * db[j]) / b;
        break;
    case CAROM_OP_POWER:
        scale(k, b * carom_op_power(a, b - 1), da, to);
        break;
    case CAROM_OP_POW:
        power(k, a, b, v, da, db, to);
        break;
    case CAROM_OP_ATAN2:
        combine(k, b / (a * a + b * b), da, -a / (a * a + b * b), db, to);
        break;
    case CAROM_OP_MIN: /* a tie belongs to the first argument */
        copy(k, a <= b ? da : db, to);
        break;
    case CAROM_OP_MAX:
        copy(k, a >= b ? da : db, to);
        break;
    case CAROM_OP_SELECT: /* the branch taken */
        copy(k, a != 0 ? db : d + (size_t)c->c * (size_t)k, to);
        break;
    case CAROM_OP_LESS:
    case CAROM_OP_LESS_EQUAL:
    case CAROM_OP_EQUAL:
        memset(to, 0, (size_t)k * sizeof *to);
        break;
    default:
        scale(k, slope(op, a, v), da, to);
    }
}

/* A sum of products, term after term. */
static inline void derive_sum(const carom_tape_code *c, const carom_tape_term *terms,
                              const double *slots, int k, double *d)
{
    double *restrict to = d + (size_t)c->to * (size_t)k;
    memset(to, 0, (size_t)k * sizeof *to);
    for (const carom_tape_term *x = terms + c->a, *last = x + c->b; x < last; x++) {
        const double *da = d + (size_t)x->a * (size_t)k, *db = d + (size_t)x->b * (size_t)k;
        const double by_a = x->sign * slots[x->b], by_b = x->sign * slots[x->a];
        for (int j = 0; j < k; j++)
            to[j] += by_a * da[j] + by_b * db[j];
    }
}

static inline void derive_sincos(const carom_tape_code *c, const double *slots, int k, double *d)
{
    const double *da = d + (size_t)c->a * (size_t)k;
    scale(k, slots[c->c], da, d + (size_t)c->to * (size_t)k);
    scale(k, -slots[c->to], da, d + (size_t)c->c * (size_t)k);
}

void carom_tape_tangent_derive(uint32_t op, const carom_tape_code *code,
                               const carom_tape_term *terms, const double *slots, int k, double *d)
{
    if (op == CAROM_TAPE_SUM)
        derive_sum(code, terms, slots, k, d);
    else if (op == CAROM_TAPE_SINCOS)
        derive_sincos(code, slots, k, d);
    else
        derive((carom_op)op, code, slots, k, d);
}

/* Row `index` of a matrix of directions (rows x k), into to. */
static void seed(const double *directions, int rows, int index, int k, double *to)
{
    for (int j = 0; j < k; j++)
        to[j] = directions ? directions[(size_t)index + (size_t)j * (size_t)rows] : 0;
}

static void seed_leaves(const carom_tape *t, const carom_tape_directions *x, double *d)
{
    const size_t k = (size_t)x->k;
    memset(d, 0, t->leaf_count * k * sizeof *d);
    for (size_t i = 0; i < t->input_count; i++) {
        carom_variable v = t->inputs[i].variable;
        double *to = d + t->inputs[i].slot * k;
        if (v == CAROM_VARIABLE_T)
            seed(x->t, 1, 0, x->k, to);
        else if (CAROM_VARIABLE_VELOCITY(v))
            seed(x->u, x->n, CAROM_VARIABLE_INDEX(v), x->k, to);
        else
            seed(x->q, x->nq, CAROM_VARIABLE_INDEX(v), x->k, to);
    }
    for (size_t i = 0; i < t->parameter_count; i++)
        seed(x->parameters, x->parameter_count, CAROM_VARIABLE_INDEX(t->parameters[i].variable),
             x->k, d + t->parameters[i].slot * k);
}

#define EACH(statement)                                                                            \
    for (; c < end; c++)                                                                           \
    statement

/* All instructions. Inlined for the usual k, so that its loops have a known length. */
static inline void pass(const carom_tape_program *p, const carom_tape_term *terms,
                        const double *slots, int k, double *d)
{
    const carom_tape_code *c = p->codes;
    for (const carom_tape_batch *b = p->batches, *last = b + p->batch_count; b < last; b++) {
        const carom_tape_code *end = c + b->count;
        switch (b->op) {
        case CAROM_OP_ADD:
            EACH(derive(CAROM_OP_ADD, c, slots, k, d));
            break;
        case CAROM_OP_SUB:
            EACH(derive(CAROM_OP_SUB, c, slots, k, d));
            break;
        case CAROM_OP_MUL:
            EACH(derive(CAROM_OP_MUL, c, slots, k, d));
            break;
        case CAROM_OP_NEG:
            EACH(derive(CAROM_OP_NEG, c, slots, k, d));
            break;
        case CAROM_OP_SQUARE:
            EACH(derive(CAROM_OP_SQUARE, c, slots, k, d));
            break;
        case CAROM_OP_SQRT:
            EACH(derive(CAROM_OP_SQRT, c, slots, k, d));
            break;
        case CAROM_TAPE_SUM:
            EACH(derive_sum(c, terms, slots, k, d));
            break;
        case CAROM_TAPE_SINCOS:
            EACH(derive_sincos(c, slots, k, d));
            break;
        default:
            EACH(derive((carom_op)b->op, c, slots, k, d));
        }
    }
}

const double *carom_tape_tangent(carom_tape *tape, unsigned groups, double t, const double *q,
                                 const double *u, const carom_tape_directions *directions,
                                 double *tangents)
{
    const double *slots = carom_tape_run(tape, groups, t, q, u);
    const carom_tape_program *p = carom_tape_find_program(tape, groups);
    seed_leaves(tape, directions, tangents);
    switch (directions->k) {
    case 1:
        pass(p, tape->terms, slots, 1, tangents);
        break;
    case 2:
        pass(p, tape->terms, slots, 2, tangents);
        break;
    case 4:
        pass(p, tape->terms, slots, 4, tangents);
        break;
    case 6:
        pass(p, tape->terms, slots, 6, tangents);
        break;
    case 8:
        pass(p, tape->terms, slots, 8, tangents);
        break;
    default:
        pass(p, tape->terms, slots, directions->k, tangents);
    }
    return slots;
}
