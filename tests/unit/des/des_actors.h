/* des_actors.h - processes that log a letter when they run, for tests of the kernel. */
#ifndef UNIT_DES_DES_ACTORS_H
#define UNIT_DES_DES_ACTORS_H

#include <criterion/criterion.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "des/des.h"

#define ROOT ((struct des_module){ 0 })

/* A process that writes its letter and the time into the log, then does what `act` says. */
struct actor {
    struct bench *bench;
    char letter;
    void (*act)(struct bench *b, struct actor *a);
    struct des_process p;
    unsigned runs;
};

struct bench {
    struct des *sim;
    struct des_module top;
    struct des_event e, f, g;
    struct actor actors[8];
    unsigned n;
    char log[512];
};

static inline void note_run(struct bench *b, char letter)
{
    size_t n = strlen(b->log);

    snprintf(b->log + n, sizeof b->log - n, "%s%c%llu", n ? " " : "", letter,
             (unsigned long long)des_now(b->sim));
}

static inline void run_actor(struct des *sim, void *self)
{
    struct actor *a = self;

    (void)sim;
    note_run(a->bench, a->letter);
    a->runs++;
    if (a->act)
        a->act(a->bench, a);
}

static inline void set_up_scene(struct bench *b)
{
    memset(b, 0, sizeof *b);
    b->sim = des_new();
    b->top = des_module_new(b->sim, ROOT, "top");
    b->e = des_event_new(b->sim, b->top, "e");
    b->f = des_event_new(b->sim, b->top, "f");
    b->g = des_event_new(b->sim, b->top, "g");
}

static inline struct actor *add_actor(struct bench *b, char letter,
                                      void (*act)(struct bench *, struct actor *))
{
    struct actor *a = &b->actors[b->n++];
    char name[2] = { letter, '\0' };

    *a = (struct actor){ .bench = b, .letter = letter, .act = act };
    a->p = des_method_new(b->sim, b->top, name, run_actor, a);
    return a;
}

/* An actor that is not run at the start and is sensitive to e. */
static inline struct actor *add_listener(struct bench *b, char letter, struct des_event e,
                                         void (*act)(struct bench *, struct actor *))
{
    struct actor *a = add_actor(b, letter, act);

    des_dont_initialize(b->sim, a->p);
    des_sensitive(b->sim, a->p, e);
    return a;
}

static inline void elaborate_scene(struct bench *b)
{
    struct err err;

    cr_assert_eq(des_elaborate(b->sim, &err), 0);
}

static inline void run_all(struct bench *b)
{
    elaborate_scene(b);
    cr_assert_not(des_run(b->sim, DES_NEVER - 1));
}

static inline void expect_log(struct bench *b, const char *log)
{
    cr_assert_str_eq(b->log, log);
    des_free(b->sim);
}

static inline void three_deltas(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_delta(b->sim, b->g);
    des_notify_after(b->sim, b->e, 0); /* a delay of 0 is a delta */
    des_notify_delta(b->sim, b->f);
}

static inline void later_then_sooner(struct bench *b, struct actor *a)
{
    (void)a;
    des_notify_after(b->sim, b->e, 20);
    des_notify_after(b->sim, b->e, 10);
    des_notify_after(b->sim, b->e, 30);
    des_notify_after(b->sim, b->f, 10);
}

static inline void wait_delta(struct bench *b, struct actor *a)
{
    if (a->runs < 4)
        des_next_time(b->sim, 0);
}

#endif
