/* carom: the program. */
#include "cli.h"

int main(int argc, char **argv)
{
    return cli_program(argc, argv, CLI_ALONE);
}
