/* sizes.h - the legal sizes of each generation: names, sizes and shapes by rule.
 *
 * The file of a generation of TPUs (model/machines/tpu-v4.ini) has its rule as the section
 * [slices]:
 *
 *     also = v7x tpu7x [jax]               other names of the generation
 *     cores_per_chip = 1 [jax]             devices of a chip
 *     chips_per_host = 4 [mlperf]
 *     8 = 2x2x1 [cloud-tpu]                a slice of 8 TensorCores is 2 x 2 x 1 chips
 *     128 = 4x4x4 [cloud-tpu]
 *     torus_from = 128 [ying-2018]         larger ones sum gradients along all dimensions at once
 *     most = 8192 [jouppi-2023]            slices above the last shape are whole blocks of it
 *     row = z [google-tpu8]                which stand behind each other along z, not as a cube
 *
 * A name is a generation and a number of TensorCores, "tpu-v4-512", in letters of either case, with
 * or without "tpu-".  Blocks lie as near to a cube as they go; "tpu-v4-512:4x4x16" asks for another
 * arrangement of them.
 *
 * The file of a generation of GPUs (model/machines/v100.ini) has the section [boxes] with the same
 * keys: `4 = 4` is a box of 4 GPUs, its name "v100x4".  Above the last number a machine is several
 * boxes of that number, joined over the network that [dcn] of the file describes: "v100x32".
 *
 * All functions read the rule again: O(bytes of the file). */
#ifndef MACHINE_SPEC_SIZES_H
#define MACHINE_SPEC_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

#define SIZES_NAME 64 /* bytes of the name of a size */

struct sizes_slice {
    char generation[16];     /* "tpu-v4", "v100" */
    char name[SIZES_NAME];   /* "tpu-v4-512", "tpu-v4-512:4x4x16", "v100x8" */
    uint32_t number;         /* TensorCores or GPUs, as in its name */
    uint32_t chips, devices; /* a device is what runs one program */
    uint32_t mesh[3];        /* chips along x, y and z, of one box if several are joined */
    uint32_t blocks;         /* 1 for a shape that the rule lists */
};

/* The name of the i-th generation ("tpu-v2"), TPUs first, then in byte order; NULL behind the last
 * one. */
const char *sizes_generation(size_t i);

/* "tpu-v4-N", "v100xN": the names of a generation's machines, to be freed. */
char *sizes_pattern(const char *generation);

/* Is this a section with a rule ("slices", "boxes")? */
bool sizes_is_rule(const char *section);

/* Is this the file of a generation ("tpu-v4")? */
bool sizes_has_rule(const char *generation);

/* True if the machines of a generation are boxes of GPUs, by its name. */
static inline bool sizes_are_boxes(const char *generation)
{
    return strncmp(generation, "tpu-", 4) != 0;
}

/* The smallest legal slice of a generation with more than `number` TensorCores or GPUs.  False if
 * there is none.  From 0 on it visits all of them, the smallest first. */
bool sizes_after(const char *generation, uint32_t number, struct sizes_slice *s);

/* The largest legal slice of a generation with fewer than `number` TensorCores or GPUs, or false.
 */
bool sizes_before(const char *generation, uint32_t number, struct sizes_slice *s);

/* Has `name` the form of a slice of a generation?  Its size may be illegal. */
bool sizes_knows(const char *name);

/* The slice of that name.  Errors: ERR_UNKNOWN with the nearest legal sizes below and above, or
 * with the legal shapes of that size. */
int sizes_find(struct sizes_slice *s, const char *name, struct err *err);

/* The slice that XLA's compiler calls "v5e:2x2" or "tpu7x:2x2x1"; false if it is none of these. */
bool sizes_topology(struct sizes_slice *s, const char *text);

/* The smallest slice with so many devices of the generation that `name` is of: a machine, whose
 * size may be illegal, or what XLA's compiler calls a slice.  False if there is none. */
bool sizes_devices(struct sizes_slice *s, const char *name, uint64_t devices);

/* The text of the machine file of a slice, to be freed. */
char *sizes_text(const struct sizes_slice *s);

#endif
