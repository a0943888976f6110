/* msg_cpu.h - messages between the runner of a CPU's operations and its cores. */
#ifndef HW_WIRES_MSG_CPU_H
#define HW_WIRES_MSG_CPU_H

#include <stdint.h>

/* runner -> cores: work, of the core with the most */
struct cores_work {
    uint64_t cycles;
    uint32_t threads; /* cores that have some */
};

/* cores -> runner */
struct cores_done {
    uint8_t none;
};

#endif
