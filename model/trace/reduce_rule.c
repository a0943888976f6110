/* Reductions that say which dimensions they sum over: dims=. */
#include <inttypes.h>

#include "trace/attr.h"
#include "trace/rule.h"
#include "trace/shape.h"

/* The next dimension of more than one element that is left, from `*i` on; 0: there is none. */
static uint64_t next_kept_dim(const struct trace_shape *s, uint32_t *i, uint32_t gone)
{
    while (*i < s->rank) {
        uint32_t d = (*i)++;
        if (s->dim[d] > 1 && !(gone >> d & 1))
            return s->dim[d];
    }
    return 0;
}

/* Has `out` the dimensions of `in` without those in `gone`?  Those of 1 may stand or not. */
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

/* Every operand of as many elements as the first, which may stand beside smaller ones, has the
 * first one's dimensions. */
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
