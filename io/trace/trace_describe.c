/* What a trace says about its scene: the shapes to draw, the contacts and where they are. */
#include "trace/trace.h"

#include "json/json.h"

/* What to draw, as JSON: [{"kind": "circle", "count": 4, "label": ..., "color": ...}, ...] */
carom_status carom_trace_describe_shapes(carom_trace_writer *w, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(w->header.scene);
    carom_json_text text = {.allocator = *carom_arena_allocator(w->arena)};
    carom_json json;
    carom_json_begin(&json, carom_json_to_text, &text);
    carom_json_array(&json);
    for (int k = 0; k < content->shape_count; k++) {
        const carom_scene_shape *shape = &content->shapes[k];
        w->width[CAROM_TRACE_DRAW] += shape->count;
        carom_json_object(&json);
        carom_json_key(&json, "kind");
        carom_json_string(&json, carom_scene_shape_text(shape->kind));
        carom_json_key(&json, "count");
        carom_json_integer(&json, shape->count);
        carom_json_key(&json, "label");
        carom_json_string(&json, shape->label);
        carom_json_key(&json, "color");
        carom_json_string(&json, shape->color);
        if (shape->hollow) {
            carom_json_key(&json, "fill");
            carom_json_string(&json, "none");
        }
        if (shape->width > 0) {
            carom_json_key(&json, "width");
            carom_json_number(&json, shape->width);
        }
        if (shape->dashed) {
            carom_json_key(&json, "dash");
            carom_json_boolean(&json, true);
        }
        if (shape->body > 0) {
            carom_json_key(&json, "body");
            carom_json_integer(&json, shape->body);
        }
        if (shape->closed) {
            carom_json_key(&json, "closed");
            carom_json_boolean(&json, true);
        }
        if (shape->free) {
            carom_json_key(&json, "free");
            carom_json_boolean(&json, true);
        }
        carom_json_end(&json);
    }
    carom_json_end(&json);
    w->width[CAROM_TRACE_IMPACT_DRAW] = w->width[CAROM_TRACE_DRAW];
    w->width[CAROM_TRACE_IMPACT_KICK] = w->width[CAROM_TRACE_DRAW];
    carom_status status = carom_json_finish(&json, error);
    if (!status) {
        w->shapes = carom_arena_text(w->arena, text.text, text.size);
        status = w->shapes ? CAROM_OK : carom_error_memory(error);
    }
    carom_json_text_destroy(&text);
    return status;
}

/* How many numbers a contact has in the table of places: its place and as many of its direction. */
static int place_numbers(const carom_trace_writer *w, int contact, double t, const double *q,
                         const double *u, double *values)
{
    double at[3], toward[3];
    int count = carom_scene_contact_place(w->header.scene, contact, t, q, u, at, toward);
    for (int k = 0; values && k < count; k++) {
        values[k] = at[k];
        values[count + k] = toward[k];
    }
    return 2 * count;
}

/* Contacts that say where they are, as JSON: [{"name", "friction", "at": 2, "toward": 2}, ...];
 * "at": 0 for those that do not. */
carom_status carom_trace_describe_contacts(carom_trace_writer *w, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(w->header.scene);
    const carom_flow_start *start = &content->initial;
    carom_json_text text = {.allocator = *carom_arena_allocator(w->arena)};
    carom_json json;
    carom_json_begin(&json, carom_json_to_text, &text);
    carom_json_array(&json);
    for (int i = 0; i < w->shape->p; i++) {
        int numbers = place_numbers(w, i, start->t, start->q, start->u, NULL);
        char number[16];
        w->width[CAROM_TRACE_AT] += numbers;
        carom_json_object(&json);
        carom_json_key(&json, "name");
        carom_json_string(&json, carom_contact_name(w->shape->contacts, i, number));
        carom_json_key(&json, "friction");
        carom_json_number(&json, w->shape->contacts[i].friction_static);
        carom_json_key(&json, "at");
        carom_json_integer(&json, numbers / 2);
        carom_json_key(&json, "toward");
        carom_json_integer(&json, numbers / 2);
        carom_json_end(&json);
    }
    carom_json_end(&json);
    w->width[CAROM_TRACE_IMPACT_AT] = w->width[CAROM_TRACE_AT];
    carom_status status = carom_json_finish(&json, error);
    if (!status && w->width[CAROM_TRACE_AT] > 0) {
        w->contacts = carom_arena_text(w->arena, text.text, text.size);
        status = w->contacts ? CAROM_OK : carom_error_memory(error);
    }
    carom_json_text_destroy(&text);
    return status;
}

/* Places and directions of all contacts that say them, at one moment. */
void carom_trace_describe_places(carom_trace_writer *w, double t, const double *q, const double *u,
                                 double *values)
{
    for (int i = 0; w->contacts && i < w->shape->p; i++)
        values += place_numbers(w, i, t, q, u, values);
}

static void write_numbers(carom_json *json, const char *key, int count, const double *values)
{
    carom_json_key(json, key);
    carom_json_array(json);
    for (int k = 0; k < count; k++)
        carom_json_number(json, values[k]);
    carom_json_end(json);
}

static void write_integer(carom_json *json, const char *key, int value)
{
    carom_json_key(json, key);
    carom_json_integer(json, value);
}

static void write_triangles(carom_json *json, int count, const int *corners)
{
    carom_json_key(json, "triangles");
    carom_json_array(json);
    for (int k = 0; k < count; k++)
        carom_json_integer(json, corners[k]);
    carom_json_end(json);
}

/* What the definition consists of besides lengths. */
static void write_definition(carom_json *json, const carom_shape_def *d)
{
    if (d->point_count > 0)
        write_numbers(json, "points", 3 * d->point_count, d->points);
    if (d->triangle_count > 0)
        write_triangles(json, 3 * d->triangle_count, d->triangles);
    if (d->heights) {
        write_integer(json, "rows", d->rows);
        write_integer(json, "columns", d->columns);
        write_numbers(json, "heights", d->rows * d->columns, d->heights);
    }
}

/* The surface of a kind that a page need not know. */
static carom_status write_surface(carom_json *json, const carom_shape *shape, carom_arena *arena,
                                  carom_error *error)
{
    carom_shape_surface s;
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = carom_shape_get_surface(shape, arena, &s, error);
    if (!status && s.triangle_count > 0) {
        carom_json_key(json, "smooth");
        carom_json_boolean(json, s.smooth);
        write_numbers(json, "points", 3 * s.point_count, s.points[0]);
        write_triangles(json, 3 * s.triangle_count, s.triangles[0]);
    }
    carom_arena_rewind(arena, mark);
    return status;
}

/* Lengths as the scene gives them, points only where they are what the shape is. */
static carom_status write_solid(carom_json *json, const carom_body_shape *shape,
                                const carom_shape_def *d, carom_arena *arena, carom_error *error)
{
    carom_status status = CAROM_OK;
    carom_json_object(json);
    carom_json_key(json, "kind");
    carom_json_string(json, carom_shape_kind_text(d->kind, 3));
    write_numbers(json, "size", 3, d->size);
    carom_json_key(json, "radius");
    carom_json_number(json, d->radius);
    write_numbers(json, "normal", 3, d->normal);
    write_numbers(json, "at", 3, shape->position);
    write_numbers(json, "turn", 4, shape->turn);
    if (carom_shape_describe(d->kind)->drawn)
        write_definition(json, d);
    else
        status = write_surface(json, shape->shape, arena, error);
    carom_json_end(json);
    return status;
}

/* Ropes that begin at a body: {"at", "to": number of the other body, null for the world, "there"}.
 */
static void write_ropes(carom_json *json, const carom_scene_content *content, int body)
{
    bool any = false;
    for (int k = 0; k < content->rope_count; k++) {
        const carom_scene_rope *rope = &content->ropes[k];
        if (rope->body[0] != body)
            continue;
        if (!any) {
            carom_json_key(json, "ropes");
            carom_json_array(json);
        }
        any = true;
        carom_json_object(json);
        write_numbers(json, "at", 3, rope->at[0]);
        carom_json_key(json, "to");
        if (rope->body[1] == CAROM_WORLD)
            carom_json_null(json);
        else
            carom_json_integer(json, rope->body[1]);
        write_numbers(json, "there", 3, rope->at[1]);
        carom_json_end(json);
    }
    if (any)
        carom_json_end(json);
}

/* Bodies in space with their shapes, as JSON: [{"name", "fixed", "colour", "shapes": [...],
 * "ropes": [...]}, ...]. */
carom_status carom_trace_describe_bodies(carom_trace_writer *w, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(w->header.scene);
    bool space = false;
    for (int k = 0; k < content->body_count; k++)
        space = space || (content->bodies[k].shape_count && content->bodies[k].defs[0]->space == 3);
    if (!space)
        return CAROM_OK;
    carom_json_text text = {.allocator = *carom_arena_allocator(w->arena)};
    carom_json json;
    carom_status status = CAROM_OK;
    carom_json_begin(&json, carom_json_to_text, &text);
    carom_json_array(&json);
    for (int k = 0; k < content->body_count; k++) {
        const carom_scene_body *body = &content->bodies[k];
        carom_json_object(&json);
        carom_json_key(&json, "name");
        carom_json_string(&json, body->name);
        carom_json_key(&json, "fixed");
        carom_json_boolean(&json, body->fixed);
        carom_json_key(&json, "colour");
        carom_json_string(&json, body->colour);
        carom_json_key(&json, "shapes");
        carom_json_array(&json);
        for (int i = 0; i < body->shape_count && !status; i++)
            status = write_solid(&json, &body->shapes[i], body->defs[i], w->arena, error);
        carom_json_end(&json);
        write_ropes(&json, content, k);
        carom_json_end(&json);
    }
    carom_json_end(&json);
    w->width[CAROM_TRACE_POSE] = CAROM_BODIES_POSE * content->body_count;
    w->width[CAROM_TRACE_IMPACT_POSE] = w->width[CAROM_TRACE_POSE];
    if (!status)
        status = carom_json_finish(&json, error);
    if (!status) {
        w->bodies = carom_arena_text(w->arena, text.text, text.size);
        status = w->bodies ? CAROM_OK : carom_error_memory(error);
    }
    carom_json_text_destroy(&text);
    return status;
}
