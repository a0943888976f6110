/* import_cores.c - fusions that the two cores of a device share.
 *
 * Where two cores are one device (megacore), the compiler puts whole operations that do not need
 * each other into one fusion: one core exchanges data, the other one computes (megacore fusion).
 *
 *     body:  collectives, or fusions that hold one      a core runs these one after the other
 *            fusions, products, copies                  the other core runs these meanwhile
 *            a tuple of all results
 *
 * It is imported as its operations: the collectives start before all that does not feed them, and
 * are waited for behind all of it; kernels have one core.  The structure alone says so. */
#include <stdlib.h>
#include <string.h>

#include "import/hlo/program/importing.h"

/* A collective, or a fusion that is one and no part of a collective that kernels carry. */
static bool is_exchange(const struct importing *im, const struct hlo_instruction *i)
{
    if (import_is_collective(i->opcode))
        return true;
    return i->opcode == HLO_OP_FUSION && import_wrapped_collective(im, i) &&
           import_carry_of(im, i) == IMPORT_CARRY_NONE;
}

static bool takes_time(const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_CONSTANT:
    case HLO_OP_BITCAST:
    case HLO_OP_TUPLE:
    case HLO_OP_GET_TUPLE_ELEMENT: return false;
    default: return true;
    }
}

/* True if an operand is marked. */
static bool reads_marked(const struct importing *im, const struct hlo_computation *c,
                         const struct hlo_instruction *i, const bool *marked)
{
    for (uint32_t k = 0; k < i->n_operands; k++)
        if (marked[im->m->operand[i->first_operand + k] - c->first])
            return true;
    return false;
}

/* True if the root returns something that no collective brings. */
static bool returns_more(const struct importing *im, const struct hlo_computation *c,
                         const bool *brought)
{
    const struct hlo_instruction *root = &im->m->instruction[c->root];

    for (uint32_t k = 0; k < root->n_operands; k++)
        if (!brought[im->m->operand[root->first_operand + k] - c->first])
            return true;
    return false;
}

/* True if nothing in the body reads what a collective brings, and that is not all it makes. */
static bool is_shared(const struct importing *im, const struct hlo_computation *c)
{
    bool *brought = memory_zeroed(c->n, sizeof *brought), apart = true;
    uint32_t collectives = 0, others = 0;

    for (uint32_t k = 0; k < c->n && apart; k++) {
        const struct hlo_instruction *i = &im->m->instruction[c->first + k];
        bool reads = reads_marked(im, c, i, brought);
        if (i->opcode == HLO_OP_WHILE || i->opcode == HLO_OP_CONDITIONAL ||
            i->opcode == HLO_OP_CALL)
            apart = false;
        else if (!takes_time(i))
            brought[k] = reads;
        else if (reads)
            apart = false;
        else if (is_exchange(im, i))
            brought[k] = ++collectives > 0;
        else
            others++;
    }
    apart &= collectives + others > 1 || returns_more(im, c, brought);
    free(brought);
    return apart && collectives > 0;
}

void import_cores_find(struct importing *im)
{
    const struct hlo_module *m = im->m;

    im->shared = memory_zeroed(m->n_computations, sizeof *im->shared);
    for (uint32_t k = 0; k < m->n_instructions && !im->o->gpu; k++) {
        const struct hlo_instruction *i = &m->instruction[k];
        if (i->opcode != HLO_OP_FUSION || i->n_called != 1)
            continue;
        const struct hlo_computation *c = hlo_called(m, i, 0);
        if (c->n == 0 || m->instruction[c->root].opcode != HLO_OP_TUPLE ||
            im->shared[c - m->computation] || import_wrapped_collective(im, i) == NULL)
            continue;
        im->shared[c - m->computation] =
            import_carry_of(im, i) == IMPORT_CARRY_NONE && is_shared(im, c);
    }
}

bool import_cores_share(const struct importing *im, const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_FUSION && i->n_called == 1 &&
           im->shared[hlo_called(im->m, i, 0) - im->m->computation];
}

bool import_cores_inside(const struct importing *im, const struct hlo_instruction *i)
{
    return im->shared[i->computation];
}

bool import_cores_exchange(const struct importing *im, const struct hlo_instruction *i)
{
    return im->shared[i->computation] && is_exchange(im, i);
}

bool import_cores_program(const struct importing *im, const struct hlo_computation *c)
{
    return (!c->fused || im->shared[c - im->m->computation]) && !c->scalar;
}

bool *import_cores_first(const struct importing *im, const struct hlo_computation *c)
{
    bool *first = memory_zeroed(c->n, sizeof *first);

    for (uint32_t k = c->n; k-- > 0;) {
        const struct hlo_instruction *i = &im->m->instruction[c->first + k];
        first[k] |= is_exchange(im, i);
        for (uint32_t j = 0; first[k] && j < i->n_operands; j++)
            first[im->m->operand[i->first_operand + j] - c->first] = true;
    }
    return first;
}

static uint32_t hash_text(struct hlo_text t)
{
    uint32_t h = 2166136261u;

    for (uint32_t i = 0; i < t.size; i++)
        h = (h ^ (unsigned char)t.at[i]) * 16777619u;
    return h;
}

/* Names that occur in several computations that run get the number of their scope. */
void import_value_find_doubles(struct importing *im)
{
    const struct hlo_module *m = im->m;
    uint32_t size = 16;

    while (size < 2 * m->n_instructions)
        size *= 2;
    uint32_t *table = memory_zeroed(size, sizeof *table);
    im->doubled = memory_zeroed(m->n_instructions / 32 + 1, sizeof *im->doubled);
    for (uint32_t i = 0; i < m->n_instructions; i++) {
        const struct hlo_computation *c = &m->computation[m->instruction[i].computation];
        if (!import_cores_program(im, c))
            continue;
        uint32_t h = hash_text(m->instruction[i].name) & (size - 1);
        for (; table[h]; h = (h + 1) & (size - 1)) {
            const struct hlo_instruction *o = &m->instruction[table[h] - 1];
            if (o->name.size == m->instruction[i].name.size &&
                memcmp(o->name.at, m->instruction[i].name.at, o->name.size) == 0)
                break;
        }
        if (table[h]) {
            uint32_t o = table[h] - 1;
            im->doubled[i / 32] |= UINT32_C(1) << i % 32;
            im->doubled[o / 32] |= UINT32_C(1) << o % 32;
        } else {
            table[h] = i + 1;
        }
    }
    free(table);
}
