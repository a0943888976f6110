/* fusion_impl.h - the program as a graph, on which all files of model/fusion work. */
#ifndef FUSION_FUSION_IMPL_H
#define FUSION_FUSION_IMPL_H

#include "base/memory.h"
#include "fusion/fusion.h"

#define FUSION_NONE UINT32_MAX
#define FUSION_DIMS 16 /* most dimensions of an array */

enum fusion_class {
    FUSION_LEAF,    /* parameters and constants: no work */
    FUSION_MAP,     /* each element of the result of elements at its place */
    FUSION_MOVE,    /* elements at other places, or made of nothing: broadcast, reshape, iota */
    FUSION_REDUCE,  /* fewer elements than it reads */
    FUSION_PRODUCT, /* dot, convolution */
    FUSION_OPAQUE,  /* a kernel or collective of its own */
};

/* One array that a node reads: leaf `leaf` of the result of `node`.  Nodes that read it behind
 * different barriers are not alike. */
struct fusion_use {
    uint32_t node, leaf;
    uint32_t barrier; /* the last one that it passed, from 1 on; 0: none */
};

struct fusion_list {
    uint32_t *at, n, cap;
};

struct fusion_node {
    const struct hlo_instruction *from; /* of the program, or of fusion_graph.made */
    const struct hlo_shape *shape;      /* of one device */
    char *attributes;                   /* printed instead of those of `from`, or NULL */
    enum fusion_class class;
    uint32_t first_in, n_in;     /* in fusion_graph.in */
    struct fusion_list users;    /* nodes, each once */
    struct fusion_list groups;   /* kernels that compute it */
    uint32_t home;               /* the kernel that writes it, or FUSION_NONE: it is not written */
    uint32_t order[FUSION_DIMS]; /* dimensions of an array, minor first */
    bool live, output;
    bool kept; /* a barrier stands between it and its readers: it is written */
    bool head; /* the result of a product, changed element by element, that nobody else reads */
    bool bitcast;
};

/* A kernel. */
struct fusion_group {
    struct fusion_list nodes; /* ascending once grouping is done */
    uint64_t elements;        /* of its loop */
    uint32_t product;         /* its product, or FUSION_NONE */
    bool opaque;
    bool gone; /* merged into another */
    uint32_t mark;
};

struct fusion_graph {
    const struct hlo_module *m;
    struct fusion_node *node;
    uint32_t n, cap;
    struct fusion_use *in;
    uint32_t n_in, cap_in;
    struct fusion_use *out; /* leaves of the result of the program */
    uint32_t n_out, cap_out;
    struct fusion_group *group;
    uint32_t n_groups, cap_groups;
    uint32_t mark;
    struct fusion_list order;      /* kernels as they run */
    uint32_t *joined;              /* [node] the first all-reduce of its kind that it is one with */
    struct hlo_instruction **made; /* instructions that the program does not have */
    uint32_t n_made, cap_made;
    struct hlo_shape **narrowed; /* shapes that it does not have */
    uint32_t n_narrowed, cap_narrowed;
    bool gpu;     /* arrays have no tiles */
    bool unknown; /* something is not handled */
};

void fusion_list_add(struct fusion_list *l, uint32_t x);
bool fusion_list_has(const struct fusion_list *l, uint32_t x);

static inline struct fusion_use *fusion_in(const struct fusion_graph *g,
                                           const struct fusion_node *n, uint32_t k)
{
    return &g->in[n->first_in + k];
}

/* fusion_graph.c: build the graph; false if the program holds what is not handled. */
bool fusion_graph_build(struct fusion_graph *g);
void fusion_graph_free(struct fusion_graph *g);
/* fusion_node.c: leaf `leaf` of a shape, an array */
const struct hlo_shape *fusion_graph_leaf(const struct hlo_shape *s, uint32_t leaf);

/* A node at the end of the graph, without operands; an operand of the last one.  A node that is not
 * of the program has an instruction made for it. */
uint32_t fusion_graph_add(struct fusion_graph *g, const struct hlo_instruction *i);
void fusion_graph_read(struct fusion_graph *g, struct fusion_use use);
const struct hlo_instruction *fusion_graph_make(struct fusion_graph *g,
                                                const struct hlo_instruction *like,
                                                enum hlo_opcode opcode, const char *literal);
/* fusion_settle.c: the last node, or an earlier one that computes the same, in its place */
uint32_t fusion_graph_settle(struct fusion_graph *g);
/* True of two arrays of one dtype and size; false of tuples. */
bool fusion_same_shape(const struct hlo_shape *a, const struct hlo_shape *b);

/* fusion_written.c: the use that an instruction about to be added has of that operand: `u`, or a
 * copy of it. */
struct fusion_use fusion_written_use(struct fusion_graph *g, const struct hlo_instruction *i,
                                     uint32_t operand, struct fusion_use u);

/* fusion_dot.c: the dot that is the last node, without its matrix product if it is none: returns
 * the node of its result. */
uint32_t fusion_dot_reduce(struct fusion_graph *g);
#define FUSION_DOT_SUM "fusion_sum" /* the function that sums are made with */

/* fusion_scatter.c: the scatter that is the last node, as a choice by place where it writes one
 * element of each row of an array of one value: returns the node of its result. */
uint32_t fusion_scatter_choose(struct fusion_graph *g);

/* fusion_half.c: the copy of an argument of 64-bit numbers, or `node` itself where none is due.
 * Dots cut such numbers into parts themselves, so that where dots alone read a copy, it is dropped
 * and they read the argument. */
uint32_t fusion_half_copy(struct fusion_graph *g, uint32_t node);
void fusion_half_drop(struct fusion_graph *g);

/* fusion_narrow.c: keep in bf16 what products alone read */
void fusion_narrow_values(struct fusion_graph *g);

/* fusion_class.c */
enum fusion_class fusion_class_of(enum hlo_opcode o);
/* True of sines, cosines and tangents, which are not computed twice; libtpu 0.0.42 computes all
 * other functions again in each kernel that reads them, on v3 and v5e. */
bool fusion_class_is_dear(enum hlo_opcode o);

/* fusion_layout.c */
void fusion_layout_choose(struct fusion_graph *g);
/* The order of an argument of the shape of `n`, whatever it is computed from. */
void fusion_layout_plain(const struct fusion_graph *g, struct fusion_node *n);
/* Bytes of an array of that shape and order, with the padding of its tile. */
uint64_t fusion_layout_bytes(const struct hlo_shape *s, const uint32_t *order);
/* An array of that shape and order as text: without tiles on a GPU. */
void fusion_layout_print(const struct fusion_graph *g, const struct hlo_shape *s,
                         const uint32_t *order, FILE *out);

/* fusion_return.c: copy results that no kernel writes: arguments, and 64-bit numbers */
void fusion_return_results(struct fusion_graph *g);

/* fusion_group.c */
void fusion_group_all(struct fusion_graph *g);
/* fusion_path.c: true if some kernel stands between kernels `a` and `b`, or one of them reads what
 * the other computes, but for node `v`: they cannot be one.  With b FUSION_NONE: if some kernel
 * stands between node `v`, which no kernel computes yet, and kernel `a`. */
bool fusion_path_between(struct fusion_graph *g, uint32_t a, uint32_t b, uint32_t v);

/* fusion_value.c: what kernels hand each other */
/* True if another kernel or the caller reads node `v`: its home writes it. */
bool fusion_value_written(const struct fusion_graph *g, uint32_t v);
/* Nodes that kernel `group` reads and does not compute, each once, without constants. */
void fusion_value_read(const struct fusion_graph *g, uint32_t group, struct fusion_list *in);
/* Nodes that it writes. */
void fusion_value_results(const struct fusion_graph *g, uint32_t group, struct fusion_list *out);
/* Bytes of all leaves of a node. */
uint64_t fusion_value_bytes(const struct fusion_graph *g, uint32_t v);
/* True of a constant that each kernel that reads it holds. */
bool fusion_value_is_held(const struct fusion_graph *g, uint32_t v);

/* fusion_combine.c */
void fusion_combine_sums(struct fusion_graph *g);
/* fusion_order.c */
void fusion_order_kernels(struct fusion_graph *g);
/* fusion_print.c */
void fusion_print(const struct fusion_graph *g, FILE *out);

#endif
