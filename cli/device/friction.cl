/* Friction of planar contacts at an event (docs/theory/series.md, "Friction"): impacts by Coulomb's law, and who
 * opens, sticks or slides after them. */

/* An impact of the touching contacts by Coulomb's law; 0 or NONE. */
static APART int strike_rough(cell *x, const state *s, const double *M, const double *e, int set, double *impulse)
{
    rows w;
    problem f;
    outcome o = {{0.0}};
    double energy = 0.0;
    f.taking = set;
    f.rough = 0;
    EACH(a, N)
    {
        w.u[a] = x->u[a];
#if MASS_IS_DIAGONAL
        energy += M[a] * x->u[a] * x->u[a];
#else
        EACH(b, N) energy += M[a + b * N] * x->u[a] * x->u[b];
#endif
    }
    EACH(i, P)
    {
        const bool in = HAS(set, i);
        f.mu_s[i] = MU_S(e, i);
        f.mu_d[i] = MU_D(e, i);
        f.rough |= (in && HAS(SLIPPING, i) && f.mu_s[i] > 0.0) << i;
        w.e[2 * i] = e[i];
        w.e[2 * i + 1] = E_T(e, i);
        w.hat[2 * i] = in ? s->hat[i] : 0.0;
        w.hat[2 * i + 1] = in ? s->slip_hat[i] : 0.0;
    }
    EACH(r, R) EACH(a, N)
    {
        w.J[a + r * N] = HAS(set, r >> 1) ? row_entry(s, r, a) : 0.0;
        w.Y[a + r * N] = HAS(set, r >> 1) ? row_response(s, r, a) : 0.0;
    }
    look_along_rows(&w, w.u, w.before, w.terms);
    scale_rows(&w, energy, &f);
    int doubtful;
    const int end = decide_modes(&f, &o, &doubtful);
    if (end != 0 && end != SEVERAL)
        return end;
    push_rows(&w, &f, o.x, x->u);
    refine_rows(&w, &f, &o, x->u);
    EACH(i, P)
    {
        impulse[i] = o.x[2 * i] / f.scale[2 * i];
        if (impulse[i] > 0.0)
            x->ratio[i] = o.x[2 * i + 1] / f.scale[2 * i + 1] / impulse[i];
    }
    return 0;
}

/* Does a contact slide in its flights too? Then their friction comes with what presses it. */
static void find_flight_slopes(const cell *x, const state *s, const double *slow, int set, double *slope)
{
    EACH(i, P) slope[i] = HAS(set, i) && fabs(s->slip[i]) > slow[i] ? -x->ratio[i] : 0.0;
}

/* The velocity with rates of zero at a set of rows, by impulses that carry friction of these slopes. */
static APART void press_rows(cell *x, state *s, int set, const double *slope)
{
    holding f;
    hold_rows(s, set, slope, &f);
    EACH(pass, 2)
    {
        double moved[N];
        EACH(a, N) moved[a] = 0.0;
        EACH(r, R)
        {
            double l = 0.0;
            EACH(c, R) l -= HAS(f.set, c) ? f.G[r + c * R] * row_rate(s, c) : 0.0;
            EACH(a, N) moved[a] += f.Y[a + r * N] * l;
        }
        EACH(a, N) x->u[a] += moved[a];
        find_rates(x, s);
    }
}

/* Contacts of a set come to rest by impulses that carry their flights' friction (carom_event_flights_rest). */
static void bring_to_rest(cell *x, state *s, const double *slow, int set)
{
    double slope[P];
    find_flight_slopes(x, s, slow, set, slope);
    /* who has no rate was closed in all of these flights, and has the friction of that */
    EACH(i, CONTACT_COUNT) x->rested |= (HAS(set, i) && fabs(s->gamma[i]) > slow[i]) << i;
    press_rows(x, s, rows_in_force(set, 0), slope);
}

/* A contact that leaves, but too low to be told, stays closed while one slides: until it would be at rest the impulses
 * of those that slide are less, and their friction with them (carom_event_flights_low). */
static void stop_low(cell *x, state *s, const double *slow, int low)
{
    double slope[P];
    const int sliding = x->plus | x->minus;
    if (!(low & x->closed) || !sliding)
        return;
    find_flight_slopes(x, s, slow, sliding, slope);
    press_rows(x, s, rows_in_force(x->closed, x->stuck), slope);
}

/* Who of the candidates slips no faster than rounding. */
static int find_resting(const state *s, const double *e, const double *slow, int candidates)
{
    int set = 0;
    EACH(i, CONTACT_COUNT)
    set |= (HAS(candidates & SLIPPING, i) && MU_S(e, i) > 0.0 && !(fabs(s->slip[i]) > 2.0 * slow[i])) << i;
    return set;
}

/* Slips of candidates up to 2 slow are taken out; were there any? */
static bool stop_creeping(cell *x, state *s, const double *e, const double *slow, int candidates)
{
    const int resting = find_resting(s, e, slow, candidates);
    bool moving = false;
    EACH(i, CONTACT_COUNT) moving = moving || (HAS(resting, i) && s->slip[i] != 0.0);
    if (moving)
        stop_rows(x, s, rows_in_force(candidates, resting));
    return moving;
}

/* Forces x and accelerations w of the candidates, as an instant: by row. */
typedef struct {
    double x[R], w[R], tolerance[R], norm[R];
    int resting, candidates; /* who may stick; whose problem it is */
} forces;

/* The problem of accelerations in kinetic units (src/flow/contact_parts.c, contact_instant.c). */
static void pose_forces(const cell *x, const state *s, const double *e, double sharp, forces *g, problem *f)
{
    holding h;
    double slope[P];
    const int set = rows_in_force(g->candidates, g->resting);
    EACH(i, P)
    {
        const bool slides = HAS(g->candidates & ~g->resting & SLIPPING, i) && MU_S(e, i) > 0.0;
        slope[i] = slides ? copysign(MU_D(e, i), s->slip[i]) : 0.0;
    }
    fill_rows(s, set, slope, &h);
    f->taking = g->candidates;
    f->rough = g->resting;
    f->least = 0.0;
    EACH(r, R)
    {
        double size;
        const bool in = HAS(set, r);
        f->scale[r] = g->norm[r] = h.norm[r];
        f->b[r] = in ? row_gain(s, r, &size) : 0.0;
        g->tolerance[r] = in ? sharp * size : 0.0;
        f->b[r] = fabs(f->b[r]) <= g->tolerance[r] ? 0.0 : f->b[r] / h.norm[r];
        f->least = fmax(f->least, g->tolerance[r] / h.norm[r]);
    }
    f->size = f->least;
    EACH(c, R)
    {
        f->size = fmax(f->size, fabs(f->b[c]));
        EACH(r, R)
        {
            const double a = h.A[r + c * R] / (h.norm[r] * h.norm[c]);
            const bool in = HAS(set, r) && HAS(set, c);
            f->A[r + c * R] = in && (r == c || fabs(a) > 4.0 * ROUNDING) ? a : 0.0;
        }
    }
    EACH(i, P)
    {
        const double ratio = h.norm[2 * i + 1] / h.norm[2 * i];
        f->mu_d[i] = HAS(g->resting, i) ? MU_D(e, i) * ratio : 0.0;
        f->mu_s[i] = HAS(g->resting, i) ? (HAS(x->broken, i) ? MU_D(e, i) : MU_S(e, i)) * ratio : 0.0;
    }
}

/* Accelerations that are rounding of forces are none (drop_rounding of src/flow/contact_planar.c). */
static void drop_rounding(const problem *f, outcome *o)
{
    double most = 0.0, all = 0.0;
    EACH(r, R)
    {
        most = fmax(most, fabs(o->x[r]));
        all += fabs(o->x[r]);
    }
    EACH(r, R)
    {
        const int mode = MODE(o->combination, r >> 1);
        double sum = fabs(f->b[r]);
        EACH(c, R) sum += fabs(f->A[r + c * R]) * most;
        const bool zero = r & 1 ? mode == STICK : mode != OPEN;
        if (zero || fabs(o->xi[r]) <= (r & 1 ? SUM * sum : CARRIED * (fabs(f->b[r]) + all)))
            o->xi[r] = 0.0;
    }
}

/* Forces of the candidates; 0 or NONE. */
static APART int find_forces(const cell *x, const state *s, const double *e, const double *slow, double sharp,
                             forces *g, problem *f)
{
    outcome o = {{0.0}};
    g->resting = find_resting(s, e, slow, g->candidates);
    pose_forces(x, s, e, sharp, g, f);
    int doubtful;
    const int end = decide_modes(f, &o, &doubtful);
    if (end != 0 && end != SEVERAL)
        return end;
    drop_rounding(f, &o);
    EACH(r, R)
    {
        g->x[r] = o.x[r] / f->scale[r];
        g->w[r] = o.xi[r] * f->scale[r];
    }
    return 0;
}

/* Could a force at contact i hold it closed in spite of the friction that comes with it? */
static bool can_hold(const problem *f, const forces *g, const double *e, int i)
{
    const int n = 2 * i, t = n + 1;
    const bool slips = HAS(g->resting, i) && fabs(g->w[t]) > g->tolerance[t];
    const double mu = slips ? f->mu_d[i] : 0.0;
    const double own = f->A[n + n * R] - (slips ? copysign(mu, g->w[t]) * f->A[n + t * R] : 0.0);
    return own > SUM * (1.0 + MU_D(e, i));
}

/* Modes from forces and accelerations: who stays closed, who sticks, who slides which way. */
static void find_modes(cell *x, const state *s, const double *e, const problem *f, const forces *g)
{
    double load = 0.0;
    x->closed = x->stuck = x->plus = x->minus = 0;
    EACH(i, CONTACT_COUNT)
    {
        const int n = 2 * i, t = n + 1;
        load = fmax(load, g->x[n] * g->norm[n]);
        x->slack[i] = 0.0;
        if (!HAS(g->candidates, i) || !(g->x[n] > 0.0 || (g->w[n] <= g->tolerance[n] && can_hold(f, g, e, i))))
            continue;
        x->closed |= 1 << i;
        const bool rough = HAS(SLIPPING, i) && MU_S(e, i) > 0.0, slips = fabs(g->w[t]) > g->tolerance[t];
        const double way = !HAS(g->resting, i) ? s->slip[i] : g->x[t] != 0.0 ? -g->x[t] : g->w[t];
        if (HAS(g->resting, i) && !slips)
            x->stuck |= 1 << i;
        else if (rough)
            *(way > 0.0 ? &x->plus : &x->minus) |= 1 << i;
    }
    const double part = 4e-9; /* of a contact that carries nothing it cannot be told whether it opens */
    EACH(i, CONTACT_COUNT)
    if (HAS(x->closed, i) && g->x[2 * i] * g->norm[2 * i] <= part * load)
        x->slack[i] = part * load / g->norm[2 * i];
}

/* The conditions of forces that leave cones: two of a contact. */
static double room_in_cone(const cell *x, const double *e, const double *force, int i, int side)
{
    const double mu = MU_S(e, i);
    if (!HAS(x->stuck, i) || isinf(mu))
        return force[2 * i];
    return (mu * force[2 * i] + (side ? 1.0 : -1.0) * force[2 * i + 1]) / (1.0 + mu);
}

/* Forces of rows that depend on each other: as far from the edges of the cones as each direction of the kernel lets
 * them be, in turn. False: they leave a cone. */
static APART bool distribute(const cell *x, const double *e, const holding *f, double *force)
{
    double size = 0.0;
    EACH(r, R) size = fmax(size, fabs(force[r]) * f->norm[r]);
    EACH(turn, f->rank < R ? 8 : 0) EACH(k, R - f->rank)
    {
        double along[R], low = -INFINITY, high = INFINITY;
        EACH(r, R) along[r] = HAS(f->set, r) ? f->K[r + k * R] / f->norm[r] : 0.0;
        EACH(i, CONTACT_COUNT) EACH(side, 2)
        {
            if (!HAS(x->closed, i))
                continue;
            const double at = room_in_cone(x, e, force, i, side), by = room_in_cone(x, e, along, i, side);
            const double norm = f->norm[2 * i];
            low = by * norm > SOLVED ? fmax(low, -at / by) : low;
            high = by * norm < -SOLVED ? fmin(high, -at / by) : high;
        }
        const double to = isfinite(low) && isfinite(high) ? 0.5 * (low + high)
                          : isfinite(low)                 ? fmax(0.0, low + size)
                          : isfinite(high)                ? fmin(0.0, high - size)
                                                          : 0.0;
        EACH(r, R) force[r] += to * along[r];
    }
    bool good = true;
    EACH(i, CONTACT_COUNT) EACH(side, 2)
    good = good && (!HAS(x->closed, i) ||
                    room_in_cone(x, e, force, i, side) * f->norm[2 * i] >= -SIGN * size);
    return good;
}

/* The forces that hold the modes at rest: those of rows that depend on others follow them until the next event.
 * False: rows do not tell the motion, or cones cannot hold it. */
static bool lead_rows(cell *x, const state *s, const double *e)
{
    holding f;
    double slope[P], b[R];
    find_slopes(x, e, slope);
    const bool still = hold_rows(s, rows_in_force(x->closed, x->stuck), slope, &f);
    EACH(r, R)
    {
        double size;
        b[r] = HAS(f.set, r) ? -row_gain(s, r, &size) : 0.0;
        x->lead[r] = 0.0;
    }
    EACH(r, R) EACH(c, R) x->lead[r] += f.G[r + c * R] * b[c];
    return still && distribute(x, e, &f, x->lead);
}

/* Accelerations of the modes in force with slopes of friction. */
static void accelerate(const cell *x, const state *s, const double *slope, double *a)
{
    holding f;
    hold_rows(s, rows_in_force(x->closed, x->stuck), slope, &f);
    EACH(j, N) a[j] = s->free[j];
    EACH(r, R)
    {
        double force = 0.0, size;
        EACH(c, R) force -= HAS(f.set, c) ? f.G[r + c * R] * row_gain(s, c, &size) : 0.0;
        EACH(j, N) a[j] += f.Y[j + r * N] * force;
    }
}

/* Flights that were left out have the friction of impacts, not that of rest, until their limit
 * (carom_event_flights_settle). */
static void rub_flights(cell *x, const state *s, const double *e, const double *slow)
{
    double at_rest[P], flying[P], one[N], other[N];
    bool differ = false;
    find_slopes(x, e, at_rest);
    find_flight_slopes(x, s, slow, x->rested, flying);
    EACH(i, P)
    {
        const bool own = HAS(x->rested & (x->plus | x->minus), i);
        flying[i] = own ? flying[i] : at_rest[i];
        differ = differ || fabs(flying[i] - at_rest[i]) > CARRIED * MU_D(e, i);
    }
    if (!(x->left > 0.0) || !differ)
        return;
    accelerate(x, s, flying, one);
    accelerate(x, s, at_rest, other);
    EACH(j, N) x->u[j] += x->left * (one[j] - other[j]);
}

/* Who would fall back at once with the forces found, of those that touch and leave. */
static int find_falling(const cell *x, const state *s, const double *e, int candidates)
{
    double slope[P], a[N];
    int set = 0;
    if (!x->closed)
        return 0;
    find_slopes(x, e, slope);
    accelerate(x, s, slope, a);
    EACH(i, CONTACT_COUNT)
    {
        double gain = s->bias[i];
        EACH(j, N) gain += s->W[j + i * N] * a[j];
        const bool low = gain < 0.0 && s->gamma[i] * s->gamma[i] <= -2.0 * gain * resolution(x, s->hat[i], i);
        set |= (HAS(x->touching & ~candidates, i) && low) << i;
    }
    return set;
}

/* Slips that friction ends before positions can tell are at rest. */
static bool find_short_slips(const cell *x, const state *s, const double *e, const double *slow, int candidates,
                             double *longer)
{
    bool any = false;
    EACH(i, P) longer[i] = slow[i];
    EACH(i, CONTACT_COUNT)
    {
        const double gain = gain_of(s, i);
        longer[i] = fmax(slow[i], sqrt(2.0 * MU_D(e, i) * fmax(0.0, -gain) * resolution(x, s->hat[i], i)));
        any = any || (HAS(candidates, i) && longer[i] > slow[i]);
    }
    return any;
}
