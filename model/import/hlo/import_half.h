/* import_half.h - halves of 64-bit numbers and parts of complex ones that are copied; private to
 * import. */
#ifndef IMPORT_HLO_IMPORT_HALF_H
#define IMPORT_HLO_IMPORT_HALF_H

#include "import/hlo/import_impl.h"

/* Find the halves of arguments and of results that are copied.  O(instructions) */
void import_half_find(struct importing *im);
bool import_half_moves(const struct importing *im, const struct hlo_instruction *i);
/* Fill in the bytes that such a copy moves. */
void import_half_read(const struct importing *im, const struct hlo_instruction *i,
                      struct import_kernel *k);

#endif
