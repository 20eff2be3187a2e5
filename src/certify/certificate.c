/* Lists of certificates: adding, finding, and the words of their answers. */
#include "carom/need.h"
#include "certify/normal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHORT = 200 }; /* rows of a matrix that is multiplied or factored within milliseconds */

#define ANY                         false
#define NORMAL                      true
#define LINE(id, name, claim, part) {name, CAROM_WITNESS_##claim, part},
static const carom_certificate_line lines[] = {CAROM_CERTIFICATE_KINDS(LINE)};
#undef LINE

const char *carom_truth_text(carom_truth truth)
{
    return truth == CAROM_TRUE ? "true" : truth == CAROM_FALSE ? "false" : "undecided";
}

const char *carom_validity_text(carom_validity scope)
{
    return scope == CAROM_SCOPE_THIS          ? "this velocity"
           : scope == CAROM_SCOPE_APPROACHING ? "approaching velocities"
                                              : "all velocities";
}

const carom_certificate *carom_certificates_find(const carom_certificates *all, const char *name)
{
    CAROM_NEED_OR(NULL, all, name);
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->list[i].name, name) == 0)
            return &all->list[i];
    return NULL;
}

const carom_certificate_line *carom_certificate_about(const carom_certificate *certificate)
{
    return &lines[certificate->kind];
}

carom_certificate *carom_certificates_add(carom_certificates *all, carom_certificate_kind kind,
                                          carom_validity scope, const char *reference)
{
    if (all->count == CAROM_CERTIFICATES)
        return NULL;
    carom_certificate *c = &all->list[all->count++];
    *c = (carom_certificate){.name = lines[kind].name,
                             .holds = CAROM_UNDECIDED,
                             .own = CAROM_UNDECIDED,
                             .applies = true,
                             .scope = scope,
                             .value = NAN,
                             .bound = NAN,
                             .reference = reference,
                             .kind = (int)kind};
    return c;
}

bool carom_certificates_go_on(carom_certificates *all, const carom_watch *watch, int p,
                              const char *what)
{
    const bool is_long = p > SHORT;
    const bool go_on = !watch || !is_long || watch->go_on(watch->self, what, 0);
    all->stopped |= !go_on;
    return go_on;
}

void carom_certificate_say(carom_certificate *certificate, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(certificate->text, sizeof certificate->text, format, arguments);
    va_end(arguments);
}
