#include "report/timeline/wave.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/quantity.h"
#include "des/vcd.h"
#include "report/timeline/sink.h"

struct wave {
    const struct wave_request *q;
    struct sink *sink;
    struct des_vcd *vcd;
    struct des *sim; /* while it runs */
    des_time zero, reached, end;
    bool measured;
};

struct wave *wave_new(const struct wave_request *q, FILE *out)
{
    struct wave *w = memory_zeroed(1, sizeof *w);

    *w = (struct wave){ .q = q, .sink = sink_new(out, q->compress, q->limit) };
    return w;
}

static int write_dump(void *self, const char *bytes, size_t n)
{
    struct wave *w = self;
    int rc = sink_write(w->sink, bytes, n);

    if (rc != 0 && w->sim)
        des_walk(w->sim, 0, 0); /* nobody looks any more */
    return rc;
}

static void add_object(struct des *sim, void *self, struct des_object x, bool text)
{
    if (x.kind == DES_PROBE &&
        des_probe_row(sim, (struct des_probe){ x.id })->kind == DES_PROBE_FLOW)
        return; /* joins spans, and is no state of anything */
    if (text)
        des_vcd_add_text(self, (struct des_probe){ x.id });
    else
        des_vcd_add_object(self, x, 64);
}

static int attach_dump(void *self, struct des *sim, struct err *err)
{
    struct wave *w = self;

    w->vcd = des_vcd_new(sim, &(struct des_vcd_sink){ write_dump, w });
    w->sim = sim;
    des_vcd_later(w->vcd);
    return timeline_each(&w->q->choice, sim, add_object, w->vcd, err);
}

static des_time add_times(des_time a, des_time b)
{
    return a > DES_NEVER - b ? DES_NEVER : a + b;
}

/* "12.3 GB" and "1.5 ms", for messages. */
static const char *format_bytes(char *buf, size_t size, uint64_t bytes)
{
    EXACT_Q(q);
    exact_ratio(q, bytes, 1);
    quantity_format(buf, size, q, "B", 3);
    return buf;
}

static const char *format_time(char *buf, size_t size, des_time t)
{
    EXACT_Q(q);
    exact_ratio(q, t, DES_FS_PER_S);
    quantity_format(buf, size, q, "s", 6);
    return buf;
}

static int too_large(const struct wave *w, uint64_t bytes, const char *what, struct err *err)
{
    char all[32], limit[32];

    return err_set(err, ERR_RANGE,
                   "%s: %s about %s, more than the limit of %s: look at less by --trace, --from "
                   "and --to, or raise --limit",
                   w->q->path, what, format_bytes(all, sizeof all, bytes),
                   format_bytes(limit, sizeof limit, w->q->limit));
}

static int begin_dump(void *self, struct des *sim, uint64_t step_fs, uint64_t steps,
                      struct err *err)
{
    struct wave *w = self;
    des_time now = des_now(sim), from = w->q->choice.from, to = w->q->choice.to;
    des_time whole = step_fs > DES_NEVER / steps ? DES_NEVER : step_fs * steps;

    w->zero = now;
    w->measured = true;
    if (from < whole) {
        uint64_t bytes = des_vcd_clock_bytes(w->vcd, (to < whole ? to : whole) - from);
        if (bytes > w->q->limit)
            return too_large(w, bytes, "the clocks alone would take", err);
    }
    des_walk(sim, add_times(now, from), add_times(now, to));
    des_vcd_window(w->vcd, now, add_times(now, from), add_times(now, to));
    return 0;
}

/* --- the view ----------------------------------------------------------------------------- */

struct view {
    FILE *out;
    struct des *sim;
    const struct wave_request *q;
    const char *scope;
};

#define SCREEN 1000 /* pixels of waves beside the names */
#define FRAME 200   /* pixels to which GTKWave's zoom refers (its source, DEFAULT_PIXELSPERFRAME) */

/* Ways in which GTKWave shows a trace: bits of its flags (its source, analyzer.h). */
enum {
    VIEW_DECIMAL = 0x24,
    VIEW_BIT = 0x28,
    VIEW_ASCII = 0x820,
    VIEW_NAMES = 0x2022,
    VIEW_CURVE = 0x8024,
    VIEW_HEADING = 0x200
};

static unsigned flags_of_view(const struct view *v, const struct des_vcd_var *x)
{
    if (x->text)
        return VIEW_ASCII;
    if (x->object.kind == DES_PROBE)
        switch (des_probe_row(v->sim, (struct des_probe){ x->object.id })->kind) {
        case DES_PROBE_STATE: return VIEW_NAMES;
        case DES_PROBE_LEVEL: return VIEW_CURVE;
        default: return VIEW_DECIMAL;
        }
    return x->bits > 1 ? VIEW_DECIMAL : VIEW_BIT;
}

static void show_variable(void *self, const struct des_vcd_var *x)
{
    struct view *v = self;
    unsigned f = flags_of_view(v, x);

    if (!v->scope || strcmp(v->scope, x->scope) != 0)
        fprintf(v->out, "@%x\n-%s\n", VIEW_HEADING, x->scope);
    v->scope = x->scope;
    if (f == VIEW_NAMES) {
        const struct des_probe_row *row = des_probe_row(v->sim, (struct des_probe){ x->object.id });
        const char *file = v->q->names(v->q->self, row->names, row->n_names);
        if (file)
            fprintf(v->out, "@%x\n^1 %s\n", f, file);
        else
            fprintf(v->out, "@%x\n", VIEW_DECIMAL);
    } else {
        fprintf(v->out, "@%x\n", f);
    }
    fprintf(v->out, "%s%s%s", x->scope, *x->scope ? "." : "", x->name);
    if (x->bits > 1)
        fprintf(v->out, "[%u:0]", x->bits - 1);
    fputc('\n', v->out);
}

static void write_view(const struct wave *w, struct des *sim)
{
    FILE *out = w->q->view;
    struct view v = { .out = out, .sim = sim, .q = w->q };
    const char *slash = strrchr(w->q->path, '/'), *name = slash ? slash + 1 : w->q->path;
    size_t n = strlen(name);

    if (n > 4 && strcmp(name + n - 4, ".zst") == 0) /* GTKWave reads what zstd -d makes of it */
        n -= 4;
    fprintf(out, "[*] %s\n[dumpfile] \"%.*s\"\n[timestart] %llu\n[size] 1600 900\n[pos] -1 -1\n",
            "written by cyclotron", (int)n, name, (unsigned long long)w->q->choice.from);
    /* all of it on a screen of that size: the zoom is in powers of two, of the time of a frame */
    plain_print(out, "[sst_expanded] 1\n*-%.3f -1\n",
                log2((double)(w->end - w->zero - w->q->choice.from + 1) * FRAME / SCREEN));
    des_vcd_each(w->vcd, show_variable, &v);
}

/* --- the end ------------------------------------------------------------------------------ */

static void end_dump(void *self, struct des *sim)
{
    struct wave *w = self;

    if (!w->vcd)
        return;
    w->end = add_times(w->zero, w->q->choice.to) < des_now(sim) ? w->zero + w->q->choice.to
                                                                : des_now(sim);
    if (w->q->view && w->measured)
        write_view(w, sim);
    des_walk(sim, 0, 0);
    w->sim = NULL; /* what is left to write needs nothing of it */
    des_vcd_stop(w->vcd);
    w->reached = des_vcd_reached(w->vcd);
}

struct run_observer wave_observer(struct wave *w)
{
    return (struct run_observer){ w, attach_dump, begin_dump, end_dump, .one_chip = false };
}

/* Write the rest of the dump, and free it. */
static int close_dump(struct wave *w, struct err *err)
{
    int rc = des_vcd_close(w->vcd, err);

    w->vcd = NULL;
    return rc;
}

int wave_check(struct wave *w, struct err *err)
{
    struct err failed;
    int rc = close_dump(w, &failed);
    des_time from = w->q->choice.from, to = w->q->choice.to, took = w->end - w->zero;
    char a[32], b[32];

    if (sink_full(w->sink)) {
        des_time window = (to < took ? to : took) - from, done = w->reached - w->zero - from;
        double share = done ? (double)window / (double)done : 1;
        uint64_t bytes = (uint64_t)((double)sink_bytes(w->sink) * share);
        return too_large(w, bytes, "this window would take", err);
    }
    if (w->measured && took < from)
        return err_set(err, ERR_RANGE, "%s: the run ends after %s, before the window begins at %s",
                       w->q->path, format_time(a, sizeof a, took), format_time(b, sizeof b, from));
    if (rc != 0)
        return err_set(err, failed.code, "%s: %s", w->q->path, failed.msg);
    return 0;
}

void wave_free(struct wave *w)
{
    struct err err;

    if (!w)
        return;
    close_dump(w, &err);
    sink_free(w->sink);
    free(w);
}
