/* A dynamic tree of boxes: a leaf goes where it enlarges the surface of the tree least, and
 * rotations keep the tree balanced. */
#include "bodies/boxes.h"

enum { NOT_IN = -2 };

static carom_box joined(const carom_box *a, const carom_box *b)
{
    return (carom_box){
        {fmin(a->lower.x, b->lower.x), fmin(a->lower.y, b->lower.y), fmin(a->lower.z, b->lower.z)},
        {fmax(a->upper.x, b->upper.x), fmax(a->upper.y, b->upper.y), fmax(a->upper.z, b->upper.z)}};
}

static double surface(const carom_box *b)
{
    v3 d = v3_sub(b->upper, b->lower);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static bool holds(const carom_box *outer, const carom_box *inner)
{
    return outer->lower.x <= inner->lower.x && outer->lower.y <= inner->lower.y &&
           outer->lower.z <= inner->lower.z && inner->upper.x <= outer->upper.x &&
           inner->upper.y <= outer->upper.y && inner->upper.z <= outer->upper.z;
}

carom_status carom_boxes_create(int count, carom_arena *arena, carom_boxes *b, carom_error *error)
{
    size_t nodes = 2 * (size_t)count + 1;
    b->count = count;
    b->root = -1;
    b->node = carom_arena_array(arena, nodes, sizeof *b->node);
    b->stack = carom_arena_array(arena, nodes, sizeof *b->stack);
    if (!b->node || !b->stack)
        return carom_error_memory(error);
    for (int k = 0; k < count; k++)
        b->node[k] = (carom_boxes_node){.parent = NOT_IN, .child = {-1, -1}};
    b->free = count;
    for (int k = count; k < (int)nodes; k++)
        b->node[k] = (carom_boxes_node){.parent = k + 1 < (int)nodes ? k + 1 : -1};
    return CAROM_OK;
}

static bool is_leaf(const carom_boxes *b, int k)
{
    return k < b->count;
}

/* Box and height of a node from its children. */
static void refit(carom_boxes *b, int k)
{
    carom_boxes_node *n = &b->node[k];
    const carom_boxes_node *one = &b->node[n->child[0]], *two = &b->node[n->child[1]];
    n->box = joined(&one->box, &two->box);
    n->height = 1 + (one->height > two->height ? one->height : two->height);
}

static void replace_child(carom_boxes *b, int parent, int old, int new)
{
    if (parent < 0)
        b->root = new;
    else
        b->node[parent].child[b->node[parent].child[1] == old] = new;
    b->node[new].parent = parent;
}

/* If one child of k is taller than the other by more than one, its taller child changes places with
 * the other. Returns the node that now stands in the place of k. */
static int balance(carom_boxes *b, int k)
{
    carom_boxes_node *n = &b->node[k];
    int difference = b->node[n->child[1]].height - b->node[n->child[0]].height;
    if (difference >= -1 && difference <= 1)
        return k;
    int side = difference > 1, up = n->child[side];
    carom_boxes_node *u = &b->node[up];
    int tall = b->node[u->child[1]].height > b->node[u->child[0]].height, low = u->child[!tall];
    replace_child(b, n->parent, k, up);
    u->child[!tall] = k;
    n->parent = up;
    n->child[side] = low;
    b->node[low].parent = k;
    refit(b, k);
    refit(b, up);
    return up;
}

static void refit_upwards(carom_boxes *b, int k)
{
    while (k >= 0) {
        k = balance(b, k);
        refit(b, k);
        k = b->node[k].parent;
    }
}

/* The node beside which a leaf with this box costs least surface: down from the root as long as a
 * child is cheaper than staying. */
static int best_sibling(const carom_boxes *b, const carom_box *box)
{
    int k = b->root;
    while (!is_leaf(b, k)) {
        const carom_boxes_node *n = &b->node[k];
        carom_box all = joined(&n->box, box);
        double stay = 2 * surface(&all), inherited = 2 * (surface(&all) - surface(&n->box)),
               cost[2];
        for (int side = 0; side < 2; side++) {
            const carom_boxes_node *c = &b->node[n->child[side]];
            carom_box with = joined(&c->box, box);
            cost[side] =
                surface(&with) + inherited - (is_leaf(b, n->child[side]) ? 0 : surface(&c->box));
        }
        if (stay < cost[0] && stay < cost[1])
            return k;
        k = n->child[cost[1] < cost[0]];
    }
    return k;
}

static void insert(carom_boxes *b, int leaf)
{
    if (b->root < 0) {
        b->root = leaf;
        b->node[leaf].parent = -1;
        return;
    }
    int sibling = best_sibling(b, &b->node[leaf].box), parent = b->node[sibling].parent;
    int made = b->free;
    b->free = b->node[made].parent;
    b->node[made] = (carom_boxes_node){.parent = parent, .child = {sibling, leaf}};
    replace_child(b, parent, sibling, made);
    b->node[sibling].parent = b->node[leaf].parent = made;
    refit_upwards(b, made);
}

static void take_out(carom_boxes *b, int leaf)
{
    int parent = b->node[leaf].parent;
    if (parent < 0) {
        b->root = -1;
        return;
    }
    int sibling = b->node[parent].child[b->node[parent].child[0] == leaf],
        above = b->node[parent].parent;
    replace_child(b, above, parent, sibling);
    b->node[parent].parent = b->free;
    b->free = parent;
    refit_upwards(b, above);
}

void carom_boxes_move(carom_boxes *b, int k, const carom_box *box, double margin)
{
    v3 by = {margin, margin, margin};
    if (b->node[k].parent != NOT_IN) {
        if (holds(&b->node[k].box, box))
            return;
        take_out(b, k);
    }
    b->node[k].box = (carom_box){v3_sub(box->lower, by), v3_add(box->upper, by)};
    b->node[k].height = 0;
    insert(b, k);
}

void carom_boxes_query(const carom_boxes *b, const carom_box *box, carom_boxes_visit visit,
                       void *self)
{
    int depth = 0;
    if (b->root >= 0)
        b->stack[depth++] = b->root;
    while (depth) {
        int k = b->stack[--depth];
        const carom_boxes_node *n = &b->node[k];
        if (!boxes_meet(&n->box, box))
            continue;
        if (is_leaf(b, k)) {
            visit(self, k);
        } else {
            b->stack[depth++] = n->child[0];
            b->stack[depth++] = n->child[1];
        }
    }
}
