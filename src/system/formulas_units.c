/* What the formulas of a system say about units (docs/theory/formulas.md): which coordinates, and
 * which gaps, are measured alike.
 *
 * A unit is a vector of exponents over the units of time, coordinates and parameters, none of which
 * is known. Terms of a sum have one unit, arguments of sin, exp and the like have none: linear
 * equations for these vectors. Numbers that are written out may hide a mass or a length and say
 * nothing, but for whole ones and halves beside a parameter (m/2, 2*R). A factor that is not
 * written may be a number too, a radius of 1: a pure number beside something else in a sum says
 * nothing, nor does a slip without parameters (x' + th'). Two coordinates are measured alike where
 * the equations prove it; nothing is guessed. */
#include "carom/need.h"
#include "system/formulas.h"

#include <math.h>
#include <string.h>

enum { NUMBERS_MOST = 4000000 }; /* of all vectors: larger systems are left alone */

typedef struct units {
    const carom_graph *graph;
    int size;        /* of a vector: time, coordinates, parameters */
    int coordinates; /* of these */
    double *of;      /* graph nodes x size */
    bool *known;     /* graph nodes */
    bool *used;      /* graph nodes: part of the statement */
    bool *slips;     /* graph nodes: part of slips alone */
    bool sums;       /* are looked at: after all functions, which tell what is a pure number */
    int rank;
    double *rows; /* size x size: the equations, reduced */
    int *pivot;   /* size: the row that has its leading 1 there, -1: none */
    double *work; /* size */
} units;

static double *of(const units *x, carom_node a)
{
    return x->of + (size_t)a * (size_t)x->size;
}

/* What is left of a vector when the equations are taken out. */
static void reduce(const units *x, double *v)
{
    for (int i = 0; i < x->size; i++) {
        const double part = x->pivot[i] >= 0 ? v[i] : 0;
        const double *row = part != 0 ? x->rows + (size_t)x->pivot[i] * (size_t)x->size : NULL;
        for (int j = 0; row && j < x->size; j++)
            v[j] -= part * row[j];
    }
    for (int i = 0; i < x->size; i++) /* exponents are small fractions; no negative zeros */
        v[i] = rint(v[i] * 5040) / 5040 + 0.0;
}

/* One more equation: work = 0. */
static void add_equation(units *x)
{
    int lead = 0;
    reduce(x, x->work);
    while (lead < x->size && x->work[lead] == 0)
        lead++;
    if (lead == x->size)
        return;
    double *row = x->rows + (size_t)x->rank * (size_t)x->size;
    for (int j = 0; j < x->size; j++)
        row[j] = x->work[j] / x->work[lead];
    for (int k = 0; k < x->rank; k++) {
        double *other = x->rows + (size_t)k * (size_t)x->size;
        const double part = other[lead];
        for (int j = 0; part != 0 && j < x->size; j++)
            other[j] -= part * row[j];
    }
    x->pivot[lead] = x->rank++;
}

/* Has it no unit, as far as is known? */
static bool is_pure(units *x, carom_node a)
{
    bool pure = true;
    memcpy(x->work, of(x, a), (size_t)x->size * sizeof *x->work);
    reduce(x, x->work);
    for (int j = 0; j < x->size; j++)
        pure = pure && x->work[j] == 0;
    return pure;
}

/* a and b are measured alike, unless a factor of 1 may hide between them. */
static void equate(units *x, carom_node a, carom_node b)
{
    if (!x->sums || !x->known[a] || !x->known[b] || is_pure(x, a) != is_pure(x, b))
        return;
    for (int j = 0; j < x->size; j++)
        x->work[j] = of(x, a)[j] - of(x, b)[j];
    add_equation(x);
}

/* a is a number. */
static void without_unit(units *x, carom_node a)
{
    if (!x->known[a])
        return;
    memcpy(x->work, of(x, a), (size_t)x->size * sizeof *x->work);
    add_equation(x);
}

/* The unit of a is that of b to a power, times that of c to another. */
static void combine(units *x, carom_node a, carom_node b, double power, carom_node c, double other)
{
    x->known[a] = x->known[b] && x->known[c];
    for (int j = 0; x->known[a] && j < x->size; j++)
        of(x, a)[j] = power * of(x, b)[j] + other * of(x, c)[j];
}

/* A number beside a parameter that counts and measures nothing. */
static bool is_plain(const units *x, carom_node number, carom_node beside)
{
    const double value = x->graph->nodes[number].as.value;
    return fabs(value) <= 100 && value * 4 == rint(value * 4) &&
           (x->graph->nodes[beside].on & CAROM_ON_P);
}

static void product(units *x, carom_node n, carom_node a, carom_node b, double sign)
{
    const bool first = carom_graph_is_constant(x->graph, a);
    const carom_node number = first ? a : b, beside = first ? b : a;
    if (!carom_graph_is_constant(x->graph, number))
        combine(x, n, a, 1, b, sign);
    else if (is_plain(x, number, beside))
        combine(x, n, beside, first ? sign : 1, beside, 0);
}

static void sum(units *x, carom_node n, carom_node a, carom_node b)
{
    const carom_graph *g = x->graph;
    if (!x->slips[n] || ((g->nodes[a].on | g->nodes[b].on) & CAROM_ON_P))
        equate(x, a, b);
    const carom_node told = x->known[a] ? a : b;
    combine(x, n, told, 1, told, 0);
}

static void visit_variable(units *x, carom_node n)
{
    const carom_variable v = x->graph->nodes[n].as.variable;
    const int index = CAROM_VARIABLE_INDEX(v);
    double *own = of(x, n);
    memset(own, 0, (size_t)x->size * sizeof *own);
    x->known[n] = true;
    if (v == CAROM_VARIABLE_T)
        own[0] = 1;
    else
        own[1 + (CAROM_VARIABLE_PARAMETER(v) ? x->coordinates : 0) + index] = 1;
    if (CAROM_VARIABLE_VELOCITY(v))
        own[0] = -1;
}

static void visit_power(units *x, carom_node n, carom_node a, carom_node b)
{
    if (carom_graph_is_constant(x->graph, b)) {
        combine(x, n, a, x->graph->nodes[b].as.value, a, 0);
        return;
    }
    without_unit(x, a);
    without_unit(x, b);
    combine(x, n, a, 0, a, 0);
}

static void visit(units *x, carom_node n)
{
    const carom_graph *g = x->graph;
    const carom_op op = (carom_op)g->nodes[n].op;
    if (op == CAROM_OP_CONST)
        return;
    if (op == CAROM_OP_VARIABLE) {
        visit_variable(x, n);
        return;
    }
    const int arity = carom_graph_arity(op);
    const carom_node a = carom_graph_argument(g, n, 0),
                     b = arity > 1 ? carom_graph_argument(g, n, 1) : a;
    switch (op) {
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
    case CAROM_OP_MIN:
    case CAROM_OP_MAX:
        sum(x, n, a, b);
        break;
    case CAROM_OP_SELECT:
        sum(x, n, b, carom_graph_argument(g, n, 2));
        break;
    case CAROM_OP_MUL:
        product(x, n, a, b, 1);
        break;
    case CAROM_OP_DIV:
        product(x, n, a, b, -1);
        break;
    case CAROM_OP_NEG:
    case CAROM_OP_ABS:
        combine(x, n, a, 1, a, 0);
        break;
    case CAROM_OP_SQUARE:
        combine(x, n, a, 2, a, 0);
        break;
    case CAROM_OP_SQRT:
        combine(x, n, a, 0.5, a, 0);
        break;
    case CAROM_OP_POWER:
    case CAROM_OP_POW:
        visit_power(x, n, a, b);
        break;
    case CAROM_OP_ATAN2:
    case CAROM_OP_LESS:
    case CAROM_OP_LESS_EQUAL:
    case CAROM_OP_EQUAL:
        equate(x, a, b);
        combine(x, n, a, 0, a, 0);
        break;
    case CAROM_OP_SIGN:
    case CAROM_OP_SIDE:
        combine(x, n, a, 0, a, 0);
        break;
    default: /* functions of numbers */
        without_unit(x, a);
        combine(x, n, a, 0, a, 0);
    }
}

static void use(units *x, int count, const carom_node *nodes)
{
    for (int k = 0; k < count; k++)
        x->used[nodes[k]] = true;
}

/* What the used nodes are made of. */
static void use_arguments(units *x)
{
    const carom_graph *g = x->graph;
    for (carom_node n = g->count; n-- > 0;)
        for (int k = 0; x->used[n] && k < carom_graph_arity((carom_op)g->nodes[n].op); k++)
            x->used[carom_graph_argument(g, n, k)] = true;
}

/* The nodes of the statement, and which of them only slips need. */
static void use_all(units *x, const carom_formulas_read *r)
{
    use(x, 1, &r->T);
    use(x, 1, &r->V);
    use(x, r->n, r->Q);
    use(x, r->p, r->gaps);
    use(x, r->m, r->joints);
    use_arguments(x);
    memcpy(x->slips, x->used, x->graph->count * sizeof *x->slips);
    use(x, r->s, r->slips);
    use(x, r->a, r->rollings);
    use_arguments(x);
    for (carom_node n = 0; n < x->graph->count; n++)
        x->slips[n] = x->used[n] && !x->slips[n];
}

/* The statement's nodes, arguments before their users: functions first, then sums. */
static void visit_all(units *x, const carom_formulas_read *r)
{
    use_all(x, r);
    for (int pass = 0; pass < 2; pass++) {
        x->sums = pass == 1;
        for (carom_node n = 0; n < x->graph->count; n++)
            if (x->used[n])
                visit(x, n);
    }
    equate(x, r->T, r->V);
    for (int i = 0; i < r->n; i++) { /* a force times its coordinate is an energy */
        const carom_node E = x->known[r->T] ? r->T : r->V;
        if (!x->known[r->Q[i]] || !x->known[E])
            continue;
        for (int j = 0; j < x->size; j++)
            x->work[j] = of(x, r->Q[i])[j] - of(x, E)[j] + (j == 1 + i);
        add_equation(x);
    }
}

/* Numbers for equal vectors: 0 for pure numbers, -1 for what is like nothing else. */
static void number_alike(const units *x, int count, double *vectors, const bool *known, int *unit)
{
    const size_t bytes = (size_t)x->size * sizeof(double);
    int next = 1;
    for (int i = 0; i < count; i++) {
        double *own = vectors + (size_t)i * (size_t)x->size;
        unit[i] = -1;
        if (!known[i])
            continue;
        reduce(x, own);
        memset(x->work, 0, bytes);
        if (memcmp(own, x->work, bytes) == 0)
            unit[i] = 0;
        for (int k = 0; k < i && unit[i] < 0; k++)
            if (known[k] && memcmp(own, vectors + (size_t)k * (size_t)x->size, bytes) == 0)
                unit[i] = unit[k] = unit[k] < 0 ? next++ : unit[k];
    }
}

static carom_status compare(units *x, const carom_formulas_read *r, carom_arena *arena,
                            int *coordinates, int *gaps, carom_error *error)
{
    const int most = r->n > r->p ? r->n : r->p;
    double *vectors = carom_arena_zeros(arena, (size_t)most * (size_t)x->size + 1, sizeof(double));
    bool *known = carom_arena_zeros(arena, (size_t)most + 1, sizeof *known);
    if (!vectors || !known)
        return carom_error_memory(error);
    for (int i = 0; i < r->n; i++) {
        known[i] = true;
        vectors[(size_t)i * (size_t)x->size + 1 + (size_t)i] = 1;
    }
    number_alike(x, r->n, vectors, known, coordinates);
    for (int i = 0; i < r->p; i++) {
        known[i] = x->known[r->gaps[i]];
        memcpy(vectors + (size_t)i * (size_t)x->size, of(x, r->gaps[i]),
               (size_t)x->size * sizeof(double));
    }
    number_alike(x, r->p, vectors, known, gaps);
    return CAROM_OK;
}

static carom_status find_units(const carom_formulas *statement, const carom_formulas_read *r,
                               carom_arena *arena, int *coordinates, int *gaps, carom_error *error)
{
    const carom_graph *g = &r->scope->graph;
    units x = {.graph = g, .coordinates = r->n, .size = 1 + r->n + statement->parameter_count};
    const size_t size = (size_t)x.size, nodes = (size_t)g->count;
    for (int i = 0; i < r->n; i++)
        coordinates[i] = -1;
    for (int i = 0; i < r->p; i++)
        gaps[i] = -1;
    if ((nodes + size) * size > NUMBERS_MOST)
        return CAROM_OK;
    x.of = carom_arena_zeros(arena, nodes * size, sizeof *x.of);
    x.known = carom_arena_zeros(arena, nodes, sizeof *x.known);
    x.used = carom_arena_zeros(arena, nodes, sizeof *x.used);
    x.slips = carom_arena_zeros(arena, nodes, sizeof *x.slips);
    x.rows = carom_arena_zeros(arena, size * size, sizeof *x.rows);
    x.pivot = carom_arena_array(arena, size, sizeof *x.pivot);
    x.work = carom_arena_doubles(arena, size);
    if (!x.of || !x.known || !x.used || !x.slips || !x.rows || !x.pivot || !x.work)
        return carom_error_memory(error);
    for (int i = 0; i < x.size; i++)
        x.pivot[i] = -1;
    visit_all(&x, r);
    return compare(&x, r, arena, coordinates, gaps, error);
}

carom_status carom_system_formulas_units(const carom_formulas *statement, carom_arena *arena,
                                         int *coordinates, int *gaps, carom_error *error)
{
    CAROM_NEED(error, statement, arena);
    double *values;
    carom_formulas_opened opened;
    carom_status status = carom_formulas_values(statement, arena, &values, error);
    if (!status)
        status = carom_formulas_open(statement, values, arena, &opened, error);
    if (status)
        return status;
    status = find_units(statement, &opened.read, arena, coordinates, gaps, error);
    carom_formulas_close(&opened);
    return status;
}
