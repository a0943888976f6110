/* import_compiler.h - how programs of XLA:TPU and of XLA:GPU differ: a table of functions for each.
 */
#ifndef IMPORT_HLO_PROGRAM_IMPORT_COMPILER_H
#define IMPORT_HLO_PROGRAM_IMPORT_COMPILER_H

#include "hlo/hlo_module.h"

struct importing;
struct import_body;
struct import_config;
struct import_kernel;
struct import_product;

/* Rules of the compiler of a program. */
struct import_compiler {
    const char *name;       /* without a comment that says it */
    const char *provenance; /* what its text does not say, or NULL */
    bool gpu;               /* the trace says so */
    bool threads;           /* an asynchronous kernel runs on another unit, else where it starts */
    bool scalars;           /* a kernel without arrays is the scalar unit's */
    bool casts;             /* operands below 32 bits are converted before anything is computed */
    /* elements of an array that the vector unit handles */
    uint64_t (*vector)(const struct importing *im, const struct hlo_shape *s);
    /* what else is said of a kernel; `p`: its product, or NULL */
    void (*finish)(struct importing *im, const struct hlo_instruction *i,
                   const struct import_config *c, const struct import_body *b,
                   const struct import_product *p, struct import_kernel *k);
};
extern const struct import_compiler import_tpu, import_gpu;

/* import_gpu.c: true if the module was compiled for a GPU */
bool import_gpu_likes(const struct hlo_module *m);
/* import_cpu.c: ERR_FIT if the module was compiled for a CPU, whose kernels no machine of ours with
 * a compiler has */
int import_cpu_refuse(const struct hlo_module *m, struct err *err);
/* import_gpu.c: true if the leaf of a call of a library is memory that it works in, no result */
bool import_gpu_is_workspace(const struct importing *im, const struct hlo_instruction *i,
                             uint32_t leaf);
/* The rest of a custom call that is no product; false: it is none that we know. */
bool import_gpu_call(const struct importing *im, const struct hlo_instruction *i,
                     const struct hlo_shape *s, struct import_kernel *k);

/* import_tile.c: the tile of a product that the compiler writes itself, if it is stated */
void import_tile_read(const struct importing *im, const struct hlo_instruction *i,
                      const struct import_body *b, const struct import_product *p,
                      struct import_kernel *k);

/* import_graph.c: find the graphs of a program for GPUs; is a kernel in that of the one before? */
void import_graph_find(struct importing *im);
bool import_graph_joins(const struct importing *im, const struct hlo_instruction *i);

#endif
