/* import_graph.c - which kernels of a GPU's program one CUDA graph launches.
 *
 * XLA:GPU records kernels that follow each other in the schedule into a graph.  Older versions
 * print each graph as a computation, command_buffer, that is called; the rest they launch one by
 * one. Newer ones decide it later and print nothing: a graph is what a computation has of kernels
 * and calls of cuBLAS in a row, if they are 5 or more; convolutions, sorts and solvers of
 * libraries, collectives and loops end it [xla-gpu].  On an H100 these are the graphs of the
 * programs of tests/validation/h100 as they were run. */
#include <string.h>

#include "import/hlo/program/importing.h"

#define LEAST_NODES 5 /* of a graph that is not printed [xla-gpu] */

static bool is_named_graph(const struct hlo_computation *c)
{
    static const char name[] = "command_buffer";

    return c->name.size >= sizeof name - 1 && memcmp(c->name.at, name, sizeof name - 1) == 0;
}

static bool prints_graphs(const struct hlo_module *m)
{
    for (uint32_t k = 0; k < m->n_computations; k++)
        if (is_named_graph(&m->computation[k]))
            return true;
    return false;
}

static bool text_begins(struct hlo_text t, const char *with)
{
    size_t n = strlen(with);

    return t.size > n && memcmp(t.at + 1, with, n) == 0; /* behind a quote */
}

/* Calls that a graph can hold: of cuBLAS, of attention, of the compiler's own kernels. */
static bool is_recorded_call(const struct importing *im, const struct hlo_instruction *i)
{
    static const char *const calls[] = { "__cublas$", "__cudnn$fmha", "__triton", "__gpu$" };
    struct hlo_text t = hlo_attribute(im->m, i, "custom_call_target");

    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        if (text_begins(t, calls[k]))
            return true;
    return false;
}

enum part { NODE, NOTHING, END };

static enum part part_of(const struct importing *im, const struct hlo_instruction *i)
{
    switch (import_classify(im, i)) {
    case IMPORT_FREE:
    case IMPORT_BUFFER:
    case IMPORT_DMA_DONE:
    case IMPORT_ASYNC_DONE: return NOTHING;
    case IMPORT_ASYNC:
    case IMPORT_DMA: return NODE;
    case IMPORT_KERNEL:
        return i->opcode == HLO_OP_FFT || i->opcode == HLO_OP_TRIANGULAR_SOLVE ||
                       i->opcode == HLO_OP_CHOLESKY
                   ? END
                   : NODE;
    case IMPORT_CUSTOM: return is_recorded_call(im, i) ? NODE : END;
    default: return END;
    }
}

static void set_bit(struct importing *im, uint32_t instruction)
{
    im->joined[instruction / 32] |= UINT32_C(1) << instruction % 32;
}

/* All nodes of a row but the first are launched with it. */
static void join_row(struct importing *im, uint32_t from, uint32_t to, uint32_t nodes,
                     uint32_t least)
{
    bool first = true;

    for (uint32_t k = from; k < to && nodes >= least; k++) {
        if (part_of(im, &im->m->instruction[k]) != NODE)
            continue;
        if (!first)
            set_bit(im, k);
        first = false;
    }
}

static void find_rows(struct importing *im, const struct hlo_computation *c, uint32_t least)
{
    uint32_t from = c->first, nodes = 0, end = c->first + c->n;

    for (uint32_t k = c->first; k < end; k++) {
        enum part p = part_of(im, &im->m->instruction[k]);
        nodes += p == NODE;
        if (p != END)
            continue;
        join_row(im, from, k, nodes, least);
        from = k + 1;
        nodes = 0;
    }
    join_row(im, from, end, nodes, least);
}

void import_graph_find(struct importing *im)
{
    const struct hlo_module *m = im->m;

    im->joined = memory_zeroed(m->n_instructions / 32 + 1, sizeof *im->joined);
    if (!im->compiler->gpu || !m->scheduled)
        return;
    bool printed = prints_graphs(m);
    for (uint32_t k = 0; k < m->n_computations; k++)
        if (im->ran[k] && (!printed || is_named_graph(&m->computation[k])))
            find_rows(im, &m->computation[k], printed ? 1 : LEAST_NODES);
}

bool import_graph_joins(const struct importing *im, const struct hlo_instruction *i)
{
    uint32_t k = (uint32_t)(i - im->m->instruction);

    return im->joined[k / 32] >> k % 32 & 1;
}
