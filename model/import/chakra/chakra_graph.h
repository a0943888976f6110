/* chakra_graph.h - a Chakra execution trace in memory: its nodes, what each waits for, an order.
 *
 * A node waits for those of its data_deps that the file has.  Others are dangling: a tool that
 * drops nodes leaves them behind.  The ctrl_deps of PyTorch's converter name the operation that
 * called a node, which may wait for it in turn, and feeders of simulators do not read them; only in
 * files of our own do they order. */
#ifndef IMPORT_CHAKRA_CHAKRA_GRAPH_H
#define IMPORT_CHAKRA_CHAKRA_GRAPH_H

#include "import/chakra/chakra_wire.h"

struct chakra_graph {
    struct chakra_wire wire;
    Chakra__GlobalMetadata *meta;
    Chakra__Node **node;
    size_t *begin; /* [node] the byte of its message */
    uint32_t n, cap_nodes, cap_begin;
    uint32_t *slot, n_slots; /* node + 1 by the hash of its id; 0: free */
    uint32_t *first;         /* [n + 1] of dep: those of node i are first[i] to first[i + 1] - 1 */
    uint32_t *dep;           /* nodes, each once for a node */
    uint32_t *order;         /* all nodes, each behind those it waits for, as in the file else */
    uint64_t dangling;
};

/* Read a whole file; `data` must outlive the graph, which must not move and is freed also after an
 * error.  Errors: those of chakra_wire_next(); ERR_FORMAT for two nodes with one id, nodes that
 * wait for each other, no metadata.  Cost: O(edges + nodes log nodes). */
int chakra_graph_read(struct chakra_graph *g, const char *name, const void *data, size_t size,
                      struct err *err);
void chakra_graph_free(struct chakra_graph *g);

/* Fail with "FILE: byte 12, node 5 (name): message". */
int chakra_fail(const struct chakra_graph *g, uint32_t node, struct err *err, enum err_code code,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A number of a node; `value` stays if there is none.  Errors: ERR_RANGE. */
int chakra_graph_number(const struct chakra_graph *g, uint32_t node, const char *name,
                        uint64_t *value, struct err *err);

#endif
