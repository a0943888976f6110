/* catalog_prices.h - lists of prices: the built-in one, and one of the user's that comes before it.
 *
 *     [tpu-v3-8]
 *     on_demand = 8.00 USD/h [my contract]
 *     [a100]
 *     chip_on_demand = 2.10 USD/h [my contract]
 *
 * A section is a machine, or a generation, whose price of a chip holds on all its sizes.  Machine
 * files of a user that derive from a machine take its price; built-in ones that do have their own.
 */
#ifndef MACHINE_SPEC_CATALOG_PRICES_H
#define MACHINE_SPEC_CATALOG_PRICES_H

#include "machine/spec/catalog_impl.h"

/* From now on, machines that are read take their prices from this file, where it has some; NULL:
 * from the built-in list alone.  Call it before threads are made.  Errors:
 * ERR_IO; ERR_UNKNOWN a section is no machine, with the nearest name; those of values, with
 * file:line. */
int catalog_prices_use(const char *path, struct err *err);

/* The list that comes first from now on, at most PATH_MAX with its end, which is known to be right;
 * "": none. */
void catalog_prices_set(const char *path);

/* Give `m` the built-in prices of a machine or generation. */
int catalog_prices_apply(struct machine_spec *m, const char *machine, struct err *err);

/* Give `m` the user's prices of the machine `chain[own]` and of its generation, of `n` machines of
 * which each derives from the next. */
int catalog_prices_apply_own(struct machine_spec *m, char (*chain)[CATALOG_BASE], int own, int n,
                             struct err *err);

#endif
