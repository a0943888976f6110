/* import_collective.c - collectives: what devices exchange.  import_groups.c says which devices. */
#include <stdlib.h>
#include <string.h>

#include "import/hlo/import_impl.h"
#include "import/hlo/program/import_groups.h"
#include "import/hlo/program/import_line.h"
#include "import/hlo/program/import_peer.h"

/* --- shapes -------------------------------------------------------------------------------- */

static const struct hlo_shape *printed_shape(const struct import_value *v)
{
    return v->like ? v->like : v->shape;
}

static uint64_t printed_elements(const struct import_value *v)
{
    return v->flat ? v->flat : hlo_elements(printed_shape(v));
}

/* Give a result the dimensions that belong to those of its operand, where the text of the module
 * has another name (a bitcast) between them. */
static void fit_result(struct importing *im, const char *kind, const struct import_groups *x,
                       uint32_t operand, uint32_t result)
{
    const struct import_value *o = &im->value[operand];
    struct import_value *r = &im->value[result];
    const struct hlo_shape *s = printed_shape(o);
    uint64_t n = printed_elements(o), size = x->size ? x->size : import_groups_devices(im);

    if (strcmp(kind, "all-gather") == 0) {
        uint64_t large = hlo_elements(r->shape);
        bool fits = x->size ? large == import_multiply(n, size) : large % n == 0;
        if (s->dtype == r->shape->dtype && fits && s->rank <= TRACE_MAX_RANK)
            return;
        r->like = s;
        r->flat = import_multiply(n, size);
    } else if (strcmp(kind, "reduce-scatter") == 0) {
        uint64_t small = hlo_elements(r->shape);
        bool fits = x->size ? n % size == 0 && n / size == small : n % small == 0;
        if (s->dtype == r->shape->dtype && fits && s->rank <= TRACE_MAX_RANK)
            return;
        r->like = s;
        r->flat = n / size ? n / size : 1;
    } else if (o->flat || !import_shape_same(s, r->shape)) {
        r->like = s;
        r->flat = o->flat;
    }
}

/* --- lines --------------------------------------------------------------------------------- */

static uint64_t elements_of(const struct importing *im, const uint32_t *v, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t k = 0; k < n; k++)
        if (v[k])
            sum = import_add(sum, hlo_elements(im->value[v[k]].shape));
    return sum;
}

static const char *name_kind(const struct importing *im, const struct hlo_instruction *inner,
                             const uint32_t *operand, const uint32_t *result, uint32_t n)
{
    switch (inner->opcode) {
    case HLO_OP_SEND:
    case HLO_OP_RECV: return import_peer_kind(im, inner);
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_REDUCE_START: /* with a slice of its result: a reduce-scatter */
        return elements_of(im, result, n) < elements_of(im, operand, n) ? "reduce-scatter"
                                                                        : "all-reduce";
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_GATHER_START: return "all-gather";
    case HLO_OP_REDUCE_SCATTER: return "reduce-scatter";
    case HLO_OP_COLLECTIVE_BROADCAST: return "collective-broadcast";
    case HLO_OP_ALL_TO_ALL:
    case HLO_OP_RAGGED_ALL_TO_ALL: return "all-to-all";
    case HLO_OP_COLLECTIVE_PERMUTE:
    case HLO_OP_COLLECTIVE_PERMUTE_START: return "collective-permute";
    default: break;
    }
    static const char *const names[] = { "reduce-scatter", "all-to-all", "collective-broadcast",
                                         "all-gather", "all-reduce" };
    struct hlo_text t = inner->opcode_text;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (t.size >= strlen(names[k]) && memcmp(t.at, names[k], strlen(names[k])) == 0)
            return names[k];
    return "all-to-all";
}

/* Keep one operand a result, the largest ones in their order: smaller ones, like indices, are not
 * exchanged. */
static uint32_t choose_operands(struct importing *im, uint32_t *operand, uint32_t n, uint32_t want)
{
    uint32_t m = 0;

    for (uint32_t k = 0; k < n; k++)
        if (operand[k])
            operand[m++] = operand[k];
    if (m > want && !import_limit_work(im, (uint64_t)m * (m - want)))
        return want;
    while (m > want) {
        uint32_t least = 0;
        for (uint32_t k = 1; k < m; k++)
            if (hlo_bytes(im->value[operand[k]].shape) < hlo_bytes(im->value[operand[least]].shape))
                least = k;
        memmove(&operand[least], &operand[least + 1], (m - least - 1) * sizeof *operand);
        m--;
    }
    return m;
}

/* The instruction whose operands a start exchanges: of a send and its recv the send. */
static const struct hlo_instruction *find_sender(const struct importing *im,
                                                 const struct hlo_instruction *start)
{
    const struct hlo_instruction *peer = import_peer_of(im, start);

    return peer && start->opcode == HLO_OP_RECV ? peer : start;
}

static bool is_ragged(const struct hlo_instruction *inner)
{
    static const char start[] = "ragged-all-to-all-start";

    return inner->opcode == HLO_OP_RAGGED_ALL_TO_ALL || hlo_text_is(inner->opcode_text, start);
}

/* The operands that are exchanged, `want` of them.  A ragged exchange sends rows of its first one,
 * how many is in the data, into a buffer that has room for the most that may come. */
static uint32_t take_operands(struct importing *im, const struct hlo_instruction *inner,
                              uint32_t *operand, uint32_t n, uint32_t want)
{
    if (is_ragged(inner) && n && operand[0] && want == 1)
        return 1;
    return choose_operands(im, operand, n, want);
}

static int emit_start(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                      bool start)
{
    const struct import_scope *s = &im->scope[scope];
    const struct hlo_instruction *inner = import_wrapped_collective(im, i);
    struct import_groups x;
    struct import_span out = import_started(im, s, i);
    uint32_t *operand, *result = memory_zeroed(out.n, sizeof *result), n = 0;
    char kind[64];

    inner = inner ? inner : i;
    uint32_t n_in = import_line_operands(im, s, find_sender(im, i), &operand);
    for (uint32_t k = 0; k < out.n; k++)
        if (im->leaf[out.first + k])
            result[n++] = im->leaf[out.first + k];
    uint32_t m = take_operands(im, inner, operand, n_in, n);
    const char *name = name_kind(im, inner, operand, result, m < n ? m : n);
    int rc = import_groups_read(im, inner, strcmp(name, "collective-permute") == 0, &x);
    if (rc == 0 && m && m == n) {
        for (uint32_t k = 0; k < n; k++) {
            fit_result(im, name, &x, operand[k], result[k]);
            import_line_shared(im, result[k]);
        }
        snprintf(kind, sizeof kind, "%s%s", name, start ? "-start" : "");
        import_line_begin(im, result, n, kind, operand, n);
        import_groups_write(im, &x);
        if (start && import_carry_of(im, i) == IMPORT_CARRY_START)
            fputs(" carried=1", im->out);
        if (is_ragged(inner) && !x.note)
            x.note =
                "sizes depend on data: as if each device sent all of its rows, as many to each";
        x.basis |= is_ragged(inner) ? TRACE_BASIS_BIT(SIZES) : 0;
        import_line_end_on(im, i, x.basis, x.note);
        im->totals->collectives = import_add(im->totals->collectives, s->times);
        if (strstr(name, "reduce")) {
            uint64_t flops = elements_of(im, operand, n);
            im->totals->flops_once = import_add(im->totals->flops_once, flops);
            im->totals->flops = import_add(im->totals->flops, import_multiply(flops, s->times));
        }
    }
    import_groups_free(&x);
    free(operand);
    free(result);
    return rc;
}

static void emit_done(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    const struct import_scope *s = &im->scope[scope];
    const struct hlo_instruction *start = import_start_of(im, i), *inner;
    struct import_span out = import_span_of(im, s, i), from;
    uint32_t *result = memory_zeroed(out.n, sizeof *result), *begun, n = 0, m = 0, *operand;
    char kind[64];

    if (start == NULL) {
        free(result);
        return;
    }
    from = import_started(im, s, start);
    begun = memory_zeroed(from.n, sizeof *begun);
    for (uint32_t k = 0; k < from.n; k++)
        if (im->leaf[from.first + k])
            begun[m++] = im->leaf[from.first + k];
    for (uint32_t k = 0; k < out.n; k++)
        if (im->leaf[out.first + k])
            result[n++] = im->leaf[out.first + k];
    uint32_t n_in = import_line_operands(im, s, find_sender(im, start), &operand);
    inner = import_wrapped_collective(im, start);
    n_in = take_operands(im, inner ? inner : start, operand, n_in, m);
    if (m && im->value[begun[0]].begun && n && n == m && n_in == m) {
        for (uint32_t k = 0; k < n; k++) {
            im->value[result[k]].like = im->value[begun[k]].like;
            im->value[result[k]].flat = im->value[begun[k]].flat;
        }
        snprintf(kind, sizeof kind, "%s-done",
                 name_kind(im, inner ? inner : start, operand, begun, n));
        import_line_begin(im, result, n, kind, begun, m);
        import_line_end(im, i, NULL);
    }
    free(result);
    free(begun);
    free(operand);
}

/* A send and its recv have one line, where the later one stands. */
static int emit_peer(struct importing *im, uint32_t scope, const struct hlo_instruction *i)
{
    const struct hlo_instruction *peer = import_peer_of(im, i);
    const struct hlo_instruction *recv = i->opcode == HLO_OP_RECV ? i : peer;

    if (peer > i)
        return 0;
    return emit_start(im, scope, recv, import_classify(im, recv) == IMPORT_COLLECTIVE_START);
}

int import_collective_emit(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                           enum import_class c)
{
    if (c == IMPORT_COLLECTIVE_DONE) {
        emit_done(im, scope, i);
        return 0;
    }
    if (import_peer_of(im, i))
        return emit_peer(im, scope, i);
    return emit_start(im, scope, i, c == IMPORT_COLLECTIVE_START);
}
