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

/* Registers that hold so many bytes. */
static uint64_t registers(uint64_t bytes, const struct cap *cap)
{
    return (bytes + 4 * cap->vector_elements - 1) / (4 * cap->vector_elements);
}

/* The value a gather reads from or a scatter writes to. */
static uint32_t table(const struct graph *g, const struct graph_op *op)
{
    return g->ref[op->op.kind == TRACE_GATHER ? op->first_in : op->first_out];
}

bool lower_apart(const struct work *w, const struct graph *g, const struct graph_op *op,
                 const struct cap *cap)
{
    const struct graph_value *v = &g->value[table(g, op)];
    /* what another member of the same fusion made is in VMEM */
    bool made_here = op->op.kind == TRACE_GATHER && !v->persistent && v->def == op->node;

    return !v->on_chip && !made_here && !w->resident[table(g, op)] &&
           graph_bytes(g, table(g, op)) > cap->vmem_bytes / 2;
}

/* Accesses of another row size count as so many of the first that the bytes are the same. */
static void add_rows(struct task_move *m, uint64_t rows, uint64_t row_bytes)
{
    if (m->rows == 0)
        m->row_bytes = row_bytes;
    m->rows += (rows * row_bytes + m->row_bytes - 1) / m->row_bytes;
}

void lower_rows(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    enum trace_dtype stored = g->value[table(g, op)].stored;
    uint64_t row = padded(o->cols * trace_dtype_bytes[stored], cap->dma_granule);

    /* one operation per register moved or added, whatever the memory does */
    w->vpu[o->kind == TRACE_GATHER ? VECTOR_SELECT : VECTOR_ADD] +=
        (o->rows * o->cols + cap->vector_elements - 1) / cap->vector_elements;
    w->loads += registers(o->rows * o->cols * trace_dtype_bytes[stored], cap);
    w->stores += registers(o->rows * o->cols * trace_dtype_bytes[stored], cap);
    if (!lower_apart(w, g, op, cap))
        return;
    if (o->kind == TRACE_GATHER || !o->unique)
        add_rows(&w->in, o->rows, row);
    if (o->kind == TRACE_SCATTER)
        add_rows(&w->out, o->rows, row);
}
