/* The program: one table of commands, one way to read options, exit statuses as in cli.h. */
#include "cli.h"
#include "watch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The commands, in the order `carom help` lists them. */
#define COMMANDS(X)                                                                                \
    X(cli_impact)                                                                                  \
    X(cli_inspect)                                                                                 \
    X(cli_run)                                                                                     \
    X(cli_sweep)                                                                                   \
    X(cli_gradient)                                                                                \
    X(cli_orbit_command)                                                                           \
    X(cli_follow)                                                                                  \
    X(cli_lyapunov)                                                                                \
    X(cli_basins_command)                                                                          \
    X(cli_view)                                                                                    \
    X(cli_check_command)                                                                           \
    X(cli_outcomes_command)                                                                        \
    X(cli_solve)                                                                                   \
    X(cli_rods)                                                                                    \
    X(cli_figure)                                                                                  \
    X(cli_plot)                                                                                    \
    X(cli_scenes)                                                                                  \
    X(cli_laws)                                                                                    \
    X(cli_solvers)                                                                                 \
    X(cli_devices)                                                                                 \
    X(cli_completion)                                                                              \
    X(cli_help)

#define DECLARE(name) extern const cli_command name;
COMMANDS(DECLARE)

#define LIST(name) &name,
const cli_command *const cli_commands[] = {COMMANDS(LIST) NULL};

const cli_command *cli_command_find(const char *name)
{
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[64];
    int count = 0;
    while (cli_commands[count] && count < 64) {
        names[count] = cli_commands[count]->name;
        count++;
    }
    return cli_message_unknown(name, names, count, "; 'carom help' lists them",
                               "unknown command '%s'", name);
}

/* OpenBLAS starts a thread per core that spins between calls, which costs far more than it brings
 * at the sizes of impacts (docs/decisions.md); absent with another BLAS. */
extern void openblas_set_num_threads(int count) __attribute__((weak));

/* mpirun starts the same command many times: each would do all of it. */
static int check_alone(const cli_command *command, bool distributes)
{
    const char *ours = getenv("OMPI_COMM_WORLD_SIZE"), *others = getenv("PMI_SIZE");
    const char *size = ours ? ours : others;
    if (distributes || !command->help || !size || atol(size) < 2)
        return CLI_ANSWERED;
    return cli_message_usage("%s: this program was started %s times and would compute everything "
                             "as often; carom-mpi distributes (it is built where Open MPI is "
                             "installed: apt install openmpi-bin libopenmpi-dev)",
                             command->name, size);
}

/* carom-mpi without a command, or asked for help. */
static int list_distributed(void)
{
    fputs(
        "mpirun -np N carom-mpi COMMAND FILE [options]\n\n"
        "These commands of carom over the processes of mpirun, with the same options and the same "
        "output\n(carom-mpi COMMAND --help tells them):\n\n",
        stdout);
    cli_table *table = cli_table_create(2);
    for (int i = 0; cli_commands[i]; i++)
        if (cli_commands[i]->help) {
            cli_table_cell(table, "  %s", cli_commands[i]->name);
            cli_table_cell(table, "%s", cli_commands[i]->summary);
        }
    cli_table_print(table, stdout);
    return CLI_ANSWERED;
}

/* The command, or a helper's part in it. */
static int act(const cli_arguments *arguments, cli_role role)
{
    const cli_command *command = arguments->command;
    if (role != CLI_ALONE && command == &cli_help && arguments->file_count == 0)
        return list_distributed();
    if (role == CLI_HELPS)
        return command->help ? command->help(arguments) : CLI_USAGE;
    int status = check_alone(command, role == CLI_LEADS);
    if (status == CLI_ANSWERED && role == CLI_LEADS && !command->help)
        status = cli_message_usage("%s is not distributed: use carom", command->name);
    if (status == CLI_ANSWERED)
        status = cli_output_check(arguments);
    return status == CLI_ANSWERED ? command->run(arguments) : status;
}

int cli_program(int argc, char **argv, cli_role role)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    const char *name = argc > 1 ? argv[1] : "help";
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit is an error to report, not a death */
    cli_watch_signals();
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0) {
        printf("carom %s\n", CAROM_VERSION);
        return cli_message_finish(CLI_ANSWERED);
    }
    const cli_command *command = cli_command_find(name);
    if (!command)
        return unknown_command(name);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            cli_command_help(stdout, command);
            return cli_message_finish(CLI_ANSWERED);
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("carom %s\n", CAROM_VERSION);
            return cli_message_finish(CLI_ANSWERED);
        }
    }
    cli_arguments arguments;
    int status = cli_options_parse(command, argc - 2, argv + 2, &arguments);
    if (status == CLI_ANSWERED) {
        status = act(&arguments, role);
        cli_options_free(&arguments);
    }
    status = cli_message_finish(status);
    if (status == CLI_MACHINE) { /* handlers of libraries may stumble over what just failed */
        fflush(NULL);
        _exit(status);
    }
    return status;
}
