/* spec.h - a machine as numbers: what its files and overrides say, each value with its source. */
#ifndef MACHINE_SPEC_SPEC_H
#define MACHINE_SPEC_SPEC_H

#include <stdbool.h>

#include "kernels/common/cap.h"
#include "machine/spec/catalog.h"
#include "machine/spec/sections.h"

/* Number of sections; the most parameters that a section may have. */
#define SPEC_ONE(section, component, kinds) +1
#define SPEC_N_TABLES (0 SECTIONS(SPEC_ONE))
#define SPEC_MAX_ROWS 56

struct machine_spec {
    char *name, *summary;
    enum chip_kind kind;
#define SPEC_FIELD(section, component, kinds) struct component##_params section;
    SECTIONS(SPEC_FIELD)
#undef SPEC_FIELD
    /* "[norrie-2021]", NULL: the default; those of the lines of a list behind those of the rows */
    char *source[SPEC_N_TABLES][SPEC_MAX_ROWS];
    char **changed; /* overrides: "mxu.count = 4" */
    uint32_t n_changed, changed_room;
    bool retimed; /* one of them may change times */
    bool own;     /* some file but a list of prices is the user's */
    char **file;  /* paths of the files that it was read from, built-in ones left out */
    uint32_t n_files, files_room;
};

/* True if values of a section change what a machine costs or draws, and no time. */
bool spec_is_untimed(size_t table);
/* True if machines of a kind have the section of spec_tables[table]. */
bool spec_has(enum chip_kind kind, size_t table);
/* True if `library =` gives that section as a whole. */
bool spec_in_library(size_t table);
/* Number of the lines that stand in that section besides its parameters (struct param_list). */
size_t spec_lines(const struct machine_spec *m, size_t table);
/* [kind] "TPU", "GPU", "CPU" */
extern const char *const spec_kind_name[CHIP_N_KINDS];
/* [kind] what the tree of modules calls one: "chip", "GPU", "node" */
extern const char *const spec_chip_name[CHIP_N_KINDS];
/* [kind] how its memory is called: "HBM", "RAM" */
extern const char *const spec_memory_name[CHIP_N_KINDS];

/* Causes for which a core of that kind can wait, as bits of enum cause. */
uint32_t spec_causes(const struct machine_spec *m);

/* Clock of the cores; their matrix units: MXUs of a TensorCore, 0 for a GPU. */
uint64_t spec_clock(const struct machine_spec *m);

/* Extents of a tile of an array: those of the compiler, or of a smaller vector register. */
uint32_t spec_tile_lanes(const struct machine_spec *m);
uint32_t spec_tile_sublanes(const struct machine_spec *m);
uint32_t spec_matrix_units(const struct machine_spec *m);
/* Multiply-accumulates of a core a cycle, of 16-bit floating point where it has matrix units for
 * it. */
uint64_t spec_macs_per_cycle(const struct machine_spec *m);
/* The dtype of their operands: "bf16", "f16" or "f32". */
const char *spec_peak_dtype(const struct machine_spec *m);
/* The generation whose fitted constants a GPU has, "hopper"; NULL where they are its own. */
const char *spec_constants(const struct machine_spec *m);
/* Elements that all cores of a chip add up a cycle: work of collectives. */
uint64_t spec_adds_per_cycle(const struct machine_spec *m);
/* The links between chips: [ici], or what [nvlink] makes of a box. */
struct link_params spec_links(const struct machine_spec *m);

/* The parameters of `m` that spec_tables[table] describes. */
void *spec_object(const struct machine_spec *m, size_t table);

/* Check that the values of a machine, or of a memory part, fit each other (check.c).  Errors:
 * ERR_RANGE and ERR_FIT with the values that do not. */
int spec_check(const struct machine_spec *m, struct err *err);
int spec_check_dram(const struct dram_params *dram, struct err *err);

struct sizes_slice;

/* Does `name` stand for a file, rather than for a built-in machine or part? */
bool catalog_is_path(const char *name);

/* The slice of that name.  Errors: those of sizes_find; ERR_UNKNOWN with the nearest machine. */
int catalog_slice(struct sizes_slice *s, const char *name, struct err *err);

/* Write to `own`, which may be `name`, what a machine or part calls itself: "tpu-v5e-16" for
 * "V5litepod-16"; a path stays as it is.  Errors: those of sizes_find; ERR_RANGE when it has no
 * room. */
int catalog_rename(char *own, size_t room, const char *name, struct err *err);

/* Refuse a part or a library: ERR_UNKNOWN with the nearest name, or all names. */
int spec_no_part(const char *name, struct err *err);
int spec_no_library(const char *name, struct err *err);

/* Read the [dram] of a machine or, with `part`, of a memory part by its name or .ini, and apply
 * overrides.  Errors: those of spec_load. */
int spec_dram(struct dram_params *out, const char *name, bool part, const char *const *set,
              size_t n_set, struct err *err);

/* Index of the table called `section`, or -1. */
int spec_table(const char *section);

/* Was this value given by a file or an override, rather than left at its default? */
bool spec_given(const struct machine_spec *m, const char *section, const char *key);

/* Is the source of that value [unverified]? */
bool spec_is_unverified(const struct machine_spec *m, size_t table, size_t row);
/* Number of values in use whose source is [unverified]. */
uint32_t spec_unverified(const struct machine_spec *m);

/* XXH64 of the text of spec_print. */
uint64_t spec_checksum(const struct machine_spec *m);

/* Number of cores, chips and hosts of all slices. */
uint32_t spec_cores(const struct machine_spec *m);
uint32_t spec_chips(const struct machine_spec *m);
uint32_t spec_hosts(const struct machine_spec *m);
/* Number of chips and hosts of one slice. */
uint32_t spec_slice_chips(const struct machine_spec *m);
uint32_t spec_slice_hosts(const struct machine_spec *m);
/* Number of cores in use of a chip. */
uint32_t spec_cores_of_chip(const struct machine_spec *m);
/* Bytes of the memory of a core that its program can have. */
uint64_t spec_usable(const struct machine_spec *m);
/* The mesh of the chips of a slice. */
void spec_mesh(const struct machine_spec *m, struct mesh *mesh);

/* One line on a slice or box: "TPU v3-32: 16 chips (4x4 mesh), 32 cores, 4 hosts", "4 x NVIDIA V100
 * SXM2, 16 GB each"; to be freed. */
char *spec_summary(const struct machine_spec *m, const char *name);

/* The capabilities that lowering may use. */
void spec_cap(const struct machine_spec *m, struct cap *cap);

#endif
