/* The picture of a branch of periodic motions. */
#ifndef CAROM_CLI_BRANCH_PICTURE_H
#define CAROM_CLI_BRANCH_PICTURE_H

#include "branch.h"

/* Draw `plotted` of the rows, called `quantity`, over the parameter: stable parts full, unstable
 * ones dashed, events marked. */
int cli_branch_picture(const cli_arguments *arguments, const cli_branch *branch,
                       const char *quantity, const char *path);

#endif
