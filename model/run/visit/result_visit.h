/* result_visit.h - everything that a result holds, in one order, with its name and its unit.
 *
 * JSON, CSV, sweeps and validation all read a result through this list: a new figure is added here
 * once and appears in all of them.  Values stay exact; who visits decides how they are rounded.
 *
 *     group "time_by_cause"              an object
 *         value "mxu"  s  3/1000
 *     list "stages"                      an array
 *         group                          elements have no name
 *             value "seconds"  s  1/250
 *
 * Costs that follow from a result (USD of a step, joules of an epoch) are worked out on the way. */
#ifndef RUN_VISIT_RESULT_VISIT_H
#define RUN_VISIT_RESULT_VISIT_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "run/result/result.h"

enum result_kind {
    RESULT_TEXT,     /* text */
    RESULT_INTEGER,  /* integer */
    RESULT_WHOLE,    /* whole: an integer that may be beyond 2^64 */
    RESULT_DECIMAL,  /* decimal: an exact ratio */
    RESULT_FLAG,     /* flag */
    RESULT_CHECKSUM, /* integer: 64 bits that are an identity and no number */
    RESULT_NOTHING,  /* nothing: a group that this result does not have */
};

struct result_value {
    const char *name; /* NULL: an element of a list */
    const char *unit; /* "s", "B", "FLOP", "USD", "J", "1/s", "ratio"; "" of texts and counts */
    enum result_kind kind;
    bool known;  /* false: of this kind, but unknown */
    bool beside; /* belongs to the value before it: layouts keep both on one line */
    union {
        const char *text;
        uint64_t integer;
        mpz_srcptr whole;
        mpq_srcptr decimal;
        bool flag;
    };
};

enum result_shape {
    RESULT_GROUP, /* values with names */
    RESULT_LIST,  /* short elements without names */
    RESULT_ROWS,  /* long ones, each a group, which layouts put on a line of its own */
};

/* Called in order, `self` first: a group, list or row opens, has its values, and closes.  `name` is
 * NULL of elements of a list. */
struct result_visitor {
    void *self;
    void (*open)(void *self, const char *name, enum result_shape shape);
    void (*close)(void *self);
    void (*value)(void *self, const struct result_value *v);
};

/* Visit all of a result.  What is visited is borrowed for the call.  O(size of the result), and
 * figures squared. */
void result_visit(const struct result_visitor *v, const struct run_result *r);

/* Parts of it, for reports that show some: "time_by_cause", "mxu_slots", "memory", all groups of
 * figures, "padding" (nothing where no time goes to it), "account", and that without its lists,
 * "expected" of "evidence", "provenance", the lists "tree", "flow" and "advice", and the members of
 * one row. */
void result_visit_causes(const struct result_visitor *v, uint32_t causes,
                         const struct amounts *cause);
void result_visit_slots(const struct result_visitor *v, uint32_t causes, const struct run_slots *s);
void result_visit_memory(const struct result_visitor *v, const struct run_result *r);
/* The members with prices and power, and "run" of them. */
void result_visit_costs(const struct result_visitor *v, const struct run_result *r);
void result_visit_figures(const struct result_visitor *v, const struct run_result *r);
void result_visit_padding(const struct result_visitor *v, const struct run_result *r);
void result_visit_row_padding(const struct result_visitor *v, const struct run_row *row);
void result_visit_account(const struct result_visitor *v, const struct account *a);
void result_visit_account_sums(const struct result_visitor *v, const struct account *a);
void result_visit_expected(const struct result_visitor *v, const struct run_result *r);
void result_visit_run(const struct result_visitor *v, const struct run_result *r);
void result_visit_provenance(const struct result_visitor *v, const struct run_result *r);
void result_visit_tree(const struct result_visitor *v, const struct run_result *r);
void result_visit_flow(const struct result_visitor *v, const struct run_flow *f);
void result_visit_advice(const struct result_visitor *v, const struct run_row *row);
void result_visit_row(const struct result_visitor *v, const struct run_row *row);

/* The values outside lists by their path: "utilization.mxu", "memory.roles.weights"; v->name is the
 * last part of it. */
typedef void result_path_visit(void *self, const char *path, const struct result_value *v);
void result_visit_paths(const struct run_result *r, result_path_visit *visit, void *self);
void result_visit_row_paths(const struct run_row *row, result_path_visit *visit, void *self);

/* q = the number at `path`, and its unit unless `unit` is NULL.  false: there is none, or it is
 * unknown.  O(size of the result). */
bool result_number(mpq_t q, const char **unit, const struct run_result *r, const char *path);

/* The nearest double to a known number.  A decimal is first rounded to 17 significant digits, as
 * the JSON of a report has it, so that both ways give the same double. */
double result_double(const struct result_value *v);

#endif
