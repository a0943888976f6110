/* vmem.h - the vector memory of a core: how much of it kernels hold, and for how long.
 *
 *      sequencer  --vmem_hold(bytes)-->  [ held | free ]
 *
 * The windows of a kernel are laid out before it runs (struct task_kernel): two buffers of each
 * tile that streams, one of what stays for all grid steps, sums of products cut along k, and values
 * that are on chip already.  They are held from its launch to its last byte written; between
 * kernels nothing is.  Ports of the memory are slots of an instruction word (hw/core/bundle.h). */
#ifndef HW_CORE_VMEM_H
#define HW_CORE_VMEM_H

#include "hw/core/core_memory.h"
#include "hw/wires/component.h"
#include "hw/wires/show.h"

struct vmem {
    struct des_module mod;
    struct vmem_params par;
    struct des_probes show;
};

void vmem_init(struct vmem *v, struct des *sim, struct des_module parent,
               const struct vmem_params *par);

/* From now on so many bytes are held, instead of those before; 0: none.  More than the memory has
 * is possible where not even the smallest tile of a kernel fits (kernels/grid.c). */
void vmem_hold(struct des *sim, struct vmem *v, uint64_t bytes);

#endif
