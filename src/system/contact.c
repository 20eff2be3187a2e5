#include "carom/contact.h"

carom_contact carom_contact_default(void)
{
    return (carom_contact){.stiffness = 1, .exponent = 1.5};
}
