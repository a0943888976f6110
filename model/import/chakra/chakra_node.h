/* chakra_node.h - an operation of a step as a node of Chakra: what it is and what it costs. */
#ifndef IMPORT_CHAKRA_CHAKRA_NODE_H
#define IMPORT_CHAKRA_CHAKRA_NODE_H

#include "base/numbered.h"
#include "import/chakra/chakra_export.h"
#include "import/chakra/chakra_wire.h"
#include "step/step.h"

/* Replicas that are `stride` apart, `size` of them. */
struct chakra_group {
    uint64_t size, stride;
};

/* All that nodes are made from. */
struct chakra_maker {
    const struct step *step;
    struct chakra_export *x;
    uint32_t *touched; /* [value] the kernel that has read or made it last */
    uint32_t kernel;   /* number of the kernel that runs now, from 1; a turn of a loop has others */
    struct chakra_group *group; /* process groups; the name of group[i] is i + 1 */
    uint32_t n_groups;
    struct numbered known; /* "SIZE STRIDE" of them, by the same numbers */
};

/* A node of that id for an operation: name, type, costs, tensors, and the attributes of our own
 * that concern it alone.  `start` is the node of its start, if it is a done.  The caller adds
 * dependencies and frees it.  Errors: ERR_RANGE. */
int chakra_node_make(struct chakra_maker *m, const struct step_op *op, uint64_t id, uint64_t start,
                     Chakra__Node **node, struct err *err);

/* The node that receives what a collective-permute sent: the other half of node `of`. */
int chakra_node_receive(struct chakra_maker *m, const struct step_op *op, uint64_t id, uint64_t of,
                        Chakra__Node **node, struct err *err);

/* List the process groups of the step, and write the node that names their ranks, if there are
 * any: *node is NULL else.  Errors: ERR_RANGE. */
int chakra_node_groups(struct chakra_maker *m, uint64_t id, Chakra__Node **node, struct err *err);

/* An empty node. */
Chakra__Node *chakra_node_new(uint64_t id, const char *name, Chakra__NodeType type);

#endif
