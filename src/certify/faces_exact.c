/* The tree of faces.c with exact signs: sets with positive minors are grown, a set of determinant
 * zero is grown by one row more (docs/theory/copositivity.md, "At the boundary"). */
#include "certify/faces_exact.h"

#include "certify/exact.h"

#include <stdint.h>
#include <string.h>

typedef struct tree {
    int k;
    const long long *integers;
    uint64_t *negative;
    int *set;
    double *y, *x;
    double limit;
    const carom_watch *watch;
    carom_faces_exact *answer;
} tree;

static bool nonnegative(int count, const double *y)
{
    for (int i = 0; i < count; i++)
        if (y[i] < 0)
            return false;
    return true;
}

static void keep(tree *t, int count)
{
    memset(t->x, 0, sizeof(double) * t->k);
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = t->y[i] > largest ? t->y[i] : largest;
    for (int i = 0; i < count; i++)
        t->x[t->set[i]] = t->y[i] / largest;
}

/* Judge set[0 ... count-1]. Returns the sign of its determinant, or 2 to end the search. */
static int judge(tree *t, int count)
{
    carom_faces_exact *answer = t->answer;
    answer->nodes++;
    int sign;
    if (answer->nodes > t->limit ||
        (t->watch && ((long long)answer->nodes & 1023) == 0 &&
         !t->watch->go_on(t->watch->self, "copositivity, exactly", 0)) ||
        !carom_exact_sign(t->k, t->integers, count, t->set, &sign)) {
        answer->decided = false;
        return 2;
    }
    if (sign > 0)
        return 1;
    int again;
    bool solved = carom_exact_solve(t->k, t->integers, count, t->set, &again, t->y);
    if (sign < 0 && !solved) {
        answer->decided = false;
        return 2;
    }
    if (sign < 0 && nonnegative(count, t->y)) {
        keep(t, count);
        answer->copositive = answer->strictly = false;
        return 2;
    }
    if (sign == 0 && solved && answer->strictly && nonnegative(count, t->y)) {
        keep(t, count);
        answer->strictly = false;
    }
    return sign;
}

/* As in faces.c; `last`: the set is singular, only one row more is tried. */
static bool extend(tree *t, int count, uint64_t seen, uint64_t extension, bool last)
{
    while (extension) {
        int j = __builtin_ctzll(extension);
        extension &= extension - 1;
        t->set[count] = j;
        int sign = judge(t, count + 1);
        if (sign == 2)
            return false;
        if (last || sign < 0 || count + 1 == t->k)
            continue;
        uint64_t fresh = t->negative[j] & ~seen;
        if (!extend(t, count + 1, seen | t->negative[j], extension | fresh, sign == 0))
            return false;
    }
    return true;
}

carom_status carom_faces_exact_search(int k, const double *A, double limit,
                                      const carom_watch *watch, carom_arena *arena, double *x,
                                      carom_faces_exact *answer, carom_error *error)
{
    carom_mark mark = carom_arena_mark(arena);
    tree t = {.k = k, .limit = limit, .watch = watch, .answer = answer, .x = x};
    *answer = (carom_faces_exact){.decided = true, .copositive = true, .strictly = true};
    t.integers = carom_exact_integers(k, A, arena);
    t.negative = carom_arena_zeros(arena, k, sizeof(uint64_t));
    t.set = carom_arena_array(arena, k, sizeof(int));
    t.y = carom_arena_doubles(arena, k);
    if (!t.negative || !t.set || !t.y)
        return carom_error_memory(error);
    if (!t.integers)
        answer->decided = false;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            if (j != i && A[j + (size_t)i * k] < 0)
                t.negative[i] |= (uint64_t)1 << j;
    for (int root = 0; root < k && answer->decided; root++) {
        uint64_t earlier = ((uint64_t)2 << root) - 1;
        t.set[0] = root;
        if (judge(&t, 1) == 2 ||
            !extend(&t, 1, earlier | t.negative[root], t.negative[root] & ~earlier, false))
            break;
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
