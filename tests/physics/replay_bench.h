/* replay_bench.h - replays of traces and generators, for tests of what must hold of them. */
#ifndef TESTS_PHYSICS_REPLAY_BENCH_H
#define TESTS_PHYSICS_REPLAY_BENCH_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exact.h"
#include "base/memory.h"
#include "machine/spec/catalog.h"
#include "report/run_report.h"
#include "run/result/result.h"
#include "traces/gen.h"

#define TINY "traces/tiny/tiny.trace"

static inline void replay_trace(struct run_result *r, const char *trace, const char *machine,
                                const char *set, uint64_t steps, bool exact)
{
    struct err e;
    struct run_request q = { .trace = trace,
                             .machine = machine,
                             .set = &set,
                             .n_set = set ? 1 : 0,
                             .steps = steps,
                             .exact = exact };

    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

/* Settings as an array and its length. */
#define SET(...) ((const char *[]){ __VA_ARGS__ }), sizeof((const char *[]){ __VA_ARGS__ }) / 8

/* The JSON of a replay of two steps, and how many process activations it took; to be freed. */
static inline char *replay_json(const char *trace, const char *machine, const char *const *set,
                                size_t n, bool exact, uint64_t *events)
{
    struct run_request q = {
        .trace = trace, .machine = machine, .set = set, .n_set = n, .steps = 2, .exact = exact
    };
    struct run_result r;
    struct memory_text text;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    memory_text_begin(&text);
    report_json(&r, text.out);
    *events = r.events;
    run_result_free(&r);
    return memory_text_end(&text);
}

/* A generated workload in a file of its own. */
static inline void generate_trace(char path[32], const char *name, const char *const *set, size_t n)
{
    struct err e;

    strcpy(path, "/tmp/cyclotron-gen-XXXXXX");
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    cr_assert_not_null(f);
    cr_assert_eq(gen_write(name, set, n, f, &e), 0, "%s", e.msg);
    cr_assert_eq(fclose(f), 0);
}

static inline double find_figure(const struct run_result *r, const char *column)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, column) == 0)
            return mpq_get_d(r->figures[i].value);
    cr_assert_fail("no figure %s", column);
    return 0;
}

/* A trace of its own from `body`, replayed; returns run_replay's result. */
static inline int replay_text(struct run_result *r, const char *body, const char *machine,
                              const char *set, uint64_t steps, struct err *e)
{
    char path[32] = "/tmp/cyclotron-text-XXXXXX";
    int fd = mkstemp(path);
    struct run_request q = {
        .trace = path, .machine = machine, .set = &set, .n_set = set ? 1 : 0, .steps = steps
    };

    dprintf(fd,
            "cyclotron-trace 1\nworkload \"w\"\nsamples step=1\n"
            "dtype tensors=f32 matmul=bf16 activations=keep\n"
            "tensor %%x f32[256,256] input\n%s",
            body);
    close(fd);
    int rc = run_replay(&q, r, e);
    unlink(path);
    return rc;
}

#endif
