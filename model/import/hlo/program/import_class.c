/* import_class.c - which kind of line an instruction becomes. */
#include <stdlib.h>
#include <string.h>

#include "import/hlo/program/import_half.h"
#include "import/hlo/program/import_peer.h"

#define MAX_UPDATES 1000 /* and names between a start and its done */
#define MAX_CARRIERS 64

static enum import_class classify_call(const struct importing *im, const struct hlo_instruction *i)
{
    if (import_half_moves(im, i))
        return IMPORT_KERNEL;
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
static enum import_class classify_other_start(const struct hlo_instruction *i)
{
    static const char *const collective[] = { "all-", "reduce-scatter", "collective-", "ragged-" };
    static const char *const dma[] = { "copy", "slice", "dynamic-slice", "dynamic-update-slice" };

    for (size_t k = 0; k < sizeof collective / sizeof *collective; k++)
        if (text_starts(i->opcode_text, collective[k]))
            return IMPORT_COLLECTIVE_START;
    for (size_t k = 0; k < sizeof dma / sizeof *dma; k++)
        if (text_starts(i->opcode_text, dma[k]))
            return IMPORT_DMA;
    return IMPORT_ASYNC;
}

static bool is_start(const struct importing *im, const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_FUSION: return import_carry_of(im, i) == IMPORT_CARRY_START;
    case HLO_OP_COPY_START:
    case HLO_OP_SLICE_START:
    case HLO_OP_ALL_GATHER_START:
    case HLO_OP_ALL_REDUCE_START:
    case HLO_OP_COLLECTIVE_PERMUTE_START:
    case HLO_OP_CALL_START:
    case HLO_OP_ASYNC_START:
    case HLO_OP_SEND:
    case HLO_OP_RECV:
    case HLO_OP_START: return true;
    default: return false;
    }
}

static bool is_done(const struct importing *im, const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_FUSION: return import_carry_of(im, i) == IMPORT_CARRY_DONE;
    case HLO_OP_COPY_DONE:
    case HLO_OP_SLICE_DONE:
    case HLO_OP_ALL_GATHER_DONE:
    case HLO_OP_ALL_REDUCE_DONE:
    case HLO_OP_COLLECTIVE_PERMUTE_DONE:
    case HLO_OP_CALL_DONE:
    case HLO_OP_ASYNC_DONE:
    case HLO_OP_SEND_DONE:
    case HLO_OP_RECV_DONE:
    case HLO_OP_DONE: return true;
    default: return false;
    }
}

/* A reduce-scatter that is written as a fusion, an all-reduce and what selects a part of it. */
static bool is_scattered_sum(const struct importing *im, const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_FUSION && import_wrapped_collective(im, i) != NULL &&
           import_carry_of(im, i) == IMPORT_CARRY_NONE;
}

/* Operand `n` of a done behind names and updates of it; NULL: too far away. */
static const struct hlo_instruction *follow_start(const struct importing *im,
                                                  const struct hlo_instruction *i, uint32_t n)
{
    enum hlo_opcode o = i->opcode;
    uint32_t steps = 0, carriers = 0;

    do {
        if (i->n_operands <= n || steps++ == MAX_UPDATES || carriers > MAX_CARRIERS)
            return NULL;
        const struct hlo_instruction *from = hlo_operand(im->m, i, n);
        i = o == HLO_OP_GET_TUPLE_ELEMENT ? import_carry_back(im, i) : from;
        carriers += i != from;
        o = i->opcode;
        n = 0;
    } while (o == HLO_OP_ASYNC_UPDATE || o == HLO_OP_UPDATE || o == HLO_OP_GET_TUPLE_ELEMENT ||
             o == HLO_OP_BITCAST || o == HLO_OP_OPT_BARRIER);
    return i;
}

const struct hlo_instruction *import_start_of(const struct importing *im,
                                              const struct hlo_instruction *i)
{
    if (import_cores_exchange(im, i))
        return i;
    /* the source of a collective may have been copied to another memory since its start */
    for (uint32_t k = 0; i->opcode == HLO_OP_FUSION && k < i->n_operands && k < 8; k++) {
        const struct hlo_instruction *start = follow_start(im, i, k);
        if (start && import_carry_of(im, start) == IMPORT_CARRY_START)
            return start;
    }
    return follow_start(im, i, 0);
}

/* Where the line of a start stands: of a send and its recv where the later one does. */
static uint32_t line_of_start(const struct importing *im, const struct hlo_instruction *start)
{
    const struct hlo_instruction *other = import_peer_of(im, start);

    return (uint32_t)((other > start ? other : start) - im->m->instruction);
}

void import_find_pairs(struct importing *im)
{
    const struct hlo_module *m = im->m;
    uint32_t *twice = memory_zeroed(m->n_instructions / 32 + 1, sizeof *twice);

    im->paired = memory_zeroed(m->n_instructions / 32 + 1, sizeof *im->paired);
    for (uint32_t k = 0; k < m->n_instructions; k++) {
        const struct hlo_instruction *i = &m->instruction[k];
        const struct hlo_instruction *start = is_done(im, i) ? import_start_of(im, i) : NULL;
        if (start == NULL || !is_start(im, start) || start->computation != i->computation ||
            line_of_start(im, start) > k)
            continue;
        uint32_t s = (uint32_t)(start - m->instruction);
        if (im->paired[s / 32] >> s % 32 & 1)
            twice[s / 32] |= UINT32_C(1) << s % 32;
        im->paired[s / 32] |= UINT32_C(1) << s % 32;
    }
    for (uint32_t k = 0; k < m->n_instructions / 32 + 1; k++)
        im->paired[k] &= ~twice[k];
    free(twice);
}

static enum import_class classify_start(const struct importing *im,
                                        const struct hlo_instruction *i);

/* Without a unit of its own it runs where it starts. */
static bool runs_at_once(const struct importing *im, const struct hlo_instruction *start)
{
    return !im->compiler->threads && classify_start(im, start) == IMPORT_ASYNC;
}

static bool is_paired(const struct importing *im, const struct hlo_instruction *start)
{
    uint32_t s = (uint32_t)(start - im->m->instruction);

    return (im->paired[s / 32] >> s % 32 & 1) && !runs_at_once(im, start);
}

static bool is_host_transfer(const struct importing *im, const struct hlo_instruction *i)
{
    return !import_peer_is_far(im, i) &&
           hlo_text_is(hlo_attribute(im->m, i, "is_host_transfer"), "true");
}

/* A start with its done, in the background. */
static enum import_class classify_start(const struct importing *im, const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_COPY_START:
    case HLO_OP_SLICE_START: return IMPORT_DMA;
    case HLO_OP_ALL_GATHER_START:
    case HLO_OP_ALL_REDUCE_START:
    case HLO_OP_COLLECTIVE_PERMUTE_START: return IMPORT_COLLECTIVE_START;
    case HLO_OP_SEND:
    case HLO_OP_RECV:
        if (import_peer_of(im, i))
            return i->opcode == HLO_OP_SEND ? IMPORT_PEER : IMPORT_COLLECTIVE_START;
        return is_host_transfer(im, i) ? IMPORT_HOST : IMPORT_KERNEL;
    case HLO_OP_START:
        if (hlo_text_is(i->opcode_text, "send-start") || hlo_text_is(i->opcode_text, "recv-start"))
            return is_host_transfer(im, i) ? IMPORT_HOST : IMPORT_KERNEL;
        return classify_other_start(i);
    /* a collective is one, whatever it is wrapped in, and so is a DMA */
    default:
        if (import_wrapped_collective(im, i))
            return IMPORT_COLLECTIVE_START;
        return import_wrapped_move(im, i) ? IMPORT_DMA : IMPORT_ASYNC;
    }
}

/* Without a done of its own it is a kernel, copy or collective where it stands. */
static enum import_class classify_alone(enum import_class c)
{
    if (c == IMPORT_PEER)
        return c;
    return c == IMPORT_COLLECTIVE_START ? IMPORT_COLLECTIVE : IMPORT_KERNEL;
}

static enum import_class classify_done(const struct importing *im, const struct hlo_instruction *i)
{
    const struct hlo_instruction *start = import_start_of(im, i);

    if (start == NULL || !is_start(im, start) || !is_paired(im, start))
        return IMPORT_FREE;
    switch (classify_start(im, start)) {
    case IMPORT_DMA: return IMPORT_DMA_DONE;
    case IMPORT_COLLECTIVE_START: return IMPORT_COLLECTIVE_DONE;
    case IMPORT_ASYNC: return IMPORT_ASYNC_DONE;
    case IMPORT_HOST: return IMPORT_HOST_DONE;
    default: return IMPORT_FREE;
    }
}

enum import_class import_classify(const struct importing *im, const struct hlo_instruction *i)
{
    if (import_cores_exchange(im, i))
        return IMPORT_COLLECTIVE_START;
    if (import_cores_share(im, i))
        return IMPORT_INLINE;
    if (is_done(im, i))
        return classify_done(im, i);
    if (is_start(im, i))
        return is_paired(im, i) ? classify_start(im, i) : classify_alone(classify_start(im, i));
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
    case HLO_OP_SET_DIMENSION_SIZE: /* in place */
    case HLO_OP_ASYNC_UPDATE:
    case HLO_OP_UPDATE: return IMPORT_FREE;
    /* where the compiler has not decided yet, it will be a bitcast */
    case HLO_OP_RESHAPE: return im->m->scheduled ? IMPORT_KERNEL : IMPORT_FREE;
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_CALL: return IMPORT_INLINE;
    case HLO_OP_CUSTOM_CALL: return classify_call(im, i);
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_TO_ALL:
    case HLO_OP_REDUCE_SCATTER:
    case HLO_OP_COLLECTIVE_PERMUTE:
    case HLO_OP_COLLECTIVE_BROADCAST:
    case HLO_OP_RAGGED_ALL_TO_ALL: return IMPORT_COLLECTIVE;
    case HLO_OP_INFEED:
    case HLO_OP_OUTFEED: return IMPORT_HOST;
    default:
        if (import_place_renames(im, i))
            return IMPORT_FREE;
        return is_scattered_sum(im, i) ? IMPORT_COLLECTIVE : IMPORT_KERNEL;
    }
}

/* A done takes the place of what its start has begun, of the same shape. */
static bool is_pair(const struct importing *im, const struct import_scope *s,
                    const struct hlo_instruction *start, const struct hlo_instruction *done)
{
    struct import_span from = import_started(im, s, start), to = import_span_of(im, s, done);
    bool pair = from.n <= to.n;

    for (uint32_t k = 0; k < to.n && pair; k++) { /* a recv has a token behind what has come */
        uint32_t a = k < from.n ? im->leaf[from.first + k] : 0, b = im->leaf[to.first + k];
        const struct import_value *x = &im->value[a], *y = &im->value[b];
        pair = a == 0 ? b == 0 : b != 0 && y->at == a && import_shape_same(x->shape, y->shape);
    }
    return pair;
}

void import_part_pairs(struct importing *im)
{
    for (uint32_t k = 0; k < im->n_scopes; k++) {
        const struct import_scope *s = &im->scope[k];
        for (uint32_t j = 0; j < s->c->n; j++) {
            const struct hlo_instruction *i = &im->m->instruction[s->c->first + j];
            enum import_class c = import_classify(im, i);
            if (c != IMPORT_DMA_DONE && c != IMPORT_ASYNC_DONE && c != IMPORT_COLLECTIVE_DONE)
                continue;
            const struct hlo_instruction *start = import_start_of(im, i);
            uint32_t bit = (uint32_t)(start - im->m->instruction);
            if (!is_pair(im, s, start, i))
                im->paired[bit / 32] &= ~(UINT32_C(1) << bit % 32);
        }
    }
}
