/* The convex hull as triangles (Barber, Dobkin and Huhdanpaa's order of points, exact signs).
 *
 * Every facet keeps the points that are outside of it. The farthest point of a facet sees a region
 * of facets, which is replaced by a fan over the region's horizon. With exact signs, and points in
 * the plane of a facet counted as not seeing it, the region is a disc, no new triangle is
 * degenerate, and nothing has to be merged or repaired on the way. */
#include "bodies/hull.h"
#include "bodies/orient.h"

#include <string.h>

typedef struct builder {
    const v3 *points;
    int *next; /* lists of outside points */
    carom_hull_facet *facets;
    int count, room;
    int *region; /* the facets that the present point sees */
    int region_count;
    int *fan; /* the new facets */
    int fan_count;
    int *from; /* the new facet whose base starts at a vertex */
    carom_arena *arena;
} builder;

static int side_of(const builder *b, const carom_hull_facet *f, int point)
{
    return carom_orient(b->points[f->v[0]], b->points[f->v[1]], b->points[f->v[2]],
                        b->points[point]);
}

/* How far a point is above a facet, up to a factor common to the facet: only to choose. */
static double height_of(const builder *b, const carom_hull_facet *f, int point)
{
    v3 a = b->points[f->v[0]];
    v3 n = v3_cross(v3_sub(b->points[f->v[1]], a), v3_sub(b->points[f->v[2]], a));
    return v3_dot(n, v3_sub(b->points[point], a));
}

/* Four points that span the space as well as can be had: extremes along x, then farthest from the
 * line, then from the plane. False when all lie in one plane. */
static bool choose_start(const builder *b, int count, int start[4])
{
    double best;
    start[0] = start[1] = 0;
    for (int k = 1; k < count; k++)
        start[0] = b->points[k].x < b->points[start[0]].x ? k : start[0];
    best = 0;
    for (int k = 0; k < count; k++) {
        double d = v3_norm2(v3_sub(b->points[k], b->points[start[0]]));
        start[1] = d > best ? k : start[1];
        best = fmax(best, d);
    }
    v3 along = v3_sub(b->points[start[1]], b->points[start[0]]);
    best = -1;
    for (int k = 0; k < count; k++) {
        double d = v3_norm2(v3_cross(along, v3_sub(b->points[k], b->points[start[0]])));
        start[2] = d > best ? k : start[2];
        best = fmax(best, d);
    }
    const carom_hull_facet base = {.v = {start[0], start[1], start[2]}};
    best = -1;
    for (int k = 0; k < count; k++) {
        double d = fabs(height_of(b, &base, k));
        start[3] = d > best ? k : start[3];
        best = fmax(best, d);
    }
    return side_of(b, &base, start[3]) != 0;
}

/* Room for `more` facets. */
static carom_status reserve(builder *b, int more, carom_error *error)
{
    if (b->count + more <= b->room)
        return CAROM_OK;
    int room = 2 * (b->count + more);
    carom_hull_facet *facets = carom_arena_array(b->arena, (size_t)room, sizeof *facets);
    int *region = carom_arena_array(b->arena, (size_t)room, sizeof *region);
    int *fan = carom_arena_array(b->arena, (size_t)room, sizeof *fan);
    if (!facets || !region || !fan)
        return carom_error_memory(error);
    if (b->count) {
        memcpy(facets, b->facets, (size_t)b->count * sizeof *facets);
        memcpy(region, b->region, (size_t)b->region_count * sizeof *region);
    }
    b->facets = facets;
    b->region = region;
    b->fan = fan;
    b->room = room;
    return CAROM_OK;
}

static int add_facet(builder *b, int v0, int v1, int v2)
{
    b->facets[b->count] = (carom_hull_facet){{v0, v1, v2}, {-1, -1, -1}, -1, false};
    return b->count++;
}

/* Put a point to the first of the facets that it sees; otherwise it is inside the hull. */
static void sort_in(builder *b, int point, int facet_count, const int *facets)
{
    for (int k = 0; k < facet_count; k++) {
        carom_hull_facet *f = &b->facets[facets[k]];
        if (side_of(b, f, point) > 0) {
            b->next[point] = f->first;
            f->first = point;
            return;
        }
    }
}

/* The tetrahedron of the start, outward, with all points sorted in. */
static void begin(builder *b, int count, const int s[4])
{
    bool above =
        carom_orient(b->points[s[0]], b->points[s[1]], b->points[s[2]], b->points[s[3]]) > 0;
    const int v[4] = {s[0], above ? s[2] : s[1], above ? s[1] : s[2], s[3]};
    static const int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    static const int all[4] = {0, 1, 2, 3};
    for (int f = 0; f < 4; f++) {
        int made = add_facet(b, v[face[f][0]], v[face[f][1]], v[face[f][2]]);
        memcpy(b->facets[made].beside, beside[f], sizeof beside[f]);
    }
    for (int k = 0; k < count; k++)
        sort_in(b, k, 4, all);
}

/* The facets that the point sees, from one of them on, marked as gone. Returns how many edges the
 * region has on its horizon. */
static int find_region(builder *b, int facet, int point)
{
    int horizon = 0;
    b->region[0] = facet;
    b->region_count = 1;
    b->facets[facet].gone = true;
    for (int k = 0; k < b->region_count; k++)
        for (int side = 0; side < 3; side++) {
            int other = b->facets[b->region[k]].beside[side];
            if (b->facets[other].gone)
                continue;
            if (side_of(b, &b->facets[other], point) > 0) {
                b->facets[other].gone = true;
                b->region[b->region_count++] = other;
            } else {
                horizon++;
            }
        }
    return horizon;
}

/* New facets from the horizon to the point, linked to what is outside and to each other. */
static void make_fan(builder *b, int point)
{
    b->fan_count = 0;
    for (int k = 0; k < b->region_count; k++)
        for (int side = 0; side < 3; side++) {
            const carom_hull_facet *f = &b->facets[b->region[k]];
            int outer = f->beside[side], from = f->v[side], to = f->v[(side + 1) % 3];
            if (b->facets[outer].gone)
                continue;
            int made = add_facet(b, from, to, point);
            b->facets[made].beside[0] = outer;
            for (int j = 0; j < 3; j++)
                if (b->facets[outer].v[j] == to && b->facets[outer].v[(j + 1) % 3] == from)
                    b->facets[outer].beside[j] = made;
            b->from[from] = made;
            b->fan[b->fan_count++] = made;
        }
    for (int k = 0; k < b->fan_count; k++) {
        carom_hull_facet *f = &b->facets[b->fan[k]];
        f->beside[1] = b->from[f->v[1]];
        b->facets[f->beside[1]].beside[2] = b->fan[k];
    }
}

/* Take the farthest point of a facet into the hull. */
static carom_status take_farthest(builder *b, int facet, carom_error *error)
{
    int best = b->facets[facet].first;
    double top = -INFINITY;
    for (int k = best; k >= 0; k = b->next[k]) {
        double here = height_of(b, &b->facets[facet], k);
        best = here > top ? k : best;
        top = fmax(top, here);
    }
    carom_status status = reserve(b, find_region(b, facet, best), error);
    if (status)
        return status;
    make_fan(b, best);
    for (int k = 0; k < b->region_count; k++) {
        carom_hull_facet *f = &b->facets[b->region[k]];
        for (int point = f->first, next; point >= 0; point = next) {
            next = b->next[point];
            if (point != best)
                sort_in(b, point, b->fan_count, b->fan);
        }
        f->first = -1;
    }
    return CAROM_OK;
}

carom_status carom_hull_triangles(int count, const v3 *points, carom_arena *arena,
                                  carom_hull_facet **facets, int *facet_count, bool *flat,
                                  carom_error *error)
{
    builder b = {.points = points, .arena = arena};
    int start[4] = {0};
    b.next = carom_arena_array(arena, (size_t)count, sizeof *b.next);
    b.from = carom_arena_array(arena, (size_t)count, sizeof *b.from);
    carom_status status = b.next && b.from ? reserve(&b, 64, error) : carom_error_memory(error);
    if (status)
        return status;
    *flat = count < 4 || !choose_start(&b, count, start);
    if (*flat)
        return CAROM_OK;
    begin(&b, count, start);
    for (int f = 0; f < b.count && !status; f++)
        if (!b.facets[f].gone && b.facets[f].first >= 0)
            status = take_farthest(&b, f, error);
    *facets = b.facets;
    *facet_count = b.count;
    return status;
}
