/* evidence_text.h - what the figures of a replay rest on, as text: the error to expect, and the
 * measurements that are like it. */
#ifndef REPORT_TEXT_EVIDENCE_TEXT_H
#define REPORT_TEXT_EVIDENCE_TEXT_H

#include <stdio.h>

#include "run/result.h"

/* The lines "expect" and "checked" of a verdict. */
void evidence_text(const struct run_result *r, FILE *out);

#endif
