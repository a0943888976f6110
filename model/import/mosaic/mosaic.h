/* mosaic.h - what a kernel in Mosaic, MLIR for a TPU core, does in all steps of its grid.
 *
 *     mosaic_grid.c   takes steps of the grid, and the blocks that they need
 *     mosaic_walk.c   runs the scalar code of a grid step, so that conditions and loops are counted
 *     mosaic_code.c   integers
 *     mosaic_vector.c classes of vector operations
 *     mosaic_work.c   products, vector work and transfers of what has run
 *
 * The function with iteration_bounds is one grid step.  Its arguments: the indices of the grid,
 * scalars that are there before (scalar prefetch), operands, results, scratch. window_params has a
 * window for each operand and result, and a function that gives the block that a step takes. */
#ifndef IMPORT_MOSAIC_MOSAIC_H
#define IMPORT_MOSAIC_MOSAIC_H

#include "import/mosaic/mlir.h"

/* Loops of a grid. */
#define MOSAIC_MAX_GRID 16
#define MOSAIC_MAX_PRODUCTS                                                                        \
    32 /* of different shapes; more are not counted, and said to be open                           \
        */

/* Numbers that the program has for an argument of scalars; NULL: they are not in the text. */
struct mosaic_scalars {
    const int64_t *number;
    uint32_t n;
};

struct mosaic_window {
    bool open;  /* its blocks depend on what is not in the text */
    bool given; /* else the operand stays where it is, and transfers in the kernel read it */
    uint32_t rank;
    int64_t block[MLIR_MAX_RANK];
    uint64_t moves;    /* blocks that are brought or taken away */
    uint64_t elements; /* moved by transfers of the kernel's own */
};

struct mosaic_product {
    uint64_t b, m, k, n, times;
    uint64_t casts; /* of f32 operands, elements in whole registers */
    bool exact;     /* f32 operands, not rounded to bf16 */
};

/* Work in classes of registers; elements count in flops. */
enum mosaic_class {
    MOSAIC_ADD,
    MOSAIC_SELECT,
    MOSAIC_CAST,
    MOSAIC_DIVIDE,
    MOSAIC_EXP,
    MOSAIC_SINE,
    MOSAIC_N_CLASSES
};

struct mosaic_work {
    uint32_t n_grid;
    uint64_t grid[MOSAIC_MAX_GRID], steps;
    uint64_t active; /* steps with a product */
    uint32_t n_products;
    struct mosaic_product product[MOSAIC_MAX_PRODUCTS];
    uint64_t vector[MOSAIC_N_CLASSES]; /* 32-bit elements in whole registers */
    uint64_t xlu, lane_sums; /* elements that the XLU turns; sums or spreads along lanes */
    uint64_t waits;          /* windows, results of the MXU and the XLU, one after the other */
    uint64_t flops, transcendentals;
    uint32_t n_prefetch, n_windows; /* operands, then results */
    struct mosaic_window *window;
    bool remote;  /* it sends to other chips, which is not counted */
    bool alone;   /* no loop of the grid is parallel: one core of a chip with two runs it */
    bool open;    /* a condition depends on what is not in the text */
    bool partial; /* so do the turns of a loop, which count as one */
    /* of such a kernel: it compares rows with columns in blocks of rows x cols, a causal mask, and
     * so many blocks are in the indices that its conditions depend on; 0: it does not */
    uint64_t mask_rows, mask_cols, mask_blocks;
};

/* Count the work.  `scalars` are those of the grid's bounds that are not in the module, then those
 * of scalar prefetch, n_scalars in all; native16: registers hold twice as many of 16 bits. False:
 * there is no such function.  At most `budget` operations are run; larger grids are sampled. */
bool mosaic_read(struct mosaic_work *w, const struct mlir_module *m,
                 const struct mosaic_scalars *scalars, uint32_t n_scalars, bool native16,
                 uint64_t budget);
void mosaic_free(struct mosaic_work *w);

/* --- between the files ---------------------------------------------------------------------- */

/* Operations whose results are computed, or that decide what runs. */
enum mosaic_code {
    MOSAIC_OP_OTHER,
    MOSAIC_OP_CONSTANT,
    MOSAIC_OP_CAST,
    MOSAIC_OP_CAST_UNSIGNED,
    MOSAIC_OP_ADD,
    MOSAIC_OP_SUB,
    MOSAIC_OP_MUL,
    MOSAIC_OP_DIV,
    MOSAIC_OP_DIV_FLOOR,
    MOSAIC_OP_DIV_CEIL,
    MOSAIC_OP_REM,
    MOSAIC_OP_AND,
    MOSAIC_OP_OR,
    MOSAIC_OP_XOR,
    MOSAIC_OP_MAX,
    MOSAIC_OP_MIN,
    MOSAIC_OP_COMPARE,
    MOSAIC_OP_SELECT,
    MOSAIC_OP_SHIFT_LEFT,
    MOSAIC_OP_SHIFT_RIGHT,
    MOSAIC_OP_LOAD,
    MOSAIC_OP_IF,
    MOSAIC_OP_FOR,
    MOSAIC_OP_WHILE,
    MOSAIC_OP_YIELD,
    MOSAIC_OP_PRODUCT,
};
enum mosaic_code mosaic_code_of(struct mlir_text name);
/* A predicate of arith.cmpi, by its number. */
bool mosaic_code_compare(int64_t predicate, int64_t a, int64_t b);
/* An operation on two integers; false: it is none of those, or has no result. */
bool mosaic_code_compute(enum mosaic_code c, int64_t a, int64_t b, int64_t *out);

struct mosaic_walk {
    const struct mlir_module *m;
    const struct mlir_op *main;
    uint32_t n_grid, first_scalar; /* arguments that are scalars */
    const struct mosaic_scalars *scalars;
    uint32_t n_scalars;
    int64_t *value;   /* [n_values] */
    bool *known;      /* [n_values] */
    uint64_t *taint;  /* [n_values] indices of the grid that it depends on, bits */
    uint64_t *ran;    /* [n_regions] */
    uint64_t *weight; /* [n_regions] work, to tell branches */
    uint8_t *code;    /* [n_ops] enum mosaic_code */
    uint32_t *weigh;  /* [n_ops] work of an operation, to tell branches */
    uint64_t budget, spent;
    uint64_t times, heavy; /* 0: nothing is counted but work to compare */
    uint64_t products;     /* that ran */
    uint64_t decided;      /* indices that conditions on products depend on */
    int64_t guess;         /* for scalars that the text does not have, */
    bool guesses, guessed; /* where they are taken; some was needed */
    bool open, partial;
};

/* The work of a product, in vector operations, where branches are compared. */
#define MOSAIC_PRODUCT_WEIGHT 65536

/* A sum that ends at UINT64_MAX. */
static inline uint64_t mosaic_add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}
/* A product that ends at UINT64_MAX. */
static inline uint64_t mosaic_multiply(uint64_t a, uint64_t b)
{
    uint64_t c;
    return __builtin_mul_overflow(a, b, &c) ? UINT64_MAX : c;
}
/* n * by / of; a kernel without steps has none of it */
static inline uint64_t mosaic_scale(uint64_t n, uint64_t by, uint64_t of)
{
    __uint128_t all = (__uint128_t)n * by / (of ? of : 1);

    return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

/* Room for the values of the module; the function `main` is the grid step. */
bool mosaic_walk_begin(struct mosaic_walk *w, const struct mlir_module *m,
                       const struct mlir_op *main, uint32_t n_grid);
/* Run a grid step; `index` are its n_grid indices. */
void mosaic_walk_step(struct mosaic_walk *w, const int64_t *index);
/* The grid indices that its conditions and loops depend on. */
uint64_t mosaic_walk_control(struct mosaic_walk *w);
/* The block that function `f` gives for a step: up to MLIR_MAX_RANK numbers, *known has a bit for
 * each; returns how many. */
uint32_t mosaic_walk_block(struct mosaic_walk *w, const struct mlir_op *f, const int64_t *index,
                           int64_t *block, uint32_t *known);
uint64_t mosaic_walk_taint(struct mosaic_walk *w, const struct mlir_op *f);
void mosaic_walk_end(struct mosaic_walk *w);

/* Dimensions along which elements of a vector differ: registers that are the same are computed
 * once. */
enum mosaic_vary {
    MOSAIC_VARY_LANES = 1,
    MOSAIC_VARY_SUBLANES = 2,
    MOSAIC_VARY_OTHERS = 4,
    MOSAIC_VARY_ALL = 7
};
/* 32-bit elements of the whole registers of 8 x 128 that hold it, as far as they differ. */
uint64_t mosaic_vector_registers(const struct mlir_type *t, bool native16, uint8_t vary);
/* Dimensions of the result of an operation; `vary` has those of all values. */
uint8_t mosaic_vector_vary(const struct mlir_module *m, const struct mlir_op *o,
                           const uint8_t *vary);
/* The class that an operation on elements is of, and how many of it; false: it does no such work.
 * The unit for functions has exp2, log2, tanh, rsqrt and reciprocal: one slot takes an operand
 * there, another one the result back. */
bool mosaic_vector_class(struct mlir_text name, enum mosaic_class *class, uint32_t *slots);

/* Add the work of all operations of the grid step that have run. */
void mosaic_work_add(struct mosaic_work *w, const struct mosaic_walk *walk, bool native16);

#endif
