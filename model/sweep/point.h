/* point.h - run one point of a sweep: a replay, and the figures of its result by name. */
#ifndef SWEEP_POINT_H
#define SWEEP_POINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "run/result/result.h"
#include "sweep/plan.h"

struct point_figure {
    char *name; /* "utilization.hbm": the path in the JSON */
    double value;
};

struct point_outcome {
    bool done;          /* false: it failed, and only `error` is set */
    char *error;        /* one line */
    enum err_code code; /* of the error */
    char *json;         /* what `replay --format json` prints */
    size_t json_size;
    uint64_t trace_checksum, machine_checksum;
    struct point_figure
        *figure; /* all numbers of the result outside its lists, true as 1, and proxies */
    uint32_t n_figures, cap_figures;
};

/* Write a result as `replay --format json` prints it. */
typedef void point_print(const struct run_result *r, FILE *out);

/* A result and a machine that are kept from one point to the next. */
struct point_kept {
    char *replay; /* point_replay() of the point that it is of; NULL: there is none */
    struct run_result result;
    char *machine; /* the built-in machine that `as_is` is, without the plan's changes; or NULL */
    struct machine_spec *as_is;
};
void point_kept_free(struct point_kept *k);

/* False of axes that change no cycle: prices, power, proxies. */
bool point_is_timed(const struct axis *x);
/* The values of a point that decide how long its step takes, one a line, to be freed.  Points of a
 * plan with equal texts differ in prices, power and proxies alone: one replay is enough for all. */
char *point_replay(const struct plan *p, size_t i);

/* Run point `i` of a finished plan: a replay, unless `k` has the one that it needs; `k` has it
 * then.  `print` writes the JSON.  A point that cannot run is an outcome with `error`, not an error
 * of the sweep. */
void point_run(const struct plan *p, size_t i, point_print *print, struct point_kept *k,
               struct point_outcome *o);
void point_outcome_free(struct point_outcome *o);

/* Seconds of a step of point `i`, as its axes say now; NAN: it cannot run. */
double point_seconds(const struct plan *p, size_t i);

#endif
