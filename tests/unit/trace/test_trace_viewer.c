/* test_trace_viewer.c - a trace viewer's JSON is read the same in whatever order its events stand.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profile/profile.h"

#define META(pid, tid, what, name)                                                                 \
    "{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" tid ",\"name\":\"" what                               \
    "\",\"args\":{\"name\":\"" name "\"}},"
#define DEVICE(pid, number)                                                                        \
    META(pid, "0", "process_name", "/device:TPU:" number)                                          \
    META(pid, "1", "thread_name", "XLA Modules")                                                   \
    META(pid, "2", "thread_name", "XLA Ops") META(pid, "3", "thread_name", "Async XLA Ops")
#define EVENT(pid, tid, begin, length, name)                                                       \
    "{\"ph\":\"X\",\"pid\":" pid ",\"tid\":" tid ",\"ts\":" begin ",\"dur\":" length               \
    ",\"name\":\"" name "\"}"
/* A loop of two kernels, of which the first begins with it, and a kernel after it; a copy beside
 * all.  us */
#define RUN(pid)                                                                                   \
    EVENT(pid, "1", "1000", "100", "jit_f(1)"), EVENT(pid, "2", "1010", "50", "while.1"),          \
        EVENT(pid, "2", "1010", "20", "fusion.1"), EVENT(pid, "2", "1030", "30", "fusion.2"),      \
        EVENT(pid, "2", "1070", "10", "copy.3"), EVENT(pid, "3", "1005", "85", "copy-start.4")

static const char *const events[] = { RUN("3"), RUN("5") };
enum { N_EVENTS = sizeof events / sizeof *events, US = 1000000 };

static struct profile *read_in_order(const unsigned *order)
{
    struct memory_text text;
    struct profile *p;
    struct err err;

    memory_text_begin(&text);
    fputs("{\"traceEvents\":[" DEVICE("3", "0") DEVICE("5", "1"), text.out);
    for (unsigned i = 0; i < N_EVENTS; i++)
        fprintf(text.out, "%s%s", i ? "," : "", events[order[i]]);
    fputs("]}", text.out);
    char *json = memory_text_end(&text);
    cr_assert_eq(profile_read_memory(&p, "t.json", json, text.size, &err), 0, "%s", err.msg);
    free(json);
    return p;
}

static void expect_profile(const struct profile *p, unsigned turn)
{
    static const struct {
        const char *name;
        uint64_t total; /* us on both devices */
        bool asynchronous, container;
    } want[] = { { "copy-start.4", 170, true, false }, /* as they begin */
                 { "while.1", 100, false, true },
                 { "fusion.1", 40, false, false },
                 { "fusion.2", 60, false, false },
                 { "copy.3", 20, false, false } };

    cr_assert_eq(p->n_devices, 2);
    cr_assert_eq(p->n_programs, 1);
    cr_expect_eq(p->program->runs, 2);
    cr_expect_eq(p->program->total, 200 * (uint64_t)US);
    /* 50 us of the loop and 10 us of the copy on each; 10 us before the loop */
    cr_expect_eq(p->program->busy, 120 * (uint64_t)US, "turn %u: %" PRIu64, turn, p->program->busy);
    cr_expect_eq(p->program->waits, 20 * (uint64_t)US, "turn %u: %" PRIu64, turn,
                 p->program->waits);
    cr_assert_eq(p->n_kernels, sizeof want / sizeof *want, "turn %u: %zu", turn, p->n_kernels);
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct profile_kernel *k = &p->kernel[i];
        cr_expect_str_eq(k->name, want[i].name, "turn %u: %zu is %s", turn, i, k->name);
        cr_expect_eq(k->count, 2, "turn %u: %s %" PRIu64, turn, k->name, k->count);
        cr_expect_eq(k->total, want[i].total * US, "turn %u: %s %" PRIu64, turn, k->name, k->total);
        cr_expect_eq(k->asynchronous, want[i].asynchronous);
        cr_expect_eq(k->container, want[i].container);
    }
}

Test(trace_viewer, the_order_of_events_says_nothing)
{
    unsigned order[N_EVENTS], state = 1;

    for (unsigned i = 0; i < N_EVENTS; i++)
        order[i] = i;
    for (unsigned turn = 0; turn < 60; turn++) {
        struct profile *p = read_in_order(order);
        expect_profile(p, turn);
        profile_free(p);
        for (unsigned i = N_EVENTS - 1; i > 0; i--) {
            state = state * 1664525 + 1013904223;
            unsigned k = (state >> 16) % (i + 1), swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
    }
}
