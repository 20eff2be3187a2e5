/* carom solvers: the algorithms for complementarity problems, from the library's own table. */
#include "cli.h"

static int run_solvers(const cli_arguments *arguments)
{
    (void)arguments;
    cli_table *table = cli_table_create(2);
    for (int i = 0; i < carom_lcp_solver_count(); i++) {
        const carom_lcp_solver_info *solver = carom_lcp_solver_at(i);
        cli_table_cell(table, "%s", solver->name);
        cli_table_cell(table, "%s. Reference: %s", solver->summary, solver->reference);
    }
    cli_table_print(table, stdout);
    return CLI_ANSWERED;
}

const cli_command cli_solvers = {
    .name = "solvers",
    .arguments = "",
    .summary = "list the solvers of complementarity problems",
    .run = run_solvers,
};
