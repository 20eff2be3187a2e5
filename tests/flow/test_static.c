/* Contacts at rest: the contact problem of `check` and the motion of `run` against a reference in
 * exact integers that knows neither of them. Every combination of modes is a polyhedron
 * {x >= 0, A x = b} in the edges of the friction cones and slack variables; its basic solutions and
 * the extreme directions of its recession cone are found by trying every set of columns. */
#include "carom/certify.h"
#include "family.h"
#include "flow/scenes.h"

enum { N = 3, P = 3, COLUMNS = 2 * P, ROWS = 2 * P + 1, MOTIONS = 64 };

__extension__ typedef __int128 wide;

/* ---- the scene: rows, masses, loads in integers ------------------------------------------- */

typedef struct load {
    int n, p;
    int mass[N];          /* inverse masses: u' = mass * force */
    int w[P][N], h[P][N]; /* rows */
    int force[N];
    int mu[P][2]; /* static: mu[0]/den, dynamic: mu[1]/den */
    int den;
    int slides[P]; /* 0: at rest, else the sign of its slip */
    int u[N];      /* velocity */
} load;

static load current;

static carom_status evaluate(void *self, unsigned want, carom_state *s, carom_error *error)
{
    (void)self, (void)want, (void)error;
    const load *l = &current;
    for (int k = 0; k < l->n; k++) {
        s->M[k] = 1.0 / l->mass[k];
        s->h[k] = l->force[k];
    }
    for (int i = 0; i < l->p; i++) {
        s->g[i] = 0;
        for (int k = 0; k < l->n; k++) {
            s->W[k + i * l->n] = l->w[i][k];
            s->H[k + i * l->n] = l->h[i][k];
            s->g[i] += l->w[i][k] * s->q[k];
        }
    }
    s->kinetic = 0;
    s->potential = 0;
    for (int k = 0; k < l->n; k++) {
        s->kinetic += s->M[k] * s->u[k] * s->u[k] / 2;
        s->potential -= l->force[k] * s->q[k];
    }
    return CAROM_OK;
}

/* ---- exact linear algebra ------------------------------------------------------------------ */

static bool overflow;

static wide gcd(wide a, wide b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        wide t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static wide times(wide a, wide b)
{
    wide c = 0;
    overflow = overflow || __builtin_mul_overflow(a, b, &c);
    return c;
}

/* Solve the rows T (columns + 1 entries each, the last the right-hand side); true when the columns
 * are independent and the system is consistent: x_j = num[j]/den[j]. */
static bool solve(int rows, int columns, wide T[ROWS][COLUMNS + 2], wide *num, wide *den)
{
    for (int c = 0; c < columns; c++) {
        int pivot = c;
        while (pivot < rows && T[pivot][c] == 0)
            pivot++;
        if (pivot == rows)
            return false;
        for (int j = 0; j <= columns && pivot != c; j++) {
            wide t = T[c][j];
            T[c][j] = T[pivot][j];
            T[pivot][j] = t;
        }
        for (int i = 0; i < rows; i++) {
            if (i == c || T[i][c] == 0)
                continue;
            wide a = T[c][c], b = T[i][c], all = 0;
            for (int j = 0; j <= columns; j++) {
                T[i][j] = times(a, T[i][j]) - times(b, T[c][j]);
                all = gcd(all, T[i][j]);
            }
            for (int j = 0; j <= columns && all > 1; j++)
                T[i][j] /= all;
        }
    }
    for (int i = columns; i < rows; i++)
        if (T[i][columns] != 0)
            return false;
    for (int j = 0; j < columns; j++) {
        num[j] = T[j][columns];
        den[j] = T[j][j];
        if (den[j] < 0) {
            num[j] = -num[j];
            den[j] = -den[j];
        }
    }
    return true;
}

/* ---- the reference ------------------------------------------------------------------------- */

/* What the exact search finds: motions (contact accelerations) and forces, as fractions. */
typedef struct vector {
    wide num[2 * P], den[2 * P];
} vector;

typedef struct truth {
    int motions;
    vector motion[MOTIONS], force[MOTIONS];
    bool kept[MOTIONS];         /* some combination that leads to it is not overruled */
    bool other_forces[MOTIONS]; /* different forces give the same motion */
    bool continuum;             /* a combination that is not overruled has different motions */
    int combinations;           /* those that hold, */
    unsigned char mode[256][P]; /* their modes, */
    uint64_t leads[256];        /* the motions they lead to (bits), */
    bool varies[256];           /* and whether these are corners of a continuum; */
    int entries;                /* continua that stay, and motions that stay and are on none */
} truth;

static bool same(const vector *a, const vector *b)
{
    for (int k = 0; k < 2 * P; k++)
        if (times(a->num[k], b->den[k]) != times(b->num[k], a->den[k]))
            return false;
    return true;
}

/* Column g (n) of a combination acts on row v by sum v mass g. */
static wide act(const load *l, const int *v, const wide *g)
{
    wide sum = 0;
    for (int k = 0; k < l->n; k++)
        sum += times(v[k], times(l->mass[k], g[k]));
    return sum;
}

/* One combination: columns of the polyhedron. 0 open, 1 stick, 2 slip+, 3 slip-. */
typedef struct combination {
    int columns, rows;
    wide A[ROWS][COLUMNS + 1]; /* rows: equations; the last entry the right-hand side */
    wide edge[COLUMNS][N];     /* force of a column, 0 for slacks */
    wide normal[COLUMNS][P], tangent[COLUMNS][P]; /* in units of the contact: den * force */
} combination;

static void add_edge(combination *c, const load *l, int i, int slope)
{
    for (int k = 0; k < l->n; k++)
        c->edge[c->columns][k] = (wide)l->den * l->w[i][k] + (wide)slope * l->h[i][k];
    c->normal[c->columns][i] = l->den;
    c->tangent[c->columns++][i] = slope;
}

/* Row v: sign (v'u') - slack = 0, or v'u' = 0 (sign 0). */
static void add_row(combination *c, const load *l, const int *v, int sign)
{
    wide force[N];
    for (int k = 0; k < l->n; k++)
        force[k] = l->force[k];
    wide *row = c->A[c->rows++];
    for (int j = 0; j < c->columns; j++)
        row[j] = (sign ? sign : 1) * act(l, v, c->edge[j]);
    row[COLUMNS] = -(sign ? sign : 1) * act(l, v, force);
}

static void state_combination(const load *l, const unsigned char *mode, combination *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < l->p; i++) {
        if (mode[i] == 1) {
            add_edge(c, l, i, l->mu[i][0]);
            add_edge(c, l, i, -l->mu[i][0]);
        } else if (mode[i] > 1)
            add_edge(c, l, i, mode[i] == 2 ? -l->mu[i][1] : l->mu[i][1]);
    }
    int slacks[ROWS], count = 0;
    for (int i = 0; i < l->p; i++) {
        if (mode[i] == 0)
            slacks[count++] = c->rows;
        add_row(c, l, l->w[i], mode[i] == 0 ? 1 : 0);
        if (mode[i] == 0 || l->slides[i])
            continue;
        if (mode[i] > 1)
            slacks[count++] = c->rows;
        add_row(c, l, l->h[i], mode[i] == 1 ? 0 : mode[i] == 2 ? 1 : -1);
    }
    for (int k = 0; k < count; k++)
        c->A[slacks[k]][c->columns++] = -1;
}

/* The motion and the forces of a point (homogeneous: a direction) x of the polyhedron. */
static void look(const load *l, const combination *c, int count, const int *set, const wide *num,
                 const wide *den, bool homogeneous, vector *motion, vector *force)
{
    wide common = 1;
    for (int k = 0; k < count; k++)
        common = times(common, den[k] / gcd(common, den[k]));
    wide total[N], normal[P] = {0}, tangent[P] = {0};
    for (int k = 0; k < l->n; k++)
        total[k] = homogeneous ? 0 : times(l->force[k], common);
    for (int a = 0; a < count; a++) {
        wide x = times(num[a], common / den[a]);
        for (int k = 0; k < l->n; k++)
            total[k] += times(x, c->edge[set[a]][k]);
        for (int i = 0; i < l->p; i++) {
            normal[i] += times(x, c->normal[set[a]][i]);
            tangent[i] += times(x, c->tangent[set[a]][i]);
        }
    }
    for (int i = 0; i < P; i++) {
        bool there = i < l->p;
        motion->num[2 * i] = there ? act(l, l->w[i], total) : 0;
        motion->num[2 * i + 1] = there ? act(l, l->h[i], total) : 0;
        force->num[2 * i] = normal[i];
        force->num[2 * i + 1] = tangent[i];
        for (int k = 0; k < 2; k++)
            motion->den[2 * i + k] = force->den[2 * i + k] = common;
    }
}

/* Put a motion in the list; returns its number. */
static int keep_motion(truth *t, const vector *motion, const vector *force)
{
    for (int k = 0; k < t->motions; k++)
        if (same(&t->motion[k], motion)) {
            t->other_forces[k] = t->other_forces[k] || !same(&t->force[k], force);
            return k;
        }
    assert_true(t->motions < MOTIONS);
    t->motion[t->motions] = *motion;
    t->force[t->motions] = *force;
    return t->motions++;
}

/* Every basic solution of the combination (homogeneous: every extreme direction of length one). */
static void try_combination(const load *l, const unsigned char *mode, bool homogeneous, truth *t)
{
    combination c;
    uint64_t leads = homogeneous ? t->leads[t->combinations] : 0;
    state_combination(l, mode, &c);
    for (unsigned mask = homogeneous; mask < 1u << c.columns; mask++) {
        wide T[ROWS][COLUMNS + 2] = {{0}}, num[COLUMNS], den[COLUMNS];
        int set[COLUMNS], count = 0;
        vector motion, force;
        for (int j = 0; j < c.columns; j++)
            if (mask >> j & 1)
                set[count++] = j;
        for (int i = 0; i < c.rows; i++) {
            for (int k = 0; k < count; k++)
                T[i][k] = c.A[i][set[k]];
            T[i][count] = homogeneous ? 0 : c.A[i][COLUMNS];
        }
        for (int k = 0; k <= count && homogeneous; k++)
            T[c.rows][k] = 1;
        bool good = solve(c.rows + homogeneous, count, T, num, den);
        for (int k = 0; k < count && good; k++)
            good = num[k] >= 0;
        if (!good)
            continue;
        look(l, &c, count, set, num, den, homogeneous, &motion, &force);
        if (!homogeneous) {
            leads |= (uint64_t)1 << keep_motion(t, &motion, &force);
            continue;
        }
        bool pushes = false; /* a direction changes the motion, or the forces of a motion */
        for (int k = 0; k < 2 * P; k++) {
            t->varies[t->combinations] |= motion.num[k] != 0;
            pushes = pushes || force.num[k] != 0;
        }
        for (int k = 0; k < t->motions; k++)
            t->other_forces[k] |= pushes && (leads >> k & 1);
    }
    if (homogeneous || !leads)
        return;
    memcpy(t->mode[t->combinations], mode, P);
    t->leads[t->combinations] = leads;
    t->varies[t->combinations] = (leads & (leads - 1)) != 0;
    try_combination(l, mode, true, t);
    t->combinations++;
}

/* How many different motions there are when a continuum counts as one. */
static int count_entries(const truth *t, const bool *dropped)
{
    uint64_t on = 0;
    int entries = 0;
    for (int a = 0; a < t->combinations; a++)
        if (t->varies[a] && !dropped[a]) {
            entries++;
            on |= t->leads[a];
        }
    for (int k = 0; k < t->motions; k++)
        entries += t->kept[k] && !(on >> k & 1);
    return entries;
}

/* Static friction goes before: a combination that slips with less where it can stick is none. */
static void overrule(const load *l, truth *t)
{
    bool out[256] = {false};
    for (int a = 0; a < t->combinations; a++) {
        bool dropped = false;
        for (int b = 0; b < t->combinations && !dropped; b++) {
            bool stronger = a != b, differs = false;
            for (int i = 0; i < l->p && stronger; i++) {
                if (t->mode[a][i] == t->mode[b][i])
                    continue;
                differs = true;
                stronger = t->mode[a][i] > 1 && t->mode[b][i] == 1 && l->mu[i][1] < l->mu[i][0];
            }
            dropped = stronger && differs;
        }
        out[a] = dropped;
        t->continuum |= !dropped && t->varies[a];
        for (int k = 0; k < t->motions; k++)
            t->kept[k] |= !dropped && (t->leads[a] >> k & 1);
    }
    t->entries = count_entries(t, out);
}

static carom_painleve_class reference(const load *l, truth *t)
{
    memset(t, 0, sizeof *t);
    for (int code = 0; code < 1 << 2 * l->p; code++) {
        unsigned char mode[P] = {0};
        bool possible = true;
        for (int i = 0; i < l->p; i++) {
            mode[i] = code >> 2 * i & 3;
            int slide = l->slides[i] > 0 ? 2 : 3;
            possible = possible && (!l->slides[i] || mode[i] == 0 || mode[i] == slide);
        }
        if (possible)
            try_combination(l, mode, false, t);
    }
    overrule(l, t);
    int motions = 0, one = 0;
    for (int k = 0; k < t->motions; k++)
        if (t->kept[k]) {
            motions++;
            one = k;
        }
    return motions == 0                  ? CAROM_PAINLEVE_NONE
           : motions > 1 || t->continuum ? CAROM_PAINLEVE_SEVERAL
           : t->other_forces[one]        ? CAROM_PAINLEVE_UNIQUE_MOTION
                                         : CAROM_PAINLEVE_UNIQUE;
}

/* ---- comparison ---------------------------------------------------------------------------- */

static const char *describe(const load *l)
{
    static char text[600];
    int used = 0;
    used += snprintf(text + used, sizeof text - (size_t)used, "1/mass");
    for (int k = 0; k < l->n; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->mass[k]);
    for (int i = 0; i < l->p; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "; w");
        for (int k = 0; k < l->n; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->w[i][k]);
        used += snprintf(text + used, sizeof text - (size_t)used, " h");
        for (int k = 0; k < l->n; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->h[i][k]);
        used += snprintf(text + used, sizeof text - (size_t)used, " mu %d %d /%d slides %d",
                         l->mu[i][0], l->mu[i][1], l->den, l->slides[i]);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "; force");
    for (int k = 0; k < l->n; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->force[k]);
    return text;
}

/* Is the acceleration among the motions of the reference? */
static bool listed(const load *l, const truth *t, const double *a)
{
    double size = 1e-300;
    for (int k = 0; k < l->n; k++)
        size = fmax(size, fmax(fabs(a[k]), fabs((double)l->force[k] * l->mass[k])));
    for (int m = 0; m < t->motions; m++) {
        bool equal = t->kept[m];
        for (int i = 0; i < l->p && equal; i++)
            for (int c = 0; c < 2; c++) {
                const int *v = c ? l->h[i] : l->w[i];
                double sum = 0, reach = 0;
                for (int k = 0; k < l->n; k++) {
                    sum += v[k] * a[k];
                    reach += abs(v[k]);
                }
                double exact =
                    (double)t->motion[m].num[2 * i + c] / (double)t->motion[m].den[2 * i + c];
                equal = equal && fabs(sum - exact) <= 1e-9 * reach * size;
            }
        if (equal)
            return true;
    }
    return false;
}

/* Two accelerations are one, relative to the load. */
static bool agree(const load *l, const double *a, const double *b)
{
    double size = 1e-300, off = 0;
    for (int k = 0; k < l->n; k++) {
        size = fmax(size, fmax(fabs(a[k]), fabs((double)l->force[k] * l->mass[k])));
        off = fmax(off, fabs(a[k] - b[k]));
    }
    return off <= 1e-9 * size;
}

static void open_scene(scene *s, const load *l)
{
    current = *l;
    scene_open(s, evaluate, l->n, l->p, 1);
    s->shape.forces_are_constant = s->shape.rows_are_constant = s->shape.power_is_zero = true;
    for (int i = 0; i < l->p; i++) {
        s->contact[i].friction_static = (double)l->mu[i][0] / l->den;
        s->contact[i].friction_dynamic = (double)l->mu[i][1] / l->den;
    }
    for (int k = 0; k < l->n; k++)
        s->u[k] = l->u[k];
    scene_ready(s);
}

static carom_painleve problem_of(scene *s, const double *q, const double *u)
{
    carom_state state;
    carom_impact impact;
    carom_geometry g;
    carom_painleve problem;
    carom_error error = {0};
    int closed[P];
    check_ok(carom_state_create(s->system, s->arena, &state, &error), &error);
    memcpy(state.q, q, sizeof(double) * (size_t)s->shape.n);
    memcpy(state.u, u, sizeof(double) * (size_t)s->shape.n);
    check_ok(carom_system_evaluate(s->system, CAROM_WANT_ALL, &state, &error), &error);
    check_ok(carom_impact_from_system(s->system, &state, 1e-9, s->arena, &impact, closed, &error),
             &error);
    check_ok(carom_impact_derive(&impact, s->arena, &g, &error), &error);
    check_ok(carom_painleve_solve(s->system, &state, &g, closed, s->arena, &problem, &error),
             &error);
    return problem;
}

static void compare(family *f, const load *l)
{
    static truth t;
    scene s;
    overflow = false;
    carom_painleve_class exact = reference(l, &t);
    assert_false(overflow);
    open_scene(&s, l);
    carom_painleve problem = problem_of(&s, s.q, s.u);
    family_check(f, problem.kind == exact, "%s: check says %s, exactly %s", describe(l),
                 carom_painleve_text(problem.kind), carom_painleve_text(exact));
    for (int k = 0; k < problem.count && !t.continuum; k++)
        family_check(f, listed(l, &t, problem.solutions[k].du), "%s: motion %d of check is none",
                     describe(l), k);
    family_check(f, problem.count <= t.entries, "%s: check lists %d motions, there are %d",
                 describe(l), problem.count, t.entries);
    carom_flow_result result;
    carom_error error = {0};
    const double h = 0.125;
    s.options.until = h;
    carom_flow_start start = {0, s.q, s.u};
    carom_status status =
        carom_flow_run(s.system, &s.law, &start, &s.options, NULL, s.arena, &result, &error);
    assert_true(status >= 0);
    bool moving = false;
    for (int i = 0; i < l->p; i++)
        moving = moving || l->slides[i];
    if (exact == CAROM_PAINLEVE_NONE) {
        family_check(f, result.end == CAROM_FLOW_INCONSISTENT || result.end == CAROM_FLOW_UNSOLVED,
                     "%s: no motion, but run ended at %g: %s", describe(l), result.t,
                     result.message);
    } else if (moving && result.end == CAROM_FLOW_INCONSISTENT && result.t > 0) {
        carom_painleve later = problem_of(&s, result.q, result.u); /* another state by now */
        family_check(f, later.kind == CAROM_PAINLEVE_NONE,
                     "%s: run ended at %g, where check says %s: %s", describe(l), result.t,
                     carom_painleve_text(later.kind), result.message);
    } else {
        family_check(f, result.end == CAROM_FLOW_REACHED, "%s: %s, but run ended at %g: %s",
                     describe(l), carom_painleve_text(exact), result.t, result.message);
    }
    if (result.end == CAROM_FLOW_REACHED && !moving) {
        double a[N]; /* constant forces and rows: the motion goes on as it starts */
        for (int k = 0; k < l->n; k++)
            a[k] = (result.u[k] - l->u[k]) / h;
        family_check(f, t.continuum || listed(l, &t, a), "%s: %s, run takes another way, %g %g %g",
                     describe(l), carom_painleve_text(exact), a[0], a[1], l->n > 2 ? a[2] : 0);
        family_check(f, problem.count > 0 && agree(l, a, problem.solutions[0].du),
                     "%s: %s, run does not take the first motion of check, %g %g %g", describe(l),
                     carom_painleve_text(exact), a[0], a[1], l->n > 2 ? a[2] : 0);
    }
    scene_close(&s);
}

/* ---- families ------------------------------------------------------------------------------ */

static const int triples[][3] = {{3, 4, 5},    {4, 3, 5},    {5, 12, 13}, {12, 5, 13},
                                 {8, 15, 17},  {15, 8, 17},  {7, 24, 25}, {24, 7, 25},
                                 {20, 21, 29}, {21, 20, 29}, {0, 1, 1},   {1, 0, 1}};

static void set_row(int *row, int a, int b, int c)
{
    row[0] = a;
    row[1] = b;
    row[2] = c;
}

static void draw_load(family *f, load *l, bool dynamic)
{
    check_random *r = &f->random;
    l->den = 10;
    for (int k = 0; k < l->n; k++)
        l->force[k] = check_random_int(r, 21) - 10;
    for (int i = 0; i < l->p; i++) {
        l->mu[i][0] = l->mu[i][1] = check_random_int(r, 25);
        if (dynamic)
            l->mu[i][1] = check_random_int(r, l->mu[i][0] + 1);
    }
}

static load two_on_one(int n, int inertia)
{
    load l = {.n = n, .p = 2};
    l.mass[0] = l.mass[1] = 1;
    l.mass[2] = inertia;
    return l;
}

static void ladder(void **state)
{
    (void)state;
    family f = family_start("static ladder", 3, 600);
    while (family_next(&f)) {
        const int *t = triples[check_random_int(&f.random, 10)];
        load l = two_on_one(3, 3);
        set_row(l.w[0], 0, t[2], -t[0]);
        set_row(l.h[0], t[2], 0, -t[1]);
        set_row(l.w[1], t[2], 0, t[1]);
        set_row(l.h[1], 0, t[2], t[0]);
        draw_load(&f, &l, f.member % 3 == 2);
        if (f.member % 2)
            set_row(l.force, 0, -1 - check_random_int(&f.random, 3), 0);
        compare(&f, &l);
    }
    family_end(&f);
}

static void block(void **state)
{
    (void)state;
    family f = family_start("static block", 4, 600);
    while (family_next(&f)) {
        int height = 1 + check_random_int(&f.random, 5), width = 1 + check_random_int(&f.random, 5);
        load l = two_on_one(3, 1 + check_random_int(&f.random, 5));
        set_row(l.w[0], 0, 2, width);
        set_row(l.h[0], 2, 0, height);
        set_row(l.w[1], 0, 2, -width);
        set_row(l.h[1], 2, 0, height);
        draw_load(&f, &l, f.member % 3 == 2);
        compare(&f, &l);
    }
    family_end(&f);
}

/* A block whose feet, sliding forwards, have dependent reactions, mu_0 - mu_1 = 2 width/height,
 * under a load in their range: a continuum of motions wherever it does slide forwards. */
static void dependent_block(void **state)
{
    (void)state;
    family f = family_start("static block, dependent reactions", 9, 600);
    while (family_next(&f)) {
        int height, width, less;
        do {
            height = 1 + check_random_int(&f.random, 10);
            width = 1 + check_random_int(&f.random, 3);
            less = 20 * width / height;
        } while (20 * width % height || less > 24);
        load l = two_on_one(3, 1 + check_random_int(&f.random, 5));
        set_row(l.w[0], 0, 2, width);
        set_row(l.h[0], 2, 0, height);
        set_row(l.w[1], 0, 2, -width);
        set_row(l.h[1], 2, 0, height);
        draw_load(&f, &l, false);
        l.mu[1][0] = l.mu[1][1] = check_random_int(&f.random, 25);
        l.mu[0][0] = l.mu[0][1] = l.mu[1][0] + less;
        const int torque = height * l.mu[0][0] - 10 * width;
        const int common = (int)gcd(20, torque);
        l.force[1] = -20 / common;
        l.force[2] = torque / common;
        l.force[0] = check_random_int(&f.random, 10 * abs(l.force[1]) + 1);
        if (f.member % 4 == 3) /* and out of their range */
            l.force[2] += 1 + check_random_int(&f.random, 3);
        compare(&f, &l);
    }
    family_end(&f);
}

/* A block without weight one foot of which can slide under any force, K = 0: mu_0 = w'w/w'h. */
static void jammed_block(void **state)
{
    (void)state;
    family f = family_start("static block, one foot jams", 10, 200);
    while (family_next(&f)) {
        int height, width, inertia, square, product;
        do {
            height = 1 + check_random_int(&f.random, 6);
            width = 1 + check_random_int(&f.random, 4);
            inertia = 1 + check_random_int(&f.random, 5);
            square = 4 + inertia * width * width;
            product = inertia * width * height;
        } while (10 * square % product);
        load l = two_on_one(3, inertia);
        set_row(l.w[0], 0, 2, width);
        set_row(l.h[0], 2, 0, height);
        set_row(l.w[1], 0, 2, -width);
        set_row(l.h[1], 2, 0, height);
        draw_load(&f, &l, false);
        l.mu[0][0] = l.mu[0][1] = 10 * square / product;
        set_row(l.force, check_random_int(&f.random, 10), 0, 0);
        compare(&f, &l);
    }
    family_end(&f);
}

static void disc_in_corner(void **state)
{
    (void)state;
    family f = family_start("static disc in a corner", 5, 600);
    while (family_next(&f)) {
        int radius = 1 + check_random_int(&f.random, 3);
        load l = two_on_one(3, 1 + check_random_int(&f.random, 3));
        set_row(l.w[0], 0, 1, 0);
        set_row(l.h[0], 1, 0, radius);
        set_row(l.w[1], 1, 0, 0);
        set_row(l.h[1], 0, 1, -radius);
        draw_load(&f, &l, f.member % 3 == 2);
        compare(&f, &l);
    }
    family_end(&f);
}

/* Two walls with normals (s, c) of different angles; a disc has torque, a particle has none. */
static void wedge(family *f, int n)
{
    while (family_next(f)) {
        load l = two_on_one(n, 2);
        for (int i = 0; i < 2; i++) {
            const int *t = triples[check_random_int(&f->random, 12)];
            int sign = i ? -1 : 1;
            set_row(l.w[i], sign * t[0], t[1], 0);
            set_row(l.h[i], t[1], -sign * t[0], n == 3 ? t[2] : 0);
        }
        draw_load(f, &l, f->member % 3 == 2);
        compare(f, &l);
    }
    family_end(f);
}

static void disc_in_wedge(void **state)
{
    (void)state;
    family f = family_start("static disc in a wedge", 6, 600);
    wedge(&f, 3);
}

static void particle_in_wedge(void **state)
{
    (void)state;
    family f = family_start("static particle in a wedge", 7, 600);
    wedge(&f, 2);
}

/* Any rows, some contacts sliding. */
static void any_rows(void **state)
{
    (void)state;
    family f = family_start("random contacts, at rest and sliding", 8, 600);
    while (family_next(&f)) {
        load l = {.n = 1 + check_random_int(&f.random, 3),
                  .p = 1 + check_random_int(&f.random, f.member % 10 ? 2 : 3)};
        for (int k = 0; k < l.n; k++)
            l.mass[k] = 1 + check_random_int(&f.random, 4);
        for (int i = 0; i < l.p; i++) {
            bool zero = true;
            while (zero)
                for (int k = 0; k < l.n; k++) {
                    l.w[i][k] = check_random_int(&f.random, 5) - 2;
                    l.h[i][k] = check_random_int(&f.random, 5) - 2;
                    zero = zero && l.w[i][k] == 0;
                }
        }
        draw_load(&f, &l, f.member % 3 == 2);
        if (f.member % 2) { /* a velocity along the contacts: w'u = 0 */
            for (int k = 0; k < l.n; k++)
                l.u[k] = check_random_int(&f.random, 3) - 1;
            for (int i = 0; i < l.p; i++) {
                int gamma = 0;
                for (int k = 0; k < l.n; k++)
                    gamma += l.w[i][k] * l.u[k];
                if (gamma != 0)
                    memset(l.u, 0, sizeof l.u);
            }
            for (int i = 0; i < l.p; i++) {
                int slip = 0;
                for (int k = 0; k < l.n; k++)
                    slip += l.h[i][k] * l.u[k];
                l.slides[i] = l.mu[i][0] ? (slip > 0) - (slip < 0) : 0;
            }
        }
        compare(&f, &l);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ladder),
        cmocka_unit_test(block),
        cmocka_unit_test(dependent_block),
        cmocka_unit_test(jammed_block),
        cmocka_unit_test(disc_in_corner),
        cmocka_unit_test(disc_in_wedge),
        cmocka_unit_test(particle_in_wedge),
        cmocka_unit_test(any_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
