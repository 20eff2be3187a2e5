/* Flights of constant force towards gaps of any form, as src/flow/event_flight.c has them: the path is a
 * parabola, a bound of how fast gaps can bend tells how far none of them can close, and nothing is
 * integrated. Neighbours are at different points of their flights, so that there is one place where the
 * system is looked at, and one where bounds are taken: what is done there is what costs. */
#if FLIGHTS

/* Points looked at in one stretch of time before its bounds are taken anew on a shorter one, and stretches
 * halved before the flight is left to the series. */
#define POINTS 6
#define HALVINGS 60

/* What is done next: bounds are taken; the flight goes on as far as they prove; Newton's method jumps to
 * where a gap seems to close; it goes back to where one closed; it is over, or there are no bounds. */
#define BOUND 0
#define MARCH 1
#define JUMP 2
#define RETURN 3
#define OVER 4
#define UNKNOWN 5

/* Times count from the start of the flight. */
typedef struct {
    double a[N];
    double s, end, stretch, limit;        /* point looked at; bounds hold to `end` */
    double gap[P], rate[P], hat[P];       /* there */
    double low[P], offset[P], ahead[P];   /* bounds; gaps above -offset are open; none closes until then */
    double grain;                         /* rounding of gaps */
    double open, last, before, proved;    /* last point that was open, last one and rate there, start of a jump */
    int which, last_which; /* contact that could close first, -1: none */
    int points, rounds, halved, starts; /* starts: set of those that leave, from zero but for rounding */
    bool jumped;
    int next;
} flight;

/* v^2 - 2 a g, with the rounding of the products taken back where they cancel. */
static double discriminant(double g, double v, double a)
{
    const double p = v * v, q = 2.0 * a * g;
    return fabs(p - q) > 0.1 * p ? p - q : (p - q) + (fma(v, v, -p) - fma(2.0 * a, g, -q));
}

/* The first time at which g + v s + a s^2/2 is zero (carom_event_uniform_root); NAN: squares of such numbers
 * are too large for one. */
static double parabola_root(double g, double v, double a)
{
    if (!(g > 0.0))
        return v < 0.0 ? 0.0 : a < 0.0 ? -2.0 * v / a : INFINITY;
    if (a >= 0.0 && v >= 0.0)
        return INFINITY;
    const double d = discriminant(g, v, a), root = sqrt(d);
    if (!(d > 0.0) && a > 0.0)
        return INFINITY;
    if (!isfinite(d))
        return NAN;
    return v > 0.0 ? (v + root) / -a : 2.0 * g / (root - v);
}

/* Gaps and their rates at s; false: no numbers. */
static bool look_along(const cell *x, flight *f, double s, const double *p, const double *c,
                       series *v)
{
    double sum = 0.0, u[N];
    EACH(j, N)
    {
        u[j] = x->u[j] + s * f->a[j];
        v[j][0] = x->q[j] + s * (x->u[j] + 0.5 * s * f->a[j]);
        v[N + j][0] = u[j];
    }
    v[2 * N][0] = x->t + s;
    model_series(p, c, 0, CONTACTS, v);
    EACH(i, CONTACT_COUNT)
    {
        f->gap[i] = model_gap(p, c, v, i, 0);
        f->rate[i] = f->hat[i] = model_rate(p, c, v, i, 0);
        EACH(j, N) f->rate[i] += model_normal(p, c, v, j + i * N, 0) * u[j];
        sum += f->gap[i] + f->rate[i];
    }
    f->s = s;
    return isfinite(sum);
}

/* Bounds of the curvature of gaps from the point looked at to `end`; false: not known. */
static bool bound(const cell *x, flight *f, double end, const double *p, const double *c)
{
    range r[ROWS];
    double sum = 0.0;
    EACH(j, N)
    {
        const double a = f->a[j], u = x->u[j], turn = -u / a;
        const double q0 = x->q[j] + f->s * (u + 0.5 * f->s * a), q1 = x->q[j] + end * (u + 0.5 * end * a);
        const double u0 = u + f->s * a, u1 = u + end * a;
        r[j] = (range)(fmin(q0, q1), fmax(q0, q1));
        r[N + j] = (range)(fmin(u0, u1), fmax(u0, u1));
        if (turn > f->s && turn < end) {
            const double top = x->q[j] + 0.5 * turn * u;
            r[j] = (range)(fmin(r[j].x, top), fmax(r[j].y, top));
        }
    }
    r[2 * N] = (range)(x->t + f->s, x->t + end);
    model_ranges(p, c, r);
    EACH(i, CONTACT_COUNT)
    {
        f->low[i] = model_bias_range(p, c, r, i).x;
        EACH(j, N) f->low[i] += range_scale(f->a[j], model_normal_range(p, c, r, j + i * N)).x;
        sum += f->low[i];
    }
    f->end = end;
    return isfinite(sum);
}

/* How far from the point looked at until a gap could close, its contact in f->which; NAN: not known. */
static double reach(flight *f)
{
    double far = f->end - f->s;
    bool known = true;
    f->which = -1;
    EACH(i, CONTACT_COUNT)
    {
        f->ahead[i] = parabola_root(f->gap[i] + f->offset[i], f->rate[i], f->low[i]);
        known = known && !isnan(f->ahead[i]);
        if (f->ahead[i] < far) {
            far = f->ahead[i];
            f->which = i;
        }
    }
    return known ? far : NAN;
}

/* Was every gap open from the proved point to the one looked at, where one closes? Seen from there bounds
 * tell how far back it was. */
static bool is_open_since(const flight *f)
{
    bool open = true;
    EACH(i, CONTACT_COUNT)
    {
        const double g = f->gap[i] + f->offset[i], back = parabola_root(g, -f->rate[i], f->low[i]);
        open = open && f->ahead[i] + back >= f->s - f->proved && (g > 0.0 || i == f->which);
    }
    return open;
}

/* From the point looked at straight to where the gap seems to close, with the curvature between the last
 * two points; where the jump ends (f->next is OVER if it has), the proved point if nothing came of it. */
static double jump(flight *f, bool first)
{
    const double g = pick(f->gap, f->which), v = pick(f->rate, f->which);
    const double a = (v - f->before) / (f->s - f->last), d = v * v - 2.0 * a * g, root = sqrt(d);
    const double move = v < 0.0 ? 2.0 * g / (root - v) : (v + root) / -a;
    const bool good = d > 0.0 && (v < 0.0 || (first && a < 0.0)) && f->s + move > f->proved &&
                      f->s + move < f->end && f->rounds++ < POINTS;
    const bool near = !first && 0.5 * fabs(pick(f->low, f->which)) * move * move <= f->grain;
    f->next = good && near && is_open_since(f) ? OVER : good && !near ? JUMP : MARCH;
    if (f->next == JUMP) {
        f->last = f->s;
        f->before = v;
    }
    return f->next == MARCH ? f->proved : f->s + move;
}

/* From a point where the gap is below zero for sure back to where it closed, after f->open. */
static double go_back(flight *f)
{
    const double v = pick(f->rate, f->which), move = pick(f->gap, f->which) / v;
    const double curved = 0.5 * fabs(pick(f->low, f->which)) * move * move;
    const bool good = v < 0.0 && f->s - move > f->open && f->rounds++ < POINTS;
    f->next = good && curved > f->grain ? RETURN : OVER;
    return good ? f->s - move : f->s; /* else a touch: nothing to be gained */
}

/* On from a point that is proved. */
static double march(const cell *x, flight *f)
{
    const double far = reach(f);
    const int i = f->which;
    if (isnan(far)) {
        f->next = UNKNOWN;
        return f->s;
    }
    if (i < 0) {
        f->next = f->end >= f->limit ? OVER : BOUND;
        f->stretch *= 2.0;
        return f->end;
    }
    const double g = pick(f->gap, i), v = pick(f->rate, i);
    if (g > 0.0)
        f->open = f->s;
    /* closed for sure, or nearer than times can be told; not who has just left, however low it flies */
    if ((f->s > 0.0 || !HAS(f->starts, i)) &&
        (g <= -0.5 * pick(f->offset, i) || far <= 2.0 * ROUNDING * (fabs(x->t) + f->s))) {
        f->rounds = 0;
        f->next = OVER;
        return f->s > 0.0 ? go_back(f) : f->s;
    }
    if (f->points++ >= POINTS) {
        f->stretch = 0.25 * (f->end - f->s);
        f->which = -1;
        f->next = f->halved++ < HALVINGS ? BOUND : f->s > 0.0 ? OVER : UNKNOWN; /* so far it is proved */
        return f->s;
    }
    if (!f->jumped && f->last_which == i) {
        f->jumped = true;
        f->rounds = 0;
        f->proved = f->s;
        const double to = jump(f, true);
        if (f->next == JUMP)
            return to;
    }
    f->last_which = i;
    f->last = f->s;
    f->before = v;
    return f->s + far;
}

/* What gaps may fall to without being closed: their rounding, and what they start from. */
static void set_offsets(const cell *x, flight *f, const settings *o)
{
    double size = 0.0, extent = 0.0;
    EACH(j, N)
    {
        size = fmax(size, fabs(x->q[j]));
        extent = fmax(extent, x->peak[j]);
    }
    f->grain = 64.0 * ROUNDING * size;
    f->starts = 0;
    EACH(i, CONTACT_COUNT) f->grain = fmax(f->grain, 64.0 * ROUNDING * size + 8.0 * ROUNDING * fabs(f->hat[i] * x->t));
    EACH(i, CONTACT_COUNT)
    {
        /* the tolerance of a step of the processor is a thousand times that of a series */
        const bool starts = x->fresh[i] > 0 || f->rate[i] >= 0.0;
        f->offset[i] = x->fresh[i] >= 2 ? 100.0 * o->tolerance * extent : fmax(f->grain, 64.0 * x->noise[i]);
        f->offset[i] -= starts ? fmin(f->gap[i], 0.0) : 0.0;
        f->starts |= starts && f->gap[i] <= f->grain ? 1 << i : 0;
    }
}

/* Power of forces beyond the potential: of constant ones it is linear in time. */
static double power_at(const cell *x, const double *p, const double *c, series *v)
{
    EACH(j, N)
    {
        v[j][0] = x->q[j];
        v[N + j][0] = x->u[j];
    }
    v[2 * N][0] = x->t;
    model_series(p, c, 0, ENERGY, v);
    return model_power(p, c, v, 0, 0);
}

/* The flight from the present state to a time or to where a gap closes; -1: a series has to do it. */
static APART int fly(cell *x, const settings *o, const double *p, const double *c, series *v)
{
    flight f;
    state s;
    v[2 * N][0] = x->t;
    if (!factor(p, c, v, s.L))
        return BAD_FORCE;
    EACH(j, N) f.a[j] = model_force(p, c, v, j, 0);
    solve_mass(s.L, f.a);
    const double goal = fmin(x->until, x->next), left = goal - x->t;
    const bool whole = !(o->max_step > 0.0 && o->max_step < left);
    double s_next = 0.0;
    f.limit = whole ? left : o->max_step;
    f.stretch = fmax(x->stretch, 64.0 * ROUNDING * fmax(1.0, fabs(x->t)));
    f.s = 0.0;
    f.which = -1;
    f.points = f.halved = 0;
    f.next = BOUND;
    for (bool first = true; f.next < OVER; first = false) {
        if (!look_along(x, &f, s_next, p, c, v))
            return -1;
        x->looks++;
        if (first) {
            set_offsets(x, &f, o);
            EACH(i, CONTACT_COUNT)
            {
                x->penetration = fmax(x->penetration, -f.gap[i]);
                x->largest[i] = fmax(x->largest[i], fabs(f.gap[i]));
            }
        }
        if (f.next == BOUND) {
            const double end = fmin(f.s + f.stretch, f.limit);
            const bool known = bound(x, &f, end, p, c);
            f.points = 0;
            f.last_which = -1;
            f.jumped = false;
            f.open = f.s;
            f.next = MARCH;
            if (!known) {
                f.next = f.halved++ < HALVINGS && end > f.s ? BOUND : UNKNOWN;
                f.stretch = 0.25 * (end - f.s);
                continue;
            }
        }
        s_next = f.next == JUMP ? jump(&f, false) : f.next == RETURN ? go_back(&f) : march(x, &f);
    }
    if (f.next == UNKNOWN)
        return -1;
    bool finite = true;
    const double power = LEDGER ? power_at(x, p, c, v) : 0.0;
    x->stretch = 1.5 * s_next;
    EACH(j, N)
    {
        x->q[j] += s_next * (x->u[j] + 0.5 * s_next * f.a[j]);
        x->u[j] += s_next * f.a[j];
        finite = finite && isfinite(x->q[j]) && isfinite(x->u[j] * x->u[j]); /* energies are numbers */
        x->peak[j] = fmax(x->peak[j], fabs(x->q[j]));
        x->peak[N + j] = fmax(x->peak[N + j], fabs(x->u[j]));
    }
    x->t = f.which < 0 && whole && s_next >= f.limit ? goal : x->t + s_next;
    x->took = s_next;
    if (LEDGER)
        x->energy_forces += 0.5 * s_next * (power + power_at(x, p, c, v));
    EACH(i, CONTACT_COUNT) x->fresh[i] = 0;
    x->touching = f.which < 0 ? 0 : 1 << f.which;
    return finite ? RUNNING : BAD_FORCE;
}
#endif
