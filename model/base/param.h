/* param.h - parameters, each declared once: kind, name, unit, default, range, meaning, source.
 *
 * A component has one X-macro table with a row for each parameter:
 *
 *     P(KIND, name, "unit", "default", "min", "max", "meaning [source]")
 *
 * Default and range are texts in the unit.  A default of "-" means that the parameter must be
 * given. The table makes the struct, the defaults, the parsers of machine files and --set, the
 * range errors, `cyclotron params` and docs/reference/params.md.  Kinds:
 *
 *     U32, U64  an integer
 *     FS        a time, unit "s", stored as uint64_t femtoseconds
 *     PPB       a ratio, unit "ratio", stored as parts per 1e9: timing uses no floating point
 *     ENUM      a choice, stored as its uint32_t index; the unit column lists the choices:
 *               "serial|exposed|shadow"
 *     TEXT      a struct param_string; unit and range are empty, the component checks the text */
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Kinds of parameters: see above. */
enum param_kind { PARAM_U32, PARAM_U64, PARAM_FS, PARAM_PPB, PARAM_ENUM, PARAM_TEXT };

struct param_string {
    char text[56]; /* ends in a NUL */
};

/* A row: texts as in the table; `offset` is that of the value in the struct of the component. */
struct param_desc {
    enum param_kind kind;
    size_t offset;
    const char *name, *unit, *def, *min, *max, *doc;
};

/* A table.  `section` is its name in machine files: "mxu" for mxu.rows.  `list`: lines that its
 * section may hold besides; NULL: none. */
struct param_table {
    const char *section;
    const struct param_desc *rows;
    size_t n_rows, size; /* size: of the struct, in bytes */
    const struct param_list *list;
};

/* Lines of a section that have names of their own, "128x64 = 0.93, 20, 4": a value for each column,
 * commas between; columns at the end that are left out have their default.  The component keeps
 * them as an array of structs in the order in which they were given. */
struct param_list {
    const struct param_table *columns; /* of the struct of a line, which begins with its name, a
                                          struct param_string; `section`: what a line is, "tile" */
    const char *pattern, *doc;         /* what its name looks like, "NxM"; the meaning of it */
    size_t number, lines; /* where the struct of the component has their number, a uint32_t, and the
                             array */
    uint32_t most;        /* of the array */
    bool (*like)(const char *name);           /* is that meant as one, not as a parameter? */
    int (*name)(void *line, struct err *err); /* take the name of a line apart; ERR_FORMAT */
};

/* For use with a table: PARAM_FIELD makes the member of the struct, PARAM_DESC the row of struct S.
 */
#define PARAM_CTYPE_U32 uint32_t
#define PARAM_CTYPE_U64 uint64_t
#define PARAM_CTYPE_FS uint64_t
#define PARAM_CTYPE_PPB uint64_t
#define PARAM_CTYPE_ENUM uint32_t
#define PARAM_CTYPE_TEXT struct param_string
#define PARAM_FIELD(K, name, unit, def, min, max, doc) PARAM_CTYPE_##K name;
#define PARAM_DESC(S, K, name, unit, def, min, max, doc)                                           \
    { PARAM_##K, offsetof(S, name), #name, unit, def, min, max, doc },

/* Set every parameter of `obj` to its default; those without a default to 0. */
void param_defaults(const struct param_table *t, void *obj);

/* The row called `name`, or NULL. */
const struct param_desc *param_find(const struct param_table *t, const char *name);

/* Set parameter `d` of `obj` from text such as "128", "700 MHz" or "exposed".  Errors: ERR_FORMAT,
 * ERR_UNIT, ERR_RANGE, with a message that starts with "section.name = text: "; `obj` is then
 * unchanged. */
int param_set(const struct param_table *t, const struct param_desc *d, void *obj, const char *text,
              struct err *err);

/* True if two words KEY=VALUE have one key, blanks around it aside. */
bool param_same_key(const char *a, const char *b);

/* Check that no key stands twice in `n` words KEY=VALUE, blanks around the key aside.  O(n log n).
 * Errors: ERR_FORMAT, with both values. */
int param_once(const char *const *word, size_t n, struct err *err);

/* Write the value of parameter `d` in its unit: "940 MHz", "exposed".  Returns `buf`; 64 bytes
 * suffice. */
char *param_text(const struct param_desc *d, const void *obj, char *buf, size_t size);

/* The value as the object stores it; of a choice its number.  A text has none: a bug. */
uint64_t param_stored(const struct param_desc *d, const void *obj);
/* *amount = the stored value of parameter `d`, by which its values are ordered; false: it is a
 * choice or a text, which have no order. */
bool param_amount(const struct param_desc *d, const void *obj, uint64_t *amount);

/* Set parameter `d` to a stored value, as param_amount() gives it.  Errors: ERR_RANGE; `obj` is
 * then unchanged. */
int param_set_amount(const struct param_table *t, const struct param_desc *d, void *obj,
                     uint64_t amount, struct err *err);

/* The line called `name` of the list of `t` in `obj`, or NULL.  *place = its place in the array. */
void *param_line(const struct param_table *t, void *obj, const char *name, uint32_t *place);
/* Set the line called `name`, a new one behind the others if there is none; one whose text is
 * "none" is taken away.  Errors: those of param_set, and ERR_FORMAT, ERR_RANGE for a name; `obj` is
 * then unchanged. */
int param_set_line(const struct param_table *t, void *obj, const char *name, const char *text,
                   struct err *err);
/* Write the values of a line as a machine file has them.  256 bytes suffice. */
char *param_line_text(const struct param_list *l, const void *line, char *buf, size_t size);

/* Print one line of a Markdown list for each parameter, for docs/reference/params.md. */
void param_print_md(const struct param_table *t, FILE *out);

#endif
