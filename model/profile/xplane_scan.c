/* xplane_scan.c - the first reading of an XPlane file: see xplane.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "profile/xplane_space.h"

/* fields of the messages */
enum { PLANE_NAME = 2, PLANE_EVENT_META = 4, PLANE_STAT_META, PLANE_STATS };
enum { LINE_ID = 1, LINE_NAME, LINE_TIMESTAMP };
enum { SPACE_HOST = 4 };
enum { EVENT_META = 1, EVENT_OFFSET, EVENT_DURATION, EVENT_STATS, EVENT_OCCURRENCES };
enum { STAT_ID = 1, STAT_UINT64 = 3, STAT_INT64 };
enum { META_NAME = 2, META_STATS = 5 };
enum { CORE_CHIP = 5 };

static void show_plane(struct xplane_space *x, struct proto_message name)
{
    size_t used = strlen(x->shown), n = (size_t)(name.end - name.at);
    const char *between = used > 0 ? ", " : "";

    if (used + n + 6 >= sizeof x->shown) {
        if (used > 0 && x->shown[used - 1] != '.')
            strcat(x->shown, " ...");
        return;
    }
    strcat(x->shown, between);
    used = strlen(x->shown);
    for (size_t i = 0; i < n; i++)
        x->shown[used + i] = (char)(name.at[i] >= 0x20 && name.at[i] < 0x7f ? name.at[i] : '?');
}

/* The plane of a TensorCore or a GPU: "/device:TPU:0".  "/device:TPU:0 SparseCore 0" and whatever
 * else has more behind the number runs beside. */
static bool is_core(struct proto_message name, const char *begin)
{
    size_t n = (size_t)(name.end - name.at), at = strlen(begin);

    if (n <= at || memcmp(name.at, begin, at) != 0)
        return false;
    while (at < n && plain_is_digit(name.at[at]))
        at++;
    return at == n;
}

static void name_plane(struct xplane_space *x, struct xplane_plane *p, struct proto_message name)
{
    static const char metadata[] = "/host:metadata";
    size_t n = (size_t)(name.end - name.at);

    show_plane(x, name);
    p->named = true;
    p->is_metadata = n == sizeof metadata - 1 && memcmp(name.at, metadata, n) == 0;
    p->is_gpu = is_core(name, XPLANE_GPU);
    if (!p->is_gpu && !is_core(name, XPLANE_TPU))
        return;
    char *text = memory_copy_part((const char *)name.at, n);
    p->device = profile_build_device(x->b, text);
    free(text);
}

/* Streams of a GPU have kernels, copies and fills; other lines of its plane sum them up. */
static bool is_stream(struct proto_message name)
{
    static const char stream[] = "Stream #";
    size_t n = (size_t)(name.end - name.at);

    return n >= sizeof stream - 1 && memcmp(name.at, stream, sizeof stream - 1) == 0;
}

static enum xplane_kind know_line(struct proto_message name)
{
    static const char *const names[] = {
        [XPLANE_MODULES] = "XLA Modules",
        [XPLANE_STEPS] = "Steps",
        [XPLANE_OPS] = "XLA Ops",
        [XPLANE_ASYNC] = "Async XLA Ops",
    };
    size_t n = (size_t)(name.end - name.at);

    for (int i = XPLANE_MODULES; i <= XPLANE_ASYNC; i++)
        if (n == strlen(names[i]) && memcmp(name.at, names[i], n) == 0)
            return (enum xplane_kind)i;
    return XPLANE_OTHER;
}

static int report_damage(const struct xplane_space *x, uint64_t at, struct err *err)
{
    return profile_source_damaged(x->source, at, err, "a message that is no protocol buffer");
}

/* A statistic of an event: its time by the clock of the device, its node of a graph. */
static void read_clock(const struct xplane_plane *p, struct proto_message stat,
                       struct xplane_event *e)
{
    struct proto_field f;
    uint64_t id = 0, value = 0;

    while (proto_next(&stat, &f) > 0) {
        if (f.number == STAT_ID)
            id = f.value;
        else if ((f.number == STAT_UINT64 || f.number == STAT_INT64) && f.type == PROTO_VARINT)
            value = f.value;
    }
    if (id != 0 && id == p->node)
        e->node = value;
    if (id != 0 && id == p->clock_begin)
        e->clock_offset = value;
    if (id != 0 && id == p->clock_length) {
        e->clock_length = value;
        e->has_clock = true;
    }
}

static int check_event(const struct xplane_space *x, uint64_t at, const struct xplane_event *e,
                       struct err *err)
{
    uint64_t most = PROFILE_BUILD_PS_MAX / 2;

    if (e->offset <= most && e->length <= most && e->clock_offset <= most &&
        e->clock_length <= most)
        return 0;
    return profile_source_damaged(x->source, at, err,
                                  "an event begins at %" PRId64 " ps and lasts %" PRId64
                                  " ps, outside [0, %" PRIu64 "] ps",
                                  (int64_t)(e->offset > most ? e->offset : e->clock_offset),
                                  (int64_t)(e->length > most ? e->length : e->clock_length), most);
}

int xplane_event_hold(struct xplane_space *x, const struct xplane_plane *p,
                      const struct proto_frame *frame, const struct proto_field *f,
                      struct xplane_event *e, struct err *err)
{
    uint64_t at = profile_source_at(x->source);
    struct proto_message m;
    struct proto_field g;
    int rc;

    if (proto_frame_hold(frame, f, &m, err) != 0)
        return -1;
    *e = (struct xplane_event){ 0 };
    while ((rc = proto_next(&m, &g)) > 0) {
        switch (g.number) {
        case EVENT_META: e->meta = g.value; break;
        case EVENT_OFFSET: e->offset = g.value; break;
        case EVENT_DURATION: e->length = g.value; break;
        case EVENT_OCCURRENCES: e->counted = true; break;
        case EVENT_STATS:
            if ((p->clock_begin != 0 && p->clock_length != 0) || p->node != 0)
                read_clock(p, proto_inner(&g), e);
            break;
        default: break;
        }
    }
    return rc < 0 ? report_damage(x, at, err) : check_event(x, at, e, err);
}

static void keep_run(struct xplane_space *x, const struct xplane_plane *p,
                     const struct xplane_event *e)
{
    if (e->counted)
        return;
    MEMORY_GROW(x->run, x->n_runs + 1, x->cap_runs);
    x->run[x->n_runs++] = (struct xplane_run){ e->meta, p->n_lines - 1, e->offset, e->length };
}

/* First reading of an event of a line. */
static int scan_event(struct xplane_space *x, struct xplane_plane *p,
                      const struct proto_frame *frame, const struct proto_field *f, struct err *err)
{
    const struct xplane_line *line = &p->line[p->n_lines - 1];
    struct xplane_event e;

    if (!line->named)
        return proto_frame_skip(frame, f, err);
    if (line->kind != XPLANE_MODULES && line->kind != XPLANE_STEPS)
        return profile_source_skip(x->source, frame->end - profile_source_at(x->source), err);
    if (xplane_event_hold(x, p, frame, f, &e, err) != 0)
        return -1;
    if (line->kind == XPLANE_MODULES)
        keep_run(x, p, &e);
    else if (!x->has_steps && !e.counted)
        profile_build_step(x->b, e.length);
    return 0;
}

/* Lines of one id are one time line.  One of another id that has the name of one before it is that
 * of the other core of a chip whose cores are one device: the same kernels at the same time.  What
 * is asynchronous may have several lines of one core. */
static bool is_other_half(const struct xplane_plane *p, const struct xplane_line *line)
{
    for (uint32_t i = 0; i + 1 < p->n_lines; i++)
        if (p->line[i].kind == line->kind && line->kind != XPLANE_ASYNC)
            return p->line[i].id != line->id;
    return false;
}

static int scan_line_name(struct xplane_space *x, struct xplane_plane *p,
                          const struct proto_frame *frame, const struct proto_field *f,
                          struct err *err)
{
    struct xplane_line *line = &p->line[p->n_lines - 1];
    uint64_t at = profile_source_at(x->source);
    struct proto_message m;

    if (proto_frame_hold(frame, f, &m, err) != 0)
        return -1;
    line->kind = !p->is_gpu ? know_line(m) : is_stream(m) ? XPLANE_OPS : XPLANE_OTHER;
    if (!p->is_gpu && is_other_half(p, line))
        line->kind = XPLANE_OTHER;
    line->named = true;
    if (line->kind != XPLANE_OTHER && line->has_events)
        return profile_source_damaged(x->source, at, err,
                                      "the name of a line stands behind its events");
    return 0;
}

/* First reading of a line: of what kind it is, and runs and steps. */
static int scan_line(struct xplane_space *x, struct xplane_plane *p, struct proto_frame frame,
                     struct err *err)
{
    struct proto_field f;
    int rc;

    MEMORY_GROW(p->line, p->n_lines + 1, p->cap_lines);
    struct xplane_line *line = &p->line[p->n_lines++];
    *line = (struct xplane_line){ .kind = XPLANE_OTHER };
    while ((rc = proto_frame_next(&frame, &f, err)) > 0) {
        if (f.number == LINE_NAME)
            rc = scan_line_name(x, p, &frame, &f, err);
        else if (f.number == LINE_ID && f.type == PROTO_VARINT)
            line->id = f.value;
        else if (f.number == LINE_TIMESTAMP && f.type == PROTO_VARINT)
            line->timestamp = (int64_t)f.value;
        else if (f.number == XPLANE_LINE_EVENT) {
            line->has_events = true;
            rc = scan_event(x, p, &frame, &f, err);
        } else
            rc = proto_frame_skip(&frame, &f, err);
        if (rc < 0)
            return -1;
    }
    return rc;
}

/* ps since the base of what a line counts from. */
int xplane_origin(struct xplane_space *x, const struct xplane_line *line, int64_t *origin,
                  struct err *err)
{
    int64_t far = PROFILE_BUILD_PS_MAX / 4000, ns;

    if (!x->based)
        x->base = line->timestamp;
    x->based = true;
    if (__builtin_sub_overflow(line->timestamp, x->base, &ns) || ns > far || ns < -far)
        return err_set(err, ERR_RANGE,
                       "%.160s: a line begins at %" PRId64 " ns and another one at %" PRId64
                       " ns, more than %" PRId64 " s apart",
                       profile_source_name(x->source), line->timestamp, x->base, far / 1000000000);
    *origin = ns * 1000;
    return 0;
}

static int end_runs(struct xplane_space *x, struct xplane_plane *p, struct err *err)
{
    for (uint32_t i = 0; i < x->n_runs; i++) {
        const struct xplane_run *r = &x->run[i];
        struct proto_message name =
            xplane_meta_text(xplane_meta_find(&x->meta, &x->meta.events, r->meta), META_NAME);
        int64_t origin = 0;
        if (xplane_origin(x, &p->line[r->line], &origin, err) != 0)
            return -1;
        uint32_t program = profile_build_module(x->b, name.at ? (const char *)name.at : "",
                                                (size_t)(name.end - name.at));
        profile_build_run(x->b, p->device, program, origin + (int64_t)r->offset, r->length);
    }
    return 0;
}

static void end_ops(struct xplane_space *x, struct xplane_plane *p)
{
    const struct xplane_entries *e = &x->meta.events;

    p->op = memory_zeroed(e->n, sizeof *p->op);
    for (uint32_t i = 0; i < e->n; i++) {
        if (i > 0 && e->entry[i].id == e->entry[i - 1].id)
            continue;
        struct profile_op op =
            xplane_meta_op(&x->meta, xplane_meta_find(&x->meta, e, e->entry[i].id));
        p->op[p->n_ops++] = (struct xplane_op){ e->entry[i].id, profile_build_op(x->b, &op) };
    }
}

/* Number of a chip among those of all hosts; the file leaves out a 0. */
static uint64_t read_chip(struct proto_message core)
{
    struct proto_field f;
    uint64_t chip = 0;

    while (proto_next(&core, &f) > 0)
        if (f.number == CORE_CHIP && f.type == PROTO_VARINT)
            chip = f.value;
    return chip;
}

static void end_device(struct xplane_space *x, struct xplane_plane *p)
{
    struct profile_device *d = &x->b->device[p->device].is;
    struct xplane_value value[XPLANE_STATS];

    xplane_meta_own(&x->meta, value);
    d->peak_flops = value[XPLANE_PEAK_FLOPS].real * 1e12;
    d->peak_hbm_bytes = value[XPLANE_PEAK_HBM].real * 1e9;
    d->megacore = value[XPLANE_MEGACORE].number == 1;
    if (value[XPLANE_CORE].text.at)
        d->chip = 1 + read_chip(value[XPLANE_CORE].text);
    struct proto_message type = value[XPLANE_DEVICE_TYPE].text;
    if (type.at) {
        free(d->type);
        d->type = memory_copy_part((const char *)type.at, (size_t)(type.end - type.at));
    }
}

/* HLO of programs: metadata of the plane /host:metadata, one a program. */
static void end_hlo(struct xplane_space *x)
{
    const struct xplane_entries *e = &x->meta.events;

    for (uint32_t i = 0; i < e->n; i++) {
        struct xplane_value value[XPLANE_STATS];
        struct proto_message event = xplane_meta_find(&x->meta, e, e->entry[i].id);
        struct proto_message name = xplane_meta_text(event, META_NAME), hlo;
        xplane_meta_stats(&x->meta, event, META_STATS, value);
        hlo = value[XPLANE_HLO].text;
        if (!hlo.at || !name.at)
            continue;
        uint32_t program =
            profile_build_module(x->b, (const char *)name.at, (size_t)(name.end - name.at));
        profile_build_hlo(x->b, program, hlo.at, (size_t)(hlo.end - hlo.at));
    }
}

static int end_plane(struct xplane_space *x, struct xplane_plane *p, struct err *err)
{
    int rc = 0;

    xplane_meta_sort(&x->meta);
    if (p->is_metadata)
        end_hlo(x);
    if (p->device != PROFILE_BUILD_NONE) {
        x->has_steps = x->b->n_steps > 0;
        rc = end_runs(x, p, err);
        end_ops(x, p);
        end_device(x, p);
        p->clock_begin = xplane_meta_stat(&x->meta, "device_offset_ps");
        p->clock_length = xplane_meta_stat(&x->meta, "device_duration_ps");
        p->node = p->is_gpu ? xplane_meta_stat(&x->meta, "cuda_graph_node_id") : 0;
    }
    xplane_meta_free(&x->meta);
    x->n_runs = 0;
    return rc;
}

static int scan_plane_name(struct xplane_space *x, struct xplane_plane *p,
                           const struct proto_frame *frame, const struct proto_field *f,
                           struct err *err)
{
    uint64_t at = profile_source_at(x->source);
    struct proto_message m;

    if (p->named)
        return profile_source_damaged(x->source, at, err, "a plane has two names");
    if (proto_frame_hold(frame, f, &m, err) != 0)
        return -1;
    name_plane(x, p, m);
    if (p->device != PROFILE_BUILD_NONE && p->has_lines)
        return profile_source_damaged(x->source, at, err,
                                      "the name of a plane stands behind its lines");
    return 0;
}

static int scan_metadata(struct xplane_space *x, const struct proto_frame *frame,
                         const struct proto_field *f, struct err *err)
{
    uint64_t at = profile_source_at(x->source);
    struct proto_message m;

    if (proto_frame_hold(frame, f, &m, err) != 0)
        return -1;
    if (f->number == PLANE_STATS) {
        xplane_meta_add_own(&x->meta, m);
        return 0;
    }
    struct xplane_entries *to = f->number == PLANE_EVENT_META ? &x->meta.events : &x->meta.stats;
    return xplane_meta_add(&x->meta, to, m) == 0 ? 0 : report_damage(x, at, err);
}

static int scan_field(struct xplane_space *x, struct xplane_plane *p,
                      const struct proto_frame *frame, const struct proto_field *f, struct err *err)
{
    bool wanted = p->device != PROFILE_BUILD_NONE || p->is_metadata;

    switch (f->number) {
    case PLANE_NAME: return scan_plane_name(x, p, frame, f, err);
    case XPLANE_PLANE_LINE:
        p->has_lines = true;
        if (f->type == PROTO_BYTES && p->device != PROFILE_BUILD_NONE)
            return scan_line(x, p, proto_frame_enter(frame, f), err);
        break;
    case PLANE_EVENT_META:
    case PLANE_STAT_META:
    case PLANE_STATS:
        if (wanted)
            return scan_metadata(x, frame, f, err);
        break;
    default: break;
    }
    return proto_frame_skip(frame, f, err);
}

static int scan_plane(struct xplane_space *x, struct proto_frame frame, struct err *err)
{
    struct proto_field f;
    int rc;

    MEMORY_GROW(x->plane, x->n_planes + 1, x->cap_planes);
    struct xplane_plane *p = &x->plane[x->n_planes++];
    *p = (struct xplane_plane){ .device = PROFILE_BUILD_NONE };
    while ((rc = proto_frame_next(&frame, &f, err)) > 0)
        if (scan_field(x, p, &frame, &f, err) != 0)
            return -1;
    return rc < 0 ? -1 : end_plane(x, p, err);
}

static int scan_host(struct xplane_space *x, const struct proto_frame *frame,
                     const struct proto_field *f, struct err *err)
{
    struct proto_message m;

    if (proto_frame_hold(frame, f, &m, err) != 0)
        return -1;
    for (uint32_t i = x->first_device; i < x->b->n_devices; i++) {
        struct profile_device *d = &x->b->device[i].is;
        free(d->host);
        d->host =
            m.at ? memory_copy_part((const char *)m.at, (size_t)(m.end - m.at)) : memory_copy("");
    }
    return 0;
}

int xplane_scan(struct xplane_space *x, struct err *err)
{
    struct proto_frame frame = { x->source, UINT64_MAX };
    struct proto_field f;
    int rc;

    while ((rc = proto_frame_next(&frame, &f, err)) > 0) {
        if (f.number == XPLANE_SPACE_PLANE && f.type == PROTO_BYTES)
            rc = scan_plane(x, proto_frame_enter(&frame, &f), err);
        else if (f.number == SPACE_HOST)
            rc = scan_host(x, &frame, &f, err);
        else
            rc = proto_frame_skip(&frame, &f, err);
        if (rc < 0)
            return -1;
    }
    return rc;
}
