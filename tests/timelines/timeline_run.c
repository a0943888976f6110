#include "timeline_run.h"

#include <criterion/criterion.h>

void replay_slow(const char *machine, bool exact, bool slow, const struct run_observer *o, size_t n,
                 struct run_result *r)
{
    static const char *const set[] = { "host.infeed_overhead=1 us", "fault.slow_from=0",
                                       "fault.slow_to=1", "fault.slow_times=1000" };
    struct run_request q = { .trace = TINY,
                             .machine = machine,
                             .set = set,
                             .n_set = slow ? 4 : 1,
                             .steps = 1,
                             .exact = exact,
                             .observer = o,
                             .n_observers = n };
    struct err err;

    cr_assert_eq(run_replay(&q, r, &err), 0, "%s", err.msg);
}

void replay_tiny(const char *machine, bool exact, const struct run_observer *o, size_t n,
                 struct run_result *r)
{
    replay_slow(machine, exact, false, o, n, r);
}

char *dump_tiny(const char *machine, bool exact, const char *const *globs, size_t n_globs,
                des_time from, des_time to, struct run_result *r)
{
    struct wave_request q = {
        .choice = { .glob = globs, .n_globs = n_globs, .from = from, .to = to },
        .path = "run.vcd",
        .limit = UINT64_C(1) << 30
    };
    struct run_result own;
    struct err err;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct wave *w = wave_new(&q, out);
    struct run_observer o = wave_observer(w);

    replay_tiny(machine, exact, &o, 1, r ? r : &own);
    cr_assert_eq(wave_check(w, &err), 0, "%s", err.msg);
    wave_free(w);
    fclose(out);
    if (!r)
        run_result_free(&own);
    return text;
}
