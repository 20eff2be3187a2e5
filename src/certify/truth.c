#include "carom/certify.h"

const char *carom_truth_text(carom_truth truth)
{
    return truth == CAROM_TRUE ? "true" : truth == CAROM_FALSE ? "false" : "undecided";
}
