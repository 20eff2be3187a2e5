/* Contacts: the defaults of one, and what it is called. */
#include "carom/contact.h"
#include "carom/need.h"

#include <stdio.h>

carom_contact carom_contact_default(void)
{
    return (carom_contact){.stiffness = 1, .exponent = 1.5};
}

const char *carom_contact_name(const carom_contact *contacts, int k, char number[16])
{
    CAROM_NEED_OR(NULL, number);
    if (contacts && contacts[k].name)
        return contacts[k].name;
    snprintf(number, 16, "%d", k + 1);
    return number;
}
