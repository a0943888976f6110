/* import_join.c - arrays that are joined by the maximum of what they are padded to.
 *
 * The compiler prints concatenate as a kernel that pads each operand with -inf to the size of the
 * result and takes the maximum.  Along a dimension that is neither on lanes nor on sublanes each
 * tile of the result is one of an operand, and the instructions that it prints for such a kernel
 * only load and store: for bf16[16,1024,22] along its major dimension 88 loads and 88 stores. */
#include "import/hlo/kernel/import_kernel.h"

/* True if `out` is longer than `in` along dimensions that are neither on lanes nor on sublanes. */
static bool keeps_tiles(const struct hlo_shape *in, const struct hlo_shape *out)
{
    struct import_physical p;

    if (in->rank != out->rank || out->rank < 3 || !import_shape_physical(out, &p))
        return false;
    for (uint32_t i = p.rank - 2; i < p.rank; i++)
        if (in->dim[p.logical[i]] != out->dim[p.logical[i]])
            return false;
    return true;
}

bool import_join_copies(const struct import_body *b)
{
    uint32_t pads = 0, maxima = 0;

    for (uint32_t j = 0; j < b->n; j++) {
        const struct import_node *n = &b->node[j];
        if (n->i == NULL || n->shape->rank == 0)
            continue;
        switch (n->i->opcode) {
        case HLO_OP_PAD:
            if (n->n_in < 1 || !keeps_tiles(import_in(b, n, 0)->shape, n->shape))
                return false;
            pads++;
            break;
        case HLO_OP_MAXIMUM: maxima++; break;
        case HLO_OP_CONVERT:
        case HLO_OP_BITCAST: break;
        default: return false;
        }
    }
    return pads > 1 && maxima == pads - 1;
}
