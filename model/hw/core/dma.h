/* dma.h - the DMA engine of a core: moves tiles between HBM and VMEM.
 *
 *      cmd  >--[ pad to the granule ]--> request ... HBM ... reply --> done
 *
 * Reads keep their order, and so do writes.  Transfers go to the engines in turn; each engine has
 * up to `queue` of them in flight.  For rows at random places an engine computes an address a row,
 * `row_cycles` core cycles each, while HBM already moves the first rows; the next transfer on that
 * engine begins its own addresses after that.  However fast HBM is, the bytes that a core reads
 * pass one path of `way_bandwidth`, those that it writes another, and all of them one of
 * `bandwidth`, one transfer after the other.  A transfer's sync flag is set some time after its
 * last byte has moved and its last row was issued:
 *
 *     flag = max(moved, start + rows * row_cycles, path free + bytes / its rate) + latency
 *
 * and for the first read of a kernel, and the read of a copy, `first_read` later.
 *
 * A path takes a write when the flag of the one before is set: XLA's loop of grid steps waits for
 * it then, which is why kernels of TPU v6e that only write take a latency more a grid step
 * [xla-kernels].
 *
 * Copies in the background (hw/core/copy_runner.h) have a second set of queues with a port to HBM
 * of its own, so that they keep their order among themselves and share HBM turn by turn with the
 * tiles of kernels.  Reads and writes have paths of their own there; the path of `bandwidth` is
 * one. */
#ifndef HW_CORE_DMA_H
#define HW_CORE_DMA_H

#include "base/param.h"
#include "base/stat.h"
#include "base/wide.h"
#include "des/des.h"
#include "hw/wires/component.h"
#include "hw/wires/msg_mem.h"
#include "hw/wires/show.h"

#define DMA_MAX_ENGINES 16 /* of a core */
#define DMA_MAX_FLIGHT 256 /* transfers each way; engines times their queue */
#define DMA_SHOWN 4        /* transfers each way at a time that are shown */

/* clang-format off */
#define DMA_PARAMS(P)                                                                              \
    P(U64, granule, "B", "512 B", "1 B", "64 KiB", "a row access moves a multiple of this [norrie-2021]") \
    P(U32, engines, "",  "4",     "1",   "16",     "engines of a core [unverified]")                \
    P(U32, queue,   "",  "2",     "1",   "16",     "transfers in flight of an engine [unverified]") \
    P(U32, issue, "cycle", "9", "0", "1000",                                                       \
      "core cycles to start a transfer, of the fixed cost of a grid step [tpu-v4-events]")         \
    P(U32, row_cycles, "cycle", "1", "0", "1000",                                                  \
      "of an engine for the address of a row at random [scaling-book]")        \
    P(U64, bandwidth, "B/s", "0 B/s", "0 B/s", "100 TB/s",                                         \
      "between HBM and a core, both directions; 0: as fast as HBM [unverified]") \
    P(U64, way_bandwidth, "B/s", "0 B/s", "0 B/s", "100 TB/s",                                     \
      "of reads, and of writes, between HBM and a core; 0: as fast as HBM [unverified]")           \
    P(FS, latency, "s", "0.1 us", "0 s", "1 ms",                                                   \
      "from the last byte of a transfer to its sync flag; the last write's is in the cost of an operation [unverified: at most half of 0.49 us, tpu_v4_gemm]") \
    P(FS, first_read, "s", "0 s", "0 s", "1 ms",                                             \
      "delay of a kernel's first read, of the fixed cost of an operation [unverified]")
/* clang-format on */

struct dma_params {
    DMA_PARAMS(PARAM_FIELD)
};
extern const struct param_table dma_param_table;

/* Bytes, and the times that they take to pass the path of their direction, and the common one. */
struct dma_passage {
    uint64_t bytes;
    des_time one, all;
};

struct dma {
    struct des_module mod;
    struct dma_params par;
    struct wide_divisor way_rate, rate; /* of par.way_bandwidth and par.bandwidth, if not 0 */
    struct des_in cmd, reply;           /* struct mem_request, struct mem_done */
    struct des_out request, done;       /* struct mem_request, struct dma_done */
    uint64_t core_hz;
    uint64_t sent[2], answered[2];  /* reads, writes */
    uint32_t turn;                  /* the engine that takes the next transfer */
    des_time free[DMA_MAX_ENGINES]; /* when an engine has issued all its rows */
    struct dma_passage passage[2];  /* of the last read and the last write */
    des_time way[2];                /* when all requested reads, writes have passed their path */
    des_time path;                  /* when all requested bytes have passed the common path */
    des_time *shared;               /* the common path: its own, or that of the first set */
    /* of read or write number n, at n % DMA_MAX_FLIGHT: when its rows are issued and its bytes have
     * passed */
    des_time issued[2][DMA_MAX_FLIGHT];
    des_time latency[2][DMA_MAX_FLIGHT]; /* from then to its flag */
    struct des_probes show;
};

/* Most transfers in flight; every wire of the engine except `cmd` must have room for them. */
uint32_t dma_in_flight(const struct dma_params *par);

/* Take a transfer: pad it to the granule, and note when its bytes have passed. */
void dma_send(struct dma *d, struct mem_request *q, des_time now);

/* Count the answer to the next read, or write; returns when its flag is set. */
static inline des_time dma_flag(struct dma *d, bool write, des_time now)
{
    uint64_t n = d->answered[write]++ % DMA_MAX_FLIGHT;
    des_time issued = d->issued[write][n];

    return (issued > now ? issued : now) + d->latency[write][n];
}

/* Make the engines of a core of `core_hz`, as a module of `parent`. */
void dma_init(struct dma *d, struct des *sim, struct des_module parent,
              const struct dma_params *par, uint64_t core_hz);
/* A second set of queues of the same core, in a module `name`: its bytes pass the path of `first`.
 */
void dma_init_more(struct dma *d, struct des *sim, struct des_module parent, const char *name,
                   struct dma *first);

#endif
