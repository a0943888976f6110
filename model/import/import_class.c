/* import_class.c - which kind of line an instruction becomes. */
#include <string.h>

#include "import/import_impl.h"

bool import_is_target(const struct importing *im, const struct hlo_instruction *i,
                      const char *target)
{
    struct hlo_text t = hlo_attribute(im->m, i, "custom_call_target");
    size_t n = strlen(target);

    return t.size == n + 2 && memcmp(t.at + 1, target, n) == 0;
}

/* Custom calls that say something of a value, or make two of one. */
static const char *const annotations[] = {
    "X64Combine", "X64SplitLow", "X64SplitHigh", "Sharding", "SPMDFullToShardShape",
    "SPMDShardToFullShape", "AssumeGatherIndicesInBound", "GatherScatterIndicesBitpacked",
    "LayoutConstraint", "annotate_device_placement", "MoveToHost", "MoveToDevice",
    "xla.sdy.FuncResultSharding", "xla.sdy.LocalToGlobalShape", "xla.sdy.GlobalToLocalShape",
    "xla.sdy.PropagationBarrier", "xla.sdy.ShardingGroup", "Identity", "BlockUntilReady",
    "inspect_sharding", "shape_assertion", "stop_gradient", "optimization_barrier",
};

bool import_is_annotation(const struct importing *im, const struct hlo_instruction *i)
{
    for (size_t k = 0; k < sizeof annotations / sizeof *annotations; k++)
        if (import_is_target(im, i, annotations[k]))
            return true;
    return false;
}

static enum import_class classify_call(const struct importing *im, const struct hlo_instruction *i)
{
    if (import_is_target(im, i, "AllocateBuffer") || import_is_target(im, i, "CreateBuffer") ||
        import_is_target(im, i, "ConcatBitcast"))
        return IMPORT_BUFFER;
    if (import_is_target(im, i, "PrepareAsyncCallStart") ||
        import_is_target(im, i, "PrepareAsyncCallDone") || import_is_annotation(im, i))
        return IMPORT_FREE;
    return IMPORT_CUSTOM;
}

static bool text_starts(struct hlo_text t, const char *s)
{
    size_t n = strlen(s);

    return t.size >= n && memcmp(t.at, s, n) == 0;
}

/* X-start that has no opcode of its own: a DMA, a collective, or work of another thread. */
static enum import_class classify_start(const struct hlo_instruction *i, bool start)
{
    static const char *const collective[] = { "all-", "reduce-scatter", "collective-", "ragged-" };
    static const char *const dma[] = { "copy", "slice", "dynamic-slice", "dynamic-update-slice" };

    for (size_t k = 0; k < sizeof collective / sizeof *collective; k++)
        if (text_starts(i->opcode_text, collective[k]))
            return start ? IMPORT_COLLECTIVE_START : IMPORT_COLLECTIVE_DONE;
    for (size_t k = 0; k < sizeof dma / sizeof *dma; k++)
        if (text_starts(i->opcode_text, dma[k]))
            return start ? IMPORT_DMA : IMPORT_DMA_DONE;
    return start ? IMPORT_ASYNC : IMPORT_ASYNC_DONE;
}

/* A reduce-scatter that is written as a fusion, an all-reduce and what selects a part of it. */
static bool is_scattered_sum(const struct importing *im, const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_FUSION && import_wrapped_collective(im, i) != NULL;
}

static bool is_collective(enum hlo_opcode o)
{
    return o == HLO_OP_ALL_GATHER || o == HLO_OP_ALL_REDUCE || o == HLO_OP_ALL_TO_ALL ||
           o == HLO_OP_REDUCE_SCATTER || o == HLO_OP_COLLECTIVE_PERMUTE ||
           o == HLO_OP_COLLECTIVE_BROADCAST || o == HLO_OP_RAGGED_ALL_TO_ALL;
}

const struct hlo_instruction *import_wrapped_collective(const struct importing *im,
                                                        const struct hlo_instruction *i)
{
    for (uint32_t k = 0; k < i->n_called; k++) {
        const struct hlo_computation *c = hlo_called(im->m, i, k);
        for (uint32_t j = 0; j < c->n; j++) {
            const struct hlo_instruction *in = &im->m->instruction[c->first + j];
            if (is_collective(in->opcode))
                return in;
            if (in->n_called && (in->opcode == HLO_OP_FUSION || in->opcode == HLO_OP_CALL ||
                                 in->opcode == HLO_OP_CALL_START ||
                                 in->opcode == HLO_OP_ASYNC_START)) {
                const struct hlo_instruction *deeper = import_wrapped_collective(im, in);
                if (deeper)
                    return deeper;
            }
        }
    }
    return NULL;
}

const struct hlo_instruction *import_start_of(const struct importing *im,
                                              const struct hlo_instruction *i)
{
    enum hlo_opcode o;

    do {
        if (i->n_operands == 0)
            return NULL;
        i = hlo_operand(im->m, i, 0);
        o = i->opcode;
    } while (o == HLO_OP_ASYNC_UPDATE || o == HLO_OP_UPDATE || o == HLO_OP_GET_TUPLE_ELEMENT ||
             o == HLO_OP_BITCAST || o == HLO_OP_OPT_BARRIER);
    return i;
}

/* Work of a thread of its own: a collective is one, whatever it is wrapped in. */
static enum import_class classify_async(const struct importing *im,
                                        const struct hlo_instruction *i, bool done)
{
    const struct hlo_instruction *start = done ? import_start_of(im, i) : i;

    if (start && import_wrapped_collective(im, start))
        return done ? IMPORT_COLLECTIVE_DONE : IMPORT_COLLECTIVE_START;
    return done ? IMPORT_ASYNC_DONE : IMPORT_ASYNC;
}

enum import_class import_classify(const struct importing *im, const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_CONSTANT:
    case HLO_OP_TUPLE:
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_BITCAST:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_AFTER_ALL:
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_DOMAIN:
    case HLO_OP_ASYNC_UPDATE:
    case HLO_OP_UPDATE: return IMPORT_FREE;
    /* where the compiler has not decided yet, it will be a bitcast */
    case HLO_OP_RESHAPE: return im->m->scheduled ? IMPORT_KERNEL : IMPORT_FREE;
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_CALL: return IMPORT_INLINE;
    case HLO_OP_CUSTOM_CALL: return classify_call(im, i);
    case HLO_OP_COPY_START:
    case HLO_OP_SLICE_START: return IMPORT_DMA;
    case HLO_OP_COPY_DONE:
    case HLO_OP_SLICE_DONE: return IMPORT_DMA_DONE;
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_TO_ALL:
    case HLO_OP_REDUCE_SCATTER:
    case HLO_OP_COLLECTIVE_PERMUTE:
    case HLO_OP_COLLECTIVE_BROADCAST:
    case HLO_OP_RAGGED_ALL_TO_ALL: return IMPORT_COLLECTIVE;
    case HLO_OP_ALL_GATHER_START:
    case HLO_OP_ALL_REDUCE_START:
    case HLO_OP_COLLECTIVE_PERMUTE_START: return IMPORT_COLLECTIVE_START;
    case HLO_OP_ALL_GATHER_DONE:
    case HLO_OP_ALL_REDUCE_DONE:
    case HLO_OP_COLLECTIVE_PERMUTE_DONE: return IMPORT_COLLECTIVE_DONE;
    case HLO_OP_CALL_START:
    case HLO_OP_ASYNC_START: return classify_async(im, i, false);
    case HLO_OP_CALL_DONE:
    case HLO_OP_ASYNC_DONE: return classify_async(im, i, true);
    case HLO_OP_START: return classify_start(i, true);
    case HLO_OP_DONE: return classify_start(i, false);
    case HLO_OP_SEND:
    case HLO_OP_RECV:
    case HLO_OP_INFEED:
    case HLO_OP_OUTFEED: return IMPORT_HOST;
    case HLO_OP_SEND_DONE:
    case HLO_OP_RECV_DONE: return IMPORT_HOST_DONE;
    default: return is_scattered_sum(im, i) ? IMPORT_COLLECTIVE : IMPORT_KERNEL;
    }
}
