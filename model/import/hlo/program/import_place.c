/* import_place.c - which results are in the buffers of operands.
 *
 * In this order: what backend_config says (aliasing_operands), where the result is not in VMEM,
 * whose rooms XLA gives out before, with operand and result side by side; what the instruction says
 * (output_to_operand_aliasing); and what the compiler's own rule gives where neither is printed, as
 * in programs of older versions: a dynamic-update-slice or scatter writes into the buffer of what
 * it updates, and so does a fusion whose result is one of its own parameter, whatever renames it on
 * the way.  On a GPU sorts, and solutions of triangular systems, are in the buffer of what is
 * sorted or solved if nobody reads that later.  The compiler has made a copy before where the old
 * contents are still needed.  A text in which a later instruction reads them, or in which they are
 * an argument that is not given away, has no such copy: there the result is an array of its own.
 *
 * The source of an instruction is what it names: itself, behind bitcasts, barriers and elements of
 * tuples; all elements of one number of one tuple have one source. */
#include <stdlib.h>

#include "import/hlo/program/import_line.h"

#define MAX_NESTED 64
#define VMEM 1                /* memory space of a layout */
#define END (IMPORT_NONE - 1) /* read after the last instruction */

/* --- who reads what ------------------------------------------------------------------------ */

static bool is_name(const struct importing *im, const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_ADD_DEPENDENCY: return i->n_operands > 0;
    case HLO_OP_RESHAPE: return !im->m->scheduled && i->n_operands > 0;
    case HLO_OP_CUSTOM_CALL: return i->n_operands == 1 && import_is_annotation(im, i);
    default: return false;
    }
}

struct elements {
    uint32_t *slot; /* 1 + the first element of that number of a tuple */
    uint32_t size;
};

/* The first element of the same number of the same tuple, or `k` itself. */
static uint32_t find_element(const struct importing *im, struct elements *e, uint32_t base,
                             uint32_t k)
{
    int64_t number = im->m->instruction[k].number;
    uint32_t h = (base * 2654435761u + (uint32_t)number * 40503u) & (e->size - 1);

    for (; e->slot[h]; h = (h + 1) & (e->size - 1)) {
        uint32_t o = e->slot[h] - 1;
        if (im->m->instruction[o].number == number &&
            im->source[im->m->operand[im->m->instruction[o].first_operand]] == base)
            return o;
    }
    e->slot[h] = k + 1;
    return k;
}

static uint32_t find_source(const struct importing *im, struct elements *e, uint32_t k)
{
    const struct hlo_module *m = im->m;
    const struct hlo_instruction *i = &m->instruction[k];

    if (is_name(im, i))
        return im->source[m->operand[i->first_operand]];
    if (i->opcode != HLO_OP_GET_TUPLE_ELEMENT || i->n_operands == 0 || i->number < 0)
        return k;
    uint32_t base = im->source[m->operand[i->first_operand]];
    const struct hlo_instruction *o = &m->instruction[base];
    if (o->opcode == HLO_OP_TUPLE && (uint64_t)i->number < o->n_operands)
        return im->source[m->operand[o->first_operand + i->number]];
    return find_element(im, e, base, k);
}

/* Source `s`, or what the tuple consists of, is read at `at`. */
static void note_read(struct importing *im, uint32_t s, uint32_t at, uint32_t depth)
{
    const struct hlo_instruction *i = &im->m->instruction[s];

    if (im->last_read[s] == 0 || at > im->last_read[s])
        im->last_read[s] = at;
    if (i->opcode != HLO_OP_TUPLE || depth == MAX_NESTED)
        return;
    for (uint32_t j = 0; j < i->n_operands && import_limit_work(im, 1); j++)
        note_read(im, im->source[im->m->operand[i->first_operand + j]], at, depth + 1);
}

static void note_reads(struct importing *im, const struct hlo_computation *c)
{
    for (uint32_t k = c->first; k < c->first + c->n; k++) {
        const struct hlo_instruction *i = &im->m->instruction[k];
        if (im->source[k] != k || i->opcode == HLO_OP_TUPLE ||
            i->opcode == HLO_OP_GET_TUPLE_ELEMENT)
            continue;
        for (uint32_t j = 0; j < i->n_operands; j++)
            note_read(im, im->source[im->m->operand[i->first_operand + j]], k, 0);
    }
    note_read(im, im->source[c->root], END, 0);
}

void import_place_begin(struct importing *im)
{
    const struct hlo_module *m = im->m;
    struct elements e = { .size = 16 };

    while (e.size < 2 * m->n_instructions)
        e.size *= 2;
    import_limit_room(im, 2 * (uint64_t)m->n_instructions * sizeof *im->source);
    e.slot = memory_zeroed(e.size, sizeof *e.slot);
    im->source = memory_zeroed(m->n_instructions, sizeof *im->source);
    im->last_read = memory_zeroed(m->n_instructions, sizeof *im->last_read);
    for (uint32_t k = 0; k < m->n_instructions; k++) /* operands stand before their users */
        im->source[k] = find_source(im, &e, k);
    free(e.slot);
    for (uint32_t c = 0; c < m->n_computations; c++)
        if (import_cores_program(im, &m->computation[c]) && m->computation[c].n)
            note_reads(im, &m->computation[c]);
}

/* How a result is in the buffer of an operand. */
enum in_place {
    IN_NAME, /* it is the operand under another name */
    SHARED,  /* that is overwritten if nobody needs it: the compiler makes no copy for it */
    UPDATED  /* in part */
};

static bool is_given_away(const struct importing *im, const struct hlo_instruction *argument,
                          enum in_place how)
{
    if ((im->m->scheduled && how == UPDATED) || argument->computation != im->m->entry)
        return true;
    for (uint32_t k = 0; k < im->m->n_aliases; k++)
        if (im->m->alias[k].parameter == argument->number)
            return true;
    return false;
}

/* True if instruction `i` may overwrite what is in operand `o`. */
static bool may_overwrite(const struct importing *im, const struct hlo_instruction *i,
                          const struct hlo_instruction *o, enum in_place how)
{
    const struct hlo_module *m = im->m;
    uint32_t at = (uint32_t)(i - m->instruction), s = im->source[o - m->instruction];

    for (uint32_t depth = 0; depth < MAX_NESTED; depth++) { /* an element, then its tuple */
        if (im->last_read[s] > at)
            return false;
        o = &m->instruction[s];
        if (o->opcode != HLO_OP_GET_TUPLE_ELEMENT)
            break;
        s = im->source[m->operand[o->first_operand]];
    }
    return o->opcode != HLO_OP_CONSTANT &&
           (o->opcode != HLO_OP_PARAMETER || is_given_away(im, o, how));
}

/* --- what the text says -------------------------------------------------------------------- */

static uint32_t first_leaf(const struct importing *im, const struct hlo_instruction *i,
                           uint32_t operand)
{
    uint32_t first = 0;

    for (uint32_t j = 0; j < operand; j++)
        first += import_leaves(hlo_operand(im->m, i, j)->shape);
    return first;
}

/* The leaf of `s` at a path, or IMPORT_NONE if that is no array. */
static uint32_t leaf_at(const struct hlo_shape *s, const int64_t *path, uint32_t n)
{
    uint32_t leaf = 0;

    for (uint32_t j = 0; j < n; j++) {
        if (s->dtype != HLO_TUPLE || path[j] < 0 || (uint64_t)path[j] >= s->n_parts)
            return IMPORT_NONE;
        s = &s->part[path[j]];
        leaf += s->first_leaf;
    }
    return s->dtype == HLO_TUPLE ? IMPORT_NONE : leaf;
}

/* The next "{...}" behind *at as numbers; false: there is none. */
static bool read_path(struct hlo_text t, uint32_t *at, int64_t path[4], uint32_t *n)
{
    while (*at < t.size && t.at[*at] != '{')
        ++*at;
    uint32_t from = *at;
    while (*at < t.size && t.at[*at] != '}')
        ++*at;
    if (*at >= t.size)
        return false;
    *n = hlo_numbers((struct hlo_text){ t.at + from, ++*at - from }, path, 4);
    return *n <= 4;
}

/* output_to_operand_aliasing={{0}: (2, {}), {1}: (3, {1})}: leaves of the result and of the operand
 * behind *at, which starts as 1; false: there are no more. */
static bool read_pair(const struct importing *im, const struct hlo_instruction *i,
                      struct hlo_text t, uint32_t *at, uint32_t *leaf, uint32_t *from)
{
    int64_t path[4], part[4];
    uint32_t n, n_part;

    while (read_path(t, at, path, &n)) {
        while (*at < t.size && t.at[*at] != '(')
            ++*at;
        uint64_t operand = 0;
        for (++*at; *at < t.size && t.at[*at] >= '0' && t.at[*at] <= '9'; ++*at)
            operand = operand < IMPORT_NONE ? 10 * operand + (uint64_t)(t.at[*at] - '0') : operand;
        if (!read_path(t, at, part, &n_part) || operand >= i->n_operands)
            return false;
        *leaf = leaf_at(i->shape, path, n);
        *from = leaf_at(hlo_operand(im->m, i, (uint32_t)operand)->shape, part, n_part);
        if (*leaf != IMPORT_NONE && *from != IMPORT_NONE) {
            *from += first_leaf(im, i, (uint32_t)operand);
            return true;
        }
    }
    return false;
}

static void read_said(struct importing *im, const struct hlo_instruction *i,
                      const struct import_config *c, uint32_t *place, uint32_t n)
{
    struct hlo_text t = hlo_attribute(im->m, i, "output_to_operand_aliasing");
    uint32_t at = 1, operand, leaf, from;

    /* a collective that it carries is handed on (import_carry.c) */
    if (import_carry_of(im, i) == IMPORT_CARRY_NONE)
        while (read_pair(im, i, t, &at, &leaf, &from) && import_limit_work(im, i->n_operands))
            if (leaf < n)
                place[leaf] = from;
    at = 0;
    while (import_config_alias(c, i->n_operands, &at, &operand, &leaf) &&
           import_limit_work(im, operand))
        if (leaf < n && import_leaves(hlo_operand(im->m, i, operand)->shape) == 1 &&
            import_leaf_shape(i->shape, leaf)->layout.space != VMEM)
            place[leaf] = first_leaf(im, i, operand);
}

/* --- what follows from its structure ------------------------------------------------------- */

static bool find_parameter(struct importing *im, const struct hlo_instruction *i, uint32_t leaf,
                           uint32_t depth, enum in_place *how, uint32_t *parameter);

/* An operand that leaf `leaf` of a fusion or a call inside a body is, as its text says or as its
 * own body makes it. */
static const struct hlo_instruction *enter_call(struct importing *im,
                                                const struct hlo_instruction *i, uint32_t leaf,
                                                uint32_t depth, enum in_place *how)
{
    struct hlo_text t = hlo_attribute(im->m, i, "output_to_operand_aliasing");
    uint32_t at = 1, to, from, parameter;

    while (read_pair(im, i, t, &at, &to, &from))
        if (to == leaf)
            for (uint32_t j = 0; j < i->n_operands; j++)
                if (first_leaf(im, i, j) == from && hlo_operand(im->m, i, j)->shape->leaves == 1)
                    return hlo_operand(im->m, i, j);
    if (i->n_called == 0 || depth == MAX_NESTED)
        return NULL;
    const struct hlo_computation *c = hlo_called(im->m, i, 0);
    if (c->n == 0 ||
        !find_parameter(im, &im->m->instruction[c->root], leaf, depth + 1, how, &parameter))
        return NULL;
    return parameter < i->n_operands ? hlo_operand(im->m, i, parameter) : NULL;
}

/* The parameter, an array, that leaf `leaf` of `i` is under another name or with a part of it
 * updated; false: none. */
static bool find_parameter(struct importing *im, const struct hlo_instruction *i, uint32_t leaf,
                           uint32_t depth, enum in_place *how, uint32_t *parameter)
{
    while (i && import_limit_work(im, 1 + (uint64_t)i->n_operands)) {
        switch (i->opcode) {
        case HLO_OP_PARAMETER:
            *parameter = (uint32_t)i->number;
            return i->number >= 0 && import_leaves(i->shape) == 1;
        case HLO_OP_TUPLE: {
            uint32_t part = import_part_of(i->shape, leaf);
            if (part >= i->n_operands)
                return false;
            leaf -= i->shape->part[part].first_leaf;
            i = hlo_operand(im->m, i, part);
            break;
        }
        case HLO_OP_GET_TUPLE_ELEMENT:
            leaf += import_leaf_of(hlo_operand(im->m, i, 0)->shape, (uint32_t)i->number);
            i = hlo_operand(im->m, i, 0);
            break;
        case HLO_OP_DYNAMIC_UPDATE_SLICE:
        case HLO_OP_SCATTER:
            *how = UPDATED;
            if (leaf >= i->n_operands)
                return false;
            i = hlo_operand(im->m, i, leaf);
            leaf = 0;
            break;
        case HLO_OP_SORT:
            *how = *how == UPDATED ? UPDATED : SHARED;
            if (!im->compiler->gpu || leaf >= i->n_operands)
                return false;
            i = hlo_operand(im->m, i, leaf);
            leaf = 0;
            break;
        case HLO_OP_RESHAPE:
        case HLO_OP_BITCAST:
        case HLO_OP_OPT_BARRIER:
            if (i->n_operands == 0)
                return false;
            i = hlo_operand(im->m, i, 0);
            break;
        case HLO_OP_FUSION:
        case HLO_OP_CALL:
            i = enter_call(im, i, leaf, depth, how);
            leaf = 0;
            break;
        default: return false;
        }
    }
    return false;
}

/* True of a kernel that has a body: a fusion, or what starts one where it is run at once. */
static bool has_body(const struct importing *im, const struct hlo_instruction *i)
{
    bool start = i->opcode == HLO_OP_START || i->opcode == HLO_OP_ASYNC_START ||
                 i->opcode == HLO_OP_CALL_START;

    return i->n_called && (i->opcode == HLO_OP_FUSION || (start && !im->compiler->threads));
}

/* The operand in whose buffer a GPU puts leaf `leaf` of the result of a sort or a solution, or one
 * behind all. */
static uint32_t find_shared(const struct importing *im, const struct hlo_instruction *i,
                            uint32_t leaf)
{
    if (!im->compiler->gpu)
        return IMPORT_NONE;
    if (i->opcode == HLO_OP_SORT)
        return leaf;
    bool solves =
        i->opcode == HLO_OP_TRIANGULAR_SOLVE ||
        (i->opcode == HLO_OP_CUSTOM_CALL && import_is_target(im, i, "__cublas$triangularSolve"));
    return solves && leaf == 0 ? 1 : IMPORT_NONE;
}

/* The operand that leaf `leaf` of a kernel's result updates, or shares the buffer of, or NULL. */
static const struct hlo_instruction *find_updated(struct importing *im,
                                                  const struct hlo_instruction *i, uint32_t leaf,
                                                  uint32_t *from, enum in_place *how)
{
    uint32_t number = leaf;

    *how = IN_NAME;

    if (has_body(im, i)) {
        const struct hlo_computation *c = hlo_called(im->m, i, 0);
        if (c->n == 0 || !find_parameter(im, &im->m->instruction[c->root], leaf, 0, how, &number) ||
            *how == IN_NAME)
            return NULL;
    } else if (i->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE || i->opcode == HLO_OP_SCATTER) {
        *how = UPDATED;
    } else {
        number = find_shared(im, i, leaf);
        *how = SHARED;
    }
    if (number >= i->n_operands || import_leaves(hlo_operand(im->m, i, number)->shape) != 1)
        return NULL;
    *from = first_leaf(im, i, number);
    return hlo_operand(im->m, i, number);
}

static bool is_taken(const uint32_t *place, uint32_t n, uint32_t from)
{
    for (uint32_t j = 0; j < n; j++)
        if (place[j] == from)
            return true;
    return false;
}

void import_place_find(struct importing *im, const struct hlo_instruction *i,
                       const struct import_config *c, uint32_t *place, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++)
        place[j] = IMPORT_NONE;
    read_said(im, i, c, place, n);
    /* what comes in a ragged exchange is written among the rows of its second operand */
    if (i->opcode == HLO_OP_RAGGED_ALL_TO_ALL && n == 1 && i->n_operands > 1 &&
        import_leaves(hlo_operand(im->m, i, 1)->shape) == 1)
        place[0] = first_leaf(im, i, 1);
    for (uint32_t j = 0; j < n && import_limit_work(im, 1); j++) {
        uint32_t from;
        enum in_place how;
        if (place[j] != IMPORT_NONE)
            continue;
        const struct hlo_instruction *o = find_updated(im, i, j, &from, &how);
        if (o && may_overwrite(im, i, o, how) && !(how == SHARED && is_taken(place, n, from)))
            place[j] = from;
    }
}

void import_place_join(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                       struct import_span s)
{
    struct import_config c;
    char *storage;
    uint32_t *place = memory_zeroed(s.n, sizeof *place), *operand;
    uint32_t n = import_line_operands(im, &im->scope[scope], i, &operand);

    import_config_read(&c, hlo_attribute(im->m, i, "backend_config"), &storage);
    import_place_find(im, i, &c, place, s.n);
    for (uint32_t k = 0; k < s.n; k++)
        if (place[k] < n)
            import_value_join(im, im->leaf[s.first + k], operand[place[k]]);
    free(storage);
    free(operand);
    free(place);
}

bool import_place_renames(const struct importing *im, const struct hlo_instruction *i)
{
    struct hlo_text t = hlo_attribute(im->m, i, "output_to_operand_aliasing");
    uint32_t at = 1, leaf, from;

    if (!t.at || i->opcode != HLO_OP_FUSION || i->n_operands != 1 || i->n_called != 1 ||
        i->shape->dtype == HLO_TUPLE ||
        i->shape->layout.space != hlo_operand(im->m, i, 0)->shape->layout.space ||
        !read_pair(im, i, t, &at, &leaf, &from))
        return false;
    const struct hlo_computation *c = hlo_called(im->m, i, 0);
    for (uint32_t k = c->first; k < c->first + c->n; k++) {
        const struct hlo_instruction *n = &im->m->instruction[k];
        if (n->opcode != HLO_OP_PARAMETER && n->opcode != HLO_OP_BITCAST &&
            n->opcode != HLO_OP_RESHAPE &&
            (n->opcode != HLO_OP_COPY ||
             !import_shape_same_order(n->shape, hlo_operand(im->m, n, 0)->shape)))
            return false;
    }
    return true;
}
