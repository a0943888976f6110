/* mlir.h - modules of MLIR that a compiler keeps in its program: operations, types, attributes.
 *
 * mlir_read() reads bytecode (mlir_bytecode.c, of all versions up to 6) and the text that MLIR
 * prints, pretty or generic (mlir_text.c).  It knows the grammar and the types and attributes of
 * the builtin dialect; what an operation means is the business of whoever walks the module.
 *
 * Operations are in one array, an operation before those inside it: op[i].end is the one behind
 * all of them.  A region has one block; modules with several are refused. */
#ifndef IMPORT_MOSAIC_MLIR_H
#define IMPORT_MOSAIC_MLIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MLIR_NONE UINT32_MAX /* an index of nothing */
#define MLIR_MAX_RANK 8      /* dimensions of a type that are kept */
#define MLIR_MAX_DEPTH 64    /* regions in regions; attributes in attributes */

struct mlir_text {
    const char *at; /* not terminated; NULL: not there */
    uint32_t size;
};

/* Kinds of types. */
enum mlir_kind { MLIR_OTHER, MLIR_INTEGER, MLIR_FLOAT, MLIR_VECTOR, MLIR_MEMREF };

struct mlir_type {
    enum mlir_kind kind, of; /* of an element: MLIR_INTEGER, MLIR_FLOAT, MLIR_OTHER */
    uint32_t bits;           /* of an element; an index has 32, what is not known 0 */
    uint32_t rank;
    int64_t dim[MLIR_MAX_RANK]; /* less than 0: not known */
    uint64_t elements;          /* 0: not known */
    struct mlir_text space;     /* of a memref: "#tpu.memory_space<vmem>" */
};

/* Forms of attributes. */
enum mlir_form { MLIR_TEXT, MLIR_NUMBER, MLIR_LIST, MLIR_PAIRS, MLIR_NUMBERS, MLIR_TYPE };

/* An attribute.  LIST: n attributes from `first` in item; PAIRS: n names and n attributes in turn;
 * NUMBERS: n integers from `first` in number. */
struct mlir_attribute {
    enum mlir_form form;
    struct mlir_text text; /* a string, a symbol without @, or as the text has it */
    int64_t value;
    uint32_t first, n;
    uint32_t type; /* of a number, or the type that it is; MLIR_NONE */
};

struct mlir_region {
    uint32_t first, end;      /* operations */
    uint32_t first_arg, args; /* values */
};

struct mlir_op {
    struct mlir_text name;            /* with its dialect: "arith.addi" */
    uint32_t end;                     /* the operation behind it and all inside */
    uint32_t first_operand, operands; /* values, in `ref` */
    uint32_t first_result, results;   /* values */
    uint32_t attribute;               /* PAIRS, or MLIR_NONE */
    uint32_t first_region, regions;
};

struct mlir_module {
    uint32_t n_ops, n_values, n_refs, n_regions, n_items, n_numbers, n_attributes, n_types;
    uint32_t cap_ops, cap_values, cap_refs, cap_regions, cap_items, cap_numbers, cap_attributes,
        cap_types;
    struct mlir_op *op;
    uint32_t *value; /* [n_values] its type */
    uint32_t *ref, *item;
    struct mlir_region *region;
    int64_t *number;
    struct mlir_attribute *attribute;
    struct mlir_type *type;
    char **name; /* texts of its own, `n_names` */
    uint32_t n_names;
};

/* Read a module; the bytes are kept by reference and must outlive it.  False: it is none, or one
 * that is damaged; nothing is kept then.  O(size) */
bool mlir_read(struct mlir_module *m, const char *bytes, size_t size);
void mlir_free(struct mlir_module *m);

/* True if the bytes are those of `s`. */
bool mlir_is(struct mlir_text t, const char *s);
/* True if the first of them are those of `s`. */
bool mlir_starts(struct mlir_text t, const char *s);
/* Attribute `name` of an operation, or NULL. */
const struct mlir_attribute *mlir_attribute(const struct mlir_module *m, const struct mlir_op *o,
                                            const char *name);
/* Member `name` of an attribute that is PAIRS, or NULL. */
const struct mlir_attribute *mlir_member(const struct mlir_module *m,
                                         const struct mlir_attribute *a, const char *name);
/* Integer `n` of NUMBERS, or of a LIST of numbers; false: it has none. */
bool mlir_number(const struct mlir_module *m, const struct mlir_attribute *a, uint32_t n,
                 int64_t *value);
/* The type of operand or result `n`, or one of which nothing is known. */
const struct mlir_type *mlir_operand_type(const struct mlir_module *m, const struct mlir_op *o,
                                          uint32_t n);
const struct mlir_type *mlir_result_type(const struct mlir_module *m, const struct mlir_op *o,
                                         uint32_t n);

/* --- for the readers ----------------------------------------------------------------------- */

/* mlir_read() of either form. */
bool mlir_read_bytecode(struct mlir_module *m, const char *bytes, size_t size);
/* mlir_read() of text. */
bool mlir_read_text(struct mlir_module *m, const char *bytes, size_t size);
/* Append; returns the index. */
uint32_t mlir_add_value(struct mlir_module *m, uint32_t type);
uint32_t mlir_add_type(struct mlir_module *m, const struct mlir_type *t);
uint32_t mlir_add_attribute(struct mlir_module *m, const struct mlir_attribute *a);
uint32_t mlir_add_number(struct mlir_module *m, int64_t n);
uint32_t mlir_add_item(struct mlir_module *m, uint32_t item);
uint32_t mlir_add_ref(struct mlir_module *m, uint32_t value);
uint32_t mlir_add_region(struct mlir_module *m);
uint32_t mlir_add_op(struct mlir_module *m, struct mlir_text name);
/* Fill in elements from the dimensions. */
void mlir_count_elements(struct mlir_type *t);
/* A type as MLIR writes it, from *at; *at is behind it then. */
bool mlir_parse_type(struct mlir_type *t, const char **at, const char *end);
/* The text of an attribute of another dialect, as far as it holds numbers: array<i64: 1, 2>,
 * dense<[1, 2]> and [1, 2] are NUMBERS, else TEXT. */
uint32_t mlir_parse_numbers(struct mlir_module *m, struct mlir_text t);

#endif
