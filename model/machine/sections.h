/* sections.h - the sections of a machine file, in the order in which they are printed.
 *
 *     S(section, component)    [section] holds the parameters of `component`
 *
 * The header of a component declares struct COMPONENT_params and COMPONENT_param_table.  From this
 * list come the fields of struct machine_spec, the tables that readers, --set, `cyclotron params`
 * and `machine show` go through, and their number.  A component that has parameters needs its
 * header and its line here. */
#ifndef MACHINE_SECTIONS_H
#define MACHINE_SECTIONS_H

#include "hw/core/cmem.h"
#include "hw/core/core_memory.h"
#include "hw/core/dma.h"
#include "hw/core/mxu.h"
#include "hw/core/sparsecore.h"
#include "hw/core/tensorcore.h"
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
#include "machine/fault.h"
#include "machine/spec_params.h"
#include "task/bundle.h"

/* clang-format off */
#define SECTIONS(S)                                                                                \
    S(slice,   slice)                                                                              \
    S(core,    tensorcore)                                                                         \
    S(mxu,     mxu)                                                                                \
    S(vpu,     vpu)                                                                                \
    S(xlu,     xlu)                                                                                \
    S(bundle,  bundle)                                                                             \
    S(smem,    smem)                                                                               \
    S(vmem,    vmem)                                                                               \
    S(cmem,    cmem)                                                                               \
    S(dma,     dma)                                                                                \
    S(sparsecore, sparsecore)                                                                      \
    S(hbm,     hbm)                                                                                \
    S(dram,    dram)                                                                               \
    S(ici,     link)                                                                               \
    S(pcie,    pcie)                                                                               \
    S(dcn,     dcn)                                                                                \
    S(host,    host)                                                                               \
    S(storage, storage)                                                                            \
    S(client,  client)                                                                             \
    S(xla,     xla)                                                                                \
    S(price,   price)                                                                              \
    S(fault,   fault)                                                                              \
    S(power,   power)                                                                              \
    S(die,     die)
/* clang-format on */

#endif
