/* import_collective.c - collectives: which devices exchange, and what.
 *
 * A trace describes groups by their size and the distance of their members; groups without such a
 * distance (two axes of a mesh that are not neighbours) are imported with the smallest distance and
 * a note, pairs of a permute that fit no shift with their most frequent one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_impl.h"

struct exchange {
    uint32_t size;   /* of a group; 0: all devices */
    uint64_t stride; /* distance of members */
    uint64_t shift;  /* permute */
    const char *note;
};

static uint32_t count_devices(const struct importing *im)
{
    uint64_t n = import_multiply(im->m->partitions, im->m->replicas);

    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* --- groups -------------------------------------------------------------------------------- */

/* True if all groups are: member i of group g is (g / d) * size * d + i * d + g % d. */
static bool has_stride(const struct hlo_groups *g, uint64_t d)
{
    for (uint32_t k = 0; k < g->n_groups; k++) {
        const uint32_t *m = g->member + (size_t)k * g->size;
        uint64_t first = m[0];
        if (first / d % g->size != 0)
            return false;
        for (uint32_t i = 1; i < g->size; i++)
            if (m[i] != first + i * d)
                return false;
    }
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Sort a group, as the order around a ring does not matter; the least of `gap` and the distances of
 * its members. */
static uint64_t sort_group(uint32_t *member, uint32_t n, uint64_t gap)
{
    qsort(member, n, sizeof *member, compare_ids);
    for (uint32_t j = 1; j < n; j++)
        if (member[j] != HLO_NONE && member[j] - member[j - 1] < gap)
            gap = member[j] - member[j - 1];
    return gap;
}

static int read_groups(struct importing *im, const struct hlo_instruction *i, struct exchange *x)
{
    struct hlo_groups g;
    uint64_t gap = UINT64_MAX;

    if (hlo_groups(im->m, i, &g, im->err) != 0)
        return -1;
    import_limit_work(im, (uint64_t)g.n_groups * g.size);
    x->size = g.n_groups == 0 || g.size >= count_devices(im) ? 0 : g.size;
    for (uint32_t k = 0; k < g.n_groups; k++)
        gap = sort_group(g.member + (size_t)k * g.size, g.size, gap);
    if (x->size > 1) {
        x->stride = gap == UINT64_MAX || gap == 0 ? 1 : gap;
        if (g.uneven)
            x->note = "groups of several sizes: those of the largest";
        else if (!has_stride(&g, x->stride))
            x->note = "groups without one distance: the smallest one";
        /* the stride must divide the slice: take the next smaller one that does */
        import_limit_work(im, x->stride);
        while (x->stride > 1 && count_devices(im) % (x->size * x->stride) != 0)
            x->stride--;
    }
    free(g.member);
    return 0;
}

/* --- permutes ------------------------------------------------------------------------------ */

/* True if each pair goes from member i to member i + shift of one of the groups. */
static bool fits_shift(const int64_t *pair, uint32_t n, uint64_t size, uint64_t stride,
                       uint64_t shift)
{
    for (uint32_t k = 0; k + 1 < n; k += 2) {
        uint64_t from = (uint64_t)pair[k], to = (uint64_t)pair[k + 1];
        uint64_t block = size * stride, i = from / stride % size, j = to / stride % size;
        if (from / block != to / block || from % stride != to % stride || (i + shift) % size != j)
            return false;
    }
    return true;
}

static bool find_shift(struct importing *im, const int64_t *pair, uint32_t n, uint32_t devices,
                       struct exchange *x)
{
    for (uint64_t size = 2; size <= devices; size++) {
        if (devices % size)
            continue;
        import_limit_work(im, devices / size);
        for (uint64_t stride = 1; stride * size <= devices; stride++) {
            if (devices % (size * stride) || !import_limit_work(im, n))
                continue;
            uint64_t i = (uint64_t)pair[0] / stride % size, j = (uint64_t)pair[1] / stride % size;
            uint64_t shift = (j + size - i) % size;
            if (shift && fits_shift(pair, n, size, stride, shift)) {
                *x = (struct exchange){ size == devices ? 0 : (uint32_t)size, stride, shift, NULL };
                return true;
            }
        }
    }
    return false;
}

/* The most frequent distance of pairs that are no pair with themselves. */
static uint64_t common_shift(const int64_t *pair, uint32_t n, uint32_t devices)
{
    uint32_t *count = memory_zeroed((size_t)devices + 1, sizeof *count);
    uint64_t best = 1 % (devices ? devices : 1);

    for (uint32_t k = 0; k + 1 < n; k += 2) {
        uint64_t d = ((uint64_t)pair[k + 1] + devices - (uint64_t)pair[k] % devices) % devices;
        if (d && ++count[d] > count[best])
            best = d;
    }
    free(count);
    return best ? best : 1;
}

static void read_pairs(struct importing *im, const struct hlo_instruction *i, struct exchange *x)
{
    struct hlo_text t = hlo_attribute(im->m, i, "source_target_pairs");
    uint32_t devices = count_devices(im), room = 0, n = 0;
    int64_t *pair = NULL;

    x->stride = x->shift = 1;
    while (t.at && n >= room) { /* how many there are is known when they are read */
        room = room ? 2 * room : 256;
        pair = memory_resize(pair, room, sizeof *pair);
        n = hlo_numbers(t, pair, room);
    }
    bool good = n >= 2 && devices > 1 && devices < UINT32_MAX;
    for (uint32_t k = 0; good && k < n; k++)
        good = pair[k] >= 0 && pair[k] < devices;
    good = good && import_limit_work(im, devices) && import_limit_room(im, devices * sizeof *pair);
    if (good && !find_shift(im, pair, n, devices, x)) {
        x->shift = common_shift(pair, n, devices);
        x->note = "pairs without one distance: the most frequent one";
    }
    free(pair);
}

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
static void fit_result(struct importing *im, const char *kind, const struct exchange *x,
                       uint32_t operand, uint32_t result)
{
    const struct import_value *o = &im->value[operand];
    struct import_value *r = &im->value[result];
    const struct hlo_shape *s = printed_shape(o);
    uint64_t n = printed_elements(o), size = x->size ? x->size : count_devices(im);

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

static void print_exchange(struct importing *im, const char *kind, const struct exchange *x)
{
    if (x->size)
        fprintf(im->out, " group=%" PRIu32, x->size);
    if (x->size && x->stride > 1)
        fprintf(im->out, " group-stride=%" PRIu64, x->stride);
    if (strcmp(kind, "collective-permute") == 0 && x->shift > 1)
        fprintf(im->out, " shift=%" PRIu64, x->shift);
}

static int emit_start(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                      bool start)
{
    const struct import_scope *s = &im->scope[scope];
    const struct hlo_instruction *inner = import_wrapped_collective(im, i);
    struct exchange x = { .stride = 1, .shift = 1 };
    struct import_span out = import_started(im, s, i);
    uint32_t *operand, *result = memory_zeroed(out.n, sizeof *result), n = 0;
    char kind[64];

    inner = inner ? inner : i;
    uint32_t n_in = import_emit_operands(im, s, i, &operand);
    for (uint32_t k = 0; k < out.n; k++)
        if (im->leaf[out.first + k])
            result[n++] = im->leaf[out.first + k];
    uint32_t m = choose_operands(im, operand, n_in, n);
    const char *name = name_kind(im, inner, operand, result, m < n ? m : n);
    int rc = 0;
    if (strcmp(name, "collective-permute") == 0)
        read_pairs(im, inner, &x);
    else
        rc = read_groups(im, inner, &x);
    if (rc == 0 && m && m == n) {
        for (uint32_t k = 0; k < n; k++) {
            fit_result(im, name, &x, operand[k], result[k]);
            import_emit_buffer(im, result[k]);
        }
        snprintf(kind, sizeof kind, "%s%s", name, start ? "-start" : "");
        import_line_begin(im, result, n, kind, operand, n);
        print_exchange(im, name, &x);
        import_line_end(im, i, x.note);
        im->totals->collectives = import_add(im->totals->collectives, s->times);
        if (strstr(name, "reduce")) {
            uint64_t flops = elements_of(im, operand, n);
            im->totals->flops_once = import_add(im->totals->flops_once, flops);
            im->totals->flops = import_add(im->totals->flops, import_multiply(flops, s->times));
        }
    }
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
    uint32_t n_in = import_emit_operands(im, s, start, &operand);
    n_in = choose_operands(im, operand, n_in, m);
    if (m && im->value[begun[0]].begun && n && n == m && n_in == m) {
        inner = import_wrapped_collective(im, start);
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

int import_collective_emit(struct importing *im, uint32_t scope, const struct hlo_instruction *i,
                           enum import_class c)
{
    if (c != IMPORT_COLLECTIVE_DONE)
        return emit_start(im, scope, i, c == IMPORT_COLLECTIVE_START);
    emit_done(im, scope, i);
    return 0;
}
