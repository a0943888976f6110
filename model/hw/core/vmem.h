/* vmem.h - the vector memory of a core: how much of it kernels hold, and for how long.
 *
 *      sequencer  --vmem_hold(bytes)-->  [ held | free ]
 *
 * The windows of a kernel are laid out before it runs (struct task_kernel): two buffers of each
 * tile that streams, one of what stays for all grid steps, sums of products cut along k, and values
 * that are on chip already.  They are held from its launch to its last byte written; between
 * kernels nothing is:
 *
 *      occupancy = sum over kernels of words * cycles / (words of the memory * measured cycles)
 *
 * A word is a vector register, lanes x sublanes x 4 B, which is what a load or store moves.  Ports
 * of the memory are slots of an instruction word (task/bundle.h). */
#ifndef HW_CORE_VMEM_H
#define HW_CORE_VMEM_H

#include "base/stat.h"
#include "hw/core/core_memory.h"
#include "hw/wires/component.h"
#include "hw/wires/show.h"

/* clang-format off */
#define VMEM_STATS(C, R)                                                                           \
    C(capacity, "word cycle", "words of the memory x cycles of the measured time")                 \
    C(held,     "word cycle", "words that windows of kernels take x cycles for which they do")     \
    R("utilization.vmem", held, capacity, "vector memory that windows of kernels take, on average over time")
/* clang-format on */

struct vmem_stats {
    VMEM_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct stat_table vmem_stat_table;

struct vmem {
    struct des_module mod;
    struct vmem_params par;
    struct vmem_stats st;
    uint64_t core_hz;
    uint32_t word;  /* bytes */
    uint64_t words; /* that are held */
    uint64_t since; /* core cycle up to which `st.held` counts */
    struct des_probes show;
};

/* `word`: bytes of a vector register, at least 1. */
void vmem_init(struct vmem *v, struct des *sim, struct des_module parent,
               const struct vmem_params *par, uint64_t core_hz, uint32_t word);
component_reset_fn vmem_reset;
component_finish_fn vmem_finish;

/* From now on so many bytes are held, instead of those before; 0: none.  They are held in whole
 * words.  More than the memory has is possible where not even the smallest tile of a kernel fits
 * (kernels/tpu/tile_product.c), and shows as an occupancy above 1. */
void vmem_hold(struct des *sim, struct vmem *v, uint64_t bytes);

#endif
