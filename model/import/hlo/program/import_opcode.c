/* Instructions by their opcode and target: collectives, annotations, what runs inside them. */
#include <string.h>

#include "import/hlo/program/import_half.h"
#include "import/hlo/program/import_peer.h"

bool import_is_target(const struct importing *im, const struct hlo_instruction *i,
                      const char *target)
{
    struct hlo_text t = hlo_attribute(im->m, i, "custom_call_target");
    size_t n = strlen(target);

    return t.size == n + 2 && memcmp(t.at + 1, target, n) == 0;
}

bool import_is_collective(enum hlo_opcode o)
{
    return o == HLO_OP_ALL_GATHER || o == HLO_OP_ALL_REDUCE || o == HLO_OP_ALL_TO_ALL ||
           o == HLO_OP_REDUCE_SCATTER || o == HLO_OP_COLLECTIVE_PERMUTE ||
           o == HLO_OP_COLLECTIVE_BROADCAST || o == HLO_OP_RAGGED_ALL_TO_ALL;
}

/* The first collective of computation `c`, or NULL.  Each computation is searched once. */
static const struct hlo_instruction *find_collective(const struct importing *im,
                                                     const struct hlo_computation *c)
{
    enum { UNKNOWN, NONE, FIRST };
    uint32_t *known = &im->collective[c - im->m->computation];

    if (*known != UNKNOWN)
        return *known == NONE ? NULL : &im->m->instruction[*known - FIRST];
    const struct hlo_instruction *found = NULL;
    for (uint32_t j = 0; j < c->n && found == NULL; j++) {
        const struct hlo_instruction *in = &im->m->instruction[c->first + j];
        if (import_is_collective(in->opcode))
            found = in;
        else if (in->opcode == HLO_OP_FUSION || in->opcode == HLO_OP_CALL ||
                 in->opcode == HLO_OP_CALL_START || in->opcode == HLO_OP_ASYNC_START)
            found = import_wrapped_collective(im, in);
    }
    *known = found ? FIRST + (uint32_t)(found - im->m->instruction) : NONE;
    return found;
}

/* The operation of a computation that moves an array or a part of it, and does nothing else. */
static const struct hlo_instruction *find_move(const struct importing *im,
                                               const struct hlo_computation *c)
{
    const struct hlo_instruction *move = NULL;

    if (c->thread.at && !hlo_text_is(hlo_unquoted(c->thread), "main"))
        return NULL; /* of a SparseCore */
    for (uint32_t k = 0; k < c->n; k++) {
        const struct hlo_instruction *i = &im->m->instruction[c->first + k];
        switch (i->opcode) {
        case HLO_OP_PARAMETER:
        case HLO_OP_CONSTANT:
        case HLO_OP_BITCAST: break;
        case HLO_OP_COPY:
        case HLO_OP_SLICE:
        case HLO_OP_DYNAMIC_SLICE:
        case HLO_OP_DYNAMIC_UPDATE_SLICE:
            if (move)
                return NULL;
            move = i;
            break;
        default: return NULL;
        }
    }
    return move;
}

const struct hlo_instruction *import_wrapped_collective(const struct importing *im,
                                                        const struct hlo_instruction *i)
{
    const struct hlo_instruction *found = NULL;

    for (uint32_t k = 0; k < i->n_called && found == NULL; k++)
        found = find_collective(im, hlo_called(im->m, i, k));
    return found;
}

const struct hlo_instruction *import_wrapped_move(const struct importing *im,
                                                  const struct hlo_instruction *start)
{
    bool wraps = start->opcode == HLO_OP_ASYNC_START || start->opcode == HLO_OP_CALL_START;
    struct hlo_text thread = hlo_attribute(im->m, start, "async_execution_thread");

    if (!wraps || start->n_called != 1 || (thread.at && !hlo_text_is(hlo_unquoted(thread), "main")))
        return NULL;
    return find_move(im, hlo_called(im->m, start, 0));
}
