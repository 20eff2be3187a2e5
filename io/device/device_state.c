/* A batch of impacts as a device takes it: what it refuses, the arrays that go and come, and the
 * constants of its program. */
#include "device/device.h"

#include "carom/tolerance.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No declaration is left of this file without OpenCL. */
typedef int carom_device_state_is_a_file;

#ifdef CAROM_OPENCL

/* Why a device does not decide this; NULL: it does. */
static const char *find_reason(carom_device_call *c)
{
    const carom_impact *i = c->batch->impact;
    c->rough = carom_device_takes_friction(c->batch->law);
    if (!c->rough && !carom_device_takes_law(c->batch->law, &c->inelastic))
        return "a device decides impacts by the laws newton, inelastic and coulomb (form "
               "complementarity)";
    if (i->n > CAROM_DEVICE_VELOCITIES || i->p > CAROM_DEVICE_CONTACTS)
        return "a device decides impacts of up to 16 velocities and 8 contacts";
    if (c->rough && i->p > CAROM_DEVICE_ROUGH)
        return "a device decides impacts with friction of up to 4 contacts";
    if (i->m > 0 || i->a > 0)
        return "a device knows no joints";
    if (i->region)
        return "a device knows no regions";
    for (int k = 0; k < i->p && i->contacts; k++) {
        const carom_contact *one = &i->contacts[k];
        if (one->spread_count > 0 || one->law)
            return "a device knows no second-order cones, and no laws of single contacts";
        if (one->slip_count > 0 && !c->rough)
            return "a device knows friction by the law coulomb alone";
        if (one->slip_count > 1)
            return "a device knows friction of planar contacts alone, one slip a contact";
    }
    return NULL;
}

static bool is_same(const carom_batch *b, const carom_batch_input *input)
{
    for (int a = 0; a < b->axes; a++)
        if (input->step[a] != 0 && b->size[a] > 1)
            return false;
    return true;
}

/* What the batch gives, or the statement. */
static void set_input(carom_device_call *c, int number, const carom_batch_input *given,
                      const double *fixed, int rows, int columns)
{
    const carom_batch_input stated = {fixed, {0}, 1, rows};
    const carom_batch_input *input = given && given->data ? given : &stated;
    c->in[number] = (carom_device_array){
        .input = *input, .rows = rows, .columns = columns, .same = is_same(c->batch, input)};
}

static carom_status take_coefficients(carom_device_call *c)
{
    const carom_impact *i = c->batch->impact;
    const int p = i->p;
    c->own = calloc(4 * (size_t)p, sizeof *c->own);
    if (!c->own)
        return carom_error_memory(c->error);
    for (int k = 0; k < p; k++) {
        const carom_contact one = i->contacts ? i->contacts[k] : carom_contact_default();
        c->own[k] = one.restitution;
        c->own[p + k] = one.friction_static;
        c->own[2 * p + k] = c->batch->friction.data ? -1 : one.friction_dynamic;
        c->own[3 * p + k] = one.tangential_restitution;
        c->s += one.slip_count;
    }
    return CAROM_OK;
}

carom_status carom_device_state(carom_device_call *c)
{
    const carom_batch *b = c->batch;
    const carom_impact *i = b->impact;
    const int n = i->n, p = i->p;
    const char *reason = find_reason(c);
    if (reason)
        return carom_error_set(c->error, CAROM_ERROR_UNSUPPORTED, "%s", reason);
    carom_status status = take_coefficients(c);
    if (status)
        return status;
    const double *own = c->own;
    const int s = c->s;
    set_input(c, CAROM_DEVICE_MASS, &b->mass, i->M, n, i->mass_is_diagonal ? 1 : n);
    set_input(c, CAROM_DEVICE_VELOCITY, &b->velocity, i->u, n, 1);
    set_input(c, CAROM_DEVICE_NORMALS, &b->normals, i->W, n, p);
    set_input(c, CAROM_DEVICE_MOTION, &b->motion, i->w_hat, p, 1);
    set_input(c, CAROM_DEVICE_RESTITUTION, &b->restitution, own, p, 1);
    set_input(c, CAROM_DEVICE_SLIPS, s ? &b->slips : NULL, s ? i->H : NULL, n, s);
    set_input(c, CAROM_DEVICE_SLIP_MOTION, s ? &b->slip_motion : NULL, s ? i->slip_motion : NULL, s,
              1);
    set_input(c, CAROM_DEVICE_FRICTION, s ? &b->friction : NULL, s ? own + p : NULL, p, 1);
    set_input(c, CAROM_DEVICE_OWN, NULL, s ? own + 2 * p : NULL, p, 2);
    const carom_device_array out[CAROM_DEVICE_OUTPUTS] = {
        {.to = c->output->velocity, .rows = n, .columns = 1},
        {.to = c->output->normal_velocity, .rows = p, .columns = 1},
        {.to = c->output->impulse, .rows = p, .columns = 1},
        {.to = c->output->energy_change, .rows = 1, .columns = 1},
        {.to = s ? c->output->slip : NULL, .rows = s, .columns = 1},
        {.to = s ? c->output->tangential_impulse : NULL, .rows = s, .columns = 1}};
    memcpy(c->out, out, sizeof out);
    const carom_device_array *in = c->in;
    if (c->count == 0)
        return CAROM_OK;
    if (!in[CAROM_DEVICE_MASS].input.data || !in[CAROM_DEVICE_VELOCITY].input.data ||
        !in[CAROM_DEVICE_NORMALS].input.data || (s && !in[CAROM_DEVICE_SLIPS].input.data))
        return carom_error_set(c->error, CAROM_ERROR_ARGUMENT,
                               "mass, velocity, normals, and slips where contacts have them, must "
                               "be given");
    return CAROM_OK;
}

/* Numbers of the program by their names. */
static int define(char *head, int at, const char *prefix, const char *name, int value)
{
    return at + snprintf(head + at, (size_t)(CAROM_DEVICE_HEAD - at), "#define %s%s %d\n", prefix,
                         name, value);
}

/* Of normals that are the same for all impacts: which entries of each are not zero, and which are 1
 * and -1. A chain of balls has two of them a contact, and most entries of W and D are zero. */
typedef struct pattern {
    unsigned touches[CAROM_DEVICE_CONTACTS], plus[CAROM_DEVICE_CONTACTS],
        minus[CAROM_DEVICE_CONTACTS], filled[CAROM_DEVICE_CONTACTS];
} pattern;

static void find_entries(const carom_device_call *c, pattern *found)
{
    const carom_device_array *normals = &c->in[CAROM_DEVICE_NORMALS];
    const carom_batch_input *input = &normals->input;
    const double *W = carom_device_locate(c->batch, input, 0);
    for (int k = 0; k < normals->columns; k++)
        for (int a = 0; a < normals->rows; a++) {
            const double w = normals->same ? W[a * input->row + k * input->column] : NAN;
            found->touches[k] |= (unsigned)(w != 0) << a;
            found->plus[k] |= (unsigned)(w == 1) << a;
            found->minus[k] |= (unsigned)(w == -1) << a;
        }
}

/* The rows of the factors of D: contact k has an entry with each before it that it shares a
 * velocity with, or that both have an entry with one before. */
static void find_fill(const carom_impact *i, pattern *found)
{
    for (int k = 0; k < i->p; k++)
        for (int j = 0; j < k; j++)
            if (!i->mass_is_diagonal || (found->touches[k] & found->touches[j]) ||
                (found->filled[k] & found->filled[j]))
                found->filled[k] |= 1u << j;
}

/* A list of numbers as a macro, which compilers see through. */
static int define_list(char *head, int at, const char *name, int count, const unsigned *list)
{
    at += snprintf(head + at, (size_t)(CAROM_DEVICE_HEAD - at), "#define %s(i) (", name);
    for (int k = 0; k < count; k++)
        at +=
            snprintf(head + at, (size_t)(CAROM_DEVICE_HEAD - at), "(i) == %d ? %u : ", k, list[k]);
    return at + snprintf(head + at, (size_t)(CAROM_DEVICE_HEAD - at), "0)\n");
}

void carom_device_head(const carom_device_call *c, char *head)
{
    static const char *const names[] = {"MASS",  "VELOCITY",    "NORMALS",  "MOTION", "RESTITUTION",
                                        "SLIPS", "SLIP_MOTION", "FRICTION", "OWN"};
    static const char *const wanted[] = {"VELOCITY", "NORMAL", "IMPULSE",
                                         "ENERGY",   "SLIP",   "TANGENTIAL"};
    const carom_impact *i = c->batch->impact;
    int at = 0, slipping = 0;
    for (int k = 0; k < i->p && i->contacts; k++)
        slipping |= (i->contacts[k].slip_count > 0) << k;
    at = define(head, at, "", "N", i->n);
    at = define(head, at, "", "P", i->p);
    at = define(head, at, "", "ROWS", c->rough ? 2 * i->p : i->p);
    at = define(head, at, "", "WRITTEN_OUT", !c->rough || i->p <= 2);
    at = define(head, at, "", "SLIPPING", slipping);
    at = define(head, at, "", "MASS_IS_DIAGONAL", i->mass_is_diagonal);
    at = define(head, at, "", "INELASTIC", c->inelastic);
    at = define(head, at, "ANY_", "RESTITUTION", (i->flags & CAROM_IMPACT_ANY_RESTITUTION) != 0);
    at = define(head, at, "", "TURNS", 2 * i->p + (2 << i->p));
    at = define(head, at, "", "INVALID", CAROM_DEVICE_INVALID);
    at = define(head, at, "", "NEARLY", CAROM_DEVICE_NEARLY);
    at = define(head, at, "WANT_", "VERDICT", c->output->verdict != NULL);
    pattern found;
    memset(&found, 0, sizeof found);
    find_entries(c, &found);
    find_fill(i, &found);
    at = define_list(head, at, "TOUCHES", i->p, found.touches);
    at = define_list(head, at, "PLUS", i->p, found.plus);
    at = define_list(head, at, "MINUS", i->p, found.minus);
    at = define_list(head, at, "FILLED", i->p, found.filled);
    for (int k = 0; k < CAROM_DEVICE_INPUTS; k++) {
        at = define(head, at, "SAME_", names[k], c->in[k].same);
        at = define(head, at, "HAS_", names[k], c->in[k].input.data != NULL);
    }
    for (int k = 0; k < CAROM_DEVICE_OUTPUTS; k++)
        at = define(head, at, "WANT_", wanted[k], c->out[k].to != NULL);
    at += snprintf(head + at, (size_t)(CAROM_DEVICE_HEAD - at), "#define ROUNDING %.17g\n",
                   CAROM_TOLERANCE_SUM);
    carom_opencl_tolerances(head + at, (size_t)(CAROM_DEVICE_HEAD - at));
}

const double *carom_device_locate(const carom_batch *b, const carom_batch_input *input, long number)
{
    ptrdiff_t offset = 0;
    for (int a = b->axes - 1; a >= 0; a--) {
        offset += (ptrdiff_t)(number % b->size[a]) * input->step[a];
        number /= b->size[a];
    }
    return input->data + offset;
}
#endif
