#include "report/timeline/lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/timeline/series.h"

#define BINS 4096
#define SPANS_MAX 16384
#define FULL 1000

struct lane_line { /* a series and its bins */
    struct series series;
    uint64_t *sum; /* [2 * BINS] */
    uint64_t n;
    des_time last_width;
};

struct probe {
    struct lanes *l;
    const struct des_probe_row *row;
    uint32_t id, module;
    char *name;
    struct lane_line *line; /* one, or one a state */
    uint32_t n_lines;
    bool device, spans; /* device: its module names tracks */
    uint64_t peak;      /* 0: unknown */
};

struct span {
    des_time begin, length;
    uint64_t text;
};

struct lanes {
    const char *const *glob;
    size_t n_globs;
    struct probe *probe;
    uint32_t n_probes;
    struct span *span;
    uint32_t n_spans;
    des_time shortest; /* spans below this were left out, to have room */
    uint64_t text;     /* of the span that is open */
    des_time since, zero, end, width;
    const char **names; /* of texts, copied */
    uint32_t n_names;
    bool measured, over;
};

/* --- probes ------------------------------------------------------------------------------- */

static void see_value(struct des *sim, void *self, uint32_t tag, uint64_t value);
static void see_ramp(struct des *sim, void *self, uint32_t tag, uint64_t amount);

static void add_probe(struct des *sim, void *self, struct des_object x, bool text)
{
    struct lanes *l = self;
    char name[256];

    if (x.kind != DES_PROBE || text)
        return;
    const struct des_probe_row *row = des_probe_row(sim, (struct des_probe){ x.id });
    bool state = row->kind == DES_PROBE_STATE && strcmp(row->name, "state") == 0;
    bool spans = row->kind == DES_PROBE_TEXT && strcmp(row->name, "op") == 0;
    bool rate = row->kind == DES_PROBE_TOTAL && row->unit && strcmp(row->unit, "B") == 0;
    bool level = row->kind == DES_PROBE_LEVEL && row->unit && strcmp(row->unit, "B") == 0;
    if (row->fine || !(state || spans || rate || level))
        return;
    MEMORY_ADD(l->probe, l->n_probes);
    struct probe *p = &l->probe[l->n_probes];
    *p = (struct probe){
        .l = l, .row = row, .id = x.id, .module = des_module_of(sim, x).id, .spans = spans
    };
    des_path(sim, state ? DES_OBJECT(des_module_of(sim, x)) : x, name, sizeof name);
    p->name = memory_copy(name);
    /* operations come before the states of their core */
    for (uint32_t i = 0; i < l->n_probes; i++)
        p->device |= state && l->probe[i].spans && l->probe[i].module == p->module;
    if (row->ramps)
        des_watch_ramps(sim, (struct des_probe){ x.id }, see_ramp, l, l->n_probes++);
    else
        des_watch_object(sim, x, see_value, l, l->n_probes++);
}

static int attach_lanes(void *self, struct des *sim, struct err *err)
{
    struct lanes *l = self;
    struct timeline_choice c = { .glob = l->glob, .n_globs = l->n_globs, .lenient = true };

    return timeline_each(&c, sim, add_probe, l, err);
}

/* --- changes of values -------------------------------------------------------------------- */

static void keep_bin(void *self, uint64_t bin, uint64_t sum, des_time width)
{
    struct lane_line *line = self;

    if (bin >= 2 * BINS)
        return;
    line->sum[bin] = sum;
    line->n = bin + 1;
    line->last_width = width;
}

/* Short spans make room for others. */
static void thin_out(struct lanes *l)
{
    uint32_t n = 0;

    l->shortest = l->shortest ? 2 * l->shortest : l->width / 16 + 1;
    for (uint32_t i = 0; i < l->n_spans; i++)
        if (l->span[i].length >= l->shortest)
            l->span[n++] = l->span[i];
    l->n_spans = n;
}

static void end_span(struct lanes *l, des_time now)
{
    des_time length = now - l->since;

    if (!l->text || length == 0 || length < l->shortest)
        return;
    while (l->n_spans == SPANS_MAX)
        thin_out(l);
    l->span[l->n_spans++] = (struct span){ l->since - l->zero, length, l->text };
}

static enum series_kind kind_of_series(const struct probe *p)
{
    switch (p->row->kind) {
    case DES_PROBE_TOTAL: return SERIES_TOTAL;
    case DES_PROBE_LEVEL: return SERIES_LEVEL;
    default: return SERIES_BUSY;
    }
}

static void change_value(struct probe *p, des_time now, uint64_t value)
{
    struct lanes *l = p->l;

    if (p->spans) {
        end_span(l, now);
        l->text = value;
        l->since = now;
    } else if (p->device) {
        for (uint32_t i = 0; i < p->n_lines; i++)
            if ((p->line[i].series.value != 0) != (i == value))
                series_change(&p->line[i].series, now, i == value);
    } else {
        series_change(&p->line->series, now, value);
    }
}

static void see_value(struct des *sim, void *self, uint32_t tag, uint64_t value)
{
    struct lanes *l = self;

    if (l->measured && !l->over)
        change_value(&l->probe[tag], des_now(sim), value);
}

static void see_ramp(struct des *sim, void *self, uint32_t tag, uint64_t amount)
{
    struct lanes *l = self;
    struct probe *p = &l->probe[tag];
    struct des_ramp ramp = des_probe_ramp(sim, (struct des_probe){ p->id });

    (void)amount;
    if (l->measured && !l->over)
        series_ramp(&p->line->series, &ramp);
}

static void copy_names(struct lanes *l, struct des *sim)
{
    l->n_names = des_texts_count(sim);
    l->names = memory_zeroed((size_t)l->n_names + 1, sizeof *l->names);
    for (uint32_t i = 0; i < l->n_names; i++) {
        l->names[i] = memory_copy(des_text(sim, i));
    }
}

static int begin_lanes(void *self, struct des *sim, uint64_t step_fs, uint64_t steps,
                       struct err *err)
{
    struct lanes *l = self;
    des_time step = step_fs / BINS + 1;

    (void)err;
    l->zero = l->since = des_now(sim);
    l->width = step > DES_NEVER / 4 / BINS / steps ? DES_NEVER / 4 / BINS : step * steps;
    l->measured = true;
    copy_names(l, sim);
    l->span = memory_zeroed(SPANS_MAX, sizeof *l->span);
    for (uint32_t i = 0; i < l->n_probes; i++) {
        struct probe *p = &l->probe[i];
        uint64_t value = des_watched_value(sim, (struct des_object){ DES_PROBE, p->id });
        struct des_ramp ramp = des_probe_ramp(sim, (struct des_probe){ p->id });
        p->peak = des_probe_peak(sim, (struct des_probe){ p->id });
        p->n_lines = p->spans ? 0 : p->device ? p->row->n_names : 1;
        p->line = memory_zeroed((size_t)p->n_lines + 1, sizeof *p->line);
        for (uint32_t k = 0; k < p->n_lines; k++) {
            p->line[k].sum = memory_zeroed((size_t)2 * BINS, sizeof *p->line[k].sum);
            series_begin(&p->line[k].series, kind_of_series(p), l->zero, l->width,
                         p->device ? k == value : value, keep_bin, &p->line[k]);
            series_ramp(&p->line[k].series, &ramp);
        }
    }
    return 0;
}

static void end_lanes(void *self, struct des *sim)
{
    struct lanes *l = self;

    l->over = true;
    if (!l->measured)
        return;
    l->end = des_now(sim);
    end_span(l, l->end);
    for (uint32_t i = 0; i < l->n_probes; i++)
        for (uint32_t k = 0; k < l->probe[i].n_lines; k++)
            series_end(&l->probe[i].line[k].series, l->end);
}

/* --- JSON --------------------------------------------------------------------------------- */

static uint64_t find_most(const struct lane_line *line, des_time width, enum series_kind kind)
{
    uint64_t m = 0;

    if (kind == SERIES_BUSY)
        return width;
    for (uint64_t i = 0; i < line->n; i++)
        m = line->sum[i] > m ? line->sum[i] : m;
    return m;
}

/* Each bin in thousandths of the largest, or of its width. */
static void write_bins(struct json_write *w, const struct lane_line *line, des_time width,
                       enum series_kind kind)
{
    uint64_t m = find_most(line, width, kind);

    json_write_array(w, "values", JSON_LAYOUT_COMPACT);
    for (uint64_t i = 0; i < line->n; i++) {
        /* the run may end within the last bin */
        uint64_t all = kind == SERIES_BUSY && i + 1 == line->n ? line->last_width : m;
        double share = all ? (double)line->sum[i] / (double)all : 0;
        json_write_integer(w, NULL, (uint64_t)(share * FULL + 0.5));
    }
    json_write_close(w);
}

static uint64_t add_bins(const struct lane_line *line)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < line->n; i++)
        sum += line->sum[i];
    return sum;
}

static void write_lane(struct json_write *w, const struct lanes *l, const struct probe *p)
{
    static const char *const kinds[] = {
        [SERIES_BUSY] = "share", [SERIES_TOTAL] = "rate", [SERIES_LEVEL] = "level"
    };
    static const char *const units[] = {
        [SERIES_BUSY] = "", [SERIES_TOTAL] = "B/s", [SERIES_LEVEL] = "B"
    };
    enum series_kind k = kind_of_series(p);
    double unit = k == SERIES_TOTAL ? (double)DES_FS_PER_S / (double)l->width : 1;
    double most = k == SERIES_BUSY ? 1 : (double)find_most(p->line, l->width, k) * unit;

    json_write_below(w);
    json_write_object(w, NULL, JSON_LAYOUT_COMPACT);
    json_write_string(w, "name", p->name);
    json_write_string(w, "kind", kinds[k]);
    json_write_string(w, "unit", units[k]);
    plain_print(json_write_value(w, "most"), "%.9g", most);
    if (k != SERIES_BUSY && p->peak)
        json_write_integer(w, "peak", p->peak);
    if (k == SERIES_TOTAL)
        json_write_integer(w, "total", add_bins(p->line));
    write_bins(w, p->line, l->width, k);
    json_write_close(w);
}

static bool is_empty(const struct lane_line *line)
{
    uint64_t all = 0;

    for (uint64_t b = 0; b < line->n; b++)
        all |= line->sum[b];
    return all == 0;
}

/* States that the core was in at least once. */
static void write_states(struct json_write *w, const struct lanes *l)
{
    for (uint32_t i = 0; i < l->n_probes; i++) {
        const struct probe *p = &l->probe[i];
        for (uint32_t k = 0; p->device && k < p->n_lines; k++) {
            if (is_empty(&p->line[k]))
                continue;
            json_write_below(w);
            json_write_object(w, NULL, JSON_LAYOUT_COMPACT);
            json_write_string(w, "name", p->row->names[k]);
            write_bins(w, &p->line[k], l->width, SERIES_BUSY);
            json_write_close(w);
        }
    }
}

static void write_microseconds(struct json_write *w, des_time t)
{
    fprintf(json_write_value(w, NULL), "%" PRIu64 ".%03u", t / FS_PER_US,
            (unsigned)(t % FS_PER_US / FS_PER_NS));
}

static void write_spans(struct json_write *w, const struct lanes *l)
{
    for (uint32_t i = 0; i < l->n_spans; i++) {
        json_write_array(w, NULL, JSON_LAYOUT_COMPACT);
        write_microseconds(w, l->span[i].begin);
        write_microseconds(w, l->span[i].length);
        json_write_integer(w, NULL, l->span[i].text);
        json_write_close(w);
    }
}

/* Open an array on a line of its own. */
static void open_array(struct json_write *w, const char *key)
{
    json_write_below(w);
    json_write_array(w, key, JSON_LAYOUT_COMPACT);
}

void lanes_json(const struct lanes *l, FILE *out)
{
    const double s = (double)DES_FS_PER_S;
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_COMPACT);
    plain_print(json_write_value(&w, "bin_seconds"), "%.12g", (double)l->width / s);
    plain_print(json_write_value(&w, "seconds"), "%.12g", (double)(l->end - l->zero) / s);
    open_array(&w, "lanes");
    for (uint32_t i = 0; i < l->n_probes; i++)
        if (!l->probe[i].spans && !l->probe[i].device)
            write_lane(&w, l, &l->probe[i]);
    json_write_close(&w);
    open_array(&w, "states");
    write_states(&w, l);
    json_write_close(&w);
    open_array(&w, "names");
    for (uint32_t i = 0; i < l->n_names; i++)
        json_write_string(&w, NULL, l->names[i]);
    json_write_close(&w);
    open_array(&w, "spans");
    write_spans(&w, l);
    json_write_close(&w);
    json_write_close(&w);
}

struct lanes *lanes_new(const char *const *globs, size_t n)
{
    struct lanes *l = memory_zeroed(1, sizeof *l);

    l->glob = globs;
    l->n_globs = n;
    return l;
}

/* The first core, its chip and its host: the others do the same. */
static const char *const pictured[] = { "chip0.core0.*", "chip0.[!c]*", "chip0.cmem*",
                                        "chip0->*",      "GPU0.*",      "GPU0->*",
                                        "node0.*",       "host0.*",     "storage*" };

struct lanes *lanes_new_page(void)
{
    return lanes_new(pictured, sizeof pictured / sizeof *pictured);
}

struct run_observer lanes_observer(struct lanes *l)
{
    return (struct run_observer){ l, attach_lanes, begin_lanes, end_lanes, .one_chip = true };
}

void lanes_free(struct lanes *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->n_probes; i++) {
        for (uint32_t k = 0; k < l->probe[i].n_lines; k++)
            free(l->probe[i].line[k].sum);
        free(l->probe[i].line);
        free(l->probe[i].name);
    }
    for (uint32_t i = 0; i < l->n_names; i++)
        free((char *)(uintptr_t)l->names[i]);
    free(l->names);
    free(l->probe);
    free(l->span);
    free(l);
}
