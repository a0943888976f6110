/* memory_stage.h - a component on the way between a core's DMA and HBM.
 *
 *      DMA >--request--[ stage ]--passed-->  HBM
 *      DMA <--replied--[ stage ]--reply---<  HBM
 *
 * Requests are struct mem_request, answers struct mem_done.  model/machine/spec/stages.h lists the
 * stages of a machine; the machine makes one for each core. */
#ifndef HW_WIRES_MEMORY_STAGE_H
#define HW_WIRES_MEMORY_STAGE_H

#include "hw/wires/msg_mem.h"

struct memory_stage {
    struct des_in request, reply;
    struct des_out passed, replied;
};

/* Makes the component at `self`, a struct COMPONENT, from its parameters, a struct
 * COMPONENT_params, and says where its ends are.  False, with nothing made, where the parameters
 * leave it out.  The component registers itself (component_add). */
typedef bool memory_stage_init(void *self, struct des *sim, struct des_module parent,
                               const void *par, struct memory_stage *ends);

#endif
