/* msg_mem.h - the wires to memory: sequencer -> DMA -> HBM and back. */
#ifndef HW_MSG_MEM_H
#define HW_MSG_MEM_H

#include "kernels/task.h"

/* sequencer -> DMA, and DMA, ICI or PCIe -> HBM: served in the order of each wire */
struct mem_request {
    struct task_move move;
    bool write; /* towards HBM */
};

/* the way back, same order */
struct mem_done {
    bool write;
};

#endif
