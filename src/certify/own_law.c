/* What the law of a scene makes of certificates that judge another one: counter-examples are run
 * with it, and a proof about energy with friction is kept only where it is one for this law
 * (docs/theory/certificates.md, "Energy with friction"). */
#include "certify/own_law.h"

#include "certify/normal.h"
#include "certify/witness.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TRIED = 48 }; /* velocities, of a law of one solve; each rank of cost halves them */

typedef struct work {
    const carom_law *law;
    const carom_geometry *g;
    const carom_watch *watch;
    carom_arena *arena;
    carom_certificates *all;
    carom_error *error;
    int tried; /* velocities with an outcome that gains nothing */
} work;

static carom_status run_counterexamples(work *w)
{
    carom_status status = CAROM_OK;
    for (int i = 0; i < w->all->count && !status; i++) {
        carom_certificate *c = &w->all->list[i];
        const carom_witness_claim claim = carom_certificate_about(c)->claim;
        carom_witness_answer answer;
        if (!c->counterexample || claim == CAROM_WITNESS_NOTHING)
            continue;
        carom_mark mark = carom_arena_mark(w->arena);
        status = carom_witness_run_own(w->law, w->g, c->counterexample, claim, w->arena, &answer,
                                       w->error);
        carom_arena_rewind(w->arena, mark);
        if (!status && (answer.answered || claim == CAROM_WITNESS_NO_OUTCOME))
            c->own = answer.confirmed ? CAROM_TRUE : CAROM_FALSE;
    }
    return status;
}

/* Is the law that a certificate is about the law of the scene? */
static bool is_judged(const work *w, const carom_certificate *c)
{
    const carom_impact *impact = w->g->impact;
    for (int i = 0; i < impact->p && impact->contacts; i++)
        if (impact->contacts[i].law)
            return false;
    const carom_law_ops *ops = w->law->ops;
    return ops->coulomb && (c->coulomb & ops->coulomb(w->law));
}

/* Does the scene's law gain energy at this velocity? Then it refutes the certificate. */
static carom_status try_velocity(work *w, carom_certificate *c, const double *u)
{
    carom_mark mark = carom_arena_mark(w->arena);
    carom_witness_answer answer;
    double *kept = carom_arena_doubles(w->arena, (size_t)w->g->impact->n);
    if (!kept)
        return carom_error_memory(w->error);
    memcpy(kept, u, sizeof *kept * (size_t)w->g->impact->n);
    carom_status status =
        carom_witness_run_own(w->law, w->g, kept, CAROM_WITNESS_GAINS, w->arena, &answer, w->error);
    if (!status && answer.approaching && answer.confirmed) {
        c->holds = CAROM_FALSE;
        c->counterexample = kept;
        c->verified = true;
        c->own = CAROM_TRUE;
        c->value = answer.gain;
        c->law = w->law->ops->name;
        c->coulomb = 0;
        return CAROM_OK;
    }
    w->tried += !status && answer.approaching && answer.answered;
    carom_arena_rewind(w->arena, mark);
    return status;
}

/* The scene's own velocity, those that refute other certificates, then many others. */
static carom_status search(work *w, carom_certificate *c)
{
    const int most = MOST_TRIED >> w->law->ops->cost;
    carom_status status = try_velocity(w, c, w->g->u);
    for (int i = 0; i < w->all->count && !status && c->holds != CAROM_FALSE; i++)
        if (w->all->list[i].counterexample)
            status = try_velocity(w, c, w->all->list[i].counterexample);
    for (int k = 0; k < most && !status && c->holds != CAROM_FALSE; k++) {
        if (w->watch && !w->watch->go_on(w->watch->self, "friction-energy", (double)k / most))
            break;
        carom_mark mark = carom_arena_mark(w->arena);
        double *u;
        status = carom_witness_sample(w->g, (unsigned)k, w->g->speed, w->arena, &u, w->error);
        if (!status)
            status = try_velocity(w, c, u);
        if (c->holds != CAROM_FALSE)
            carom_arena_rewind(w->arena, mark);
    }
    return status;
}

/* A proof for coulomb in one form, or in both, is none for another law. */
static carom_status judge_energy(work *w, carom_certificate *c)
{
    char proved[64];
    carom_status status = CAROM_OK;
    if (!c->applies || c->holds != CAROM_TRUE || is_judged(w, c))
        return status;
    snprintf(proved, sizeof proved, "%s", c->law);
    c->holds = CAROM_UNDECIDED;
    if (!w->law->ops->frictional) {
        c->applies = false;
        carom_certificate_say(c,
                              "does not apply: the scene's law %s takes no friction; under law %s "
                              "no approaching velocity gains energy",
                              w->law->ops->name, proved);
        return status;
    }
    status = search(w, c);
    if (c->holds == CAROM_FALSE)
        carom_certificate_say(c,
                              "some approaching velocity gains energy under the scene's law %s, "
                              "though none does under law %s; value: share gained by the one shown",
                              w->law->ops->name, proved);
    else
        carom_certificate_say(c,
                              "undecided: no approaching velocity gains energy under law %s, which "
                              "proves nothing about the scene's law %s; with it %d velocities were "
                              "tried, and none gained",
                              proved, w->law->ops->name, w->tried);
    return status;
}

carom_status carom_own_law_judge(const carom_law *law, const carom_geometry *geometry,
                                 const carom_watch *watch, carom_arena *arena,
                                 carom_certificates *all, carom_error *error)
{
    work w = {law, geometry, watch, arena, all, error, 0};
    if (!law || !law->ops)
        return CAROM_OK;
    carom_status status = run_counterexamples(&w);
    for (int i = 0; i < all->count && !status; i++)
        if (all->list[i].coulomb)
            status = judge_energy(&w, &all->list[i]);
    return status;
}
