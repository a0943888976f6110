/* import_move.c - copies in the background, and transfers to and from the host.
 *
 * copy-start, slice-start and the like become copy-start: bytes of what arrives, which is the
 * update where a part of an array is updated.  A send or receive of the host becomes outfeed or
 * infeed. */
#include <inttypes.h>
#include <stdlib.h>

#include "import/hlo/program/import_line.h"

/* The value that a start brings. */
static uint32_t destination_of(const struct importing *im, const struct import_scope *s,
                               const struct hlo_instruction *i)
{
    struct import_span out = import_started(im, s, i);

    return out.n ? im->leaf[out.first] : 0;
}

/* The parameter of a computation behind names of it, as an operand of its caller. */
static uint32_t parameter_of(const struct importing *im, const struct hlo_instruction *i)
{
    while (i->opcode == HLO_OP_BITCAST && i->n_operands)
        i = hlo_operand(im->m, i, 0);
    return i->opcode == HLO_OP_PARAMETER && i->number >= 0 ? (uint32_t)i->number : IMPORT_NONE;
}

uint32_t import_move_update(const struct importing *im, const struct hlo_instruction *start,
                            uint32_t *place)
{
    const struct hlo_instruction *move = import_wrapped_move(im, start);
    uint32_t update = IMPORT_NONE;

    *place = IMPORT_NONE;
    if (move && move->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE && move->n_operands > 1) {
        *place = parameter_of(im, hlo_operand(im->m, move, 0));
        update = parameter_of(im, hlo_operand(im->m, move, 1));
    } else if (hlo_text_is(start->opcode_text, "dynamic-update-slice-start")) {
        *place = 0;
        update = 1;
    }
    bool both = *place < start->n_operands && update < start->n_operands;
    for (uint32_t k = 0; k < start->n_operands; k++) /* operands and their leaves are the same */
        both &= import_leaves(hlo_operand(im->m, start, k)->shape) == 1;
    return both ? update : IMPORT_NONE;
}

static uint64_t bytes_of_copy(const struct importing *im, uint32_t to, uint32_t from)
{
    bool hbm = im->value[to].shape->layout.space == 0 || im->value[from].shape->layout.space == 0;

    return hbm ? hlo_bytes(im->value[to].shape) : 0;
}

static void emit_copy(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    const struct import_scope *s = &im->scope[scope];
    uint32_t to = destination_of(im, s, i), *operand, place;
    uint32_t n = import_line_operands(im, s, i, &operand), part = import_move_update(im, i, &place);
    uint32_t from = part < n ? operand[part] : n ? operand[0] : 0;

    if (to && from) {
        uint64_t bytes = bytes_of_copy(im, to, from);
        import_line_shared(im, to);
        import_line_begin(im, &to, 1, "copy-start", &from, 1);
        if (part < n) {
            fprintf(im->out, " bytes=%" PRIu64, hlo_bytes(im->value[from].shape));
            bytes = bytes ? hlo_bytes(im->value[from].shape) : 0;
        }
        if (hlo_attribute(im->m, i, "cross_program_prefetch_index").at)
            fputs(" early=1", im->out);
        import_line_end(im, i, NULL);
        im->totals->copies = import_add(im->totals->copies, s->times);
        im->totals->bytes = import_add(im->totals->bytes, import_multiply(bytes, s->times));
    }
    free(operand);
}

static void emit_copy_done(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    struct import_span out = import_span_of(im, &im->scope[scope], i);
    const struct hlo_instruction *start = import_start_of(im, i);
    uint32_t from = start ? destination_of(im, &im->scope[scope], start) : 0;

    if (from == 0 || !im->value[from].begun || out.n != 1 || im->leaf[out.first] == 0)
        return;
    import_line_begin(im, &im->leaf[out.first], 1, "copy-done", &from, 1);
    import_line_end(im, i, NULL);
}

/* --- the host ------------------------------------------------------------------------------ */

static uint32_t handle_of(const struct importing *im, const struct import_scope *s,
                          const struct hlo_instruction *i)
{
    struct import_span all = import_span_of(im, s, i);

    for (uint32_t k = 0; k < all.n; k++)
        if (im->value[im->leaf[all.first + k]].kind == IMPORT_HANDLE)
            return im->leaf[all.first + k];
    return 0;
}

static void emit_host_start(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    const struct import_scope *s = &im->scope[scope];
    uint32_t *operand, n = import_line_operands(im, s, i, &operand), handle = handle_of(im, s, i);

    if (i->opcode == HLO_OP_SEND && n && operand[0] && handle) {
        import_line_begin(im, &handle, 1, "outfeed-start", operand, 1);
        import_line_end(im, i, NULL);
    } else if (i->opcode == HLO_OP_RECV && handle) {
        import_line_begin(im, &handle, 1, "infeed-start", NULL, 0);
        fprintf(im->out, " payload=%" PRIu64, hlo_bytes(im->value[handle].shape));
        import_line_end(im, i, NULL);
    } else if (i->opcode == HLO_OP_OUTFEED && n && operand[0]) {
        import_line_begin(im, NULL, 0, "outfeed", operand, n);
        import_line_end(im, i, NULL);
    } else if (i->opcode == HLO_OP_INFEED) {
        struct import_span out = import_span_of(im, s, i);
        uint32_t given = 0;
        for (uint32_t k = 0; k < out.n; k++)
            given += im->leaf[out.first + k] != 0;
        if (given) {
            import_line_begin(im, &im->leaf[out.first], out.n, "infeed", NULL, 0);
            import_line_end(im, i, NULL);
        }
    }
    free(operand);
}

static void emit_host_done(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    const struct import_scope *s = &im->scope[scope];
    const struct hlo_instruction *start = import_start_of(im, i);
    struct import_span out = import_span_of(im, s, i);
    uint32_t handle = start ? handle_of(im, s, start) : 0;

    if (handle == 0 || !im->value[handle].begun)
        return;
    bool receive = start->opcode == HLO_OP_RECV;
    if (receive && out.n && im->leaf[out.first]) /* it has as many bytes as its start said */
        im->value[im->leaf[out.first]].shape = im->value[handle].shape;
    import_line_begin(im, receive ? &im->leaf[out.first] : NULL, receive ? out.n : 0,
                      receive ? "infeed-done" : "outfeed-done", &handle, 1);
    import_line_end(im, i, NULL);
}

int import_move_emit(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                     enum import_class c)
{
    switch (c) {
    case IMPORT_DMA: emit_copy(im, scope, i); break;
    case IMPORT_DMA_DONE: emit_copy_done(im, scope, i); break;
    case IMPORT_HOST: emit_host_start(im, scope, i); break;
    default: emit_host_done(im, scope, i); break;
    }
    return 0;
}
