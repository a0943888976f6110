/* import_pick.h - which module of a text that holds several is read. */
#ifndef IMPORT_IMPORT_PICK_H
#define IMPORT_IMPORT_PICK_H

#include "hlo/hlo_module.h"
#include "import/import_reader.h"

/* The index of the module that the request names by its name or number; the first if it names none.
 * Errors: ERR_UNKNOWN, ERR_RANGE. */
int import_pick(const struct import_request *q, const struct hlo_piece *piece, uint32_t n,
                uint32_t *which, struct err *err);
/* "module 1 of 3 (main, loss, init)", with as many of the names as there is room for. */
void import_pick_place(const struct hlo_piece *piece, uint32_t n, uint32_t which, char *buf,
                       size_t size);

#endif
