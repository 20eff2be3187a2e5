/* What happens at an event: impacts until nothing approaches, accumulation, then who stays closed.
 * One impact, or the decision about contacts, a call. */

/* The j-th impact before the latest. */
static int recall(const history *z, int j)
{
    return (z->at + MEMORY - j) % MEMORY;
}

static int length_of(int pattern)
{
    return pattern < PATTERNS - 1 ? pattern + 1 : ANY;
}

/* An impact is remembered, and the progressions it may belong to (carom_zeno_add). */
static void remember(history *z, double t, int contact, double speed)
{
    z->at = (z->at + 1) % MEMORY;
    z->t[z->at] = t;
    z->speed[z->at] = speed;
    z->contact[z->at] = contact;
    z->count = min(z->count + 1, MEMORY);
    for (int k = 0; k < PATTERNS && z->count > 2 * length_of(k); k++) {
        const int length = length_of(k), a = recall(z, length), b = recall(z, 2 * length);
        const double ratio = (t - z->t[a]) / (z->t[a] - z->t[b]);
        const bool same = length == ANY || (contact == z->contact[a] &&
                                            contact == z->contact[b]);
        const bool falls = ratio > 0.0 && ratio < 1.0 && same;
        const bool goes_on =
            falls && z->run[k] > 0 && fabs(ratio - z->ratio[k]) <= 0.25 * (1.0 - ratio);
        if (!goes_on) {
            z->run[k] = falls ? 2 * length : 0;
            z->first[k] = z->t[b];
            z->first_speed[k] = 0.0;
            for (int j = length; j < 2 * length; j++)
                z->first_speed[k] = fmax(z->first_speed[k], z->speed[recall(z, j)]);
        }
        z->run[k] += falls;
        z->ratio[k] = ratio;
    }
}

static void forget(history *z)
{
    z->count = 0;
    EACH(k, PATTERNS) z->run[k] = 0;
}

/* The shortest pattern that the latest impact continues, -1: none; *left: time to its limit. */
static int find_progression(const history *z, int contact, const settings *o, double *left)
{
    for (int k = 0; k < PATTERNS && z->count > 2 * length_of(k); k++) {
        if (z->contact[z->at] != contact || z->run[k] < o->accumulation_impacts)
            continue;
        const double last = z->t[z->at] - z->t[recall(z, length_of(k))];
        *left = last * z->ratio[k] / (1.0 - z->ratio[k]);
        return k;
    }
    return -1;
}

/* The contacts of a pattern. */
static int contacts_of(const history *z, int pattern)
{
    int set = 0;
    for (int j = 0; pattern >= 0 && j < length_of(pattern); j++)
        set |= 1 << z->contact[recall(z, j)];
    return set;
}

/* Would a contact come back without rising above so many times what positions resolve? */
static bool rises_less(const cell *x, const state *s, int i, double times_resolution)
{
    const double gain = gain_of(s, i), height = times_resolution * resolution(x, s->hat[i], i);
    return gain < 0.0 && s->gamma[i] * s->gamma[i] <= -2.0 * gain * height;
}

static bool is_low(const cell *x, const state *s, int i)
{
    return rises_less(x, s, i, 1.0);
}

/* Does a progression end at rest? (carom_zeno_rests) */
static bool rests(const history *z, int pattern, const settings *o)
{
    double now = 0.0;
    EACH(j, length_of(pattern)) now = fmax(now, z->speed[recall(z, j)]);
    return now * now <= o->accumulation * z->first_speed[pattern] * z->first_speed[pattern];
}

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
    forget(z);
    project(s, flag, s->gamma, x->u);
    find_rates(x, s);
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
        if (strike_doubled(s->W, Y, D, u, s->hat, e, set, impulse, x->u))
            return true;
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
    if (!find_impulses(x, s, M, plain, x->touching, impulse))
        return false;
    remember(z, x->t, contact, speed);
    find_rates(x, s);
    EACH(i, CONTACT_COUNT) x->speed[i] = fmax(x->speed[i], size_of_rate(x, s, i));
    accumulate(x, z, s, o, contact, impulse, slow);
    EACH(i, CONTACT_COUNT) if (impulse[i] > 0.0 && rises_less(x, s, i, 0x1p20)) x->probing = 1;
    x->impacts++;
    return true;
}

/* Contacts that touch and do not leave: who presses stays closed, who accelerates away opens. */
static bool decide(cell *x, state *s, const double *slow)
{
    int candidates = 0;
    double b[P], scale[P], force[P];
    EACH(i, P)
    {
        const bool in = i < CONTACT_COUNT;
        b[i] = in ? gain_of(s, i) : 0.0;
        scale[i] = in ? size_of_gain(s, i) : 0.0;
        force[i] = 0.0;
        if (in && HAS(x->touching, i) && (s->gamma[i] <= slow[i] || is_low(x, s, i)))
            candidates |= 1 << i;
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
    forget(z);
}

/* Who else touches at an event: gaps that close within the tolerance of it, or are open by no more than
 * positions resolve (find_touching of src/flow/event_driven.c). */
static void touch(cell *x, const state *s, const settings *o)
{
    const double tie = o->event_tolerance * fmax(1.0, fabs(x->t));
    EACH(i, CONTACT_COUNT)
    if (s->gap[i] <= resolution(x, s->hat[i], i) || s->gap[i] <= -s->gamma[i] * tie)
        x->touching |= 1 << i;
}

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
    if (x->rounds == 0)
        touch(x, &s, o);
    int contact = -1;
    for (int i = CONTACT_COUNT - 1; i >= 0; i--) {
        const double rate = fmax(size_of_rate(x, &s, i), size_of_gain(&s, i) * x->took);
        x->speed[i] = fmax(x->speed[i], rate);
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
    if (!decide(x, &s, slow))
        return NO_OUTCOME;
    tell_kept(x, z, o);
    bool whole = true;
    if (x->closed) {
        whole = project(&s, x->closed, s.gamma, x->u);
        whole = project(&s, x->closed, s.gap, x->q) && whole;
    }
    x->touching = 0;
    x->rounds = 0;
    return whole ? RUNNING : DEPENDENT;
}
