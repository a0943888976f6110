/* vcd.c - a value change dump: what is recorded and when.  Changes of one time are collected and
 * written when time advances. */
#include "des/vcd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "des/vcd_impl.h"

/* --- the window --------------------------------------------------------------------------- */

static void write_changes(struct des_vcd *v)
{
    vcd_edges(v, v->when);
    for (uint32_t i = 0; i < v->n_changed; i++) {
        struct vcd_var *x = &v->vars.at[v->changed[i]];
        x->changed = false;
        if (x->object.kind != DES_EVENT && x->next == x->shown)
            continue;
        vcd_stamp(v, v->when);
        vcd_value(v, x);
        x->shown = x->next;
    }
    v->n_changed = 0;
}

/* Begin the window: write the values of all variables. */
static void begin_window(struct des_vcd *v)
{
    vcd_stamp(v, v->from);
    v->state = VCD_OPEN;
    v->recording = true;
    vcd_set_clocks(v, v->from);
    vcd_text(v, "$dumpvars\n");
    for (uint32_t i = 0, clock = 0; i < v->vars.n; i++) {
        struct vcd_var *x = &v->vars.at[i];
        x->shown = x->next;
        if (x->object.kind == DES_CLOCK) {
            if (clock < v->clocks.n && v->clocks.at[clock].code == x->code)
                vcd_clock_value(v, &v->clocks.at[clock++]);
        } else if (x->object.kind != DES_EVENT) { /* it has no value, and has not fired */
            vcd_value(v, x);
        }
    }
    vcd_text(v, "$end\n");
    vcd_due_edges(v);
}

/* End the window: write everything up to and including `end`. */
static void end_window(struct des_vcd *v, des_time end)
{
    write_changes(v);
    if (end < DES_NEVER)
        vcd_edges(v, end + 1);
    vcd_stamp(v, end);
    v->state = VCD_OVER;
    v->recording = false;
}

/* Time has advanced to `now`: write the changes of the time before. */
static void turn_time(struct des_vcd *v, des_time now)
{
    if (v->state == VCD_OPEN && now > v->to)
        end_window(v, v->to);
    else if (v->recording)
        write_changes(v);
    v->when = now;
    if (v->state == VCD_WAITING && now >= v->from)
        begin_window(v);
    if (v->state == VCD_OPEN && now > v->to)
        end_window(v, v->to); /* nothing changed in it */
}

/* --- what the kernel calls ---------------------------------------------------------------- */

static void see_change(struct des *sim, void *self, uint32_t tag, uint64_t value)
{
    struct des_vcd *v = self;
    struct vcd_var *x = &v->vars.at[tag];

    if (v->when != des_now(sim))
        turn_time(v, des_now(sim));
    x->next = value;
    if (v->recording && !x->changed) {
        x->changed = true;
        v->changed[v->n_changed++] = tag;
    }
}

/* Bits of the longest text, cut at VCD_TEXT_MAX characters. */
static uint16_t bits_of_texts(const struct des *sim)
{
    size_t longest = 1;

    for (uint32_t i = 0; i < sim->n_texts; i++) {
        size_t n = strlen(sim->texts[i]);
        longest = n > longest ? n : longest;
    }
    return (uint16_t)(8 * (longest < VCD_TEXT_MAX ? longest : VCD_TEXT_MAX));
}

static void write_definitions(struct des *sim, void *self)
{
    struct des_vcd *v = self;

    v->changed = memory_zeroed(v->vars.n, sizeof *v->changed);
    v->order = memory_zeroed(v->vars.n, sizeof *v->order);
    for (uint32_t i = 0; i < v->vars.n; i++)
        if (v->vars.at[i].text)
            v->vars.at[i].text = bits_of_texts(sim);
    vcd_text(v, "$version cyclotron $end\n$timescale 1 fs $end\n");
    vcd_declare(v);
    vcd_text(v, "$enddefinitions $end\n");
}

static void begin_values(struct des *sim, void *self)
{
    struct des_vcd *v = self;

    for (uint32_t i = 0; i < v->vars.n; i++)
        if (v->vars.at[i].object.kind != DES_EVENT) /* an event may have fired before this */
            v->vars.at[i].next = des_watched_value(sim, v->vars.at[i].object);
    if (v->state == VCD_WAITING && v->from <= des_now(sim))
        begin_window(v);
}

/* --- public ------------------------------------------------------------------------------- */

struct des_vcd *des_vcd_new(struct des *sim, const struct des_vcd_sink *sink)
{
    struct des_vcd *v = memory_zeroed(1, sizeof *v);

    v->sim = sim;
    v->sink = *sink;
    v->fd = -1;
    v->state = VCD_WAITING;
    v->recording = true;
    v->to = v->stamp = DES_NEVER;
    des_on(sim, (struct des_module){ 0 }, DES_END_OF_ELABORATION, write_definitions, v);
    des_on(sim, (struct des_module){ 0 }, DES_START_OF_SIMULATION, begin_values, v);
    return v;
}

static int set_io_error(struct err *err, const char *path, int number)
{
    return err_set(err, ERR_IO, "%s%scannot write: %s", path ? path : "", path ? ": " : "",
                   strerror(number));
}

static int write_file(void *self, const char *bytes, size_t n)
{
    const struct des_vcd *v = self;

    while (n > 0) {
        ssize_t written = write(v->fd, bytes, n);
        if (written > 0) {
            bytes += written;
            n -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            return written == 0 ? EIO : errno;
        }
    }
    return 0;
}

struct des_vcd *des_vcd_open(struct des *sim, const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0) {
        set_io_error(err, path, errno);
        return NULL;
    }
    struct des_vcd *v = des_vcd_new(sim, &(struct des_vcd_sink){ write_file, NULL });
    v->sink.self = v;
    v->fd = fd;
    v->path = memory_copy(path);
    return v;
}

void des_vcd_later(struct des_vcd *v)
{
    v->state = VCD_LATER;
    v->recording = false;
}

void des_vcd_window(struct des_vcd *v, des_time zero, des_time from, des_time to)
{
    des_time now = des_now(v->sim);

    BUG_ON(v->state != VCD_LATER || from > to || zero > from || to < now);
    v->zero = zero;
    v->from = from > now ? from : now;
    v->to = to;
    v->state = VCD_WAITING;
    v->when = now;
    if (from <= now)
        begin_window(v);
}

static unsigned bits_of_value(uint64_t most)
{
    return most ? 64 - (unsigned)__builtin_clzll(most) : 1;
}

static unsigned bits_of_object(const struct des *sim, struct des_object x, unsigned bits)
{
    switch (x.kind) {
    case DES_SIGNAL: return bits;
    case DES_FIFO: return bits_of_value(des_fifo_capacity(sim, (struct des_fifo){ x.id }));
    case DES_PROBE: {
        const struct des_probe_row *row = des_probe_row(sim, (struct des_probe){ x.id });
        return row->kind == DES_PROBE_STATE ? bits_of_value(row->n_names - 1) : 64;
    }
    default: return 1;
    }
}

/* The identifier code of the clocks with the frequency of clock `id`. */
static uint32_t code_of_clock(struct des_vcd *v, uint32_t id)
{
    uint64_t hz = des_clock_hz(v->sim, (struct des_clock){ id });

    for (uint32_t i = 0; i < v->clocks.n; i++)
        if (v->clocks.at[i].hz == hz)
            return v->clocks.at[i].code;
    MEMORY_GROW(v->clocks.at, v->clocks.n + 1, v->clocks.cap);
    v->clocks.at[v->clocks.n++] = (struct vcd_clock){ .hz = hz, .code = v->n_codes };
    return v->n_codes++;
}

void des_vcd_add_object(struct des_vcd *v, struct des_object x, unsigned bits)
{
    struct vcd_var var = { .object = x };

    if (!v)
        return;
    if (bits < 1 || bits > 64)
        des_misuse(v->sim, des_label_of(v->sim, x), "des/vcd-bits", "%u bits: outside [1, 64]",
                   bits);
    if (x.kind == DES_CLOCK) {
        if (v->sim->elaborated)
            des_misuse(v->sim, des_label_of(v->sim, x), "des/elaborated",
                       "watched or dumped after elaboration");
        var.code = code_of_clock(v, x.id);
    } else {
        des_watch_object(v->sim, x, see_change, v, v->vars.n);
        var.code = v->n_codes++;
    }
    var.bits = (uint16_t)bits_of_object(v->sim, x, bits);
    if (x.kind == DES_PROBE &&
        des_probe_row(v->sim, (struct des_probe){ x.id })->kind == DES_PROBE_TEXT) {
        var.text = 8;
        v->n_codes++;
    }
    MEMORY_GROW(v->vars.at, v->vars.n + 1, v->vars.cap);
    v->vars.at[v->vars.n++] = var;
}

void des_vcd_add_text(struct des_vcd *v, struct des_probe p)
{
    if (!v)
        return;
    des_vcd_add_object(v, DES_OBJECT(p), 64);
    v->vars.at[v->vars.n - 1].bare = v->vars.at[v->vars.n - 1].text > 0;
}

void des_vcd_each(const struct des_vcd *v, void (*visit)(void *self, const struct des_vcd_var *var),
                  void *self)
{
    for (uint32_t i = 0; i < v->vars.n; i++) {
        const struct vcd_var *x = &v->vars.at[v->order[i]];
        if (!x->bare)
            visit(self, &(struct des_vcd_var){ x->object, x->scope, x->name[0], x->bits, false });
        if (x->text)
            visit(self, &(struct des_vcd_var){ x->object, x->scope, x->name[1], x->text, true });
    }
}

uint64_t des_vcd_changes(const struct des_vcd *v)
{
    return v->changes;
}

des_time des_vcd_reached(const struct des_vcd *v)
{
    return v->stamp;
}

uint64_t des_vcd_clock_bytes(const struct des_vcd *v, des_time span)
{
    enum { EDGE = 16 }; /* "#123456789012\n1!\n" */
    u128 bytes = 0;

    for (uint32_t i = 0; i < v->clocks.n; i++)
        bytes += (u128)span * (2 * v->clocks.at[i].hz) / DES_FS_PER_S * EDGE;
    return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

void des_vcd_stop(struct des_vcd *v)
{
    if (v->state == VCD_WAITING && v->from <= des_now(v->sim) && v->sim->started)
        begin_window(v); /* no change has begun it */
    if (v->state == VCD_OPEN)
        end_window(v, des_now(v->sim) < v->to ? des_now(v->sim) : v->to);
    v->state = VCD_OVER;
    v->recording = false;
}

int des_vcd_close(struct des_vcd *v, struct err *err)
{
    if (!v)
        return 0;
    des_vcd_stop(v);
    vcd_drain(v);
    if (v->fd >= 0 && close(v->fd) != 0 && !v->error)
        v->error = errno;
    int rc = v->error ? set_io_error(err, v->path, v->error) : 0;
    for (uint32_t i = 0; i < v->vars.n; i++) {
        free(v->vars.at[i].scope);
        free(v->vars.at[i].name[0]);
        free(v->vars.at[i].name[1]);
    }
    free(v->vars.at);
    free(v->clocks.at);
    free(v->changed);
    free(v->order);
    free(v->path);
    free(v);
    return rc;
}
