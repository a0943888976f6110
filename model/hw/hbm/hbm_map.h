/* hbm_map.h - where an address lies: channel, bank, row and column, by the map of the part.
 *
 * A map such as "ro ba bg ch co" names the fields from the top of the address to the bottom, above
 * the bytes of one access.  A field is a digit whose base is the number of channels, banks, ... so
 * that six stacks are as good as eight; "co2" takes two bits of the columns, "co" what is left. The
 * row comes first, so that the addresses of a period (all accesses of one row of every bank) recur
 * one row on. */
#ifndef HW_HBM_HBM_MAP_H
#define HW_HBM_HBM_MAP_H

#include "hw/hbm/hbm_timing.h"

enum hbm_field { HBM_CH, HBM_PC, HBM_BG, HBM_BA, HBM_CO, HBM_RO, HBM_N_FIELDS };

#define HBM_MAP_DIGITS 16

struct hbm_digit {
    enum hbm_field field;
    uint32_t base;   /* values it takes; the row takes all that is left */
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

/* Errors: ERR_FORMAT with the field that is unknown, twice there or missing. */
int hbm_map_init(struct hbm_map *m, const struct dram_params *par, struct err *err);

/* Of access number `n`: byte n * access. */
struct hbm_place hbm_map_place(const struct hbm_map *m, uint64_t n);

#endif
