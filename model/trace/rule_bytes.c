/* The bytes of several values together. */
#include <string.h>

#include "trace/rule.h"
#include "trace/shape.h"

int rule_bytes(const struct trace *t, const struct trace_value *v, uint32_t n, uint64_t *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!shape_add(sum, trace_bytes(&trace_tensor(t, v[i])->shape)))
            return lex_fail(&t->lex, t->kind_at, ERR_RANGE,
                            "the bytes of the values do not fit 64 bits");
    return 0;
}
