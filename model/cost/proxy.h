/* proxy.h - area and price of machines that nobody has built, so that more hardware costs
 * something.
 *
 *     die  = (cores * (count * mxu + lanes * sublanes * alus * alu) * logic
 *             + (cores * VMEM + CMEM) * sram * cells
 *             + (HBM rate * hbm_area + links * ICI rate * ici_area + rest) * other) / dies
 *     mxu  = max(size^2 * rows_per_cycle * pe, size * edge)
 *     chip = dies * wafer / (dies of a wafer * yield) + HBM + ICI + board
 *     rent = rent of the machine as it is * (1 - share + share * hardware / hardware as it is)
 *
 * Areas are those of 16 nm, of TPU v2 and v3, where the published dies fix what is left over.  The
 * node of a machine (die.node) shrinks them: logic and cells by what the foundry published, the
 * other circuits by what the die of TPU v4i leaves for them.  Dies of a wafer by the usual rule for
 * a round wafer, pi r^2 / A - pi d / sqrt(2 A); yield (1 + A defects / 3)^-3.  What is wanted is
 * the ratio of two machines of one generation. */
#ifndef COST_PROXY_H
#define COST_PROXY_H

#include <stdbool.h>

#include "base/param.h"
#include "machine/spec/spec.h"

/* clang-format off */
#define PROXY_PARAMS(P)                                                                            \
    P(PPB, pe_area,   "um2", "1129", "0", "1000000",                                               \
      "of a multiplier with its adder and registers: v3 has 2 more arrays a chip than v2 and 648 in place of 611 mm2 [derived: jouppi-2020]") \
    P(PPB, edge_area, "um2", "101610", "0", "100000000",                                           \
      "of the wires of a row and column at the edge of an array: equal to the multipliers' at size 90 [derived: jouppi-2020]") \
    P(PPB, alu_area,  "um2", "8000", "0", "1000000",                                               \
      "of a vector ALU with its registers [unverified]")                                           \
    P(PPB, sram_area, "mm2", "1.2", "0", "1000",                                                   \
      "of a MiB on chip: cells of 0.07 um2, half of the area [unverified]")                        \
    P(PPB, hbm_area,  "mm2", "0.07", "0", "1000",                                                  \
      "of the interface to HBM, for each GB/s [unverified]")                                       \
    P(PPB, ici_area,  "mm2", "0.15", "0", "1000",                                                  \
      "of the links, for each GB/s one way [unverified]")                                          \
    P(PPB, rest_area, "mm2", "391", "0", "10000",                                                  \
      "of all else on a die: 648 mm2 of v3 without the parts above [derived: jouppi-2020]")        \
    P(PPB, logic_7nm, "ratio", "0.30", "0", "1", "area of logic at 7 nm over that at 16 nm: 1 / 3.3 [tsmc]") \
    P(PPB, logic_5nm, "ratio", "0.165", "0", "1", "the same at 5 nm: 1 / (3.3 * 1.84) [tsmc]")      \
    P(PPB, logic_3nm, "ratio", "0.103", "0", "1", "the same at 3 nm: 1 / (3.3 * 1.84 * 1.6) [tsmc]") \
    P(PPB, cells_7nm, "ratio", "0.386", "0", "1", "area of SRAM at 7 nm over that at 16 nm: 0.027 / 0.070 [tsmc]") \
    P(PPB, cells_5nm, "ratio", "0.30", "0", "1", "the same at 5 nm: 0.021 / 0.070 [tsmc]")          \
    P(PPB, cells_3nm, "ratio", "0.30", "0", "1", "the same at 3 nm, whose cells are those of 5 nm [tsmc]") \
    P(PPB, other_7nm, "ratio", "0.68", "0", "1",                                                   \
      "interfaces and all else: the most with which a TPU v4i stays below 400 mm2 [derived: jouppi-2021]") \
    P(PPB, other_5nm, "ratio", "0.57", "0", "1", "the same at 5 nm: 0.68 / 1.2, as analogue circuits [tsmc]") \
    P(PPB, other_3nm, "ratio", "0.52", "0", "1", "the same at 3 nm: 0.57 / 1.1 [tsmc]")             \
    P(PPB, reticle,   "mm2", "858", "1", "10000", "of the largest die, 26 mm x 33 mm [asml]") \
    P(PPB, wafer,     "USD", "3984", "0", "1000000", "of 300 mm at 16 nm [khan-2020]")             \
    P(PPB, wafer_7nm, "USD", "9346", "0", "1000000", "of 300 mm at 7 nm [khan-2020]")              \
    P(PPB, wafer_5nm, "USD", "16988", "0", "1000000", "of 300 mm at 5 nm [khan-2020]")             \
    P(PPB, wafer_3nm, "USD", "20000", "0", "1000000", "of 300 mm at 3 nm [unverified]")            \
    P(PPB, defects,   "cm^-2", "0.1", "0", "10", "of a wafer [unverified]")                        \
    P(PPB, hbm_gb,    "USD", "9.4", "0", "10000",                                                  \
      "of a GB of HBM: half of 150 USD for 8 GB at 484 GB/s [gamersnexus-2017]")                   \
    P(PPB, hbm_rate,  "USD", "0.155", "0", "10000", "of a GB/s of HBM: the other half [gamersnexus-2017]") \
    P(PPB, ici_rate,  "USD", "0.5", "0", "10000", "of a GB/s of links one way, cables included [unverified]") \
    P(PPB, board,     "USD", "600", "0", "1000000", "of a chip's package, board, power and cooling [unverified]") \
    P(PPB, host,      "USD", "5000", "0", "1000000", "of a host [unverified]")                     \
    P(PPB, share,     "ratio", "1", "0", "1",                                                      \
      "of the rent that moves with the cost of the hardware [unverified]")
/* clang-format on */

struct proxy_params {
    PROXY_PARAMS(PARAM_FIELD)
};
extern const struct param_table proxy_param_table;

struct proxy {
    double die_mm2;      /* of one die with cores */
    bool over_reticle;   /* nobody can make that die in one piece */
    double hardware_usd; /* of the slice, hosts included */
    bool has_rent;
    double usd_per_hour; /* of the slice; known if the machine has a price as it is */
};

/* Set one from "proxy.key=value".  Errors: of param_set, ERR_UNKNOWN with the nearest name. */
int proxy_set(struct proxy_params *p, const char *text, struct err *err);

/* Is `m` a machine of TensorCores, the only ones that the proxy describes? */
bool proxy_knows(const struct machine_spec *m);

/* Area and cost of `m`, which proxy_knows, whose rent follows from that of `as_is`, the machine
 * without changes. */
void proxy_of(const struct proxy_params *p, const struct machine_spec *m,
              const struct machine_spec *as_is, struct proxy *out);

#endif
