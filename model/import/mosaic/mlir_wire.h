/* mlir_wire.h - what the two files share that read bytecode of MLIR (mlir_bytecode.c: sections and
 * operations; mlir_builtin.c: attributes and types). */
#ifndef IMPORT_MOSAIC_MLIR_WIRE_H
#define IMPORT_MOSAIC_MLIR_WIRE_H

#include "import/mosaic/mlir.h"

#define MLIR_LAST_VERSION 6      /* of bytecode, that is known */
#define MLIR_MAX_NAMES (1 << 24) /* bytes of all names of operations with their dialects */

enum mlir_section {
    MLIR_STRINGS,
    MLIR_DIALECTS,
    MLIR_ATTRIBUTES, /* and types */
    MLIR_OFFSETS,    /* their sizes */
    MLIR_OPERATIONS,
    MLIR_RESOURCES,
    MLIR_RESOURCE_OFFSETS,
    MLIR_VERSIONS,
    MLIR_PROPERTIES,
    MLIR_N_SECTIONS
};

struct mlir_cursor {
    const uint8_t *at, *end;
    bool bad; /* it has been asked for more than there is */
};

/* An attribute or a type as it stands in its section; it is read when something refers to it. */
struct mlir_entry {
    uint32_t dialect;
    bool custom; /* by a code of the dialect; else text */
    bool open;   /* being read */
    struct mlir_cursor bytes;
    uint32_t index; /* in the module, or MLIR_NONE */
};

struct mlir_wire {
    struct mlir_module *m;
    const uint8_t *base;
    uint64_t version;
    struct mlir_cursor section[MLIR_N_SECTIONS];
    uint32_t n_strings, n_dialects, n_op_names, cap_op_names, n_attributes, n_types;
    struct mlir_text *string, *dialect, *op_name;
    struct mlir_entry *entry; /* [n_attributes + n_types] */
    uint32_t *local, cap_local;
    uint64_t promised; /* values that may still be */
    uint32_t depth;
    bool bad;
};

/* One byte. */
uint8_t mlir_take_byte(struct mlir_cursor *c);
/* A number of 1 to 9 bytes. */
uint64_t mlir_take(struct mlir_cursor *c);
/* A number with a sign. */
int64_t mlir_take_signed(struct mlir_cursor *c);
/* The number of things that follow, of a byte each at least. */
uint32_t mlir_take_count(struct mlir_cursor *c);
struct mlir_cursor mlir_take_bytes(struct mlir_cursor *c, uint64_t n);
struct mlir_text mlir_take_string(struct mlir_wire *w, struct mlir_cursor *c);

/* Attribute or type number `n` of the bytecode in the module; MLIR_NONE and w->bad if there is
 * none.
 */
uint32_t mlir_wire_attribute(struct mlir_wire *w, uint64_t n);
uint32_t mlir_wire_type(struct mlir_wire *w, uint64_t n);

#endif
