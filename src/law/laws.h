/* The tables of all laws, one per file law_<name>.c. */
#ifndef CAROM_SRC_LAW_LAWS_H
#define CAROM_SRC_LAW_LAWS_H

#include "carom/law.h"
#include "carom/lcp.h"

/* The registry, in the order in which laws are listed: frictionless ones first, then friction, then
 * compliance. A new law is its file and its line here. */
#define CAROM_LAWS(X)                                                                              \
    X(newton)                                                                                      \
    X(moreau)                                                                                      \
    X(inelastic)                                                                                   \
    X(poisson)                                                                                     \
    X(sequential)                                                                                  \
    X(bend)                                                                                        \
    X(breakable)                                                                                   \
    X(path)                                                                                        \
    X(matrix)                                                                                      \
    X(implicit)                                                                                    \
    X(coulomb)                                                                                     \
    X(lzb)                                                                                         \
    X(layer)

#define CAROM_LAW_DECLARED(name) extern const carom_law_ops carom_law_##name;
CAROM_LAWS(CAROM_LAW_DECLARED)
#undef CAROM_LAW_DECLARED

/* Why a frictionless convex law cannot speak about this impact (second-order cones, a region that
 * is a union), or NULL. */
const char *carom_law_needs_plain_contacts(const carom_geometry *geometry);

/* Is a law that a caller states one, and are its values those that it takes? `whose` begins the
 * sentence. The second: the laws that contacts have of their own; *own: some have. */
carom_status carom_law_check(const char *whose, const carom_law *law, bool any_restitution,
                             carom_error *error);
carom_status carom_law_check_own(int count, const carom_contact *contacts, bool any_restitution,
                                 bool *own, carom_error *error);

/* Mark the outcome as inapplicable with a reason; returns CAROM_OK, since that is an answer. */
carom_status carom_law_refuse(carom_outcome *outcome, const char *format, ...) CAROM_PRINTF(2, 3);

/* Modes of a frictionless outcome: closed where the impulse is not zero. */
void carom_law_set_modes(const carom_geometry *geometry, carom_outcome *outcome);

/* The parameter `solver` of laws that solve a complementarity problem, and what was chosen. */
#define CAROM_LAW_SOLVER                                                                           \
    {                                                                                              \
        .name = "solver", .kind = CAROM_PARAMETER_CHOICE,                                          \
        .choices = "auto|pivot|block|lemke|gauss-seidel|enumerate",                                \
        .doc = "algorithm for the complementarity problem (see `carom solvers`)"                   \
    }
carom_lcp_algorithm carom_law_solver(const carom_law *law);

/* Correct the positive impulses, and u with them, so that gamma meets the target (p, NULL: 0) there
 * to rounding. */
carom_status carom_law_refine(const carom_geometry *geometry, const double *target,
                              carom_arena *arena, double *u, double *impulse, carom_error *error);

/* The restitution coefficient of contact i. */
static inline double carom_law_restitution(const carom_geometry *geometry, int i)
{
    return geometry->impact->contacts ? geometry->impact->contacts[i].restitution : 0;
}

/* Those of all contacts, in the arena. NULL: no memory. */
double *carom_law_coefficients(const carom_geometry *geometry, carom_arena *arena);

/* What many laws do to a single contact (`single` of their table): gamma+ = -epsilon gamma-. */
double carom_law_single(const carom_law *law, const carom_contact *contact);

/* `mixes` of those laws that always can. */
bool carom_law_mixes(const carom_law *law);

#endif
