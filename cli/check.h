/* The answer of `carom check`: certificates, the contact problem, critical friction. */
#ifndef CAROM_CLI_CHECK_H
#define CAROM_CLI_CHECK_H

#include "answer.h"

enum { CHECK_SAMPLES = 201 };

typedef struct cli_check {
    cli_answer answer;
    const carom_law *law; /* of the scene, or the default */
    bool law_by_default;  /* nobody asked for it */
    carom_check_answer found;
    double budget;          /* seconds; what is not done by then is left out */
    bool out_of_budget;     /* it was spent */
    bool has_outcome;       /* a restitution matrix that explains an outcome: */
    const char *outcome_of; /* its law, NULL: given by --after */
    const double *after;    /* n, velocity after the impact */
    carom_outcome_matrix outcome;
    const char *along; /* coordinate of --along, or NULL */
    double along_from, along_to;
    double samples[CHECK_SAMPLES];
    carom_critical_path path;
} cli_check;

int cli_check_json(const cli_check *check);
void cli_check_text(const cli_check *check);

/* Words of text, folded to the width, each line indented. */
void cli_check_paragraph(int indent, const char *text);

/* What is said about coefficients of restitution, in check_coefficients.c. */
void cli_check_coefficients(const cli_check *check);

#endif
