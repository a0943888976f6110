/* cost.h - dollars and watts of a machine, exact: its prices an hour, its power under a load.
 *
 *     USD   = USD an hour of a slice x slices x seconds / 3600
 *           = USD an hour of a chip x chips x seconds / 3600, where slices have no price of their
 * own
 *     watts = chips x (idle + busy x share of the time in which its cores have work)
 *             + multiply-accumulates, bytes and bits a second x the energy of each,
 *               chips x peak at most
 *
 * of machines whose file says what work takes.  Of others a range is known: from chips that are
 * idle all the time to chips that draw the peak whenever a core has work.
 *
 * Prices and power are the sections [price] and [power] of machine files. */
#ifndef COST_COST_H
#define COST_COST_H

#include <gmp.h>
#include <stdbool.h>

#include "machine/spec/spec.h"

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

/* The load of a machine: what it does in a second. */
struct cost_load {
    mpq_t share;                        /* of the time in which a core works, of all cores */
    mpq_t macs, fmas, bytes, link_bits; /* of all chips: in matrix units, in CUDA cores, to and from
                                           memory, on links between chips */
};
void cost_load_init(struct cost_load *l);
void cost_load_clear(struct cost_load *l);

/* Parts of a power. */
enum cost_part {
    COST_IDLE,
    COST_BUSY,    /* cores that have work, whatever it is */
    COST_PRODUCT, /* multiply-accumulates of the matrix units */
    COST_VECTOR,  /* of the CUDA cores */
    COST_MEMORY,
    COST_LINK,
    COST_N_PARTS
};
extern const char *const cost_part_name[COST_N_PARTS]; /* "idle" */

/* Watts of all chips under a load. */
struct cost_power {
    bool known;               /* least and most are: somebody published the power of the chip */
    bool by_work;             /* so are `watts` and its parts */
    bool limited;             /* parts add up to more than the chips' limit, which they draw */
    mpq_t least, most, watts; /* least <= watts <= most */
    mpq_t part[COST_N_PARTS]; /* they add up to `watts` unless it is limited */
};
void cost_power_init(struct cost_power *p);
void cost_power_clear(struct cost_power *p);

/* The power of `spec` under `load`. */
void cost_power_of(struct cost_power *p, const struct machine_spec *spec,
                   const struct cost_load *load);

/* The sources of what a power was made of, each once: "[accelwattch] [jouppi-2021]"; to be freed.
 */
char *cost_power_sources(const struct machine_spec *spec);

#endif
