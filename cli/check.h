/* The answer of `carom check`: certificates, the contact problem, critical friction. */
#ifndef CAROM_CLI_CHECK_H
#define CAROM_CLI_CHECK_H

#include "answer.h"

enum { CHECK_SAMPLES = 201, CHECK_CURVE = 101 };

typedef struct cli_check {
    cli_answer answer;
    const carom_law *law; /* of the scene, may be NULL */
    const double *E;      /* p x p, or NULL: the contacts' coefficients */
    char note[160];       /* about E */
    carom_certificates all;
    bool has_problem; /* a system: the contact problem was posed */
    carom_painleve problem;
    carom_margins margins;
    bool has_pair; /* two independent contacts: region and curve of equal energy */
    carom_pair_region region;
    carom_same_energy same_energy;
    const char *micro_law; /* law of the micro-gaps */
    carom_micro_gaps micro;
    bool has_critical;
    carom_critical critical;
    const char *along; /* coordinate of --along, or NULL */
    double along_from, along_to;
    double samples[CHECK_SAMPLES];
    carom_critical_path path;
    bool stopped;
} cli_check;

int cli_check_json(const cli_check *check);
void cli_check_text(const cli_check *check);

#endif
