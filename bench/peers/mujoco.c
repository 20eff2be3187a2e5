/* MuJoCo: spheres that slide along the x axis, a box with two slides and a hinge, heaps of free
 * boxes and balls; the floor is a plane. It has no coefficient of restitution: contacts are springs
 * and dampers. For restitution 1 the damping ratio is 0 by solref = (-stiffness, 0); else its
 * defaults (inelastic). */
#include "clock.h"
#include "peers.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Through a file: what a model in memory is called has changed between its versions. */
static mjModel *compile(const char *text)
{
    char path[] = "/tmp/mujoco-XXXXXX", error[500] = "the scene cannot be written";
    int handle = mkstemp(path);
    FILE *file = handle < 0 ? NULL : fdopen(handle, "w");
    if (!file)
        return NULL;
    fputs(text, file);
    mjModel *model = fclose(file) ? NULL : mj_loadXML(path, NULL, error, sizeof error);
    if (!model)
        fprintf(stderr, "mujoco: %s\n", error);
    remove(path);
    return model;
}

/* n joints from *q (NULL: 0) and *u; positions (if wanted) and velocities after the steps. */
static double run(mjModel *model, long steps, int n, const double *q0, const double *u0, double *q,
                  double *u)
{
    if (!model)
        return -1;
    mjData *data = mj_makeData(model);
    for (int i = 0; i < n; i++) {
        data->qpos[i] = q0 ? q0[i] : 0;
        data->qvel[i] = u0[i];
    }
    double start = clock_seconds();
    for (long k = 0; k < steps; k++)
        mj_step(model, data);
    double spent = clock_seconds() - start;
    for (int i = 0; i < n; i++) {
        q[i] = data->qpos[i];
        u[i] = data->qvel[i];
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return spent;
}

static const char *undamped(double restitution)
{
    return restitution >= 1 ? "solref='-1000000 0'" : "";
}

double mujoco_balls(const balls_scene *s, double *x, double *u)
{
    size_t room = 1000 + 400 * (size_t)s->n, used;
    char *text = malloc(room);
    if (!text)
        return -1;
    used = (size_t)snprintf(
        text, room,
        "<mujoco><option timestep='%.17g' gravity='%.17g 0 0'/><default><geom friction='0 0 0' "
        "condim='1' %s/></default><worldbody>%s",
        s->step, -s->gravity, undamped(s->restitution),
        s->floor ? "<geom type='plane' size='9 9 1' zaxis='1 0 0'/>" : "");
    for (int i = 0; i < s->n; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 "<body pos='%.17g 0 0'><joint type='slide' axis='1 0 0'/><geom "
                                 "type='sphere' size='%.17g' mass='%.17g'/></body>",
                                 s->x[i], s->radius, s->mass);
    snprintf(text + used, room - used, "</worldbody></mujoco>");
    double spent = run(compile(text), s->steps, s->n, NULL, s->u, x, u);
    for (int i = 0; i < s->n; i++)
        x[i] += s->x[i];
    free(text);
    return spent;
}

double mujoco_box(const box_scene *s, double *q, double *u)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "<mujoco><compiler angle='radian'/><option timestep='%.17g' gravity='0 %.17g 0'/>"
        "<default><geom friction='%.17g 0 0' condim='%d' %s/></default><worldbody>"
        "<geom type='plane' size='9 9 1' zaxis='0 1 0'/><body><joint type='slide' axis='1 0 0'/>"
        "<joint type='slide' axis='0 1 0'/><joint type='hinge' axis='0 0 1'/>"
        "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
        "<geom type='box' size='%.17g %.17g 0.5'/></body></worldbody></mujoco>",
        s->step, -s->gravity, s->friction, s->friction > 0 ? 3 : 1, undamped(s->restitution),
        s->mass, s->inertia, s->inertia, s->inertia, s->width / 2, s->height / 2);
    return run(compile(text), s->steps, 3, s->q, s->u, q, u);
}

static void heap_tell(const heap_scene *s, const mjData *data)
{
    for (int i = 0; i < s->n; i++) {
        const mjtNum *v = data->qvel + 6 * i;
        mjtNum spin[3];
        mju_rotVecQuat(spin, v + 3, data->qpos + 7 * i + 3); /* its own are in body axes */
        for (int k = 0; k < 7; k++)
            s->q[7 * i + k] = data->qpos[7 * i + k];
        for (int k = 0; k < 3; k++) {
            s->u[6 * i + k] = v[k];
            s->u[6 * i + 3 + k] = spin[k];
        }
    }
    s->look(s->self, s->q, s->u);
}

static mjModel *heap_compile(const heap_scene *s, const char *solver)
{
    size_t room = 3000 + 400 * (size_t)s->n, used;
    char *text = malloc(room);
    if (!text)
        return NULL;
    used = (size_t)snprintf(
        text, room,
        "<mujoco><compiler angle='radian'/><size nconmax='%d' njmax='%d'/><option timestep='%.17g' "
        "gravity='0 0 %.17g' solver='%s'/><default><geom friction='%.17g 0 0' condim='3' "
        "density='1000'/></default><worldbody><geom type='plane' size='99 99 1'/>",
        100 + 10 * s->n, 400 + 40 * s->n, s->step, -s->gravity, solver, s->friction);
    for (int k = 0; s->wall > 0 && k < 4; k++)
        used += (size_t)snprintf(
            text + used, room - used,
            "<geom type='plane' size='99 99 1' pos='%.17g %.17g 0' zaxis='%d %d 0'/>",
            k < 2 ? (2 * k - 1) * s->wall : 0, k < 2 ? 0 : (2 * k - 5) * s->wall,
            k < 2 ? 1 - 2 * k : 0, k < 2 ? 0 : 5 - 2 * k);
    for (int i = 0; i < s->n; i++) {
        const heap_body *b = &s->bodies[i];
        int ball = b->size[1] == 0;
        double scale = ball ? 1 : 0.5;
        used += (size_t)snprintf(text + used, room - used,
                                 "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>"
                                 "<freejoint/><geom type='%s' size='%.17g %.17g %.17g'/></body>",
                                 b->at[0], b->at[1], b->at[2], b->turn[0], b->turn[1], b->turn[2],
                                 b->turn[3], ball ? "sphere" : "box", scale * b->size[0],
                                 scale * b->size[1], scale * b->size[2]);
    }
    snprintf(text + used, room - used, "</worldbody></mujoco>");
    mjModel *model = compile(text);
    free(text);
    return model;
}

static double heap(const heap_scene *s, const char *solver)
{
    mjModel *model = heap_compile(s, solver);
    if (!model)
        return -1;
    mjData *data = mj_makeData(model);
    double spent = 0;
    for (int i = 0; i < 3 * s->n; i++)
        data->qvel[6 * (i / 3) + i % 3] = s->bodies[i / 3].velocity[i % 3];
    for (long done = 0; done < s->steps; done += s->every) {
        double start = clock_seconds();
        for (long k = 0; k < s->every; k++)
            mj_step(model, data);
        spent += clock_seconds() - start;
        heap_tell(s, data);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return spent;
}

double mujoco_heap(const heap_scene *s)
{
    return heap(s, "Newton");
}

double mujoco_heap_cg(const heap_scene *s)
{
    return heap(s, "CG");
}
