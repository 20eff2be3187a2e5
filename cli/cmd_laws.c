/* carom laws [NAME]: what there is, from the library's own tables. */
#include "cli.h"
#include "json.h"

#include <math.h>
#include <string.h>

static const char *law_name(int k)
{
    return k < carom_law_count() ? carom_law_at(k)->name : NULL;
}

static const char *kind_text(carom_parameter_kind kind)
{
    switch (kind) {
    case CAROM_PARAMETER_NUMBER:
        return "number";
    case CAROM_PARAMETER_CHOICE:
        return "choice";
    case CAROM_PARAMETER_MATRIX:
        return "matrix";
    case CAROM_PARAMETER_LIST:
        return "list";
    case CAROM_PARAMETER_SQUARE:
        return "square matrix";
    case CAROM_PARAMETER_CONTACTS:
        return "contacts";
    }
    return "unknown";
}

static void print_default(char *text, size_t size, const carom_parameter *q)
{
    if (q->kind == CAROM_PARAMETER_CHOICE)
        snprintf(text, size, "%s", q->choices);
    else if (q->kind == CAROM_PARAMETER_NUMBER && isfinite(q->number))
        snprintf(text, size, "%g", q->number);
    else
        snprintf(text, size, "-");
}

static void print_law(const carom_law_ops *law)
{
    printf("%s%s%s\n", cli_table_colour() ? "\033[1m" : "", law->name,
           cli_table_colour() ? "\033[0m" : "");
    cli_table *table = cli_table_create(2);
    cli_table_cell(table, "  ");
    cli_table_cell(table, "%s", law->summary);
    cli_table_cell(table, "  ");
    cli_table_cell(table, "Reference: %s", law->reference);
    cli_table_print(table, stdout);
    table = cli_table_create(4);
    if (law->parameters && law->parameters->name) {
        cli_table_cell(table, "   ");
        cli_table_cell(table, "parameter");
        cli_table_cell(table, "default, or default|others");
        cli_table_cell(table, " ");
    }
    for (const carom_parameter *q = law->parameters; q && q->name; q++) {
        char text[128];
        print_default(text, sizeof text, q);
        cli_table_cell(table, "   ");
        cli_table_cell(table, "%s", q->name);
        cli_table_cell(table, "%s", text);
        cli_table_cell(table, "%s", q->doc);
    }
    cli_table_print(table, stdout);
}

static void write_parameter(carom_json *json, const carom_parameter *q)
{
    carom_json_object(json);
    cli_json_string(json, "name", q->name);
    cli_json_string(json, "kind", kind_text(q->kind));
    cli_json_string(json, "doc", q->doc);
    if (q->kind == CAROM_PARAMETER_NUMBER) {
        cli_json_number(json, "default", q->number);
        cli_json_number(json, "least", q->lower);
        cli_json_number(json, "most", q->upper);
    }
    if (q->kind == CAROM_PARAMETER_CHOICE) {
        char first[64];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(q->choices, "|"), q->choices);
        cli_json_string(json, "default", first);
        carom_json_key(json, "choices");
        carom_json_row(json);
        for (const char *word = q->choices; *word;) {
            char text[64];
            size_t length = 0;
            while (word[length] && word[length] != '|')
                length++;
            snprintf(text, sizeof text, "%.*s", (int)length, word);
            carom_json_string(json, text);
            word += length + (word[length] == '|');
        }
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void write_law(carom_json *json, const carom_law_ops *law)
{
    carom_json_object(json);
    cli_json_string(json, "name", law->name);
    cli_json_string(json, "summary", law->summary);
    cli_json_string(json, "reference", law->reference);
    cli_json_boolean(json, "frictional", law->frictional);
    carom_json_key(json, "parameters");
    carom_json_array(json);
    for (const carom_parameter *q = law->parameters; q && q->name; q++)
        write_parameter(json, q);
    carom_json_end(json);
    carom_json_end(json);
}

/* One law, or all of them (NULL), as {"laws": [...]}. */
static int print_json(const carom_law_ops *only)
{
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    carom_json_key(&json, "laws");
    carom_json_array(&json);
    for (int i = 0; i < carom_law_count(); i++)
        if (!only || carom_law_at(i) == only)
            write_law(&json, carom_law_at(i));
    carom_json_end(&json);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

static int unknown_law(const char *name)
{
    const char *names[64];
    int count = 0;
    for (; count < 64 && law_name(count); count++)
        names[count] = law_name(count);
    return cli_message_unknown(name, names, count, "; 'carom laws' lists them",
                               "there is no law '%s'", name);
}

static int run(const cli_arguments *arguments)
{
    const char *name = arguments->file_count ? arguments->files[0] : NULL;
    const carom_law_ops *only = name ? carom_law_find(name) : NULL;
    if (name && !only)
        return unknown_law(name);
    if (cli_option_given(arguments, "json"))
        return print_json(only);
    for (int i = 0; i < carom_law_count(); i++)
        if (!only || carom_law_at(i) == only)
            print_law(carom_law_at(i));
    return CLI_ANSWERED;
}

static const cli_option options[] = {
    {"json", NULL, "one JSON document on stdout", 0},
    {0},
};

const cli_command cli_laws = {
    .name = "laws",
    .arguments = "[NAME]",
    .summary = "list the impact laws, or one: parameters with defaults, reference",
    .most_files = 1,
    .options = options,
    .candidate = law_name,
    .run = run,
};
