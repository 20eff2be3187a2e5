/* All combinations of modes of contacts at one instant, and the motion that is taken (docs/theory/instant.md, "All
 * combinations"). */

/* Does a combination hold? */
static inline int try_modes(const problem *f, int combination, outcome *o)
{
    int valid;
    o->combination = combination;
    o->continuum = o->doubtful = 0;
#if SHARP
    const int sharp = try_sharp(f, o);
    if (sharp >= 0)
        return sharp;
    valid = try_dependent(f, o);
#else
    double Q[R * R], z[R], tolerance, least;
    fill(f, combination, Q);
    EACH(r, R) z[r] = is_equation(f, combination, r) ? -f->b[r] : 0.0;
    if (eliminate(f, combination, Q, z, &least))
        valid = judge(f, z, o, &tolerance);
    else
        valid = try_dependent(f, o);
    o->doubtful = o->doubtful || (least < DOUBTFUL && least > REGULAR);
#endif
    if (!valid)
        return 0;
    EACH(i, P) { /* without a normal impulse there is none at all */
        const int pushes = o->x[2 * i] > 0.0;
        o->x[2 * i] = pushes ? o->x[2 * i] : 0.0;
        o->x[2 * i + 1] = pushes ? o->x[2 * i + 1] : 0.0;
    }
#if SHARP
    EACH(r, R) o->x2[r] = (doubled)(o->x[r], 0.0);
#endif
    velocities_of(f, o->x, f->b, o->xi);
    double squared = 0.0;
    EACH(r, R) squared += o->x[r] * o->x[r];
    o->norm = sqrt(squared);
    return 1;
}

/* Modes that are tried: one of who takes no part, two of a smooth contact and of infinite friction, else four. */
static inline int is_tried(const problem *f, int combination)
{
    int tried = 1;
    EACH(i, P) {
        const int slides = MODE(combination, i) >= PLUS;
        tried = tried && !(slides && (!HAS(f->rough, i) || isinf(f->mu_d[i]))) &&
                (HAS(f->taking, i) || MODE(combination, i) == OPEN);
    }
    return tried;
}

/* Static friction goes before: a combination that slips where the same contacts can stick, the
 * others in the same modes, is none. */
static inline int is_overruled(const problem *f, const uint *valid, int combination)
{
    int set = 0;
    EACH(i, P)
        set |= (MODE(combination, i) >= PLUS && f->mu_d[i] < f->mu_s[i]) << i;
    for (int sub = set; sub > 0; sub = (sub - 1) & set) {
        int sticks = combination;
        EACH(i, P) sticks = HAS(sub, i) ? (sticks & ~(3 << (2 * i))) | STICK << (2 * i) : sticks;
        if (HAS(valid[sticks >> 5], sticks & 31))
            return 1;
    }
    return 0;
}

/* A solution beside the best so far: the same motion, or another. */
static inline void compare(const problem *f, const outcome *new, outcome *best, int *found,
                           int *several)
{
    const double size = size_with(f, new->x);
    double squared = 0.0;
    int better = !*found;
    *several = *several || new->continuum;
    EACH(r, R) squared += (new->xi[r] - best->xi[r]) * (new->xi[r] - best->xi[r]);
    if (*found && sqrt(squared) <= SAME * size) {
        const double rounding = 4.0 * R * EPSILON * size;
        better = new->violation < best->violation - rounding ||
                 (new->violation <= best->violation + rounding &&
                  new->norm < best->norm * (1.0 - SAME));
    } else if (*found) {
        *several = 1;
        better = new->norm < best->norm;
    }
    if (better)
        *best = *new;
    *found = 1;
}

/* 0, NONE or SEVERAL; the outcome of least impulse. *doubtful: some combination was. */
static inline int decide_modes(const problem *f, outcome *best, int *doubtful)
{
    enum { ALL = 1 << (2 * P) };
    uint valid[(ALL + 31) / 32];
    int statics = 0, found = 0, several = 0;
    outcome o;
    EACH(i, P) statics = statics || (HAS(f->rough, i) && f->mu_d[i] < f->mu_s[i]);
    *doubtful = 0;
    for (int k = 0; k < (ALL + 31) / 32; k++)
        valid[k] = 0;
    for (int pass = statics ? 0 : 1; pass < 2; pass++)
        _Pragma("unroll 1") for (int combination = 0; combination < ALL; combination++) {
            if (!is_tried(f, combination))
                continue;
            if (pass == 1 && statics &&
                (!HAS(valid[combination >> 5], combination & 31) ||
                 is_overruled(f, valid, combination)))
                continue;
            const int held = try_modes(f, combination, &o);
            *doubtful = *doubtful || o.doubtful;
            if (held && pass == 0)
                valid[combination >> 5] |= 1u << (combination & 31);
            else if (held)
                compare(f, &o, best, &found, &several);
        }
    return !found ? NONE : several ? SEVERAL : 0;
}
