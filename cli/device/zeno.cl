/* The impacts that are remembered, and whether they accumulate, as src/flow/zeno.c has it. */

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

#if FRICTION
/* Time to the limit of what ends now, where two ratios in a row agreed best (carom_zeno_limit); without a
 * progression that of the last three impacts, if their intervals fall. */
static double time_left(const history *z, int pattern, double left)
{
    const int length = pattern < 0 ? 1 : length_of(pattern);
    const double now = z->t[z->at];
    double best = left, least = INFINITY;
    if (pattern < 0) {
        const int a = recall(z, 1), b = recall(z, 2), at = z->at;
        const double ratio = (now - z->t[a]) / (z->t[a] - z->t[b]);
        const bool falls = z->count >= 3 && z->contact[at] == z->contact[a] && z->contact[a] == z->contact[b] &&
                           ratio > 0.0 && ratio < 1.0;
        return falls ? (now - z->t[a]) * ratio / (1.0 - ratio) : 0.0;
    }
    for (int j = 0; j + 3 * length < z->count && j + 3 * length < z->run[pattern]; j++) {
        const double t0 = z->t[recall(z, j)], t1 = z->t[recall(z, j + length)];
        const double t2 = z->t[recall(z, j + 2 * length)], t3 = z->t[recall(z, j + 3 * length)];
        const double ratio = (t0 - t1) / (t1 - t2), off = fabs(ratio - (t1 - t2) / (t2 - t3));
        if (ratio < 1.0 && off < least) {
            least = off;
            best = t0 + (t0 - t1) * ratio / (1.0 - ratio) - now;
        }
    }
    return fmax(fabs(best - left) <= 0.25 * left ? best : left, 0.0);
}
#endif

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
