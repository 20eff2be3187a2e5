/* A step between its ends: what series at its start cannot know (docs/theory/series.md). */

static double evaluate(const double *a, double s)
{
    double y = a[ORDER];
    FEW
    for (int k = ORDER - 1; k >= 0; k--)
        y = y * s + a[k];
    return y;
}

#if HIDES
/* What drives a motion, as series: forces, motions of gaps and, of closed contacts, of slips. */
#define DRIVES (N + P + (FRICTION ? P : 0))

static double drive_of(const cell *x, const double *p, const double *c, const series *v, int i, int k)
{
#if FRICTION
    const int slip = i - N - P;
    if (slip >= 0)
        return HAS(SLIPPING & x->closed, slip) ? model_slip_motion(p, c, v, SLIP_OF(slip), k) : 0.0;
#endif
    return i < N ? model_force(p, c, v, i, k) : i - N < CONTACT_COUNT ? model_gap(p, c, v, i - N, k) : 0.0;
}

/* What a drive must be small against: off by this over h it would move all there is, and change its velocity. */
static double size_of_drive(const cell *x, const double *p, const double *c, const series *v, int i, double h)
{
    double size_q = 0.0, size_u = 0.0, size = 0.0;
    EACH(m, N)
    {
        size_q = fmax(size_q, fmax(x->peak[m], fabs(x->u[m]) * h));
        size_u = fmax(size_u, x->peak[N + m]);
    }
    if (i >= N)
        return i < N + P ? fmax(x->largest[i - N], 1e-3 * size_q) : size_u;
    EACH(m, N)
    {
        const double far = fmax(fmax(x->peak[m], fabs(x->u[m]) * h), 1e-3 * size_q) / h;
        size += fabs(entry_of_mass(p, c, v, i, m, 0)) * fmin(far, fmax(x->peak[N + m], 1e-3 * size_u));
    }
    return size / h;
}

/* Do the formulas between say what the series say? A pulse that is far away has none of its own. The rows of
 * v keep their first coefficients of the last point; coordinates and velocities get theirs back. */
static APART bool follows(const cell *x, const double *p, const double *c, series *v, const series *drive, double h)
{
    const int looks = 16;
    const double enough = 2e-11;
    bool good = true;
    for (int look = 0; look < looks && good; look++) {
        const double s = h * ((double)look + 0.5) / (double)looks;
        double now[2 * N];
        EACH(i, 2 * N) now[i] = evaluate(v[i], s);
        EACH(i, 2 * N) v[i][0] = now[i];
        v[2 * N][0] = x->t + s;
        model_series(p, c, 0, x->closed ? CONTACTS : 0, v);
        EACH(i, DRIVES)
        {
            const double off = fabs(drive_of(x, p, c, v, i, 0) - evaluate(drive[i], s));
            const double size = fmax(fabs(drive[i][0]), size_of_drive(x, p, c, v, i, h));
            good = good && !(off > enough * size);
        }
        EACH(i, N)
        {
            v[i][0] = x->q[i];
            v[N + i][0] = x->u[i];
        }
        v[2 * N][0] = x->t;
    }
    return good;
}

/* A step that is half as long until it does. */
static double follow_formulas(const cell *x, const double *p, const double *c, series *v, double h)
{
    series drive[DRIVES];
    EACH(i, DRIVES)
    {
        FEW
        EACH(k, ORDER) drive[i][k] = drive_of(x, p, c, v, i, k);
        drive[i][ORDER] = 0.0;
    }
    for (int round = 0; round < 1100 && !follows(x, p, c, v, drive, h); round++)
        h *= 0.5;
    return h;
}
#endif
