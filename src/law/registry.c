/* The laws of the library by number and by name. */
#include "carom/need.h"
#include "carom/text.h"
#include "law/laws.h"

#include <string.h>

static const carom_law_ops *const laws[] = {
#define LISTED(name) &carom_law_##name,
    CAROM_LAWS(LISTED)
#undef LISTED
};

int carom_law_count(void)
{
    return (int)(sizeof laws / sizeof *laws);
}

const carom_law_ops *carom_law_at(int index)
{
    return index >= 0 && index < carom_law_count() ? laws[index] : NULL;
}

const carom_law_ops *carom_law_find(const char *name)
{
    if (!name)
        return NULL;
    const carom_law_ops *const *end = laws + sizeof laws / sizeof *laws;
    for (const carom_law_ops *const *law = laws; law < end; law++)
        if ((*law)->name[0] == name[0] && strcmp((*law)->name, name) == 0)
            return *law;
    return NULL;
}

carom_status carom_law_choose(const char *name, carom_law *law, carom_error *error)
{
    CAROM_NEED(error, name, law);
    const char *names[sizeof laws / sizeof *laws + 1] = {0};
    const carom_law_ops *ops = carom_law_find(name);
    for (int i = 0; i < carom_law_count(); i++)
        names[i] = laws[i]->name;
    const char *nearest = ops ? NULL : carom_word_nearest(name, names);
    if (!ops)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "there is no law %.60s%s%s%s", name,
                               nearest ? "; did you mean " : " (carom_law_at lists them)",
                               nearest ? nearest : "", nearest ? "?" : "");
    *law = (carom_law){.ops = ops};
    return CAROM_OK;
}
