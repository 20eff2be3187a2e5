/* Loop constraints: points that stay together along axes of link a, axes of a and b that stay
 * orthogonal.
 *
 *   f = e.(x_b - x_a), e fixed in a:     f' = e.(v_b - v_a) at x_b,
 *                                        f'' = e.(a_b - a_a - 2 w_a x (v_b - v_a)) at x_b
 *   f = e.d, d fixed in b:               f' = (d x e).(w_b - w_a)
 *   f = e.(x_b - x_a) - k angle,         k the way of a screw per radian about e, its axis:
 *                                        angle = atan2(s, c), c = e_0.d, s = e_1.d for the first
 *                                        axis d of b, so that angle' = m.(w_b - w_a) with
 *                                        m = (c (d x e_1) - s (d x e_0)) / (c^2 + s^2)
 */
#include "bodies/loop.h"

static frame frame_on(const carom_forest_work *w, int link, const frame *on)
{
    if (link < 0)
        return *on;
    return (frame){frame_point(&w->place[link], on->p), m3_times(w->place[link].R, on->R)};
}

static v3 axis_of(const frame *f, int k)
{
    return k == 0 ? f->R.x : k == 1 ? f->R.y : f->R.z;
}

/* The way along the third axis per radian about it. */
static double way_of(const carom_loop *loop)
{
    return loop->lead / (2 * CAROM_PI);
}

/* How far the way is from what the angle asks for: the angle is known up to whole turns, of which
 * the nearest counts. */
static double follow(const carom_loop *loop, const frame *a, const frame *b)
{
    double k = way_of(loop), d = v3_dot(a->R.z, v3_sub(b->p, a->p));
    double angle = atan2(v3_dot(a->R.y, b->R.x), v3_dot(a->R.x, b->R.x));
    return k == 0 ? d : -k * remainder(angle - d / k, 2 * CAROM_PI);
}

/* The vector m of the angle, and its rate when the links turn with wa and wb. */
static v3 angle_gradient(const frame *a, const frame *b, v3 wa, v3 wb, v3 *rate)
{
    const v3 e[2] = {a->R.x, a->R.y}, d = b->R.x, turn = v3_sub(wb, wa);
    v3 n[2], dn[2];
    double x[2], dx[2]; /* c and s */
    for (int k = 0; k < 2; k++) {
        n[k] = v3_cross(d, e[k]);
        dn[k] = v3_add(v3_cross(v3_cross(wb, d), e[k]), v3_cross(d, v3_cross(wa, e[k])));
        x[k] = v3_dot(e[k], d);
        dx[k] = v3_dot(n[k], turn);
    }
    const double size = x[0] * x[0] + x[1] * x[1], dsize = 2 * (x[0] * dx[0] + x[1] * dx[1]);
    const v3 N = v3_along(v3_scale(x[0], n[1]), -x[1], n[0]);
    v3 dN = v3_along(v3_scale(dx[0], n[1]), -dx[1], n[0]);
    dN = v3_along(v3_along(dN, x[0], dn[1]), -x[1], dn[0]);
    *rate = v3_along(v3_scale(1 / size, dN), -dsize / (size * size), N);
    return v3_scale(1 / size, N);
}

void carom_loop_values(const carom_forest *forest, const carom_forest_work *work,
                       const carom_loop *loop, double *f)
{
    (void)forest;
    frame a = frame_on(work, loop->a, &loop->on_a), b = frame_on(work, loop->b, &loop->on_b);
    v3 d = v3_sub(b.p, a.p);
    for (int k = 0; k < loop->holds->shifts; k++)
        f[k] = v3_dot(axis_of(&a, loop->holds->shift[k]), d);
    for (int k = 0; k < loop->holds->turns; k++)
        f[loop->holds->shifts + k] =
            v3_dot(axis_of(&a, loop->holds->turn[k][0]), axis_of(&b, loop->holds->turn[k][1]));
    if (loop->holds->follows)
        f[loop->holds->shifts + loop->holds->turns] = follow(loop, &a, &b);
}

void carom_loop_gradients(const carom_forest *forest, const carom_forest_work *work,
                          const carom_loop *loop, double *rows)
{
    frame a = frame_on(work, loop->a, &loop->on_a), b = frame_on(work, loop->b, &loop->on_b);
    size_t n = (size_t)forest->n;
    for (int k = 0; k < loop->holds->shifts; k++, rows += n) {
        v3 e = axis_of(&a, loop->holds->shift[k]);
        carom_forest_row_point(forest, work, loop->b, b.p, e, 1, rows);
        carom_forest_row_point(forest, work, loop->a, b.p, e, -1, rows);
    }
    for (int k = 0; k < loop->holds->turns; k++, rows += n) {
        v3 m = v3_cross(axis_of(&b, loop->holds->turn[k][1]), axis_of(&a, loop->holds->turn[k][0]));
        carom_forest_row_turn(forest, work, loop->b, m, 1, rows);
        carom_forest_row_turn(forest, work, loop->a, m, -1, rows);
    }
    if (loop->holds->follows) {
        const v3 still = {0, 0, 0};
        v3 unused, m = angle_gradient(&a, &b, still, still, &unused);
        const double k = way_of(loop);
        carom_forest_row_point(forest, work, loop->b, b.p, a.R.z, 1, rows);
        carom_forest_row_point(forest, work, loop->a, b.p, a.R.z, -1, rows);
        carom_forest_row_turn(forest, work, loop->b, m, -k, rows);
        carom_forest_row_turn(forest, work, loop->a, m, k, rows);
    }
}

static motion velocity_of(const carom_forest_work *w, int link)
{
    return link < 0 ? (motion){{0, 0, 0}, {0, 0, 0}} : w->V[link];
}

static motion bias_of(const carom_forest_work *w, int link)
{
    return link < 0 ? (motion){{0, 0, 0}, {0, 0, 0}} : w->A[link];
}

void carom_loop_rates(const carom_forest *forest, const carom_forest_work *work,
                      const carom_loop *loop, double *rate, double *bias)
{
    frame a = frame_on(work, loop->a, &loop->on_a), b = frame_on(work, loop->b, &loop->on_b);
    v3 wa = velocity_of(work, loop->a).w, wb = velocity_of(work, loop->b).w;
    v3 v = v3_sub(carom_forest_velocity_at(forest, work, loop->b, b.p),
                  carom_forest_velocity_at(forest, work, loop->a, b.p));
    v3 acceleration = v3_sub(carom_forest_bias_at(forest, work, loop->b, b.p),
                             carom_forest_bias_at(forest, work, loop->a, b.p));
    acceleration = v3_along(acceleration, -2, v3_cross(wa, v));
    for (int k = 0; k < loop->holds->shifts; k++) {
        v3 e = axis_of(&a, loop->holds->shift[k]);
        rate[k] = v3_dot(e, v);
        bias[k] = v3_dot(e, acceleration);
    }
    v3 turn = v3_sub(wb, wa), spin = v3_sub(bias_of(work, loop->b).w, bias_of(work, loop->a).w);
    for (int k = 0; k < loop->holds->turns; k++) {
        v3 e = axis_of(&a, loop->holds->turn[k][0]), d = axis_of(&b, loop->holds->turn[k][1]);
        v3 m = v3_cross(d, e);
        v3 dm = v3_add(v3_cross(v3_cross(wb, d), e), v3_cross(d, v3_cross(wa, e)));
        rate[loop->holds->shifts + k] = v3_dot(m, turn);
        bias[loop->holds->shifts + k] = v3_dot(m, spin) + v3_dot(dm, turn);
    }
    if (loop->holds->follows) {
        const int at = loop->holds->shifts + loop->holds->turns;
        const double way = way_of(loop);
        v3 dm, m = angle_gradient(&a, &b, wa, wb, &dm);
        rate[at] = v3_dot(a.R.z, v) - way * v3_dot(m, turn);
        bias[at] = v3_dot(a.R.z, acceleration) - way * (v3_dot(m, spin) + v3_dot(dm, turn));
    }
}
