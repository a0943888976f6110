#include "trace/kind/kinds.h"

#include <stddef.h>

const char *const trace_kind_name[TRACE_N_KINDS] = {
#define K(id, text, ...) text,
    TRACE_KINDS(K)
#undef K
};

#define NO_TRAIT 0
#define REPEATS TRACE_REPEATS
#define ADDS TRACE_ADDS
#define MOVES TRACE_MOVES
#define HANDS_ON TRACE_HANDS_ON
#define FED TRACE_FED
#define AHEAD TRACE_AHEAD
#define HALVES TRACE_HALVES

/* clang-format off */
const struct trace_kind_row trace_kinds[TRACE_N_KINDS] = {
#define K(id, text, in_min, in_max, out_min, out_max, attrs, rule, of, core, gpu, cpu, net, what, by, names, has) \
    [TRACE_##id] = { TRACE_OF_##of, TRACE_CORE_##core, TRACE_GPU_##gpu, TRACE_CPU_##cpu,           \
                     TRACE_NET_##net, TRACE_CHANGES_##what, TRACE_CUT_##by, names, has },
    TRACE_KINDS(K)
#undef K
};
