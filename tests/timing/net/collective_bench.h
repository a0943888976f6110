/* collective_bench.h - one collective on a whole machine: the cycle of 700 MHz it ends on. */
#ifndef TIMING_NET_COLLECTIVE_BENCH_H
#define TIMING_NET_COLLECTIVE_BENCH_H

#include <criterion/criterion.h>

#include "machine/machine.h"

/* Walked, or with one chip for all. */
static inline uint64_t collective_cycles(const struct machine_spec *s, const struct task_call *call,
                                         bool exact, bool alike)
{
    struct machine *m =
        alike ? machine_new_alike(s, IMAGES_ONE, NULL, NULL) : machine_new(s, exact);
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    struct task_call own = *call;
    struct task_program p = { .task = &t, .n_tasks = 1, .call = &own, .n_calls = 1, .n_rows = 1 };
    struct err e;

    cr_assert_eq((machine_alike(s, &p) & IMAGES_ONE) && alike, alike);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t cycles = des_edge_index(machine_now(m), 700000000);
    machine_free(m);
    return cycles;
}

/* Run `count` collectives in a row, asynchronous and all waited for at once: time[] has the fs by
 * cause that core 0 has waited. */
static inline void collective_causes(const struct machine_spec *s, const struct task_call *call,
                                     uint32_t count, bool exact, bool alike,
                                     des_time time[N_CAUSES])
{
    struct machine *m =
        alike ? machine_new_alike(s, IMAGES_ONE, NULL, NULL) : machine_new(s, exact);
    struct task t[] = { { .kind = TASK_COLLECTIVE, .collective.count = count, .async = TASK_START },
                        { .kind = TASK_COLLECTIVE, .async = TASK_DONE, .start = 0 } };
    struct task_call own[2] = { *call, *call };
    struct task_program p = { .task = t, .n_tasks = 2, .call = own, .n_calls = 2, .n_rows = 1 };
    struct err e;

    cr_assert_leq(count, 2);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    for (int c = 0; c < N_CAUSES; c++)
        time[c] = machine_book(m, &p, 0, 0)->time[c];
    machine_free(m);
}

#endif
