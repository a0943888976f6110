/* top_k.h - how the compiler takes the k largest keys of each row, as machine files state it.
 *
 * XLA:TPU has a kernel that keeps the k largest of a row's keys, for k up to a number that depends
 * on the width of the rows; else it sorts whole rows of pairs of keys and indices.  Where all k fit
 * in one of the pieces that a row is cut into, it sorts pieces instead, keeps k of each, and sorts
 * what is left: from a smaller k on, which grows with the width too.  Section [top_k] lists widths:
 * between two of them limits lie on a line, beyond the last they are its own, below the first 0. */
#ifndef KERNELS_COMMON_TOP_K_H
#define KERNELS_COMMON_TOP_K_H

#include "base/param.h"

/* clang-format off */
#define TOP_K_PARAMS(P)                                                                            \
    P(U32, pieces, "", "128", "1", "65536", "into which a row is cut [xla-programs]")

#define TOP_K_WIDTH_PARAMS(P)                                                                      \
    P(U64, most, "", "-", "0", "1000000000", "the largest k that the kernel takes, where rows are not cut [xla-programs]") \
    P(U64, whole, "", "0", "0", "1000000000", "the largest k of a row that is not cut, where pieces hold k keys; 0: as `most` [xla-programs]")
/* clang-format on */

/* Limits of rows of so many keys. */
struct top_k_width {
    struct param_string name;
    uint64_t keys;
    TOP_K_WIDTH_PARAMS(PARAM_FIELD)
};

/* The most widths that a machine lists. */
#define TOP_K_MOST_WIDTHS 24
struct top_k_params {
    TOP_K_PARAMS(PARAM_FIELD)
    uint32_t n;
    struct top_k_width width[TOP_K_MOST_WIDTHS];
};
extern const struct param_table top_k_param_table;

/* The kernel; a sort of whole rows; sorts of pieces, then of what they leave. */
enum top_k_way { TOP_K_KERNEL, TOP_K_SORT, TOP_K_PIECES };

/* The way in which the `k` largest of `keys` keys are found. */
enum top_k_way top_k_choose(const struct top_k_params *p, uint64_t keys, uint64_t k);

#endif
