#include "trace/kind/basis.h"

const char *const trace_basis_name[TRACE_N_BASES] = {
#define B(id, text, doc) text,
    TRACE_BASES(B)
#undef B
};
const char *const trace_basis_doc[TRACE_N_BASES] = {
#define B(id, text, doc) doc,
    TRACE_BASES(B)
#undef B
};
