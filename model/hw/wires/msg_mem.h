/* msg_mem.h - the wires to memory: sequencer -> DMA -> HBM and back. */
#ifndef HW_WIRES_MSG_MEM_H
#define HW_WIRES_MSG_MEM_H

#include "des/des.h"
#include "task/task.h"

/* sequencer -> DMA, and DMA, ICI or PCIe -> HBM: of each wire reads are served in their order, and
 * writes in theirs */
struct mem_request {
    struct task_move move;
    bool write; /* towards HBM */
};

/* the way back: memory -> DMA, ICI or PCIe, reads in their order and writes in theirs */
struct mem_done {
    bool write;
};

/* DMA -> sequencer, the same */
struct dma_done {
    bool write;
    des_time flag; /* when the transfer's sync flag is set, which may be later than now */
};

#endif
