/* MuJoCo: spheres that slide along the x axis; the floor is a plane. It has no coefficient of
 * restitution: contacts are springs and dampers. For restitution 1 the damping ratio is 0 by
 * solref = (-stiffness, 0); else its defaults (inelastic). */
#include "clock.h"
#include "peers.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mjModel *compile(const balls_scene *s)
{
    size_t room = 1000 + 400 * (size_t)s->n, used;
    char *text = malloc(room), error[500];
    if (!text)
        return NULL;
    used = (size_t)snprintf(
        text, room,
        "<mujoco><option timestep='%.17g' gravity='%.17g 0 0'/><default><geom friction='0 0 0' "
        "condim='1' %s/></default><worldbody>%s",
        s->step, -s->gravity, s->restitution >= 1 ? "solref='-1000000 0'" : "",
        s->floor ? "<geom type='plane' size='9 9 1' zaxis='1 0 0'/>" : "");
    for (int i = 0; i < s->n; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 "<body pos='%.17g 0 0'><joint type='slide' axis='1 0 0'/><geom "
                                 "type='sphere' size='%.17g' mass='%.17g'/></body>",
                                 s->x[i], s->radius, s->mass);
    snprintf(text + used, room - used, "</worldbody></mujoco>");
    mjVFS *files = malloc(sizeof *files);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "scene.xml", (int)strlen(text));
    memcpy(files->filedata[mj_findFileVFS(files, "scene.xml")], text, strlen(text));
    mjModel *model = mj_loadXML("scene.xml", files, error, sizeof error);
    if (!model)
        fprintf(stderr, "mujoco: %s\n", error);
    mj_deleteVFS(files);
    free(files);
    free(text);
    return model;
}

double mujoco_balls(const balls_scene *s, double *x, double *u)
{
    mjModel *model = compile(s);
    if (!model)
        return -1;
    mjData *data = mj_makeData(model);
    for (int i = 0; i < s->n; i++)
        data->qvel[i] = s->u[i];
    double start = clock_seconds();
    for (long k = 0; k < s->steps; k++)
        mj_step(model, data);
    double spent = clock_seconds() - start;
    for (int i = 0; i < s->n; i++) {
        x[i] = s->x[i] + data->qpos[i];
        u[i] = data->qvel[i];
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return spent;
}
