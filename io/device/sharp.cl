/* Combinations of modes in twice the digits (docs/theory/instant.md, "On a device"): for impacts whose rows are nearly
 * dependent in the kinetic metric, a light body between heavy ones, where signs would be those of rounding. Scales
 * are powers of two, so that nothing is lost to them. */

/* Pivots below this part of the largest entry are none: equations depend on each other. */
#define NO_PIVOT 0x1p-60

static double power_of_two(double size)
{
    return size > 0.0 && isfinite(size) ? ldexp(1.0, ilogb(size)) : 1.0;
}

/* A, b and coefficients in kinetic units, and Y = M^-1 J as it comes. 0: the mass is none. */
static int sharpen_rows(const rows *w, const double *M, problem *f, doubled *Y)
{
    if (!respond_doubled(M, w->J, Y, f->A2))
        return 0;
    for (int r = 0; r < R; r++)
        f->scale[r] = power_of_two(sqrt(f->A2[r + r * R].x));
    for (int i = 0; i < P; i++) {
        f->mu_s[i] *= f->scale[2 * i + 1] / f->scale[2 * i];
        f->mu_d[i] *= f->scale[2 * i + 1] / f->scale[2 * i];
    }
    f->size = f->least;
    for (int r = 0; r < R; r++) {
        const bool own = is_row(f, r);
        doubled before = (doubled)(w->hat[r], 0.0);
        for (int a = 0; a < N; a++)
            before = add(before, exact_product(w->J[a + r * N], w->u[a]));
        f->b2[r] = own ? multiply(before, exact_sum(1.0, w->e[r])) / f->scale[r] : (doubled)(0.0, 0.0);
        f->b[r] = f->b2[r].x;
        f->size = fmax(f->size, fabs(f->b[r]));
        for (int c = 0; c < R; c++) {
            const doubled entry = f->A2[r + c * R] / (f->scale[r] * f->scale[c]);
            f->A2[r + c * R] = own && is_row(f, c) ? entry : (doubled)(0.0, 0.0);
            f->A[r + c * R] = f->A2[r + c * R].x;
        }
    }
    return 1;
}

/* The equations of a combination, columns scaled so that none is long. */
static void fill_sharp(const problem *f, int combination, doubled *Q, doubled *z, double *unit)
{
    for (int c = 0; c < R; c++) {
        const double slope = c & 1 ? 0.0 : slope_of(f, combination, c >> 1);
        const int own = is_equation(f, combination, c);
        unit[c] = 1.0 / power_of_two(weight_of(f, combination, c));
        z[c] = own ? -f->b2[c] : (doubled)(0.0, 0.0);
        for (int r = 0; r < R; r++) {
            doubled entry = (doubled)(r == c ? 1.0 : 0.0, 0.0);
            if (own && is_equation(f, combination, r))
                entry = add_scaled(f->A2[r + c * R], -slope, f->A2[r + (c | 1) * R]) * unit[c];
            Q[r + c * R] = entry;
        }
    }
}

/* Q z = z with pivots from the whole matrix; 0: equations depend on each other. */
static int eliminate_sharp(doubled *Q, doubled *z, int *order)
{
    for (int c = 0; c < R; c++)
        order[c] = c;
    for (int j = 0; j < R; j++) {
        int row = j, column = j;
        for (int c = j; c < R; c++)
            for (int r = j; r < R; r++)
                if (fabs(Q[r + c * R].x) > fabs(Q[row + column * R].x)) {
                    row = r;
                    column = c;
                }
        if (!(fabs(Q[row + column * R].x) > NO_PIVOT))
            return 0;
        for (int c = 0; c < R; c++) {
            const doubled t = Q[row + c * R];
            Q[row + c * R] = Q[j + c * R];
            Q[j + c * R] = t;
        }
        const doubled right = z[row];
        z[row] = z[j];
        z[j] = right;
        for (int r = 0; r < R; r++) {
            const doubled t = Q[r + column * R];
            Q[r + column * R] = Q[r + j * R];
            Q[r + j * R] = t;
        }
        const int number = order[column];
        order[column] = order[j];
        order[j] = number;
        for (int r = j + 1; r < R; r++) {
            const doubled l = divide(Q[r + j * R], Q[j + j * R]);
            for (int c = j + 1; c < R; c++)
                Q[r + c * R] = take_away(Q[r + c * R], l, Q[j + c * R]);
            z[r] = take_away(z[r], l, z[j]);
        }
    }
    for (int j = R - 1; j >= 0; j--) {
        for (int c = j + 1; c < R; c++)
            z[j] = take_away(z[j], Q[j + c * R], z[c]);
        z[j] = divide(z[j], Q[j + j * R]);
    }
    return 1;
}

/* Velocities, and what both are in double precision. */
static void round_sharp(const problem *f, outcome *o)
{
    for (int r = 0; r < R; r++) {
        doubled xi = f->b2[r];
        for (int c = 0; c < R; c++)
            xi = add(xi, multiply(f->A2[r + c * R], o->x2[c]));
        o->x[r] = o->x2[r].x;
        o->xi[r] = xi.x;
    }
}

/* Does a combination hold? -1: its equations depend on each other. */
static int try_sharp(const problem *f, outcome *o)
{
    doubled Q[R * R], z[R];
    double unit[R], squared = 0.0;
    int order[R];
    fill_sharp(f, o->combination, Q, z, unit);
    if (!eliminate_sharp(Q, z, order))
        return -1;
    for (int j = 0; j < R; j++)
        o->x2[order[j]] = z[j] * unit[order[j]];
    for (int i = 0; i < P; i++)
        if (MODE(o->combination, i) >= PLUS)
            o->x2[2 * i + 1] = multiply(o->x2[2 * i], (doubled)(-slope_of(f, o->combination, i), 0.0));
    round_sharp(f, o);
    const double size = size_with(f, o->x);
    if (!holds(f, o, SIGN * size + f->least, fmax(SIGN * f->size, SUM * size) + f->least))
        return 0;
    for (int i = 0; i < P; i++) /* without a normal impulse there is none at all */
        if (!(o->x[2 * i] > 0.0))
            o->x2[2 * i] = o->x2[2 * i + 1] = (doubled)(0.0, 0.0);
    round_sharp(f, o);
    for (int r = 0; r < R; r++)
        squared += o->x[r] * o->x[r];
    o->norm = sqrt(squared);
    return 1;
}

/* u + Y x */
static void push_sharp(const rows *w, const problem *f, const doubled *Y, const doubled *x, double *u)
{
    for (int a = 0; a < N; a++) {
        doubled v = (doubled)(w->u[a], 0.0);
        for (int r = 0; r < R; r++)
            v = add(v, multiply(Y[a + r * N], x[r] / f->scale[r]));
        u[a] = v.x;
    }
}
