/* msg_mem.h - messages to memory and back: sequencer -> DMA -> HBM. */
#ifndef HW_WIRES_MSG_MEM_H
#define HW_WIRES_MSG_MEM_H

#include "des/des.h"
#include "task/task.h"

/* sequencer -> DMA; DMA, ICI or PCIe -> HBM: move data.  The reads of a wire are served in order,
 * and so are its writes. */
struct mem_request {
    struct task_move move;
    bool write;    /* towards HBM */
    bool first;    /* the first read of a kernel */
    uint32_t text; /* number of the text with its tensors, for waves and timelines */
    uint32_t more; /* transfers that it stands for besides itself */
};

/* HBM -> DMA, ICI or PCIe: the next read, or the next write, is done */
struct mem_done {
    bool write;
};

/* DMA -> sequencer: the next read, or the next write, is done */
struct dma_done {
    bool write;
    des_time flag; /* when the transfer's sync flag is set, which may be later than now */
};

#endif
