/* param.h - each parameter is declared once: kind, name, unit, default, range, meaning, source.
 *
 * A component writes one X-macro table, each row
 *     P(KIND, name, "unit", "default", "min", "max", "meaning [source]")
 * with default and range as text in the unit.  From it come the struct, the defaults, the machine
 * file and --set parsers, range errors, `cyclotron params` and docs/params.md.  Kinds:
 *     U32, U64  integers            FS     a time: unit "s", stored as uint64_t femtoseconds
 *     PPB       a ratio: unit "ratio", stored as parts per 1e9, so that timing needs no floats
 *     ENUM      uint32_t index; the "unit" column lists the choices: "serial|exposed|shadow"
 *     TEXT      struct param_string; unit and range are empty, whoever uses it checks it
 * A default of "-" means the parameter must be given. */
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum param_kind { PARAM_U32, PARAM_U64, PARAM_FS, PARAM_PPB, PARAM_ENUM, PARAM_TEXT };

struct param_string {
    char text[56]; /* ends in a NUL */
};

struct param_desc {
    enum param_kind kind;
    size_t offset;
    const char *name, *unit, *def, *min, *max, *doc;
};

/* A table with the section name it has in machine files: "mxu" for mxu.rows. */
struct param_table {
    const char *section;
    const struct param_desc *rows;
    size_t n_rows, size; /* size of the struct it describes */
};

#define PARAM_CTYPE_U32 uint32_t
#define PARAM_CTYPE_U64 uint64_t
#define PARAM_CTYPE_FS uint64_t
#define PARAM_CTYPE_PPB uint64_t
#define PARAM_CTYPE_ENUM uint32_t
#define PARAM_CTYPE_TEXT struct param_string
#define PARAM_FIELD(K, name, unit, def, min, max, doc) PARAM_CTYPE_##K name;
#define PARAM_DESC(S, K, name, unit, def, min, max, doc)                                           \
    { PARAM_##K, offsetof(S, name), #name, unit, def, min, max, doc },

/* Set every parameter that has a default; those that must be given are left zero. */
void param_defaults(const struct param_table *t, void *obj);

/* The row called `name`, or NULL. */
const struct param_desc *param_find(const struct param_table *t, const char *name);

/* Set one parameter from text such as "128", "700 MHz" or "exposed".  The message starts with
 * "section.name = text: ".  Errors: ERR_FORMAT, ERR_UNIT, ERR_RANGE; `obj` is unchanged then. */
int param_set(const struct param_table *t, const struct param_desc *d, void *obj, const char *text,
              struct err *err);

/* KEY=VALUE words where each key may stand once: ERR_FORMAT, with both words, if one stands twice.
 */
int param_once(const char *const *word, size_t n, struct err *err);

/* The value as text in the row's unit ("940 MHz", "exposed"); returns `buf` (64 bytes suffice). */
char *param_text(const struct param_desc *d, const void *obj, char *buf, size_t size);

/* One Markdown row per parameter: the reference manual is printed, not written. */
void param_print_md(const struct param_table *t, FILE *out);

#endif
