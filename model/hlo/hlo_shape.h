/* hlo_shape.h - shapes as XLA writes them: bf16[8,256]{1,0:T(8,128)(2,1)S(1)}, (f32[], (s32[2])).
 *
 * A program has few shapes and writes them often, so each text of a shape is read once. */
#ifndef HLO_SHAPE_H
#define HLO_SHAPE_H

#include "hlo/hlo_arena.h"
#include "hlo/hlo_lex.h"
#include "hlo/hlo_module.h"

#define HLO_SHAPE_MAX_RANK 64  /* dimensions of an array */
#define HLO_SHAPE_MAX_DEPTH 64 /* tuples inside tuples */

struct hlo_shape_slot {
    struct hlo_text text;
    uint32_t hash;
    const struct hlo_shape *shape; /* NULL: empty */
};

struct hlo_shapes {
    struct hlo_arena *arena; /* where shapes live */
    struct hlo_shape_slot *slot;
    uint32_t n, cap;        /* cap: a power of two, or 0 */
    struct hlo_shape *part; /* stack of parts of tuples that are being read */
    uint32_t n_parts, cap_parts;
    unsigned depth;
};

/* Read the shape after blanks.  Errors: ERR_FORMAT, ERR_RANGE, ERR_UNKNOWN for a dtype. */
int hlo_shape_read(struct hlo_lex *x, struct hlo_shapes *s, const struct hlo_shape **shape);
/* True if a shape begins after blanks: `f32[`, `(` or `b(`, but no word before another character.
 */
bool hlo_shape_follows(struct hlo_lex *x);
/* Skip a shape without reading it. */
int hlo_shape_skip(struct hlo_lex *x);
void hlo_shape_free(struct hlo_shapes *s); /* the table; the shapes stay in the arena */

#endif
