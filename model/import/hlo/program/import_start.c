/* import_start.c - what a start has begun: a part of its result, beside its operands and contexts.
 */
#include "import/hlo/program/importing.h"

uint32_t import_start_part(const struct importing *im, const struct hlo_instruction *i)
{
    bool tuple = i->shape->dtype == HLO_TUPLE && i->shape->n_parts > 1;

    switch (i->opcode) {
    case HLO_OP_COPY_START:
    case HLO_OP_RECV:
    case HLO_OP_INFEED: return tuple ? 0 : IMPORT_NONE;
    case HLO_OP_ALL_REDUCE_START: /* results alone, or what other starts have */
        return tuple && i->shape->n_parts > i->n_operands ? 1 : IMPORT_NONE;
    case HLO_OP_START:
        if (hlo_text_is(i->opcode_text, "recv-start"))
            return tuple ? 0 : IMPORT_NONE;
        return tuple ? 1 : IMPORT_NONE;
    case HLO_OP_FUSION:
        return tuple && import_carry_of(im, i) == IMPORT_CARRY_START ? 1 : IMPORT_NONE;
    default: return tuple ? 1 : IMPORT_NONE;
    }
}

const struct hlo_shape *import_result_shape(const struct importing *im,
                                            const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_COPY_START:
    case HLO_OP_SLICE_START:
    case HLO_OP_CALL_START:
    case HLO_OP_ASYNC_START:
    case HLO_OP_ALL_GATHER_START:
    case HLO_OP_ALL_REDUCE_START:
    case HLO_OP_COLLECTIVE_PERMUTE_START:
    case HLO_OP_SEND:
    case HLO_OP_RECV:
    case HLO_OP_FUSION:
    case HLO_OP_START: {
        uint32_t part = import_start_part(im, i);
        return part == IMPORT_NONE ? i->shape : &i->shape->part[part];
    }
    default: return i->shape;
    }
}

struct import_span import_started(const struct importing *im, const struct import_scope *s,
                                  const struct hlo_instruction *start)
{
    struct import_span all = import_span_of(im, s, start);
    const struct hlo_shape *result = import_result_shape(im, start);

    if (import_cores_exchange(im, start)) /* it stands before what it becomes */
        return (struct import_span){ all.first - all.n, all.n };
    if (result == start->shape)
        return all;
    return (struct import_span){
        all.first + import_leaf_of(start->shape, (uint32_t)(result - start->shape->part)),
        import_leaves(result)
    };
}
