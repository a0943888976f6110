/* ask.h - what to ask of a sweep, and what it answers. */
#ifndef SWEEP_REPORT_ASK_H
#define SWEEP_REPORT_ASK_H

#include "sweep/report/breakeven.h"
#include "sweep/report/fit.h"
#include "sweep/report/goal.h"
#include "sweep/report/pairs.h"
#include "sweep/report/pareto.h"

#define ASK_ERROR "evidence.expected.error" /* the column of errors to expect */
#define ASK_KNOWN "account.known"           /* the share of a step whose work is known */
#define ASK_UNKNOWN 0.05 /* of a step not known: ACCOUNT_UNKNOWN of run/result/account.h */
#define ASK_TOP 10       /* points that are listed, unless told otherwise */
#define ASK_MAX_GOALS 8  /* of one front */

/* Texts are those of options; NULL: not asked for, or as usual. */
struct ask {
    const char *best;   /* "usd_per_epoch.on_demand", "max:utilization.mxu" */
    const char *where;  /* a condition over the columns */
    const char *pareto; /* goals with commas between them; the first two are time and cost */
    uint64_t top;       /* rows of a table */
    const char *breakeven, *challengers, *rival; /* a parameter, two conditions */
    double times;
    double hands; /* sweep/hands.h of the baseline; NAN: nobody asked */
    double swing; /* sweep/neighbours.h of the best point; 0: none, or nobody asked */
};

struct ask_answer {
    const struct sweep_table *t;
    const struct ask *q;
    size_t *rows, n; /* that the condition allows and that fit in memory, best first */
    size_t n_beyond; /* that do not fit: rows[n], rows[n + 1] ..., which count nowhere else */
    bool none_fits;  /* then `rows` has all, n_beyond is 0: answers as if memories were larger */
    struct goal best;
    struct goal goal[ASK_MAX_GOALS];         /* of the front */
    double best_noise, noise[ASK_MAX_GOALS]; /* of these figures: noise.h */
    size_t n_goals;
    size_t *front, n_front;
    struct fit fit[2]; /* of the first two goals */
    size_t n_fits;
    struct pairs_step *step;
    size_t n_steps;
    struct breakeven breakeven;
};

/* Answer.  With no point done there are no rows and nothing else.  Errors: ERR_UNKNOWN, ERR_FORMAT,
 * ERR_RANGE for names, conditions and goals that the table does not have. */
int ask_answer(struct ask_answer *a, const struct sweep_table *t, const struct ask *q,
               struct err *err);
void ask_free(struct ask_answer *a);

#endif
