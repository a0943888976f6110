/* catalog.h - machine descriptions: the built-in .ini files, files on disk, overrides.
 *
 * A machine file has the sections of sections.h.  Every value has a unit and a [source] tag, as in
 * `clock = 940 MHz [norrie-2021]`.  In [machine], `base =` derives a machine from another, and
 * `part =` takes the values of a memory part. */
#ifndef MACHINE_CATALOG_H
#define MACHINE_CATALOG_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/param.h"

struct machine_spec; /* a machine file read, with its bases and overrides applied */

/* Names of the built-in machines that can be replayed on ("tpu-v3-8"), sorted. */
size_t catalog_count(void);
const char *catalog_name(size_t i);
const char *catalog_summary(size_t i); /* one line: the `summary =` of its [machine] */

/* Read a built-in machine by name, or an .ini by path (a name with a slash or ending in .ini), and
 * apply "section.key=value" overrides.  Errors: ERR_UNKNOWN with the nearest name, ERR_FORMAT,
 * ERR_UNIT, ERR_RANGE, all with file:line. */
int spec_load(struct machine_spec **m, const char *name, const char *const *set, size_t n_set,
              struct err *err);
void spec_free(struct machine_spec *m);

/* Print the machine as an .ini with every value and its source. */
void spec_print(const struct machine_spec *m, FILE *out);

/* The parameter tables of all sections. */
extern const struct param_table *const spec_tables[];
extern const size_t spec_n_tables;

#endif
