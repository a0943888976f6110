/* plan.h - a sweep as it was asked for, and the list of its points.
 *
 * A plan is built from statements "key = value": those of a plan file, an .ini,
 *
 *     [sweep]
 *     trace = traces/3dgan.trace.zst      machine = tpu-v3-8
 *     set = mxu.issue=0.9                 where = mxu.count * mxu.size <= 512
 *     sample = lhs:100                    seed = 1       steps = 1
 *     [axis]
 *     mxu.count = 1,2,4
 *
 * (one a line), or the options of the command, which are the same words.  plan_finish makes the
 * points of it: all combinations of the axes, or a sample, without those that a condition rules
 * out. The same plan has the same points in the same order everywhere. */
#ifndef SWEEP_PLAN_H
#define SWEEP_PLAN_H

#include <stdint.h>
#include <stdio.h>

#include "run/result/allow.h"
#include "sweep/axis.h"

#define PLAN_MAX_POINTS 1000000     /* of a sweep */
#define PLAN_MAX_RULED_OUT 10000000 /* combinations that conditions rule out: some seconds */

enum plan_sampling { PLAN_GRID, PLAN_LHS, PLAN_SOBOL }; /* sample= */

/* Texts, each allocated. */
struct plan_words {
    char **word;
    size_t n;
};

struct plan_trace {
    const char *text;               /* "traces/3dgan.trace.zst", "gen:3dgan batch=64" */
    const struct gen_workload *gen; /* NULL: a file */
    struct plan_words set;          /* "batch=64" */
};

struct plan {
    /* as given */
    struct plan_words traces, machines, where, axes, zips;
    struct plan_words once;  /* "seed=1": what may stand once only */
    struct plan_words set;   /* parameters of machines */
    struct plan_words proxy; /* "proxy.board=800": those of cost/proxy.h */
    char *prices;            /* a list of prices (machine/spec/catalog_prices.h), or NULL */
    enum plan_sampling sampling;
    uint64_t samples, seed, steps;
    bool exact, allow_unknown, retile;
    struct allow allow; /* limits of traces and their steps */
    /* asked now and then while points are made: true ends that with ERR_STOPPED; may be NULL */
    bool (*stop)(void *self);
    void *stop_self;
    /* made by plan_finish */
    struct plan_trace *trace;
    size_t n_traces;
    struct axis *axis; /* machine and trace first, if they vary */
    size_t n_axes;
    size_t *zip;   /* axis i goes along with the first axis of its zip: zip[i] <= i */
    char ***point; /* point[i][a] is the value of axis a */
    size_t n_points;
    uint64_t n_ruled_out;   /* by conditions */
    struct plan_words pool; /* values that were made, not given */
};

/* Make an empty plan; free all that a plan holds. */
void plan_init(struct plan *p);
void plan_free(struct plan *p);

/* Add one statement: key "trace", "machine", "set", "where", "axis" ("name=values"), "zip"
 * ("name,name"), "sample" ("lhs:100", "sobol:128"), "seed", "steps", "exact", "allow-unknown" or
 * "retile" ("yes", "no"), "allow" ("operations=1000000", run/result/allow.h), "prices" (a file).
 * Errors: ERR_UNKNOWN, ERR_FORMAT, ERR_RANGE; ERR_FORMAT also for a second value of what has one,
 * from "sample" on. */
int plan_add(struct plan *p, const char *key, const char *value, struct err *err);

/* Add the statements of a plan file, or of a text called `name`.
 * Errors: ERR_IO; those of plan_add with file:line. */
int plan_read(struct plan *p, const char *path, struct err *err);
int plan_read_text(struct plan *p, const char *name, const char *text, struct err *err);

/* Check the plan and make its points.  Its prices hold for all machines from then on.  Machines
 * must exist and the base of each be sound; values outside their range are left for the point to
 * say.  Errors: all of the parts; ERR_RANGE for no point at all, more than PLAN_MAX_POINTS or more
 * than PLAN_MAX_RULED_OUT combinations without one; ERR_STOPPED. */
int plan_finish(struct plan *p, struct err *err);

/* Make only traces, axes and zips, no points; machines and files need not exist.  Errors: those of
 * the parts; ERR_FORMAT for a parameter that is set twice.  (One that is set and an axis is the
 * baseline's: sweep/base_value.h.) */
int plan_axes(struct plan *p, struct err *err);

/* The plan as a plan file.  The order of options does not matter: equal statements give equal
 * text. */
void plan_print(const struct plan *p, FILE *out);
char *plan_text(const struct plan *p); /* allocated */
uint64_t plan_checksum(const struct plan *p);

/* The value of the axis called `name` at a point, or NULL if none is. */
const char *plan_value(const struct plan *p, size_t point, const char *name);

/* The machine and the trace of a point. */
const char *plan_machine(const struct plan *p, size_t point);
const struct plan_trace *plan_trace(const struct plan *p, size_t point);

/* Append a copy of `length` bytes; free all. */
void plan_words_add(struct plan_words *w, const char *word, size_t length);
void plan_words_free(struct plan_words *w);

#endif
