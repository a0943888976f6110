/* The clause of a kernel in its line: bytes, work, windows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/hlo/import_impl.h"
#include "import/hlo/program/import_line.h"
#include "trace/compiled_attr.h"

/* Facts of operands and results that are values, one after the other. */
struct moved {
    uint64_t *fetch, *store;
    bool *held;
    uint32_t n_in, n_out;
};

static struct moved keep_values(const struct import_kernel *k, const uint32_t *result,
                                const uint32_t *operand)
{
    struct moved m = { .fetch = memory_zeroed(k->n_in + 1, sizeof *m.fetch),
                       .store = memory_zeroed(k->n_out + 1, sizeof *m.store),
                       .held = memory_zeroed(k->n_in + 1, sizeof *m.held) };

    for (uint32_t j = 0; j < k->n_in; j++)
        if (operand[j] != 0) {
            m.fetch[m.n_in] = k->fetch[j];
            m.held[m.n_in++] = k->held[j];
        }
    for (uint32_t j = 0; j < k->n_out; j++)
        if (result[j] != 0)
            m.store[m.n_out++] = k->store[j];
    return m;
}

static void drop_product(struct trace_compiled *c)
{
    memset(c->product, 0, sizeof c->product);
    c->taps = c->position_rows = 0;
    c->has_lanes = false;
    c->operands = 0;
}

static void drop_conv(struct trace_compiled *c)
{
    c->image = c->filter = c->result = c->strides = c->dilates = (struct trace_sides){ 0 };
    c->channels_first = false;
}

/* Leave out what says nothing without another fact. */
static void drop_idle_facts(struct trace_compiled *c, const struct import_kernel *k, bool gpu)
{
    if (!k->product)
        drop_product(c);
    if (!k->product || !k->tiled) {
        memset(c->tile, 0, sizeof c->tile);
        memset(c->counts, 0, sizeof c->counts);
    }
    c->packed &= c->taps > 1;
    if (c->split == TRACE_SPLIT_UNSAID || (!c->sums && c->split != TRACE_SPLIT_K))
        c->split_bytes = 0;
    c->row_writes &= c->row_bytes != 0;
    if (!k->product || k->tiled || gpu) { /* lowering does not choose its windows */
        memset(c->side, 0, sizeof c->side);
        c->n_parts = c->k_parts = 1;
    }
    c->gradient &= c->queries != 0;
    if (c->conv == TRACE_PASS_NONE)
        drop_conv(c);
}

void import_line_kernel(struct importing *im, const struct hlo_instruction *i, const char *kind,
                        const struct import_kernel *k, const uint32_t *result,
                        const uint32_t *operand)
{
    struct trace_compiled c = k->facts;
    struct moved m = keep_values(k, result, operand);
    FILE *out = im->out;

    import_line_begin(im, result, k->n_out, kind, operand, k->n_in);
    if (k->product && k->precision != TRACE_DEFAULT)
        fprintf(out, " precision=%s", trace_precision_name[k->precision]);
    if (k->rows && (c.row_bytes || !k->product))
        fprintf(out, " rows=%" PRIu64, k->rows);
    if (k->cols && (c.form == TRACE_FORM_SORT || c.form == TRACE_FORM_TOP_K))
        fprintf(out, " cols=%" PRIu64, k->cols);
    drop_idle_facts(&c, k, im->compiler->gpu);
    c.fetch = m.fetch;
    c.held = m.held;
    c.store = m.store;
    compiled_give(&c, m.n_in, m.n_out);
    compiled_print(&c, m.n_in, m.n_out, out);
    if (k->flops)
        fprintf(out, " flops=%" PRIu64, k->flops);
    import_line_end_on(im, i, k->basis, k->note);
    free(m.fetch);
    free(m.store);
    free(m.held);
}

void import_line_inner(struct importing *im, const struct hlo_instruction *i,
                       const struct import_inner *p)
{
    FILE *out = im->out;

    im->line++;
    import_line_indent(im);
    fputs("kernel() name=\"", out);
    import_line_word(out, i->name);
    fputs(".inside\"", out);
    struct trace_compiled c = { .form = TRACE_FORM_PRODUCT, .taps = p->taps };
    memcpy(c.product, p->dim, sizeof c.product);
    compiled_give(&c, 0, 0);
    compiled_print(&c, 0, 0, out);
    fprintf(out, " flops=%" PRIu64, p->flops);
    import_line_end(im, i, "a product inside the kernel of the next line, which reads it");
}

void import_line_between(struct importing *im, const struct hlo_instruction *i,
                         const uint64_t vector[TRACE_N_VECTORS])
{
    FILE *out = im->out;
    bool any = false;

    for (unsigned v = 0; v < TRACE_N_VECTORS; v++)
        any |= vector[v] != 0;
    if (!any)
        return;
    im->line++;
    import_line_indent(im);
    fputs("kernel() name=\"", out);
    import_line_word(out, i->name);
    fputs(".between\"", out);
    struct trace_compiled c = { .form = TRACE_FORM_VECTOR };
    memcpy(c.vector, vector, sizeof c.vector);
    compiled_give(&c, 0, 0);
    compiled_print(&c, 0, 0, out);
    import_line_end(im, i, "what is computed between the product inside and that of the next line");
}
