/* The contact problem at rest in exact integers: every combination of modes is a polyhedron
 * {x >= 0, A x = b} in the edges of the friction cones and slack variables; its basic solutions and
 * the extreme directions of its recession cone are found by trying every set of columns. */
#ifndef CAROM_TESTS_FLOW_STATIC_EXACT_H
#define CAROM_TESTS_FLOW_STATIC_EXACT_H

#include "carom/certify.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { N = 3, P = 3, C = 2, COLUMNS = 2 * P, ROWS = 2 * P + 1, MOTIONS = 64 };

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
    int m;         /* joints, */
    int b[C][N];   /* their rows, */
    wide R[N][N];  /* and how the bodies answer to forces within them: */
    wide unit;     /* M_c^-1 = R/unit */
} load;

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

/* M_c^-1 = M^-1 - M^-1 b b'M^-1/(b'M^-1 b), joint by joint; one that depends on others adds
 * nothing.
 */
static void respond(load *l)
{
    memset(l->R, 0, sizeof l->R);
    l->unit = 1;
    for (int k = 0; k < l->n; k++)
        l->R[k][k] = l->mass[k];
    for (int j = 0; j < l->m; j++) {
        wide y[N] = {0}, square = 0, all = 0;
        for (int i = 0; i < l->n; i++)
            for (int k = 0; k < l->n; k++)
                y[i] += times(l->R[i][k], l->b[j][k]);
        for (int i = 0; i < l->n; i++)
            square += times(l->b[j][i], y[i]);
        if (square == 0)
            continue;
        all = l->unit = times(l->unit, square);
        for (int i = 0; i < l->n; i++)
            for (int k = 0; k < l->n; k++) {
                l->R[i][k] = times(square, l->R[i][k]) - times(y[i], y[k]);
                all = gcd(all, l->R[i][k]);
            }
        for (int i = 0; i < l->n; i++)
            for (int k = 0; k < l->n; k++)
                l->R[i][k] /= all;
        l->unit /= all;
    }
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

/* Column g (n) of a combination acts on row v by v'R g, in units of 1/unit. */
static wide act(const load *l, const int *v, const wide *g)
{
    wide sum = 0;
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < l->n; k++)
            sum += times(v[i], times(l->R[i][k], g[k]));
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

#endif
