/* import_kernel.h - what one kernel of a compiled program does: products, windows, traffic, work of
 * the vector unit.
 *
 *     import_body.c     a fusion as a graph of operations, nested fusions inlined
 *     import_demand.c   how much of each array in a fusion is needed
 *     import_product.c  convolutions and dots as matrix products
 *     import_window.c   loop nest and windows of a kernel; bytes that its operands fetch
 *     import_vector.c   work of the vector unit
 *     import_parts.c    of it, what is computed part by part; import_depthwise.c channel by channel
 *     import_gpu.c      kernels of XLA:GPU; import_tile.c its tiles of products */
#ifndef IMPORT_HLO_KERNEL_IMPORT_KERNEL_H
#define IMPORT_HLO_KERNEL_IMPORT_KERNEL_H

#include "import/hlo/kernel/import_body.h"
#include "import/hlo/program/importing.h"

enum import_spatial { IMPORT_BATCH, IMPORT_OWNED, IMPORT_WINDOW };

struct import_product {
    uint64_t dim[4]; /* b, m, k, n */
    uint64_t taps;
    uint64_t macs;                  /* useful */
    enum trace_precision precision; /* HIGH or HIGHEST: f32 operands in bf16 parts */
    bool has_lanes;
    uint8_t lanes[3];     /* enum trace_dim along which A, B and C lie */
    enum trace_pass call; /* a convolution of a library: in, kernel, out, w and l are set */
    bool conv;            /* the rest is set: printed as a convolution */
    const struct hlo_shape *in, *kernel, *out;
    struct hlo_window w;
    struct hlo_dim_labels l;
    enum import_spatial spatial[HLO_MAX_WINDOW];
};
/* True if it is a product.  Returns 1, 0 if it is none, -1 and an error. */
int import_product_read(struct importing *im, const struct hlo_instruction *i,
                        const struct hlo_shape *const *operand, uint32_t n,
                        struct import_product *p);

/* A product inside a kernel whose own product reads it: its result stays on chip. */
struct import_inner {
    uint64_t dim[4], taps, flops;
};
#define IMPORT_MAX_INNER 4

/* Every so-many-th output along spatial dimension `d` meets a tap: at least 1. */
uint64_t import_product_phases(const struct import_product *p, uint32_t d);

struct import_kernel {
    struct trace_compiled facts; /* as its line says them; its fetch, held and store are not set */
    uint32_t n_inner;
    struct import_inner inner[IMPORT_MAX_INNER];
    uint64_t between[TRACE_N_VECTORS]; /* work on what comes from them, before the own product */
    uint32_t n_in, n_out;
    uint64_t *fetch, *store; /* [n_in leaves of operands], [n_out leaves of results] */
    bool *held;
    uint64_t *touched, *elements; /* [n_in] what the kernel reads of it, wherever it is */
    uint64_t *written;            /* [n_out] bytes */
    uint32_t *in_place;           /* [n_out] leaf of the operands whose buffer it is in */
    bool product, tiled, partial; /* partial: some of its work is not in the text */
    enum trace_precision precision;
    struct {
        uint64_t bytes, once;
    } again[2]; /* what the windows of operands 0 and 1 of the product fetch in all; their sizes */
    uint64_t rows, cols;
    uint64_t flops, transcendentals;
    uint32_t basis; /* bits of enum trace_basis */
    const char *note;
};

/* import_kernel.c */
int import_kernel_read(struct importing *im, const struct hlo_instruction *i,
                       struct import_kernel *k);
void import_kernel_free(struct import_kernel *k);

/* import_window.c */
void import_window_tile(struct import_kernel *k, const struct import_product *p,
                        const struct import_config *c);
/* Bytes that operand 0 or 1 of the product, or an array of its elements in `like`, fetches in all;
 * *held: its window never moves. */
uint64_t import_window_fetch(struct importing *im, const struct import_product *p,
                             const struct import_config *c, uint32_t operand, bool *held);

/* import_vector.c: add the work of all nodes */
void import_vector_add(struct importing *im, const struct import_body *b, struct import_kernel *k);
/* FLOPs of a node as XLA counts them, without products; *transcendental in addition. */
uint64_t import_vector_flops(struct importing *im, const struct import_body *b,
                             const struct import_node *n, uint64_t *transcendental);

/* import_function.c */
enum import_cast { IMPORT_NO_CAST, IMPORT_UNPACKED, IMPORT_PACKED };
/* [node] 32-bit elements that differ, in whole registers; how the array is cast beside converts;
 * whether it lies on the way from one product to another. */
struct import_functions {
    uint64_t *distinct;
    enum import_cast *cast;
    bool *between;
};
void import_functions_find(struct import_functions *f, const struct importing *im,
                           const struct import_body *b);
void import_functions_free(struct import_functions *f);
void import_function_cast(const struct importing *im, const struct import_node *n,
                          enum import_cast cast, struct import_kernel *k);
/* Add a function that is more than an operation; false: it is one, or none. */
bool import_function_add(const struct importing *im, const struct import_body *b,
                         const struct import_node *n, const uint64_t *distinct,
                         struct import_kernel *k);
/* 32-bit elements, in whole registers, of an array that moves as it is. */
uint64_t import_function_packed(const struct importing *im, const struct hlo_shape *s);
/* Element by element: one FLOP each; one that is more than a FLOP. */
bool import_function_plain(enum hlo_opcode o);
bool import_function_special(enum hlo_opcode o);

/* import_depthwise.c: true if the product has a filter for each channel; add its vector work */
bool import_depthwise_is(const struct importing *im, const struct hlo_instruction *i,
                         const struct import_product *p);
void import_depthwise_add(struct importing *im, const struct hlo_instruction *i,
                          const struct import_product *p, struct import_kernel *k);

/* import_join.c: true if the kernel puts arrays beside each other and copies their tiles */
bool import_join_copies(const struct import_body *b);

/* import_sums.c: chains and registers of sums, and loads of whole tiles */
void import_sums_add(const struct importing *im, const struct import_body *b,
                     const struct import_config *c, struct import_kernel *k);
/* Rows that are stored each by itself. */
void import_sums_rows(const struct import_body *b, const struct import_config *c,
                      struct import_kernel *k);
/* Registers that a broadcast spreads, rows that a change of shape moves. */
void import_sums_lanes(const struct importing *im, const struct import_body *b,
                       const struct hlo_instruction *i, struct import_kernel *k);

/* import_rows.c: gather, scatter, sort */
/* [node] it makes indices of rows and nothing else; to be freed. */
bool *import_rows_indices(const struct import_body *b);
void import_rows_add(struct importing *im, const struct import_body *b, struct import_kernel *k);

/* import_custom.c */
int import_custom_read(struct importing *im, const struct hlo_instruction *i,
                       const struct import_config *c, const struct import_body *b,
                       struct import_kernel *k);

/* import_algebra.c: factors of matrices and solutions.  False: it is none. */
bool import_algebra_read(const struct importing *im, const struct hlo_instruction *i,
                         const struct import_body *b, struct import_kernel *k);
/* import_attention.c: attention of cuDNN.  False: it is none, or does not say its size. */
bool import_attention_read(const struct importing *im, const struct hlo_instruction *i,
                           struct import_kernel *k);
/* import_mosaic.c: the module of a kernel by hand.  False: there is none that can be read. */
bool import_mosaic_read(struct importing *im, const struct hlo_instruction *i,
                        struct import_kernel *k);

#endif
