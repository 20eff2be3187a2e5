/* Impacts with friction of planar contacts, from the statement to the outcome and its verdicts. */

/* Velocities of the rows in a frame that moves with a set of them, the others at rest in the frame of
 * least kinetic norm: G y = hat on the set, G y on the others. 0: there is no such frame. */
static int follow(const rows *w, int set, double *moving)
{
    double G[R * R], whole[R * R], y[R], found[R], scale[R], size = 0.0;
    int order[R], rank;
    for (int r = 0; r < R; r++)
        for (int c = 0; c < R; c++) {
            whole[r + c * R] = 0.0;
            for (int a = 0; a < N; a++)
                whole[r + c * R] += w->J[a + r * N] * w->Y[a + c * N];
        }
    for (int r = 0; r < R; r++)
        scale[r] = whole[r + r * R] > 0.0 ? sqrt(whole[r + r * R]) : 1.0;
    for (int r = 0; r < R; r++) {
        for (int c = 0; c < R; c++)
            G[r + c * R] = HAS(set, r) && HAS(set, c) ? whole[r + c * R] / (scale[r] * scale[c]) : 0.0;
        y[r] = HAS(set, r) ? w->hat[r] / scale[r] : 0.0;
        size = fmax(size, fabs(y[r]));
    }
    rank = eliminate_whole(G, y, order);
    for (int r = rank; r < R; r++)
        if (fabs(y[r]) > SAME * size)
            return 0;
    substitute(G, rank, y);
    for (int r = 0; r < R; r++)
        found[order[r]] = r < rank ? y[r] / scale[order[r]] : 0.0;
    for (int r = 0; r < R; r++) {
        moving[r] = HAS(set, r) ? w->hat[r] : 0.0;
        for (int c = 0; c < R && !HAS(set, r); c++)
            moving[r] += whole[r + c * R] * found[c];
    }
    return 1;
}

/* The frame of all that moves, where there is one; else that of the normals. 0: there is none. */
static inline int find_frame(const rows *w, double *moving)
{
    int normals = 0;
    EACH(i, P) normals |= 1 << (2 * i);
    EACH(r, R) moving[r] = 0.0;
#if HAS_MOTION || HAS_SLIP_MOTION
    return follow(w, (1 << R) - 1, moving) || follow(w, normals, moving);
#else
    return 1;
#endif
}

/* Kinematic, kinetic and energetic verdicts (docs/theory/impact.md); moving: of the frame. */
static inline int judge_outcome(const rows *w, const problem *f, const double *impulse,
                                const double *after, const double *terms, const double *moving,
                                double *rest)
{
    double seen = 0.0, gross = 0.0;
    int kinematic = 1, kinetic = 1;
    *rest = 0.0;
    EACH(i, P) {
        const double forgiven = VERDICT * (terms[2 * i] + w->terms[2 * i]);
        const double allowed = forgiven / (f->scale[2 * i] * f->scale[2 * i]);
        const double mu = f->mu_s[i] * f->scale[2 * i] / f->scale[2 * i + 1];
        const double tangent = fabs(impulse[2 * i + 1]);
        kinematic = kinematic && after[2 * i] >= -forgiven;
        kinetic = kinetic && impulse[2 * i] >= -allowed &&
                  (isinf(mu) || tangent == 0.0 ||
                   mu * impulse[2 * i] - tangent >= -VERDICT * tangent - (1.0 + mu) * allowed);
    }
    EACH(r, R) {
        const double from = w->before[r] - w->hat[r], to = after[r] - w->hat[r];
        seen += 0.5 * impulse[r] * (from + to + 2.0 * moving[r]);
        *rest += 0.5 * impulse[r] * (from + to);
        gross += 0.5 * fabs(impulse[r]) * (fabs(from + moving[r]) + fabs(to + moving[r]));
    }
    return kinematic | kinetic << 1 | (seen <= VERDICT * gross ? 4 : 0);
}

/* Rows and coefficients of impact k; 0: it is no impact. */
static inline int read(const long k, const long stride, IN velocity, IN normals, IN motion,
                       IN restitution, IN slips, IN slip_motion, IN friction, IN own, rows *w,
                       problem *f)
{
    int good = 1;
    f->rough = 0;
    f->taking = (1 << P) - 1;
    EACH(a, N) {
        w->u[a] = GET(velocity, SAME_VELOCITY, a);
        good = good && isfinite(w->u[a]);
    }
    EACH(i, P) {
        const int n = 2 * i, t = n + 1, j = SLIP_NUMBER(i);
        double length = 0.0;
        EACH(a, N) {
            w->J[a + n * N] = GET(normals, SAME_NORMALS, a + i * N);
            w->J[a + t * N] = HAS(SLIPPING, i) ? GET(slips, SAME_SLIPS, a + j * N) : 0.0;
            length = fmax(length, fabs(w->J[a + n * N]));
            good = good && isfinite(w->J[a + n * N]) && isfinite(w->J[a + t * N]);
        }
        w->hat[n] = HAS_MOTION ? GET(motion, SAME_MOTION, i) : 0.0;
        w->hat[t] = HAS_SLIP_MOTION && HAS(SLIPPING, i) ? GET(slip_motion, SAME_SLIP_MOTION, j) : 0.0;
        w->e[n] = GET(restitution, SAME_RESTITUTION, i);
        w->e[t] = HAS_OWN ? own[P + i] : 0.0;
        f->mu_s[i] = HAS_FRICTION ? GET(friction, SAME_FRICTION, i) : 0.0;
        f->mu_d[i] = HAS_OWN && own[i] >= 0.0 ? own[i] : f->mu_s[i];
        good = good && length > 0.0 && isfinite(w->hat[n]) && isfinite(w->hat[t]) &&
               isfinite(w->e[n]) && isfinite(w->e[t]) &&
               (ANY_RESTITUTION || (w->e[n] >= 0.0 && w->e[n] <= 1.0 && fabs(w->e[t]) <= 1.0)) &&
               f->mu_s[i] >= 0.0 && f->mu_d[i] <= f->mu_s[i];
        f->rough |= (HAS(SLIPPING, i) && f->mu_s[i] > 0.0) << i;
    }
    return good;
}

/* u'Mu */
static inline double energy_of(IN mass, long k, long stride, const double *u)
{
    double energy = 0.0;
#if MASS_IS_DIAGONAL
    EACH(a, N) energy += GET(mass, SAME_MASS, a) * u[a] * u[a];
#else
    EACH(b, N) EACH(a, N) energy += GET(mass, SAME_MASS, a + b * N) * u[a] * u[b];
#endif
    return energy;
}

static inline void decide_impact(const long k, ARGUMENTS)
{
    rows w;
    problem f;
    outcome o;
    double after[R], terms[R], impulse[R], moving[R], u[N], rest = 0.0;
    int good = read(k, stride, velocity, normals, motion, restitution, slips, slip_motion, friction,
                    own, &w, &f);
    good = good && accelerate(mass, k, stride, w.J, w.Y);
    good = good && find_frame(&w, moving);
    look_along_rows(&w, w.u, w.before, w.terms);
    EACH(r, R) o.x[r] = o.xi[r] = 0.0;
    o.norm = o.violation = 0.0;
    int end = INVALID, doubtful = 0;
    if (good)
        scale_rows(&w, energy_of(mass, k, stride, w.u), &f);
#if SHARP
    doubled Y[N * R];
    double M[N * (MASS_IS_DIAGONAL ? 1 : N)];
    EACH(a, N * (MASS_IS_DIAGONAL ? 1 : N)) M[a] = GET(mass, SAME_MASS, a);
    good = good && sharpen_rows(&w, M, &f, Y);
#endif
    if (good)
        end = decide_modes(&f, &o, &doubtful);
    if (doubtful || (end == NONE && !SHARP)) /* none is rare: it is looked at again */
        end = SHARP ? FAILED : NEARLY;
    const int known = end == 0 || end == SEVERAL;
    EACH(a, N) u[a] = w.u[a];
#if SHARP
    if (known)
        push_sharp(&w, &f, Y, o.x2, u);
#else
    if (known) {
        push_rows(&w, &f, o.x, u);
        refine_rows(&w, &f, &o, u);
    }
#endif
    look_along_rows(&w, u, after, terms);
    EACH(r, R) impulse[r] = known ? o.x[r] / f.scale[r] : 0.0;
    const int said = known ? judge_outcome(&w, &f, impulse, after, terms, moving, &rest) : 0;
    EACH(i, P) {
        const int j = SLIP_NUMBER(i);
        if (WANT_NORMAL)
            out_normal[i * stride + k] = known ? after[2 * i] : NAN;
        if (WANT_IMPULSE)
            out_impulse[i * stride + k] = known ? impulse[2 * i] : NAN;
        if (WANT_SLIP && HAS(SLIPPING, i))
            out_slip[j * stride + k] = known ? after[2 * i + 1] : NAN;
        if (WANT_TANGENTIAL && HAS(SLIPPING, i))
            out_tangential[j * stride + k] = known ? impulse[2 * i + 1] : NAN;
    }
    if (WANT_VELOCITY)
        EACH(a, N) out_velocity[a * stride + k] = known ? u[a] : NAN;
    if (WANT_ENERGY)
        out_energy[k] = known ? rest : NAN;
    answer[k] = (uchar)end;
    if (WANT_VERDICT)
        verdict[k] = (uchar)said;
}

__kernel void impacts(ARGUMENTS)
{
    for (long k = get_global_id(0); k < count; k += get_global_size(0))
        if (!SHARP || answer[k] == NEARLY)
            decide_impact(k, count, stride, mass, velocity, normals, motion, restitution, slips,
                          slip_motion, friction, own, out_velocity, out_normal, out_impulse,
                          out_energy, out_slip, out_tangential, answer, verdict);
}
