/* hlo_layout.h - the layout behind a shape: {1,0:T(8,128)(2,1)S(1)E(4)}. */
#ifndef HLO_LAYOUT_H
#define HLO_LAYOUT_H

#include "hlo/hlo_arena.h"
#include "hlo/hlo_lex.h"
#include "hlo/hlo_module.h"

/* True if a layout follows, without blanks before.  A '{' may also open a computation or a literal:
 * it is a layout if a digit, ':' or '}' comes next. */
bool hlo_layout_follows(const struct hlo_lex *x);
/* Read it for a shape of `rank` dimensions.  Errors: ERR_FORMAT, ERR_RANGE. */
int hlo_layout_read(struct hlo_lex *x, struct hlo_arena *arena, uint32_t rank,
                    struct hlo_layout *l);

#endif
