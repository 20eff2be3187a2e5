/* Steps by power series. */

#if !FRICTION
/* What a step is made of. */
typedef struct {
    double force[P][TERMS]; /* of closed contacts */
    double weak[P];         /* forces below this are zero */
} held;

#endif

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
#if FRICTION
    push_lower(p, c, v, f, closed, k, rhs);
#elif !NORMALS_ARE_CONSTANT
    if (closed)
        for (int j = 1; j <= k; j++)
            EACH(i, CONTACT_COUNT) if (HAS(closed, i)) EACH(m, N)
                rhs[m] += model_normal(p, c, v, m + i * N, j) * f->force[i][k - j];
#endif
}

#if !FRICTION
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
#endif

/* All coefficients of the motion from the present state. */
static APART int expand(const cell *x, const settings *o, const double *p, const double *c, const double *e,
                        series *v, held *f)
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
#if FRICTION
    holding held_rows;
    double slope[P];
    find_slopes(x, e, slope);
    EACH(i, P) f->friction[i][ORDER] = 0.0;
    const int begun = begin(x, p, c, v, slope, &s, f, &held_rows, o);
    if (begun)
        return begun;
#else
    if (!begin(x, p, c, v, x->closed, &s, f, o))
        return BAD_FORCE;
#endif
    FEW
    for (int k = 0; k < ORDER; k++) {
        double a[N];
        right_side(p, c, v, f, x->closed, k, a);
        solve_mass(s.L, a);
#if FRICTION
        if (x->closed)
            hold(x, p, c, v, &s, &held_rows, slope, f, k, a);
#else
        if (x->closed)
            good = hold(p, c, v, &s, f, x->closed, k, a) && good;
#endif
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

/* |a_k| h^k, all but the last two. */
static double size_of_terms(const double *a, double h)
{
    double sum = 0.0;
    for (int k = ORDER - 2; k >= 0; k--)
        sum = sum * h + fabs(a[k]);
    return sum;
}

/* Is what the series leaves out small against the motion, over this step? The first terms count too:
 * what starts from rest is no larger than them; where they vanish as well, as at the far end of a chain
 * whose other end is struck, those after them. A step over which they overflow is too long: everything
 * would be small against it. power = h^(ORDER-1). */
static bool fits(const double *a, double scale, double h, double power, double tolerance)
{
    const double h2 = h * h;
    scale = fmax(scale, fmax(fabs(a[1]) * h, times(fabs(a[2]), h2)));
    scale = fmax(scale, times(fmax(fabs(a[3]) * h, times(fabs(a[4]), h2)), h2));
    if (scale == 0.0)
        scale = size_of_terms(a, h);
    return times(fabs(a[ORDER]) * h + fabs(a[ORDER - 1]), power) <= tolerance * scale &&
           isfinite(TERMS * scale);
}

/* What work adds up to; where friction stops a body, what is left of it is the rounding of that. Without
 * friction work is as good as itself, but for a thousandth of that. */
static double size_of_energies(const cell *x)
{
    const double size = fabs(x->energy_initial) + fabs(x->energy_impacts) + fabs(x->energy_forces);
#if FRICTION
    return size + fabs(x->energy_friction);
#else
    return 1e-3 * size;
#endif
}

/* The longest step that is, from the one before; 0: a coefficient is no number. */
static APART double choose_step(const cell *x, const settings *o, const series *v, const series *gap,
                                const double *work, const held *f, double most)
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
#if FRICTION /* events are found on forces */
        EACH(i, CONTACT_COUNT)
        if (HAS(x->closed, i)) {
            good = good && fits(f->force[i], fmax(fabs(f->force[i][0]), f->load[i]), h, power, eps);
            good = good && fits(f->friction[i], fmax(fabs(f->force[i][0]), f->load[i]), h, power, eps);
        }
#endif
        if (LEDGER) /* the work must be as good as the energies */
            good = good && fits(work, size_of_energies(x), h, power, eps);
        if (good)
            return h;
        h *= shorter;
        power = isfinite(power) && power > 0.0 ? power * whole_power(shorter, ORDER - 1)
                                               : whole_power(h, ORDER - 1);
    }
    return h;
}

/* Power of friction on a surface that moves: coefficient j of the force. */
static double moving_slip(const double *p, const double *c, const series *v, const held *f, int i, int j, int k)
{
#if FRICTION
    return HAS(SLIPPING, i) ? f->friction[i][j] * model_slip_motion(p, c, v, SLIP_OF(i), k - j) : 0.0;
#else
    return 0.0;
#endif
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
                rate -= f->force[i][j] * model_rate(p, c, v, i, k - j) + moving_slip(p, c, v, f, i, j, k);
        work[k + 1] = rate * (1.0 / (double)(k + 1));
    }
}

/* What ends a step: a time, gaps that close, a force that vanishes. */
typedef struct {
    double s;
    int closing, lifting; /* set of contacts, one contact or -1 */
    int changing;         /* a contact that slid or stuck until then, or -1 */
} ending;

static APART ending find_ending(const cell *x, const settings *o, const double *e_, const series *gap,
                                const series *slip, const held *f, double h)
{
    ending e = {h, 0, -1, -1};
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
#if FRICTION
    const double modes = end_of_modes(x, f, e_, slip, h, e.s, &e.changing);
    if (e.changing >= 0) {
        e.s = modes;
        e.closing = 0;
        e.lifting = -1;
        EACH(i, CONTACT_COUNT)
        if (!HAS(x->closed, i) && at[i] <= h && at[i] <= e.s + tie)
            e.closing |= 1 << i;
    }
#endif
    if (e.closing) /* whoever lifts is looked at with the impact */
        e.lifting = -1;
    return e;
}

/* Roots are as sharp as the step is short: where the ending is a small part of it, the step is shortened
 * to a little more, until it is not. */
static APART ending find_sharp_ending(const cell *x, const settings *o, const double *e_, const series *gap,
                                      const series *slip, const held *f, double *h)
{
    const double early = 0x1p-10;
    ending e;
    for (int round = 0; round < 128; round++) { /* one place for what is long when it is written out */
        e = find_ending(x, o, e_, gap, slip, f, *h);
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
static int step_motion(cell *x, const settings *o, const double *p, const double *c, const double *coefficients,
                       series *v)
{
    held f;
    x->looks++;
    const int bad = expand(x, o, p, c, coefficients, v, &f);
    if (bad)
        return bad;
    const double goal = fmin(x->until, x->next), left = x->until - x->t;
    series gap[P], work, slip[FRICTION ? P : 1];
#if FRICTION
    series rubbing;
#endif
    EACH(i, CONTACT_COUNT)
    {
        FEW
        EACH(k, TERMS) gap[i][k] = model_gap(p, c, v, i, k);
        x->penetration = fmax(x->penetration, -gap[i][0]);
        x->largest[i] = fmax(x->largest[i], fabs(gap[i][0]));
    }
#if FRICTION
    EACH(i, CONTACT_COUNT) if (HAS(x->plus | x->minus, i)) slip_series(p, c, v, i, slip[i]);
    friction_work_of(x, &f, slip, rubbing);
#endif
    if (LEDGER)
        work_of(x, p, c, v, &f, work);
    double h = choose_step(x, o, v, gap, work, &f, o->max_step > 0.0 ? fmin(left, o->max_step) : left);
    if (h == 0.0)
        return BAD_FORCE;
#if HIDES
    h = follow_formulas(x, p, c, v, h);
#endif
    if (h < goal - x->t && h < o->min_step * fmax(1.0, fabs(x->t)))
        return UNDERFLOW;
    x->h = h;
    h = fmin(h, goal - x->t);
    const ending e = find_sharp_ending(x, o, coefficients, gap, slip, &f, &h);
    const bool arrives = h >= goal - x->t;
#if FRICTION
    if (!holds_over(x, &f, e.s))
        return DEPENDENT;
#endif
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
#if FRICTION
    if (LEDGER)
        x->energy_friction += evaluate(rubbing, e.s);
#endif
    x->t = arrives && e.s >= h ? goal : x->t + e.s;
    x->took = e.s;
    EACH(i, CONTACT_COUNT) x->fresh[i] = 0;
#if FRICTION /* who lifts, slides or sticks now is decided as at an impact */
    const bool changes = e.closing || e.lifting >= 0 || e.changing >= 0;
    x->broken = e.changing >= 0 ? x->stuck & 1 << e.changing : 0;
    x->touching = changes ? e.closing | x->closed : 0;
#else
    if (e.lifting >= 0) {
        x->closed &= ~(1 << e.lifting);
        x->fresh[e.lifting] = 3;
    }
    x->touching = e.closing ? e.closing | x->closed : 0;
#endif
    return finite ? RUNNING : BAD_FORCE;
}

/* Closed contacts drift by the rounding of steps: back on them, now and then. */
static int put_back(cell *x, const settings *o, const double *p, const double *c, series *v)
{
    state s;
    if (!look(x, p, c, v, &s))
        return BAD_FORCE;
#if FRICTION
    put_on_rows(x, &s);
    bool whole = true;
    EACH(i, CONTACT_COUNT)
    {
        const double rate = fmax(size_of_rate(x, &s, i), size_of_gain(&s, i) * x->took);
        x->speed[i] = fmax(x->speed[i], fmax(rate, size_of_slip(x, &s, i, x->took)));
        x->slow[i] = fmax(o->rest * x->speed[i], 4.0 * x->tremor[i]);
    }
#else
    bool whole = project(&s, x->closed, s.gamma, x->u);
    whole = project(&s, x->closed, s.gap, x->q) && whole;
#endif
    return whole ? RUNNING : DEPENDENT;
}

/* The motion on to the next event or time: by a flight where forces are constant, else by a step. */
static APART int move(cell *x, const settings *o, const double *p, const double *c, const double *e, series *v)
{
#if FLIGHTS
    const int flown = x->closed ? -1 : fly(x, o, p, c, v);
    if (flown >= 0)
        return flown;
    cell moved = *x; /* an address that is given away is none of a register */
    series own[ROWS];
    const int status = step_motion(&moved, o, p, c, e, own);
    *x = moved;
    return status;
#else
    return step_motion(x, o, p, c, e, v);
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
