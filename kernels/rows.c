/* Gather and scatter: rows of a table in HBM, by index.
 *
 * gather   out[i, :] = table[index[i], :]
 *     the table is small (half of VMEM): it is read once and rows are picked on chip;
 *     otherwise every row is an access of its own, padded to the DMA granule.
 * scatter  table[index[i], :] += value[i, :]
 *     small table: accumulated on chip and written once; otherwise the table is cleared (written
 *     once) and each row read, added and written; with unique indices (a permutation) only written.
 * Rows are 32-bit words: cols * element bytes as stored. */
#include "kernels/lower.h"

static uint64_t padded(uint64_t bytes, uint64_t granule)
{
    return (bytes + granule - 1) / granule * granule;
}

void lower_rows(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    bool gather = o->kind == TRACE_GATHER;
    uint32_t table = g->ref[gather ? op->first_in : op->first_out];
    const struct graph_value *v = &g->value[table];
    uint64_t table_bytes = graph_bytes(g, table);
    uint64_t row = padded(o->cols * trace_dtype_bytes[v->stored], cap->dma_granule);

    /* one vector operation per register moved or added, whatever the memory does */
    w->vpu += (o->rows * o->cols + cap->vector_elements - 1) / cap->vector_elements;
    bool made_here = gather && !v->persistent && v->def == op->node;
    if (v->on_chip || made_here || table_bytes <= cap->vmem_bytes / 2)
        return;
    if (gather) {
        w->in.bytes -= table_bytes;
        w->in.rows += o->rows;
        w->in.row_bytes = row;
    } else if (o->unique) {
        w->out.bytes -= table_bytes;
        w->out.rows += o->rows;
        w->out.row_bytes = row;
    } else {
        w->in.rows += o->rows;
        w->in.row_bytes = row;
        w->out.rows += o->rows;
        w->out.row_bytes = row;
    }
}
