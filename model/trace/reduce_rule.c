/* reduce_rule.c - the rule of reduce with dims=, the dimensions that it sums over. */
#include <inttypes.h>

#include "trace/attr.h"
#include "trace/rule.h"
#include "trace/shape.h"

/* The next dimension from *i on that is larger than 1 and whose bit is not in `gone`; 0: none. */
static uint64_t next_kept_dim(const struct trace_shape *s, uint32_t *i, uint32_t gone)
{
    while (*i < s->rank) {
        uint32_t d = (*i)++;
        if (s->dim[d] > 1 && !(gone >> d & 1))
            return s->dim[d];
    }
    return 0;
}

/* True if `out` has the dimensions of `in` without those in `gone`.  Dimensions of 1 do not count.
 */
static bool leaves_shape(const struct trace_shape *in, uint32_t gone, const struct trace_shape *out)
{
    uint32_t i = 0, k = 0;
    uint64_t left;

    do {
        left = next_kept_dim(in, &i, gone);
        if (left != next_kept_dim(out, &k, 0))
            return false;
    } while (left);
    return true;
}

/* Without dims= every reduction is allowed; with it the results must have the dimensions of the
 * first operand except those. */
int rule_reduce(struct trace *t, struct trace_op *op)
{
    const struct trace_shape *in = rule_shape(t, op->in[0]);
    char was[SHAPE_TEXT_MAX], found[SHAPE_TEXT_MAX];

    if (!op->over)
        return 0;
    if (op->over >> in->rank)
        return lex_fail(&t->lex, t->kind_at, ERR_RANGE,
                        "dims= of '%s' names a dimension that %%%.64s %s has not", op->kind_text,
                        trace_tensor(t, op->in[0])->name, shape_text(was, in));
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct trace_shape *out = rule_shape(t, op->out[i]);
        if (!leaves_shape(in, op->over, out))
            return lex_fail(&t->lex, t->out_at[i], ERR_FORMAT,
                            "'%s' of %%%.64s %s gives %s, expected its dimensions without those of "
                            "dims=",
                            op->kind_text, trace_tensor(t, op->in[0])->name, shape_text(was, in),
                            shape_text(found, out));
    }
    return 0;
}
