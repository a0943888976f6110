/* import_peer.c - a send and the recv of what it sends are one collective.
 *
 *     _xla_send_recv_source_target_pairs   from device to device: a collective-permute of the pairs
 *     xla_megascale_runtime                over the network between slices: what
 *                                          _xla_megascale_transfer_type says, among the devices at
 *                                          one place of all slices that _xla_megascale_target names
 *
 * Both stand among the frontend_attributes.  The two of a pair are in one computation, in any
 * order: the line of the collective stands where the later one does.  A program for several slices
 * is the text of one of them. */
#include <stdlib.h>
#include <string.h>

#include "import/hlo/program/import_peer.h"

/* The value of a frontend attribute, without quotes; at is NULL if there is none. */
static struct hlo_text read_value(const struct importing *im, const struct hlo_instruction *i,
                                  const char *key)
{
    struct hlo_text t = hlo_attribute(im->m, i, "frontend_attributes"), none = { 0 };
    size_t n = strlen(key);
    const char *end = t.at ? t.at + t.size : NULL, *p = t.at;

    do {
        p = p ? memmem(p, (size_t)(end - p), key, n) : NULL;
        if (p == NULL)
            return none;
        p += n;
    } while (p[-(ptrdiff_t)n - 1] != '{' && p[-(ptrdiff_t)n - 1] != ',' &&
             p[-(ptrdiff_t)n - 1] != ' ');
    if (p == end || *p++ != '=')
        return none;
    const char *begin = p;
    uint32_t depth = 0;
    if (p < end && *p == '"') {
        begin = ++p;
        while (p < end && *p != '"')
            p++;
        return (struct hlo_text){ begin, (uint32_t)(p - begin) };
    }
    for (; p < end && (depth || (*p != ',' && *p != '}')); p++)
        depth = *p == '{' ? depth + 1 : *p == '}' ? depth - 1 : depth;
    return (struct hlo_text){ begin, (uint32_t)(p - begin) };
}

static bool is_far(const struct importing *im, const struct hlo_instruction *i)
{
    struct hlo_text t = read_value(im, i, "_xla_host_transfer_handler_name");

    return hlo_text_is(t, "xla_megascale_runtime");
}

bool import_peer_is_far(const struct importing *im, const struct hlo_instruction *i)
{
    return (i->opcode == HLO_OP_SEND || i->opcode == HLO_OP_RECV) && is_far(im, i);
}

/* By which the two find each other; at is NULL for transfers to and from the host. */
static struct hlo_text read_key(const struct importing *im, const struct hlo_instruction *i)
{
    return is_far(im, i) ? read_value(im, i, "_xla_host_transfer_rendezvous")
                         : read_value(im, i, "_xla_send_recv_source_target_pairs");
}

struct hlo_text import_peer_pairs(const struct importing *im, const struct hlo_instruction *i)
{
    return read_value(im, i, "_xla_send_recv_source_target_pairs");
}

/* The number of slices that "{1,2}x{0:3}" names; 0: that is not to be read. */
static uint32_t count_slices(struct hlo_text t)
{
    uint32_t n = 0;

    if (t.size < 2 || t.at[0] != '{')
        return 0;
    for (uint32_t k = 1; k < t.size && t.at[k] != '}';) {
        char *next;
        unsigned long from = strtoul(t.at + k, &next, 10), to = from;
        if (next == t.at + k)
            return 0;
        if (*next == ':')
            to = strtoul(next + 1, &next, 10);
        if (to < from || to - from > UINT16_MAX)
            return 0;
        n += (uint32_t)(to - from) + 1;
        k = (uint32_t)(next - t.at) + (*next == ',');
    }
    return n;
}

/* --- pairs --------------------------------------------------------------------------------- */

struct open_end { /* of a computation, in a list of those that have no partner yet */
    uint32_t instruction, next;
};

static bool are_partners(const struct importing *im, const struct hlo_instruction *a,
                         const struct hlo_instruction *b)
{
    struct hlo_text s = read_key(im, a), t = read_key(im, b);

    return a->opcode != b->opcode && s.size == t.size && memcmp(s.at, t.at, s.size) == 0;
}

/* Join `k` with the oldest open end that is its partner, or leave it open. */
static void join_end(struct importing *im, uint32_t k, uint32_t *open, uint32_t *n)
{
    for (uint32_t j = 0; j < *n && import_limit_work(im, 1); j++)
        if (are_partners(im, &im->m->instruction[open[j]], &im->m->instruction[k])) {
            im->peer[k] = open[j];
            im->peer[open[j]] = k;
            memmove(&open[j], &open[j + 1], (--*n - j) * sizeof *open);
            return;
        }
    open[(*n)++] = k;
}

void import_peer_find(struct importing *im)
{
    const struct hlo_module *m = im->m;
    uint32_t *open = NULL, n = 0, cap = 0;

    im->slices = 1;
    im->peer = memory_resize(NULL, m->n_instructions ? m->n_instructions : 1, sizeof *im->peer);
    for (uint32_t k = 0; k < m->n_instructions; k++) {
        const struct hlo_instruction *i = &m->instruction[k];
        im->peer[k] = IMPORT_NONE;
        if (k && i->computation != m->instruction[k - 1].computation)
            n = 0;
        if ((i->opcode != HLO_OP_SEND && i->opcode != HLO_OP_RECV) || !read_key(im, i).at)
            continue;
        uint32_t slices = count_slices(read_value(im, i, "_xla_megascale_target"));
        im->slices = slices > im->slices ? slices : im->slices;
        if (!import_peer_kind(im, i))
            continue;
        MEMORY_GROW(open, n + 1, cap);
        join_end(im, k, open, &n);
    }
    free(open);
}

const struct hlo_instruction *import_peer_of(const struct importing *im,
                                             const struct hlo_instruction *i)
{
    uint32_t p = im->peer[i - im->m->instruction];

    return p == IMPORT_NONE ? NULL : &im->m->instruction[p];
}

/* --- kinds --------------------------------------------------------------------------------- */

const char *import_peer_kind(const struct importing *im, const struct hlo_instruction *i)
{
    static const struct {
        const char *type, *kind;
    } kinds[] = { { "ALL_REDUCE", "all-reduce" },
                  { "ALL_GATHER", "all-gather" },
                  { "REDUCE_SCATTER", "reduce-scatter" } };
    struct hlo_text t = read_value(im, i, "_xla_megascale_transfer_type");

    if (!is_far(im, i))
        return "collective-permute";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (hlo_text_is(t, kinds[k].type))
            return kinds[k].kind;
    return NULL;
}
