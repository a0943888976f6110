/* account_text.h - what the seconds of a step rest on, as text. */
#ifndef REPORT_TEXT_ACCOUNT_TEXT_H
#define REPORT_TEXT_ACCOUNT_TEXT_H

#include <stdio.h>

#include "run/result/result.h"

/* "97.2 % measured kinds of kernels, 2.8 % models without a measurement"; no newline. */
void account_text_shares(const struct account *a, FILE *out);

/* The line "  rests on ..."; where more than ACCOUNT_OPEN percent are neither measured nor modelled
 * or some work was not read, lines for the reasons, with the operations that take longest. */
void account_text(const struct run_result *r, FILE *out);

/* ": 22.0 % of it is not known" (account_write_unknown), where that is more than ACCOUNT_UNKNOWN;
 * else false, and nothing is written. */
bool account_text_unknown(const struct account *a, FILE *out);

/* A line on the cell below. */
#define ACCOUNT_TEXT_KNOWN                                                                         \
    "known: % of the step whose work could be read and data do not decide; >: work is left out\n"

/* The known percentage in a cell of a table, "?" if what was left out may be any; ">" behind it
 * where work is left out, else a blank. */
void account_text_cell(const struct account *a, int width, FILE *out);

#endif
