/* evidence_text.h - what the figures of a replay rest on, as text: the error to expect, and the
 * measurements that are like it. */
#ifndef REPORT_TEXT_EVIDENCE_TEXT_H
#define REPORT_TEXT_EVIDENCE_TEXT_H

#include <stdio.h>

#include "run/result/result.h"

/* The line "  expect   an error of 7.3 % either way: 210 steps of fc on tpu-v2, by hand". */
void evidence_text_expected(const struct run_result *r, FILE *out);

/* The lines "expect" and "checked" of a verdict. */
void evidence_text(const struct run_result *r, FILE *out);

/* The error to expect in a cell of a table; "none": nobody knows it. */
void evidence_text_cell(const struct run_result *r, int width, FILE *out);

#endif
