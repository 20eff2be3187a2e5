/* A static tree of boxes over the triangles of a mesh: halved at the median of the longest side. */
#include "bodies/mesh.h"

#include <string.h>

typedef struct builder {
    const carom_mesh *mesh;
    carom_mesh_node *nodes;
    int count;
    int *order; /* triangles, put in place by the builder */
} builder;

static v3 least(v3 a, v3 b)
{
    return (v3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static v3 largest(v3 a, v3 b)
{
    return (v3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

static void add_triangle(const carom_mesh *mesh, int triangle, carom_mesh_node *box)
{
    for (int k = 0; k < 3; k++) {
        v3 corner = mesh->vertex[mesh->triangle[triangle].v[k]];
        box->lower = least(box->lower, corner);
        box->upper = largest(box->upper, corner);
    }
}

/* Three times the middle of a triangle along an axis; ties broken by the number, so that the order
 * is strict. */
static bool before(const builder *b, int axis, int one, int other)
{
    const int *v = b->mesh->triangle[one].v, *w = b->mesh->triangle[other].v;
    double x = 0, y = 0;
    for (int k = 0; k < 3; k++) {
        x += v3_at(b->mesh->vertex[v[k]], axis);
        y += v3_at(b->mesh->vertex[w[k]], axis);
    }
    return x != y ? x < y : one < other;
}

/* Put the element that belongs at `middle` there, smaller ones before it (Hoare's selection). */
static void select_middle(builder *b, int axis, int from, int to, int middle)
{
    int *order = b->order;
    for (to--; from < to;) {
        int pivot = order[(from + to) / 2], i = from, j = to;
        while (i <= j) {
            while (before(b, axis, order[i], pivot))
                i++;
            while (before(b, axis, pivot, order[j]))
                j--;
            if (i <= j) {
                int keep = order[i];
                order[i++] = order[j];
                order[j--] = keep;
            }
        }
        if (middle <= j)
            to = j;
        else if (middle >= i)
            from = i;
        else
            return;
    }
}

/* The node of the triangles order[from ... to - 1]; depth is the logarithm of their number. */
static int build_node(builder *b, int from, int to)
{
    int made = b->count++;
    carom_mesh_node *node = &b->nodes[made];
    const v3 none = {INFINITY, INFINITY, INFINITY};
    *node = (carom_mesh_node){none, v3_neg(none), {0, 0}};
    for (int k = from; k < to; k++)
        add_triangle(b->mesh, b->order[k], node);
    if (to - from == 1) {
        node->child[0] = ~b->order[from];
        return made;
    }
    v3 side = v3_sub(node->upper, node->lower);
    int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
    int middle = from + (to - from) / 2;
    select_middle(b, axis, from, to, middle);
    int left = build_node(b, from, middle), right = build_node(b, middle, to);
    node->child[0] = left;
    node->child[1] = right;
    return made;
}

carom_status carom_mesh_tree(carom_mesh *mesh, carom_arena *arena, carom_error *error)
{
    builder b = {.mesh = mesh};
    b.nodes = carom_arena_array(arena, 2 * (size_t)mesh->triangle_count, sizeof *b.nodes);
    b.order = carom_arena_array(arena, (size_t)mesh->triangle_count, sizeof *b.order);
    if (!b.nodes || !b.order)
        return carom_error_memory(error);
    for (int k = 0; k < mesh->triangle_count; k++)
        b.order[k] = k;
    if (mesh->triangle_count)
        build_node(&b, 0, mesh->triangle_count);
    mesh->node = b.nodes;
    mesh->node_count = b.count;
    return CAROM_OK;
}

static bool meets(const carom_mesh_node *node, v3 lower, v3 upper)
{
    return node->lower.x <= upper.x && lower.x <= node->upper.x && node->lower.y <= upper.y &&
           lower.y <= node->upper.y && node->lower.z <= upper.z && lower.z <= node->upper.z;
}

void carom_mesh_query(const carom_mesh *mesh, v3 lower, v3 upper, carom_mesh_visit visit,
                      void *self)
{
    int stack[64], depth = 0; /* halving: at most one entry for each bit of an int */
    if (mesh->node_count)
        stack[depth++] = 0;
    while (depth) {
        const carom_mesh_node *node = &mesh->node[stack[--depth]];
        if (!meets(node, lower, upper))
            continue;
        if (node->child[0] < 0) {
            visit(self, ~node->child[0]);
        } else {
            stack[depth++] = node->child[1];
            stack[depth++] = node->child[0];
        }
    }
}

/* The square of the distance between a node's box and another. */
static double away2(const carom_mesh_node *node, v3 lower, v3 upper)
{
    v3 d = {larger(0, larger(node->lower.x - upper.x, lower.x - node->upper.x)),
            larger(0, larger(node->lower.y - upper.y, lower.y - node->upper.y)),
            larger(0, larger(node->lower.z - upper.z, lower.z - node->upper.z))};
    return v3_norm2(d);
}

void carom_mesh_approach(const carom_mesh *mesh, v3 lower, v3 upper, const double *best,
                         carom_mesh_visit visit, void *self)
{
    int stack[64], depth = 0;
    if (mesh->node_count)
        stack[depth++] = 0;
    while (depth) {
        const carom_mesh_node *node = &mesh->node[stack[--depth]];
        double d2 = away2(node, lower, upper);
        if (*best <= 0 ? d2 > 0 : d2 > *best * *best)
            continue;
        if (node->child[0] < 0) {
            visit(self, ~node->child[0]);
            continue;
        }
        /* The nearer child last, so that it is looked at first. */
        bool first = away2(&mesh->node[node->child[0]], lower, upper) <
                     away2(&mesh->node[node->child[1]], lower, upper);
        stack[depth++] = node->child[first];
        stack[depth++] = node->child[!first];
    }
}
