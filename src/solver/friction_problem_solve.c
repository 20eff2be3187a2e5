/* Solving a frictional contact problem: islands apart, each by the methods in turn. */
#include "solver/friction_alone.h"
#include "solver/friction_given.h"
#include "solver/friction_layout.h"
#include "solver/friction_one.h"
#include "solver/friction_ray.h"
#include "solver/friction_run.h"
#include "solver/friction_small.h"
#include "solver/friction_verdict.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const char *const names[CAROM_FRICTION_METHODS] = {
    [CAROM_FRICTION_AUTO] = "auto",         [CAROM_FRICTION_SWEEPS] = "sweeps",
    [CAROM_FRICTION_INTERIOR] = "interior", [CAROM_FRICTION_NEWTON] = "newton",
    [CAROM_FRICTION_PROXIMAL] = "proximal", [CAROM_FRICTION_PATH] = "path",
    [CAROM_FRICTION_CLOSED] = "closed-form"};

const char *carom_friction_method_name(carom_friction_method method)
{
    return method >= 0 && method < CAROM_FRICTION_METHODS ? names[method] : NULL;
}

/* Where the caller does not say: a residual to aim at, and one that counts as solved. */
#define AIM    1e-12
#define ACCEPT 1e-8

/* Sweeps that the automatic choice spends before it factors anything, factorisations before it asks
 * whether there is a solution at all, and before it takes the long ways to one in turn. */
enum { SWEEPS = 25, USUAL = 150, PATIENT = 1000 };

/* Newton's method is tried at once where a warm start and sweeps have come this near. */
#define NEAR 1e-3
enum { LAST_DIGITS = 8, CENTRAL = 40 };

/* One contact alone has a solution in closed form. */
static void solve_alone(carom_friction_run *run)
{
    const carom_friction_island *o = run->island;
    carom_friction_one one;
    double x[3], xi[3];
    carom_friction_one_make(&one, o->n, o->free[0], o->own);
    carom_friction_one_solve(&one, o->b, x);
    carom_friction_island_velocity(o, x, xi);
    carom_friction_run_offer(run, x, xi);
}

/* Are the reactions so large that a residual relative to them says too little of the velocities?
 * Reactions that run to infinity along a ray make any residual small. */
static bool hides_velocities(const carom_friction_run *run)
{
    const carom_friction_island *o = run->island;
    return run->residual * carom_dense_norm(o->n, run->x) >
           run->accept * carom_dense_norm(o->n, o->b);
}

/* Is the run at its end? */
static bool arrived(carom_friction_run *run)
{
    return run->cancelled || (run->residual <= run->tolerance && !hides_velocities(run) &&
                              !carom_friction_verdict_lost(run));
}

/* Is what was found a solution, at least? */
static bool solved(carom_friction_run *run)
{
    return run->residual <= run->accept && !carom_friction_verdict_lost(run);
}

/* Newton's method from where the run stands, if that is near. */
static carom_status finish_nearby(carom_friction_run *run, double near, carom_error *error)
{
    if (!(run->residual <= near) || run->residual <= run->tolerance || run->cancelled)
        return CAROM_OK;
    run->limit = LAST_DIGITS;
    carom_status status = carom_friction_polish(run, error);
    run->limit = 0;
    return status;
}

/* The proximal method to a residual `goal`; then velocities that large reactions hide from the
 * residual, by Newton's method to the last digit. */
static carom_status approach(carom_friction_run *run, int limit, double goal, carom_error *error)
{
    const double tolerance = run->tolerance;
    run->limit = limit;
    run->tolerance = goal;
    carom_status status = carom_friction_prox(run, error);
    run->tolerance = tolerance;
    if (status == CAROM_OK && run->residual <= run->accept && carom_friction_verdict_lost(run)) {
        run->tolerance = 0;
        run->limit = LAST_DIGITS;
        status = carom_friction_polish(run, error);
    }
    run->limit = 0;
    run->tolerance = tolerance;
    return status;
}

/* Has the run gone after reactions without bound, which make any residual small? There may be a
 * solution elsewhere, with a residual that does not look better. */
static bool ran_away(carom_friction_run *run)
{
    return run->residual <= run->accept && !solved(run);
}

static carom_status start_again(carom_friction_run *run, carom_error *error)
{
    carom_mark mark = carom_arena_mark(run->arena);
    double *zero = carom_arena_zeros(run->arena, (size_t)run->island->n, sizeof *zero);
    if (!zero)
        return carom_error_memory(error);
    carom_friction_run_put(run, zero);
    run->delta = 0;
    carom_arena_rewind(run->arena, mark);
    return CAROM_OK;
}

/* Along the central path while that goes on. Points that are no solutions lead nowhere, and may be
 * far out: the run then stands where it stood. */
static carom_status follow_centre(carom_friction_run *run, carom_error *error)
{
    carom_status status = carom_friction_run_plan(run, error); /* outlives the mark */
    if (status != CAROM_OK)
        return status;
    const double before = run->residual;
    const int n = run->island->n;
    carom_mark mark = carom_arena_mark(run->arena);
    double *x = carom_arena_doubles(run->arena, (size_t)n);
    double *xi = carom_arena_doubles(run->arena, (size_t)n);
    if (!x || !xi)
        return carom_error_memory(error);
    carom_dense_copy(n, run->x, x);
    carom_dense_copy(n, run->xi, xi);
    run->limit = CENTRAL;
    status = carom_friction_interior(run, error);
    run->limit = 0;
    if (!solved(run) || hides_velocities(run)) {
        carom_dense_copy(n, x, run->x);
        carom_dense_copy(n, xi, run->xi);
        run->residual = before;
    }
    carom_arena_rewind(run->arena, mark);
    return status;
}

/* The path and the proximal method. Each is far shorter than the other for some problems, and
 * nothing tells which: the path first has as many factorisations as the proximal method had twice,
 * then each has all of its own. */
static carom_status take_turns(carom_friction_run *run, carom_friction_method *method,
                               carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int turn = 0; turn < 2 && status == CAROM_OK; turn++) {
        *method = CAROM_FRICTION_PATH;
        run->limit = turn == 0 ? 2 * PATIENT : 0;
        status = carom_friction_path(run, error);
        run->limit = 0;
        if (status != CAROM_OK || solved(run) || run->cancelled)
            return status;
        *method = CAROM_FRICTION_PROXIMAL;
        if (ran_away(run))
            status = start_again(run, error);
        if (status == CAROM_OK)
            status = approach(run, 0, run->tolerance, error);
        if (solved(run) || run->cancelled)
            return status;
    }
    return status;
}

/* Sweeps are cheap and often enough; then Newton's method is, or the interior point, whose steps
 * are few where its path does not turn back; then proximal Newton is. What is left may have no
 * solution, and is asked for a proof; if there is none the path is followed in turn, which arrives
 * wherever the known condition for a solution holds. Data that are a statement only up to rounding
 * (an unsymmetric W) have a path only down to that: the rest is a proximal matter again. *method:
 * the one that came to the end. */
static carom_status solve_automatically(carom_friction_run *run, carom_friction_method *method,
                                        carom_error *error)
{
    *method = CAROM_FRICTION_CLOSED;
    if (run->island->contacts == 1)
        solve_alone(run);
    if (run->residual <= run->tolerance)
        return CAROM_OK;
    *method = CAROM_FRICTION_SWEEPS;
    run->limit = SWEEPS;
    carom_status status = carom_friction_sweeps(run, error);
    run->limit = 0;
    if (status != CAROM_OK || arrived(run))
        return status;
    if (ran_away(run)) /* sweeps may diverge where contacts depend on each other */
        status = start_again(run, error);
    if (status != CAROM_OK)
        return status;
    *method = CAROM_FRICTION_NEWTON;
    status = finish_nearby(run, NEAR, error);
    if (status != CAROM_OK || arrived(run))
        return status;
    *method = CAROM_FRICTION_INTERIOR;
    status = follow_centre(run, error);
    if (status != CAROM_OK || arrived(run))
        return status;
    *method = CAROM_FRICTION_PROXIMAL;
    status = approach(run, USUAL, run->tolerance, error);
    if (status != CAROM_OK || arrived(run))
        return status;
    status = carom_friction_ray_find(run, run->ray, &run->infeasible, &run->product, error);
    if (status != CAROM_OK || run->infeasible || solved(run))
        return status; /* digits that USUAL factorisations do not bring are lost in rounding */
    status = ran_away(run) ? start_again(run, error) : approach(run, PATIENT, run->accept, error);
    if (status == CAROM_OK && solved(run)) /* digits that Newton's method does not bring are lost */
        return finish_nearby(run, run->accept, error);
    return status != CAROM_OK || run->cancelled ? status : take_turns(run, method, error);
}

static carom_status solve_island(carom_friction_run *run, carom_friction_method *method,
                                 carom_error *error)
{
    switch (*method) {
    case CAROM_FRICTION_SWEEPS:
        return carom_friction_sweeps(run, error);
    case CAROM_FRICTION_INTERIOR:
        return carom_friction_interior(run, error);
    case CAROM_FRICTION_NEWTON:
        return carom_friction_polish(run, error);
    case CAROM_FRICTION_PATH:
        return carom_friction_path(run, error);
    case CAROM_FRICTION_PROXIMAL:
        return carom_friction_prox(run, error);
    default:
        return solve_automatically(run, method, error);
    }
}

/* One more step of Newton's method. */
static carom_status polish_once(carom_friction_run *run, carom_error *error)
{
    carom_friction_run last = *run;
    last.limit = 1;
    last.tolerance = 0;
    carom_status status = carom_friction_polish(&last, error);
    last.tolerance = run->tolerance;
    *run = last;
    return status;
}

/* The first island without a solution decides; its ray in the statement's rows. */
static void keep_ray(const carom_friction_run *run, double unit, double *ray,
                     carom_friction_info *info)
{
    const carom_friction_island *o = run->island;
    if (info->outcome == CAROM_FRICTION_INFEASIBLE)
        return;
    for (int k = 0; ray && k < o->n; k++)
        ray[o->outer[k]] = run->ray[k];
    info->outcome = CAROM_FRICTION_INFEASIBLE;
    info->certificate = run->product * unit;
}

/* All islands one after the other; r (zeros before) receives their reactions. */
static carom_status solve_islands(const carom_friction_problem *problem,
                                  const carom_friction_layout *layout,
                                  const carom_friction_options *options, double tolerance,
                                  double accept, carom_arena *arena, double *r, double *ray,
                                  carom_friction_info *info, carom_error *error)
{
    int largest = 0;
    for (int g = 0; g < layout->islands; g++) {
        const carom_friction_island *o = &layout->island[g];
        carom_mark mark = carom_arena_mark(arena);
        carom_friction_method method = options->method;
        carom_friction_run run = {.island = o,
                                  .problem = problem,
                                  .unit = layout->unit,
                                  .options = options,
                                  .arena = arena,
                                  .tolerance = tolerance,
                                  .accept = accept,
                                  .limit = options->max_iterations};
        carom_status status = carom_friction_run_start(&run, options->start, layout->unit, error);
        run.ray = carom_arena_zeros(arena, (size_t)o->n, sizeof *run.ray);
        run.centre = carom_arena_doubles(arena, (size_t)o->n);
        if (status == CAROM_OK)
            status = run.ray && run.centre ? solve_island(&run, &method, error)
                                           : carom_error_memory(error);
        if (status == CAROM_OK && options->polish && run.residual <= accept && o->contacts > 1)
            status = polish_once(&run, error);
        if (status != CAROM_OK)
            return status;
        if (run.infeasible)
            keep_ray(&run, layout->unit, ray, info);
        else if (info->outcome == CAROM_FRICTION_SOLVED && !solved(&run))
            info->outcome = CAROM_FRICTION_LIMIT;
        for (int k = 0; k < o->n; k++)
            r[o->outer[k]] = o->scale[k] * run.x[k] * layout->unit;
        info->iterations += run.iterations;
        info->factorisations += run.factorisations;
        if (o->contacts > largest) {
            largest = o->contacts;
            info->method = method;
        }
        carom_arena_rewind(arena, mark);
        if (run.cancelled) {
            info->outcome = CAROM_FRICTION_CANCELLED;
            break;
        }
    }
    return CAROM_OK;
}

carom_status carom_friction_problem_solve(const carom_friction_problem *problem,
                                          const carom_friction_options *options, carom_arena *arena,
                                          double *r, double *u, double *ray,
                                          carom_friction_info *info, carom_error *error)
{
    CAROM_NEED(error, problem, arena, r);
    carom_friction_options given = options ? *options : (carom_friction_options){0};
    double aim = given.tolerance > 0 ? given.tolerance : AIM;
    double accept = fmax(aim, given.accept > 0 ? given.accept : ACCEPT);
    carom_friction_info told = {.method = given.method};
    carom_friction_layout layout;
    carom_status status = carom_friction_given(problem, error);
    if (status != CAROM_OK)
        return status;
    if (given.method == CAROM_FRICTION_AUTO &&
        (carom_friction_alone_solve(problem, aim, accept, r, u, &told) ||
         carom_friction_small_solve(problem, given.start, aim, accept, given.polish, r, u,
                                    &told))) {
        for (int k = 0; ray && k < carom_friction_problem_rows(problem); k++)
            ray[k] = 0;
        if (info)
            *info = told;
        return CAROM_OK;
    }
    status = carom_friction_problem_check(problem, error);
    if (status != CAROM_OK)
        return status;
    if ((unsigned)given.method >= CAROM_FRICTION_METHODS)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "friction problem: unknown method %d",
                               (int)given.method);
    carom_mark mark = carom_arena_mark(arena);
    int n = carom_friction_problem_rows(problem);
    double *found = carom_arena_zeros(arena, (size_t)n, sizeof *found);
    double *proof = carom_arena_zeros(arena, (size_t)n, sizeof *proof);
    status = found && proof ? carom_friction_layout_make(problem, arena, &layout, error)
                            : carom_error_memory(error);
    told.islands = status == CAROM_OK ? layout.islands : 0;
    if (status == CAROM_OK) /* the residual of all islands is at most root three of the worst's */
        status = solve_islands(problem, &layout, &given, aim / 2, accept / 2, arena, found, proof,
                               &told, error);
    if (status == CAROM_OK)
        status = carom_friction_problem_residual(problem, found, arena, u, &told.residual, error);
    if (status == CAROM_OK) {
        memcpy(r, found, (size_t)n * sizeof *r);
        if (ray)
            memcpy(ray, proof, (size_t)n * sizeof *ray);
        if (told.outcome == CAROM_FRICTION_SOLVED) /* so far */
            told.outcome = told.residual <= accept ? CAROM_FRICTION_SOLVED : CAROM_FRICTION_LIMIT;
        if (info)
            *info = told;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
