/* hlo_show.h - an error at a place of a text, with the line it is in. */
#ifndef HLO_SHOW_H
#define HLO_SHOW_H

#include <stdint.h>

#include "base/err.h"

struct hlo_show {
    const char *file, *text, *end; /* the text and its end */
    const char *at;                /* the place */
    uint32_t line, column;
};

/* Fill the error: "file:line:column: what", below it about 100 columns of the line around the
 * place, below them a caret.  Long names and sentences are cut so that the caret stays.  Returns
 * -1. */
int hlo_show_error(const struct hlo_show *s, struct err *err, enum err_code code, const char *what);

#endif
