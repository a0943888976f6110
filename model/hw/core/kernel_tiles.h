/* kernel_tiles.h - the tiles of a kernel between HBM and VMEM: read one grid step ahead, written
 * behind.
 *
 *      read(i+1) starts when  compute(i-1) is done: it takes the input buffer of grid step i-1
 *      compute(i) waits for   read(i), and for write(i-2), whose output buffer it takes
 *
 * A transfer is over when the DMA engine has set its sync flag, which the core may know of before
 * the flag is set.  Reads come back in order, and so do writes. */
#ifndef HW_CORE_KERNEL_TILES_H
#define HW_CORE_KERNEL_TILES_H

#include "des/des.h"
#include "hw/wires/msg_mem.h"
#include "task/task_walk.h"

#define KERNEL_TILES_FLIGHT 5 /* transfers in flight at most: two reads, three writes */
#define KERNEL_TILES_FLAGS 8  /* more than transfers that came back and are not waited for yet */

struct kernel_transfers { /* reads, or writes, of the kernel at hand */
    uint64_t asked, back; /* transfers asked for, and come back */
    uint64_t mark[2];     /* of grid step i % 2: so many must be back before what waits for them */
    des_time flag[KERNEL_TILES_FLAGS]; /* of transfer n % KERNEL_TILES_FLAGS and all before */
};

struct kernel_tiles;
/* The shortcut around the wire: ask for a transfer, which is padded in place. */
typedef void kernel_tiles_ask_fn(struct des *sim, struct kernel_tiles *t, struct mem_request *q);

struct kernel_tiles {
    struct des_out dma;     /* struct mem_request */
    struct des_in dma_done; /* struct dma_done */
    const struct task_kernel *kernel;
    struct task_reads reader;
    uint64_t ahead;         /* the next grid step whose tile is to be read */
    struct task_move in[2]; /* what grid step i % 2 reads */
    struct kernel_transfers read, write;
    des_time flagged;         /* when the transfers waited for have set their flags */
    uint32_t text[2];         /* numbers of the texts with the tensors that are read, and written */
    kernel_tiles_ask_fn *ask; /* of the kernel at hand; NULL: over the wire */
    void *asker;              /* for `ask` */
    uint32_t started;         /* reads since the last grid step's control */
};

/* Ports in `mod`, which wake `thread`. */
void kernel_tiles_init(struct kernel_tiles *t, struct des *sim, struct des_module mod,
                       struct des_process thread);
/* A kernel begins, which outlives it; nothing is in flight.  `reads`, `writes`: kernel_tiles.text.
 */
void kernel_tiles_begin(struct kernel_tiles *t, const struct task_kernel *kernel, uint32_t reads,
                        uint32_t writes);
/* Grid step `i` is next: read its tile, if nobody has, and the one after it. */
void kernel_tiles_read(struct des *sim, struct kernel_tiles *t, uint64_t i);
/* Grid step `i` is computed: write what it has made. */
void kernel_tiles_write(struct des *sim, struct kernel_tiles *t, uint64_t i,
                        const struct task_move *out);
/* All grid steps are: write what stayed in VMEM for all of them. */
void kernel_tiles_write_resident(struct des *sim, struct kernel_tiles *t);
/* Take back what the wire has. */
void kernel_tiles_hear(struct des *sim, struct kernel_tiles *t);

/* A transfer is back whose flag is set at `flag`: a tile is here, or an output buffer is free
 * again. */
static inline void kernel_tiles_take_back(struct kernel_tiles *t, bool write, des_time flag)
{
    struct kernel_transfers *w = write ? &t->write : &t->read;
    uint64_t n = w->back++;
    des_time before = n ? w->flag[(n - 1) % KERNEL_TILES_FLAGS] : 0;

    w->flag[n % KERNEL_TILES_FLAGS] = flag > before ? flag : before;
}

/* When the first `n` have set their flags. */
static inline des_time kernel_tiles_flag(const struct kernel_transfers *w, uint64_t n)
{
    return n ? w->flag[(n - 1) % KERNEL_TILES_FLAGS] : 0;
}

/* True once so many reads and writes of the kernel are back; then t->flagged is set. */
static inline bool kernel_tiles_are_back(struct kernel_tiles *t, uint64_t reads, uint64_t writes)
{
    if (t->read.back < reads || t->write.back < writes)
        return false;
    des_time read = kernel_tiles_flag(&t->read, reads);
    des_time written = kernel_tiles_flag(&t->write, writes);
    t->flagged = read > written ? read : written;
    return true;
}

/* True once the tile of grid step `i` is here and its output buffer free; once all transfers are
 * back.  Then the core goes on at `flagged`. */
static inline bool kernel_tiles_ready(struct kernel_tiles *t, uint64_t i)
{
    return kernel_tiles_are_back(t, t->read.mark[i % 2], t->write.mark[i % 2]);
}
static inline bool kernel_tiles_all_back(struct kernel_tiles *t)
{
    return kernel_tiles_are_back(t, t->read.asked, t->write.asked);
}
/* True if the tile of grid step `i` is here: the wait is for its output buffer. */
bool kernel_tiles_is_read(const struct kernel_tiles *t, uint64_t i);

/* True if nothing is moved: neither bytes nor rows. */
static inline bool kernel_tiles_is_empty(const struct task_move *m)
{
    return m->bytes == 0 && m->rows == 0;
}

#endif
