/* msg_unit.h - messages between the sequencer and the units of its core. */
#ifndef HW_WIRES_MSG_UNIT_H
#define HW_WIRES_MSG_UNIT_H

#include "des/des.h"
#include "task/cause.h"
#include "task/task.h"
#include "task/use.h"

/* sequencer -> MXU: stream one share of the matrix product of a grid step, operands in VMEM */
struct unit_gemm {
    struct task_gemm gemm;
    bool drain; /* the last one of its kernel: done when the last result has left the array */
    struct array_mode mode;
};

/* sequencer -> vector unit: operations on vector registers, by class */
struct unit_vector {
    uint64_t ops[N_VECTOR_OPS];
};

/* sequencer -> XLU: vector registers that pass through it */
struct unit_lanes {
    uint64_t registers;
};

/* sequencer -> common memory: bytes of operands of a grid step */
struct unit_feed {
    uint64_t bytes;
};

/* sequencer -> SparseCores: a kernel */
struct unit_sparse {
    struct task_move in, out;
    uint64_t operations; /* on elements of 32 bits */
    uint32_t text[2];    /* numbers of the texts with what it reads, and writes */
};

/* unit -> sequencer */
struct unit_done {
    enum cause cause;       /* booked by the sequencer if this answer comes last */
    uint64_t slots[N_USES]; /* of an MXU: multiply-accumulates from the command to now, by use */
};

/* The shortcut around a unit's wires: do command `cmd` as if it arrived at time `at`, an edge of
 * the core's clock, and count what the unit would count.  Returns the time of its answer *done. The
 * unit must be idle. */
typedef des_time unit_serve_fn(void *unit, const void *cmd, des_time at, struct unit_done *done);

/* The cycle of the core's clock from which on the unit answers any command as if it had never had
 * one; UINT64_MAX where that is not known. */
typedef uint64_t unit_rest_fn(const void *unit);
/* Count `n` equal commands, the last of which came in cycle `start`.  Each found the unit at rest,
 * and so does the last one. */
typedef void unit_repeat_fn(void *unit, const void *cmd, uint64_t start, uint64_t n);
/* Cycles that a command takes a unit which is always at rest; count such cycles. */
typedef uint64_t unit_cycles_fn(const void *unit, const void *cmd);
typedef void unit_pass_fn(void *unit, uint64_t cycles);

struct unit_serve {
    unit_serve_fn *serve; /* NULL: only the wires */
    unit_rest_fn *rest;   /* of a matrix unit */
    unit_repeat_fn *repeat;
    unit_cycles_fn *cycles; /* of a unit that is always at rest */
    unit_pass_fn *pass;
    void *unit;
};

#endif
