/* P-matrices and copositivity of small matrices of whole numbers against exact determinants. */
#include "carom/certify.h"
#include "family.h"

enum { N = 6 };

CHECK_ARENA(arena);

/* det A[set, set] with row `drop_row` and column `drop_column` left out (-1: none), by expansion.
 */
static long long minor_of(int n, const int *A, int count, const int *rows, const int *columns)
{
    if (count == 0)
        return 1;
    long long sum = 0;
    int rest[N];
    for (int c = 0; c < count; c++) {
        for (int k = 0, at = 0; k < count; k++)
            if (k != c)
                rest[at++] = columns[k];
        long long a = A[rows[0] + columns[c] * n];
        if (a)
            sum += (c % 2 ? -a : a) * minor_of(n, A, count - 1, rows + 1, rest);
    }
    return sum;
}

static int subset(unsigned mask, int n, int *set)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (mask >> i & 1)
            set[count++] = i;
    return count;
}

/* Smallest principal minor: -1 negative, 0, 1. */
static int least_minor(int n, const int *A)
{
    int least = 1;
    for (unsigned mask = 1; mask < 1u << n; mask++) {
        int set[N], count = subset(mask, n, set);
        long long d = minor_of(n, A, count, set, set);
        least = d < 0 ? -1 : d == 0 && least > 0 ? 0 : least;
    }
    return least;
}

/* Hadeler: with all smaller principal blocks copositive, A is not copositive iff det A < 0 and its
 * adjoint is >= 0; not strictly, with all smaller ones strictly so, iff det A = 0 and adj A > 0. */
static void copositivity(int n, const int *A, bool *copositive, bool *strictly)
{
    *copositive = *strictly = true;
    for (int size = 1; size <= n && *copositive; size++)
        for (unsigned mask = 1; mask < 1u << n; mask++) {
            int set[N], count = subset(mask, n, set);
            if (count != size)
                continue;
            long long d = minor_of(n, A, count, set, set);
            bool adjoint = d <= 0, positive = d == 0;
            for (int i = 0; i < count && adjoint; i++)
                for (int j = 0; j < count && adjoint; j++) {
                    int rows[N], columns[N];
                    for (int k = 0, a = 0, b = 0; k < count; k++) {
                        if (k != i)
                            rows[a++] = set[k];
                        if (k != j)
                            columns[b++] = set[k];
                    }
                    long long c = minor_of(n, A, count - 1, rows, columns);
                    c = (i + j) % 2 ? -c : c;
                    adjoint = c >= 0;
                    positive = positive && c > 0;
                }
            if (d < 0 && adjoint)
                *copositive = *strictly = false;
            if (d == 0 && adjoint && positive)
                *strictly = false;
        }
}

static void p_matrices(void **state)
{
    (void)state;
    family f = family_start("P-matrix of whole numbers", 71, 2000);
    int counts[3] = {0};
    while (family_next(&f)) {
        int A[N * N], n = 2 + check_random_int(&f.random, 4);
        double a[N * N], doubt[N * N];
        for (int k = 0; k < n * n; k++) {
            A[k] = check_random_int(&f.random, 5) - 2;
            if (k % (n + 1) == 0)
                A[k] = 1 + check_random_int(&f.random, 3);
            a[k] = A[k];
            doubt[k] = 1e-14;
        }
        carom_p_matrix exact, rough;
        carom_error error = {0};
        carom_arena_reset(arena);
        check_ok(carom_p_matrix_test(n, a, NULL, NULL, arena, &exact, &error), &error);
        check_ok(carom_p_matrix_test(n, a, doubt, NULL, arena, &rough, &error), &error);
        int least = least_minor(n, A);
        family_check(&f, exact.p_matrix == (least > 0 ? CAROM_TRUE : CAROM_FALSE),
                     "exact: %s, least minor %d", carom_truth_text(exact.p_matrix), least);
        carom_truth want = least > 0 ? CAROM_TRUE : least < 0 ? CAROM_FALSE : CAROM_UNDECIDED;
        counts[want]++;
        family_check(&f, rough.p_matrix == want, "with doubt: %s, least minor %d",
                     carom_truth_text(rough.p_matrix), least);
        for (int side = 0; side < 2; side++) {
            const carom_p_matrix *p = side ? &rough : &exact;
            double top = 0;
            for (int i = 0; i < n && p->x; i++)
                top = fmax(top, fabs(p->x[i]));
            for (int i = 0; i < n && p->x; i++) {
                double y = 0, size = 0;
                for (int j = 0; j < n; j++) {
                    y += a[i + j * n] * p->x[j];
                    size += fabs(a[i + j * n] * p->x[j]);
                }
                family_check(&f, p->x[i] * y <= 1e-12 * top * (top + size),
                             "%s, minor of %d: x does not reverse row %d, x %g, Ax %g", p->method,
                             p->minor_count, i, p->x[i], y);
            }
        }
    }
    assert_true(counts[0] > f.members / 20 && counts[1] > f.members / 20 &&
                counts[2] > f.members / 50);
    family_end(&f);
}

static void copositive_matrices(void **state)
{
    (void)state;
    family f = family_start("copositivity of whole numbers", 72, 2000);
    int counts[3] = {0};
    while (family_next(&f)) {
        int A[N * N], n = 2 + check_random_int(&f.random, 4);
        double a[N * N];
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++) {
                A[i + j * n] = A[j + i * n] =
                    i == j ? check_random_int(&f.random, 4) : check_random_int(&f.random, 5) - 2;
                if (f.member % 4 == 0) /* signs only: Horn's and its like */
                    A[i + j * n] = A[j + i * n] = i == j || check_random_int(&f.random, 2) ? 1 : -1;
                a[i + j * n] = a[j + i * n] = A[i + j * n];
            }
        bool copositive, strictly;
        carom_copositive answer;
        carom_error error = {0};
        carom_arena_reset(arena);
        copositivity(n, A, &copositive, &strictly);
        check_ok(carom_copositive_test(n, a, NULL, NULL, arena, &answer, &error), &error);
        counts[copositive + strictly]++;
        family_check(&f, answer.copositive == (copositive ? CAROM_TRUE : CAROM_FALSE),
                     "%s, exactly %s", carom_truth_text(answer.copositive),
                     copositive ? "copositive" : "not");
        family_check(&f, answer.strictly == (strictly ? CAROM_TRUE : CAROM_FALSE),
                     "strictly %s, exactly %s", carom_truth_text(answer.strictly),
                     strictly ? "so" : "not");
        double form = 0;
        for (int i = 0; i < n * n && answer.x; i++)
            form += answer.x[i % n] * a[i] * answer.x[i / n];
        if (answer.copositive == CAROM_FALSE)
            family_check(&f, form < 0, "x'Ax = %g", form);
    }
    assert_true(counts[0] > f.members / 20 && counts[1] > f.members / 20 &&
                counts[2] > f.members / 20);
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_matrices),
        cmocka_unit_test(copositive_matrices),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
