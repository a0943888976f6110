/* price.h - prices and power of the machine in a result; they change no cycle of a step. */
#ifndef RUN_RESULT_PRICE_H
#define RUN_RESULT_PRICE_H

#include "cost/cost.h"
#include "run/result/result.h"

/* True of sections of machine files ("price", "power") whose parameters change only what
 * price_result() sets. */
bool price_decides(const char *section);

/* Set prices, power, the list of changed parameters and the checksum of the machine, in place of
 * those that are there.  Times must be known. */
void price_result(const struct machine_spec *s, struct run_result *r);

/* Turn a finished result into that of the machine `s`, which differs from the one that ran in such
 * sections alone: the result that a replay would give.  Errors: of the table of measurements. */
int price_again(const struct machine_spec *s, struct run_result *r, struct err *err);

#endif
