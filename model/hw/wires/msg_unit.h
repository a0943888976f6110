/* msg_unit.h - the wires between the sequencer and the units of its core. */
#ifndef HW_WIRES_MSG_UNIT_H
#define HW_WIRES_MSG_UNIT_H

#include "des/des.h"
#include "task/cause.h"
#include "task/task.h"
#include "task/use.h"

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

/* The way around a unit's wires, where it has one: do `cmd` as if it came at time `at`, an edge of
 * the core's clock, count all it counts, and say when and what it would answer.  The unit is at
 * rest. */
typedef des_time unit_serve_fn(void *unit, const void *cmd, des_time at, struct unit_done *done);

struct unit_serve {
    unit_serve_fn *serve; /* NULL: only the wires */
    void *unit;
};

#endif
