/* Rows of contacts that are held by forces (docs/theory/series.md, "Friction"): rows 2 i and 2 i + 1 are the normal
 * and the slip of contact i, as in the problem of an instant (io/device/modes.cl); a set of rows has a bit for each. */

static double row_entry(const state *s, int r, int a)
{
    return r & 1 ? s->H[a + (r >> 1) * N] : s->W[a + (r >> 1) * N];
}

static double row_response(const state *s, int r, int a)
{
    return r & 1 ? s->Z[a + (r >> 1) * N] : s->Y[a + (r >> 1) * N];
}

static double row_bias(const state *s, int r)
{
    return r & 1 ? s->slip_bias[r >> 1] : s->bias[r >> 1];
}

static double row_rate(const state *s, int r)
{
    return r & 1 ? s->slip[r >> 1] : s->gamma[r >> 1];
}

/* The acceleration of a row without contact forces, and what cancels in it. */
static double row_gain(const state *s, int r, double *size)
{
    double sum = row_bias(s, r);
    *size = fabs(sum);
    EACH(a, N)
    {
        sum += row_entry(s, r, a) * s->free[a];
        *size += fabs(row_entry(s, r, a) * s->free[a]);
    }
    return sum;
}

static int rows_in_force(int closed, int stuck)
{
    int set = 0;
    EACH(i, CONTACT_COUNT) set |= HAS(closed, i) << (2 * i) | HAS(stuck, i) << (2 * i + 1);
    return set;
}

/* The friction that comes with a normal force is -slope of it. */
static void find_slopes(const cell *x, const double *e, double *slope)
{
    EACH(i, P) slope[i] = HAS(x->plus, i) ? MU_D(e, i) : HAS(x->minus, i) ? -MU_D(e, i) : 0.0;
}

/* Forces of rows: A maps them to accelerations of the rows, Y to those of the coordinates; G is the inverse of
 * A, the least forces in kinetic units where rows depend on each other, and K its kernel. */
typedef struct {
    double A[R * R], G[R * R], K[R * R], Y[N * R], norm[R];
    int set, rank;
} holding;

/* G and K, from A in kinetic units, one column after another. */
static void invert_rows(holding *f)
{
    double Q[R * R], y[R];
    int order[R];
    EACH(c, R)
    {
        EACH(k, R)
        {
            EACH(r, R)
            Q[r + k * R] = HAS(f->set, r) && HAS(f->set, k) ? f->A[r + k * R] / (f->norm[r] * f->norm[k])
                                                            : (double)(r == k);
            y[k] = (double)(k == c);
        }
        f->rank = eliminate_whole(Q, y, order);
        if (c == 0)
            find_kernel(Q, f->rank, order, f->K);
        substitute(Q, f->rank, y);
        double z[R];
        EACH(k, R) z[order[k]] = k < f->rank ? y[k] : 0.0;
        EACH(pass, 2) EACH(k, R - f->rank)
        {
            const double along = dot_of(f->K + k * R, z);
            EACH(r, R) z[r] -= along * f->K[r + k * R];
        }
        EACH(r, R)
        f->G[r + c * R] = HAS(f->set, r) && HAS(f->set, c) ? z[r] / (f->norm[r] * f->norm[c]) : 0.0;
    }
}

/* The rows of a set, those that slide with their friction. */
static void fill_rows(const state *s, int set, const double *slope, holding *f)
{
    f->set = set;
    EACH(r, R)
    {
        double sum = 0.0;
        EACH(a, N)
        {
            const double own = HAS(set, r) ? row_response(s, r, a) : 0.0;
            sum += HAS(set, r) ? row_entry(s, r, a) * own : 0.0;
            f->Y[a + r * N] = own - (r & 1 || !HAS(set, r) ? 0.0 : slope[r >> 1] * s->Z[a + (r >> 1) * N]);
        }
        f->norm[r] = sum > 0.0 ? sqrt(sum) : 1.0;
    }
    EACH(c, R) EACH(r, R)
    {
        double sum = 0.0;
        EACH(a, N) sum += HAS(set, r) ? row_entry(s, r, a) * f->Y[a + c * N] : 0.0;
        f->A[r + c * R] = sum;
    }
}

/* And how forces hold them. False: forces that accelerate no row move the system, and rows do not tell how. */
static APART bool hold_rows(const state *s, int set, const double *slope, holding *f)
{
    bool still = true;
    fill_rows(s, set, slope, f);
    invert_rows(f);
    EACH(k, R - f->rank) EACH(r, R)
    {
        double sum = 0.0, size = 0.0, norm = 0.0;
        EACH(a, N)
        {
            double moved = 0.0;
            EACH(c, R) moved += HAS(set, c) ? f->Y[a + c * N] * f->K[c + k * R] / f->norm[c] : 0.0;
            sum += row_entry(s, r, a) * moved;
            norm += row_entry(s, r, a) * row_response(s, r, a);
        }
        size = sqrt(fmax(norm, 0.0));
        still = still && fabs(sum) <= SAME * size;
    }
    return still;
}

/* Velocities (or positions) moved in the kinetic norm until the rates (gaps) r of a set of rows vanish, and once
 * more by what is left of them. */
static APART void project_rows(const state *s, int set, const double *rates, double *y)
{
    holding f;
    double moved[N], slope[P];
    EACH(i, P) slope[i] = 0.0;
    EACH(a, N) moved[a] = 0.0;
    hold_rows(s, set, slope, &f);
    EACH(pass, 2)
    {
        double left[R];
        EACH(r, R)
        {
            left[r] = HAS(set, r) ? -rates[r] : 0.0;
            EACH(a, N) left[r] -= HAS(set, r) ? row_entry(s, r, a) * moved[a] : 0.0;
        }
        EACH(r, R)
        {
            double x = 0.0;
            EACH(c, R) x += f.G[r + c * R] * left[c];
            EACH(a, N) moved[a] += f.Y[a + r * N] * x;
        }
    }
    EACH(a, N)
    {
        y[a] += moved[a];
        y[a] = fabs(y[a]) <= 8.0 * ROUNDING * fabs(moved[a]) ? 0.0 : y[a]; /* a rounding is left of it */
    }
}

/* Velocities on the rows of a set. */
static void stop_rows(cell *x, state *s, int set)
{
    double rates[R];
    EACH(r, R) rates[r] = r >> 1 < CONTACT_COUNT ? row_rate(s, r) : 0.0;
    project_rows(s, set, rates, x->u);
    find_rates(x, s);
}

/* Positions and velocities back on what is closed and sticks. */
static void put_on_rows(cell *x, state *s)
{
    double gaps[R];
    EACH(r, R) gaps[r] = r & 1 || r >> 1 >= CONTACT_COUNT ? 0.0 : s->gap[r >> 1];
    stop_rows(x, s, rows_in_force(x->closed, x->stuck));
    project_rows(s, rows_in_force(x->closed, 0), gaps, x->q);
}
