/* Loop constraints: points that stay together along axes of link a, axes of a and b that stay
 * orthogonal.
 *
 *   f = e.(x_b - x_a), e fixed in a:     f' = e.(v_b - v_a) at x_b,
 *                                        f'' = e.(a_b - a_a - 2 w_a x (v_b - v_a)) at x_b
 *   f = e.d, d fixed in b:               f' = (d x e).(w_b - w_a)
 *   f = e.(x_b - x_a) - k angle, a screw of the way k per radian about e, the third axis
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
    return loop->lead / (2 * acos(-1));
}

/* How far the way is from what the angle asks for: the angle is known up to whole turns, of which
 * the nearest counts. */
static double follow(const carom_loop *loop, const frame *a, const frame *b)
{
    double k = way_of(loop), d = v3_dot(a->R.z, v3_sub(b->p, a->p));
    double angle = atan2(v3_dot(a->R.y, b->R.x), v3_dot(a->R.x, b->R.x));
    return k == 0 ? d : -k * remainder(angle - d / k, 2 * acos(-1));
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
        const double k = way_of(loop);
        carom_forest_row_point(forest, work, loop->b, b.p, a.R.z, 1, rows);
        carom_forest_row_point(forest, work, loop->a, b.p, a.R.z, -1, rows);
        carom_forest_row_turn(forest, work, loop->b, a.R.z, -k, rows);
        carom_forest_row_turn(forest, work, loop->a, a.R.z, k, rows);
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
        rate[at] = v3_dot(a.R.z, v3_along(v, -way, turn));
        bias[at] = v3_dot(a.R.z, v3_along(acceleration, -way, spin)) -
                   way * v3_dot(v3_cross(wa, a.R.z), turn);
    }
}
