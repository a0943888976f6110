#include "report/timeline/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/units.h"
#include "report/timeline/perfetto_packet.h"
#include "report/timeline/series.h"

#define BINS_PER_STEP 2048
#define LEAST_BIN FS_PER_US
#define FLOWS_AT_ONCE 16

struct track {
    struct perfetto *p;
    const struct des_probe_row *row;
    uint32_t module, probe;
    uint64_t uuid, curve; /* curve: of a rate or a share, 0: none */
    uint64_t iid;         /* of its name 0 */
    uint64_t shown, next; /* the value in the file, and the last one of this time */
    uint64_t flow[FLOWS_AT_ONCE];
    uint32_t n_flows, target; /* of a flow: the track through which it goes, + 1 */
    bool pending, moved;      /* something happened at this time; the value was set */
    bool open;                /* the curve is drawn */
    struct des_ramp ramp;     /* of a total with ramps: the last one */
    struct series series;
    double drawn; /* last value of the curve */
};

struct group {
    char *name;
    uint64_t uuid;
};

struct perfetto {
    const struct perfetto_request *q;
    struct sink *sink;
    struct packets out;
    struct track *track;
    uint32_t n_tracks, cap_tracks;
    struct group *group;
    uint32_t n_groups, n_devices;
    uint32_t *changed, n_changed; /* tracks with something pending */
    bool *named;                  /* [text] */
    const char *const **names;    /* lists of names that have iids */
    uint32_t n_names;
    uint64_t last_uuid, last_sequence;
    des_time zero, from, to, when, end, width; /* width: of a bin of curves */
    bool measured, recording, over, ended;     /* ended: so has measuring */
};

static bool is_slice(const struct track *t)
{
    return t->row->kind == DES_PROBE_STATE || t->row->kind == DES_PROBE_TEXT ||
           t->row->kind == DES_PROBE_SPAN;
}

/* --- names of tracks ----------------------------------------------------------------------- */

/* The kind of a device, as profilers write it, from the name of its module: "GPU0.gpu". */
static const char *kind_of(const char *path)
{
    static const char *const kinds[][2] = { { "gpu", "GPU" }, { "cpu", "CPU" } };
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(dot ? dot + 1 : path, kinds[i][0], 3) == 0)
            return kinds[i][1];
    return "TPU";
}

/* The group of a module: its parent, a device if a row of the module names its track. */
static uint64_t group_of(struct perfetto *p, struct des *sim, const struct track *t)
{
    struct des_module parent = { 0 };
    char name[300];

    if (t->module)
        parent = des_module_parent(sim, (struct des_module){ t->module });
    const char *path = parent.id ? des_module_path(sim, parent) : "machine";

    for (uint32_t i = p->n_groups; i-- > 0;) /* the last one as a rule */
        if (strcmp(p->group[i].name, path) == 0)
            return p->group[i].uuid;
    MEMORY_ADD(p->group, p->n_groups);
    struct group *g = &p->group[p->n_groups++];
    *g = (struct group){ memory_copy(path), ++p->last_uuid };
    if (t->row->track)
        snprintf(name, sizeof name, "/device:%s:%" PRIu32 " %s", kind_of(path), p->n_devices++,
                 path);
    else
        snprintf(name, sizeof name, "%s", path);
    perfetto_packet_process(&p->out, g->uuid, name);
    return g->uuid;
}

/* Intern the names of the states of a row, unless its list was interned before.  Returns the iid of
 * the name of state 0.  Other texts are interned when they first occur. */
static uint64_t intern_names(struct perfetto *p, const struct des_probe_row *row)
{
    uint64_t base;

    for (uint32_t i = 0; i < p->n_names; i++)
        if (p->names[i] == row->names)
            return (uint64_t)(i + 1) << 32;
    MEMORY_ADD(p->names, p->n_names);
    p->names[p->n_names++] = row->names;
    base = (uint64_t)p->n_names << 32;
    for (uint32_t i = 1; i < row->n_names; i++)
        perfetto_packet_name(&p->out, base + i, row->names[i]);
    return base;
}

/* True if the share of time in a state is drawn as a counter: for probes with names of states,
 * except on devices, whose slices show them. */
static bool has_share(const struct perfetto *p, uint32_t at)
{
    const struct track *t = &p->track[at];

    if (t->row->kind != DES_PROBE_STATE || strcmp(t->row->name, "state") != 0)
        return false;
    return at == 0 || p->track[at - 1].module != t->module || !p->track[at - 1].row->track;
}

static const char *local_name(struct des *sim, const struct track *t)
{
    const char *path = des_module_path(sim, (struct des_module){ t->module });
    const char *dot = strrchr(path, '.');

    return dot ? dot + 1 : path;
}

/* " (peak 900 GB/s)", " (of 16.8 MB)", or nothing where nobody knows. */
static void format_peak(char *buf, size_t size, const struct des_probe_row *row, uint64_t peak)
{
    bool rate = row->kind == DES_PROBE_TOTAL;
    char most[40], unit[24];
    EXACT_Q(q);

    buf[0] = '\0';
    if (!peak)
        return;
    snprintf(unit, sizeof unit, "%s%s", row->unit ? row->unit : "", rate ? "/s" : "");
    exact_ratio(q, peak, 1);
    quantity_format(most, sizeof most, q, unit, 4);
    snprintf(buf, size, " (%s %s)", rate ? "peak" : "of", most);
}

/* Write the descriptors of track `at`: its group, if it is the first of it, its names and its
 * curve. */
static void describe_track(struct perfetto *p, struct des *sim, uint32_t at)
{
    struct track *t = &p->track[at];
    const struct des_probe_row *row = t->row;
    const char *module = local_name(sim, t), *unit = row->unit ? row->unit : "";
    char name[400], rate[40], peak[80];
    bool state = strcmp(row->name, "state") == 0;

    if (row->kind == DES_PROBE_FLOW || row->detail)
        return;
    uint64_t group = group_of(p, sim, t);
    t->uuid = ++p->last_uuid;
    format_peak(peak, sizeof peak, row, des_probe_peak(sim, (struct des_probe){ t->probe }));
    snprintf(name, sizeof name, "%s%s%s%s", module, state ? "" : " ", state ? "" : row->name, peak);
    snprintf(rate, sizeof rate, "%s/s", unit);
    if (row->kind == DES_PROBE_TOTAL)
        perfetto_packet_track(&p->out, t->curve = t->uuid, group, at, name, rate);
    else
        perfetto_packet_track(&p->out, t->uuid, group, at, row->track ? row->track : name,
                              is_slice(t) ? NULL : unit);
    if (row->kind == DES_PROBE_STATE)
        t->iid = intern_names(p, row);
    if (!has_share(p, at))
        return;
    snprintf(name, sizeof name, "%s busy", module);
    perfetto_packet_track(&p->out, t->curve = ++p->last_uuid, group, at, name, "%");
}

static uint64_t to_ns(const struct perfetto *p, des_time t)
{
    return (t - p->zero) / FS_PER_NS;
}

/* --- tracks ------------------------------------------------------------------------------- */

static void see_value(struct des *sim, void *self, uint32_t tag, uint64_t value);
static void see_ramp(struct des *sim, void *self, uint32_t tag, uint64_t amount);

static void add_track(struct des *sim, void *self, struct des_object x, bool text)
{
    struct perfetto *p = self;

    (void)text; /* a slice has no number besides */
    if (x.kind != DES_PROBE)
        return;
    const struct des_probe_row *row = des_probe_row(sim, (struct des_probe){ x.id });
    if (row->fine || (row->kind == DES_PROBE_NUMBER && !row->detail))
        return;
    MEMORY_GROW(p->track, p->n_tracks + 1, p->cap_tracks);
    p->track[p->n_tracks] =
        (struct track){ .p = p, .row = row, .module = des_module_of(sim, x).id, .probe = x.id };
    if (row->ramps)
        des_watch_ramps(sim, (struct des_probe){ x.id }, see_ramp, p, p->n_tracks++);
    else
        des_watch_object(sim, x, see_value, p, p->n_tracks++);
}

/* 1 + the index of the track of the probe `name` of `module`; 0: there is none. */
static uint32_t find_track(const struct perfetto *p, uint32_t module, const char *name)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (p->track[i].module == module && strcmp(p->track[i].row->name, name) == 0)
            return i + 1;
    return 0;
}

/* Flows go through a track of their module, which was made just before or after them. */
static void aim_flows(struct perfetto *p)
{
    enum { NEAR = 64 };

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        struct track *t = &p->track[i];
        if (t->row->kind != DES_PROBE_FLOW || !t->row->track)
            continue;
        uint32_t first = i < NEAR ? 0 : i - NEAR;
        for (uint32_t k = first; k < p->n_tracks && k < i + NEAR && !t->target; k++)
            if (p->track[k].module == t->module &&
                strcmp(p->track[k].row->name, t->row->track) == 0)
                t->target = k + 1;
        if (!t->target)
            t->target = find_track(p, t->module, t->row->track);
    }
}

static int attach_tracks(void *self, struct des *sim, struct err *err)
{
    struct perfetto *p = self;

    if (timeline_each(&p->q->choice, sim, add_track, p, err) != 0)
        return -1;
    aim_flows(p);
    p->changed = memory_zeroed((size_t)p->n_tracks + 1, sizeof *p->changed);
    return 0;
}

/* --- changes of values -------------------------------------------------------------------- */

/* The number that says more of a text: the row after it, if that is recorded. */
static const struct track *detail_of(const struct perfetto *p, const struct track *t)
{
    const struct track *next = t + 1;

    return next < p->track + p->n_tracks && next->row == t->row + 1 && next->row->detail ? next
                                                                                         : NULL;
}

static void begin_slice(struct perfetto *p, struct des *sim, struct track *t, des_time now)
{
    const struct track *d = detail_of(p, t);
    uint64_t value = t->next;
    char number[24];
    struct packet_slice s = { .track = t->uuid, .flow = t->flow, .n_flow = t->n_flows };

    switch (t->row->kind) {
    case DES_PROBE_STATE: s.iid = t->iid + value; break;
    case DES_PROBE_TEXT:
        if (!p->named[value])
            perfetto_packet_name(&p->out, value, des_text(sim, value));
        p->named[value] = true;
        s.iid = value;
        s.detail = d ? strrchr(d->row->name, '_') + 1 : NULL; /* "read0_bytes": bytes */
        s.number = d ? d->next : 0;
        break;
    default:
        snprintf(number, sizeof number, "%" PRIu64, value);
        s.name = number;
        break;
    }
    perfetto_packet_slice(&p->out, to_ns(p, now), &s);
}

static int by_id(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

/* Write the flows through the slice that is open. */
static void pass_flows(struct perfetto *p, const struct track *t, des_time now)
{
    for (uint32_t i = 0; i < t->n_flows; i++)
        perfetto_packet_instant(&p->out, to_ns(p, now), t->uuid, "flow", t->flow[i]);
}

/* Write the changes of one track at one time.  A flow goes to the slice that begins then, if any.
 */
static void flush_track(struct perfetto *p, struct des *sim, struct track *t, des_time now)
{
    if (t->n_flows > 1)
        qsort(t->flow, t->n_flows, sizeof *t->flow, by_id);
    if (t->moved && is_slice(t)) {
        if (t->shown && !t->next)
            pass_flows(p, t, now);
        if (t->shown)
            perfetto_packet_slice_end(&p->out, to_ns(p, now), t->uuid);
        if (t->next)
            begin_slice(p, sim, t, now);
    } else if (t->moved && t->row->kind == DES_PROBE_LEVEL && t->next != t->shown) {
        perfetto_packet_count(&p->out, to_ns(p, now), t->uuid, t->next);
    } else if (t->shown) {
        pass_flows(p, t, now);
    }
    t->shown = t->next;
    t->n_flows = 0;
    t->pending = t->moved = false;
}

static int by_number(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

/* Write the changes of one time in the order of tracks; the order in which they arrived depends on
 * shortcuts that the run took. */
static void flush_changed(struct perfetto *p, struct des *sim)
{
    if (p->n_changed > 1)
        qsort(p->changed, p->n_changed, sizeof *p->changed, by_number);
    for (uint32_t i = 0; i < p->n_changed; i++)
        flush_track(p, sim, &p->track[p->changed[i]], p->when);
    p->n_changed = 0;
    if (p->out.error)
        p->over = true;
}

static void draw_bin(void *self, uint64_t bin, uint64_t sum, des_time width)
{
    struct track *t = self;
    struct perfetto *p = t->p;
    bool share = t->row->kind == DES_PROBE_STATE;
    double value = (double)sum / (double)width * (share ? 100 : (double)DES_FS_PER_S);

    if (bin && value == t->drawn)
        return;
    t->drawn = value;
    perfetto_packet_level(&p->out, to_ns(p, t->series.zero + bin * t->series.width), t->curve,
                          value);
}

static void mark_changed(struct perfetto *p, uint32_t at)
{
    if (p->track[at].pending)
        return;
    p->track[at].pending = true;
    p->changed[p->n_changed++] = at;
}

/* The window begins: slices that are open begin with it. */
static void open_window(struct perfetto *p, struct des *sim)
{
    p->recording = true;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        struct track *t = &p->track[i];
        t->shown = 0;
        if (is_slice(t) && t->next)
            begin_slice(p, sim, t, p->from);
        else if (t->row->kind == DES_PROBE_LEVEL)
            perfetto_packet_count(&p->out, to_ns(p, p->from), t->uuid, t->next);
        t->shown = t->next;
        if (!t->curve)
            continue;
        series_begin(&t->series, t->row->kind == DES_PROBE_TOTAL ? SERIES_TOTAL : SERIES_BUSY,
                     p->from, p->width, t->next, draw_bin, t);
        series_ramp(&t->series, &t->ramp);
        t->open = true;
    }
}

static void end_curve(struct track *t, des_time end)
{
    struct perfetto *p = t->p;

    series_end(&t->series, end);
    perfetto_packet_level(&p->out, to_ns(p, end), t->curve, 0);
    t->open = false;
}

/* Slices that are open end with the window, and curves too, but for those of ramps: what moved in
 * the window may be told after its end. */
static void close_window(struct perfetto *p, struct des *sim, des_time now)
{
    flush_changed(p, sim);
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        struct track *t = &p->track[i];
        if (is_slice(t) && t->shown)
            perfetto_packet_slice_end(&p->out, to_ns(p, now), t->uuid);
        if (t->open && (p->ended || !t->row->ramps || t->ramp.to >= now))
            end_curve(t, now);
    }
    p->recording = false;
    p->over = true;
}

static void advance_time(struct perfetto *p, struct des *sim, des_time now)
{
    if (p->recording && now > p->to)
        close_window(p, sim, p->to);
    else if (p->recording)
        flush_changed(p, sim);
    p->when = now;
    if (!p->recording && !p->over && p->measured && now >= p->from)
        open_window(p, sim);
    if (p->recording && now > p->to)
        close_window(p, sim, p->to); /* nothing happened in it */
}

static void see_value(struct des *sim, void *self, uint32_t tag, uint64_t value)
{
    struct perfetto *p = self;
    struct track *t = &p->track[tag];

    if (p->over)
        return;
    if (p->when != des_now(sim))
        advance_time(p, sim, des_now(sim));
    if (t->row->kind == DES_PROBE_FLOW) {
        struct track *to = t->target ? &p->track[t->target - 1] : NULL;
        if (p->recording && to && value && to->n_flows < FLOWS_AT_ONCE) {
            to->flow[to->n_flows++] = value;
            mark_changed(p, t->target - 1);
        }
        return;
    }
    t->next = value;
    if (!p->recording)
        return;
    if (t->curve)
        series_change(&t->series, des_now(sim), value);
    t->moved = true;
    mark_changed(p, tag);
}

static void see_ramp(struct des *sim, void *self, uint32_t tag, uint64_t amount)
{
    struct perfetto *p = self;
    struct track *t = &p->track[tag];

    (void)amount;
    if (!p->over && p->when != des_now(sim))
        advance_time(p, sim, des_now(sim));
    t->ramp = des_probe_ramp(sim, (struct des_probe){ t->probe });
    if (t->open && t->ramp.from >= p->to)
        end_curve(t, p->to);
    else if (t->open)
        series_ramp(&t->series, &t->ramp);
}

/* --- the run ------------------------------------------------------------------------------ */

static des_time add_times(des_time a, des_time b)
{
    return a > DES_NEVER - b ? DES_NEVER : a + b;
}

static int begin_measuring(void *self, struct des *sim, uint64_t step_fs, uint64_t steps,
                           struct err *err)
{
    struct perfetto *p = self;
    des_time width = step_fs / BINS_PER_STEP;

    (void)steps;
    (void)err;
    p->zero = p->when = des_now(sim);
    p->from = add_times(p->zero, p->q->choice.from);
    p->to = add_times(p->zero, p->q->choice.to);
    p->measured = true;
    /* whole nanoseconds, so that the begins of bins are exact in the file */
    p->width = width > LEAST_BIN ? width / FS_PER_NS * FS_PER_NS : LEAST_BIN;
    p->named = memory_zeroed((size_t)des_texts_count(sim) + 1, sizeof *p->named);
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        struct track *t = &p->track[i];
        describe_track(p, sim, i);
        t->next = des_watched_value(sim, (struct des_object){ DES_PROBE, t->probe });
        t->ramp = des_probe_ramp(sim, (struct des_probe){ t->probe });
    }
    if (p->from == p->zero)
        open_window(p, sim);
    return 0;
}

static void end_measuring(void *self, struct des *sim)
{
    struct perfetto *p = self;

    des_time to = des_now(sim) < p->to ? des_now(sim) : p->to;

    p->end = des_now(sim);
    p->ended = true;
    if (p->recording && !p->over)
        close_window(p, sim, to);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (p->track[i].open)
            end_curve(&p->track[i], to);
    p->over = true;
}

struct perfetto *perfetto_new(const struct perfetto_request *q, FILE *out)
{
    struct perfetto *p = memory_zeroed(1, sizeof *p);

    p->q = q;
    p->sink = sink_new(out, q->compress, q->limit);
    p->out.sink = p->sink;
    return p;
}

struct run_observer perfetto_observer(struct perfetto *p)
{
    return (struct run_observer){ p, attach_tracks, begin_measuring, end_measuring,
                                  .one_chip = false };
}

void perfetto_add_spans(struct perfetto *p, const char *group, const char *track,
                        const struct perfetto_span *span, size_t n)
{
    uint64_t process = ++p->last_uuid, uuid = ++p->last_uuid;
    struct packets out = { .sink = p->sink, .sequence = ++p->last_sequence };

    perfetto_packet_process(&out, process, group);
    perfetto_packet_track(&out, uuid, process, 0, track, NULL);
    for (size_t i = 0; i < n; i++) {
        const struct packet_slice s = { .track = uuid, .name = span[i].name };
        perfetto_packet_slice(&out, span[i].begin, &s);
        perfetto_packet_slice_end(&out, span[i].end, uuid);
    }
    if (!p->out.error)
        p->out.error = out.error;
    proto_free(&out.proto);
}

int perfetto_check(struct perfetto *p, struct err *err)
{
    if (sink_full(p->sink))
        return err_set(err, ERR_RANGE,
                       "%s: larger than the limit of %" PRIu64 " bytes after %" PRIu64
                       " ns: look at less by --trace, --from and --to, or raise --limit",
                       p->q->path, p->q->limit, to_ns(p, p->when));
    if (p->out.error)
        return err_set(err, ERR_IO, "%s: cannot write: %s", p->q->path, strerror(p->out.error));
    if (p->measured && p->end < p->from)
        return err_set(err, ERR_RANGE, "%s: the run ends before the window begins", p->q->path);
    return 0;
}

void perfetto_free(struct perfetto *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_groups; i++)
        free(p->group[i].name);
    free(p->group);
    free(p->track);
    free(p->changed);
    free(p->named);
    free(p->names);
    proto_free(&p->out.proto);
    sink_free(p->sink);
    free(p);
}
