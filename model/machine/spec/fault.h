/* fault.h - faults of a slice to ask "what if": a slow link, a dead link, a slow chip, jitter of
 * hops.
 *
 * Parameters of the section [fault], usually given by --set; by default there are no faults. */
#ifndef MACHINE_SPEC_FAULT_H
#define MACHINE_SPEC_FAULT_H

#include <stdint.h>

#include "base/err.h"
#include "base/param.h"
#include "schedule/mesh.h"

/* clang-format off */
#define FAULT_PARAMS(P)                                                                            \
    P(U32, slow_from,  "",      "0",   "0",   "65535",  "a chip; its link to slow_to is slow, both ways [what-if]") \
    P(U32, slow_to,    "",      "0",   "0",   "65535",  "its neighbour; the same chip: no link is slow [what-if]") \
    P(PPB, slow_times, "ratio", "2",   "1",   "1000",   "factor of the time that the slow link takes for a flit [what-if]") \
    P(U32, dead_from,  "",      "0",   "0",   "65535",  "a chip; its link to dead_to is gone, both ways [what-if]") \
    P(U32, dead_to,    "",      "0",   "0",   "65535",  "its neighbour; the same chip: no link is dead [what-if]") \
    P(U32, slow_chip,  "",      "0",   "0",   "65535",  "chip whose cores have a slower clock [what-if]") \
    P(PPB, chip_times, "ratio", "1",   "1",   "1000",   "factor of the length of its cycles [what-if]")  \
    P(FS,  jitter,     "s",     "0 s", "0 s", "1 ms",   "longest delay of a hop, drawn at random for each part [what-if]") \
    P(U64, seed,       "",      "1",   "0",   "1000000000000000000", "of the random delays [what-if]")
/* clang-format on */

struct fault_params {
    FAULT_PARAMS(PARAM_FIELD)
};
extern const struct param_table fault_param_table;

/* Is there any fault? */
bool fault_any(const struct fault_params *f);

/* Check that the chips and links of the faults exist, and that a dead link leaves every chip
 * reachable.  Errors: ERR_RANGE, ERR_FIT; the message starts with "fault.". */
int fault_check(const struct fault_params *f, const struct mesh *m, struct err *err);

/* Routes without the dead link: entry [from * chips + to] is the lowest port on a shortest route,
 * which follows the order of dimensions where that is as short; MESH_PORTS for a chip itself.  NULL
 * without a dead link.  The caller frees it.  O(chips^2). */
uint8_t *fault_ways(const struct fault_params *f, const struct mesh *m);

/* Is the link `from` -> `to` one direction of the slow link, or of the dead one? */
bool fault_slow(const struct fault_params *f, uint32_t from, uint32_t to);
bool fault_dead(const struct fault_params *f, uint32_t from, uint32_t to);

#endif
