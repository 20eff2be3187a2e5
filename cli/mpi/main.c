/* carom-mpi: the commands of carom that are distributed, over the processes of mpirun. */
#include "post.h"

#include <fcntl.h>
#include <unistd.h>

/* All processes read the same scene and meet the same errors: the first one tells of them. */
static void keep_quiet(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

int main(int argc, char **argv)
{
    int rank, size;
    cli_post_open(&argc, &argv, &rank, &size);
    if (rank > 0)
        keep_quiet();
    const int status = cli_program(argc, argv, rank == 0 ? CLI_LEADS : CLI_HELPS);
    cli_post_close(status);
    /* mpirun ends all processes at the first that fails, which must not be one that keeps quiet */
    return rank == 0 ? status : 0;
}
