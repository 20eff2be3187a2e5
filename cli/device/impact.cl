/* What happens at an event: impacts until nothing approaches, accumulation, then who stays closed.
 * One impact, or the decision about contacts, a call. */

/* After an impact of the touching contacts: is it the last of an accumulation? Then its contacts
 * come to rest, or all touch (carom_event_accumulate). */
static void accumulate(cell *x, history *z, state *s, const settings *o, int contact, const double *impulse,
                       const double *slow)
{
    double left = 0.0;
    int pattern = find_progression(z, contact, o, &left), low = 0, flag;
    bool near = pattern >= 0 && left <= o->accumulation * (x->t + left - z->first[pattern]);
    const int set = contacts_of(z, pattern);
    double rate = size_of_rate(x, s, contact);
    EACH(i, CONTACT_COUNT)
    {
        const double reach = 8.0 * left * fmax(rate, fabs(s->gamma[i]));
        near = near && !(HAS(set, i) && s->gap[i] > reach + resolution(x, s->hat[i], i));
        if (impulse[i] > 0.0 && s->gamma[i] > slow[i] && is_low(x, s, i))
            low |= 1 << i;
    }
    if (!near && !low)
        return;
    if (near && !rests(z, pattern, o)) {
        x->touching |= set;
        x->accumulations += popcount(set);
        forget(z);
        return;
    }
    flag = near ? low | set : low;
    EACH(i, CONTACT_COUNT)
    {
        const bool slow_now = near && impulse[i] > 0.0 &&
                              s->gamma[i] * s->gamma[i] <=
                                  o->accumulation * x->speed[i] * x->speed[i];
        if ((HAS(x->touching, i) && fabs(s->gamma[i]) <= slow[i]) || slow_now)
            flag |= 1 << i;
    }
    x->touching |= flag;
    if (pattern >= 0)
        x->accumulations += popcount(flag);
#if FRICTION
    x->left = time_left(z, pattern, left);
    forget(z);
    bring_to_rest(x, s, slow, flag);
#else
    forget(z);
    project(s, flag, s->gamma, x->u);
    find_rates(x, s);
#endif
}

/* Impulses of the touching contacts, and the velocities after them; where several touch, light bodies
 * keep their digits only with twice as many. */
static APART bool find_impulses(cell *x, const state *s, const double *M, const double *e, int set,
                                double *impulse)
{
    double b[P], scale[P];
#if CONTACT_COUNT > 1
    doubled Y[N * P], D[P * P];
    double u[N];
    if (popcount(set) > 1 && respond_doubled(M, s->W, Y, D)) {
        EACH(j, N) u[j] = x->u[j];
        return strike_doubled(s->W, Y, D, u, s->hat, e, set, impulse, x->u) == 0;
    }
#endif
    EACH(i, P)
    {
        const bool in = i < CONTACT_COUNT;
        b[i] = in ? (1.0 + e[i]) * s->gamma[i] : 0.0;
        scale[i] = in ? size_of_rate(x, s, i) : 0.0;
        impulse[i] = 0.0;
    }
    if (!solve_lcp(s->D, b, scale, set, impulse))
        return false;
    EACH(i, CONTACT_COUNT) EACH(j, N) x->u[j] += s->Y[j + i * N] * impulse[i];
    return true;
}

/* One impact of the touching contacts, of which `contact` approaches. */
static bool strike(cell *x, history *z, state *s, const settings *o, const double *M, const double *e,
                   int contact, const double *slow, double *impulse)
{
    double plain[P];
    EACH(i, P) plain[i] = o->inelastic || i >= CONTACT_COUNT ? 0.0 : e[i];
    const double speed = fabs(s->gamma[contact]) / sqrt(s->D[contact + contact * P]);
#if FRICTION
    const bool rubs = o->coulomb && !o->inelastic;
    if (rubs && strike_rough(x, s, M, e, x->touching, impulse))
        return false;
    if (!rubs)
        EACH(i, CONTACT_COUNT) x->ratio[i] = HAS(x->touching, i) ? 0.0 : x->ratio[i];
    if (!rubs && !find_impulses(x, s, M, plain, x->touching, impulse))
        return false;
#else
    if (!find_impulses(x, s, M, plain, x->touching, impulse))
        return false;
#endif
    remember(z, x->t, contact, speed);
    find_rates(x, s);
    EACH(i, CONTACT_COUNT)
    x->speed[i] = fmax(x->speed[i], fmax(size_of_rate(x, s, i), size_of_slip(x, s, i, 0.0)));
    accumulate(x, z, s, o, contact, impulse, slow);
    EACH(i, CONTACT_COUNT) if (impulse[i] > 0.0 && rises_less(x, s, i, 0x1p20)) x->probing = 1;
    x->impacts++;
    return true;
}

#if FRICTION
/* A contact that would fall back at once ends its progression, if it is in one. */
static void tell_falling(cell *x, history *z, const settings *o, int contact)
{
    double left = 0.0;
    const int pattern = find_progression(z, contact, o, &left);
    if (z->count > 0 && z->t[z->at] == x->t)
        x->left = time_left(z, pattern, left);
    x->rested |= 1 << contact;
    if (pattern >= 0)
        x->accumulations++;
    if (pattern >= 0 || (z->count > 0 && z->contact[z->at] == contact))
        forget(z);
}
#endif

/* A progression whose contacts all stay closed now has ended too. */
static void tell_kept(cell *x, history *z, const settings *o)
{
    double left;
    if (z->count == 0 || z->t[z->at] != x->t)
        return;
    const int pattern = find_progression(z, z->contact[z->at], o, &left);
    const int set = contacts_of(z, pattern);
    if (pattern < 0 || (set & ~x->closed))
        return;
    x->accumulations += popcount(set);
#if FRICTION
    x->left = time_left(z, pattern, left);
#endif
    forget(z);
}

/* Who touches and does not leave. */
static int find_candidates(const cell *x, const state *s, const double *slow)
{
    int set = 0;
    EACH(i, CONTACT_COUNT)
    set |= (HAS(x->touching, i) && (s->gamma[i] <= slow[i] || is_low(x, s, i))) << i;
    return set;
}

#if FRICTION
/* Who opens, sticks or slides: forces that fit the slips, which are stopped where they are rounding or so short that
 * positions do not tell (find_motion of src/flow/event_settle.c). *low: who leaves, but too low to be told. */
static APART int decide(cell *x, history *z, const settings *o, const double *p, const double *c, const double *e,
                        series *v, state *s, const double *slow, int *low)
{
    const double sharp = (x->idle > 2 ? 1e-4 : 0.1) * o->force_rest;
    int candidates = find_candidates(x, s, slow), found = 0;
    x->closed = x->stuck = x->plus = x->minus = 0;
    EACH(i, CONTACT_COUNT) *low |= (HAS(candidates, i) && s->gamma[i] > slow[i]) << i;
    for (int round = 0; round < 6 && candidates; round++) {
        forces g;
        problem f;
        double longer[P];
        if (stop_creeping(x, s, e, slow, candidates) && !look(x, p, c, v, s))
            return BAD_FORCE;
        g.candidates = candidates;
        found = find_forces(x, s, e, slow, sharp, &g, &f);
        if (found == NONE) {
            if (!find_short_slips(x, s, e, slow, candidates, longer) ||
                !stop_creeping(x, s, e, longer, candidates))
                return INCONSISTENT;
            if (!look(x, p, c, v, s))
                return BAD_FORCE;
            continue;
        }
        find_modes(x, s, e, &f, &g);
        const int falling = find_falling(x, s, e, candidates);
        if (!falling)
            break;
        EACH(i, CONTACT_COUNT) if (HAS(falling, i)) tell_falling(x, z, o, i);
        candidates |= falling;
        *low |= falling;
        found = NONE;
    }
    EACH(i, CONTACT_COUNT) x->fresh[i] = HAS(candidates, i) ? 2 : HAS(x->touching, i) ? 1 : 0;
    if (found)
        return INCONSISTENT;
    return !x->closed || lead_rows(x, s, e) ? RUNNING : DEPENDENT;
}
#else
/* Contacts that touch and do not leave: who presses stays closed, who accelerates away opens. */
static bool decide(cell *x, state *s, const double *slow)
{
    const int candidates = find_candidates(x, s, slow);
    double b[P], scale[P], force[P];
    EACH(i, P)
    {
        const bool in = i < CONTACT_COUNT;
        b[i] = in ? gain_of(s, i) : 0.0;
        scale[i] = in ? size_of_gain(s, i) : 0.0;
        force[i] = 0.0;
    }
    if (candidates && !solve_lcp(s->D, b, scale, candidates, force))
        return false;
    x->closed = 0;
    EACH(i, CONTACT_COUNT)
    {
        double w = b[i];
        EACH(j, CONTACT_COUNT) w += s->D[i + j * P] * force[j];
        if (HAS(candidates, i) && (force[i] > 0.0 || w <= 256.0 * ROUNDING * scale[i]))
            x->closed |= 1 << i;
        x->fresh[i] = HAS(candidates, i) ? 2 : HAS(x->touching, i) ? 1 : 0;
    }
    return true;
}

#endif

/* Who else touches at an event: gaps that close within the tolerance of it, or are open by no more than
 * positions resolve (find_touching of src/flow/event_driven.c). */
static void touch(cell *x, const state *s, const settings *o)
{
    const double tie = o->event_tolerance * fmax(1.0, fabs(x->t));
    EACH(i, CONTACT_COUNT)
    if (s->gap[i] <= resolution(x, s->hat[i], i) || s->gap[i] <= -s->gamma[i] * tie)
        x->touching |= 1 << i;
}

#if FRICTION
/* Modes that change again and again without time or impacts between them: true, an end is not in sight. */
static bool begin_event(cell *x, const settings *o)
{
    const double tie = o->event_tolerance * fmax(1.0, fabs(x->t));
    const bool soon = x->t - x->event_time <= 1e3 * tie && x->steps > 0;
    x->idle = soon && x->impacts == x->impacts_then ? x->idle + 1 : 0;
    x->impacts_then = x->impacts;
    x->event_time = x->t;
    x->broken = soon ? x->broken : 0;
    x->left = 0.0;
    x->rested = 0;
    return x->idle > 300;
}
#endif

/* The next thing at an event; *struck: an impact, with its impulses. */
static APART int settle(cell *x, history *z, const settings *o, const double *p, const double *c, const double *e,
                  series *v, bool *struck, double *impulse)
{
    state s;
    double slow[P];
    *struck = false;
    probe noise = {{0.0}};
    const bool probes = x->rounds == 0 && x->probing;
    if (probes) {
        hear_clock(x, p, c, v);
        move_a_little(x, p, c, v, &noise);
    }
    if (!look(x, p, c, v, &s))
        return BAD_FORCE;
    if (probes) {
        hear(x, &s, &noise);
        x->probing = 0;
    }
    if (x->rounds == 0) {
        touch(x, &s, o);
#if FRICTION
        const bool endless = begin_event(x, o);
        if (endless)
            return ENDLESS;
#endif
    }
    int contact = -1;
    for (int i = CONTACT_COUNT - 1; i >= 0; i--) {
        const double rate = fmax(size_of_rate(x, &s, i), size_of_gain(&s, i) * x->took);
        x->speed[i] = fmax(x->speed[i], fmax(rate, size_of_slip(x, &s, i, x->took)));
        slow[i] = fmax(o->rest * x->speed[i], 4.0 * x->tremor[i]);
        if (HAS(x->touching, i) && s.gamma[i] < -slow[i])
            contact = i;
    }
    if (contact >= 0) {
        settings own = *o;
        const double before = LEDGER ? kinetic(x, p, c, v) : 0.0;
        own.inelastic = own.inelastic || x->rounds >= 1000;
        double M[N * (MASS_IS_DIAGONAL ? 1 : N)];
        EACH(k, N * (MASS_IS_DIAGONAL ? 1 : N)) M[k] = model_mass(p, c, v, k, 0);
        if (x->rounds > 1000 || !strike(x, z, &s, &own, M, e, contact, slow, impulse))
            return NO_OUTCOME;
        if (LEDGER)
            x->energy_impacts += kinetic(x, p, c, v) - before;
        x->rounds++;
        *struck = true;
        return o->max_events > 0 && x->impacts >= o->max_events ? EVENT_LIMIT : RUNNING;
    }
#if FRICTION
    int low = 0;
    const int status = decide(x, z, o, p, c, e, v, &s, slow, &low);
    if (status)
        return status;
    tell_kept(x, z, o);
    if (x->closed) {
        const double before = LEDGER ? kinetic(x, p, c, v) : 0.0;
        stop_low(x, &s, slow, low);
        rub_flights(x, &s, e, slow);
        x->energy_impacts += LEDGER ? kinetic(x, p, c, v) - before : 0.0;
        find_rates(x, &s);
        put_on_rows(x, &s);
    }
    EACH(i, CONTACT_COUNT) x->slow[i] = slow[i];
    bool whole = true;
#else
    if (!decide(x, &s, slow))
        return NO_OUTCOME;
    tell_kept(x, z, o);
    bool whole = true;
    if (x->closed) {
        whole = project(&s, x->closed, s.gamma, x->u);
        whole = project(&s, x->closed, s.gap, x->q) && whole;
    }
#endif
    x->touching = 0;
    x->rounds = 0;
    return whole ? RUNNING : DEPENDENT;
}
