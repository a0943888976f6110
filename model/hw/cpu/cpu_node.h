/* cpu_node.h - a node of CPUs that runs a program by itself: the framework's executor, which is a
 * sequencer, and the cores of all sockets.
 *
 *      sequencer --operation--> pool_runner --+--> cores
 *                                             +--> memory
 *
 * Operations of a program run one after the other, each on all the threads that it can use. */
#ifndef HW_CPU_CPU_NODE_H
#define HW_CPU_CPU_NODE_H

#include "hw/cpu/cpu_cores.h"
#include "hw/cpu/pool_runner.h"
#include "hw/program/sequencer.h"

struct cpu_node {
    struct sequencer sequencer;
    struct pool_runner pool;
    struct cpu_cores cores;
};

/* The parameters of its parts, and its place. */
struct cpu_node_place {
    const struct cpu_cores_params *cores;
    uint64_t hz; /* cores->clock, unless a fault slows it down */
    bool alone;  /* the only node of the machine */
};

/* Make a node with its sequencer and its cores.  `fold` NULL: walk every cycle. */
void cpu_node_init(struct cpu_node *n, struct des *sim, struct des_module parent,
                   const struct cpu_node_place *place, lane_fold_fn *fold);
/* The program of the steps that begin from now on. */
void cpu_node_load(struct cpu_node *n, const struct sequencer_program *p);

#endif
