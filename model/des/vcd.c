#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "des/vcd_impl.h"

/* --- bytes -------------------------------------------------------------------------------- */

static void drain(struct des_vcd *v)
{
    for (size_t done = 0; done < v->used && !v->error;) {
        ssize_t n = write(v->fd, v->buffer + done, v->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            v->error = n == 0 ? EIO : errno;
    }
    v->used = 0;
}

/* A place for at most `size` bytes more; what is used of it is added to v->used. */
static char *room(struct des_vcd *v, size_t size)
{
    if (VCD_BUFFER - v->used < size)
        drain(v);
    return v->buffer + v->used;
}

void vcd_text(struct des_vcd *v, const char *text)
{
    for (size_t left = strlen(text), n; left > 0; left -= n, text += n) {
        n = left < 4096 ? left : 4096;
        memcpy(room(v, n), text, n);
        v->used += n;
    }
}

char *vcd_code(char *at, uint32_t var)
{
    do
        *at++ = (char)('!' + var % 94);
    while (var /= 94);
    return at;
}

/* --- records ------------------------------------------------------------------------------ */

static void write_stamp(struct des_vcd *v, des_time when)
{
    char *at = room(v, 32);

    v->used += (size_t)snprintf(at, 32, "#%llu\n", (unsigned long long)when);
    v->stamp = when;
}

static bool fits(uint64_t value, unsigned bits)
{
    return bits == 64 || value >> bits == 0 || ~value >> (bits - 1) == 0;
}

static void write_value(struct des_vcd *v, uint32_t var, uint64_t value)
{
    unsigned bits = v->vars.at[var].bits;
    bool known = fits(value, bits);
    char *start = room(v, 1 + 64 + 1 + VCD_CODE_MAX + 1), *at = start;

    if (bits > 1)
        *at++ = 'b';
    if (!known) {
        *at++ = 'x';
    } else {
        if (bits < 64)
            value &= (UINT64_C(1) << bits) - 1;
        /* a reader puts the zeros in front */
        for (int i = value ? 63 - __builtin_clzll(value) : 0; i >= 0; i--)
            *at++ = (char)('0' + (value >> i & 1));
    }
    if (bits > 1)
        *at++ = ' ';
    at = vcd_code(at, var);
    *at++ = '\n';
    v->used += (size_t)(at - start);
}

static void write_changes(struct des_vcd *v)
{
    for (uint32_t i = 0; i < v->n_changed; i++) {
        struct vcd_var *x = &v->vars.at[v->changed[i]];
        x->changed = false;
        if (x->object.kind != DES_EVENT && x->next == x->shown)
            continue;
        if (v->when != v->stamp)
            write_stamp(v, v->when);
        write_value(v, v->changed[i], x->next);
        x->shown = x->next;
    }
    v->n_changed = 0;
}

/* --- what the kernel calls ---------------------------------------------------------------- */

static void define(struct des *sim, void *self)
{
    struct des_vcd *v = self;

    v->changed = calloc((size_t)v->vars.n + 1, sizeof *v->changed);
    (void)sim;
    BUG_ON(!v->changed);
    vcd_text(v, "$version cyclotron $end\n$timescale 1 fs $end\n");
    vcd_declare(v);
    vcd_text(v, "$enddefinitions $end\n");
}

static void begin(struct des *sim, void *self)
{
    struct des_vcd *v = self;

    write_stamp(v, des_now(sim));
    vcd_text(v, "$dumpvars\n");
    for (uint32_t i = 0; i < v->vars.n; i++) {
        struct vcd_var *x = &v->vars.at[i];
        x->shown = des_watched_value(sim, x->object);
        if (x->object.kind != DES_EVENT) /* an event has no value, and has not fired */
            write_value(v, i, x->shown);
    }
    vcd_text(v, "$end\n");
}

static void seen(struct des *sim, void *self, uint32_t tag, uint64_t value)
{
    struct des_vcd *v = self;
    struct vcd_var *x = &v->vars.at[tag];

    if (v->when != des_now(sim)) {
        write_changes(v);
        v->when = des_now(sim);
    }
    x->next = value;
    if (!x->changed) {
        x->changed = true;
        v->changed[v->n_changed++] = tag;
    }
}

/* --- public ------------------------------------------------------------------------------- */

static int io_error(struct err *err, const char *path, int number)
{
    return err_set(err, ERR_IO, "%s: cannot write: %s", path, strerror(number));
}

struct des_vcd *des_vcd_open(struct des *sim, const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0) {
        io_error(err, path, errno);
        return NULL;
    }
    struct des_vcd *v = calloc(1, sizeof *v);
    char *copy = strdup(path);
    BUG_ON(!v || !copy);
    v->sim = sim;
    v->fd = fd;
    v->path = copy;
    des_on(sim, (struct des_module){ 0 }, DES_END_OF_ELABORATION, define, v);
    des_on(sim, (struct des_module){ 0 }, DES_START_OF_SIMULATION, begin, v);
    return v;
}

static unsigned fifo_bits(const struct des *sim, struct des_fifo f)
{
    return 64 - (unsigned)__builtin_clzll(des_fifo_capacity(sim, f));
}

static unsigned width(const struct des *sim, struct des_object x, unsigned bits)
{
    switch (x.kind) {
    case DES_SIGNAL: return bits;
    case DES_FIFO: return fifo_bits(sim, (struct des_fifo){ x.id });
    default: return 1;
    }
}

void des_vcd_add_object(struct des_vcd *v, struct des_object x, unsigned bits)
{
    if (!v)
        return;
    if (bits < 1 || bits > 64)
        des_misuse(v->sim, des_label_of(v->sim, x), "des/vcd-bits", "%u bits: outside [1, 64]",
                   bits);
    des_watch_object(v->sim, x, seen, v, v->vars.n);
    if (v->vars.n == v->vars.cap) {
        v->vars.cap = v->vars.cap ? 2 * v->vars.cap : 16;
        struct vcd_var *more = realloc(v->vars.at, v->vars.cap * sizeof *more);
        BUG_ON(!more);
        v->vars.at = more;
    }
    v->vars.at[v->vars.n++] =
        (struct vcd_var){ .object = x, .bits = (uint8_t)width(v->sim, x, bits) };
}

int des_vcd_close(struct des_vcd *v, struct err *err)
{
    if (!v)
        return 0;
    write_changes(v);
    if (v->stamp != des_now(v->sim))
        write_stamp(v, des_now(v->sim)); /* up to here nothing more changed */
    drain(v);
    if (close(v->fd) != 0 && !v->error)
        v->error = errno;
    int rc = v->error ? io_error(err, v->path, v->error) : 0;
    free(v->vars.at);
    free(v->changed);
    free(v->path);
    free(v);
    return rc;
}
