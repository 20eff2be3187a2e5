/* carom inspect FILE: what was derived at `initial`: M, h, gaps, W, motion, slips, joints, and the
 * geometry of the closed contacts. */
#include "inspect.h"
#include "json.h"

#include <math.h>
#include <string.h>

static void look_at_system(inspection *x, const carom_system_shape *shape)
{
    const carom_state *s = x->state;
    x->n = shape->n, x->p = shape->p, x->s = shape->s, x->m = shape->m, x->permanent = shape->a;
    x->M = s->M, x->h = s->h, x->gap = s->g, x->W = s->W, x->w_hat = s->w_hat;
    x->H = s->H, x->slip_motion = s->slip_motion;
    x->B = s->B, x->b_hat = s->b_hat, x->A = s->A, x->a_hat = s->a_hat;
}

static void look_at_impact(inspection *x)
{
    const carom_impact *i = &x->a->impact;
    x->n = i->n, x->p = i->p, x->s = x->a->geometry.s, x->m = i->m, x->permanent = i->a;
    x->M = i->M, x->W = i->W, x->w_hat = i->w_hat, x->H = i->H, x->slip_motion = i->slip_motion;
    x->B = i->B, x->b_hat = i->b_hat, x->A = i->A, x->a_hat = i->a_hat;
}

static int make(cli_answer *a, double tolerance, inspection *x)
{
    const carom_scene_content *content = carom_scene_get(a->scene);
    const carom_system_shape *shape =
        content->system ? carom_system_get_shape(content->system) : NULL;
    *x = (inspection){.a = a, .state = shape ? &a->state : NULL, .contacts = a->contacts};
    if (shape)
        look_at_system(x, shape);
    else
        look_at_impact(x);
    size_t n = (size_t)x->n, p = (size_t)x->p, closed = (size_t)a->impact.p;
    const char **names = carom_arena_take(a->arena, (p + 1) * sizeof *names);
    x->full_mass = carom_arena_take(a->arena, n * n * sizeof(double));
    x->angles = carom_arena_take(a->arena, (closed * closed + 1) * sizeof(double));
    carom_error error = {.status = CAROM_ERROR_MEMORY, .text = "out of memory"};
    if (!names || !x->full_mass || !x->angles)
        return cli_message_error(NULL, &error);
    for (size_t i = 0; i < p && shape; i++)
        names[i] = shape->contacts[i].name ? shape->contacts[i].name : "";
    if (shape)
        x->contacts = names;
    bool diagonal = a->impact.mass_is_diagonal;
    for (size_t k = 0; k < n * n; k++)
        x->full_mass[k] = !diagonal ? x->M[k] : k % (n + 1) == 0 ? x->M[k / (n + 1)] : 0;
    carom_geometry_angles(&a->geometry, x->angles);
    if (a->impact.p && carom_quasi_make(&a->geometry, a->arena, &x->quasi, &error))
        return cli_message_error(a->file, &error);
    x->has_quasi = a->impact.p > 0;
    return cli_inspect_motion(a, tolerance, x);
}

static void write_quasi(carom_json *json, const inspection *x)
{
    carom_json_key(json, "quasi_velocities");
    if (!x->has_quasi) {
        carom_json_null(json);
        return;
    }
    const carom_quasi *q = &x->quasi;
    carom_json_object(json);
    cli_json_numbers(json, "v_n", q->p, q->v);
    cli_json_numbers(json, "v_t", q->tangents, q->v + q->p);
    cli_json_matrix(json, "G", q->p, q->p, q->G);
    cli_json_matrix(json, "D_n", q->p, q->p, q->D_n);
    cli_json_matrix(json, "n_q", q->n, q->p, q->n_q);
    cli_json_matrix(json, "t_q", q->n, q->tangents, q->t_q);
    cli_json_matrix(json, "n_H", q->p, q->s, q->n_H);
    cli_json_matrix(json, "t_H", q->tangents, q->s, q->t_H);
    cli_json_number(json, "energy_normal", q->energy_normal);
    cli_json_number(json, "energy_tangent", q->energy_tangent);
    carom_json_end(json);
}

static int show_json(const inspection *x)
{
    const cli_answer *a = x->a;
    int closed = a->impact.p;
    carom_error error = {0};
    carom_json json;
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    cli_json_string(&json, "title", a->title);
    const carom_scene_content *content = carom_scene_get(a->scene);
    const carom_system_shape *shape =
        content->system ? carom_system_get_shape(content->system) : NULL;
    if (content->body_count == 0 && shape && shape->kinematics_is_identity) /* the same names */
        shape = NULL;
    cli_json_strings(&json, "coordinates", shape ? shape->nq : x->n,
                     shape ? shape->coordinates : a->coordinates);
    if (shape)
        cli_json_strings(&json, "velocities", shape->n, shape->velocities);
    cli_json_strings(&json, "contacts", x->p, x->contacts);
    cli_json_strings(&json, "closed", closed, a->contacts);
    cli_json_number(&json, "t", x->state ? x->state->t : NAN);
    const carom_system *system = carom_scene_get(a->scene)->system;
    cli_json_numbers(&json, "position", system ? carom_system_get_shape(system)->nq : 0,
                     x->state ? x->state->q : NULL);
    cli_json_numbers(&json, "velocity", x->n, a->impact.u);
    cli_json_matrix(&json, "M", x->n, x->n, x->full_mass);
    cli_json_numbers(&json, "h", x->n, x->h);
    cli_json_numbers(&json, "gaps", x->p, x->gap);
    cli_json_matrix(&json, "W", x->n, x->p, x->W);
    cli_json_numbers(&json, "w_hat", x->p, x->w_hat);
    cli_json_matrix(&json, "H_T", x->n, x->s, x->H);
    cli_json_numbers(&json, "slip_motion", x->s, x->slip_motion);
    cli_json_matrix(&json, "B", x->n, x->m, x->B);
    cli_json_numbers(&json, "b_hat", x->m, x->b_hat);
    cli_json_matrix(&json, "A", x->n, x->permanent, x->A);
    cli_json_numbers(&json, "a_hat", x->permanent, x->a_hat);
    cli_json_number(&json, "kinetic_energy", x->state ? x->state->kinetic : a->geometry.energy);
    cli_json_number(&json, "potential_energy", x->state ? x->state->potential : NAN);
    cli_json_numbers(&json, "normal_velocity", closed, a->geometry.gamma);
    cli_json_numbers(&json, "slip", a->geometry.s, a->geometry.slip);
    cli_json_matrix(&json, "delassus", closed, closed, a->geometry.D);
    cli_json_matrix(&json, "kinetic_angles", closed, closed, x->angles);
    cli_json_numbers(&json, "frame_velocity", x->n, a->geometry.b);
    write_quasi(&json, x);
    cli_inspect_motion_json(&json, x);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

void cli_inspect_matrix(const char *title, int rows, const char *const *row_names, int columns,
                        const char *const *column_names, const double *A)
{
    enum { MOST = 8 };
    if (!A || rows == 0 || columns == 0)
        return;
    int shown_rows = rows < MOST ? rows : MOST, shown_columns = columns < MOST ? columns : MOST;
    printf("\n%s (%d x %d)\n", title, rows, columns);
    cli_table *table = cli_table_create(shown_columns + 1);
    cli_table_cell(table, "%s", "");
    for (int j = 0; j < shown_columns; j++)
        cli_table_heading(table, column_names ? column_names[j] : "");
    for (int i = 0; i < shown_rows; i++) {
        cli_table_cell(table, "  %s", row_names ? row_names[i] : "");
        for (int j = 0; j < shown_columns; j++)
            cli_table_number(table, A[i + (size_t)j * (size_t)rows]);
    }
    cli_table_print(table, stdout);
    if (shown_rows < rows || shown_columns < columns)
        puts("  ... (--json shows all)");
}

/* Joints of bodies that close a loop have no coordinate. */
static void show_loops(const inspection *x)
{
    const carom_system *system = carom_scene_get(x->a->scene)->system;
    if (!system || !carom_bodies_of(system) || x->m == 0)
        return;
    const carom_system_shape *shape = carom_system_get_shape(system);
    printf("joints that close a loop are bilateral constraints:");
    for (int k = 0; k < x->m; k++)
        printf("%s %s", k ? "," : "", shape->joints[k]);
    putchar('\n');
}

static void show_table(const inspection *x)
{
    const cli_answer *a = x->a;
    static const char *const one[] = {""};
    printf("%s\n%d degree%s of freedom, %d contact%s, %d closed, %d bilateral, %d permanent\n",
           a->title ? a->title : cli_message_file(a->file), x->n, x->n == 1 ? "" : "s", x->p,
           x->p == 1 ? "" : "s", a->impact.p, x->m, x->permanent);
    if (x->state)
        printf("t = %g, kinetic energy %.6g, potential energy %.6g\n", x->state->t,
               x->state->kinetic, x->state->potential);
    show_loops(x);
    cli_inspect_matrix("mass matrix M", x->n, a->coordinates, x->n, a->coordinates, x->full_mass);
    cli_inspect_matrix("velocity u", x->n, a->coordinates, 1, one, a->impact.u);
    cli_inspect_matrix("forces h in M u' = h + ...", x->n, a->coordinates, 1, one, x->h);
    cli_inspect_matrix("gaps g", x->p, x->contacts, 1, one, x->gap);
    cli_inspect_matrix("normals W, column i = dg_i/dq", x->n, a->coordinates, x->p, x->contacts,
                       x->W);
    cli_inspect_matrix("motion of the contacts dg/dt", x->p, x->contacts, 1, one, x->w_hat);
    cli_inspect_matrix("slip directions H_T", x->n, a->coordinates, x->s, NULL, x->H);
    cli_inspect_matrix("bilateral B", x->n, a->coordinates, x->m, NULL, x->B);
    cli_inspect_matrix("permanent A", x->n, a->coordinates, x->permanent, NULL, x->A);
    if (a->impact.p == 0) {
        puts("\nno contact is closed");
        cli_inspect_motion_show(x);
        return;
    }
    puts("\nclosed contacts");
    cli_inspect_matrix("normal velocities", a->impact.p, a->contacts, 1, one, a->geometry.gamma);
    cli_inspect_matrix("Delassus matrix", a->impact.p, a->contacts, a->impact.p, a->contacts,
                       a->geometry.D);
    cli_inspect_matrix("kinetic angles (rad)", a->impact.p, a->contacts, a->impact.p, a->contacts,
                       x->angles);
    cli_inspect_matrix("frame velocity b", x->n, a->coordinates, 1, one, a->geometry.b);
    cli_inspect_matrix("quasi-velocities v_n", x->quasi.p, a->contacts, 1, one, x->quasi.v);
    cli_inspect_matrix("quasi-velocities v_t", x->quasi.tangents, NULL, 1, one,
                       x->quasi.v + x->quasi.p);
    cli_inspect_matrix("coupling n_q'H_T", x->quasi.p, a->contacts, x->quasi.s, NULL, x->quasi.n_H);
    printf("\nkinetic energy: normal %.6g, tangential %.6g\n", x->quasi.energy_normal,
           x->quasi.energy_tangent);
    cli_inspect_motion_show(x);
}

/* The equations alone: no state is needed for them. */
static int show_tex(const cli_arguments *arguments)
{
    carom_scene *scene = NULL;
    int status = cli_answer_read(arguments, arguments->files[0], &scene);
    if (status)
        return status;
    const char *tex = carom_scene_get(scene)->tex;
    if (tex)
        fputs(tex, stdout);
    else
        status =
            cli_message_usage("--tex needs a system in formulas; %s has none", arguments->files[0]);
    carom_scene_destroy(scene);
    return status;
}

static int run(const cli_arguments *arguments)
{
    cli_answer answer;
    inspection x;
    double tolerance;
    if (cli_option_given(arguments, "tex") && cli_option_given(arguments, "json"))
        return cli_message_usage("inspect: --tex or --json, not both");
    if (cli_option_given(arguments, "tex"))
        return show_tex(arguments);
    int status = cli_answer_open(arguments, &answer);
    if (!status)
        status = cli_answer_closed(arguments, &tolerance);
    if (!status)
        status = make(&answer, tolerance, &x);
    if (!status && cli_option_given(arguments, "json"))
        status = show_json(&x);
    else if (!status)
        show_table(&x);
    cli_answer_free(&answer);
    return status;
}

static const cli_option options[] = {
    {"json", NULL, "one JSON document on stdout", 0},
    {"tex", NULL, "equations of motion, gaps and slips as LaTeX (amsmath)", 0},
    CLI_INSTANT_OPTIONS,
    CLI_SCENE_OPTIONS,
    {0},
};

const cli_command cli_inspect = {
    .name = "inspect",
    .arguments = "FILE",
    .summary = "what was derived at `initial`: M, h, gaps, W, slips, Delassus matrix, "
               "kinetic angles, quasi-velocities, quasi-forces, affinities",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .run = run,
};
