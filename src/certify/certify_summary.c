/* One line per law: what theory promises at this impact, without tests that cost more than it. */
#include "certify/normal.h"
#include "linalg/spectrum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct promise {
    const char *law;
    const char *approaching; /* for approaching velocities */
    const char *otherwise;   /* some contact separates */
} promise;

static const promise promises[] = {
    {"newton", "proved for 0 <= e <= 1: separates, pushes only, loses energy",
     "pushes only; no proof otherwise, since a contact separates before"},
    {"moreau", "proved: separates, pushes only, loses energy",
     "proved: loses energy; a contact that separates before may not afterwards"},
    {"inelastic", "proved: separates, pushes only, loses the most energy possible",
     "proved: separates, pushes only, loses the most energy possible"},
    {"poisson", "proved: separates, pushes only; energy too where coupled e are equal",
     "proved: separates, pushes only"},
    {"sequential", "proved for 0 <= e <= 1: every collision loses energy",
     "proved for 0 <= e <= 1: every collision loses energy"},
    {"lzb", "proved: contacts only push and lose energy",
     "proved: contacts only push and lose "
     "energy"},
    {"layer", "proved for the contact it treats: separates, loses energy",
     "no impact: the contact separates"},
    {"breakable", "proved: loses energy; the cone is one of velocities, impulses may leave it",
     "no impact: the contact separates"},
    {"bend", "proved: keeps energy", "proved: keeps energy"},
    {"path", "", "no impact: the contact separates"},
    {"coulomb",
     "friction cone and Newton's law hold; energy may grow (carom check: "
     "friction-energy)",
     "friction cone and Newton's law hold; energy may grow (carom check: friction-energy)"},
};

/* A matrix: entrywise tests, and semidefiniteness by one factorisation. */
static carom_status judge_matrix(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                                 char *text, carom_error *error)
{
    int p = g->impact->p;
    const double *E;
    const carom_value *given = carom_law_value(law, "E");
    carom_normal m;
    if (given && given->rows > p) {
        snprintf(text, 200, "E prescribes tangential velocities too: carom check judges it");
        return CAROM_OK;
    }
    carom_status status = carom_certify_matrix(law, g, arena, &E, NULL, error);
    if (!status)
        status = carom_normal_make(g, arena, &m, error);
    if (status)
        return status;
    E = carom_normal_restitution(g, E, arena);
    double *C = carom_arena_zeros(arena, 2 * (size_t)p * p + p, sizeof(double));
    if (!E || !C)
        return carom_error_memory(error);
    double *R = C + (size_t)p * p + p;
    if (!m.regular) {
        snprintf(text, 200, "contacts are dependent: nothing is promised");
        return CAROM_OK;
    }
    bool signs = true, pushes = true, diagonal = true;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double r = m.K[i + (size_t)j * p];
            for (int k = 0; k < p; k++)
                r += m.K[i + (size_t)k * p] * E[k + (size_t)j * p];
            signs = signs && E[i + (size_t)j * p] >= 0;
            R[i + (size_t)j * p] = r; /* K (I + E) */
            pushes = pushes && r >= -1e-13 * m.K_norm;
            diagonal = diagonal && (i == j || E[i + (size_t)j * p] == 0);
        }
    for (int j = 0; j < p; j++) /* C = sym (I - E)'K(I + E) */
        for (int i = 0; i < p; i++) {
            double sum = R[i + (size_t)j * p] + R[j + (size_t)i * p];
            for (int k = 0; k < p; k++)
                sum -= E[k + (size_t)i * p] * R[k + (size_t)j * p] +
                       E[k + (size_t)j * p] * R[k + (size_t)i * p];
            C[i + (size_t)j * p] = 0.5 * sum;
        }
    status = carom_spectrum_symmetric(p, C, false, arena, C + (size_t)p * p, error);
    double least = p ? C[(size_t)p * p] : 0;
    snprintf(text, 200, "%s; %s; %s (carom check has the proofs)",
             signs ? "separates" : "may penetrate", pushes ? "pushes only" : "may pull",
             least >= -1e-12 * m.K_norm ? "never gains energy"
                                        : "may gain energy, at least for some velocities");
    return status;
}

static bool is_rough(const carom_geometry *g)
{
    for (int i = 0; i < g->impact->p && g->impact->contacts; i++)
        if (g->impact->contacts[i].slip_count > 0 && g->impact->contacts[i].friction_static > 0)
            return true;
    return false;
}

carom_status carom_certify_summary(const carom_law *law, const carom_geometry *geometry,
                                   carom_arena *arena, char *text, carom_error *error)
{
    snprintf(text, 200, "no general promise; the verdicts judge this outcome only");
    if (!law || !law->ops)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "summary: there is no law");
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = CAROM_OK;
    if (strcmp(law->ops->name, "matrix") == 0)
        status = judge_matrix(law, geometry, arena, text, error);
    for (size_t k = 0; k < sizeof promises / sizeof *promises; k++)
        if (strcmp(promises[k].law, law->ops->name) == 0)
            snprintf(text, 200, "%s",
                     geometry->approaching ? promises[k].approaching : promises[k].otherwise);
    if (strcmp(law->ops->name, "path") == 0 && geometry->approaching)
        snprintf(text, 200, "%s",
                 carom_law_is_choice(law, "stop", "newton")
                     ? "separates, pushes only; energy may grow (Kane's double pendulum)"
                 : carom_law_is_choice(law, "stop", "stronge")
                     ? "proved: separates, pushes only, loses energy"
                     : "separates, pushes only; no general proof for energy");
    if (strcmp(law->ops->name, "coulomb") == 0 && !is_rough(geometry)) {
        carom_law same = {carom_law_find("newton"), NULL, 0}; /* without friction they agree */
        if (carom_law_is_choice(law, "form", "equality"))
            same = (carom_law){carom_law_find("matrix"), law->values, law->value_count};
        return carom_certify_summary(&same, geometry, arena, text, error);
    }
    if (geometry->impact->p > 1 &&
        (strcmp(law->ops->name, "path") == 0 || strcmp(law->ops->name, "layer") == 0 ||
         strcmp(law->ops->name, "breakable") == 0))
        snprintf(text, 200, "a law of one contact: nothing is promised for the others");
    bool odd = false;
    for (int i = 0; i < geometry->impact->p && geometry->impact->contacts; i++)
        odd = odd || !(geometry->impact->contacts[i].restitution >= 0 &&
                       geometry->impact->contacts[i].restitution <= 1);
    if (odd && strcmp(law->ops->name, "matrix") != 0 && strcmp(law->ops->name, "inelastic") != 0)
        snprintf(text, 200, "nothing is promised for coefficients outside [0, 1]");
    carom_arena_rewind(arena, mark);
    return status;
}
