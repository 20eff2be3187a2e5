/* A surface that shows a shape known by its support function: its farthest points along directions
 * in rings about z, and at the poles. */
#include "bodies/shape.h"

enum { ROUND = CAROM_SHAPE_SURFACE_ROUND, RINGS = CAROM_SHAPE_SURFACE_RINGS };

static void put_point(const carom_shape *shape, double down, double around, double to[3])
{
    const v3 d = {sin(down) * cos(around), sin(down) * sin(around), cos(down)};
    v3_to(v3_along(shape->ops->support(shape, d), shape->radius, d), to);
}

/* Point k of ring i; rings 0 and RINGS + 1 are the poles. */
static int point_at(int i, int k)
{
    return i == 0 ? 0 : i > RINGS ? ROUND * RINGS + 1 : 1 + ROUND * (i - 1) + k % ROUND;
}

bool carom_shape_get_surface(const carom_shape *shape, carom_shape_surface *s)
{
    const double pi = acos(-1);
    int count = 0;
    if (shape->core != CAROM_CORE_CONVEX)
        return false;
    for (int i = 0; i <= RINGS + 1; i++)
        for (int k = 0; k < ROUND; k++)
            put_point(shape, pi * i / (RINGS + 1), 2 * pi * k / ROUND, s->points[point_at(i, k)]);
    for (int i = 0; i <= RINGS; i++)
        for (int k = 0; k < ROUND; k++) {
            const int a = point_at(i, k), b = point_at(i + 1, k), c = point_at(i + 1, k + 1),
                      d = point_at(i, k + 1);
            const int two[2][3] = {{a, b, c}, {a, c, d}};
            for (int t = i == RINGS; t < (i == 0 ? 1 : 2); t++, count++)
                for (int j = 0; j < 3; j++)
                    s->triangles[count][j] = two[t][j];
        }
    return true;
}
