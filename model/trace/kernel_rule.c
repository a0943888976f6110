/* kernel_rule.c - rules of compiled programs: what belongs together in a kernel, what its loops
 * execute, copies in the background, and results that take the place of other values. */
#include <inttypes.h>
#include <string.h>

#include "trace/attr.h"
#include "trace/compiled_attr.h"
#include "trace/rule.h"
#include "trace/shape.h"

/* --- attributes that go together ---------------------------------------------------------- */

/* An attribute that says nothing without another one. */
struct need {
    uint64_t with, needs; /* bits of compiled_attr.h */
    const char *text;
};

#define SIDES                                                                                      \
    (COMPILED_BIT(FETCH_A) | COMPILED_BIT(FETCH_B) | COMPILED_BIT(VECTOR_A) |                      \
     COMPILED_BIT(VECTOR_B) | COMPILED_BIT(LOADS_A) | COMPILED_BIT(LOADS_B) |                      \
     COMPILED_BIT(N_PARTS) | COMPILED_BIT(K_PARTS))

static const struct need needs[] = {
    { COMPILED_BIT(TILE), COMPILED_BIT(PRODUCT), "tile= needs product=" },
    { COMPILED_BIT(COUNTS), COMPILED_BIT(PRODUCT), "counts= needs product=" },
    { COMPILED_BIT(TAPS), COMPILED_BIT(PRODUCT), "taps= needs product=" },
    { COMPILED_BIT(PACKED), COMPILED_BIT(PRODUCT), "packed=1 needs product=" },
    { COMPILED_BIT(POSITION_ROWS), COMPILED_BIT(PRODUCT), "position-rows= needs product=" },
    { COMPILED_BIT(LANES), COMPILED_BIT(PRODUCT), "lanes= needs product=" },
    { SIDES, COMPILED_BIT(PRODUCT),
      "fetch-a=, vector-a=, loads-a=, those of b, n-parts= and k-parts= need product=" },
    { COMPILED_BIT(TILE), COMPILED_BIT(COUNTS), "tile= needs counts=" },
    { COMPILED_BIT(COUNTS), COMPILED_BIT(TILE), "counts= needs tile=" },
    { COMPILED_BIT(SPLIT_BYTES), COMPILED_BIT(SPLIT), "split-bytes= needs split=" },
    { COMPILED_BIT(CHAIN), COMPILED_BIT(SUMS), "chain= needs sums=" },
    { COMPILED_BIT(SUMS), COMPILED_BIT(CHAIN), "sums= needs chain=" },
    { COMPILED_BIT(SUM_STEPS), COMPILED_BIT(SUMS), "sum-steps= needs sums=" },
    { COMPILED_BIT(ROW_WRITES), COMPILED_BIT(ROW_BYTES), "row-writes=1 needs row-bytes=" },
    { COMPILED_BIT(OPERANDS), COMPILED_BIT(PRODUCT), "operands= needs product=" },
    { COMPILED_BIT(CONV), COMPILED_BIT(PRODUCT), "conv= needs product=" },
    { COMPILED_BIT(CONV), COMPILED_BIT(IMAGE), "conv= needs image=" },
    { COMPILED_BIT(CONV), COMPILED_BIT(FILTER), "conv= needs filter=" },
    { COMPILED_BIT(CONV), COMPILED_BIT(RESULT), "conv= needs result=" },
    { COMPILED_BIT(IMAGE), COMPILED_BIT(CONV), "image= needs conv=" },
    { COMPILED_BIT(FILTER), COMPILED_BIT(CONV), "filter= needs conv=" },
    { COMPILED_BIT(RESULT), COMPILED_BIT(CONV), "result= needs conv=" },
    { COMPILED_BIT(STRIDES), COMPILED_BIT(CONV), "strides= needs conv=" },
    { COMPILED_BIT(DILATES), COMPILED_BIT(CONV), "dilates= needs conv=" },
    { COMPILED_BIT(FIRST), COMPILED_BIT(CONV), "channels-first= needs conv=" },
};

static int fail_need(const struct trace *t, const struct trace_op *op, const char *what)
{
    return lex_fail(&t->lex, t->kind_at, ERR_FORMAT, "'%.64s' with %s", op->kind_text, what);
}

static int check_needs(const struct trace *t, const struct trace_op *op,
                       const struct trace_compiled *c)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if ((c->given & needs[i].with) && !(c->given & needs[i].needs))
            return fail_need(t, op, needs[i].text);
    if ((op->given & ATTR_BIT(PRECISION)) && !trace_has_product(c))
        return fail_need(t, op, "precision= needs product=");
    if (c->split_bytes && c->split != TRACE_SPLIT_K && !c->sums)
        return fail_need(t, op, "split-bytes= needs split=k or sums=");
    if (c->sums && trace_has_product(c))
        return fail_need(t, op, "sums= needs a kernel without product=");
    if ((op->given & ATTR_BIT(TIME)) && c->form != TRACE_FORM_CUSTOM)
        return fail_need(t, op, "time= needs form=custom");
    if (op->async == TRACE_START && c->unit != TRACE_ON_SPARSECORE)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'kernel-start' needs unit=sparsecore: a TensorCore runs its kernels one "
                        "after the other, so write 'kernel'");
    return 0;
}

/* The arrays of a convolution fit each other. */
static int check_conv(const struct trace *t, const struct trace_op *op,
                      const struct trace_compiled *c)
{
    uint32_t n = c->image.n;

    if (c->conv == TRACE_PASS_NONE)
        return 0;
    if (n < 3 || c->filter.n != n || c->result.n != n || (c->strides.n && c->strides.n + 2 != n) ||
        (c->dilates.n && c->dilates.n + 2 != n))
        return fail_need(t, op,
                         "conv= needs image=, filter= and result= of as many numbers, 3 to 5, "
                         "strides= and dilates= of 2 fewer");
    uint64_t channels = c->image.dim[1], groups = channels / c->filter.dim[1];
    if (channels % c->filter.dim[1] || c->result.dim[1] % groups ||
        c->filter.dim[0] != c->result.dim[1] || c->image.dim[0] != c->result.dim[0])
        return fail_need(t, op,
                         "conv= needs image=NxCx..., filter=Kx(C/groups)x... and result=NxKx...");
    return 0;
}

/* rows= and cols= are those of a sort, or rows= counts accesses of row-bytes= each, of a gather or
 * scatter in memory on chip without row-bytes=. */
static int check_rows(const struct trace *t, const struct trace_op *op,
                      const struct trace_compiled *c)
{
    bool rows = op->given & ATTR_BIT(ROWS), cols = op->given & ATTR_BIT(COLS);
    bool bytes = c->given & COMPILED_BIT(ROW_BYTES);
    bool sort = c->form == TRACE_FORM_SORT || c->form == TRACE_FORM_TOP_K;
    bool random = c->form == TRACE_FORM_GATHER || c->form == TRACE_FORM_SCATTER;

    if (sort && (!rows || !cols))
        return fail_need(
            t, op, "form=sort or form=top-k needs rows=, the sorts, and cols=, the keys of each");
    if (cols && !sort)
        return fail_need(t, op, "cols= needs form=sort or form=top-k");
    if (random && !rows)
        return fail_need(t, op, "form=gather or form=scatter needs rows=");
    if (rows && !bytes && !sort && !random)
        return fail_need(t, op, "rows= needs row-bytes=, or form=sort");
    if (bytes && !rows)
        return fail_need(t, op, "row-bytes= needs rows=");
    return 0;
}

/* --- the product and its loops ------------------------------------------------------------ */

static int check_counts(const struct trace *t, const struct trace_compiled *c)
{
    static const char dims[] = "bmkn";
    uint64_t steps = 1;

    for (int i = 0; i < TRACE_N_DIMS; i++) {
        uint64_t covered = c->counts[i];
        steps *= c->counts[i]; /* fits: the reader has checked it */
        if (shape_mul(&covered, c->tile[i]) && covered < c->product[i])
            return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                            "%" PRIu64 " tiles of %" PRIu64 " do not cover %c = %" PRIu64
                            " of the product",
                            c->counts[i], c->tile[i], dims[i], c->product[i]);
    }
    if (c->n_grid && steps != c->steps)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "counts= are %" PRIu64 " steps in all, grid= is %" PRIu64, steps, c->steps);
    return 0;
}

static int derive_product(struct trace *t, struct trace_op *op, const struct trace_compiled *c)
{
    if ((c->given & COMPILED_BIT(COUNTS)) && check_counts(t, c) != 0)
        return -1;
    op->b = c->product[TRACE_DIM_B];
    op->m = c->product[TRACE_DIM_M];
    op->k = c->product[TRACE_DIM_K];
    op->n = c->product[TRACE_DIM_N];
    if (op->k % c->taps)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "taps = %" PRIu64 ": k = %" PRIu64 " does not fall into so many parts",
                        c->taps, op->k);
    if (!(op->given & ATTR_BIT(FLOPS)))
        op->flops = 2 * op->b * op->m * op->k * op->n;
    return 0;
}

static int derive_form(struct trace *t, const struct trace_op *op, struct trace_compiled *c)
{
    bool product = trace_has_product(c);

    if (!(c->given & COMPILED_BIT(FORM)))
        c->form = product ? TRACE_FORM_PRODUCT : TRACE_FORM_VECTOR;
    if (c->form == TRACE_FORM_PRODUCT && !product)
        return fail_need(t, op, "form=product needs product=");
    if (product && c->form != TRACE_FORM_PRODUCT && c->form != TRACE_FORM_CUSTOM)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "product= of a kernel with form=%s, expected form=product or form=custom",
                        trace_form_name[c->form]);
    return 0;
}

/* --- bytes -------------------------------------------------------------------------------- */

/* True if bytes of the value are brought to a kernel, or taken away. */
static bool is_moved(enum trace_space space)
{
    return space == TRACE_IN_HBM || space == TRACE_IN_CMEM || space == TRACE_IN_HOST;
}

/* Bytes that move for each of n values: as stated, or its own if it is in HBM. */
static int derive_bytes(struct trace *t, const struct trace_value *v, const size_t *at, uint32_t n,
                        bool stated, const char *key, uint64_t *bytes, uint64_t *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct trace_tensor *x = trace_tensor(t, v[i]);
        enum trace_space space = trace_space(&x->shape);
        if (!stated)
            bytes[i] = space == TRACE_IN_HBM ? trace_bytes(&x->shape) : 0;
        if (bytes[i] && !is_moved(space))
            return lex_fail(&t->lex, at[i], ERR_FORMAT,
                            "%s has %" PRIu64 " bytes for %%%.64s, expected 0: it is in %s", key,
                            bytes[i], x->name, trace_space_name[space]);
        if (!shape_add(sum, bytes[i]))
            return lex_fail(&t->lex, t->kind_at, ERR_RANGE,
                            "the bytes of the values do not fit 64 bits");
    }
    return 0;
}

static int derive_traffic(struct trace *t, struct trace_op *op, const struct trace_compiled *c)
{
    uint64_t in, out;

    if (derive_bytes(t, op->in, t->in_at, op->n_in, c->given & COMPILED_BIT(FETCH), "fetch",
                     t->kernel.fetch, &in) != 0 ||
        derive_bytes(t, op->out, t->out_at, op->n_out, c->given & COMPILED_BIT(STORE), "store",
                     t->kernel.store, &out) != 0)
        return -1;
    if (!(op->given & ATTR_BIT(READS)))
        op->reads = in;
    if (!(op->given & ATTR_BIT(WRITES)))
        op->writes = out;
    return 0;
}

/* --- kinds -------------------------------------------------------------------------------- */

/* The bytes of a done are counted with its start. */
static int finish_background(struct trace *t, struct trace_op *op)
{
    if (!(op->given & ATTR_BIT(READS)))
        op->reads = 0;
    if (!(op->given & ATTR_BIT(WRITES)))
        op->writes = 0;
    return rule_finish_start(t, op);
}

int rule_kernel(struct trace *t, struct trace_op *op)
{
    struct trace_compiled *c = &t->kernel.stated;

    if (op->async == TRACE_DONE)
        return finish_background(t, op);
    if (check_needs(t, op, c) != 0 || derive_form(t, op, c) != 0 || check_rows(t, op, c) != 0 ||
        check_conv(t, op, c) != 0)
        return -1;
    if (trace_has_product(c) && derive_product(t, op, c) != 0)
        return -1;
    if (derive_traffic(t, op, c) != 0)
        return -1;
    return op->async == TRACE_START ? rule_keep_start(t, op) : 0;
}

static int begin_copy(struct trace *t, struct trace_op *op)
{
    const struct trace_tensor *to = trace_tensor(t, op->out[0]);

    if (op->n_in != 1 || op->n_out != 1)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'copy-start' copies one value to one, found %" PRIu32 " and %" PRIu32,
                        op->n_in, op->n_out);
    if (rule_keep_start(t, op) != 0)
        return -1;
    struct scope_start *s = rule_start(t, op->out[0]);
    uint64_t most = trace_bytes(s->destinations ? &to->shape : rule_shape(t, op->in[0]));
    op->payload = op->given & ATTR_BIT(BYTES) ? op->work.bytes : most;
    if (op->payload > most)
        return lex_fail(&t->lex, t->kind_at, ERR_RANGE,
                        "bytes = %" PRIu64 ": more than the %" PRIu64 " of %%%.64s", op->payload,
                        most, s->destinations ? to->name : trace_tensor(t, op->in[0])->name);
    s->payload = op->payload;
    if (!(op->given & ATTR_BIT(READS)))
        op->reads = op->payload;
    if (!(op->given & ATTR_BIT(WRITES)))
        op->writes = op->payload;
    return 0;
}

int rule_copy(struct trace *t, struct trace_op *op)
{
    switch (op->async) {
    case TRACE_START: return begin_copy(t, op);
    case TRACE_DONE:
        if (op->n_out != 1)
            return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                            "'copy-done' has 1 result, found %" PRIu32, op->n_out);
        return finish_background(t, op);
    default: return 0;
    }
}

int rule_return(struct trace *t, struct trace_op *op)
{
    (void)t;
    if (!(op->given & ATTR_BIT(READS)))
        op->reads = 0;
    return 0;
}

/* --- places ------------------------------------------------------------------------------- */

/* A result of a start may be the place of results of its done alone. */
static int check_unfinished(const struct trace *t, const struct trace_op *op,
                            const struct reader_result *r)
{
    const struct scope_tensor *at = scope_at(&t->scope, r->at.id);

    if (!at->handle || (op->async == TRACE_DONE &&
                        at->start.first == scope_at(&t->scope, op->in[0].id)->start.first))
        return 0;
    return lex_fail(&t->lex, r->at_at, ERR_FORMAT,
                    "%%%.64s is the result of a start (line %" PRIu32
                    "): only a result of its done takes its place",
                    at->tensor.name, at->line);
}

static int check_place(const struct trace *t, const struct trace_op *op,
                       const struct reader_result *r, const struct trace_tensor *x)
{
    const struct trace_tensor *at = trace_tensor(t, r->at);
    uint64_t need = trace_bytes(&x->shape), have = trace_bytes(&at->shape);
    enum trace_space space = trace_space(&x->shape), there = trace_space(&at->shape);

    if (t->block[t->n_blocks - 1].kind == TRACE_ITEM_FUSION_BEGIN)
        return lex_fail(&t->lex, r->at_at, ERR_FORMAT,
                        "'at' inside the fusion of line %" PRIu32 ", whose values are on chip",
                        t->block[t->n_blocks - 1].line);
    if (check_unfinished(t, op, r) != 0)
        return -1;
    if (at->role == TRACE_CONSTANT)
        return lex_fail(&t->lex, r->at_at, ERR_FORMAT,
                        "%%%.64s at %%%.64s, which is constant: never written", x->name, at->name);
    if (space != there)
        return lex_fail(&t->lex, r->at_at, ERR_FORMAT, "%%%.64s is in %s, but %%%.64s in %s",
                        x->name, trace_space_name[space], at->name, trace_space_name[there]);
    if (need > have)
        return lex_fail(&t->lex, r->at_at, ERR_FORMAT,
                        "%%%.64s has %" PRIu64 " bytes, expected at most the %" PRIu64
                        " of %%%.64s, whose place it takes",
                        x->name, need, have, at->name);
    return 0;
}

int rule_place(struct trace *t, const struct trace_op *op)
{
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct trace_tensor *x = trace_tensor(t, op->out[i]);
        if (!x->placed)
            continue;
        if (check_place(t, op, &t->result[i], x) != 0)
            return -1;
        for (uint32_t j = 0; j < i; j++)
            if (scope_at(&t->scope, op->out[j].id)->root ==
                scope_at(&t->scope, op->out[i].id)->root)
                return lex_fail(&t->lex, t->result[i].at_at, ERR_FORMAT,
                                "%%%.64s and %%%.64s of one operation take the same place",
                                trace_tensor(t, op->out[j])->name, x->name);
    }
    return 0;
}
