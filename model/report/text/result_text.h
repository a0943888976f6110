/* result_text.h - parts of text reports that show a struct run_result, 100 columns wide. */
#ifndef REPORT_TEXT_RESULT_TEXT_H
#define REPORT_TEXT_RESULT_TEXT_H

#include <stdio.h>

#include "report/text/scale.h"
#include "run/result/result.h"
#include "run/result/words.h"

#define RESULT_TEXT_WIDTH 100 /* columns of a report */

/* Lines from "  memory   fits: ..." on: peak, capacity, roles, and remedies if it does not fit. */
void result_text_memory(const struct run_result *r, FILE *out);

/* "fits by 10.0 %; with xla.narrow_activations=no it needs 57.5 GiB and does not fit", where the
 * margin is close or rests on that switch.  false: it is neither, and nothing is written. */
bool result_text_doubt(const struct run_result *r, FILE *out);

/* "5 epochs in 0.25 h, 2 USD on demand, 0.6 USD preemptible", of a result with epoch_has_run(). */
void result_text_run(const struct run_result *r, FILE *out);
/* A line "run on tpu-v3-8: ..." with that, or that nobody knows; nothing where no epochs were asked
 * for. */
void result_text_run_on(const char *machine, const struct run_result *r, FILE *out);

/* A table of the causes that took time, longest first; `what` is "step" or "op". */
void result_text_causes(const struct run_result *r, const struct scale *time, const char *what,
                        FILE *out);
/* A table of the stages of a pipeline: seconds, bubble, memory.  Nothing without a pipeline. */
void result_text_stages(const struct run_result *r, const struct scale *time, FILE *out);

/* A table of the rows that are padded: what of them is real, what the rest takes of a step and
 * costs. Nothing where no time goes to padding. */
void result_text_padding(const struct run_result *r, const struct scale *time, FILE *out);

/* A table of figures for each group of them; what is unknown or prints as 0.0 % has no line. */
void result_text_figures(const struct run_figure *f, size_t n, const struct words *w, FILE *out);

/* The busiest link beside the average of all; nothing if no link carries a byte. */
void result_text_links(const struct run_link *l, size_t n, const struct words *w, FILE *out);

/* The ledger of the matrix units: the step, then at most ADVISED_MOST of `rows`, those that leave
 * most slots unused first.  A row that leaves at least a hundredth of the slots of the step unused
 * is followed by its first advice. */
void result_text_ledger(const struct run_row *rows, size_t n, const struct run_result *r,
                        FILE *out);

#endif
