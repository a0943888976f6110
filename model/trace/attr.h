/* attr.h - the attributes of operations: each is declared once, in the order in which it is
 * printed. */
#ifndef TRACE_ATTR_H
#define TRACE_ATTR_H

#include "trace/trace.h"

/* The type of an attribute's text:
 *
 *     INT        an integer              COUNT      an integer, 1 at least
 *     GROUP      an integer of 32 bits   FLAG       0 or 1
 *     TEXT       a string                DIMS       5x6x6, each 1 at least
 *     PADS       0_0x1_1                 VALUE      %name
 *     PLACES     lhs+out                 AXES       0+2
 *     BASIS      loop+unread
 *     FN         tanh                    PRECISION  high
 *     ALGORITHM  ring                    TIME       "2.35 ms"
 *     LISTS      "0 7, 1 6" */
/* clang-format off */
enum attr_type { ATTR_INT, ATTR_COUNT, ATTR_GROUP, ATTR_FLAG, ATTR_TEXT, ATTR_DIMS, ATTR_PADS,
                 ATTR_VALUE, ATTR_PLACES, ATTR_BASIS, ATTR_AXES, ATTR_FN, ATTR_PRECISION,
                 ATTR_ALGORITHM, ATTR_TIME, ATTR_LISTS };

/*    enum        key           type   field of struct trace_op */
#define ATTRS(A)                                                                                   \
    A(NAME,       "name",       TEXT,  name)                                                       \
    A(STAGE,      "stage",      INT,   stage)                                                      \
    A(TO,         "to",         INT,   to)                                                         \
    A(TA,         "ta",         FLAG,  ta)                                                         \
    A(TB,         "tb",         FLAG,  tb)                                                         \
    A(SIZE,       "size",       DIMS,  win.size)                                                   \
    A(STRIDE,     "stride",     DIMS,  win.stride)                                                 \
    A(PAD,        "pad",        PADS,  win.pad_lo)                                                 \
    A(DILATE,     "dilate",     DIMS,  win.dilate)                                                 \
    A(GROUPS,     "groups",     COUNT, groups)                                                     \
    A(PRECISION,  "precision",  PRECISION, precision)                                              \
    A(BIAS,       "bias",       VALUE, bias)                                                       \
    A(FN,         "fn",         FN,    fn)                                                         \
    A(FN_FLOPS,   "fn-flops",   COUNT, fn_flops)                                                   \
    A(PASSES,     "passes",     COUNT, passes)                                                     \
    A(EINSUMS,    "einsums",    INT,   einsums)                                                    \
    A(LIBRARY,    "library",    FLAG,  library)                                                    \
    A(OVER,       "dims",       AXES,  over)                                                       \
    A(DISPATCH,   "dispatch",   COUNT, dispatch)                                                   \
    A(RESIDENT,   "resident",   PLACES, resident)                                                  \
    A(ROWS,       "rows",       COUNT, rows)                                                       \
    A(COLS,       "cols",       COUNT, cols)                                                       \
    A(TABLE_ROWS, "table-rows", COUNT, table_rows)                                                 \
    A(SORTED,     "sorted",     FLAG,  sorted)                                                     \
    A(UNIQUE,     "unique",     FLAG,  unique)                                                     \
    A(LOOP,       "loop",       FLAG,  loop)                                                       \
    A(GROUP,      "group",      GROUP, group)                                                      \
    A(GROUP_STRIDE, "group-stride", COUNT, group_stride)                                           \
    A(SHIFT,      "shift",      COUNT, shift)                                                      \
    A(MEMBERS,    "members",    LISTS, members)                                                    \
    A(PAIRS,      "pairs",      LISTS, pairs)                                                      \
    A(ALGORITHM,  "algorithm",  ALGORITHM, algorithm)                                              \
    A(COMBINE,    "combine",    INT,   combine)                                                    \
    A(SHARDED,    "sharded",    FLAG,  sharded)                                                    \
    A(CARRIED,    "carried",    FLAG,  carried)                                                    \
    A(PAYLOAD,    "payload",    COUNT, payload)                                                    \
    A(EARLY,      "early",      FLAG,  early)                                                      \
    A(SYNC,       "sync",       FLAG,  sync)                                                       \
    A(TIME,       "time",       TIME,  work.call_fs)                                               \
    A(CALLS,      "calls",      COUNT, work.calls)                                                 \
    A(ITEMS,      "items",      COUNT, work.items)                                                 \
    A(ITEM_TIME,  "item-time",  TIME,  work.item_fs)                                               \
    A(BYTES,      "bytes",      COUNT, work.bytes)                                                 \
    A(BYTE_TIME,  "byte-time",  TIME,  work.byte_fs)                                               \
    A(THREADS,    "threads",    COUNT, work.threads)                                               \
    A(READERS,    "readers",    COUNT, work.readers)                                               \
    A(CLIENT,     "client",     FLAG,  work.client)                                                \
    A(FALLBACK,   "fallback",   FLAG,  work.fallback)                                              \
    A(STALENESS,  "staleness",  COUNT, work.staleness)                                             \
    A(FLOPS,      "flops",      INT,   flops)                                                      \
    A(READS,      "reads",      INT,   reads)                                                      \
    A(WRITES,     "writes",     INT,   writes)                                                     \
    A(BASIS,      "basis",      BASIS, basis)                                                      \
    A(SCOPE,      "scope",      TEXT,  scope)                                                      \
    A(SOURCE,     "source",     TEXT,  source)                                                     \
    A(NOTE,       "note",       TEXT,  note)
/* clang-format on */
enum attr {
#define A(id, key, type, field) ATTR_##id##_,
    ATTRS(A)
#undef A
        ATTR_N
};

/* Bits of trace_op.given: ATTR_BIT(FLOPS). */
#define ATTR_BIT(id) (UINT64_C(1) << ATTR_##id##_)
#define ATTR_TEXTS /* for reports */                                                               \
    (ATTR_BIT(NAME) | ATTR_BIT(NOTE) | ATTR_BIT(SCOPE) | ATTR_BIT(SOURCE))
#define ATTR_COMMON                                                                                \
    (ATTR_TEXTS | ATTR_BIT(FLOPS) | ATTR_BIT(READS) | ATTR_BIT(WRITES) | ATTR_BIT(STAGE) |         \
     ATTR_BIT(BASIS))
#define ATTR_WINDOW                                                                                \
    (ATTR_BIT(SIZE) | ATTR_BIT(STRIDE) | ATTR_BIT(PAD) | ATTR_BIT(DILATE) | ATTR_BIT(GROUPS))

struct trace;

/* Read attributes from the cursor to the end of the line or a '{', and fill in `op`, defaults
 * included.  `allowed` has the bits of the attributes that the operation takes; one with
 * op->compiled takes those of compiled_attr.h too.  Sets the bits of op->given, except for an
 * attribute with its default (ta=0, stride=1x1).  Cost: O(attributes) in canonical order, else
 * each times those that there are. */
int attr_read(struct trace *t, struct trace_op *op, uint64_t allowed);

/* Print " key=value" for every attribute given, those of op->compiled before flops=; `bias` is the
 * name of op->bias, if it has one. */
void attr_print(const struct trace_op *op, const char *bias, FILE *out);

#endif
