/* import_origin.c - whose scope and source line an instruction has.
 *
 * The compiler makes instructions of its own, without metadata: copies, scatters, buffers, fusions
 * of what it has split.  In this order, an instruction has the scope and source of
 *
 *   1. itself
 *   2. the root of the computation that it calls as a kernel, else the last instruction there that
 *      has some
 *   3. the first in the schedule of those that use its results, as far as these have some by rules
 *      1 to 3: names of results, tuples and dones are passed through
 *   4. the first of its operands, by rules 1, 2 and 4
 *
 * all in one computation.  Arguments and constants have none: the op_name of an argument is its
 * own name. */
#include <stdlib.h>

#include "import/hlo/program/importing.h"

static bool has_metadata(const struct hlo_module *m, const struct hlo_instruction *i)
{
    struct hlo_text t = hlo_part(hlo_attribute(m, i, "metadata"), "op_name"), file;
    uint32_t line;

    if (i->opcode == HLO_OP_PARAMETER || i->opcode == HLO_OP_CONSTANT)
        return false;
    return t.size > 2 || hlo_source(m, i, &file, &line);
}

/* Callees stand before their callers, so theirs are known. */
static uint32_t find_inside(const struct importing *im, const struct hlo_instruction *i)
{
    const struct hlo_module *m = im->m;

    if (i->opcode != HLO_OP_FUSION && i->opcode != HLO_OP_CALL_START &&
        i->opcode != HLO_OP_ASYNC_START)
        return IMPORT_NONE;
    const struct hlo_computation *c = i->n_called ? hlo_called(m, i, 0) : NULL;
    if (c == NULL || c->n == 0)
        return IMPORT_NONE;
    if (im->origin[c->root] != IMPORT_NONE)
        return im->origin[c->root];
    for (uint32_t k = c->first + c->n; k-- > c->first;)
        if (im->origin[k] != IMPORT_NONE)
            return im->origin[k];
    return IMPORT_NONE;
}

static void find_own(struct importing *im, const struct hlo_computation *c)
{
    for (uint32_t k = c->first; k < c->first + c->n; k++) {
        const struct hlo_instruction *i = &im->m->instruction[k];
        im->origin[k] = has_metadata(im->m, i) ? k : find_inside(im, i);
    }
}

static bool takes_none(const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_PARAMETER || i->opcode == HLO_OP_CONSTANT;
}

/* Users stand behind what they use: from the last, so that the first is what remains. */
static void ask_users(struct importing *im, const struct hlo_computation *c, uint32_t *by_user)
{
    const struct hlo_module *m = im->m;

    for (uint32_t k = c->first + c->n; k-- > c->first;) {
        const struct hlo_instruction *i = &m->instruction[k];
        uint32_t from = im->origin[k] != IMPORT_NONE ? im->origin[k] : by_user[k - c->first];
        for (uint32_t j = 0; from != IMPORT_NONE && j < i->n_operands; j++)
            by_user[m->operand[i->first_operand + j] - c->first] = from;
    }
}

static void ask_operands(struct importing *im, const struct hlo_computation *c,
                         uint32_t *by_operand)
{
    const struct hlo_module *m = im->m;

    for (uint32_t k = c->first; k < c->first + c->n; k++) {
        const struct hlo_instruction *i = &m->instruction[k];
        uint32_t *from = &by_operand[k - c->first];
        *from = im->origin[k];
        for (uint32_t j = 0; *from == IMPORT_NONE && j < i->n_operands; j++)
            *from = by_operand[m->operand[i->first_operand + j] - c->first];
    }
}

static void find_near(struct importing *im, const struct hlo_computation *c)
{
    uint32_t *by_user = memory_zeroed(c->n, sizeof *by_user);
    uint32_t *by_operand = memory_zeroed(c->n, sizeof *by_operand);

    for (uint32_t k = 0; k < c->n; k++)
        by_user[k] = IMPORT_NONE;
    ask_users(im, c, by_user);
    ask_operands(im, c, by_operand);
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t *o = &im->origin[c->first + k];
        if (*o == IMPORT_NONE && !takes_none(&im->m->instruction[c->first + k]))
            *o = by_user[k] != IMPORT_NONE ? by_user[k] : by_operand[k];
    }
    free(by_user);
    free(by_operand);
}

void import_origins(struct importing *im)
{
    const struct hlo_module *m = im->m;

    import_limit_room(im, (uint64_t)m->n_instructions * sizeof *im->origin);
    im->origin = memory_zeroed(m->n_instructions, sizeof *im->origin);
    for (uint32_t k = 0; k < m->n_instructions; k++)
        im->origin[k] = IMPORT_NONE;
    for (uint32_t k = 0; k < m->n_computations; k++)
        find_own(im, &m->computation[k]);
    for (uint32_t k = 0; k < m->n_computations; k++)
        if (import_cores_program(im, &m->computation[k]))
            find_near(im, &m->computation[k]);
}

const struct hlo_instruction *import_origin_of(const struct importing *im,
                                               const struct hlo_instruction *i)
{
    uint32_t k = im->origin[i - im->m->instruction];

    return k == IMPORT_NONE ? i : &im->m->instruction[k];
}
