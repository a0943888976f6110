/* import_half.h - halves of 64-bit numbers and parts of complex ones that are copied; private to
 * import. */
#ifndef IMPORT_HLO_PROGRAM_IMPORT_HALF_H
#define IMPORT_HLO_PROGRAM_IMPORT_HALF_H

#include "import/hlo/program/importing.h"

/* Find the halves of arguments and of results that are copied.  O(instructions) */
void import_half_find(struct importing *im);
bool import_half_moves(const struct importing *im, const struct hlo_instruction *i);
/* True of a custom call that takes one half out of its operand. */
bool import_half_is_split(const struct importing *im, const struct hlo_instruction *i);

#endif
