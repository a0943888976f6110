/* msg_unit.h - the wires between the sequencer and the units of its core. */
#ifndef HW_MSG_UNIT_H
#define HW_MSG_UNIT_H

#include "kernels/cause.h"
#include "kernels/task.h"
#include "kernels/use.h"

/* sequencer -> MXU: stream one share of a grid step's GEMM, operands in VMEM */
struct unit_gemm {
    struct task_gemm gemm;
    bool drain; /* last of its kernel: done when the last result has left the array */
    struct array_mode mode;
};

/* sequencer -> vector unit: register operations of each class */
struct unit_vector {
    uint64_t ops[N_VECTOR_OPS];
};

/* sequencer -> XLU: registers to pass through it */
struct unit_lanes {
    uint64_t registers;
};

/* sequencer -> common memory: operands of a grid step */
struct unit_feed {
    uint64_t bytes;
};

/* unit -> sequencer */
struct unit_done {
    enum cause cause;       /* what the sequencer was waiting for if this came last */
    uint64_t slots[N_USES]; /* of an MXU: multiply-accumulates from the command to here */
};

#endif
