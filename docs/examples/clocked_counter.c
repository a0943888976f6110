/* clocked_counter.c - a counter on a clock, what is inside it exported to those outside.
 *
 *     [ switch ] --enable--> [ counter: value ]==export==> [ display ]
 *
 * The counter counts at rising edges at which it is enabled.  The switch turns it on at 25 ns and
 * off at 65 ns; the display prints each new value. */
#include <stdbool.h>
#include <stdio.h>

#include "des/des.h"

#define ROOT ((struct des_module){ 0 })
#define NS 1000000 /* femtoseconds */

/* --- counter ------------------------------------------------------------------------------ */

struct counter {
    struct des_signal_in enable; /* bound from outside */
    struct des_export value;     /* others bind to it */
    struct des_signal count;     /* inside */
};

static void count(struct des *sim, void *self) /* woken by the rising edge */
{
    struct counter *c = self;

    if (des_read(sim, c->enable))
        des_write(sim, c->count, des_read(sim, c->count) + 1);
}

static void counter_init(struct counter *c, struct des *sim, struct des_clock clock)
{
    struct des_module m = des_module_new(sim, ROOT, "counter");
    struct des_process p = des_method_new(sim, m, "count", count, c);

    c->enable = des_signal_in_new(sim, m, "enable");
    c->count = des_signal_new(sim, m, "count", 0);
    c->value = des_export_new(sim, m, "value");
    des_bind(sim, c->value, c->count);
    des_sensitive(sim, p, clock);
    des_dont_initialize(sim, p); /* not before the first edge */
}

/* --- switch ------------------------------------------------------------------------------- */

struct toggle {
    struct des_signal_out enable;
};

static uint32_t toggle(struct des *sim, void *self, uint32_t at)
{
    struct toggle *t = self;

    DES_BEGIN(at);
    DES_WAIT_FOR(sim, 25 * NS);
    des_write(sim, t->enable, true);
    DES_WAIT_FOR(sim, 40 * NS);
    des_write(sim, t->enable, false);
    DES_END;
}

static void toggle_init(struct toggle *t, struct des *sim)
{
    struct des_module m = des_module_new(sim, ROOT, "switch");

    t->enable = des_signal_out_new(sim, m, "enable");
    des_thread_new(sim, m, "toggle", toggle, t);
}

/* --- display ------------------------------------------------------------------------------ */

struct display {
    struct des_signal_in value;
};

static void show(struct des *sim, void *self) /* woken by a change of what the port leads to */
{
    struct display *d = self;

    printf("%3u ns: %u\n", (unsigned)(des_now(sim) / NS), (unsigned)des_read(sim, d->value));
}

static void display_init(struct display *d, struct des *sim)
{
    struct des_module m = des_module_new(sim, ROOT, "display");
    struct des_process p = des_method_new(sim, m, "show", show, d);

    d->value = des_signal_in_new(sim, m, "value");
    des_sensitive(sim, p, d->value);
}

int main(void)
{
    struct err err;
    struct counter counter;
    struct toggle toggle;
    struct display display;
    struct des *sim = des_new();
    struct des_clock clock = des_clock_new(sim, ROOT, "clock", 100000000); /* 100 MHz: 10 ns */
    struct des_signal enable = des_signal_new(sim, ROOT, "enable", false);

    counter_init(&counter, sim, clock);
    toggle_init(&toggle, sim);
    display_init(&display, sim);
    des_bind(sim, counter.enable, enable);
    des_bind(sim, toggle.enable, enable);
    des_bind(sim, display.value, counter.value);
    if (des_elaborate(sim, &err) != 0) { /* such as a port that is not bound */
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    des_run(sim, 100 * NS);
    des_free(sim);
    return 0;
}
