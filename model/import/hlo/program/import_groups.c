/* import_groups.c - which devices take part in a collective.
 *
 * Device `partition` of replica `replica` is number replica * partitions + partition.  What the
 * numbers of replica_groups= are depends on what stands beside them (CollectiveOpGroupMode of
 * OpenXLA, xla/service/collective_ops_utils.h):
 *
 *     no channel_id                               replicas; each partition has groups of its own
 *     channel_id                                  all-reduce, all-gather, reduce-scatter: replicas,
 *                                                 with all their partitions; others: partitions
 *     channel_id and use_global_device_ids=true   devices
 *
 * A trace describes groups by their size and the distance of their members, pairs of a permute by a
 * shift; where they have none, it lists them. */
#include <inttypes.h>
#include <stdlib.h>

#include "import/hlo/program/import_groups.h"
#include "import/hlo/program/import_peer.h"

uint32_t import_groups_devices(const struct importing *im)
{
    uint64_t n = import_multiply(im->partitions, im->m->replicas);

    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* --- lists --------------------------------------------------------------------------------- */

struct lists {
    uint32_t n_lists, n, cap, cap_lists;
    uint32_t *first, *member; /* [n_lists + 1], [n] */
};

static void add_member(struct lists *l, uint64_t device)
{
    MEMORY_GROW(l->member, l->n + 1, l->cap);
    l->member[l->n++] = device < HLO_NONE ? (uint32_t)device : HLO_NONE;
}

static void end_list(struct lists *l)
{
    MEMORY_GROW(l->first, l->n_lists + 2, l->cap_lists);
    if (l->n_lists == 0)
        l->first[0] = 0;
    l->first[++l->n_lists] = l->n;
}

static void free_lists(struct lists *l)
{
    free(l->first);
    free(l->member);
}

/* True if no number is `limit` or more. */
static bool is_below(const struct lists *l, uint64_t limit)
{
    for (uint32_t k = 0; k < l->n; k++)
        if (l->member[k] >= limit)
            return false;
    return true;
}

/* One list of all numbers below `n`. */
static void add_all(struct lists *l, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++)
        add_member(l, k);
    end_list(l);
}

enum numbering { DEVICES, REPLICAS, PARTITIONS, REPLICAS_WHOLE };

static enum numbering numbering_of(const struct importing *im, const struct hlo_instruction *i)
{
    enum hlo_opcode o = i->opcode;
    bool reduces = o == HLO_OP_ALL_REDUCE || o == HLO_OP_ALL_REDUCE_START ||
                   o == HLO_OP_ALL_GATHER || o == HLO_OP_ALL_GATHER_START ||
                   o == HLO_OP_REDUCE_SCATTER;

    if (hlo_attribute(im->m, i, "channel_id").at == NULL)
        return REPLICAS;
    if (!reduces)
        return PARTITIONS;
    return hlo_text_is(hlo_attribute(im->m, i, "use_global_device_ids"), "true") ? DEVICES
                                                                                 : REPLICAS_WHOLE;
}

/* The lists of the text as lists of devices. */
static void number_devices(const struct importing *im, enum numbering as, const struct lists *text,
                           struct lists *l)
{
    uint64_t partitions = im->partitions, replicas = im->m->replicas;
    uint64_t times = as == REPLICAS ? partitions : as == PARTITIONS ? replicas : 1;

    for (uint64_t t = 0; t < times; t++)
        for (uint32_t g = 0; g < text->n_lists; g++) {
            for (uint32_t k = text->first[g]; k < text->first[g + 1]; k++) {
                uint64_t n = text->member[k];
                if (as == REPLICAS)
                    add_member(l, n * partitions + t);
                else if (as == PARTITIONS)
                    add_member(l, t * partitions + n);
                else if (as == DEVICES)
                    add_member(l, n);
                for (uint64_t p = 0; as == REPLICAS_WHOLE && p < partitions; p++)
                    add_member(l, n * partitions + p);
            }
            end_list(l);
        }
}

/* Replace the numbers of the text by those of devices.  Programs that nobody checked name devices
 * where the rule above expects replicas. */
static void name_devices(struct importing *im, const struct hlo_instruction *i, struct lists *l)
{
    uint64_t partitions = im->partitions, replicas = im->m->replicas;
    enum numbering as = numbering_of(im, i);
    uint64_t limit = as == DEVICES      ? partitions * replicas
                     : as == PARTITIONS ? partitions
                                        : replicas;
    struct lists to = { 0 };

    if (l->n_lists == 0)
        add_all(l, limit);
    else if (as == DEVICES || !is_below(l, limit))
        return;
    import_limit_work(im, partitions * replicas);
    number_devices(im, as, l, &to);
    free_lists(l);
    *l = to;
}

static int read_lists(struct importing *im, const struct hlo_instruction *i, struct lists *l)
{
    struct hlo_groups g;

    *l = (struct lists){ 0 };
    if (hlo_groups(im->m, i, &g, im->err) != 0)
        return -1;
    for (uint32_t k = 0; k < g.n_groups; k++) {
        for (uint32_t j = 0; j < g.size; j++)
            if (g.member[(size_t)k * g.size + j] != HLO_NONE)
                add_member(l, g.member[(size_t)k * g.size + j]);
        if (g.size)
            end_list(l);
    }
    free(g.member);
    name_devices(im, i, l);
    import_limit_work(im, l->n);
    return 0;
}

/* --- groups -------------------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* True if each list has `size` members and is: member i of group g is
 * (g / d) * size * d + i * d + g % d. */
static bool has_stride(const struct lists *l, uint32_t size, uint64_t d)
{
    for (uint32_t g = 0; g < l->n_lists; g++) {
        const uint32_t *m = &l->member[l->first[g]];
        if (l->first[g + 1] - l->first[g] != size || m[0] / d % size != 0)
            return false;
        for (uint32_t i = 1; i < size; i++)
            if (m[i] != m[0] + i * d)
                return false;
    }
    return true;
}

/* True if a device stands twice among every `step`-th member from `from` on. */
static bool has_twice(const struct lists *l, uint32_t devices, uint32_t from, uint32_t step)
{
    bool *seen = memory_zeroed(devices, sizeof *seen), twice = false;

    for (uint32_t k = from; k < l->n && !twice; k += step) {
        twice = seen[l->member[k]];
        seen[l->member[k]] = true;
    }
    free(seen);
    return twice;
}

static char *keep_lists(const struct lists *l)
{
    struct memory_text t;

    memory_text_begin(&t);
    for (uint32_t g = 0; g < l->n_lists; g++)
        for (uint32_t k = l->first[g]; k < l->first[g + 1]; k++)
            fprintf(t.out, "%s%" PRIu32, k > l->first[g] ? " " : g ? ", " : "", l->member[k]);
    return memory_text_end(&t);
}

static void describe_groups(struct importing *im, struct lists *l, struct import_groups *x)
{
    uint32_t devices = import_groups_devices(im), size = l->first[1];
    bool broadcast = x->ordered;

    for (uint32_t g = 0; g < l->n_lists && !broadcast; g++)
        qsort(&l->member[l->first[g]], l->first[g + 1] - l->first[g], sizeof *l->member,
              compare_ids);
    x->stride = size > 1 && l->member[1] > l->member[0] ? l->member[1] - l->member[0] : 1;
    if (has_stride(l, size, x->stride) && (uint64_t)l->n_lists * size == devices) {
        x->size = size == devices ? 0 : size;
        return;
    }
    x->stride = 1;
    for (uint32_t g = 1; g < l->n_lists; g++)
        if (l->first[g + 1] - l->first[g] != size)
            size = 0;
    x->size = size;
    x->members = keep_lists(l);
}

static int read_groups(struct importing *im, const struct hlo_instruction *i,
                       struct import_groups *x)
{
    uint32_t devices = import_groups_devices(im);
    struct lists l;
    int rc = read_lists(im, i, &l);

    if (rc == 0 && l.n && !is_below(&l, devices)) {
        uint32_t size = l.first[1];
        x->size = size >= devices ? 0 : devices % size ? 1 : size;
        x->note = devices > 1 ? "groups of devices that the program does not have" : NULL;
        x->basis = devices > 1 ? TRACE_BASIS_BIT(GROUPS) : 0;
    } else if (rc == 0 && l.n && has_twice(&l, devices, 0, 1)) {
        rc = hlo_error(im->m, i, im->err, "replica_groups: a device stands in two places");
    } else if (rc == 0 && l.n) {
        describe_groups(im, &l, x);
    }
    free_lists(&l);
    return rc;
}

/* --- permutes ------------------------------------------------------------------------------ */

/* True if each pair goes from member i to member i + shift of one of the groups. */
static bool fits_shift(const struct lists *l, uint64_t size, uint64_t stride, uint64_t shift)
{
    for (uint32_t k = 0; k + 1 < l->n; k += 2) {
        uint64_t from = l->member[k], to = l->member[k + 1];
        uint64_t block = size * stride, i = from / stride % size, j = to / stride % size;
        if (from / block != to / block || from % stride != to % stride || (i + shift) % size != j)
            return false;
    }
    return true;
}

static bool find_shift(struct importing *im, const struct lists *l, uint32_t devices,
                       struct import_groups *x)
{
    for (uint64_t size = 2; size <= devices; size++) {
        if (devices % size)
            continue;
        import_limit_work(im, devices / size);
        for (uint64_t stride = 1; stride * size <= devices; stride++) {
            if (devices % (size * stride) || !import_limit_work(im, l->n))
                continue;
            uint64_t i = l->member[0] / stride % size, j = l->member[1] / stride % size;
            uint64_t shift = (j + size - i) % size;
            if (shift && fits_shift(l, size, stride, shift)) {
                x->size = size == devices ? 0 : (uint32_t)size;
                x->stride = stride;
                x->shift = shift;
                return true;
            }
        }
    }
    return false;
}

/* Pairs of `key` as lists of two devices. */
static bool read_pair_lists(struct importing *im, const struct hlo_instruction *i,
                            struct hlo_text t, struct lists *l)
{
    uint32_t devices = import_groups_devices(im), room = 0, n = 0;
    int64_t *pair = NULL;

    *l = (struct lists){ 0 };
    while (t.at && n >= room) { /* how many there are is known when they are read */
        room = room ? 2 * room : 256;
        pair = memory_resize(pair, room, sizeof *pair);
        n = hlo_numbers(t, pair, room);
    }
    bool good = n >= 2 && n % 2 == 0 && devices > 1 && devices < UINT32_MAX;
    for (uint32_t k = 0; good && k < n; k++)
        good = pair[k] >= 0 && pair[k] < devices;
    for (uint32_t k = 0; good && k < n; k++) {
        add_member(l, (uint64_t)pair[k]);
        if (k % 2)
            end_list(l);
    }
    free(pair);
    if (good)
        name_devices(im, i, l);
    return good && import_limit_work(im, devices) &&
           import_limit_room(im, devices * sizeof *l->member);
}

static int read_pairs(struct importing *im, const struct hlo_instruction *i, struct hlo_text t,
                      struct import_groups *x)
{
    uint32_t devices = import_groups_devices(im);
    struct lists l;
    int rc = 0;

    if (read_pair_lists(im, i, t, &l)) {
        if (has_twice(&l, devices, 0, 2) || has_twice(&l, devices, 1, 2))
            rc = hlo_error(im->m, i, im->err,
                           "source_target_pairs: a device sends twice, or receives twice");
        else if (!find_shift(im, &l, devices, x))
            x->pairs = keep_lists(&l);
    }
    free_lists(&l);
    return rc;
}

/* --- for import_collective.c --------------------------------------------------------------- */

int import_groups_read(struct importing *im, const struct hlo_instruction *i, bool permute,
                       struct import_groups *x)
{
    bool peers = i->opcode == HLO_OP_SEND || i->opcode == HLO_OP_RECV;
    int rc;

    *x = (struct import_groups){ .stride = 1, .shift = 1 };
    if (peers && import_peer_is_far(im, i)) { /* the devices at one place of all slices */
        x->size = im->slices;
        x->stride = import_groups_devices(im);
        return 0;
    }
    if (permute) {
        rc = read_pairs(
            im, i,
            peers ? import_peer_pairs(im, i) : hlo_attribute(im->m, i, "source_target_pairs"), x);
    } else {
        x->ordered = i->opcode == HLO_OP_COLLECTIVE_BROADCAST;
        rc = read_groups(im, i, x);
    }
    if (im->slices > 1 && x->size == 0 && !x->members && !x->pairs)
        x->size = import_groups_devices(im); /* of each slice */
    return rc;
}

void import_groups_write(struct importing *im, const struct import_groups *x)
{
    if (x->size && !x->members)
        fprintf(im->out, " group=%" PRIu32, x->size);
    if (x->size && x->stride > 1)
        fprintf(im->out, " group-stride=%" PRIu64, x->stride);
    if (x->shift > 1)
        fprintf(im->out, " shift=%" PRIu64, x->shift);
    if (x->members)
        fprintf(im->out, " members=\"%s\"", x->members);
    if (x->pairs)
        fprintf(im->out, " pairs=\"%s\"", x->pairs);
}

void import_groups_free(struct import_groups *x)
{
    free(x->members);
    free(x->pairs);
}
