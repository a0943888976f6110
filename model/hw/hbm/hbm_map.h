/* hbm_map.h - the channel, bank, row and column of an address, by the part's address map.
 *
 * A map such as "ro ba bg ch co" names the fields of an address from the top to the bottom, above
 * the bytes of one access.  A field is a digit whose base is the number of channels, banks, ...,
 * which need not be a power of two; six stacks work as well as eight.  "co2" takes two bits of the
 * column, "co" the rest.  The row is the top field, so that addresses recur one row further after a
 * period: all accesses of one row of every bank. */
#ifndef HW_HBM_HBM_MAP_H
#define HW_HBM_HBM_MAP_H

#include "hw/hbm/hbm_timing.h"

enum hbm_field { HBM_CH, HBM_PC, HBM_BG, HBM_BA, HBM_CO, HBM_RO, HBM_N_FIELDS };

#define HBM_MAP_DIGITS 16 /* words of a map */

struct hbm_digit {
    enum hbm_field field;
    uint32_t base;   /* number of values; the row takes whatever is left */
    uint32_t weight; /* of the digit within its field */
};

struct hbm_map {
    struct hbm_digit digit[HBM_MAP_DIGITS]; /* from the bottom */
    uint32_t n_digits;
    uint32_t groups, banks; /* of a pseudo-channel, of a group */
    uint64_t access;        /* bytes */
    uint64_t period;        /* accesses until every digit but the row is back at its first value */
};

struct hbm_place {
    uint32_t channel, bank, column; /* bank: of the channel, groups and pseudo-channels together */
    uint64_t row;
};

/* Errors: ERR_FORMAT with the field that is unknown, given twice or missing. */
int hbm_map_init(struct hbm_map *m, const struct dram_params *par, struct err *err);

/* The place of access number `n`, that is of byte n * access.  O(digits). */
struct hbm_place hbm_map_place(const struct hbm_map *m, uint64_t n);

#endif
