/* decompressor.h - unpacks what a core reads: tensors are packed in HBM and plain in VMEM.
 *
 *      request >--[ shorten reads ]--> passed  ...HBM...  reply >--[ unpack ]--> replied
 *
 * A read of b bytes moves ceil(b * packed) bytes in HBM; its answer takes `unpack_time` to come
 * through, one answer at a time.  Writes and rows at random places pass as they are. */
#ifndef HW_CORE_DECOMPRESSOR_H
#define HW_CORE_DECOMPRESSOR_H

#include "base/param.h"
#include "base/stat.h"
#include "hw/wires/component.h"
#include "hw/wires/memory_stage.h"

/* clang-format off */
#define DECOMPRESSOR_PARAMS(P)                                                                     \
    P(PPB, packed, "ratio", "1", "0.01", "1", "bytes in HBM of a byte that is read; 1: there is no decompressor [what-if]") \
    P(FS, unpack_time, "s", "0 s", "0 s", "1 ms", "from the last packed byte of a transfer to its last plain one [what-if]")

#define DECOMPRESSOR_STATS(C, R)                                                                   \
    C(packed, "B", "bytes read from HBM")                                                          \
    C(plain,  "B", "bytes handed to the core for them")                                            \
    R("decompressor.packed", packed, plain, "bytes read from HBM over bytes handed to the core")
/* clang-format on */

struct decompressor_params {
    DECOMPRESSOR_PARAMS(PARAM_FIELD)
};
struct decompressor_stats {
    DECOMPRESSOR_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table decompressor_param_table;
extern const struct stat_table decompressor_stat_table;

struct decompressor {
    struct des_module mod;
    struct decompressor_params par;
    struct decompressor_stats st;
    struct memory_stage ends;
    struct mem_request request; /* at hand: locals do not survive a wait */
    struct mem_done done;
};

memory_stage_init decompressor_stage;

#endif
