/* catalog.h - machine descriptions: the built-in .ini files, files on disk, overrides.
 *
 * A machine file has the sections of sections.h.  Every value has a unit and a [source] tag, as in
 * `clock = 940 MHz [norrie-2021]`.  In [machine], `base =` derives a machine from another, and
 * `part =` takes the values of a memory part. */
#ifndef MACHINE_SPEC_CATALOG_H
#define MACHINE_SPEC_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/param.h"

struct machine_spec; /* a machine file read, with its bases and overrides applied */

/* A machine that the list of machines names: each slice or box that a rule lists one by one, and
 * beyond them twice, four times, ... its largest one, and the largest machine. */
struct catalog_machine {
    char name[64];     /* "tpu-v3-8" */
    size_t generation; /* 0, 1, ... in the order of sizes_generation */
    uint32_t number;   /* TensorCores or GPUs, as in its name */
};

/* Go on to the next machine, by generation and size; to the first one from { 0 }.  False behind the
 * last one. */
bool catalog_next(struct catalog_machine *m);

/* The i-th built-in machine that no rule names: single GPUs, CPUs; NULL behind the last one. */
const char *catalog_box(size_t i);

/* True of a box that a generation is made of: "h100-sxm-80gb", which h100x1 has one of. */
bool catalog_is_base(const char *box);

/* One line on the built-in machine of that name, to be freed. */
char *catalog_summary(const char *name);

/* "tpu-v4-N: 8, 32, 64 and multiples of 128 up to 8192": all legal sizes, to be freed. */
char *catalog_range(size_t generation);

/* Read a built-in machine by name (sizes.h), or an .ini by path (a name with a slash or ending in
 * .ini), and apply "section.key=value" overrides in order: the last of a key counts.  Errors:
 * ERR_UNKNOWN with the nearest name, ERR_FORMAT, ERR_UNIT, ERR_RANGE, all with file:line. */
int spec_load(struct machine_spec **m, const char *name, const char *const *set, size_t n_set,
              struct err *err);
void spec_free(struct machine_spec *m);

/* Print the machine as an .ini with every value and its source. */
void spec_print(const struct machine_spec *m, FILE *out);
/* Print what spec_print prints, without the line that names the machine. */
void spec_print_values(const struct machine_spec *m, FILE *out);

/* The parameter tables of all sections. */
extern const struct param_table *const spec_tables[];
extern const size_t spec_n_tables;

#endif
