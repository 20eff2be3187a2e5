/* What `carom inspect` shows of a system's motion: quasi-forces and the power of contact forces in
 * quasi-velocities, the geometry of boundary layers, affinities. */
#include "inspect.h"

#include "carom/text.h"

#include <math.h>

enum {
    MOST_AFFINITIES = 12, /* degrees of freedom: n^3 numbers */
    MOST_EDGES = 12       /* contacts: a cone may have very many edges */
};

/* Quasi-forces, and the three terms of power of the forces that the contact problem gives. */
static carom_status find_forces(cli_answer *a, inspection *x, double tolerance, carom_error *error)
{
    const carom_system *system = carom_scene_get(a->scene)->system;
    const int p = a->impact.p;
    int *closed = carom_arena_take(a->arena, ((size_t)p + 1) * sizeof *closed), count = 0;
    double *lambda_bar = carom_arena_take(a->arena, ((size_t)p + 1) * sizeof *lambda_bar);
    if (!closed || !lambda_bar)
        return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < carom_system_get_shape(system)->p; i++)
        if (a->state.g[i] <= tolerance)
            closed[count++] = i;
    carom_painleve problem;
    carom_status status =
        carom_painleve_solve(system, &a->state, &a->geometry, closed, a->arena, &problem, error);
    if (!status && problem.count > 0) {
        const carom_painleve_solution *first = &problem.solutions[0];
        for (int i = 0; i < p; i++)
            lambda_bar[i] = a->geometry.norm[i] * first->force[i];
        carom_quasi_power(&x->quasi, x->quasi.v, lambda_bar, first->tangential_force, x->power);
        x->has_power = true;
    }
    if (!status) {
        carom_error ignored = {0}; /* contacts that become dependent on the way have none */
        x->has_forces = !carom_quasi_forces_find(&x->quasi, system, &a->state, closed, a->arena,
                                                 &x->forces, &ignored);
    }
    return status;
}

/* The cone of virtual velocities T = { y : W'y >= 0 }: its edges. */
static carom_status find_edges(cli_answer *a, inspection *x, carom_error *error)
{
    const carom_geometry *g = &a->geometry;
    carom_admissible set;
    x->edges = -1;
    if (a->impact.p == 0 || a->impact.p > MOST_EDGES || a->impact.region ||
        g->spread_start[a->impact.p] > 0)
        return CAROM_OK;
    carom_status status = carom_admissible_make(g, a->arena, &set, error);
    if (status)
        return status == CAROM_ERROR_UNSUPPORTED ? CAROM_OK : status;
    x->edges = set.facets - set.kinematic;
    x->lines = x->quasi.tangents;
    x->edge = carom_arena_take(a->arena, ((size_t)x->edges * x->n + 1) * sizeof *x->edge);
    if (!x->edge)
        return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
    for (int j = 0; j < x->edges; j++) /* a facet of the kinetic part is a ray of T */
        for (int i = 0; i < x->n; i++) {
            double sum = 0;
            for (int l = 0; l < set.k; l++)
                sum += set.basis[i + l * x->n] * set.facet[l + (set.kinematic + j) * set.k];
            x->edge[i + j * x->n] = sum;
        }
    return CAROM_OK;
}

static carom_status find_joints(cli_answer *a, inspection *x, carom_error *error)
{
    const carom_flow_options *run = carom_scene_get(a->scene)->run;
    const size_t count = (size_t)(x->m + x->permanent);
    x->joint_damping = run ? run->joint_damping : NAN;
    x->joint_stiffness = run ? run->joint_stiffness : NAN;
    x->joints = count ? carom_arena_take(a->arena, count * sizeof *x->joints) : NULL;
    if (count && !x->joints)
        return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
    return count ? carom_joint_equations_find(&a->geometry, &a->state, a->arena, x->joints, error)
                 : CAROM_OK;
}

int cli_inspect_motion(cli_answer *a, double tolerance, inspection *x)
{
    const carom_scene_content *content = carom_scene_get(a->scene);
    carom_error error = {0};
    carom_status status = CAROM_OK;
    x->width = content->run && content->run->method == CAROM_FLOW_BOUNDARY_LAYER
                   ? content->run->width
                   : NAN;
    x->boundary = carom_arena_take(a->arena, ((size_t)x->p + 1) * sizeof *x->boundary);
    if (!x->boundary)
        return cli_message_memory();
    for (int i = 0; i < x->p && !status; i++)
        status = carom_boundary_make(x->n, x->M, a->impact.mass_is_diagonal,
                                     x->W + (size_t)i * (size_t)x->n, x->gap ? x->gap[i] : NAN,
                                     x->width, a->arena, &x->boundary[i], &error);
    if (!status && content->system && x->has_quasi)
        status = find_forces(a, x, tolerance, &error);
    if (!status)
        status = find_edges(a, x, &error);
    if (!status && content->system)
        status = find_joints(a, x, &error);
    if (!status && content->system && x->n <= MOST_AFFINITIES) {
        x->affinities =
            carom_arena_take(a->arena, (size_t)x->n * x->n * x->n * sizeof *x->affinities + 8);
        if (!x->affinities)
            return cli_message_memory();
        status =
            carom_boundary_affinities(content->system, &a->state, a->arena, x->affinities, &error);
    }
    return status ? cli_message_error(a->file, &error) : CLI_ANSWERED;
}

static void write_joints(carom_json *json, const inspection *x)
{
    carom_json_key(json, "joints");
    carom_json_array(json);
    for (int j = 0; j < x->m + x->permanent && x->joints; j++) {
        carom_json_object(json);
        cli_json_number(json, "inertia", x->joints[j].inertia);
        cli_json_number(json, "damping", x->joints[j].inertia * x->joint_damping);
        cli_json_number(json, "stiffness", x->joints[j].inertia * x->joint_stiffness);
        cli_json_number(json, "reaction", x->joints[j].reaction + 0.0);
        carom_json_end(json);
    }
    carom_json_end(json);
}

void cli_inspect_motion_json(carom_json *json, const inspection *x)
{
    carom_json_key(json, "quasi_forces");
    if (!x->has_forces) {
        carom_json_null(json);
    } else {
        carom_json_object(json);
        cli_json_numbers(json, "F_n", x->quasi.p, x->forces.F_n);
        cli_json_numbers(json, "F_t", x->quasi.tangents, x->forces.F_t);
        cli_json_numbers(json, "c", x->quasi.p, x->forces.c);
        cli_json_number(json, "error", x->forces.error);
        carom_json_end(json);
    }
    cli_json_numbers(json, "power", 3, x->has_power ? x->power : NULL);
    carom_json_key(json, "boundary");
    carom_json_array(json);
    for (int i = 0; i < x->p; i++) {
        const carom_boundary *b = &x->boundary[i];
        carom_json_object(json);
        cli_json_string(json, "contact", x->contacts[i]);
        cli_json_number(json, "g_upper", b->g_upper);
        cli_json_number(json, "g_lower", b->g_lower);
        cli_json_numbers(json, "B", x->n, b->B);
        cli_json_number(json, "ghat", b->ghat);
        cli_json_number(json, "affinity", b->affinity);
        cli_json_matrix(json, "metric", x->n, x->n, b->metric);
        carom_json_end(json);
    }
    carom_json_end(json);
    write_joints(json, x);
    if (x->edges >= 0)
        cli_json_matrix(json, "virtual_edges", x->n, x->edges, x->edge);
    else
        cli_json_null(json, "virtual_edges");
    carom_json_key(json, "affinities");
    if (!x->affinities) {
        carom_json_null(json);
        return;
    }
    carom_json_array(json); /* one matrix for each K */
    for (int k = 0; k < x->n; k++) {
        carom_json_array(json);
        for (int i = 0; i < x->n; i++) {
            carom_json_row(json);
            for (int j = 0; j < x->n; j++)
                carom_json_number(
                    json, x->affinities[k + ((size_t)i + (size_t)j * x->n) * (size_t)x->n] + 0.0);
            carom_json_end(json);
        }
        carom_json_end(json);
    }
    carom_json_end(json);
}

/* Affinities that are not zero: "y: th th 0.5". */
static void show_affinities(const inspection *x)
{
    enum { MOST = 12 };
    const char *const *names = x->a->coordinates;
    int count = 0;
    double top = 0;
    for (int k = 0; k < x->n * x->n * x->n; k++)
        top = fmax(top, fabs(x->affinities[k]));
    for (int k = 0; k < x->n; k++)
        for (int j = 0; j < x->n; j++)
            for (int i = 0; i <= j; i++) {
                const double value =
                    x->affinities[k + ((size_t)i + (size_t)j * x->n) * (size_t)x->n];
                if (carom_number_clean(value, top) == 0)
                    continue;
                if (count == 0)
                    puts("\naffinities, u'^K + L^K_IJ u^I u^J = ...");
                if (count++ < MOST)
                    printf("  %s: %s %s  %.6g\n", names[k], names[i], names[j], value);
            }
    if (count > MOST)
        printf("  ... %d more (--json shows all)\n", count - MOST);
}

/* The error f of a constraint obeys (m f')' + (c m - m') f' + k m f = 0. */
static void show_joints(const inspection *x)
{
    puts("\nconstraints as equations of their error, m f'' + c m f' + k m f = 0 (permanent: m f' + "
         "c m "
         "f = 0)");
    cli_table *table = cli_table_create(3);
    cli_table_cell(table, "  constraint");
    cli_table_heading(table, "inertia m");
    cli_table_heading(table, "reaction");
    for (int j = 0; j < x->m + x->permanent && j < 12; j++) {
        cli_table_cell(table, "  %s %d", j < x->m ? "bilateral" : "permanent",
                       j < x->m ? j + 1 : j - x->m + 1);
        cli_table_number(table, x->joints[j].inertia);
        cli_table_number(table, x->joints[j].reaction + 0.0);
    }
    cli_table_print(table, stdout);
}

static void show_edges(const inspection *x)
{
    if (x->edges < 0)
        return;
    printf("\ncone of virtual velocities T: %d line%s that move%s no contact, and %d edge%s\n",
           x->lines, x->lines == 1 ? "" : "s", x->lines == 1 ? "s" : "", x->edges,
           x->edges == 1 ? "" : "s");
    if (x->edges > 0)
        cli_inspect_matrix("edges of T, of unit kinetic length", x->n, x->a->coordinates, x->edges,
                           NULL, x->edge);
}

void cli_inspect_motion_show(const inspection *x)
{
    static const char *const one[] = {""};
    const cli_answer *a = x->a;
    show_edges(x);
    if (x->has_forces) {
        cli_inspect_matrix("quasi-forces F_n (c = -F_n)", x->quasi.p, a->contacts, 1, one,
                           x->forces.F_n);
        cli_inspect_matrix("quasi-forces F_t", x->quasi.tangents, NULL, 1, one, x->forces.F_t);
    }
    if (x->has_power)
        printf("\npower of the contact forces: normal %.6g, coupling of friction %.6g, tangential "
               "%.6g\n",
               x->power[0] + 0.0, x->power[1] + 0.0, x->power[2] + 0.0);
    if (x->p > 0) {
        puts("\nboundary layers: g^11 = A M^-1 A', g_11 = 1/g^11, B_1 = g_11 M^-1 A' (--json)");
        cli_table *table = cli_table_create(5);
        cli_table_cell(table, "  contact");
        cli_table_cell(table, "g^11");
        cli_table_cell(table, "g_11");
        cli_table_cell(table, "affinity -1/x");
        cli_table_cell(table, "ghat_11");
        for (int i = 0; i < x->p && i < 12; i++) {
            cli_table_cell(table, "  %s", x->contacts[i]);
            cli_table_number(table, x->boundary[i].g_upper);
            cli_table_number(table, x->boundary[i].g_lower);
            cli_table_number(table, x->boundary[i].affinity);
            cli_table_number(table, x->boundary[i].ghat);
        }
        cli_table_print(table, stdout);
    }
    if (x->joints)
        show_joints(x);
    if (x->affinities)
        show_affinities(x);
}
