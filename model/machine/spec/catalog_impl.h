/* catalog_impl.h - what reads one machine file, and what puts a machine together from several. */
#ifndef MACHINE_SPEC_CATALOG_IMPL_H
#define MACHINE_SPEC_CATALOG_IMPL_H

#include "machine/spec/catalog.h"
#include "machine/spec/spec.h"

#define CATALOG_MAX_BASES 16
#define CATALOG_BASE 256
#define CATALOG_PRICES_OF_SLICE 2 /* rows of [price]: first those of a slice, then of a chip */

struct catalog_loader {
    struct machine_spec *m; /* NULL: only the base is wanted */
    struct err *err;
    const char *file;
    FILE *in;
    char *line; /* the whole line at hand; libinih may see only its beginning */
    int lineno;
    bool failed, built_in;
    const char *price_section; /* reading prices: the section to take, else NULL */
    char base[CATALOG_BASE];
    char seen[SPEC_N_TABLES][SPEC_MAX_ROWS]; /* given in this very file */
    bool seen_base, seen_part, seen_library, seen_summary;
    uint32_t depth;                     /* of parts in parts */
    const struct catalog_loader *above; /* that of the file which names this part; NULL: none */
};

/* Read one file into l->m, or with l->m NULL only find its base.  Errors: those of spec_load. */
int catalog_read(struct catalog_loader *l, const char *name, struct err *err);

/* Put the values of a part or library, which a file that is being read names, into l->m.
 * l->failed is set if the error names a line of it. */
int catalog_part(struct catalog_loader *l, const char *name);
int catalog_library(struct catalog_loader *l, const char *name);

/* The left side of a `=`: row `row` of spec_tables[table] or, where that is NULL, a line of its
 * list, or one column of it. */
struct catalog_key {
    int table;
    const struct param_desc *row, *column; /* column: NULL for a whole line */
    const char *line;                      /* its name */
};

/* Find a parameter of l->m, in `key`, which may be cut.  Errors: ERR_UNKNOWN with the nearest name;
 * ERR_FORMAT. */
int catalog_find(struct catalog_loader *l, const char *section, char *key, struct catalog_key *k);

/* Where its source stands in m->source[k->table]. */
size_t catalog_slot(struct machine_spec *m, const struct catalog_key *k);

/* Set it.  Errors: those of param_set and param_set_line. */
int catalog_set(struct machine_spec *m, const struct catalog_key *k, const char *text,
                const char *source, struct err *err);

/* Write what it is.  256 bytes suffice. */
char *catalog_text(struct machine_spec *m, const struct catalog_key *k, char *buf, size_t size);

/* Forget what a library gave. */
void catalog_drop_library(struct machine_spec *m);

/* Forget `n` prices from row `first` on. */
void catalog_drop_prices(struct machine_spec *m, ptrdiff_t first, ptrdiff_t n);

/* Replace a base that is a file by its path beside the file that names it; -1: too long. */
int catalog_beside(char base[CATALOG_BASE], const char *file);

#endif
