/* What is written of a moment of a motion: what the section keeps, else coordinates and velocities,
 * and what is plotted. */
#include "sweep_task.h"

#include "carom/tolerance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_sweep_points_is_multiple(double t, double period)
{
    return fabs(remainder(t, period)) <= CAROM_TOLERANCE_SAME * period;
}

bool cli_sweep_points_has_formulas(const cli_sweep_plan *plan)
{
    const carom_scene_section *section = carom_scene_get(plan->scene)->section;
    return plan->plotted ||
           (!cli_sweep_keep_is_one(plan->keep) && section && section->keep_count > 0);
}

carom_status cli_sweep_points_open(const cli_sweep_plan *plan, carom_scene *scene,
                                   cli_sweep_points *points, carom_error *error)
{
    const carom_scene_section *section = carom_scene_get(scene)->section;
    *points = (cli_sweep_points){.plan = plan, .scene = scene, .column = -1};
    points->kept = malloc((size_t)(section ? section->keep_count : 0) * sizeof(double) + 1);
    if (!points->kept)
        return carom_error_memory(error);
    for (int k = 0; plan->plotted && k < plan->columns; k++)
        if (strcmp(plan->results[k], plan->plotted) == 0)
            points->column = k;
    return plan->plotted && points->column < 0
               ? carom_scene_formula_create(scene, plan->plotted, 0, &points->plotted, error)
               : CAROM_OK;
}

void cli_sweep_points_close(cli_sweep_points *points)
{
    carom_expr_destroy(points->plotted);
    free(points->kept);
    points->plotted = NULL;
    points->kept = NULL;
}

void cli_sweep_points_plot(const cli_sweep_points *p, double t, const double *q, const double *u,
                           double *row)
{
    if (p->column >= 0)
        row[p->plan->columns] = row[p->column];
    else if (p->plotted)
        row[p->plan->columns] = carom_expr_evaluate(p->plotted, t, q, u, NULL, NULL);
}

void cli_sweep_points_write(const cli_sweep_points *p, double t, const double *q, const double *u,
                            long number, double *row)
{
    const carom_scene_content *content = carom_scene_get(p->scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    const int kept = content->section ? content->section->keep_count : 0;
    double *out = row;
    *out++ = t;
    if (kept > 0) {
        carom_scene_section_evaluate(p->scene, t, q, u, p->kept);
        for (int k = 0; k < kept; k++)
            if (!cli_sweep_columns_repeat(p->plan, content->section, k))
                *out++ = p->kept[k];
    } else {
        memcpy(out, q, (size_t)shape->nq * sizeof *out);
        memcpy(out + shape->nq, u, (size_t)shape->n * sizeof *out);
        out += shape->nq + shape->n;
    }
    *out = (double)number;
    cli_sweep_points_plot(p, t, q, u, row);
}
