/* sections.h - the sections of a machine file, in the order in which they are printed.
 *
 *     S(section, component, kinds)    [section] holds the parameters of `component`, in machines of
 *                                     these kinds: TPU, GPU, CPU or ALL (kernels/common/cap.h);
 * LIBRARY: of GPUs, and `library =` in [machine] gives it as a whole
 *
 * The header of a component declares struct COMPONENT_params and COMPONENT_param_table.  From this
 * list come the fields of struct machine_spec, the tables that readers, --set, `cyclotron params`
 * and `machine show` go through, and their number.  A component that has parameters needs its
 * header and its line here, or in machine/spec/stages.h if it stands between a core and HBM. */
#ifndef MACHINE_SPEC_SECTIONS_H
#define MACHINE_SPEC_SECTIONS_H

#include "hw/core/cmem.h"
#include "hw/core/core_memory.h"
#include "hw/core/dma.h"
#include "hw/core/mxu.h"
#include "hw/core/tensorcore.h"
#include "hw/core/vpu.h"
#include "hw/core/xlu.h"
#include "hw/cpu/cpu_node.h"
#include "hw/gpu/gpu_core.h"
#include "hw/hbm/hbm.h"
#include "hw/hbm/hbm_timing.h"
#include "hw/host/client.h"
#include "hw/host/host.h"
#include "hw/host/pcie.h"
#include "hw/host/storage.h"
#include "hw/net/dcn.h"
#include "hw/net/link.h"
#include "hw/sparse/sparsecore.h"
#include "kernels/common/cpu_library.h"
#include "kernels/common/gpu_library.h"
#include "kernels/common/nccl_params.h"
#include "kernels/common/top_k.h"
#include "kernels/common/xla_params.h"
#include "machine/spec/fault.h"
#include "machine/spec/spec_params.h"
#include "machine/spec/stages.h"
#include "task/bundle.h"

/* clang-format off */
#define SECTIONS(S)                                                                                \
    S(slice, slice, ALL)                                                                           \
    S(core, tensorcore, TPU)                                                                       \
    S(mxu, mxu, TPU)                                                                               \
    S(vpu, vpu, TPU)                                                                               \
    S(xlu, xlu, TPU)                                                                               \
    S(bundle, bundle, TPU)                                                                         \
    S(smem, smem, TPU)                                                                             \
    S(vmem, vmem, TPU)                                                                             \
    S(cmem, cmem, TPU)                                                                             \
    S(dma, dma, TPU)                                                                               \
    MEMORY_STAGES(S)                                                                               \
    S(sparsecore, sparsecore, TPU)                                                                 \
    S(gpu, gpu_core, GPU)                                                                               \
    S(sm, sms, GPU)                                                                                \
    S(l2, l2, GPU)                                                                                 \
    S(launch, launch_queue, GPU)                                                                   \
    S(process, process, GPU)                                                                       \
    S(cpu, cpu_cores, CPU)                                                                         \
    S(framework, framework, CPU)                                                                   \
    S(elements, elements, CPU)                                                                     \
    S(blocks, blocks, CPU)                                                                         \
    S(hbm, hbm, ALL)                                                                               \
    S(dram, dram, ALL)                                                                             \
    S(ici, link, TPU)                                                                              \
    S(nvlink, nvlink, GPU)                                                                         \
    GPU_LIBRARY_SECTIONS(S)                                                                        \
    S(nccl, nccl, GPU)                                                                             \
    S(pcie, pcie, ALL)                                                                             \
    S(dcn, dcn, ALL)                                                                               \
    S(host, host, ALL)                                                                             \
    S(storage, storage, ALL)                                                                       \
    S(client, client, ALL)                                                                         \
    S(xla, xla, TPU)                                                                               \
    S(top_k, top_k, TPU)                                                                           \
    S(price, price, ALL)                                                                           \
    S(fault, fault, ALL)                                                                           \
    S(power, power, ALL)                                                                           \
    S(die, die, TPU)
/* clang-format on */

#endif
