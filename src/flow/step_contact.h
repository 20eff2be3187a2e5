/* The contact problem of one time step, in velocities (docs/theory/time-stepping.md):
 *
 *   v = v_free + Y P,  rows r'v + offset,   normal: >= 0 complementary to P_N >= 0,
 *   tangential: Coulomb's law with |P_T| <= mu P_N.
 *
 * Rows and responses are sparse; without friction D = R'Y is kept in the envelope of an order of
 * the contacts in which it is narrow. */
#ifndef CAROM_SRC_FLOW_STEP_CONTACT_H
#define CAROM_SRC_FLOW_STEP_CONTACT_H

#include "carom/flow.h"
#include "flow/step_response.h"
#include "linalg/envelope.h"

typedef struct carom_step_contact {
    const carom_system_shape *shape;
    carom_step_response *response;
    int n, p;             /* degrees of freedom, contacts */
    carom_step_rows rows; /* p normals, then s slips */
    bool frozen;          /* rows and mass do not change */
    /* structure: responses by row of `rows`, contacts coupled by them */
    int *resp_start; /* p + s + 1 */
    int *resp_index; /* velocities: the groups a row touches, one after the other */
    int *entry;      /* by entry of a row: its place in the response */
    double *resp;    /* responses of the active rows */
    bool full;       /* rows and responses have all velocities, in their order */
    bool complete;   /* all contacts are coupled: no lists of neighbours */
    int *near_start; /* p + 1 */
    int *near;       /* contacts that share a group with a contact, itself left out */
    int *order;      /* p contacts, neighbours close together */
    double *scattered, *scattered_size; /* n, zero between uses */
    /* the problem of this step */
    int count, total;       /* active contacts, their rows */
    int *contact;           /* by active contact: its number, in `order` */
    int *base;              /* by active contact (one more): row of its normal; slips follow it */
    int *height;            /* by active contact: its rows */
    int *at;                /* by contact: its place among the active ones, or -1 */
    int kept;               /* rows in kept_row, or -1: D has to be made in any case */
    int *kept_row;          /* `row` at the time D was made */
    int *row;               /* by row of the problem: which of `rows` */
    double *mu;             /* by active contact */
    carom_envelope D;       /* by rows of the problem */
    double *offset;         /* rows at v = 0 */
    double *b;              /* rows at v_free, with their offsets */
    double *P;              /* the answer */
    double *slip;           /* by row of friction: at the start of the step */
    unsigned char *does;    /* by active contact: which coefficient it has (step_static.c) */
    unsigned char *sticks;  /* by active contact: its slip is zero in the answer */
    unsigned char *stuck;   /* by contact: it was in the step before */
    double *memory;         /* p + s: impulses of the step before, by contact and slip column */
    unsigned char *carried; /* by contact: steps in a row that carried an impulse, <= 255 */
    /* work, by rows of the problem */
    double *L;            /* as D */
    int *first, *L_first; /* envelopes of D and L */
    ptrdiff_t *start, *L_start;
    double *x, *w, *size;
    int *set, *rank;
    unsigned char *in;   /* by row of the problem: in the set */
    unsigned char *L_in; /* the set that L is the factor of */
    bool on_set;         /* the answer makes the rows of the set of L vanish */
    bool L_shifted;      /* L is the factor with a shift of the diagonal */
    bool L_valid;        /* L is a factor of the present D */
} carom_step_contact;

carom_status carom_step_contact_create(carom_arena *arena, const carom_system_shape *shape,
                                       const carom_state *state, carom_step_response *response,
                                       carom_step_contact *c, carom_error *error);

/* Find the structure again: the pattern of the rows or the response has changed. */
carom_status carom_step_contact_build(carom_step_contact *c, carom_arena *arena,
                                      carom_error *error);

/* An empty problem; add contacts in `order`, with `slips` rows of friction. */
void carom_step_contact_clear(carom_step_contact *c);
void carom_step_contact_add(carom_step_contact *c, int contact, int slips, double mu);

/* Responses of the active rows, without friction D too; P starts as it was in the last step. */
void carom_step_contact_assemble(carom_step_contact *c);

/* Row r of the problem times x. */
static inline double carom_step_contact_rate(const carom_step_contact *c, int r, const double *x)
{
    return carom_step_rows_dot(&c->rows, c->row[r], x);
}

/* x += P times the response of row r. */
static inline void carom_step_contact_push(const carom_step_contact *c, int r, double P, double *x)
{
    const int k = c->row[r];
    for (int i = c->resp_start[k]; i < c->resp_start[k + 1]; i++)
        x[c->resp_index[i]] += P * c->resp[i];
}

/* Number of friction rows of active contact k. */
static inline int carom_step_contact_width(const carom_step_contact *c, int k)
{
    return c->height[k] - 1;
}

/* All of D, both triangles, total x total: not symmetric when the forces are not. */
void carom_step_contact_dense(carom_step_contact *c, double *D);

#endif
