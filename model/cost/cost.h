/* cost.h - dollars and watts of a machine, exact: its prices an hour, its power under a load.
 *
 *     USD   = USD an hour of a slice x slices x seconds / 3600
 *           = USD an hour of a chip x chips x seconds / 3600, where slices have no price of their
 * own watts = chips x (idle + (peak - idle) x share of the time in which a core is active)
 *
 * Prices and power are the sections [price] and [power] of machine files. */
#ifndef COST_COST_H
#define COST_COST_H

#include <gmp.h>
#include <stdbool.h>

#include "machine/spec.h"

/* q = USD for `seconds` at `per_hour`. */
void cost_usd(mpq_t q, const mpq_t per_hour, const mpq_t seconds);

/* The prices of a machine. */
enum cost_price { COST_ON_DEMAND, COST_PREEMPTIBLE };

/* q = USD an hour of all slices.  False where nobody lists that price; q is 0 then. */
bool cost_per_hour(mpq_t q, const struct machine_spec *spec, enum cost_price price);

/* True if that price has a source: it is not marked [unverified].  False too where nobody lists it.
 */
bool cost_verified(const struct machine_spec *spec, enum cost_price price);

/* "[ju-2020: 2020-04-07]", or both sources when the prices come from two places; to be freed. */
char *cost_sources(const struct machine_spec *spec);

/* q = watts of all chips while their cores are active for `share` of the time.  False where nobody
 * published the power of the chip; q is unchanged then. */
bool cost_watts(mpq_t q, const struct machine_spec *spec, const mpq_t share);

#endif
