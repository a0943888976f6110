/* import_carry.c - collectives that kernels carry.
 *
 * Where the compiler spreads a collective over kernels (asynchronous collective fusion), it writes
 *
 *     a fusion whose root is the custom call AsyncCollectiveStart of the collective
 *     fusions that hold the collective once more beside work of their own, each of which sends a
 *     part of it: carriers
 *     a fusion whose root is the custom call AsyncCollectiveDone
 *
 * Source, destination and flags pass from each to the next through the results of the carriers, and
 * through loops that hold carriers.  It is imported as a start, kernels that do their own work
 * alone, and a done. */
#include <string.h>

#include "import/hlo/program/importing.h"

#define MARK "async_collective_fusion_config"

static bool is_marked(const struct importing *im, const struct hlo_instruction *i)
{
    struct hlo_text t = hlo_attribute(im->m, i, "backend_config");

    return t.size && memmem(t.at, t.size, MARK, sizeof MARK - 1) != NULL;
}

static const struct hlo_instruction *find_root(const struct importing *im,
                                               const struct hlo_instruction *i)
{
    return &im->m->instruction[hlo_called(im->m, i, 0)->root];
}

static bool has_part(const struct importing *im, const struct hlo_instruction *tuple,
                     const struct hlo_instruction *i)
{
    for (uint32_t k = 0; k < tuple->n_operands; k++)
        if (hlo_operand(im->m, tuple, k) == i)
            return true;
    return false;
}

/* True if the tuple has a parameter of the shape of `i` as it came, besides its source. */
static bool has_destination(const struct importing *im, const struct hlo_instruction *tuple,
                            const struct hlo_instruction *i, const struct hlo_instruction *source)
{
    for (uint32_t k = 0; k < tuple->n_operands; k++) {
        const struct hlo_instruction *o = hlo_operand(im->m, tuple, k);
        if (o->opcode == HLO_OP_PARAMETER && o != source && import_shape_same(o->shape, i->shape))
            return true;
    }
    return false;
}

/* True of a carrier alone: it returns the collective, and beside it source and destination as they
 * came.  backend_config says it too, of all forms of carriers, but not in every text. */
bool import_carry_holds(const struct importing *im, const struct hlo_instruction *i)
{
    if (!import_is_collective(i->opcode) || i->n_operands == 0)
        return false;
    if (is_marked(im, i))
        return true;
    const struct hlo_instruction *root =
        &im->m->instruction[im->m->computation[i->computation].root];
    const struct hlo_instruction *source = hlo_operand(im->m, i, 0);
    if (root->opcode != HLO_OP_TUPLE || source->opcode != HLO_OP_PARAMETER)
        return false;
    return has_part(im, root, i) && has_part(im, root, source) &&
           has_destination(im, root, i, source);
}

enum import_carry import_carry_of(const struct importing *im, const struct hlo_instruction *i)
{
    if (i->opcode != HLO_OP_FUSION || i->n_called != 1)
        return IMPORT_CARRY_NONE;
    const struct hlo_instruction *root = find_root(im, i);
    const struct hlo_instruction *inner = import_wrapped_collective(im, i);
    if (inner == NULL)
        return IMPORT_CARRY_NONE;
    if (root->opcode == HLO_OP_CUSTOM_CALL && import_is_target(im, root, "AsyncCollectiveStart"))
        return IMPORT_CARRY_START;
    if (root->opcode == HLO_OP_CUSTOM_CALL && import_is_target(im, root, "AsyncCollectiveDone"))
        return i->n_operands ? IMPORT_CARRY_DONE : IMPORT_CARRY_NONE;
    return import_carry_holds(im, inner) ? IMPORT_CARRY_ON : IMPORT_CARRY_NONE;
}

/* --- what passes through ------------------------------------------------------------------- */

/* The next number of "{{1}: (0, {}), {2}: (1, {})}" behind *at; false: there is none. */
static bool read_number(struct hlo_text t, uint32_t *at, uint32_t *n)
{
    uint64_t sum = 0;

    while (*at < t.size && (t.at[*at] < '0' || t.at[*at] > '9'))
        ++*at;
    if (*at == t.size)
        return false;
    for (; *at < t.size && t.at[*at] >= '0' && t.at[*at] <= '9'; ++*at)
        sum = sum < IMPORT_NONE ? 10 * sum + (uint64_t)(t.at[*at] - '0') : sum;
    *n = sum < IMPORT_NONE ? (uint32_t)sum : IMPORT_NONE;
    return true;
}

/* True if part `part` of the result is a parameter, or the collective. */
static bool passes_on(const struct importing *im, const struct hlo_instruction *i, uint32_t part)
{
    const struct hlo_instruction *root = &im->m->instruction[hlo_called(im->m, i, 0)->root];

    if (root->opcode != HLO_OP_TUPLE || part >= root->n_operands)
        return false;
    const struct hlo_instruction *o = hlo_operand(im->m, root, part);
    return o->opcode == HLO_OP_PARAMETER || import_carry_holds(im, o);
}

bool import_carry_pair(const struct importing *im, const struct hlo_instruction *i, uint32_t *at,
                       uint32_t *part, uint32_t *operand)
{
    struct hlo_text t = hlo_attribute(im->m, i, "output_to_operand_aliasing");

    while (read_number(t, at, part) && read_number(t, at, operand))
        if (*operand < i->n_operands && passes_on(im, i, *part))
            return true;
    return false;
}

void import_carry_hand_on(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                          struct import_span s)
{
    uint32_t at = 0, part, operand;

    while (import_carry_pair(im, i, &at, &part, &operand)) {
        struct import_span o =
            import_span_of(im, &im->scope[scope], hlo_operand(im->m, i, operand));
        uint32_t leaf = import_leaf_of(i->shape, part);
        if (leaf < s.n && o.n == 1)
            im->leaf[s.first + leaf] = im->leaf[o.first];
    }
}

const struct hlo_instruction *import_carry_back(const struct importing *im,
                                                const struct hlo_instruction *i)
{
    const struct hlo_module *m = im->m;
    const struct hlo_instruction *o = hlo_operand(m, i, 0);
    uint32_t part = (uint32_t)i->number, at = 0, found, operand;

    if (o->opcode == HLO_OP_WHILE && o->n_operands) {
        const struct hlo_instruction *in = hlo_operand(m, o, 0);
        return in->opcode == HLO_OP_TUPLE && part < in->n_operands ? hlo_operand(m, in, part) : o;
    }
    if (import_carry_of(im, o) == IMPORT_CARRY_ON)
        while (import_carry_pair(im, o, &at, &found, &operand))
            if (found == part)
                return hlo_operand(m, o, operand);
    return o;
}
