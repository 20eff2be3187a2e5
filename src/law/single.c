/* The contact that approaches, for laws that know one contact at a time. */
#include "law/single.h"

#include "impact/predicate.h"
#include "law/laws.h"

int carom_single_find(const carom_geometry *g, const char *law, carom_outcome *outcome)
{
    char text[2][16];
    int found = -1;
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason) {
        outcome->answer = CAROM_ANSWER_INAPPLICABLE;
        carom_outcome_say(outcome, "%s", reason);
        return -1;
    }
    for (int i = 0; i < g->impact->p; i++) {
        if (!carom_predicate_approaches(g, i))
            continue;
        if (found >= 0) {
            outcome->answer = CAROM_ANSWER_INAPPLICABLE;
            carom_outcome_say(outcome,
                              "%s treats one contact at a time, but %s and %s approach "
                              "together",
                              law, carom_contact_name(g->impact->contacts, found, text[0]),
                              carom_contact_name(g->impact->contacts, i, text[1]));
            return -1;
        }
        found = i;
    }
    if (found < 0)
        carom_outcome_say(outcome, "no contact approaches: no impact, the velocity is kept");
    if (found >= 0 && !(g->norm[found] > 0)) {
        outcome->answer = CAROM_ANSWER_NONE;
        carom_outcome_say(outcome, "the joints block contact %s: no impulse changes its velocity",
                          carom_contact_name(g->impact->contacts, found, text[0]));
        return -1;
    }
    return found;
}

void carom_single_say_pressed(const carom_geometry *g, carom_outcome *outcome)
{
    char text[16];
    for (int i = 0; i < g->impact->p; i++)
        if (outcome->impulse[i] == 0 && carom_predicate_velocity(g, i, outcome->u) < 0)
            carom_outcome_say(outcome,
                              "contact %s did not approach and got no impulse, but approaches now",
                              carom_contact_name(g->impact->contacts, i, text));
}
