/* Steps of motions with friction: contact forces as series, by rows that are held and columns that carry the
 * friction of what slides, and the ends of sliding and sticking on them (docs/theory/series.md, "Friction"). */

/* What a step is made of. */
typedef struct {
    double force[P][TERMS], friction[P][TERMS]; /* of closed contacts */
    double weak[P], load[P];                    /* forces below this are zero; what forces are compared with */
    double off[TERMS], size[TERMS];             /* what is left of accelerations that should vanish, and of what */
} held;

/* Rounding of forces is handed on to contacts that hold less (hand_on of src/flow/event_rounding.c). */
static void find_weak(const cell *x, const settings *o, const state *s, held *f)
{
    EACH(i, CONTACT_COUNT)
    {
        f->load[i] = size_of_gain(s, i) / s->D[i + i * P];
        f->weak[i] = fmax(fmax(o->force_rest * f->load[i], 4.0 * x->shake[i] / s->D[i + i * P]), x->slack[i]);
    }
    EACH(round, CONTACT_COUNT) EACH(i, CONTACT_COUNT) EACH(j, CONTACT_COUNT)
    {
        const double weak = f->weak[j] * fabs(s->D[i + j * P]) / s->D[i + i * P];
        const bool both = i != j && HAS(x->closed, i) && HAS(x->closed, j);
        f->weak[i] = both && weak > 2.0 * f->weak[i] ? weak : f->weak[i];
        f->load[i] = both ? fmax(f->load[i], f->load[j] * fabs(s->D[i + j * P]) / s->D[i + i * P]) : f->load[i];
    }
}

/* Coefficient k of entry a of row r. */
static double row_series(const double *p, const double *c, const series *v, int r, int a, int k)
{
    const int i = r >> 1;
    return r & 1 ? model_slip(p, c, v, a + SLIP_OF(i) * N, k) : model_normal(p, c, v, a + i * N, k);
}

/* What forces of lower order do through the coefficients of their rows. */
static void push_lower(const double *p, const double *c, const series *v, const held *f, int closed, int k,
                       double *rhs)
{
#if !ROWS_DO_NOT_TURN
    for (int j = 1; j <= k; j++)
        EACH(i, CONTACT_COUNT) if (HAS(closed, i)) EACH(a, N)
        {
            rhs[a] += row_series(p, c, v, 2 * i, a, j) * f->force[i][k - j];
            if (HAS(SLIPPING, i))
                rhs[a] += row_series(p, c, v, 2 * i + 1, a, j) * f->friction[i][k - j];
        }
#endif
}

/* Forces of order k, so that the rows that are held keep their accelerations zero; a, which these are added to,
 * tells what is left of them, and that is taken out once more. */
static APART void hold(const cell *x, const double *p, const double *c, const series *v, const state *s,
                       const holding *h, const double *slope, held *f, int k, double *a)
{
    double bias[R], force[R];
    f->size[k] = 0.0;
    EACH(r, R)
    {
        force[r] = bias[r] = 0.0;
        if (!HAS(h->set, r))
            continue;
        bias[r] = r & 1 ? -model_slip_bias(p, c, v, SLIP_OF(r >> 1), k) : -model_bias(p, c, v, r >> 1, k);
#if !ROWS_DO_NOT_TURN
        for (int j = 1; j <= k; j++)
            EACH(m, N) bias[r] -= row_series(p, c, v, r, m, j) * (double)(k - j + 1) * v[N + m][k - j + 1];
#endif
    }
    EACH(pass, popcount(h->set) > 1 ? 3 : 2)
    {
        double b[R], by[R];
        f->off[k] = 0.0;
        EACH(r, R)
        {
            double terms = fabs(bias[r]);
            b[r] = bias[r];
            EACH(m, N)
            {
                b[r] -= HAS(h->set, r) ? row_entry(s, r, m) * a[m] : 0.0;
                terms += HAS(h->set, r) ? fabs(row_entry(s, r, m) * a[m]) : 0.0;
            }
            f->size[k] = fmax(f->size[k], terms / h->norm[r]);
            f->off[k] = fmax(f->off[k], fabs(b[r]) / h->norm[r]);
        }
        EACH(r, R)
        {
            by[r] = 0.0;
            EACH(q, R) by[r] += h->G[r + q * R] * b[q];
        }
        if (pass == 0 && k == 0 && h->rank < R) { /* the least change from the forces of the last event */
            EACH(r, R) EACH(q, R) b[r] -= HAS(h->set, r) ? h->A[r + q * R] * x->lead[q] : 0.0;
            EACH(r, R)
            {
                by[r] = HAS(h->set, r) ? x->lead[r] : 0.0;
                EACH(q, R) by[r] += h->G[r + q * R] * b[q];
            }
        }
        EACH(r, R)
        {
            force[r] += by[r];
            EACH(m, N) a[m] += h->Y[m + r * N] * by[r];
        }
    }
    EACH(i, CONTACT_COUNT)
    {
        f->force[i][k] = force[2 * i];
        f->friction[i][k] = HAS(x->stuck, i) ? force[2 * i + 1] : -slope[i] * force[2 * i];
    }
}

/* Are rows that depend on each other held over the step? */
static bool holds_over(const cell *x, const held *f, double h)
{
    double size = 0.0, off = 0.0, power = 1.0;
    EACH(k, x->closed ? ORDER : 0)
    {
        off += times(f->off[k], power);
        size = fmax(size, times(f->size[k], power));
        power *= h;
    }
    return off <= SAME * size;
}

/* Mass and rows where a step starts; *h: how rows are held. */
static int begin(const cell *x, const double *p, const double *c, const series *v, const double *slope, state *s,
                 held *f, holding *h, const settings *o)
{
    if (!factor(p, c, v, s->L))
        return BAD_FORCE;
    h->set = 0;
    if (!x->closed)
        return RUNNING;
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
    look_at_slips(x, p, c, v, s);
    find_weak(x, o, s, f);
    return hold_rows(s, rows_in_force(x->closed, x->stuck), slope, h) ? RUNNING : DEPENDENT;
}

/* Slip velocities along a step. */
static void slip_series(const double *p, const double *c, const series *v, int i, double *slip)
{
    EACH(k, TERMS)
    {
        slip[k] = model_slip_motion(p, c, v, SLIP_OF(i), k);
        for (int j = 0; j <= k; j++)
            EACH(m, N) slip[k] += row_series(p, c, v, 2 * i + 1, m, j) * v[N + m][k - j];
    }
}

/* Work of friction from the start of a step. */
static void friction_work_of(const cell *x, const held *f, const series *slip, double *work)
{
    work[0] = 0.0;
    EACH(k, ORDER)
    {
        double rate = 0.0;
        EACH(i, CONTACT_COUNT)
        if (HAS(x->plus | x->minus, i))
            rate += product(f->friction[i], slip[i], k);
        work[k + 1] = rate * (1.0 / (double)(k + 1));
    }
}

/* The first end of a slide, or of a contact that sticks; *which: its contact. */
static APART double end_of_modes(const cell *x, const held *f, const double *e, const series *slip, double h,
                                 double first, int *which)
{
    EACH(i, CONTACT_COUNT) EACH(side, 2)
    {
        const bool slides = HAS(x->plus | x->minus, i);
        const double sign = side ? -1.0 : 1.0, way = HAS(x->plus, i) ? 1.0 : -1.0, mu = MU_S(e, i);
        double a[TERMS], power = 1.0;
        if (slides ? side : !HAS(x->stuck, i) || isinf(mu))
            continue;
        EACH(k, TERMS)
        {
            a[k] = slides ? way * slip[i][k] : mu * f->force[i][k] + sign * f->friction[i][k];
            a[k] = times(a[k], power);
            power *= h;
        }
        a[0] += slides ? x->slow[i] : f->weak[i];
        const double at = first_root(a) * h;
        if (at < first) {
            first = at;
            *which = i;
        }
    }
    return first;
}
