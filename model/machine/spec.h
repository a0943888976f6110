/* spec.h - a machine as numbers: what its files and overrides say, each value with its source. */
#ifndef MACHINE_SPEC_H
#define MACHINE_SPEC_H

#include <stdbool.h>

#include "hw/core/bundle.h"
#include "hw/core/cmem.h"
#include "hw/core/dma.h"
#include "hw/core/mxu.h"
#include "hw/core/sequencer.h"
#include "hw/core/vpu.h"
#include "hw/core/xlu.h"
#include "hw/hbm/hbm.h"
#include "hw/hbm/hbm_timing.h"
#include "hw/host/client.h"
#include "hw/host/host.h"
#include "hw/host/pcie.h"
#include "hw/host/storage.h"
#include "hw/net/dcn.h"
#include "hw/net/link.h"
#include "kernels/cap.h"
#include "machine/catalog.h"
#include "machine/fault.h"

/* clang-format off */
#define SLICE_PARAMS(P)                                                                            \
    P(U32, cores,          "", "-", "1", "8192", "cores of a slice, as Cloud TPU counts [cloud-tpu]") \
    P(U32, cores_per_chip, "", "2", "1", "2",    "cores of a chip; they share its HBM [jax]") \
    P(U32, chips_per_host, "", "4", "1", "8",    "chips of one host [unverified]")                 \
    P(U32, mesh_x,         "", "1", "1", "64",   "chips along x [cloud-tpu]")                      \
    P(U32, mesh_y,         "", "1", "1", "64",   "chips along y [cloud-tpu]")                      \
    P(U32, mesh_z,         "", "1", "1", "64",   "chips along z [cloud-tpu]")                      \
    P(U32, wrap_least,     "", "0", "0", "64",                                                     \
      "dimensions of at least so many chips are closed to rings, 0: none [mlperf-v0.7]")           \
    P(ENUM, wrap_together, "no|yes", "no", "", "", "only if all of them have so many chips [scaling-book]") \
    P(ENUM, twisted, "no|yes", "no", "", "",                                                       \
      "a torus of n and 2n chips where a step over the end of n also moves n along 2n [jouppi-2023]")

#define VMEM_PARAMS(P)                                                                             \
    P(U64, capacity, "B", "16 MiB", "64 KiB", "16 GiB", "vector memory of a core [jax]")

#define SMEM_PARAMS(P)                                                                             \
    P(U64, capacity, "B", "16 KiB", "1 KiB", "1 GiB", "scalar memory of a core: indices of rows are read from it [norrie-2021]")

#define XLA_PARAMS(P)                                                                              \
    P(ENUM, layout, "logical|compact", "logical", "", "",                                          \
      "bytes of an array in HBM: its elements, or whole tiles in the best order of dimensions [calibrated: tpu_v4_ops]") \
    P(FS, vector_time, "s", "0 s", "0 s", "1 s",                                                   \
      "a kernel without a matrix product costs besides: the latency of transfers both ways [calibrated: tpu_v4_ops]") \
    P(U64, exposed_gemm, "B", "0 B", "0 B", "1 GiB",                                               \
      "of the first tile in and the last out of a matrix product, so much overlaps no other transfer [calibrated: tpu_v4_gemm]") \
    P(U64, exposed_bytes, "B", "0 B", "0 B", "1 GiB",                                              \
      "such a kernel moves so much one way while the other way waits [calibrated: tpu_v4_ops]")    \
    P(FS, relayout_time, "s", "0 s", "0 s", "1 s",                                                 \
      "a kernel more where input and output order their dimensions differently [calibrated: tpu_v4_ops]") \
    P(FS, lane_reduce_time, "s", "0 s", "0 s", "1 s",                                              \
      "a reduction along lanes costs besides its kernel [calibrated: tpu_v4_ops]")                 \
    P(ENUM, vector_dot, "no|yes", "no", "", "",                                                    \
      "products with a dimension of 1 run on the vector unit [calibrated: tpu_v4_gemm]")           \
    P(FS, dot_time, "s", "0 s", "0 s", "1 s",                                                      \
      "such a product costs besides its kernel: operands are laid out anew [calibrated: tpu_v4_gemm]") \
    P(FS, dot_small_time, "s", "0 s", "0 s", "1 s",                                                \
      "the same where no dimension is larger than the array [calibrated: tpu_v4_gemm]")            \
    P(FS, dot_reduce_time, "s", "0 s", "0 s", "1 s",                                               \
      "more where the sum is longer than the array is large [calibrated: tpu_v4_gemm]")            \
    P(U64, dot_tile, "B", "1 B", "1 B", "1 GiB",                                                   \
      "such a product moves so much before and after it computes [calibrated: tpu_v4_gemm]")       \
    P(FS, compile_time, "s", "5 s", "0 s", "3600 s", "to compile a program, whatever is in it [unverified]") \
    P(FS, compile_op_time, "s", "0.1 s", "0 s", "100 s", "and more for each of its operations [unverified]") \
    P(ENUM, combine_all_reduce, "no|yes", "no",  "", "",                                           \
      "one collective for all gradients of an operation, not one each [calibrated: tpu_v2-8_fc]")  \
    P(ENUM, narrow_activations, "no|yes", "yes", "", "",                                           \
      "keep f32 activations that matmuls read in bf16 in memory [calibrated: tpu_v2-8_fc]")

#define PRICE_PARAMS(P)                                                                            \
    P(PPB, on_demand,   "USD/h", "0", "0", "1000000", "of the whole slice [cloud-tpu]")            \
    P(PPB, preemptible, "USD/h", "0", "0", "1000000", "of the whole slice, preemptible [cloud-tpu]")

#define POWER_PARAMS(P)                                                                            \
    P(U64, idle, "W", "0 W", "0 W", "10 kW", "of a chip that waits: the least that was measured; 0: unknown [google-cloud-tpu-v3]") \
    P(U64, peak, "W", "0 W", "0 W", "10 kW", "of a chip at work: the most that was measured; 0: unknown [google-cloud-tpu-v3]")
/* clang-format on */

struct slice_params {
    SLICE_PARAMS(PARAM_FIELD)
};
struct smem_params {
    SMEM_PARAMS(PARAM_FIELD)
};
struct vmem_params {
    VMEM_PARAMS(PARAM_FIELD)
};
struct xla_params {
    XLA_PARAMS(PARAM_FIELD)
};
struct price_params {
    PRICE_PARAMS(PARAM_FIELD)
};
struct power_params {
    POWER_PARAMS(PARAM_FIELD)
};

#define SPEC_N_TABLES 22
#define SPEC_MAX_ROWS 56

struct machine_spec {
    char *name, *summary;
    struct slice_params slice;
    struct sequencer_params core;
    struct mxu_params mxu;
    struct vpu_params vpu;
    struct xlu_params xlu;
    struct bundle_params bundle;
    struct smem_params smem;
    struct vmem_params vmem;
    struct cmem_params cmem;
    struct dma_params dma;
    struct hbm_params hbm;
    struct dram_params dram;
    struct link_params ici;
    struct pcie_params pcie;
    struct dcn_params dcn;
    struct host_params host;
    struct storage_params storage;
    struct client_params client;
    struct xla_params xla;
    struct price_params price;
    struct fault_params fault;
    struct power_params power;
    char *source[SPEC_N_TABLES][SPEC_MAX_ROWS]; /* "[norrie-2021]", NULL: the default */
    char **changed;                             /* overrides: "mxu.count = 4" */
    size_t n_changed;
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
