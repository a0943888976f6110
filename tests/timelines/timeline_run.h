/* timeline_run.h - replays of the tiny trace that somebody looks at. */
#ifndef TESTS_TIMELINES_TIMELINE_RUN_H
#define TESTS_TIMELINES_TIMELINE_RUN_H

#include "report/timeline/wave.h"
#include "run/result/result.h"

#define TINY "traces/tiny/tiny.trace"
/* fs from "0.25 ms" would do as well: these are written out */
#define US UINT64_C(1000000000)

/* Replay one step of the tiny trace, whose hosts lose no time; the observers may be none. */
void replay_tiny(const char *machine, bool exact, const struct run_observer *o, size_t n,
                 struct run_result *r);
/* Replay it likewise; `slow`: the link between chips 0 and 1 takes a thousand times as long. */
void replay_slow(const char *machine, bool exact, bool slow, const struct run_observer *o, size_t n,
                 struct run_result *r);

/* The dump of a window of it, to be freed.  `r` may be NULL. */
char *dump_tiny(const char *machine, bool exact, const char *const *globs, size_t n_globs,
                des_time from, des_time to, struct run_result *r);

#endif
