/* import_role.c - what the arguments of a program are: weights, state, inputs.
 *
 * JAX names an argument by its path in the arguments of the function: p['w1'], state.opt['m'][0].
 * What stands before the first index is its tree.  In this order:
 *
 *   1. a hint of the caller for its tree
 *   2. a tree that is called after an optimizer's moments (m, v, mu, nu, opt_state, momentum ...)
 *      is state, if its leaves are donated
 *   3. the last index of a path is called after a moving average (mean, var, running_mean ...):
 *      state
 *   4. a tree with a leaf that a matrix product reads, as it is, converted, or gathered from other
 *      devices, is weights, if it is donated or has several leaves
 *   5. other donated arguments are state, other arguments are input
 *
 * Without names each argument is a tree: a donated one is a weight if a product reads it, or if
 * several operations do. */
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "import/hlo/import_impl.h"

struct argument {
    const struct hlo_instruction *i;
    struct hlo_text tree, last;
    bool donated, multiplied, path;
    uint32_t readers;
    uint32_t leaves; /* of the tree, */
    bool weights;    /* of which one is multiplied */
};

struct roles {
    struct importing *im;
    struct argument *a;
    uint32_t n;
    uint32_t *loop;   /* [computation] the first scope that is a loop with this body, or 0 */
    uint32_t *origin; /* [instruction of the entry and of loops] 1 + the argument it is a copy of */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* p['w']['mean'] has the tree p and the last index mean. */
static void split_name(struct argument *a, struct hlo_text name)
{
    uint32_t n = 0, end = name.size, begin;

    if (end == 0) { /* it has no name, nor a place of one */
        a->tree = a->last = name;
        a->path = false;
        return;
    }
    while (n < name.size && is_letter(name.at[n]))
        n++;
    a->tree = (struct hlo_text){ name.at, n };
    a->path = n < name.size;
    while (end > 0 && !is_letter(name.at[end - 1]))
        end--;
    for (begin = end; begin > 0 && is_letter(name.at[begin - 1]);)
        begin--;
    a->last = (struct hlo_text){ name.at + begin, end - begin };
}

static bool is_one_of(struct hlo_text t, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (t.size == strlen(names[k]) && plain_same_start(t.at, names[k], t.size))
            return true;
    return false;
}
#define IS_ONE_OF(t, names) is_one_of(t, names, sizeof(names) / sizeof *(names))

static bool has_part(struct hlo_text t, const char *part)
{
    return t.size && memmem(t.at, t.size, part, strlen(part)) != NULL;
}

static bool is_moment(struct hlo_text tree)
{
    static const char *const names[] = { "m", "v", "mu", "nu", "mom", "ms", "acc", "slots" };

    return IS_ONE_OF(tree, names) || has_part(tree, "opt") || has_part(tree, "moment") ||
           has_part(tree, "veloc") || has_part(tree, "ema") || has_part(tree, "adam");
}

static bool is_average(struct hlo_text last)
{
    static const char *const names[] = { "m",     "v",     "mean",
                                         "var",   "mu",    "nu",
                                         "trace", "count", "num_batches_tracked" };

    return IS_ONE_OF(last, names) || has_part(last, "running_") || has_part(last, "moving_") ||
           has_part(last, "momentum") || has_part(last, "exp_avg");
}

/* An operation that hands its operand on: the same elements, in another place or precision. */
static bool hands_on(const struct importing *im, const struct hlo_instruction *i)
{
    switch (i->opcode) {
    case HLO_OP_BITCAST:
    case HLO_OP_CONVERT:
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_TRANSPOSE:
    case HLO_OP_COPY_START:
    case HLO_OP_COPY_DONE:
    case HLO_OP_SLICE_START:
    case HLO_OP_SLICE_DONE:
    case HLO_OP_DYNAMIC_SLICE:
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_GATHER_START:
    case HLO_OP_ALL_GATHER_DONE:
    case HLO_OP_CALL_START:
    case HLO_OP_CALL_DONE:
    case HLO_OP_REDUCE_PRECISION: return true;
    case HLO_OP_FUSION: return import_carry_of(im, i) == IMPORT_CARRY_START;
    case HLO_OP_CUSTOM_CALL:
        return import_is_annotation(im, i) || import_is_target(im, i, "ConcatBitcast");
    default: return false;
    }
}

static struct hlo_text op_name(const struct hlo_module *m, const struct hlo_instruction *i)
{
    struct hlo_text t = hlo_part(hlo_attribute(m, i, "metadata"), "op_name");

    if (t.size >= 2 && t.at[0] == '"')
        t = (struct hlo_text){ t.at + 1, t.size - 2 };
    return t;
}

static void read_arguments(struct roles *r)
{
    const struct hlo_module *m = r->im->m;
    const struct hlo_computation *c = &m->computation[m->entry];

    for (uint32_t k = 0; k < c->n_parameters; k++) {
        struct argument *a = &r->a[k];
        if (c->parameter[k] == HLO_NONE)
            continue;
        a->i = &m->instruction[c->parameter[k]];
        r->origin[c->parameter[k]] = k + 1;
        split_name(a, op_name(m, a->i));
    }
    for (uint32_t k = 0; k < m->n_aliases; k++)
        if (m->alias[k].parameter < r->n)
            r->a[m->alias[k].parameter].donated = true;
}

/* The operands of a kernel that its product multiplies, as they are or converted. */
static void mark_factors(struct roles *r, const struct import_body *b,
                         const struct hlo_instruction *i)
{
    const struct hlo_module *m = r->im->m;
    uint32_t leaf = 0;

    for (uint32_t k = 0; k < i->n_operands; k++) {
        const struct hlo_instruction *o = hlo_operand(m, i, k);
        uint32_t arg = r->origin[o - m->instruction], n = import_leaves(o->shape);
        /* the first nodes are the operands */
        if (arg && n && (b->node[leaf].to_a || b->node[leaf].to_b))
            r->a[arg - 1].multiplied = true;
        leaf += n;
    }
}

/* A fusion that changes nothing but place and precision, with a single large operand. */
static uint32_t origin_of_fusion(const struct roles *r, const struct import_body *b,
                                 const struct hlo_instruction *i)
{
    const struct hlo_module *m = r->im->m;

    for (uint32_t k = 0; k < b->n; k++)
        if (b->node[k].i && b->node[k].i->opcode != HLO_OP_CONSTANT && b->node[k].shape->rank > 0 &&
            !hands_on(r->im, b->node[k].i))
            return 0;
    for (uint32_t k = 0; k < i->n_operands; k++) {
        const struct hlo_instruction *o = hlo_operand(m, i, k);
        if (r->origin[o - m->instruction] && o->shape->rank > 0)
            return r->origin[o - m->instruction];
    }
    return 0;
}

static int trace_kernel(struct roles *r, const struct hlo_instruction *i)
{
    const struct hlo_module *m = r->im->m;
    struct import_body b = { 0 };
    bool reads = false;

    for (uint32_t k = 0; k < i->n_operands; k++) {
        uint32_t arg = r->origin[hlo_operand(m, i, k) - m->instruction];
        reads |= arg != 0;
        if (arg)
            r->a[arg - 1].readers++;
    }
    if (!reads)
        return 0;
    int rc = import_body_build(&b, r->im, i);
    if (rc == 0) {
        mark_factors(r, &b, i);
        if (i->opcode == HLO_OP_FUSION)
            r->origin[i - m->instruction] = origin_of_fusion(r, &b, i);
    }
    import_body_free(r->im, &b);
    return rc;
}

/* A part of a fusion that two cores share: what its body hands on of an operand. */
static uint32_t origin_of_part(const struct roles *r, const struct hlo_instruction *i,
                               uint32_t part)
{
    const struct hlo_module *m = r->im->m;
    const struct hlo_instruction *root = &m->instruction[hlo_called(m, i, 0)->root];
    const struct hlo_instruction *o = part < root->n_operands ? hlo_operand(m, root, part) : root;

    while (o->opcode != HLO_OP_PARAMETER && hands_on(r->im, o) && o->n_operands)
        o = hlo_operand(m, o, 0);
    if (o->opcode != HLO_OP_PARAMETER || o->number < 0 || (uint64_t)o->number >= i->n_operands)
        return 0;
    return r->origin[hlo_operand(m, i, (uint32_t)o->number) - m->instruction];
}

/* Loops carry arguments into their bodies: the parameter of a body is a tuple of origins. */
static uint32_t origin_of_element(const struct roles *r, const struct hlo_instruction *i)
{
    const struct hlo_module *m = r->im->m;
    const struct hlo_instruction *o = hlo_operand(m, i, 0);
    uint32_t part = (uint32_t)i->number;

    if (o->opcode == HLO_OP_PARAMETER && r->loop[o->computation])
        o = hlo_operand(m, r->im->scope[r->loop[o->computation]].caller, 0);
    if (import_cores_share(r->im, o))
        return origin_of_part(r, o, part);
    if (o->opcode == HLO_OP_TUPLE && part < o->n_operands)
        return r->origin[hlo_operand(m, o, part) - m->instruction];
    return o->opcode == HLO_OP_WHILE ? 0 : r->origin[o - m->instruction];
}

static uint32_t origin_of_done(const struct roles *r, const struct hlo_instruction *i)
{
    const struct hlo_instruction *start = import_start_of(r->im, i);

    return start ? r->origin[start - r->im->m->instruction] : 0;
}

/* Parameters of a fusion that two cores share are its operands. */
static void enter_shared(struct roles *r, const struct import_scope *s)
{
    const struct hlo_module *m = r->im->m;

    if (s->caller == NULL || !import_cores_share(r->im, s->caller))
        return;
    for (uint32_t k = 0; k < s->c->n_parameters && k < s->caller->n_operands; k++)
        if (s->c->parameter[k] != HLO_NONE)
            r->origin[s->c->parameter[k]] =
                r->origin[hlo_operand(m, s->caller, k) - m->instruction];
}

static int trace_scope(struct roles *r, const struct import_scope *s)
{
    const struct hlo_module *m = r->im->m;

    enter_shared(r, s);
    for (uint32_t k = 0; k < s->c->n; k++) {
        const struct hlo_instruction *i = &m->instruction[s->c->first + k];
        if (i->opcode == HLO_OP_PARAMETER || i->n_operands == 0)
            continue;
        if (i->opcode == HLO_OP_GET_TUPLE_ELEMENT)
            r->origin[i - m->instruction] = origin_of_element(r, i);
        else if (import_carry_of(r->im, i) == IMPORT_CARRY_DONE)
            r->origin[i - m->instruction] = origin_of_done(r, i);
        else if (hands_on(r->im, i))
            r->origin[i - m->instruction] = r->origin[hlo_operand(m, i, 0) - m->instruction];
        else if (import_classify(r->im, i) == IMPORT_KERNEL && trace_kernel(r, i) != 0)
            return -1;
    }
    return 0;
}

static int compare_trees(const void *a, const void *b)
{
    const struct argument *const *x = a, *const *y = b;
    struct hlo_text s = (*x)->tree, t = (*y)->tree;

    if (s.size != t.size)
        return s.size < t.size ? -1 : 1;
    return s.size ? memcmp(s.at, t.at, s.size) : 0;
}

/* The leaves of each tree, and if a product reads one. */
static void join_trees(struct roles *r)
{
    struct argument **sorted = memory_zeroed(r->n, sizeof *sorted);

    for (uint32_t k = 0; k < r->n; k++)
        sorted[k] = &r->a[k];
    qsort(sorted, r->n, sizeof *sorted, compare_trees);
    for (uint32_t first = 0, end; first < r->n; first = end) {
        bool weights = false;
        for (end = first; end < r->n && compare_trees(&sorted[first], &sorted[end]) == 0; end++)
            weights |= sorted[end]->multiplied;
        for (uint32_t k = first; k < end; k++) {
            sorted[k]->leaves = end - first;
            sorted[k]->weights = weights;
        }
    }
    free(sorted);
}

static bool find_hint(const struct import_options *o, const struct argument *a,
                      enum trace_role *role)
{
    for (uint32_t k = 0; k < o->n_hints; k++)
        if (hlo_text_is(a->tree, o->hint[k].tree)) {
            *role = o->hint[k].role;
            return true;
        }
    return false;
}

static enum trace_role choose_role(const struct roles *r, const struct argument *a)
{
    enum trace_role role;

    if (find_hint(r->im->o, a, &role))
        return role;
    if (a->tree.size == 0) {
        if (a->donated)
            return a->multiplied || a->readers > 1 ? TRACE_WEIGHT : TRACE_STATE;
        return TRACE_INPUT;
    }
    if (a->donated && a->path && is_moment(a->tree))
        return TRACE_STATE;
    if (a->donated && a->path && !a->multiplied && is_average(a->last))
        return TRACE_STATE;
    if (a->weights && a->path && (a->donated || a->leaves > 1))
        return TRACE_WEIGHT;
    if (a->donated)
        return a->multiplied ? TRACE_WEIGHT : TRACE_STATE;
    return TRACE_INPUT;
}

void import_roles(struct importing *im)
{
    const struct hlo_computation *c = &im->m->computation[im->m->entry];
    struct roles r = { .im = im, .n = c->n_parameters };
    struct err *err = im->err;

    r.a = memory_zeroed(r.n, sizeof *r.a);
    r.origin = memory_zeroed(im->m->n_instructions, sizeof *r.origin);
    r.loop = memory_zeroed(im->m->n_computations, sizeof *r.loop);
    for (uint32_t s = im->n_scopes - 1; s > 0; s--)
        if (im->scope[s].loop)
            r.loop[im->scope[s].c - im->m->computation] = s;
    read_arguments(&r);
    im->err = im->ignored; /* what cannot be read is an error where its line is written */
    for (uint32_t s = 0; s < im->n_scopes; s++)
        if (trace_scope(&r, &im->scope[s]) != 0)
            break;
    im->err = err;
    join_trees(&r);
    for (uint32_t k = 1; k < im->n_values; k++)
        if (im->value[k].kind == IMPORT_ARGUMENT && im->value[k].parameter < r.n)
            im->value[k].role = choose_role(&r, &r.a[im->value[k].parameter]);
    free(r.a);
    free(r.origin);
    free(r.loop);
}
