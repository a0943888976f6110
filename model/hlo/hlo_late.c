/* hlo_late.c - asynchronous operations that get their operands late.
 *
 *     %s = ((), (), s32[]) async-start(), calls=%work
 *     %u = ((f32[64]), f32[64]) async-update(%s, %x)
 *     %d = f32[64] async-done(%u)
 *
 * (libtpu 0.0.46, of work for SparseCores).  The work begins where its operands are, so the update
 * becomes the start: it takes the called computation, and the other one starts nothing. */
#include "hlo/hlo_parser.h"

static struct hlo_instruction *late_start(struct hlo_module *m, const struct hlo_instruction *i)
{
    if ((i->opcode != HLO_OP_ASYNC_UPDATE && i->opcode != HLO_OP_UPDATE) || i->n_operands < 2)
        return NULL;
    struct hlo_instruction *s = &m->instruction[m->operand[i->first_operand]];
    bool starts = s->opcode == HLO_OP_ASYNC_START || s->opcode == HLO_OP_CALL_START ||
                  s->opcode == HLO_OP_START;
    return starts && s->n_operands == 0 && s->n_called ? s : NULL;
}

void hlo_join_late(struct hlo_module *m)
{
    for (uint32_t k = 0; k < m->n_instructions; k++) {
        struct hlo_instruction *i = &m->instruction[k], *s = late_start(m, i);
        if (s == NULL)
            continue;
        i->opcode = HLO_OP_ASYNC_START;
        i->first_operand++;
        i->n_operands--;
        i->first_called = s->first_called;
        i->n_called = s->n_called;
        s->opcode = HLO_OP_AFTER_ALL;
        s->n_called = 0;
    }
}
