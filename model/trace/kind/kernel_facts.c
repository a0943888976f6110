/* kernel_facts.c - see kernel_facts.h: names, and copies. */
#include "trace/kind/kernel_facts.h"

#include "base/memory.h"

const char *const trace_form_name[TRACE_N_FORMS] = {
#define F(id, text) text,
    TRACE_FORMS(F)
#undef F
};

const char *const trace_vector_name[TRACE_N_VECTORS] = {
#define V(id, text) text,
    TRACE_VECTORS(V)
#undef V
};

const char *const trace_pattern_name[TRACE_N_PATTERNS] = {
#define P(id, text) text,
    TRACE_PATTERNS(P)
#undef P
};

struct trace_compiled *trace_copy_compiled(const struct trace_compiled *c, uint32_t n_in,
                                           uint32_t n_out)
{
    size_t numbers = (size_t)n_in + n_out;
    struct trace_compiled *to =
        memory_zeroed(1, sizeof *to + numbers * sizeof *to->fetch + n_in * sizeof *to->held);
    uint64_t *number = (uint64_t *)(to + 1);
    bool *held = (bool *)(number + numbers);

    *to = *c;
    for (uint32_t i = 0; i < n_in; i++) {
        number[i] = c->fetch[i];
        held[i] = c->held[i];
    }
    for (uint32_t i = 0; i < n_out; i++)
        number[n_in + i] = c->store[i];
    to->fetch = number;
    to->store = number + n_in;
    to->held = held;
    return to;
}
