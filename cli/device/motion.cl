/* Motions of one system, one a work item: steps by power series, events on their polynomials,
 * impacts, rest and accumulation as src/flow/ has them (docs/theory/series.md). What the system is
 * stands before this text; ORDER, PARAMETERS, KEEP, FEW (loops over coefficients that are written out
 * where a system is small) and APART (functions that are not where it is large) before that. */
#define N COORDINATES
#define P (CONTACT_COUNT > 0 ? CONTACT_COUNT : 1)
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define AFTER(i, first, n) for (int i = (first) + 1; i < (n); i++)
#define HAS(set, i) ((set) >> (i) & 1)
#define ROUNDING 2.220446049250313e-16

/* Coefficients of a contact: restitution, then friction and what of a slip comes back. */
#define COEFFICIENTS (FRICTION ? 4 : 1)
#define MU_S(e, i) ((e)[P + (i)])
#define MU_D(e, i) ((e)[2 * P + (i)])
#define E_T(e, i) ((e)[3 * P + (i)])

/* What is kept of a motion. */
#define KEEP_FINAL 0
#define KEEP_IMPACTS 1
#define KEEP_CONTACT 2
#define KEEP_PERIOD 3
#define LEDGER (KEEP == KEEP_FINAL)

/* How a motion stands; the host has the same list. */
#define RUNNING 0
#define REACHED 1
#define BAD_FORCE 2
#define UNDERFLOW 3
#define NO_OUTCOME 4
#define DEPENDENT 5
#define ENOUGH 6
#define LOST 7
#define EVENT_LIMIT 8
#define PENETRATION 9
#define INCONSISTENT 10
#define ENDLESS 11

/* Patterns of 1, 2, 3, 4 impacts, and of 8 whatever the contacts are (src/flow/zeno.c). */
#define PATTERNS 5
#define ANY 8
#define MEMORY (2 * ANY + 1)

/* The numbers of a run that all cells share. */
typedef struct {
    double tolerance, event_tolerance, closed, rest, force_rest, accumulation, min_step, max_step;
    double horizon; /* longest time between points, 0: any */
    int accumulation_impacts, inelastic, section, steps, room;
    int coulomb; /* the law: friction in impacts too */
    long skip, limit, max_events; /* points left out, points at most, impacts at most; 0: any */
} settings;

/* A motion between two launches. */
typedef struct {
    double t, until, h, took, last; /* h: as long as the last step could be; it took some of it */
    double stretch;                 /* in which the next flight probably ends */
    double origin, period, next; /* of points at multiples of a period; next INFINITY: none */
    double q[N], u[N], peak[2 * N];
    double speed[P], largest[P]; /* what cancels in a contact's rate, and its gap: largest so far */
    double noise[P], tremor[P], shake[P]; /* rounding of gaps, of their motions and biases: largest so far */
    double tick;                          /* time over which motions of contacts change by their rounding */
    double energy_initial, energy_impacts, energy_forces, energy_final, penetration;
    double pace_time; /* when steps since the last event were counted last */
    long steps, impacts, accumulations, points, passed;
    long pace_steps, looks; /* steps then, and points looked at since: a flight has many */
    int closed, touching, rounds, status;
    int probing; /* flights are low: the rounding of gaps is looked at */
    uint dither;
    int fresh[2 * ((P + 1) / 2)]; /* gaps and rates that are zero where the step starts; even, so that no bytes lie between */
#if FRICTION
    int stuck, plus, minus; /* of the closed: who sticks, who slides which way */
    int broken, rested;     /* friction at rest gave way now; flights of these were left out now */
    int idle;               /* events since time has passed */
    double event_time, left; /* of the last event; of flights that were left out */
    double energy_friction;
    double slow[P], slack[P]; /* slips below are none; so are forces */
    double ratio[P];          /* of the impulses of a contact's last impact, along and across */
    double lead[2 * P];       /* forces of the last event: those that depend on others follow them */
    long impacts_then;
#endif
} cell;

/* The impacts of a motion that are remembered, and the progressions they may belong to. They are looked up
 * by number, which registers are not: apart from the rest, which so stays in them. */
typedef struct {
    double t[MEMORY], speed[MEMORY];
    double first[PATTERNS], first_speed[PATTERNS], ratio[PATTERNS];
    long run[PATTERNS];
    int contact[MEMORY + 1];
    int count, at; /* entries, and the latest */
} history;

typedef struct {
    cell now;
    history past;
} motion;

/* Mass, normals and rates at the present state. */
typedef struct {
    double L[N * N]; /* M = L L', on the diagonal its inverse, for divisions are what costs */
    double W[N * P], Y[N * P], D[P * P]; /* Y = M^-1 W, D = W'Y */
    double gamma[P], hat[P], bias[P], free[N], gap[P];
#if FRICTION
    double H[N * P], Z[N * P], slip[P], slip_hat[P], slip_bias[P]; /* Z = M^-1 H; slip velocities */
#endif
} state;

/* One number of a list without an index, so that lists stay in registers. */
static double pick(const double *list, int which)
{
    double value = list[0];
    EACH(i, CONTACT_COUNT) value = i == which ? list[i] : value;
    return value;
}

static double entry_of_mass(const double *p, const double *c, const series *v, int i, int j, int k)
{
#if MASS_IS_DIAGONAL
    return i == j ? model_mass(p, c, v, i, k) : 0.0;
#else
    return model_mass(p, c, v, i + j * N, k);
#endif
}

/* L L' = M at k = 0; false: not positive definite. The inverse on the diagonal. */
static bool factor(const double *p, const double *c, const series *v, double *L)
{
    bool good = true;
    EACH(j, N)
    {
        double d = entry_of_mass(p, c, v, j, j, 0);
        EACH(k, j) d -= L[j + k * N] * L[j + k * N];
        good = good && d > 0.0;
        L[j + j * N] = 1.0 / sqrt(d);
        for (int i = j + 1; i < N; i++) {
            double s = entry_of_mass(p, c, v, i, j, 0);
            EACH(k, j) s -= L[i + k * N] * L[j + k * N];
            L[i + j * N] = s * L[j + j * N];
        }
    }
    return good;
}

static void solve_mass(const double *L, double *x)
{
    EACH(i, N)
    {
        EACH(k, i) x[i] -= L[i + k * N] * x[k];
        x[i] *= L[i + i * N];
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int k = i + 1; k < N; k++)
            x[i] -= L[k + i * N] * x[k];
        x[i] *= L[i + i * N];
    }
}

/* A x = b for the contacts of a set, A symmetric and positive semidefinite; a pivot that is
 * rounding leaves its unknown at zero, and false says so. b becomes x, zero outside the set. */
static bool solve_contacts(const double *D, int set, double *b)
{
    double A[P * P], pivot[P];
    bool whole = true;
    EACH(j, P) EACH(i, P) A[i + j * P] = HAS(set, i) && HAS(set, j) ? D[i + j * P] : 0.0;
    EACH(k, P)
    {
        pivot[k] = A[k + k * P];
        const bool good = HAS(set, k) && pivot[k] > 64.0 * P * ROUNDING * D[k + k * P];
        whole = whole && (good || !HAS(set, k));
        if (!good) {
            pivot[k] = 0.0;
            continue;
        }
        for (int i = k + 1; i < P; i++) {
            const double f = A[i + k * P] / pivot[k];
            for (int j = k; j < P; j++)
                A[i + j * P] -= f * A[k + j * P];
            b[i] -= f * b[k];
        }
    }
    for (int k = P - 1; k >= 0; k--) {
        if (pivot[k] == 0.0) {
            b[k] = 0.0;
            continue;
        }
        for (int j = k + 1; j < P; j++)
            b[k] -= A[k + j * P] * b[j];
        b[k] /= pivot[k];
    }
    return whole;
}

/* 0 <= x complementary to D x + b >= 0 for the contacts of a set: principal pivoting, first all
 * that are wrong at once, then the first of them. scale: what cancels in each row. */
static bool solve_lcp(const double *D, const double *b, const double *scale, int set, double *x)
{
    int active = 0;
    EACH(i, P) active |= HAS(set, i) && b[i] < 0.0 ? 1 << i : 0;
    for (int round = 0; round < 2 << P; round++) {
        EACH(i, P) x[i] = -b[i];
        solve_contacts(D, active, x);
        int wrong = 0;
        EACH(i, P)
        {
            double w = b[i];
            EACH(j, P) w += D[i + j * P] * x[j];
            const double slack = 256.0 * ROUNDING * scale[i];
            const bool bad = HAS(active, i) ? x[i] * D[i + i * P] < -slack : w < -slack;
            wrong |= HAS(set, i) && bad ? 1 << i : 0;
        }
        if (!wrong) {
            EACH(i, P) x[i] = fmax(x[i], 0.0);
            return true;
        }
        active ^= round < 2 ? wrong : wrong & -wrong;
    }
    return false;
}

#if FRICTION
/* Number of a contact's slip. */
#define SLIP_OF(i) popcount(SLIPPING & ((1 << (i)) - 1))

static void find_slips(const cell *x, state *s)
{
    EACH(i, CONTACT_COUNT)
    {
        s->slip[i] = s->slip_hat[i];
        EACH(j, N) s->slip[i] += s->H[j + i * N] * x->u[j];
    }
}

/* Slips, as normals are; the sum of what must be numbers. */
static double look_at_slips(const cell *x, const double *p, const double *c, const series *v, state *s)
{
    double sum = 0.0;
    EACH(i, CONTACT_COUNT)
    {
        const bool slips = HAS(SLIPPING, i);
        s->slip_hat[i] = slips ? model_slip_motion(p, c, v, SLIP_OF(i), 0) : 0.0;
        s->slip_bias[i] = slips ? model_slip_bias(p, c, v, SLIP_OF(i), 0) : 0.0;
        EACH(j, N) s->H[j + i * N] = s->Z[j + i * N] = slips ? model_slip(p, c, v, j + SLIP_OF(i) * N, 0) : 0.0;
        solve_mass(s->L, s->Z + i * N);
        sum += s->slip_bias[i];
    }
    find_slips(x, s);
    EACH(i, CONTACT_COUNT) sum += s->slip[i];
    return sum;
}
#endif

/* Everything at the present state, without contact forces. */
static APART bool look(cell *x, const double *p, const double *c, series *v, state *s)
{
    EACH(i, N)
    {
        v[i][0] = x->q[i];
        v[N + i][0] = x->u[i];
    }
    v[2 * N][0] = x->t;
    model_series(p, c, 0, CONTACTS | ENERGY, v);
    if (!factor(p, c, v, s->L))
        return false;
    EACH(i, N) s->free[i] = model_force(p, c, v, i, 0);
    solve_mass(s->L, s->free);
    double sum = 0.0;
    EACH(i, CONTACT_COUNT)
    {
        s->hat[i] = model_rate(p, c, v, i, 0);
        s->bias[i] = model_bias(p, c, v, i, 0);
        s->gap[i] = model_gap(p, c, v, i, 0);
        s->gamma[i] = s->hat[i];
        EACH(j, N)
        {
            s->W[j + i * N] = s->Y[j + i * N] = model_normal(p, c, v, j + i * N, 0);
            s->gamma[i] += s->W[j + i * N] * x->u[j];
        }
        solve_mass(s->L, s->Y + i * N);
        sum += s->gamma[i] + s->bias[i] + s->gap[i];
    }
#if FRICTION
    sum += look_at_slips(x, p, c, v, s);
#endif
    EACH(i, CONTACT_COUNT) EACH(j, CONTACT_COUNT)
    {
        double d = 0.0;
        EACH(k, N) d += s->W[k + i * N] * s->Y[k + j * N];
        s->D[i + j * P] = d;
    }
    EACH(i, N) sum += s->free[i];
    return isfinite(sum);
}

static double kinetic(const cell *x, const double *p, const double *c, const series *v)
{
    double sum = 0.0;
    EACH(i, N) EACH(j, N) sum += entry_of_mass(p, c, v, i, j, 0) * x->u[i] * x->u[j];
    return 0.5 * sum;
}

static void find_rates(const cell *x, state *s)
{
    EACH(i, CONTACT_COUNT)
    {
        s->gamma[i] = s->hat[i];
        EACH(j, N) s->gamma[i] += s->W[j + i * N] * x->u[j];
    }
#if FRICTION
    find_slips(x, s);
#endif
}

/* What cancels in a contact's rate, and in its acceleration. */
static double size_of_rate(const cell *x, const state *s, int i)
{
    double sum = fabs(s->hat[i]);
    EACH(j, N) sum += fabs(s->W[j + i * N] * x->u[j]);
    return sum;
}

static double size_of_gain(const state *s, int i)
{
    double sum = fabs(s->bias[i]);
    EACH(j, N) sum += fabs(s->W[j + i * N] * s->free[j]);
    return sum;
}

/* The same of its slip, where it has one. */
static double size_of_slip(const cell *x, const state *s, int i, double time)
{
    double rate = 0.0, gain = 0.0;
#if FRICTION
    rate = fabs(s->slip_hat[i]);
    gain = fabs(s->slip_bias[i]);
    EACH(j, N)
    {
        rate += fabs(s->H[j + i * N] * x->u[j]);
        gain += fabs(s->H[j + i * N] * s->free[j]);
    }
#endif
    return fmax(rate, gain * time);
}

static double gain_of(const state *s, int i)
{
    double sum = s->bias[i];
    EACH(j, N) sum += s->W[j + i * N] * s->free[j];
    return sum;
}

/* Velocities (or positions) moved in the kinetic norm until rates (gaps) r of a set vanish, and once more
 * by what is left of them. */
static bool project(const state *s, int set, const double *r, double *y)
{
    double left[P], moved[N];
    bool whole = true;
    EACH(j, N) moved[j] = 0.0;
    EACH(pass, 2)
    {
        EACH(i, P)
        {
            left[i] = 0.0;
            if (i >= CONTACT_COUNT || !HAS(set, i))
                continue;
            left[i] = -r[i];
            EACH(j, N) left[i] -= s->W[j + i * N] * moved[j];
        }
        whole = solve_contacts(s->D, set, left) && whole;
        EACH(i, CONTACT_COUNT) EACH(j, N) moved[j] += s->Y[j + i * N] * left[i];
    }
    EACH(j, N) y[j] += moved[j];
    return whole;
}

/* Rounding of a gap, and what positions resolve of it (src/flow/event_rounding.c). hat: its motion. */
static double rounding_of(const cell *x, double hat, int i)
{
    double size = 0.0;
    EACH(j, N) size = fmax(size, fabs(x->q[j]));
    return fmax(64.0 * ROUNDING * size + 8.0 * ROUNDING * fabs(hat * x->t), 64.0 * x->noise[i]);
}

static double resolution(const cell *x, double hat, int i)
{
    return 8.0 * rounding_of(x, hat, i);
}

/* The present values of gap, motion and bias of a contact that are due to time. */
static APART double due_to_time(const double *p, const double *c, const series *v, int k)
{
    const int i = k % P;
    return k < P ? model_gap(p, c, v, i, 0) : k < 2 * P ? model_rate(p, c, v, i, 0) : model_bias(p, c, v, i, 0);
}

/* Their second differences over d: as high as the steps that the rounding of time makes while d is short, then
 * they rise with d^2 (src/flow/event_clock.c). here: the values themselves. */
static APART void differences(const cell *x, const double *p, const double *c, series *v, double d,
                              double *here, double *out)
{
    EACH(j, N)
    {
        v[j][0] = x->q[j];
        v[N + j][0] = x->u[j];
    }
    EACH(k, 3 * P) out[k] = 0.0;
    for (int side = -1; side <= 1; side++) {
        v[2 * N][0] = x->t + side * d;
        model_series(p, c, 0, CONTACTS, v);
        EACH(k, 3 * CONTACT_COUNT)
        {
            const double value = due_to_time(p, c, v, k);
            out[k] += side == 0 ? -2.0 * value : value;
            here[k] = side == 0 ? value : here[k];
        }
    }
}

/* The longest time over which all differences are rounding: the search goes up from the rounding of time and
 * ends where some have risen twice by 16, as those of smooth motions do (src/flow/event_clock.c). A table that
 * stands still tells none: a pulse may move it later. */
static APART void choose_tick(cell *x, const double *p, const double *c, series *v)
{
    double one[3 * P], four[3 * P], sixteen[3 * P], here[3 * P] = {0.0};
    const double t = fabs(x->t), top = ldexp(fmax(t, 1.0), -10);
    bool rise = false;
    double d = 4.0 * ROUNDING * fmax(t, ldexp(1.0, -20));
    differences(x, p, c, v, d, here, one);
    differences(x, p, c, v, 4.0 * d, here, four);
    bool moves = false;
    for (int k = P; k < 3 * P; k++)
        moves = moves || here[k] != 0.0;
    x->tick = INFINITY;
    for (; moves && d < top && !rise; d *= 4.0) {
        x->tick = d;
        differences(x, p, c, v, 16.0 * d, here, sixteen);
        EACH(k, 3 * P)
        {
            const double first = fabs(four[k]), second = fabs(sixteen[k]);
            rise = rise || (first > 8.0 * fabs(one[k]) && first < 32.0 * fabs(one[k]) &&
                            second > 8.0 * first && second < 32.0 * first);
            one[k] = four[k];
            four[k] = sixteen[k];
        }
    }
}

/* Rounding of time as contacts show it. */
static APART void hear_clock(cell *x, const double *p, const double *c, series *v)
{
    double far[3 * P], here[3 * P];
    if (ROWS_ARE_CONSTANT || !isfinite(x->tick))
        return;
    differences(x, p, c, v, x->tick, here, far);
    EACH(i, CONTACT_COUNT)
    {
        x->noise[i] = fmax(x->noise[i], fabs(far[i]));
        x->tremor[i] = fmax(x->tremor[i], fabs(far[P + i]));
        x->shake[i] = fmax(x->shake[i], fabs(far[2 * P + i]));
    }
}

/* How far a gap is off its tangent at a point so near that curvature cannot show is the rounding of its
 * formula. There, first, with the gaps of the point; then here, after a look. */
typedef struct {
    double moved[N], gap[P];
} probe;

static APART void move_a_little(cell *x, const double *p, const double *c, series *v, probe *there)
{
    double most = 0.0;
    EACH(j, N) most = fmax(most, x->peak[j]);
    EACH(j, N)
    { /* any numbers between 16 and 64 roundings */
        x->dither = x->dither * 1664525u + 1013904223u;
        const double size = 16.0 + 48.0 * ((double)(x->dither >> 8) / (1 << 24));
        v[j][0] = x->q[j] + (x->dither & 128 ? size : -size) * ROUNDING * most;
        v[N + j][0] = x->u[j];
        there->moved[j] = v[j][0] - x->q[j];
    }
    v[2 * N][0] = x->t;
    model_series(p, c, 0, 0, v);
    EACH(i, CONTACT_COUNT) there->gap[i] = model_gap(p, c, v, i, 0);
}

static APART void hear(cell *x, const state *s, const probe *there)
{
    EACH(i, CONTACT_COUNT)
    {
        double tangent = 0.0;
        EACH(j, N) tangent += s->W[j + i * N] * there->moved[j];
        x->noise[i] = ROWS_ARE_CONSTANT
                          ? 0.0
                          : fmax(x->noise[i], fabs(there->gap[i] - s->gap[i] - tangent));
    }
}
