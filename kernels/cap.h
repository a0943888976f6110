/* cap.h - what lowering may know of a machine: sizes and rates, no components, no time.
 *
 * The machine layer fills it from the machine file; kernels only read it. */
#ifndef KERNELS_CAP_H
#define KERNELS_CAP_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/array.h"

struct cap {
    uint32_t replicas; /* cores of the slice, each with its copy of the program */
    uint64_t core_hz;
    uint32_t mxu_count;       /* per core */
    struct array mxu;         /* each of them */
    uint32_t mxu_row_granule; /* streamed rows are padded to a multiple of this */
    uint32_t vector_elements; /* 32-bit elements of one vector register: lanes * sublanes */
    uint32_t sublanes;
    uint64_t vmem_bytes;
    uint64_t hbm_bytes_per_s; /* what one core streams when all cores of its chip do */
    uint64_t dma_granule;     /* bytes; a row access moves a multiple of it */
    uint64_t step_cycles;     /* fixed cost of a grid step, core cycles */
    bool narrow;              /* the compiler keeps matmul-only activations in the MXU's dtype */
    bool combine_all_reduce;  /* one collective for all tensors of an operation, not one each */
};

#endif
