/* Loop constraints: points that stay together along axes of link a, axes of a and b that stay
 * orthogonal.
 *
 *   f = e.(x_b - x_a), e fixed in a:     f' = e.(v_b - v_a) at x_b,
 *                                        f'' = e.(a_b - a_a - 2 w_a x (v_b - v_a)) at x_b
 *   f = e.d, d fixed in b:               f' = (d x e).(w_b - w_a)
 */
#include "bodies/loop.h"

void carom_loop_choose(carom_loop *loop, carom_joint_kind kind, int space)
{
    /* For each kind: directions held together, pairs of axes held orthogonal. */
    static const struct {
        int shifts, shift[3], turns, turn[3][2];
    } in_space[] =
        {
            [CAROM_JOINT_FIXED] = {3, {0, 1, 2}, 3, {{0, 1}, {1, 2}, {2, 0}}},
            [CAROM_JOINT_REVOLUTE] = {3, {0, 1, 2}, 2, {{2, 0}, {2, 1}}},
            [CAROM_JOINT_PRISMATIC] = {2, {0, 1}, 3, {{0, 1}, {1, 2}, {2, 0}}},
            [CAROM_JOINT_BALL] = {3, {0, 1, 2}, 0, {{0}}},
            [CAROM_JOINT_UNIVERSAL] = {3, {0, 1, 2}, 1, {{2, 0}}},
            [CAROM_JOINT_PLANAR] = {1, {2}, 2, {{2, 0}, {2, 1}}},
        },
      in_plane[] = {
          [CAROM_JOINT_FIXED] = {2, {0, 1}, 1, {{0, 1}}},
          [CAROM_JOINT_REVOLUTE] = {2, {0, 1}, 0, {{0}}},
          [CAROM_JOINT_PRISMATIC] = {1, {1}, 1, {{0, 1}}},
          [CAROM_JOINT_BALL] = {0},
          [CAROM_JOINT_UNIVERSAL] = {0},
          [CAROM_JOINT_PLANAR] = {0},
      };
    loop->shift_count = space == 2 ? in_plane[kind].shifts : in_space[kind].shifts;
    loop->turn_count = space == 2 ? in_plane[kind].turns : in_space[kind].turns;
    for (int k = 0; k < 3; k++) {
        loop->shift[k] = space == 2 ? in_plane[kind].shift[k] : in_space[kind].shift[k];
        for (int j = 0; j < 2; j++)
            loop->turn[k][j] = space == 2 ? in_plane[kind].turn[k][j] : in_space[kind].turn[k][j];
    }
}

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

void carom_loop_values(const carom_forest *forest, const carom_forest_work *work,
                       const carom_loop *loop, double *f)
{
    (void)forest;
    frame a = frame_on(work, loop->a, &loop->on_a), b = frame_on(work, loop->b, &loop->on_b);
    v3 d = v3_sub(b.p, a.p);
    for (int k = 0; k < loop->shift_count; k++)
        f[k] = v3_dot(axis_of(&a, loop->shift[k]), d);
    for (int k = 0; k < loop->turn_count; k++)
        f[loop->shift_count + k] =
            v3_dot(axis_of(&a, loop->turn[k][0]), axis_of(&b, loop->turn[k][1]));
}

void carom_loop_gradients(const carom_forest *forest, const carom_forest_work *work,
                          const carom_loop *loop, double *rows)
{
    frame a = frame_on(work, loop->a, &loop->on_a), b = frame_on(work, loop->b, &loop->on_b);
    size_t n = (size_t)forest->n;
    for (int k = 0; k < loop->shift_count; k++, rows += n) {
        v3 e = axis_of(&a, loop->shift[k]);
        carom_forest_row_point(forest, work, loop->b, b.p, e, 1, rows);
        carom_forest_row_point(forest, work, loop->a, b.p, e, -1, rows);
    }
    for (int k = 0; k < loop->turn_count; k++, rows += n) {
        v3 m = v3_cross(axis_of(&b, loop->turn[k][1]), axis_of(&a, loop->turn[k][0]));
        carom_forest_row_turn(forest, work, loop->b, m, 1, rows);
        carom_forest_row_turn(forest, work, loop->a, m, -1, rows);
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
    for (int k = 0; k < loop->shift_count; k++) {
        v3 e = axis_of(&a, loop->shift[k]);
        rate[k] = v3_dot(e, v);
        bias[k] = v3_dot(e, acceleration);
    }
    v3 turn = v3_sub(wb, wa), spin = v3_sub(bias_of(work, loop->b).w, bias_of(work, loop->a).w);
    for (int k = 0; k < loop->turn_count; k++) {
        v3 e = axis_of(&a, loop->turn[k][0]), d = axis_of(&b, loop->turn[k][1]);
        v3 m = v3_cross(d, e);
        v3 dm = v3_add(v3_cross(v3_cross(wb, d), e), v3_cross(d, v3_cross(wa, e)));
        rate[loop->shift_count + k] = v3_dot(m, turn);
        bias[loop->shift_count + k] = v3_dot(m, spin) + v3_dot(dm, turn);
    }
}
