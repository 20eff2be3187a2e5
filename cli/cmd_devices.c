/* carom devices: the accelerators that --device may name. */
#include "device.h"
#include "json.h"

#include <stdlib.h>

static int print_json(const carom_device_facts *facts, int count)
{
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    carom_json_key(&json, "devices");
    carom_json_array(&json);
    for (int k = 0; k < count; k++) {
        carom_json_object(&json);
        cli_json_string(&json, "name", facts[k].name);
        cli_json_string(&json, "platform", facts[k].platform);
        cli_json_string(&json, "driver", facts[k].version);
        cli_json_boolean(&json, "double_precision", facts[k].doubles);
        cli_json_integer(&json, "units", facts[k].units);
        cli_json_integer(&json, "memory", (long long)facts[k].memory);
        carom_json_end(&json);
    }
    carom_json_end(&json);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

static int print_table(const carom_device_facts *facts, int count)
{
    cli_table *table = cli_table_create(5);
    static const char *const headings[] = {"device", "memory", "units", "double precision",
                                           "platform"}; /* the last is what is wrapped */
    for (int k = 0; k < 5; k++)
        cli_table_cell(table, "%s", headings[k]);
    for (int k = 0; k < count; k++) {
        cli_table_cell(table, "%s", facts[k].name);
        cli_table_cell(table, "%.1f GiB", (double)facts[k].memory / (1 << 30));
        cli_table_cell(table, "%u", facts[k].units);
        cli_table_cell(table, "%s", facts[k].doubles ? "yes" : "no");
        cli_table_cell(table, "%s", facts[k].platform);
    }
    cli_table_print(table, stdout);
    return CLI_ANSWERED;
}

static int run(const cli_arguments *arguments)
{
    carom_device_facts *facts;
    int count, status = cli_device_list(&facts, &count);
    if (!status && count == 0)
        fputs("carom: OpenCL finds no device: install the driver of your accelerator, or "
              "pocl-opencl-icd, which runs on any CPU\n",
              stderr);
    if (!status)
        status = cli_option_given(arguments, "json") ? print_json(facts, count)
                 : count > 0                         ? print_table(facts, count)
                                                     : CLI_ANSWERED;
    free(facts);
    return !status && count == 0 ? CLI_MACHINE : status;
}

static const cli_option options[] = {
    {"json", NULL, "print JSON", 0},
    {0},
};

const cli_command cli_devices = {
    .name = "devices",
    .arguments = "",
    .summary = "accelerators (OpenCL) that `sweep --device` and `basins --device` can use",
    .text = "A device must compute in double precision. Any part of its name selects it.",
    .options = options,
    .run = run,
};
