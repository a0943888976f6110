/* bench.h - a test bench for one component: it drives the ports, nothing else. */
#ifndef TESTS_TIMING_BENCH_H
#define TESTS_TIMING_BENCH_H

#include <criterion/criterion.h>

#include "des/des.h"

/* A FIFO with both ends outside: `out` bound to a port of the bench, `in` to the component's. */
static inline struct des_out bench_drive(struct des *sim, const char *name, struct des_in in,
                                         size_t size, size_t depth)
{
    struct des_module root = { 0 };
    struct des_fifo f = des_fifo_new(sim, root, name, size, depth);
    struct des_out out = des_out_new(sim, root, "drive", size);

    des_bind(sim, out, f);
    des_bind(sim, in, f);
    return out;
}

static inline struct des_in bench_watch(struct des *sim, const char *name, struct des_out out,
                                        size_t size, size_t depth)
{
    struct des_module root = { 0 };
    struct des_fifo f = des_fifo_new(sim, root, name, size, depth);
    struct des_in in = des_in_new(sim, root, "watch", size);

    des_bind(sim, out, f);
    des_bind(sim, in, f);
    return in;
}

static inline void bench_start(struct des *sim)
{
    struct err e;

    cr_assert_eq(des_elaborate(sim, &e), 0, "%s", e.msg);
}

/* Nothing at t - 1, an item at t. */
static inline void bench_tight(struct des *sim, struct des_in in, void *item, des_time t)
{
    des_run(sim, t - 1);
    cr_assert_not(des_get_any(sim, in, item), "before %llu fs", (unsigned long long)t);
    des_run(sim, t);
    cr_assert(des_get_any(sim, in, item), "nothing at %llu fs", (unsigned long long)t);
}

#endif
