/* vcd_dump.h - a dump in a file of its own, for tests. */
#ifndef UNIT_DES_VCD_DUMP_H
#define UNIT_DES_VCD_DUMP_H

#include <criterion/criterion.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "des/vcd.h"

#define ROOT ((struct des_module){ 0 })

struct dump {
    char path[32];
    struct des *sim;
    struct des_vcd *vcd;
};

static inline struct dump open_dump(void)
{
    struct dump d = { .path = "/tmp/test_vcd.XXXXXX", .sim = des_new() };
    struct err err;
    int fd = mkstemp(d.path);

    cr_assert_geq(fd, 0);
    close(fd);
    d.vcd = des_vcd_open(d.sim, d.path, &err);
    cr_assert_not_null(d.vcd);
    return d;
}

static inline void elaborate_model(struct des *sim)
{
    struct err err;

    cr_assert_eq(des_elaborate(sim, &err), 0, "%s", err.msg);
}

/* End the dump and return its text, to be freed. */
static inline char *close_dump(struct dump *d)
{
    struct err err;
    char *text = NULL;
    size_t size = 0;

    cr_assert_eq(des_vcd_close(d->vcd, &err), 0, "%s", err.msg);
    des_free(d->sim);
    FILE *file = fopen(d->path, "rb");
    cr_assert_not_null(file);
    if (getdelim(&text, &size, '\0', file) < 0) { /* an empty file */
        free(text);
        text = strdup("");
    }
    fclose(file);
    unlink(d->path);
    return text;
}

struct pulse { /* writes 0, 1, 0 ... or the number of its activation */
    struct des_signal s;
    uint64_t n, last;
    des_time delay;
};

static inline void pulse_signal(struct des *sim, void *self)
{
    struct pulse *p = self;

    des_write(sim, p->s, ++p->n);
    if (p->n < p->last)
        des_next_time(sim, p->delay);
}

static inline void add_pulse(struct dump *d, struct pulse *p, struct des_module m, const char *name,
                             unsigned bits)
{
    p->s = des_signal_new(d->sim, m, name, 0);
    des_method_new(d->sim, m, name, pulse_signal, p);
    des_vcd_add(d->vcd, p->s, bits);
}

#endif
