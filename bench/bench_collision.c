/* Time per manifold and per distance, for pairs of shapes near contact: a set of random poses, each
 * pair as deep or as far as a few percent of its size. */
#include "carom/collision.h"
#include "measure.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { POSES = 256, ROOM = 64 };

typedef struct task {
    carom_shape *a, *b;
    carom_pose pose_a[POSES], pose_b[POSES];
    bool manifold;
    double reach;
    long contacts;
} task;

static uint64_t seed = 88172645463325252u;

static double random_in(double low, double high)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static carom_pose random_pose(double far)
{
    carom_pose pose;
    double at[3], turn[4];
    for (int k = 0; k < 3; k++)
        at[k] = random_in(-far, far);
    for (int k = 0; k < 4; k++)
        turn[k] = random_in(-1, 1);
    carom_pose_set(&pose, at, turn);
    return pose;
}

/* Move b along the normal until the gap is the one wanted. */
static void bring_near(task *t, int k, double gap)
{
    for (int pass = 0; pass < 20; pass++) {
        carom_touch touch;
        carom_shape_distance(t->a, &t->pose_a[k], t->b, &t->pose_b[k], &touch);
        for (int i = 0; i < 3; i++)
            t->pose_b[k].position[i] += (gap - touch.gap) * touch.normal[i];
    }
}

static void fill_random(task *t, double low, double high)
{
    for (int k = 0; k < POSES; k++) {
        t->pose_a[k] = random_pose(1);
        t->pose_b[k] = random_pose(1);
        bring_near(t, k, random_in(low, high));
    }
}

/* b on top of a, turned about the vertical. */
static void fill_stack(task *t, double height, bool turned)
{
    for (int k = 0; k < POSES; k++) {
        double angle = turned ? random_in(0, 6.28) : 0, c = cos(angle), s = sin(angle);
        t->pose_a[k] = (carom_pose){{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        t->pose_b[k] = (carom_pose){{random_in(-0.2, 0.2), random_in(-0.2, 0.2), height - 1e-6},
                                    {c, s, 0, -s, c, 0, 0, 0, 1}};
    }
}

static void run_all(void *self)
{
    task *t = self;
    carom_touch touch[ROOM];
    t->contacts = 0;
    for (int k = 0; k < POSES; k++) {
        if (t->manifold) {
            t->contacts += carom_shape_manifold(t->a, &t->pose_a[k], t->b, &t->pose_b[k], t->reach,
                                                ROOM, touch);
        } else {
            carom_shape_distance(t->a, &t->pose_a[k], t->b, &t->pose_b[k], touch);
            t->contacts++;
        }
    }
}

static void report(const char *name, task *t)
{
    measure_result r = measure(run_all, t);
    printf("%-40s %8.3f us best, %8.3f us median, %5.2f contacts\n", name, 1e6 * r.best / POSES,
           1e6 * r.median / POSES, (double)t->contacts / POSES);
}

static void three_ways(const char *name, task *t)
{
    char text[100];
    t->manifold = true;
    fill_random(t, -0.02, 0);
    snprintf(text, sizeof text, "%s, overlapping, manifold", name);
    report(text, t);
    fill_random(t, 0, 0.02);
    snprintf(text, sizeof text, "%s, near, manifold", name);
    report(text, t);
    t->manifold = false;
    fill_random(t, 0, 1);
    snprintf(text, sizeof text, "%s, apart, distance", name);
    report(text, t);
}

static carom_shape *shape_of(carom_shape_kind kind, double a, double b, double c)
{
    carom_shape_def def = carom_shape_def_default(kind);
    carom_shape *shape = NULL;
    def.size[0] = a;
    def.size[1] = b;
    def.size[2] = c;
    carom_shape_create(&def, NULL, &shape, NULL);
    return shape;
}

static carom_shape *ball_hull(int count)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
    carom_shape *shape = NULL;
    double *points = malloc(3 * (size_t)count * sizeof *points);
    for (int k = 0; k < count; k++) {
        double x, y, z, n;
        do {
            x = random_in(-1, 1);
            y = random_in(-1, 1);
            z = random_in(-1, 1);
            n = sqrt(x * x + y * y + z * z);
        } while (n > 1 || n < 0.1);
        points[3 * k] = 0.5 * x / n;
        points[3 * k + 1] = 0.5 * y / n;
        points[3 * k + 2] = 0.5 * z / n;
    }
    def.points = points;
    def.point_count = count;
    carom_shape_create(&def, NULL, &shape, NULL);
    free(points);
    return shape;
}

int main(void)
{
    static task t;
    t.reach = 0.03;
    carom_shape *box = shape_of(CAROM_SHAPE_BOX, 1, 0.8, 0.6), *ball = shape_of(0, 0.5, 0, 0);
    carom_shape *capsule = shape_of(CAROM_SHAPE_CAPSULE, 1, 0.3, 0), *hull = ball_hull(30);
    carom_shape *cylinder = shape_of(CAROM_SHAPE_CYLINDER, 1, 0.4, 0), *large = ball_hull(300);
    t.a = t.b = box;
    t.manifold = true;
    fill_stack(&t, 0.6, false);
    report("box, box, stacked, manifold", &t);
    fill_stack(&t, 0.6, true);
    report("box, box, stacked and turned, manifold", &t);
    three_ways("box, box", &t);
    t.a = t.b = ball;
    three_ways("sphere, sphere", &t);
    t.b = box;
    three_ways("sphere, box", &t);
    t.a = capsule;
    three_ways("capsule, box", &t);
    t.b = capsule;
    three_ways("capsule, capsule", &t);
    t.a = t.b = hull;
    three_ways("hull of 30, hull of 30", &t);
    t.a = t.b = large;
    three_ways("hull of 300, hull of 300", &t);
    t.a = t.b = cylinder;
    three_ways("cylinder, cylinder", &t);
    t.b = box;
    three_ways("cylinder, box", &t);
    return 0;
}
