/* --sample: values at random, evenly spread (Sobol), the same for the same --seed. */
#include "sweep_plan.h"

#include "carom/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int read_one(const char *text, char **name, carom_distribution *distribution)
{
    const char *equals = strchr(text, '=');
    carom_error error = {0};
    if (!equals || equals == text)
        return cli_message_usage(
            "sweep: --sample '%s': there is no name; write it as in e=normal(0.8,0.02)", text);
    *name = strndup(text, (size_t)(equals - text));
    if (!*name)
        return cli_message_memory();
    if (carom_distribution_parse(equals + 1, distribution, &error))
        return cli_message_usage("sweep: --sample %s: %s", *name, error.text);
    return CLI_ANSWERED;
}

/* A whole number from least to most after an option; *number as it was without it. */
static int read_whole(const cli_arguments *arguments, const char *option, double least, double most,
                      double *number)
{
    int status = cli_option_number(arguments, option, number);
    if (!status && (!(*number >= least && *number <= most) || *number != floor(*number)))
        status = cli_message_usage("sweep: --%s %.10g is not a whole number from %.10g to %.10g",
                                   option, *number, least, most);
    return status;
}

static int draw(cli_list *list, const carom_distribution *distributions, double seed)
{
    list->values = malloc((size_t)list->count * (size_t)list->names * sizeof *list->values);
    if (!list->values)
        return cli_message_memory();
    for (long k = 0; k < list->count; k++)
        for (int j = 0; j < list->names; j++)
            list->values[k * list->names + j] = carom_distribution_quantile(
                &distributions[j], carom_sobol_point(j, (uint32_t)k, (uint64_t)seed));
    return CLI_ANSWERED;
}

int cli_sweep_sample_read(cli_sweep_plan *plan)
{
    carom_distribution distributions[CAROM_SOBOL_DIMENSIONS];
    const cli_arguments *arguments = plan->arguments;
    cli_list *list = &plan->samples;
    double count = 0, seed = 0;
    while (cli_option_value(arguments, "sample", list->names))
        list->names++;
    if (list->names == 0 &&
        (cli_option_given(arguments, "count") || cli_option_given(arguments, "seed")))
        return cli_message_usage("sweep: --count and --seed belong to --sample");
    if (list->names == 0)
        return CLI_ANSWERED;
    const int wanted = list->names;
    list->names = 0;
    if (wanted > CAROM_SOBOL_DIMENSIONS)
        return cli_message_usage("sweep: %d names are sampled, at most %d can be", wanted,
                                 CAROM_SOBOL_DIMENSIONS);
    if (!cli_option_given(arguments, "count"))
        return cli_message_usage("sweep: --sample needs --count N, the number of samples");
    list->name = calloc((size_t)wanted + 1, sizeof *list->name);
    if (!list->name)
        return cli_message_memory();
    int status = read_whole(arguments, "count", 1, 1e8, &count);
    if (!status)
        status = read_whole(arguments, "seed", 0, 9007199254740992.0, &seed);
    for (; list->names < wanted && !status; list->names++)
        status = read_one(cli_option_value(arguments, "sample", list->names),
                          &list->name[list->names], &distributions[list->names]);
    list->count = (long)count;
    return status ? status : draw(list, distributions, seed);
}
