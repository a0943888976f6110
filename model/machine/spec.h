/* spec.h - a machine as numbers: what its files and overrides say, each value with its source. */
#ifndef MACHINE_SPEC_H
#define MACHINE_SPEC_H

#include <stdbool.h>

#include "hw/dma.h"
#include "hw/hbm.h"
#include "hw/host.h"
#include "hw/link.h"
#include "hw/mxu.h"
#include "hw/pcie.h"
#include "hw/sequencer.h"
#include "hw/vpu.h"
#include "hw/xlu.h"
#include "kernels/cap.h"
#include "machine/catalog.h"

/* clang-format off */
#define SLICE_PARAMS(P)                                                                            \
    P(U32, cores,          "", "-", "1", "2048", "cores of the slice, as Cloud TPU counts [cloud-tpu]") \
    P(U32, cores_per_chip, "", "2", "1", "2",    "cores of a chip; they share its HBM [jax]") \
    P(U32, chips_per_host, "", "4", "1", "8",    "chips of one host [unverified]")                 \
    P(U32, mesh_x,         "", "1", "1", "64",   "chips along x [cloud-tpu]")                      \
    P(U32, mesh_y,         "", "1", "1", "64",   "chips along y [cloud-tpu]")

#define VMEM_PARAMS(P)                                                                             \
    P(U64, capacity, "B", "16 MiB", "64 KiB", "16 GiB", "vector memory of a core [jax]")

#define XLA_PARAMS(P)                                                                              \
    P(ENUM, combine_all_reduce, "no|yes", "no",  "", "",                                           \
      "one collective for all gradients of an operation, not one each [calibrated: tpu_v2-8_fc]")  \
    P(ENUM, narrow_activations, "no|yes", "yes", "", "",                                           \
      "keep f32 activations that matmuls read in bf16 in memory [calibrated: tpu_v2-8_fc]")

#define PRICE_PARAMS(P)                                                                            \
    P(PPB, on_demand,   "USD/h", "0", "0", "1000000", "of the whole slice [cloud-tpu]")            \
    P(PPB, preemptible, "USD/h", "0", "0", "1000000", "of the whole slice, preemptible [cloud-tpu]")
/* clang-format on */

struct slice_params {
    SLICE_PARAMS(PARAM_FIELD)
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

#define SPEC_N_TABLES 13
#define SPEC_MAX_ROWS 8

struct machine_spec {
    char *name, *summary;
    struct slice_params slice;
    struct sequencer_params core;
    struct mxu_params mxu;
    struct vpu_params vpu;
    struct xlu_params xlu;
    struct vmem_params vmem;
    struct dma_params dma;
    struct hbm_params hbm;
    struct link_params ici;
    struct pcie_params pcie;
    struct host_params host;
    struct xla_params xla;
    struct price_params price;
    char *source[SPEC_N_TABLES][SPEC_MAX_ROWS]; /* "[norrie-2021]", NULL: the default */
    char **changed;                             /* overrides: "mxu.count = 4" */
    size_t n_changed;
};

/* The object of table `i` of spec_tables inside `m`. */
void *spec_object(const struct machine_spec *m, size_t table);

/* Index of the table called `section`, or -1. */
int spec_table(const char *section);

/* Has this value been given, rather than left at its default? */
bool spec_given(const struct machine_spec *m, const char *section, const char *key);

/* Values in use whose source is [unverified]. */
uint32_t spec_unverified(const struct machine_spec *m);

uint64_t spec_checksum(const struct machine_spec *m);

/* Chips and hosts of the slice. */
uint32_t spec_chips(const struct machine_spec *m);
uint32_t spec_hosts(const struct machine_spec *m);

/* What lowering may know. */
void spec_cap(const struct machine_spec *m, struct cap *cap);

#endif
