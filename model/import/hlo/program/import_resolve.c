/* import_resolve.c - pass 1: the value of each leaf of each result, and the buffers that values
 * share: a donated argument and its result, a value that a loop carries, an update in place. */
#include <string.h>

#include "import/hlo/program/import_peer.h"

#define LEAF_ROOM (3 * sizeof(uint32_t)) /* bytes, while the array of leaves grows */

static int resolve_scope(struct importing *im, uint32_t scope);

static struct import_span open_span(const struct importing *im)
{
    return (struct import_span){ im->n_leaves, 0 };
}

static void add_leaf(struct importing *im, struct import_span *s, uint32_t value)
{
    MEMORY_GROW(im->leaf, im->n_leaves + 1, im->cap_leaves);
    im->leaf[im->n_leaves++] = value;
    s->n++;
}

/* `n` leaves of a span: what it lacks is nothing. */
static void add_span(struct importing *im, struct import_span *s, struct import_span more,
                     uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add_leaf(im, s, i < more.n ? im->leaf[more.first + i] : 0);
}

/* Cut or extend `s` to `n` leaves, those of the shape of the instruction.  The text may give it
 * another shape than its operands and parameters have. */
static struct import_span fit_span(struct importing *im, struct import_span s, uint32_t n)
{
    struct import_span fit = open_span(im);

    if (s.n >= n)
        return (struct import_span){ s.first, n };
    add_span(im, &fit, s, n);
    return fit;
}

/* New values for the leaves of `shape`, a part of the result from leaf `first` on. */
static void add_values(struct importing *im, struct import_span *s, uint32_t scope,
                       const struct hlo_instruction *i, const struct hlo_shape *shape,
                       uint32_t first, enum import_value_kind kind)
{
    uint32_t n = import_leaves(shape);
    bool whole = n == 1 && shape->dtype != HLO_TUPLE && i->shape->dtype != HLO_TUPLE;

    for (uint32_t k = 0; k < n; k++) {
        if (hlo_bytes(import_leaf_shape(shape, k)) == UINT64_MAX)
            im->boundless = true;
        add_leaf(im, s,
                 import_value_new(im, i, whole ? IMPORT_NONE : first + k,
                                  import_leaf_shape(shape, k), scope, kind));
    }
}

static struct import_span span_of(const struct importing *im, uint32_t scope,
                                  const struct hlo_instruction *i)
{
    return import_span_of(im, &im->scope[scope], i);
}

static struct import_span operand_span(const struct importing *im, uint32_t scope,
                                       const struct hlo_instruction *i, uint32_t n)
{
    return span_of(im, scope, hlo_operand(im->m, i, n));
}

/* Parts of a tuple that stand for the operands of a start: the same values. */
static void add_operands(struct importing *im, struct import_span *s, uint32_t scope,
                         const struct hlo_instruction *i, const struct hlo_shape *part)
{
    uint32_t want = import_leaves(part), n = 0;

    for (uint32_t k = 0; k < i->n_operands; k++) {
        struct import_span o = operand_span(im, scope, i, k);
        for (uint32_t j = 0; j < o.n && n < want; j++, n++)
            add_leaf(im, s, im->leaf[o.first + j]);
    }
    while (n++ < want)
        add_leaf(im, s, 0);
}

static void add_nothing(struct importing *im, struct import_span *s, const struct hlo_shape *part)
{
    for (uint32_t n = import_leaves(part); n; n--)
        add_leaf(im, s, 0);
}

/* A start: operands, what it starts, and contexts, in the order of its opcode. */
static struct import_span resolve_start(struct importing *im, uint32_t scope,
                                        const struct hlo_instruction *i, bool handle)
{
    struct import_span s = open_span(im);
    uint32_t result = import_start_part(im, i);
    enum import_value_kind kind = handle ? IMPORT_HANDLE : IMPORT_RESULT;

    if (result == IMPORT_NONE) {
        add_values(im, &s, scope, i, i->shape, 0, kind);
    } else {
        for (uint32_t k = 0; k < i->shape->n_parts; k++) {
            const struct hlo_shape *part = &i->shape->part[k];
            if (k == result)
                add_values(im, &s, scope, i, part, import_leaf_of(i->shape, k), kind);
            else if (k == 0 || (k == 1 && i->opcode == HLO_OP_COPY_START))
                add_operands(im, &s, scope, i, part);
            else
                add_nothing(im, &s, part);
        }
    }
    for (uint32_t k = 0, seen = 0; handle && k < s.n; k++) { /* one handle is enough */
        uint32_t *v = &im->leaf[s.first + k];
        if (im->value[*v].kind == IMPORT_HANDLE && seen++)
            *v = 0;
    }
    return s;
}

/* Leaves of what a start begins, of all its leaves `s`. */
static struct import_span made_by(const struct importing *im, const struct hlo_instruction *i,
                                  struct import_span s)
{
    const struct hlo_shape *result = import_result_shape(im, i);
    uint32_t first =
        result == i->shape ? 0 : import_leaf_of(i->shape, (uint32_t)(result - i->shape->part));
    uint32_t n = import_leaves(result);

    return first + n <= s.n ? (struct import_span){ s.first + first, n }
                            : (struct import_span){ 0 };
}

/* A DMA that updates a part of an array writes it where it is. */
static struct import_span resolve_dma(struct importing *im, uint32_t scope,
                                      const struct hlo_instruction *i)
{
    struct import_span s = resolve_start(im, scope, i, false), made = made_by(im, i, s);
    uint32_t place;

    if (import_move_update(im, i, &place) == IMPORT_NONE || made.n != 1)
        return s;
    struct import_span o = operand_span(im, scope, i, place);
    if (o.n == 1)
        import_value_join(im, im->leaf[made.first], im->leaf[o.first]);
    return s;
}

/* A kernel that starts where it stands, and is done when it is read. */
static struct import_span resolve_async(struct importing *im, uint32_t scope,
                                        const struct hlo_instruction *i)
{
    struct import_span s = resolve_start(im, scope, i, false);

    if (!im->compiler->threads)
        import_place_join(im, scope, i, made_by(im, i, s));
    return s;
}

static struct import_span resolve_done(struct importing *im, uint32_t scope,
                                       const struct hlo_instruction *i, bool handle)
{
    const struct hlo_instruction *start = import_start_of(im, i);
    struct import_span s = open_span(im);

    add_values(im, &s, scope, i, i->shape, 0, IMPORT_RESULT);
    if (start && !handle) {
        struct import_span from = import_started(im, &im->scope[scope], start);
        for (uint32_t k = 0; k < s.n && k < from.n; k++)
            import_value_join(im, im->leaf[s.first + k], im->leaf[from.first + k]);
    }
    return s;
}

static struct import_span resolve_element(struct importing *im, uint32_t scope,
                                          const struct hlo_instruction *i)
{
    const struct hlo_instruction *o = hlo_operand(im->m, i, 0);
    struct import_span s = span_of(im, scope, o);
    uint32_t part = i->number < 0 ? 0 : (uint32_t)i->number;

    if (o->shape->dtype != HLO_TUPLE || part >= o->shape->n_parts)
        return s;
    struct import_span e = { s.first + import_leaf_of(o->shape, part),
                             import_leaves(&o->shape->part[part]) };
    if (e.first + e.n > s.first + s.n)
        e.n = 0;
    return e;
}

static struct import_span resolve_results(struct importing *im, uint32_t scope,
                                          const struct hlo_instruction *i)
{
    struct import_span s = open_span(im);

    add_values(im, &s, scope, i, i->shape, 0, IMPORT_RESULT);
    import_place_join(im, scope, i, s);
    if (import_carry_of(im, i) == IMPORT_CARRY_ON)
        import_carry_hand_on(im, scope, i, s);
    return s;
}

/* A collective that a core runs beside kernels of the other: what it has begun, and behind that
 * what is there when all are done. */
static struct import_span resolve_shared(struct importing *im, uint32_t scope,
                                         const struct hlo_instruction *i)
{
    struct import_span begun = open_span(im);
    uint32_t n = import_leaves(i->shape);

    for (uint32_t k = 0; k < n; k++) {
        uint32_t v =
            import_value_new(im, i, n + k, import_leaf_shape(i->shape, k), scope, IMPORT_RESULT);
        im->value[v].used |= v != 0;
        add_leaf(im, &begun, v);
    }
    import_place_join(im, scope, i, begun);
    struct import_span s = open_span(im);
    add_values(im, &s, scope, i, i->shape, 0, IMPORT_RESULT);
    for (uint32_t k = 0; k < n; k++)
        import_value_join(im, im->leaf[s.first + k], im->leaf[begun.first + k]);
    return s;
}

/* A buffer without a writer, or several that lie side by side and are one from here on. */
static struct import_span resolve_buffer(struct importing *im, uint32_t scope,
                                         const struct hlo_instruction *i)
{
    struct import_span s = open_span(im);

    add_values(im, &s, scope, i, i->shape, 0, IMPORT_RESULT);
    for (uint32_t k = 0; k < i->n_operands && s.n == 1; k++) {
        struct import_span o = operand_span(im, scope, i, k);
        if (o.n == 1)
            import_value_put(im, im->leaf[o.first], im->leaf[s.first]);
    }
    return s;
}

static uint32_t open_scope(struct importing *im, const struct hlo_computation *c,
                           const struct hlo_instruction *caller, uint32_t parent)
{
    MEMORY_GROW(im->scope, im->n_scopes + 1, im->cap_scopes);
    uint32_t s = im->n_scopes++;
    im->scope[s] = (struct import_scope){ .c = c,
                                          .caller = caller,
                                          .parent = parent,
                                          .trips = 1,
                                          .loops = caller ? im->scope[parent].loops : 0,
                                          .times = caller ? im->scope[parent].times : 1,
                                          .span = memory_zeroed(c->n, sizeof *im->scope->span) };
    bool *ran = &im->ran[c - im->m->computation];
    if (*ran) /* it runs again: other names */
        im->scope[s].suffix = s;
    *ran = true;
    return s;
}

static int take_scope(struct importing *im, const struct hlo_instruction *i,
                      const struct hlo_computation *c)
{
    import_limit_room(im, 3 * sizeof *im->scope + c->n * sizeof *im->scope->span);
    return import_limit_check(im, i);
}

static void set_parameter(struct importing *im, uint32_t scope, uint32_t n, struct import_span v)
{
    const struct import_scope *s = &im->scope[scope];

    if (n < s->c->n_parameters && s->c->parameter[n] != HLO_NONE)
        s->span[s->c->parameter[n] - s->c->first] = v;
}

static int fail_range(struct importing *im, const struct hlo_instruction *i, const char *what)
{
    hlo_error(im->m, i, im->err, "%s", what);
    im->err->code = ERR_RANGE;
    return -1;
}

/* Loops: values that the body makes are written where those that enter it are. */
static int resolve_while(struct importing *im, uint32_t parent, const struct hlo_instruction *i,
                         struct import_span *result)
{
    const struct hlo_computation *body = i->n_called > 1 ? hlo_called(im->m, i, 1) : NULL;

    if (body == NULL || i->n_operands != 1)
        return hlo_error(im->m, i, im->err, "a while has one operand, a condition and a body");
    if (take_scope(im, i, body) != 0)
        return -1;
    struct import_span in = operand_span(im, parent, i, 0);
    uint32_t s = open_scope(im, body, i, parent);
    im->scope[s].loop = true;
    import_loop_count(im, s);
    im->scope[s].times = import_multiply(im->scope[parent].times, im->scope[s].trips);
    if (++im->scope[s].loops > IMPORT_MAX_LOOPS)
        return fail_range(im, i, "more than 60 loops inside each other");
    if (im->scope[s].times > INT64_MAX || im->scope[s].trips > INT64_MAX)
        return fail_range(im, i, "more than 2^63 - 1 iterations of a loop in a step");
    set_parameter(im, s, 0, in);
    if (resolve_scope(im, s) != 0)
        return -1;
    struct import_span out = im->scope[s].root;
    for (uint32_t k = 0; k < in.n && k < out.n; k++)
        import_value_join(im, im->leaf[in.first + k], im->leaf[out.first + k]);
    *result = in;
    return 0;
}

static int resolve_call(struct importing *im, uint32_t parent, const struct hlo_instruction *i,
                        struct import_span *result)
{
    uint32_t branch = i->opcode == HLO_OP_CONDITIONAL ? import_loop_branch(im, i) : 0;

    if (branch >= i->n_called)
        return hlo_error(im->m, i, im->err, "it calls no computation");
    if (take_scope(im, i, hlo_called(im->m, i, branch)) != 0)
        return -1;
    uint32_t s = open_scope(im, hlo_called(im->m, i, branch), i, parent);
    if (i->opcode == HLO_OP_CONDITIONAL) {
        if (1 + branch < i->n_operands)
            set_parameter(im, s, 0, operand_span(im, parent, i, 1 + branch));
    } else {
        for (uint32_t k = 0; k < i->n_operands; k++)
            set_parameter(im, s, k, operand_span(im, parent, i, k));
    }
    if (resolve_scope(im, s) != 0)
        return -1;
    *result = im->scope[s].root;
    return 0;
}

/* The done of what was done at once: what its start has made, or where that cannot be found as many
 * leaves of nothing. */
static void resolve_late_done(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                              struct import_span *s)
{
    const struct hlo_instruction *start = import_start_of(im, i);
    struct import_span from = { 0 };

    if (i->opcode == HLO_OP_RECV_DONE && i->n_operands && start && start->opcode != HLO_OP_RECV)
        from = operand_span(im, scope, i, 0); /* a loop hands on what its last turn received */
    else if (start && start->computation == i->computation)
        from = import_started(im, &im->scope[scope], start);
    for (uint32_t k = 0, n = import_leaves(i->shape); k < n; k++)
        add_leaf(im, s, k < from.n ? im->leaf[from.first + k] : 0);
}

static void resolve_free(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                         struct import_span *s)
{
    *s = open_span(im);
    switch (i->opcode) {
    case HLO_OP_PARAMETER:
        if (scope == 0) {
            add_values(im, s, 0, i, i->shape, 0, IMPORT_ARGUMENT);
            for (uint32_t k = 0; k < s->n; k++)
                im->value[im->leaf[s->first + k]].parameter = (uint32_t)i->number;
        } else {
            *s = span_of(im, scope, i); /* set by the caller */
        }
        break;
    case HLO_OP_CONSTANT:
        if (i->shape->dtype != HLO_TUPLE && i->shape->rank > 0)
            add_values(im, s, scope, i, i->shape, 0, IMPORT_CONSTANT);
        else
            add_nothing(im, s, i->shape);
        break;
    case HLO_OP_TUPLE:
        for (uint32_t k = 0; k < i->n_operands; k++)
            add_span(im, s, operand_span(im, scope, i, k), import_leaves(&i->shape->part[k]));
        break;
    case HLO_OP_GET_TUPLE_ELEMENT: *s = resolve_element(im, scope, i); break;
    case HLO_OP_COPY_DONE:
    case HLO_OP_SLICE_DONE:
    case HLO_OP_ALL_GATHER_DONE:
    case HLO_OP_ALL_REDUCE_DONE:
    case HLO_OP_COLLECTIVE_PERMUTE_DONE:
    case HLO_OP_CALL_DONE:
    case HLO_OP_ASYNC_DONE:
    case HLO_OP_SEND_DONE:
    case HLO_OP_RECV_DONE:
    case HLO_OP_DONE: resolve_late_done(im, scope, i, s); break;
    case HLO_OP_FUSION:
        if (import_place_renames(im, i))
            *s = operand_span(im, scope, i, 0);
        else
            resolve_late_done(im, scope, i, s);
        break;
    default:
        if (i->n_operands && import_leaves(i->shape) == operand_span(im, scope, i, 0).n)
            *s = operand_span(im, scope, i, 0);
        else
            add_nothing(im, s, i->shape);
    }
}

static void use_operands(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    for (uint32_t k = 0; k < i->n_operands; k++) {
        struct import_span o = operand_span(im, scope, i, k);
        for (uint32_t j = 0; j < o.n; j++)
            im->value[im->leaf[o.first + j]].used = true;
    }
}

/* A send or receive has a handle; infeed and outfeed are done at once. */
static bool is_transfer(const struct hlo_instruction *i)
{
    return i->opcode == HLO_OP_SEND || i->opcode == HLO_OP_RECV;
}

static int resolve_instruction(struct importing *im, uint32_t scope,
                               const struct hlo_instruction *i, struct import_span *s)
{
    enum import_class c = import_classify(im, i);

    if (c != IMPORT_FREE)
        use_operands(im, scope, i);
    switch (c) {
    case IMPORT_FREE: resolve_free(im, scope, i, s); return 0;
    case IMPORT_INLINE:
        return i->opcode == HLO_OP_WHILE ? resolve_while(im, scope, i, s)
                                         : resolve_call(im, scope, i, s);
    case IMPORT_BUFFER: *s = resolve_buffer(im, scope, i); return 0;
    case IMPORT_DMA: *s = resolve_dma(im, scope, i); return 0;
    case IMPORT_ASYNC:
    case IMPORT_COLLECTIVE_START:
        *s = import_cores_exchange(im, i) ? resolve_shared(im, scope, i)
             : c == IMPORT_ASYNC          ? resolve_async(im, scope, i)
                                          : resolve_start(im, scope, i, false);
        return 0;
    case IMPORT_PEER:
        *s = open_span(im);
        add_nothing(im, s, i->shape);
        return 0;
    case IMPORT_HOST: *s = resolve_start(im, scope, i, is_transfer(i)); return 0;
    case IMPORT_DMA_DONE:
    case IMPORT_ASYNC_DONE:
    case IMPORT_COLLECTIVE_DONE: *s = resolve_done(im, scope, i, false); return 0;
    case IMPORT_HOST_DONE: *s = resolve_done(im, scope, i, true); return 0;
    case IMPORT_KERNEL:
    case IMPORT_CUSTOM:
    case IMPORT_COLLECTIVE:
        if (import_result_shape(im, i) == i->shape)
            *s = resolve_results(im, scope, i);
        else
            *s = c == IMPORT_KERNEL ? resolve_async(im, scope, i)
                                    : resolve_start(im, scope, i, false);
        return 0;
    }
    return 0;
}

static int resolve_scope(struct importing *im, uint32_t scope)
{
    const struct hlo_computation *c = im->scope[scope].c;

    for (uint32_t k = 0; k < c->n; k++) {
        struct import_span s;
        const struct hlo_instruction *i = &im->m->instruction[c->first + k];
        uint32_t n = import_leaves(i->shape);
        import_limit_room(im, LEAF_ROOM * (uint64_t)n);
        import_limit_work(im, 1 + (uint64_t)n + i->n_operands + i->n_attributes);
        if (import_limit_check(im, i) != 0 || resolve_instruction(im, scope, i, &s) != 0)
            return -1;
        if (im->boundless)
            return fail_range(im, i, "an array of more than 2^63 - 1 bytes, or without a bound");
        im->scope[scope].span[k] = fit_span(im, s, n); /* the array of scopes may have moved */
    }
    im->scope[scope].root = im->scope[scope].span[c->root - c->first];
    return 0;
}

int import_resolve(struct importing *im)
{
    MEMORY_GROW(im->value, 1, im->cap_values);
    im->n_values = 1; /* nothing */
    import_value_find_doubles(im);
    import_peer_find(im);
    import_find_pairs(im);
    import_place_begin(im);
    open_scope(im, &im->m->computation[im->m->entry], NULL, 0);
    if (resolve_scope(im, 0) != 0)
        return -1;
    import_join_outputs(im);
    import_part_pairs(im);
    return 0;
}
