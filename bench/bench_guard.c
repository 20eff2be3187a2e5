/* Five fixed tasks whose instructions are counted by .ci/gates/85-instructions: `bench_guard TASK`
 * does the task ROUNDS times, `bench_guard TASK 0` everything but the rounds, so that the
 * difference is the task alone. */
#include "carom/carom.h"
#include "lcp_problems.h"

#include <string.h>

static int solve_lcp(problem p, long rounds)
{
    carom_lcp lcp = {.n = p.n, .M = p.M, .q = p.q, .symmetric = true, .bandwidth = p.bandwidth};
    carom_lcp_info info = {0};
    carom_arena *arena;
    double *z = calloc((size_t)p.n, sizeof *z);
    if (!z || carom_arena_create(NULL, &arena, NULL))
        return 1;
    for (long k = 0; k < rounds; k++)
        if (carom_lcp_solve(&lcp, NULL, arena, z, NULL, &info, NULL) ||
            info.outcome != CAROM_LCP_SOLVED)
            return 1;
    carom_arena_destroy(arena);
    free(z);
    problem_free(&p);
    return 0;
}

static int apply_law(const char *name, long rounds)
{
    enum { N = 5 };
    double M[N] = {1, 1, 1, 1, 1}, u[N] = {1}, W[N * (N - 1)] = {0};
    carom_contact contacts[N - 1];
    for (int i = 0; i + 1 < N; i++) {
        W[i + i * N] = -1;
        W[i + 1 + i * N] = 1;
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 1;
    }
    carom_impact impact = {
        .n = N, .p = N - 1, .mass_is_diagonal = true, .M = M, .u = u, .W = W, .contacts = contacts};
    carom_law law = {.ops = carom_law_find(name)};
    carom_geometry geometry;
    carom_outcome outcome;
    carom_arena *arena;
    if (!law.ops || carom_arena_create(NULL, &arena, NULL))
        return 1;
    for (long k = 0; k < rounds; k++) {
        carom_arena_reset(arena);
        if (carom_impact_derive(&impact, arena, &geometry, NULL) ||
            carom_law_apply(&law, &geometry, arena, &outcome, NULL) || outcome.answer)
            return 1;
    }
    carom_arena_destroy(arena);
    return 0;
}

static carom_status ball(void *self, unsigned want, carom_state *state, carom_error *error)
{
    (void)self;
    (void)want;
    (void)error;
    state->M[0] = 1;
    state->h[0] = -9.81;
    state->g[0] = state->q[0];
    state->W[0] = 1;
    state->potential = 9.81 * state->q[0];
    return CAROM_OK;
}

/* `rounds` seconds of a ball that bounces, time-stepping with a step of a millisecond. */
static int run_ball(long rounds)
{
    carom_contact contact = carom_contact_default();
    int slips[2] = {0};
    contact.restitution = 0.9;
    carom_system_shape shape = {.nq = 1,
                                .n = 1,
                                .p = 1,
                                .mass_is_diagonal = true,
                                .mass_is_constant = true,
                                .rows_are_timeless = true,
                                .kinematics_is_identity = true,
                                .contacts = &contact,
                                .slip_start = slips};
    carom_system_ops ops = {.name = "ball", .evaluate = ball};
    carom_system *system;
    carom_arena *arena;
    carom_flow_result result;
    double q[1] = {1}, u[1] = {0};
    carom_flow_start start = {0, q, u};
    carom_flow_options options = carom_flow_options_default();
    options.method = CAROM_FLOW_TIME_STEPPING;
    options.step = 1e-3;
    options.until = (double)rounds;
    options.keep_impacts = 0;
    if (carom_system_create(&ops, NULL, &shape, NULL, &system, NULL) ||
        carom_arena_create(NULL, &arena, NULL))
        return 1;
    int failed = carom_flow_run(system, NULL, &start, &options, NULL, arena, &result, NULL) != 0;
    carom_system_destroy(system);
    carom_arena_destroy(arena);
    return failed;
}

int main(int argc, char **argv)
{
    const char *task = argc > 1 ? argv[1] : "";
    bool idle = argc > 2;
    if (strcmp(task, "lcp-chain-4") == 0)
        return solve_lcp(problem_chain(4, false), idle ? 0 : 2000);
    if (strcmp(task, "lcp-wall-50") == 0)
        return solve_lcp(problem_wall(4, 4, 0.1), idle ? 0 : 50);
    if (strcmp(task, "newton-5-balls") == 0)
        return apply_law("newton", idle ? 0 : 1000);
    if (strcmp(task, "lzb-5-balls") == 0)
        return apply_law("lzb", idle ? 0 : 20);
    if (strcmp(task, "moreau-jean-ball") == 0)
        return run_ball(idle ? 0 : 2);
    fprintf(stderr, "usage: bench_guard lcp-chain-4|lcp-wall-50|newton-5-balls|lzb-5-balls|"
                    "moreau-jean-ball [0]\n");
    return 2;
}
