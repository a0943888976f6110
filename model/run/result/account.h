/* account.h - the grounds that the seconds of a step rest on.
 *
 *     step = measured + models + bounds + data + retiled + assumptions        exactly
 *
 * An operation is in the first class that fits, in this order:
 *
 *     bounds       its work could not be read: its time is the least that it can take, or one that
 *                  somebody states
 *     data         data or the file leave its work open: an assumption was taken
 *     retiled      it runs in tiles of ours in place of the compiler's
 *     measured     validation has measurements of its kind (kernel_kind.h) on this generation
 *     assumptions  of its seconds, those that unverified values of the machine move; without trials
 *                  (study/trial_pace.h), all whose pace such a value sets
 *     models       the others
 *
 * Classes are of the seconds that a replay says.  Work that was not read may take more, so what is
 * known of a step is the least of
 *
 *     1 - (bounds + data) / step
 *     1 - the share of the recorded time that a recording says was not read
 *     (step - bounds - data) / (step + could)
 *
 * where `could` is what such work takes if all elements of its operands and results meet each other
 * once at the machine's peak rate, and loops that data end turn ACCOUNT_TURNS times.  A recording
 * that says a share leaves `could` at 0.
 *
 * A kind is measured if the rows of model/measured/measured.csv have it: kernels of it took
 * ACCOUNT_LEAST percent or more of the time that was measured in some row of a generation and that
 * nothing was fitted on.  `make evidence` writes that table, and a test holds it against a whole
 * validation.  On a machine with changed values, or of a file of one's own, nothing is measured;
 * prices and powers change no time. */
#ifndef RUN_RESULT_ACCOUNT_H
#define RUN_RESULT_ACCOUNT_H

#include <stdio.h> /* before gmp.h, which declares what takes a FILE only then */

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/numbered.h"
#include "machine/spec/pace.h"
#include "run/result/published.h"

#define ACCOUNT_LEAST 10        /* percent of a measured time */
#define ACCOUNT_STEM "measured" /* of the table of measured kinds */
#define ACCOUNT_LARGEST 10      /* operations that are listed by name */
#define ACCOUNT_OPEN 2          /* percent not modelled: reports list the reasons of more */
#define ACCOUNT_UNKNOWN 5       /* percent not known: the first sentence of a report says more */
#define ACCOUNT_TURNS 1000      /* of a loop that data end: a choice, most turn fewer times */

/* clang-format off */
#define ACCOUNT_CLASSES(A)                                                                         \
    A(MEASURED,    "measured",    "measured kinds of kernels")                                     \
    A(MODELS,      "models",      "models without a measurement")                                  \
    A(BOUNDS,      "bounds",      "lower bounds of what could not be read")                        \
    A(DATA,        "data",        "work that data or the file leave open")                         \
    A(RETILED,     "retiled",     "our tiles in place of the compiler's")                          \
    A(ASSUMPTIONS, "assumptions", "unverified values of the machine")
/* clang-format on */
enum account_class {
#define A(id, text, doc) ACCOUNT_##id,
    ACCOUNT_CLASSES(A)
#undef A
        N_ACCOUNT
};
/* [enum account_class] "bounds"; what rests on it, in words */
extern const char *const account_name[N_ACCOUNT];
extern const char *const account_doc[N_ACCOUNT];

/* Seconds of a step that rest on one thing. */
struct account_line {
    enum account_class class;
    char *what;     /* a kind of kernels, an operation; "": all of one reason */
    char *why;      /* the reason; "" of kinds */
    uint64_t count; /* executions in a step */
    mpq_t seconds;
    bool moved; /* of assumptions: by a replay with another value */
};

struct account {
    mpq_t seconds[N_ACCOUNT]; /* of a step and core */
    uint64_t count[N_ACCOUNT];
    bool at_least;                /* work of the step is left out: it takes longer than we say */
    mpq_t could;                  /* seconds that such work takes on top at most, as above, */
    uint64_t could_count;         /* of so many executions */
    mpq_t unread;                 /* the share that a recording says; 0 */
    uint64_t lost;                /* launches whose kernels that has not */
    struct account_line *kind;    /* n_kinds: of measured, models and assumptions, longest first */
    struct account_line *reason;  /* n_reasons: of all classes but measured and models, likewise */
    struct account_line *largest; /* n_largest: of bounds, data and retiled, by operation */
    size_t n_kinds, n_reasons, n_largest;
};

/* q = the share of the step that is known, as above; 1 of a step without time.  True if `could`
 * sets it: more may be known. */
bool account_known(mpq_t q, const struct account *a);
/* "22.0 % of NAME is not known"; where `could` sets it, "how long 64 operations of NAME take is not
 * known". */
void account_write_unknown(const struct account *a, const char *name, FILE *out);
/* q = the share that is measured or modelled, at most what is known. */
void account_modelled(mpq_t q, const struct account *a);
/* True if more than ACCOUNT_UNKNOWN percent of the step are not known; if some operation is of
 * `bounds`, or more than ACCOUNT_OPEN percent are neither measured nor modelled. */
bool account_is_unknown(const struct account *a);
bool account_is_open(const struct account *a);

/* Make it 0; give back what it holds. */
void account_init(struct account *a);
void account_clear(struct account *a);

/* The kinds of kernels that were measured on a generation. */
struct account_kinds {
    struct numbered names;
    size_t n; /* names with a number below this are measured */
};
/* Read those of the machine's generation from a table, NULL: the program's.  Errors: ERR_FORMAT a
 * damaged table. */
int account_kinds_read(struct account_kinds *k, const struct machine_spec *m,
                       const struct published_file *file, struct err *err);
bool account_kinds_have(struct account_kinds *k, const char *kind);

/* Facts of an operation before it has run. */
struct account_note {
    const char *kind; /* of its kernels (kernel_kind.h); borrowed */
    bool measured;    /* that kind, on this generation */
    uint32_t basis;   /* bits of enum trace_basis */
    bool unknown;     /* of a kind that no trace knows */
    bool on_core;     /* a kernel for SparseCores, which the machine does not have */
    uint64_t met;     /* elements of operands and results of what was not read */
};

/* Say how many seconds of the step an unverified value moves, 0 or more.  More than before are
 * taken from `models`, as far as they have them, fewer are given back.  Call account_sort()
 * afterwards. */
void account_move(struct account *a, const char *value, const mpq_t seconds);

/* Sums by name while rows are collected. */
struct account_sum {
    mpq_srcptr peak;                /* FLOP/s of a core */
    mpq_srcptr part;                /* of the steps that the step at hand is */
    bool recorded;                  /* a recording says what was not read */
    bool elsewhere;                 /* some operation has the time that another machine took */
    char pace[N_CAUSES][PACE_NAME]; /* the unverified value that sets the pace: pace_unverified() */
    struct numbered kinds, reasons, ops;
};

struct run_row;

/* Add the row of an operation, whose seconds are final, and say in it what it rests on; then sort
 * the lines.  After the last row `s` is to be cleared. */
void account_add(struct account *a, struct account_sum *s, const struct account_note *n,
                 struct run_row *w);
void account_sort(struct account *a);
void account_sum_clear(struct account_sum *s);

#endif
