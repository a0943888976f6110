/* import_half.c - halves of 64-bit numbers and parts of complex ones.
 *
 *     X64SplitLow, X64SplitHigh   names of a half of their operand, and
 *     X64Combine                  a name of both of its operands,
 *
 * but for arguments and results of the program, which its caller holds whole: a half of an argument
 * and a result put together of halves are copies.  XLA:TPU of libtpu 0.0.42 has a program that
 * returns the real part of its argument write it by X64SplitLow alone, and one that makes a complex
 * array of two by X64Combine alone; its figures of memory count both beside the argument. */
#include "import/hlo/program/import_half.h"

bool import_half_is_split(const struct importing *im, const struct hlo_instruction *i)
{
    return i->n_operands == 1 &&
           (import_is_target(im, i, "X64SplitLow") || import_is_target(im, i, "X64SplitHigh"));
}

static bool brings_half(const struct importing *im, const struct hlo_instruction *i)
{
    return import_half_is_split(im, i) && i->shape->rank > 0 &&
           hlo_operand(im->m, i, 0)->opcode == HLO_OP_PARAMETER;
}

/* A combination of halves; the caller knows that it is a result. */
static bool takes_halves(const struct importing *im, const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_CUSTOM_CALL && import_is_target(im, i, "X64Combine") &&
           i->shape->rank > 0;
}

void import_half_find(struct importing *im)
{
    const struct hlo_module *m = im->m;
    const struct hlo_computation *c = &m->computation[m->entry];
    const struct hlo_instruction *root = &m->instruction[c->root];

    im->crossing = memory_zeroed(m->n_instructions / 32 + 1, sizeof *im->crossing);
    for (uint32_t k = c->first; k < c->first + c->n; k++)
        if (m->instruction[k].opcode == HLO_OP_CUSTOM_CALL && brings_half(im, &m->instruction[k]))
            im->crossing[k / 32] |= UINT32_C(1) << k % 32;
    uint32_t n = root->opcode == HLO_OP_TUPLE ? root->n_operands : 1;
    for (uint32_t k = 0; k < n; k++) {
        const struct hlo_instruction *i =
            root->opcode == HLO_OP_TUPLE ? hlo_operand(m, root, k) : root;
        uint32_t id = (uint32_t)(i - m->instruction);
        if (takes_halves(im, i))
            im->crossing[id / 32] |= UINT32_C(1) << id % 32;
    }
}

bool import_half_moves(const struct importing *im, const struct hlo_instruction *i)
{
    uint32_t id = (uint32_t)(i - im->m->instruction);

    return im->crossing && (im->crossing[id / 32] >> id % 32 & 1);
}
