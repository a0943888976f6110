/* spec.h - a machine as numbers: what its files and overrides say, each value with its source. */
#ifndef MACHINE_SPEC_H
#define MACHINE_SPEC_H

#include <stdbool.h>

#include "kernels/cap.h"
#include "machine/catalog.h"
#include "machine/sections.h"

/* Number of sections; the most parameters that one of them has room for. */
#define SPEC_ONE(section, component) +1
#define SPEC_N_TABLES (0 SECTIONS(SPEC_ONE))
#define SPEC_MAX_ROWS 56

struct machine_spec {
    char *name, *summary;
#define SPEC_FIELD(section, component) struct component##_params section;
    SECTIONS(SPEC_FIELD)
#undef SPEC_FIELD
    char *source[SPEC_N_TABLES][SPEC_MAX_ROWS]; /* "[norrie-2021]", NULL: the default */
    char **changed;                             /* overrides: "mxu.count = 4" */
    uint32_t n_changed, changed_room;
};

/* The object of table `i` of spec_tables inside `m`. */
void *spec_object(const struct machine_spec *m, size_t table);

/* Whether its values fit each other.  Errors: ERR_RANGE and ERR_FIT with what does not. */
int spec_check(const struct machine_spec *m, struct err *err);
int spec_check_dram(const struct dram_params *dram, struct err *err);

/* There is no part of that name: ERR_UNKNOWN with the nearest, or all. */
int spec_no_part(const char *name, struct err *err);

/* The HBM of a machine, or with `part` of a part by its name or .ini, with overrides.  Errors:
 * those of spec_load. */
int spec_dram(struct dram_params *out, const char *name, bool part, const char *const *set,
              size_t n_set, struct err *err);

/* Index of the table called `section`, or -1. */
int spec_table(const char *section);

/* Has this value been given, rather than left at its default? */
bool spec_given(const struct machine_spec *m, const char *section, const char *key);

/* Values in use whose source is [unverified]. */
uint32_t spec_unverified(const struct machine_spec *m);

uint64_t spec_checksum(const struct machine_spec *m);

/* Cores, chips and hosts of all slices. */
uint32_t spec_cores(const struct machine_spec *m);
uint32_t spec_chips(const struct machine_spec *m);
uint32_t spec_hosts(const struct machine_spec *m);
/* Chips and hosts of one slice. */
uint32_t spec_slice_chips(const struct machine_spec *m);
uint32_t spec_slice_hosts(const struct machine_spec *m);
/* Cores that a chip has in use. */
uint32_t spec_cores_of_chip(const struct machine_spec *m);
/* Where the chips of a slice stand. */
void spec_mesh(const struct machine_spec *m, struct mesh *mesh);

/* What lowering may know. */
void spec_cap(const struct machine_spec *m, struct cap *cap);

#endif
