/* scan.h - a hyper-parameter scan: many trainings side by side on the cores of one slice.
 *
 * A trial gets `cores` cores of its own, whole chips or one core of a chip, and runs `epochs` of
 * its trace on them.  A trial on one core shares its chip's HBM with trials on the others, which
 * run the same program and reduce nothing.  Trials are started in the order of their length, the
 * longest first, each where cores fall free first (list scheduling; of equals the one given first,
 * the cores with the lowest number).  No trial is moved or divided.  A compiled program runs on as
 * many cores as it was compiled for, alone. */
#ifndef STUDY_SCAN_H
#define STUDY_SCAN_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/result/allow.h"
#include "run/result/result.h"

struct scan_request {
    const char *const *trace; /* one for each kind of trial */
    size_t n_traces;
    const char *machine;
    const char *const *set;
    size_t n_set;
    uint64_t trials; /* total, dealt out over the traces in turn; 0: one of each */
    uint64_t cores;  /* of a trial; 0: one, or as many as the programs were compiled for */
    uint64_t epochs;
    struct allow allow; /* limits of the traces and their steps (run/result/allow.h) */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all); /* or NULL */
    void *progress_self;
};

struct scan_kind {
    const char *trace;
    uint64_t trials;
    struct run_result beside, whole; /* a step of a trial on its cores, and on the whole slice */
    mpq_t training;                  /* seconds of a trial */
    bool on_whole; /* it can run on the whole slice; else `whole` and `alone` say nothing */
    mpq_t alone;   /* seconds of a trial on the whole slice, its batch on every core, or divided
                      over the cores, if the trace does that (whole.derived) */
};

struct scan_result {
    char *machine;
    const char *chip;                                    /* "TPU", "GPU", "CPU" */
    uint64_t slice_cores, cores, places, trials, epochs; /* places: trials at a time */
    struct scan_kind *kind;
    size_t n_kinds;
    mpq_t makespan;                 /* seconds until the last trial ends */
    mpq_t work;                     /* seconds of all trials, one after the other in one place */
    bool on_whole;                  /* all kinds can run on the whole slice */
    mpq_t one_by_one;               /* seconds of all trials, one after the other there */
    bool has_price, price_verified; /* on demand; it has a source */
    char *price_source;             /* "[ju-2020: 2020-04-07]", NULL without a price */
    mpq_t usd_per_hour;             /* of the slice */
};

/* The makespan of trials of `length` on so many places (list scheduling); `length` is put in
 * descending order.  O(n (log n + places)). */
void scan_schedule(mpq_t makespan, mpq_t *length, size_t n, uint64_t places);

/* Run the scan; free `r` with scan_result_free.
 * Errors: those of run_replay; ERR_RANGE when the cores of a trial do not divide the slice; ERR_FIT
 * when a trace does not say how many samples an epoch has, or is compiled for other cores. */
int scan_run(const struct scan_request *q, struct scan_result *r, struct err *err);
void scan_result_free(struct scan_result *r);

#endif
