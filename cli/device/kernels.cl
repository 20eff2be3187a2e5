/* The kernels: starts, some steps of all motions, what is left of them. */

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
    EACH(i, COEFFICIENTS * CONTACT_COUNT) e[i] = restitution[i * items + item];
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
    double p[PARAMETERS + 1], e[COEFFICIENTS * P], c[CONSTANTS + 1];
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
        double p[PARAMETERS + 1], e[COEFFICIENTS * P], c[CONSTANTS + 1];
        series v[ROWS];
        load(parameters, restitution, items, item, p, e);
        model_constants(p, c);
        for (int step = 0; step < o.steps && x.status == RUNNING && written < o.room; step++) {
            if (!x.touching) {
                x.status = move(&x, &o, p, c, e, v);
                x.steps++;
                x.status = x.status == RUNNING ? keep_pace(&x) : x.status;
                if (x.status == RUNNING && !x.touching && x.closed)
                    x.status = put_back(&x, &o, p, c, v);
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
#if FRICTION
    to[(size_t)(9 + 2 * N) * items] = cells[item].now.energy_friction;
#else
    to[(size_t)(9 + 2 * N) * items] = 0.0;
#endif
}
