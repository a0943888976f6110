/* dma.h - the DMA engine of a core: moves tiles between HBM and VMEM.
 *
 *      cmd  >--[ pad to the granule ]--> request ... HBM ... reply --> done
 *
 * Requests keep their order; up to `queue` of them are in flight. */
#ifndef HW_DMA_H
#define HW_DMA_H

#include "base/param.h"
#include "base/stat.h"
#include "des/des.h"
#include "hw/msg_mem.h"
#include "hw/show.h"

/* clang-format off */
#define DMA_PARAMS(P)                                                                              \
    P(U64, granule, "B", "512 B", "1 B", "64 KiB", "a row access moves a multiple of this [norrie-2021]") \
    P(U32, queue,   "",  "8",     "1",   "256",    "requests in flight [unverified]")

#define DMA_STATS(C, R)                                                                            \
    C(requests, "",  "requests sent to HBM")                                                       \
    C(bytes,    "B", "bytes asked for, padding to the granule included")
/* clang-format on */

struct dma_params {
    DMA_PARAMS(PARAM_FIELD)
};
struct dma_stats {
    DMA_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct param_table dma_param_table;
extern const struct stat_table dma_stat_table;

struct dma {
    struct des_module mod;
    struct dma_params par;
    struct dma_stats st;
    struct des_in cmd, reply;     /* struct mem_request, struct mem_done */
    struct des_out request, done; /* struct mem_request, struct mem_done */
    uint32_t in_flight;
    struct des_probes show;
};

void dma_init(struct dma *d, struct des *sim, struct des_module parent,
              const struct dma_params *par);

#endif
