/* mlir_parse.h - what the two files share that read the text of MLIR (mlir_text.c: statements;
 * mlir_value.c: words and attributes). */
#ifndef IMPORT_MOSAIC_MLIR_PARSE_H
#define IMPORT_MOSAIC_MLIR_PARSE_H

#include "import/mosaic/mlir.h"

struct mlir_name {
    struct mlir_text text;
    uint32_t value;
};

struct mlir_statement;

struct mlir_reader {
    struct mlir_module *m;
    const char *at, *end;
    struct mlir_name *table; /* open addressing, a power of two */
    uint32_t n_names, room;
    uint32_t depth;
    struct mlir_statement *open[MLIR_MAX_DEPTH + 1]; /* of regions that are open */
};

/* The entry of a name, empty if it has no value; the table must have room.  Give it a value. */
struct mlir_name *mlir_name_find(struct mlir_reader *r, struct mlir_text t);
void mlir_name_set(struct mlir_reader *r, struct mlir_text t, uint32_t value);

/* Blanks, ends of lines, comments. */
void mlir_skip_blanks(struct mlir_reader *r);
/* Letters, digits and _.$-, none perhaps. */
struct mlir_text mlir_take_word(struct mlir_reader *r);
/* %name, without #n of one that stands for several. */
struct mlir_text mlir_take_name(struct mlir_reader *r);
bool mlir_skip_string(struct mlir_reader *r);
/* Up to a comma or the closing bracket of what is around it. */
struct mlir_text mlir_take_value(struct mlir_reader *r);

/* An attribute that is text as it stands. */
uint32_t mlir_add_text(struct mlir_module *m, struct mlir_text t);
/* An attribute as text; `name = value, ...` without the braces.  `depth`: in how many others. */
uint32_t mlir_parse_value(struct mlir_module *m, struct mlir_text t, uint32_t depth);
uint32_t mlir_parse_pairs(struct mlir_module *m, struct mlir_text t, uint32_t depth);

#endif
