#include "hw/core/kernel_tiles.h"

void kernel_tiles_init(struct kernel_tiles *t, struct des *sim, struct des_module mod,
                       struct des_process thread)
{
    t->dma = des_out_new(sim, mod, "dma", sizeof(struct mem_request));
    t->dma_done = des_in_new(sim, mod, "dma_done", sizeof(struct dma_done));
    des_sensitive(sim, thread, t->dma_done);
}

void kernel_tiles_begin(struct kernel_tiles *t, const struct task_kernel *kernel, uint32_t reads,
                        uint32_t writes)
{
    t->kernel = kernel;
    t->text[0] = reads;
    t->text[1] = writes;
    t->ask = NULL;
    t->ahead = 0;
    t->started = 0;
    t->read.asked = t->read.back = t->write.asked = t->write.back = 0;
    t->write.mark[0] = t->write.mark[1] = 0;
    task_reads_begin(&t->reader, kernel);
}

/* Ask for a transfer; one of nothing needs no asking.  Returns whether it did. */
static bool ask_for(struct des *sim, struct kernel_tiles *t, const struct task_move *m, bool write)
{
    if (kernel_tiles_is_empty(m))
        return false;
    struct mem_request q = {
        .move = *m, .write = write, .first = !write && !t->read.asked, .text = t->text[write]
    };
    if (t->kernel->joined)
        q.more = t->kernel->joined - 1;
    /* two reads and three writes are in flight at most, and the wire holds more */
    if (t->ask)
        t->ask(sim, t, &q);
    else
        BUG_ON(!des_put(sim, t->dma, &q));
    return true;
}

/* The tile of grid step t->ahead takes an input buffer; the first brings what stays for all. */
static void bring_tile(struct des *sim, struct kernel_tiles *t)
{
    uint64_t i = t->ahead++;
    struct task_move m = t->in[i % 2] = task_reads_next(&t->reader);

    if (i == 0)
        m.bytes += t->kernel->resident_in;
    if (ask_for(sim, t, &m, false)) {
        t->read.asked++;
        t->started++;
    }
    t->read.mark[i % 2] = t->read.asked;
}

void kernel_tiles_read(struct des *sim, struct kernel_tiles *t, uint64_t i)
{
    while (t->ahead < t->kernel->grid_steps && t->ahead < i + 2)
        bring_tile(sim, t);
}

void kernel_tiles_write(struct des *sim, struct kernel_tiles *t, uint64_t i,
                        const struct task_move *out)
{
    t->write.asked += ask_for(sim, t, out, true);
    t->write.mark[i % 2] = t->write.asked;
}

void kernel_tiles_write_resident(struct des *sim, struct kernel_tiles *t)
{
    t->write.asked +=
        ask_for(sim, t, &(struct task_move){ .bytes = t->kernel->resident_out }, true);
}

void kernel_tiles_hear(struct des *sim, struct kernel_tiles *t)
{
    struct dma_done d;

    while (des_get(sim, t->dma_done, &d))
        kernel_tiles_take_back(t, d.write, d.flag);
}

bool kernel_tiles_is_read(const struct kernel_tiles *t, uint64_t i)
{
    return t->read.back >= t->read.mark[i % 2];
}
