/* The tree of boxes against looking at all pairs, while things move, come and grow. */
#include "bodies/boxes.h"
#include "family.h"

enum { THINGS = 200 };

typedef struct seen {
    bool is[THINGS];
    int count;
} seen;

static void see(void *self, int k)
{
    seen *s = self;
    s->count += !s->is[k];
    assert_false(s->is[k]);
    s->is[k] = true;
}

static carom_box random_box(check_random *r, bool flat)
{
    v3 lower = {check_random_in(r, -10, 10), check_random_in(r, -10, 10),
                flat ? 0 : check_random_in(r, -10, 10)};
    v3 side = {check_random_in(r, 0, 2), check_random_in(r, 0, 2),
               flat ? 0 : check_random_in(r, 0, 2)};
    return (carom_box){lower, v3_add(lower, side)};
}

/* Every box is kept inside its leaf, parents hold their children, heights differ by little. */
static int check_node(const carom_boxes *b, int k)
{
    if (k < b->count)
        return 1;
    const carom_boxes_node *n = &b->node[k];
    int leaves = 0;
    for (int side = 0; side < 2; side++) {
        const carom_boxes_node *c = &b->node[n->child[side]];
        assert_int_equal(c->parent, k);
        assert_true(n->box.lower.x <= c->box.lower.x && c->box.upper.x <= n->box.upper.x);
        assert_true(n->height > c->height);
        leaves += check_node(b, n->child[side]);
    }
    return leaves;
}

static void test_queries(void **state)
{
    (void)state;
    family f = family_start("a tree of boxes", 2, 60);
    while (family_next(&f)) {
        carom_arena *arena;
        carom_boxes boxes;
        carom_box box[THINGS];
        int in = 0;
        check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
        check_ok(carom_boxes_create(THINGS, arena, &boxes, NULL), NULL);
        for (int step = 0; step < 30; step++) {
            in = in + 20 < THINGS ? in + 20 : THINGS;
            for (int k = 0; k < in; k++) {
                bool far = step == 0 || k >= in - 20 || check_random_int(&f.random, 10) == 0;
                v3 d = {check_random_in(&f.random, -0.1, 0.1),
                        check_random_in(&f.random, -0.1, 0.1), 0};
                if (far)
                    box[k] = random_box(&f.random, f.member % 2);
                else
                    box[k] = (carom_box){v3_add(box[k].lower, d), v3_add(box[k].upper, d)};
                carom_boxes_move(&boxes, k, &box[k], 0.2);
            }
            assert_int_equal(check_node(&boxes, boxes.root), in);
            family_check(&f, boxes.node[boxes.root].height <= 20, "height %d of %d things",
                         boxes.node[boxes.root].height, in);
            for (int k = 0; k < in; k++) {
                seen s = {{false}, 0};
                carom_boxes_query(&boxes, &box[k], see, &s);
                for (int j = 0; j < in; j++)
                    family_check(&f, s.is[j] || !boxes_meet(&box[k], &box[j]),
                                 "%d and %d meet and were not seen", k, j);
            }
        }
        carom_arena_destroy(arena);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
