/* What a caller says of a law: it must be one, and its values those that it takes. */
#include "base/apart.h"
#include "carom/text.h"
#include "law/laws.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The name a caller misspelt is lost when carom_law_find gave NULL: tell all there are. */
static carom_status tell_names(carom_error *error, const char *whose)
{
    char names[200] = "";
    for (int k = 0; k < carom_law_count(); k++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", carom_law_at(k)->name);
    }
    return carom_error_set(
        error, CAROM_ERROR_ARGUMENT,
        "%s has no ops; carom_law_find gives NULL for a name it does not know (there "
        "are %s), carom_law_choose tells which name is wrong",
        whose, names);
}

static carom_status refuse(carom_error *error, const carom_law *law, const carom_value *value,
                           const char *what)
{
    return carom_error_set(error, CAROM_ERROR_ARGUMENT, "law %s: %.80s %s", law->ops->name,
                           value->name, what);
}

static carom_status check_name(const carom_law *law, const carom_value *value,
                               const carom_parameter **parameter, carom_error *error)
{
    enum { MOST = 31 };
    const char *names[MOST + 1];
    int count = 0;
    *parameter = NULL;
    if (!value->name)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "law %s: value %d has no name",
                               law->ops->name, (int)(value - law->values) + 1);
    for (const carom_parameter *q = law->ops->parameters; q && q->name; q++) {
        if (count < MOST)
            names[count++] = q->name;
        if (strcmp(q->name, value->name) == 0)
            *parameter = q;
    }
    names[count] = NULL;
    const char *nearest = *parameter ? NULL : carom_word_nearest(value->name, names);
    return *parameter
               ? CAROM_OK
               : carom_error_set(error, CAROM_ERROR_ARGUMENT, "law %s has no parameter %.80s%s%s%s",
                                 law->ops->name, value->name, nearest ? "; did you mean " : "",
                                 nearest ? nearest : "", nearest ? "?" : "");
}

static carom_status check_number(const carom_law *law, const carom_parameter *q,
                                 const carom_value *value, bool any_restitution, carom_error *error)
{
    const double x = value->number;
    if (isnan(x))
        return refuse(error, law, value, "is not a number");
    if (!(q->lower < q->upper) || (x >= q->lower && x <= q->upper) ||
        (any_restitution && strcmp(q->name, "restitution") == 0))
        return CAROM_OK;
    return carom_error_set(error, CAROM_ERROR_ARGUMENT, "law %s: %s is %g, allowed is %g to %g",
                           law->ops->name, q->name, x, q->lower, q->upper);
}

/* The words of a choice are separated by '|'. */
static carom_status check_choice(const carom_law *law, const carom_parameter *q,
                                 const carom_value *value, carom_error *error)
{
    if (!value->text)
        return refuse(error, law, value, "has no text");
    const size_t length = strlen(value->text);
    for (const char *word = q->choices; word; word = strchr(word, '|')) {
        word += *word == '|';
        if (strcspn(word, "|") == length && strncmp(word, value->text, length) == 0)
            return CAROM_OK;
    }
    return carom_error_set(error, CAROM_ERROR_ARGUMENT, "law %s: %s is %.80s, allowed are %s",
                           law->ops->name, q->name, value->text, q->choices);
}

/* Is it a kind that has `numbers`? Those differ in their shapes only. */
static bool is_numbers(carom_parameter_kind kind)
{
    return kind != CAROM_PARAMETER_NUMBER && kind != CAROM_PARAMETER_CHOICE;
}

static carom_status check_numbers(const carom_law *law, const carom_parameter *q,
                                  const carom_value *value, carom_error *error)
{
    const bool contacts = q->kind == CAROM_PARAMETER_CONTACTS, words = contacts && value->words;
    const bool list = contacts || q->kind == CAROM_PARAMETER_LIST;
    const bool square = q->kind == CAROM_PARAMETER_SQUARE;
    if (value->rows < 0 || value->columns < 0 || (list && value->columns != 1) ||
        (!list && (value->rows == 0 || value->columns == 0)) ||
        (square && value->rows != value->columns))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "law %s: %s is given %d x %d, but it is a %s", law->ops->name,
                               q->name, value->rows, value->columns,
                               list     ? "list: columns = 1"
                               : square ? "square matrix"
                                        : "matrix");
    const size_t count = (size_t)value->rows * (size_t)value->columns;
    if (count && !value->numbers && !words)
        return refuse(error, law, value, "has no numbers");
    for (size_t k = 0; k < count && words; k++)
        if (!value->words[k])
            return refuse(error, law, value, "names a contact by NULL");
    for (size_t k = 0; k < count && !words; k++)
        if (!isfinite(value->numbers[k]))
            return refuse(error, law, value, "has an entry that is not finite");
    return CAROM_OK;
}

static carom_status check_value(const carom_law *law, const carom_value *value,
                                bool any_restitution, carom_error *error)
{
    const carom_parameter *q;
    carom_status status = check_name(law, value, &q, error);
    if (status)
        return status;
    const bool unsaid = value->kind == (carom_parameter_kind)0;
    if (value->kind != q->kind && !unsaid && !(is_numbers(value->kind) && is_numbers(q->kind)))
        return refuse(error, law, value, "is given as another kind of value than it is");
    if (q->kind == CAROM_PARAMETER_NUMBER)
        return check_number(law, q, value, any_restitution, error);
    if (q->kind == CAROM_PARAMETER_CHOICE)
        return check_choice(law, q, value, error);
    return check_numbers(law, q, value, error);
}

CAROM_APART static carom_status check_values(const carom_law *law, bool any_restitution,
                                             carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int i = 0; i < law->value_count && !status; i++)
        status = check_value(law, &law->values[i], any_restitution, error);
    return status;
}

carom_status carom_law_check(const char *whose, const carom_law *law, bool any_restitution,
                             carom_error *error)
{
    if (!law->ops)
        return tell_names(error, whose);
    if (!law->ops->name || !law->ops->apply)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%s: its ops have no %s", whose,
                               law->ops->name ? "function apply" : "name");
    if (law->value_count < 0 || (law->value_count && !law->values))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "law %s: %d values, but no list of them", law->ops->name,
                               law->value_count);
    return law->value_count ? check_values(law, any_restitution, error) : CAROM_OK;
}

/* The own laws of contacts from i on, the first that has one. */
CAROM_APART static carom_status check_own_from(int i, int count, const carom_contact *contacts,
                                               bool any_restitution, carom_error *error)
{
    char number[16], whose[120];
    carom_status status = CAROM_OK;
    for (; i < count && !status; i++)
        if (contacts[i].law) {
            snprintf(whose, sizeof whose, "the own law of contact %.80s",
                     carom_contact_name(contacts, i, number));
            status = carom_law_check(whose, contacts[i].law, any_restitution, error);
        }
    return status;
}

carom_status carom_law_check_own(int count, const carom_contact *contacts, bool any_restitution,
                                 bool *own, carom_error *error)
{
    int first = contacts ? 0 : count; /* mostly there is none */
    while (first < count && !contacts[first].law)
        first++;
    *own = first < count;
    return *own ? check_own_from(first, count, contacts, any_restitution, error) : CAROM_OK;
}
