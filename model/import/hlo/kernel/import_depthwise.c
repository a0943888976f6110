/* import_depthwise.c - convolutions whose channels have a filter each: work of the vector unit.
 *
 *     y[b, p, c] = sum over taps t of  x[b, p * stride + t, c] w[t, c]
 *
 * Channels lie on the lanes of image and result, images on the sublanes (or the other way round),
 * so a register of the result meets one of the image at each tap.  Of each pair of them
 *
 *     result, and gradient of the image   multiply, add; loads and stores as the machine says: the
 *                                         sum of each register goes back to memory between taps
 *     gradient of the filter              multiply, add; a load of the image: its sums stay in
 *                                         registers
 *
 * A tap meets only every lhs_dilate-th position of a result between strides. */
#include "base/arith.h"
#include "import/hlo/kernel/import_kernel.h"

static uint64_t count_attribute(const struct importing *im, const struct hlo_instruction *i,
                                const char *key)
{
    struct hlo_text t = hlo_attribute(im->m, i, key);
    int64_t n;

    return t.at && hlo_numbers(t, &n, 1) == 1 && n > 1 ? (uint64_t)n : 1;
}

bool import_depthwise_is(const struct importing *im, const struct hlo_instruction *i,
                         const struct import_product *p)
{
    const struct hlo_dim_labels *l = &p->l;

    if (!p->conv || i->opcode != HLO_OP_CONVOLUTION || im->compiler != &import_tpu)
        return false;
    uint64_t features = count_attribute(im, i, "feature_group_count");
    uint64_t batches = count_attribute(im, i, "batch_group_count");
    if (features > 1)
        return p->kernel->dim[l->kernel_input] == 1;
    return batches > 1 && p->in->dim[l->input_batch] == batches &&
           p->kernel->dim[l->kernel_output] == batches;
}

static void add_class(struct import_kernel *k, enum trace_vector op, uint64_t n)
{
    k->facts.vector[op] = import_add(k->facts.vector[op], n);
}

void import_depthwise_add(struct importing *im, const struct hlo_instruction *i,
                          const struct import_product *p, struct import_kernel *k)
{
    bool filter = count_attribute(im, i, "batch_group_count") > 1;
    struct hlo_shape s = *(filter ? p->kernel : p->out);

    s.dtype = HLO_F32; /* computed in 32 bits, whatever is stored */
    uint64_t registers = import_shape_registers(im, &s), taps = 1;

    for (uint32_t d = 0; d < p->l.rank; d++) {
        uint64_t each = filter                           ? p->out->dim[p->l.output[d]]
                        : p->spatial[d] == IMPORT_WINDOW ? p->w.dim[d].size
                                                         : 1;
        uint64_t phases = filter ? 1 : import_product_phases(p, d);
        taps = import_multiply(taps, each);
        registers = arith_ceil_div(registers, phases ? phases : 1);
    }
    uint64_t pairs = import_multiply(registers, taps);
    add_class(k, TRACE_VECTOR_ADD, import_multiply(2, pairs));
    if (filter)
        k->facts.loads = import_add(k->facts.loads, pairs);
    else
        k->facts.channel_taps = import_add(k->facts.channel_taps, pairs);
    k->flops = import_add(k->flops, import_multiply(2, p->macs));
}
