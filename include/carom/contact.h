/* One contact's physical properties, shared by systems and impacts. */
#ifndef CAROM_CONTACT_H
#define CAROM_CONTACT_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct carom_law; /* carom/law.h */

/* Properties of one contact. Start from carom_contact_default(). */
typedef struct carom_contact {
    const char *name;              /* label for messages; NULL: its number */
    double restitution;            /* epsilon, in [0, 1] */
    double friction_static;        /* mu_s >= 0, INFINITY allowed */
    double friction_dynamic;       /* mu_d, 0 <= mu_d <= mu_s */
    double tangential_restitution; /* e_t, in [-1, 1]; -1 leaves the slip as it is */
    double stiffness;              /* k > 0 of compliant laws, F = k delta^eta */
    double exponent;               /* eta > 0 */
    int slip_count;              /* columns of H this contact owns: 0, 1 (planar) or 2 (spatial) */
    int spread_count;            /* columns of `spread` it owns; > 0: second-order cone */
    const struct carom_law *law; /* its own law, NULL: the impact's */
} carom_contact;

/* restitution 0, friction 0, stiffness 1, exponent 1.5, no slip, no spread. */
CAROM_API carom_contact carom_contact_default(void);

/* What contact k of a list (NULL: none are described) is called: its name, else its number from 1,
 * which is written to `number`. */
CAROM_API const char *carom_contact_name(const carom_contact *contacts, int k, char number[16]);

/* A union of intersections: what is admissible is that for which *some* group has all its contacts
 * satisfied (re-entrant corners). */
typedef struct carom_region {
    int group_count;
    const int *group_start;   /* group_count + 1 offsets into group_contact */
    const int *group_contact; /* contact numbers, group after group */
} carom_region;

#ifdef __cplusplus
}
#endif
#endif
