/* cyclotron.h - the library: machines, programs, replays, results and the points of sweeps.
 *
 *     struct cyclotron_error e;
 *     struct cyclotron_machine *m = cyclotron_machine_load("tpu-v3-8", NULL, 0, &e);
 *     struct cyclotron_program *p = cyclotron_program_load("traces/3dgan.trace.zst", 0, &e);
 *     struct cyclotron_result *r = cyclotron_replay(p, m, NULL, &e);
 *     double seconds;
 *     cyclotron_result_number(r, "seconds_per_step", &seconds, NULL);
 *
 * Every object is opaque.  A function that returns an object without `const` gives it to the
 * caller, who frees it with the _free() of its kind; freeing NULL is allowed.  A result does not
 * need its program and machine any more; a point does not need its plan.  Arguments are copied,
 * unless it says otherwise; but for the error, texts and objects must not be NULL where it is not
 * said that they may.  Texts are UTF-8.
 *
 * Figures are those of `cyclotron replay`, to the digit, in the units that
 * docs/reference/metrics.md gives: s, B, FLOP, J, USD.  A function that can fail returns NULL or
 * -1; one that takes an error fills it in then, unless it is NULL, and leaves it alone when it
 * succeeds.
 *
 * Objects are independent of each other: threads may work at once, each with its own objects.  What
 * a function takes as `const` it does not change, so several threads may share a machine, a program
 * or a result that none of them frees; only a plan belongs to one thread at a time.  The library
 * prints nothing and sets nothing of the process, with exceptions.  As it is loaded it gives GMP
 * and Jansson allocators that tell of want of memory, unless somebody has set others; where memory
 * runs out it says so on standard error and ends the process with status 71, and a broken invariant
 * of its own is printed as "BUG file:line" and aborts.
 *
 * Functions and structs of this file keep their meaning within a major version of the library.  The
 * event kernel is in the library too: des/des.h. */
#ifndef API_CYCLOTRON_H
#define API_CYCLOTRON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors --------------------------------------------------------------------------------- */

/* The reason why a function failed.  Values keep their numbers; later versions may add some. */
enum cyclotron_code {
    CYCLOTRON_OK,      /* never set by a function that failed */
    CYCLOTRON_IO,      /* the operating system refused */
    CYCLOTRON_FORMAT,  /* the bytes do not parse */
    CYCLOTRON_UNKNOWN, /* a name nobody declared */
    CYCLOTRON_RANGE,   /* parsed, but outside the declared range */
    CYCLOTRON_UNIT,    /* parsed, but without a unit or in one of another dimension */
    CYCLOTRON_FIT,     /* valid, but this machine cannot run it */
    CYCLOTRON_STOPPED  /* options.stop asked for it */
};

struct cyclotron_error {
    enum cyclotron_code code;
    char message[512]; /* one line: "mine.ini:14: mxu.rows = 4: outside [8, 1024] PE" */
};

/* "0.1.0" of the library that is linked, which may be newer than this file.  The text is static. */
const char *cyclotron_version(void);

/* Free a text that a function says is to be given to this one.  NULL is allowed. */
void cyclotron_free(void *text);

/* --- machines ------------------------------------------------------------------------------- */

struct cyclotron_machine;

/* Read a built-in machine ("tpu-v3-8", "a100x4", "xeon-6148") or a machine file, whose name has a
 * slash or ends in .ini, and change `n_set` parameters: "mxu.count=4", "core.clock=1.5 GHz", in the
 * units of docs/reference/params.md.  `set` may be NULL if n_set is 0.  Errors: UNKNOWN with the
 * nearest name; FORMAT, RANGE, UNIT, FIT of a file or a parameter; IO. */
struct cyclotron_machine *cyclotron_machine_load(const char *name, const char *const *set,
                                                 size_t n_set, struct cyclotron_error *error);
void cyclotron_machine_free(struct cyclotron_machine *machine);

/* "TPU v3-8: 4 chips (2x2 mesh), 8 cores, 1 host"; as a machine file, every value with its unit and
 * its source.  To be given to cyclotron_free(). */
char *cyclotron_machine_summary(const struct cyclotron_machine *machine);
char *cyclotron_machine_text(const struct cyclotron_machine *machine);

/* Call `visit` with the name of each built-in machine; a name lives for the call. */
void cyclotron_machine_names(void (*visit)(void *self, const char *name), void *self);

/* --- programs ------------------------------------------------------------------------------- */

/* A training step: a trace, a program compiled by XLA, or a file of another tool that `cyclotron
 * replay` reads. */
struct cyclotron_program;

/* Open a file, which every replay reads again and which must stay as it is; or `size` bytes, which
 * are copied, with a name for messages.  Unless `allow_unknown` is 0, operations of unknown kind
 * count as memory traffic. Errors: IO, FORMAT, UNKNOWN, RANGE with file and line, of what the head
 * of a trace says or of a whole compiled program; the steps of a trace are checked by its replay.
 */
struct cyclotron_program *cyclotron_program_load(const char *path, int allow_unknown,
                                                 struct cyclotron_error *error);
struct cyclotron_program *cyclotron_program_parse(const char *name, const void *bytes, size_t size,
                                                  int allow_unknown, struct cyclotron_error *error);
void cyclotron_program_free(struct cyclotron_program *program);

/* The machine that a compiled program was compiled for, "" of a trace.  The text lives as long as
 * the program. */
const char *cyclotron_program_machine(const struct cyclotron_program *program);

/* --- replays -------------------------------------------------------------------------------- */

/* Options of a replay; begin with CYCLOTRON_OPTIONS, which asks for one step.  The struct and what
 * its `self` pointers lead to are needed for the call alone.  Later versions add members at the
 * end: `size` tells the library which ones the caller has. */
struct cyclotron_options {
    size_t size;     /* sizeof(struct cyclotron_options) of the caller */
    uint64_t steps;  /* to measure after those that warm up: 1 to 10^9 */
    uint64_t epochs; /* of a whole run, whose time and cost are wanted; 0: none */
    int exact;       /* every shortcut off */
    int retile;      /* tile the kernels of a compiled program anew, for any generation */
    int lanes;       /* record what units do over time, for the HTML page */
    /* Told now and then, by the calling thread: `done` of `all` in units of `what`; all = 0 is
     * unknown.  May be NULL. */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
    /* Asked before each step and several times a second within one, by the calling thread: unless
     * it returns 0 the replay ends with STOPPED.  May be NULL. */
    int (*stop)(void *self);
    void *stop_self;
};
#define CYCLOTRON_OPTIONS                                                                          \
    {                                                                                              \
        sizeof(struct cyclotron_options), 1, 0, 0, 0, 0, NULL, NULL, NULL, NULL                    \
    }

/* All that one replay has found out. */
struct cyclotron_result;

/* Replay a program on a machine; `options` NULL: one step.  A step that does not fit the memory is
 * replayed all the same: "memory.fits" says so.  Errors: those of the program's steps; FIT of what
 * the machine cannot run; RANGE of options; STOPPED. */
struct cyclotron_result *cyclotron_replay(const struct cyclotron_program *program,
                                          const struct cyclotron_machine *machine,
                                          const struct cyclotron_options *options,
                                          struct cyclotron_error *error);
void cyclotron_result_free(struct cyclotron_result *result);

/* --- results -------------------------------------------------------------------------------- */

/* The kind of a value, which says what of it is set. */
enum cyclotron_kind {
    CYCLOTRON_NUMBER, /* number */
    CYCLOTRON_FLAG,   /* number: 0 or 1 */
    CYCLOTRON_STRING, /* text; checksums are 16 hexadecimal digits */
    CYCLOTRON_NONE    /* neither: unknown, or this result has none */
};

/* A figure or a text of a result. */
struct cyclotron_value {
    const char *path; /* "utilization.mxu", as in the JSON */
    const char *unit; /* "s", "B", "FLOP", "USD", "J", "1/s", "ratio"; "" of texts and counts */
    enum cyclotron_kind kind;
    double number;    /* the double nearest to the exact value; 0 of a text */
    const char *text; /* NULL of a number */
};
/* Called with a value, which lives for the call but for its unit, which is static. */
typedef void cyclotron_visit(void *self, const struct cyclotron_value *value);

/* *value = the number at a path, a flag as 0 or 1; *unit = its unit, a static text, unless `unit`
 * is NULL.  Returns 0, or -1 if there is no number; both are left alone then.  O(size of the
 * result). */
int cyclotron_result_number(const struct cyclotron_result *result, const char *path, double *value,
                            const char **unit);
/* The text at a path, to be given to cyclotron_free(), or NULL if there is no text. */
char *cyclotron_result_string(const struct cyclotron_result *result, const char *path);
/* All values outside lists, in the order of the JSON, one call of `visit` for each. */
void cyclotron_result_visit(const struct cyclotron_result *result, cyclotron_visit *visit,
                            void *self);

/* Tables of a result.  Times and amounts of a row are of one step and one core, as in the JSON. */
enum cyclotron_rows {
    CYCLOTRON_PHASES,     /* of the step, in program order */
    CYCLOTRON_OPERATIONS, /* in program order, identical layers as one */
    CYCLOTRON_LAYERS,     /* sums of operations */
    CYCLOTRON_SCOPES,     /* of names in a compiled program */
    CYCLOTRON_SOURCES     /* lines of source of a compiled program */
};

/* The number of rows of a table; 0 of a table that this result has not. */
size_t cyclotron_result_rows(const struct cyclotron_result *result, enum cyclotron_rows rows);
/* All values of row i outside lists: "name", "seconds", ...  Returns 0, or -1 if there is no such
 * row. */
int cyclotron_result_visit_row(const struct cyclotron_result *result, enum cyclotron_rows rows,
                               size_t i, cyclotron_visit *visit, void *self);

/* Reports, as the files that `cyclotron replay -o` writes. */
enum cyclotron_report {
    CYCLOTRON_TEXT, /* a screen of 100 columns, as `cyclotron replay --no-trials` prints it */
    CYCLOTRON_JSON, /* everything */
    CYCLOTRON_CSV,  /* the operations */
    CYCLOTRON_HTML  /* a page that needs no network; over time only with options.lanes */
};

/* A whole report, to be given to cyclotron_free(); NULL of an unknown kind. */
char *cyclotron_result_report(const struct cyclotron_result *result, enum cyclotron_report report);

/* --- sweeps --------------------------------------------------------------------------------- */

/* Points of a sweep.  Points do not depend on each other: processes may share them out.  A plan
 * keeps the last replay for points that differ in prices alone, so one thread uses it at a time. */
struct cyclotron_plan;

/* Read a plan file, or the text of one called `name`, and make its points.  Paths in it are
 * relative to the working directory.  Errors: FORMAT, UNKNOWN, RANGE with file and line; IO. */
struct cyclotron_plan *cyclotron_plan_load(const char *path, struct cyclotron_error *error);
struct cyclotron_plan *cyclotron_plan_parse(const char *name, const char *text,
                                            struct cyclotron_error *error);
/* cyclotron_plan_parse, which asks `stop` every few milliseconds while it makes points: unless it
 * returns 0, that ends with STOPPED.  NULL: nobody is asked. */
struct cyclotron_plan *cyclotron_plan_parse_until(const char *name, const char *text,
                                                  int (*stop)(void *self), void *self,
                                                  struct cyclotron_error *error);
void cyclotron_plan_free(struct cyclotron_plan *plan);

/* The numbers of points and of axes of a plan. */
size_t cyclotron_plan_points(const struct cyclotron_plan *plan);
size_t cyclotron_plan_axes(const struct cyclotron_plan *plan);
/* The name of an axis, "mxu.count"; its value at a point, "4".  Both count from 0; NULL: there is
 * no such axis or point.  The texts live as long as the plan. */
const char *cyclotron_plan_axis(const struct cyclotron_plan *plan, size_t axis);
const char *cyclotron_plan_value(const struct cyclotron_plan *plan, size_t point, size_t axis);

/* The figures of a point that was run. */
struct cyclotron_point;

/* Run a point.  Errors: those of its machine and its replay; RANGE: there is no such point. */
struct cyclotron_point *cyclotron_plan_run(struct cyclotron_plan *plan, size_t point,
                                           struct cyclotron_error *error);
void cyclotron_point_free(struct cyclotron_point *point);

/* *value = a figure of a point by its path: that of a result, or of a proxy ("proxy.board"), in the
 * unit that it has there.  Returns 0, or -1 if there is none. */
int cyclotron_point_number(const struct cyclotron_point *point, const char *path, double *value);
/* All of them as numbers; their unit is "" here. */
void cyclotron_point_visit(const struct cyclotron_point *point, cyclotron_visit *visit, void *self);
/* The JSON of its replay, which lives as long as the point. */
const char *cyclotron_point_json(const struct cyclotron_point *point);

#ifdef __cplusplus
}
#endif

#endif
