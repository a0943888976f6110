/* xplane_meta.c - see xplane_meta.h. */
#include "profile/xplane_meta.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* fields of XEventMetadata and XStatMetadata */
enum { META_NAME = 2, EVENT_DISPLAY_NAME = 4, EVENT_STATS = 5 };
/* fields of XStat */
enum { STAT_ID = 1, STAT_DOUBLE, STAT_UINT64, STAT_INT64, STAT_STRING, STAT_BYTES, STAT_REF };

static const char *const stat_names[XPLANE_STATS][2] = {
    [XPLANE_CATEGORY] = { "hlo_category", "" },
    [XPLANE_SCOPE] = { "tf_op", "" },
    [XPLANE_PROGRAM_ID] = { "program_id", "" },
    [XPLANE_FLOPS] = { "flops", "" },
    [XPLANE_BYTES] = { "bytes_accessed", "" },
    [XPLANE_DEVICE_TYPE] = { "device_type_string", "gpu_device_name" },
    [XPLANE_PEAK_FLOPS] = { "peak_teraflops_per_second", "" },
    [XPLANE_PEAK_HBM] = { "peak_hbm_bw_gigabytes_per_second", "" },
    [XPLANE_MEGACORE] = { "has_megacore", "" },
    [XPLANE_CORE] = { "core_details", "" },
    [XPLANE_HLO] = { "Hlo Proto", "hlo_proto" },
};

void xplane_meta_free(struct xplane_meta *m)
{
    free(m->bytes);
    free(m->events.entry);
    free(m->stats.entry);
    free(m->own.entry);
    *m = (struct xplane_meta){ 0 };
}

static void keep_bytes(struct xplane_meta *m, struct xplane_entries *to, uint64_t id,
                       struct proto_message bytes)
{
    size_t n = (size_t)(bytes.end - bytes.at);

    while (m->cap_bytes - m->n_bytes < n) {
        m->cap_bytes = m->cap_bytes ? 2 * m->cap_bytes : 4096;
        m->bytes = memory_resize(m->bytes, m->cap_bytes, 1);
    }
    if (n > 0)
        memcpy(m->bytes + m->n_bytes, bytes.at, n);
    MEMORY_GROW(to->entry, to->n + 1, to->cap);
    to->entry[to->n++] = (struct xplane_entry){ id, m->n_bytes, n };
    m->n_bytes += n;
}

int xplane_meta_add(struct xplane_meta *m, struct xplane_entries *to, struct proto_message entry)
{
    struct proto_message value = { NULL, NULL };
    struct proto_field f;
    uint64_t id = 0;
    int rc;

    while ((rc = proto_next(&entry, &f)) > 0) {
        if (f.number == 1 && f.type == PROTO_VARINT)
            id = f.value;
        else if (f.number == 2)
            value = proto_inner(&f);
    }
    if (rc == 0)
        keep_bytes(m, to, id, value);
    return rc;
}

void xplane_meta_add_own(struct xplane_meta *m, struct proto_message stat)
{
    keep_bytes(m, &m->own, 0, stat);
}

static int compare_entries(const void *a, const void *b)
{
    const struct xplane_entry *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

void xplane_meta_sort(struct xplane_meta *m)
{
    if (m->events.n > 0)
        qsort(m->events.entry, m->events.n, sizeof *m->events.entry, compare_entries);
    if (m->stats.n > 0)
        qsort(m->stats.entry, m->stats.n, sizeof *m->stats.entry, compare_entries);
}

static struct proto_message give_entry(const struct xplane_meta *m, const struct xplane_entry *e)
{
    const unsigned char *at = m->bytes + e->at;

    return (struct proto_message){ at, at + e->n };
}

struct proto_message xplane_meta_find(const struct xplane_meta *m, const struct xplane_entries *in,
                                      uint64_t id)
{
    uint32_t low = 0, high = in->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (in->entry[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == in->n || in->entry[low].id != id)
        return (struct proto_message){ NULL, NULL };
    return give_entry(m, &in->entry[low]);
}

struct proto_message xplane_meta_text(struct proto_message from, uint32_t field)
{
    struct proto_field f;

    while (proto_next(&from, &f) > 0)
        if (f.number == field)
            return proto_inner(&f);
    return (struct proto_message){ NULL, NULL };
}

/* Is the text this string? */
static bool match_text(struct proto_message text, const char *string)
{
    size_t n = strlen(string);

    return (size_t)(text.end - text.at) == n && n > 0 && memcmp(text.at, string, n) == 0;
}

uint64_t xplane_meta_stat(const struct xplane_meta *m, const char *name)
{
    for (uint32_t i = 0; i < m->stats.n; i++)
        if (match_text(xplane_meta_text(give_entry(m, &m->stats.entry[i]), META_NAME), name))
            return m->stats.entry[i].id;
    return 0;
}

static double read_double(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}

/* A number that some writers put as text. */
static uint64_t read_digits(struct proto_message text)
{
    uint64_t v = 0;

    for (const unsigned char *p = text.at; p < text.end && *p >= '0' && *p <= '9'; p++)
        v = v * 10 + (uint64_t)(*p - '0');
    return v;
}

/* Read an XStat; *id is that of its name. */
static struct xplane_value read_value(const struct xplane_meta *m, struct proto_message stat,
                                      uint64_t *id)
{
    struct xplane_value v = { .known = true };
    struct proto_field f;

    *id = 0;
    while (proto_next(&stat, &f) > 0) {
        switch (f.number) {
        case STAT_ID: *id = f.value; break;
        case STAT_DOUBLE:
            v.real = f.type == PROTO_FIXED64 ? read_double(f.value) : 0;
            v.number = v.real >= 0 && v.real < 1e18 ? (uint64_t)v.real : 0;
            break;
        case STAT_UINT64:
        case STAT_INT64:
            v.number = f.type == PROTO_VARINT ? f.value : 0;
            v.real = (double)v.number;
            break;
        case STAT_STRING:
        case STAT_BYTES:
            v.text = proto_inner(&f);
            v.number = read_digits(v.text);
            break;
        case STAT_REF:
            v.text = xplane_meta_text(xplane_meta_find(m, &m->stats, f.value), META_NAME);
            break;
        default: break;
        }
    }
    return v;
}

static void put_value(const struct xplane_meta *m, struct proto_message stat,
                      struct xplane_value *value)
{
    uint64_t id;
    struct xplane_value v = read_value(m, stat, &id);
    struct proto_message name = xplane_meta_text(xplane_meta_find(m, &m->stats, id), META_NAME);

    for (int i = 0; i < XPLANE_STATS; i++)
        if (match_text(name, stat_names[i][0]) || match_text(name, stat_names[i][1]))
            value[i] = v;
}

void xplane_meta_own(const struct xplane_meta *m, struct xplane_value *value)
{
    memset(value, 0, XPLANE_STATS * sizeof *value);
    for (uint32_t i = 0; i < m->own.n; i++)
        put_value(m, give_entry(m, &m->own.entry[i]), value);
}

void xplane_meta_stats(const struct xplane_meta *m, struct proto_message from, uint32_t field,
                       struct xplane_value *value)
{
    struct proto_field f;

    memset(value, 0, XPLANE_STATS * sizeof *value);
    while (proto_next(&from, &f) > 0)
        if (f.number == field && f.type == PROTO_BYTES)
            put_value(m, proto_inner(&f), value);
}

static char *copy_text(struct proto_message text)
{
    return text.at ? memory_copy_part((const char *)text.at, (size_t)(text.end - text.at))
                   : memory_copy("");
}

struct profile_op xplane_meta_op(const struct xplane_meta *m, struct proto_message event)
{
    struct xplane_value value[XPLANE_STATS];
    char *text = copy_text(xplane_meta_text(event, META_NAME));
    char *display = copy_text(xplane_meta_text(event, EVENT_DISPLAY_NAME));

    xplane_meta_stats(m, event, EVENT_STATS, value);
    struct profile_op op = {
        .program_id = value[XPLANE_PROGRAM_ID].number,
        .category = copy_text(value[XPLANE_CATEGORY].text),
        .scope = copy_text(value[XPLANE_SCOPE].text),
        .flops = value[XPLANE_FLOPS].number,
        .bytes = value[XPLANE_BYTES].number,
    };
    if (text[0] == '%') {
        op.name = memory_copy_part(text + 1, strcspn(text + 1, " "));
        op.text = text;
        free(display);
    } else {
        bool shown = display[0] != '\0';
        op.name = shown ? display : text;
        op.text = memory_copy("");
        free(shown ? text : display);
    }
    op.flops = op.flops > INT64_MAX ? 0 : op.flops; /* -1: unknown */
    op.bytes = op.bytes > INT64_MAX ? 0 : op.bytes;
    op.holds = profile_build_holds(op.name, op.text, op.category);
    return op;
}
