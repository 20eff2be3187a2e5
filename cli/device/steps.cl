/* Steps by power series, the first root of polynomials, and the kernels. */

/* Loops that are written out have one length, whatever loop they are in. */
#define FROM(i) (WRITTEN_OUT ? 0 : (i))

/* b_i = sum over k <= i of C(i,k)/C(ORDER,k) a_k w^k: the coefficients in Bernstein form of a
 * polynomial on [lo, lo + w]. */
static void bernstein(const double *a, double lo, double w, double *b)
{
    double power = 1.0, choose = 1.0;
    FEW
    EACH(k, TERMS) b[k] = a[k];
    if (lo > 0.0) {
        FEW
        for (int i = 0; i < ORDER; i++) {
            FEW
            for (int j = ORDER - 1; j >= FROM(i); j--)
                b[j] = j >= i ? b[j] + lo * b[j + 1] : b[j];
        }
    }
    FEW
    for (int k = 0; k < TERMS; k++) {
        b[k] *= power * (1.0 / choose); /* of a number that is known where loops are written out */
        power *= w;
        choose *= (double)(ORDER - k) / (double)(k + 1);
    }
    FEW
    for (int i = 1; i < TERMS; i++) {
        FEW
        for (int j = ORDER; j >= FROM(i); j--)
            b[j] = j >= i ? b[j] + b[j > 0 ? j - 1 : 0] : b[j];
    }
}

static double value(const double *a, double x, double *slope)
{
    double y = a[ORDER], d = 0.0;
    FEW
    for (int k = ORDER - 1; k >= 0; k--) {
        d = d * x + y;
        y = y * x + a[k];
    }
    *slope = d;
    return y;
}

/* The root between lo, where the polynomial is positive, and hi. */
static double polish(const double *a, double lo, double hi)
{
    double x = 0.5 * (lo + hi), slope;
    for (int round = 0; round < 80; round++) {
        const double y = value(a, x, &slope);
        if (y > 0.0)
            lo = x;
        else
            hi = x;
        double next = x - y / slope;
        if (!(next >= lo && next <= hi))
            next = 0.5 * (lo + hi);
        const double moved = fabs(next - x);
        x = next;
        if (y == 0.0 || moved <= 2.0 * ROUNDING * x)
            break;
    }
    return x;
}

/* A polynomial that vanishes where it starts, divided by its argument. */
static void divide_out(double *a)
{
    FEW
    for (int k = 0; k < ORDER; k++)
        a[k] = a[k + 1];
    a[ORDER] = 0.0;
}

/* The first root in [0, 1] of a polynomial that starts positive, 2.0: none; 0.0 if it starts
 * negative. Zeros at its start do not count, and dips below zero of less than rounding are none. */
static APART double first_root(double *a)
{
    double least = a[0], size = fabs(a[0]), b[TERMS];
    FEW
    for (int k = 1; k < TERMS; k++) {
        least += fmin(a[k], 0.0);
        size += fabs(a[k]);
    }
    if (size == 0.0)
        return 2.0;
    while (a[0] == 0.0)
        divide_out(a);
    if (a[0] < 0.0)
        return 0.0;
    if (least > 0.0)
        return 2.0;
    const double noise = 16.0 * ROUNDING * size, narrow = 1.0 / (1 << 26);
    double lo = 0.0, w = 1.0;
    for (int round = 0; round < 400 && lo < 1.0; round++) {
        bernstein(a, lo, w, b);
        double lowest = b[0];
        int changes = 0;
        bool positive = b[0] > 0.0;
        FEW
        for (int k = 1; k < TERMS; k++) {
            lowest = fmin(lowest, b[k]);
            if (b[k] != 0.0 && (b[k] > 0.0) != positive) {
                changes++;
                positive = !positive;
            }
        }
        if (changes == 1 && b[0] > 0.0)
            return polish(a, lo, lo + w);
        if (changes == 0 || lowest >= -noise) {
            lo += w;
            while (w < 1.0 && fmod(lo, 2.0 * w) == 0.0)
                w *= 2.0;
        } else if (w <= narrow) {
            return lo;
        } else {
            w *= 0.5;
        }
    }
    return 2.0;
}

/* A coefficient that vanishes does so over any step, however long. */
static double times(double a, double power)
{
    return a == 0.0 ? 0.0 : a * power;
}

/* A gap along a step, made ready for first_root: the zeros where it starts divided out, as many as
 * are known (fresh), or one where rounding has put it. */
static void prepare_gap(const double *g, int fresh, double h, double *a)
{
    double power = 1.0;
    if (fresh == 0 && g[0] <= 0.0 && g[1] >= 0.0)
        fresh = 1;
    FEW
    EACH(k, TERMS) a[k] = g[k];
    for (int zero = 0; zero < fresh; zero++)
        divide_out(a);
    FEW
    EACH(k, TERMS)
    {
        a[k] = times(a[k], power);
        power *= h;
    }
}

/* The same of a force, which is not negative where the step starts, but for rounding. */
static void prepare_force(const double *force, double weak, double h, double *a)
{
    double power = 1.0;
    FEW
    EACH(k, TERMS)
    {
        a[k] = times(force[k], power);
        power *= h;
    }
    a[0] += a[0] <= weak ? weak : 0.0;
}

/* The root of a gap whose zeros were divided out, put where the gap itself vanishes. */
static double put_on_gap(const double *g, double s)
{
    double slope;
    const double off = value(g, s, &slope) / slope;
    return fabs(off) < 0.25 * s ? s - off : s;
}

/* What a step is made of. */
typedef struct {
    double force[P][TERMS]; /* of closed contacts */
    double weak[P];         /* forces below this are zero */
} held;

/* Right side of order k: forces, less what the coefficients of M and W bring. */
static void right_side(const double *p, const double *c, const series *v, const held *f, int closed,
                       int k, double *rhs)
{
    EACH(i, N) rhs[i] = model_force(p, c, v, i, k);
#if !MASS_IS_CONSTANT
    for (int j = 1; j <= k; j++)
        EACH(i, N) EACH(m, N) rhs[i] -= entry_of_mass(p, c, v, i, m, j) *
                                        (double)(k - j + 1) * v[N + m][k - j + 1];
#endif
#if !NORMALS_ARE_CONSTANT
    if (closed)
        for (int j = 1; j <= k; j++)
            EACH(i, CONTACT_COUNT) if (HAS(closed, i)) EACH(m, N)
                rhs[m] += model_normal(p, c, v, m + i * N, j) * f->force[i][k - j];
#endif
}

/* Contact forces of order k, so that the closed gaps keep their accelerations zero; a, which these are
 * added to, tells what is left of them, and that is taken out once more. */
static APART bool hold(const double *p, const double *c, const series *v, const state *s, held *f,
                 int closed, int k, double *a)
{
    double bias[P], b[P];
    bool whole = true;
    EACH(i, P)
    {
        bias[i] = f->force[i][k] = 0.0;
        if (i >= CONTACT_COUNT || !HAS(closed, i))
            continue;
        bias[i] = -model_bias(p, c, v, i, k);
#if !NORMALS_ARE_CONSTANT
        for (int j = 1; j <= k; j++)
            EACH(m, N) bias[i] -= model_normal(p, c, v, m + i * N, j) * (double)(k - j + 1) *
                                  v[N + m][k - j + 1];
#endif
    }
    EACH(pass, popcount(closed) > 1 ? 2 : 1)
    {
        EACH(i, P)
        {
            b[i] = bias[i];
            EACH(m, N) b[i] -= HAS(closed, i) ? s->W[m + i * N] * a[m] : 0.0;
        }
        whole = solve_contacts(s->D, closed, b) && whole;
        EACH(i, CONTACT_COUNT) if (HAS(closed, i))
        {
            f->force[i][k] += b[i];
            EACH(m, N) a[m] += s->Y[m + i * N] * b[i];
        }
    }
    return whole;
}

/* Mass and closed contacts where a step starts. */
static bool begin(const cell *x, const double *p, const double *c, const series *v, int closed, state *s,
                  held *f, const settings *o)
{
    if (!factor(p, c, v, s->L))
        return false;
    if (!closed)
        return true;
    EACH(i, N) s->free[i] = model_force(p, c, v, i, 0);
    solve_mass(s->L, s->free);
    EACH(i, CONTACT_COUNT)
    {
        EACH(m, N) s->W[m + i * N] = s->Y[m + i * N] = model_normal(p, c, v, m + i * N, 0);
        solve_mass(s->L, s->Y + i * N);
        s->bias[i] = model_bias(p, c, v, i, 0);
    }
    EACH(i, CONTACT_COUNT) EACH(j, CONTACT_COUNT)
    {
        double d = 0.0;
        EACH(m, N) d += s->W[m + i * N] * s->Y[m + j * N];
        s->D[i + j * P] = d;
    }
    EACH(i, CONTACT_COUNT)
    f->weak[i] = fmax(o->force_rest * size_of_gain(s, i), 4.0 * x->shake[i]) / s->D[i + i * P];
    return true;
}

/* All coefficients of the motion from the present state. */
static APART int expand(const cell *x, const settings *o, const double *p, const double *c, series *v,
                  held *f)
{
    state s;
    bool good = true;
    const int parts = (x->closed ? CONTACTS : 0) | (LEDGER ? ENERGY : 0);
    EACH(i, N)
    {
        v[i][0] = x->q[i];
        v[N + i][0] = x->u[i];
    }
    FEW
    EACH(k, TERMS) v[2 * N][k] = k == 0 ? x->t : k == 1 ? 1.0 : 0.0;
    EACH(i, P) f->force[i][ORDER] = 0.0;
    model_series(p, c, 0, parts, v); /* functions are evaluated here, and nowhere in the loop */
    if (!begin(x, p, c, v, x->closed, &s, f, o))
        return BAD_FORCE;
    FEW
    for (int k = 0; k < ORDER; k++) {
        double a[N];
        right_side(p, c, v, f, x->closed, k, a);
        solve_mass(s.L, a);
        if (x->closed)
            good = hold(p, c, v, &s, f, x->closed, k, a) && good;
        EACH(i, N)
        {
            v[i][k + 1] = v[N + i][k] * (1.0 / (double)(k + 1));
            v[N + i][k + 1] = a[i] * (1.0 / (double)(k + 1));
        }
        model_series(p, c, k + 1, parts, v);
    }
    return good ? RUNNING : DEPENDENT;
}

/* h^n by squares. */
static double whole_power(double h, int n)
{
    double y = 1.0;
    FEW
    for (int bit = 0; bit < 8; bit++) {
        y = HAS(n, bit) ? y * h : y;
        h *= h;
    }
    return y;
}

/* Is what the series leaves out small against the motion, over this step? The first terms count too:
 * what starts from rest is no larger than them. A step over which they overflow is too long: everything
 * would be small against it. power = h^(ORDER-1). */
static bool fits(const double *a, double scale, double h, double power, double tolerance)
{
    const double h2 = h * h;
    scale = fmax(scale, fmax(fabs(a[1]) * h, times(fabs(a[2]), h2)));
    scale = fmax(scale, times(fmax(fabs(a[3]) * h, times(fabs(a[4]), h2)), h2));
    return times(fabs(a[ORDER]) * h + fabs(a[ORDER - 1]), power) <= tolerance * scale &&
           isfinite(TERMS * scale);
}

/* The longest step that is, from the one before; 0: a coefficient is no number. */
static APART double choose_step(const cell *x, const settings *o, const series *v, const series *gap,
                          const double *work, double most)
{
    double h = fmin(most, 2.0 * x->h), size_q = 0.0, size_u = 0.0, sum = 0.0;
    EACH(i, N)
    {
        size_q = fmax(size_q, 1e-3 * x->peak[i]);
        size_u = fmax(size_u, 1e-3 * x->peak[N + i]);
        sum += v[i][ORDER] + v[N + i][ORDER];
    }
    EACH(i, CONTACT_COUNT) sum += gap[i][ORDER];
    if (!isfinite(sum))
        return 0.0;
    const double shorter = 0.84, eps = o->tolerance;
    double power = whole_power(h, ORDER - 1);
    for (int round = 0; round < 4000; round++) {
        bool good = true;
        EACH(i, N)
        {
            good = good && fits(v[i], fmax(x->peak[i], size_q), h, power, eps);
            good = good && fits(v[N + i], fmax(x->peak[N + i], size_u), h, power, eps);
        }
        EACH(i, CONTACT_COUNT)
        if (!HAS(x->closed, i))
            good = good && fits(gap[i], fmax(fabs(gap[i][0]), 1e-3 * x->largest[i]), h, power, eps);
        if (LEDGER) /* the work must be as good as the energies */
            good = good && fits(work, 0.0, h, power, eps);
        if (good)
            return h;
        h *= shorter;
        power = isfinite(power) && power > 0.0 ? power * whole_power(shorter, ORDER - 1)
                                               : whole_power(h, ORDER - 1);
    }
    return h;
}

static double evaluate(const double *a, double s)
{
    double y = a[ORDER];
    FEW
    for (int k = ORDER - 1; k >= 0; k--)
        y = y * s + a[k];
    return y;
}

/* Work of forces beyond the potential, and of contacts that move, from the start of a step. */
static void work_of(const cell *x, const double *p, const double *c, const series *v,
                    const held *f, double *work)
{
    work[0] = 0.0;
    FEW
    EACH(k, ORDER)
    {
        double rate = model_power(p, c, v, 0, k);
        EACH(i, CONTACT_COUNT)
        if (HAS(x->closed, i))
            for (int j = 0; j <= k; j++)
                rate -= f->force[i][j] * model_rate(p, c, v, i, k - j);
        work[k + 1] = rate * (1.0 / (double)(k + 1));
    }
}

/* What ends a step: a time, gaps that close, a force that vanishes. */
typedef struct {
    double s;
    int closing, lifting; /* set of contacts, one contact or -1 */
} ending;

static APART ending find_ending(const cell *x, const settings *o, const series *gap, const held *f,
                          double h)
{
    ending e = {h, 0, -1};
    double at[P];
    const double tie = o->event_tolerance * fmax(1.0, fabs(x->t));
    EACH(i, CONTACT_COUNT)
    {
        double a[TERMS];
        const bool open = !HAS(x->closed, i);
        if (open)
            prepare_gap(gap[i], x->fresh[i], h, a);
        else
            prepare_force(f->force[i], f->weak[i], h, a);
        at[i] = first_root(a) * h;
        if (open && x->fresh[i] > 0 && at[i] <= h)
            at[i] = fmin(put_on_gap(gap[i], at[i]), h);
        if (at[i] < e.s) {
            e.s = at[i];
            e.lifting = open ? -1 : i;
        }
    }
    EACH(i, CONTACT_COUNT)
    if (!HAS(x->closed, i) && at[i] <= h && at[i] <= e.s + tie)
        e.closing |= 1 << i;
    if (e.closing) /* whoever lifts is looked at with the impact */
        e.lifting = -1;
    return e;
}

/* Roots are as sharp as the step is short: where the ending is a small part of it, the step is shortened
 * to a little more, until it is not. */
static APART ending find_sharp_ending(const cell *x, const settings *o, const series *gap, const held *f,
                                double *h)
{
    const double early = 0x1p-10;
    ending e;
    for (int round = 0; round < 128; round++) { /* one place for what is long when it is written out */
        e = find_ending(x, o, gap, f, *h);
        if (!(e.s > 0.0 && e.s < early * *h))
            break;
        *h *= 2.0 * early;
    }
    return e;
}

/* One step of the motion; contacts that close are left touching. Where most of a motion is flights it is
 * called for, so that what it needs does not take the registers of these. */
#if FLIGHTS
__attribute__((noinline))
#else
APART
#endif
static int step_motion(cell *x, const settings *o, const double *p, const double *c, series *v)
{
    held f;
    x->looks++;
    const int bad = expand(x, o, p, c, v, &f);
    if (bad)
        return bad;
    const double goal = fmin(x->until, x->next), left = x->until - x->t;
    series gap[P], work;
    EACH(i, CONTACT_COUNT)
    {
        FEW
        EACH(k, TERMS) gap[i][k] = model_gap(p, c, v, i, k);
        x->penetration = fmax(x->penetration, -gap[i][0]);
        x->largest[i] = fmax(x->largest[i], fabs(gap[i][0]));
    }
    if (LEDGER)
        work_of(x, p, c, v, &f, work);
    double h = choose_step(x, o, v, gap, work, o->max_step > 0.0 ? fmin(left, o->max_step) : left);
    if (h == 0.0)
        return BAD_FORCE;
    if (h < goal - x->t && h < o->min_step * fmax(1.0, fabs(x->t)))
        return UNDERFLOW;
    x->h = h;
    h = fmin(h, goal - x->t);
    const ending e = find_sharp_ending(x, o, gap, &f, &h);
    const bool arrives = h >= goal - x->t;
    bool finite = true;
    EACH(i, N)
    {
        x->q[i] = evaluate(v[i], e.s);
        x->u[i] = evaluate(v[N + i], e.s);
        finite = finite && isfinite(x->q[i]) && isfinite(x->u[i] * x->u[i]); /* energies are numbers */
        x->peak[i] = fmax(x->peak[i], fabs(x->q[i]));
        x->peak[N + i] = fmax(x->peak[N + i], fabs(x->u[i]));
    }
    if (LEDGER)
        x->energy_forces += evaluate(work, e.s);
    x->t = arrives && e.s >= h ? goal : x->t + e.s;
    x->took = e.s;
    EACH(i, CONTACT_COUNT) x->fresh[i] = 0;
    if (e.lifting >= 0) {
        x->closed &= ~(1 << e.lifting);
        x->fresh[e.lifting] = 3;
    }
    x->touching = e.closing ? e.closing | x->closed : 0;
    return finite ? RUNNING : BAD_FORCE;
}

/* Closed contacts drift by the rounding of steps: back on them, now and then. */
static int put_back(cell *x, const double *p, const double *c, series *v)
{
    state s;
    if (!look(x, p, c, v, &s))
        return BAD_FORCE;
    bool whole = project(&s, x->closed, s.gamma, x->u);
    whole = project(&s, x->closed, s.gap, x->q) && whole;
    return whole ? RUNNING : DEPENDENT;
}

/* The motion on to the next event or time: by a flight where forces are constant, else by a step. */
static APART int move(cell *x, const settings *o, const double *p, const double *c, series *v)
{
#if FLIGHTS
    const int flown = x->closed ? -1 : fly(x, o, p, c, v);
    if (flown >= 0)
        return flown;
    cell moved = *x; /* an address that is given away is none of a register */
    series own[ROWS];
    const int status = step_motion(&moved, o, p, c, own);
    *x = moved;
    return status;
#else
    return step_motion(x, o, p, c, v);
#endif
}

/* Motions that will not arrive: the end is more points away than anybody waits for, as far apart as those since
 * the last event were (carom_event_pace of src/flow/event_pace.c, whose steps are points here). */
static int keep_pace(cell *x)
{
    const long steps_looked_at = 10000;
    const double too_many = 1e9;
    const bool begins = x->touching || x->pace_steps == 0; /* events may come thick and fast */
    if (!begins && x->steps - x->pace_steps < steps_looked_at)
        return RUNNING;
    const double advance = (x->t - x->pace_time) / (double)x->looks;
    x->pace_steps = x->steps;
    x->pace_time = x->t;
    x->looks = 0;
    return begins || x->until - x->t <= too_many * advance ? RUNNING : UNDERFLOW;
}

/* A point of the motion: counted, and kept after the first ones. */
static void sample(cell *x, const settings *o, global double *points, size_t items, size_t item,
                   int *written)
{
    x->last = x->t;
    x->points++;
    if (x->points > o->skip) {
        global double *to = points + (size_t)*written * (2 * N + 1) * items + item;
        to[0] = x->t;
        EACH(i, N)
        {
            to[(size_t)(1 + i) * items] = x->q[i];
            to[(size_t)(1 + N + i) * items] = x->u[i];
        }
        ++*written;
    }
    if (o->limit > 0 && x->points >= o->limit)
        x->status = ENOUGH;
}

static void load(global const double *parameters, global const double *restitution, size_t items,
                 size_t item, double *p, double *e)
{
    EACH(k, PARAMETERS) p[k] = parameters[k * items + item];
    EACH(i, CONTACT_COUNT) e[i] = restitution[i * items + item];
}

kernel void measure(global int *size)
{
    *size = (int)sizeof(motion);
}

/* The start of all motions: start is t, until, first point, period, then q and u. */
kernel void start(int count, settings o, global motion *cells, global const double *parameters,
                  global const double *restitution, global const double *starts)
{
    const size_t item = get_global_id(0), items = get_global_size(0);
    if (item >= (size_t)count)
        return;
    cell x = {0.0}; /* all of it is copied, what is not in use yet too */
    history z = {{0.0}};
    state s;
    double p[PARAMETERS + 1], e[P], c[CONSTANTS + 1];
    series v[ROWS];
    load(parameters, restitution, items, item, p, e);
    model_constants(p, c);
    x.t = x.last = starts[item];
    x.until = starts[items + item];
    x.next = starts[2 * items + item];
    x.period = starts[3 * items + item];
    x.origin = x.next;
    EACH(i, N)
    {
        x.q[i] = starts[(4 + i) * items + item];
        x.u[i] = starts[(4 + N + i) * items + item];
        x.peak[i] = fabs(x.q[i]);
        x.peak[N + i] = fabs(x.u[i]);
    }
    x.h = fmax(x.until - x.t, 0.0);
    x.stretch = 0.01 * x.h;
    x.energy_impacts = x.energy_forces = x.penetration = 0.0;
    x.steps = x.impacts = x.accumulations = x.points = x.passed = x.pace_steps = x.looks = 0;
    x.pace_time = x.t;
    x.closed = x.touching = x.rounds = 0;
    forget(&z);
    EACH(i, P)
    {
        x.speed[i] = x.largest[i] = 0.0;
        x.fresh[i] = 0;
    }
    x.status = x.t < x.until ? RUNNING : REACHED;
    s.gap[0] = 0.0;
    if (!look(&x, p, c, v, &s))
        x.status = BAD_FORCE;
    for (int k = 0; k < 4; k++) {
        probe noise;
        move_a_little(&x, p, c, v, &noise);
        hear(&x, &s, &noise);
    }
    if (!ROWS_ARE_CONSTANT) {
        choose_tick(&x, p, c, v);
        hear_clock(&x, p, c, v);
    }
    if (x.status != BAD_FORCE)
        look(&x, p, c, v, &s);
    x.energy_initial = x.energy_final = kinetic(&x, p, c, v) + model_potential(p, c, v, 0, 0);
    EACH(i, CONTACT_COUNT)
    {
        if (s.gap[i] < -o.closed)
            x.status = PENETRATION;
        x.touching |= s.gap[i] <= o.closed ? 1 << i : 0;
    }
    cells[item].now = x;
    cells[item].past = z;
}

/* Some steps of all motions that have not ended; points come out in launches. */
kernel void advance(int count, settings o, global motion *cells, global const double *parameters,
                    global const double *restitution, global double *points, global int *told)
{
    const size_t item = get_global_id(0), items = get_global_size(0);
    if (item >= (size_t)count)
        return;
    int written = 0, status = cells[item].now.status;
    if (status == RUNNING) {
        cell x = cells[item].now;
        history z = cells[item].past;
        double p[PARAMETERS + 1], e[P], c[CONSTANTS + 1];
        series v[ROWS];
        load(parameters, restitution, items, item, p, e);
        model_constants(p, c);
        for (int step = 0; step < o.steps && x.status == RUNNING && written < o.room; step++) {
            if (!x.touching) {
                x.status = move(&x, &o, p, c, v);
                x.steps++;
                x.status = x.status == RUNNING ? keep_pace(&x) : x.status;
                if (x.status == RUNNING && !x.touching && x.closed)
                    x.status = put_back(&x, p, c, v);
            }
            /* an impact, and what comes after it: neighbours are then at their flights again together */
            for (int turn = 0; turn < 2 && x.status == RUNNING && x.touching && written < o.room; turn++) {
                bool struck = false;
                double impulse[P] = {0.0};
                x.status = settle(&x, &z, &o, p, c, e, v, &struck, impulse);
                const bool kept =
                    KEEP == KEEP_CONTACT ? pick(impulse, o.section) > 0.0 : KEEP == KEEP_IMPACTS;
                if (struck && kept)
                    sample(&x, &o, points, items, item, &written);
            }
            if (x.status == RUNNING && !x.touching && x.t >= x.next) {
                if (KEEP == KEEP_PERIOD)
                    sample(&x, &o, points, items, item, &written);
                x.passed++;
                x.next = x.origin + (double)x.passed * x.period;
            }
            if (x.status == RUNNING && !x.touching && x.t >= x.until)
                x.status = REACHED;
            if (x.status == RUNNING && o.horizon > 0.0 && x.t - x.last > o.horizon)
                x.status = LOST;
        }
        if (LEDGER && x.status != RUNNING) {
            state s;
            look(&x, p, c, v, &s);
            x.energy_final = kinetic(&x, p, c, v) + model_potential(p, c, v, 0, 0);
            if (!isfinite(x.energy_final + x.energy_impacts + x.energy_forces))
                x.status = BAD_FORCE; /* energies that are too large for numbers */
        }
        cells[item].now = x;
        cells[item].past = z;
        status = x.status;
    }
    told[2 * item] = written;
    told[2 * item + 1] = status;
}

/* What is left of each motion at its end: t, q, u, counters, the ledger. */
kernel void finish(int count, global const motion *cells, global double *ends)
{
    const size_t item = get_global_id(0), items = get_global_size(0);
    if (item >= (size_t)count)
        return;
    global double *to = ends + item;
    to[0] = cells[item].now.t;
    EACH(i, N)
    {
        to[(size_t)(1 + i) * items] = cells[item].now.q[i];
        to[(size_t)(1 + N + i) * items] = cells[item].now.u[i];
    }
    to[(size_t)(1 + 2 * N) * items] = (double)cells[item].now.impacts;
    to[(size_t)(2 + 2 * N) * items] = (double)cells[item].now.accumulations;
    to[(size_t)(3 + 2 * N) * items] = cells[item].now.energy_initial;
    to[(size_t)(4 + 2 * N) * items] = cells[item].now.energy_final;
    to[(size_t)(5 + 2 * N) * items] = cells[item].now.energy_impacts;
    to[(size_t)(6 + 2 * N) * items] = cells[item].now.energy_forces;
    to[(size_t)(7 + 2 * N) * items] = cells[item].now.penetration;
    to[(size_t)(8 + 2 * N) * items] = (double)cells[item].now.steps;
}
