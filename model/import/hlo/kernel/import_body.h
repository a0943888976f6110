/* import_body.h - a kernel as a graph of operations, nested fusions written out, and how much of
 * each array in it is needed. */
#ifndef IMPORT_HLO_KERNEL_IMPORT_BODY_H
#define IMPORT_HLO_KERNEL_IMPORT_BODY_H

#include "hlo/hlo_module.h"

struct importing;
struct import_kernel;

struct import_node {
    const struct hlo_instruction *i; /* NULL: an operand, or a leaf of its only input */
    const struct hlo_shape *shape;
    uint32_t operand; /* leaf of the kernel's operands, or IMPORT_NONE */
    uint32_t first_in, n_in;
    bool to_a, to_b;            /* reaches an operand of the product, */
    bool joined;                /* as a part of an array that is put together there */
    uint64_t all, need, useful; /* import_demand.c: elements with padding; those that the kernel
                                   needs; without padding */
    bool read;                  /* by some node */
    bool result;                /* leaves the kernel */
};

struct import_body {
    struct import_node *node;
    uint32_t n, cap;
    uint32_t *in, n_in, cap_in;
    uint32_t *root, n_roots, cap_roots; /* nodes, one for each leaf of the result */
    uint32_t *of, n_of, cap_of;         /* nodes of the leaves of instructions */
    uint64_t room;                      /* bytes that it has taken */
};
/* A kernel: an instruction, or the computation that it calls. Returns 0 or -1. */
int import_body_build(struct import_body *b, struct importing *im, const struct hlo_instruction *i);
void import_body_free(struct importing *im, struct import_body *b);
static inline struct import_node *import_in(const struct import_body *b,
                                            const struct import_node *n, uint32_t k)
{
    return &b->node[b->in[n->first_in + k]];
}
/* The node behind bitcasts and the like. */
uint32_t import_body_source(const struct import_body *b, uint32_t node);

/* import_demand.c: fill in what is needed of each node; k->in_place is known.  O(nodes) */
void import_demand_find(const struct importing *im, struct import_body *b,
                        const struct import_kernel *k);
/* The operation that makes leaf `root` of the result, behind names and conversions. */
const struct import_node *import_demand_result(const struct import_body *b, uint32_t root);
uint64_t import_demand_bytes(const struct import_node *n);
/* The part of the work on all of a node that is done. */
uint64_t import_demand_work(const struct import_node *n, uint64_t work);

/* import_parts.c: the work of a node on numbers of parts, FLOPs without products and vector
 * operations; false: it is none, or has no rule of its own. */
bool import_parts_flops(const struct importing *im, const struct import_body *b,
                        const struct import_node *n, uint64_t *flops, uint64_t *transcendental);
bool import_parts_add(struct importing *im, const struct import_body *b,
                      const struct import_node *n, struct import_kernel *k);
/* Real products that one of operands of that dtype is. */
uint64_t import_parts_products(const struct importing *im, enum hlo_dtype d);

#endif
