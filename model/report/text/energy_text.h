/* energy_text.h - what the chips take, as lines of the verdict. */
#ifndef REPORT_TEXT_ENERGY_TEXT_H
#define REPORT_TEXT_ENERGY_TEXT_H

#include <stdio.h>

#include "run/result/result.h"

/* "  energy   12 J/step of the chips" and what the power goes to, with sources; nothing where
 * nobody published the power of the chip.  At most 100 columns wide. */
void energy_text(const struct run_result *r, FILE *out);

#endif
