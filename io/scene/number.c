/* Why a text is no number as scenes write them. */
#include "scene/number.h"

#include <string.h>

const char *carom_number_why_not(const char *text)
{
    static const char *const not_finite[] = {".inf", ".Inf", ".INF", "inf", "Inf", "INF",
                                             ".nan", ".NaN", ".NAN", "nan", "NaN", NULL};
    const char *s = text + (*text == '-' || *text == '+');
    for (int k = 0; not_finite[k]; k++)
        if (strcmp(s, not_finite[k]) == 0)
            return "a finite number is needed here";
    if (s[0] == '0' && s[1] && strchr("xXobB", s[1]))
        return "only decimal numbers are read";
    size_t digits = strspn(s, "0123456789");
    if (digits && s[digits] == '_')
        return "digits are not grouped by `_`";
    if (digits && s[digits] == ':')
        return "a number has no `:`; write hours and minutes as a formula";
    return NULL;
}
