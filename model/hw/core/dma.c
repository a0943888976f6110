/* One method passes commands on to HBM and answers on to the sequencer. */
#include "hw/core/dma.h"

#include "base/wide.h"

#define P(...) PARAM_DESC(struct dma_params, __VA_ARGS__)
static const struct param_desc params[] = { DMA_PARAMS(P) };
const struct param_table dma_param_table = { "dma", params, sizeof params / sizeof *params,
                                             sizeof(struct dma_params), NULL };
static const struct component_class dma_class = { .name = "dma", .parameters = &dma_param_table };

static uint64_t pad_bytes(uint64_t bytes, uint64_t granule)
{
    uint64_t up = bytes + granule - 1;

    return granule & (granule - 1) ? up - up % granule : up & ~(granule - 1);
}

enum { IN_FLIGHT, READ, WRITE = READ + 2 * DMA_SHOWN };
static const char transfer_doc[] = "tensors of a transfer, from its request to its answer";
#define TRANSFER_ROWS(at, name, i)                                                                 \
    [(at) + 2 * (i)] = SHOW_ROW(TEXT, name #i, NULL, transfer_doc),                                \
                [(at) + 2 * (i) + 1] = SHOW_DETAIL(name #i "_bytes", "B", "bytes of it")
static const struct des_probe_row shows[] = {
    [IN_FLIGHT] = SHOW_ROW(LEVEL, "in_flight", NULL, "requests on the way to HBM or back"),
    TRANSFER_ROWS(READ, "read", 0),
    TRANSFER_ROWS(READ, "read", 1),
    TRANSFER_ROWS(READ, "read", 2),
    TRANSFER_ROWS(READ, "read", 3),
    TRANSFER_ROWS(WRITE, "write", 0),
    TRANSFER_ROWS(WRITE, "write", 1),
    TRANSFER_ROWS(WRITE, "write", 2),
    TRANSFER_ROWS(WRITE, "write", 3),
};

/* Show number `n` of the reads or writes: of the transfer before it in its row nothing is left. */
static void show_transfer(struct des *sim, const struct dma *d, bool write, uint64_t n,
                          uint32_t text, uint64_t bytes)
{
    uint32_t row = (write ? WRITE : READ) + 2 * (uint32_t)(n % DMA_SHOWN);

    des_show(sim, d->show, row + 1, bytes);
    des_show(sim, d->show, row, text);
}

uint32_t dma_in_flight(const struct dma_params *par)
{
    return par->engines * par->queue;
}

/* Give `rows` rows to the engine whose turn it is; returns when all of them are issued. */
static des_time issue_rows(struct dma *d, uint64_t rows, des_time now)
{
    des_time *free = &d->free[d->turn];

    d->turn = d->turn + 1 < d->par.engines ? d->turn + 1 : 0;
    if (rows && d->par.row_cycles) {
        uint64_t from = des_edge_index(*free > now ? *free : now, d->core_hz);
        *free = des_edge(from + rows * d->par.row_cycles, d->core_hz);
    }
    return *free;
}

/* The time that `bytes` take at `rate` B/s, 0 for no limit. */
static des_time measure_path(uint64_t bytes, uint64_t rate, const struct wide_divisor *by)
{
    u128 time = (u128)bytes * DES_FS_PER_S + rate - 1;

    if (!rate)
        return 0;
    return wide_fits(time, by) ? wide_divide(time, by) : (des_time)(time / rate);
}

/* Let bytes that take so long pass a path; returns when they have. */
static des_time pass_path(des_time *path, des_time takes, des_time now)
{
    *path = (*path < now ? now : *path) + takes;
    return *path;
}

/* Let `bytes` pass between HBM and the core; returns when they have, 0 if no path limits them. */
static des_time pass_bytes(struct dma *d, bool write, uint64_t bytes, des_time now)
{
    struct dma_passage *p = &d->passage[write]; /* transfers of one kernel are mostly alike */
    des_time one = 0, all = 0;

    if (p->bytes != bytes)
        *p = (struct dma_passage){ bytes, measure_path(bytes, d->par.way_bandwidth, &d->way_rate),
                                   measure_path(bytes, d->par.bandwidth, &d->rate) };
    if (d->par.way_bandwidth)
        one = pass_path(&d->way[write], p->one, now);
    if (d->par.bandwidth)
        all = pass_path(d->shared, p->all, now);
    return one > all ? one : all;
}

static uint64_t count_in_flight(const struct dma *d)
{
    return d->sent[0] + d->sent[1] - d->answered[0] - d->answered[1];
}

void dma_send(struct dma *d, struct mem_request *q, des_time now)
{
    q->move.bytes = pad_bytes(q->move.bytes, d->par.granule);
    q->move.row_bytes = pad_bytes(q->move.row_bytes, d->par.granule);
    uint64_t bytes = q->move.bytes + q->move.rows * q->move.row_bytes;
    des_time rows = issue_rows(d, q->move.rows, now), passed = pass_bytes(d, q->write, bytes, now);
    uint64_t n = d->sent[q->write]++ % DMA_MAX_FLIGHT;

    d->issued[q->write][n] = rows > passed ? rows : passed;
    d->latency[q->write][n] = d->par.latency + (q->first ? d->par.first_read : 0);
    if (q->write && d->par.way_bandwidth)
        d->way[1] += d->par.latency;
}

/* Method, woken by a command or a reply.  Wires have room for all transfers in flight. */
static void move_transfers(struct des *sim, void *self)
{
    struct dma *d = self;
    struct mem_request q;
    struct mem_done done;

    while (des_get(sim, d->reply, &done)) {
        if (des_shown(sim))
            show_transfer(sim, d, done.write, d->answered[done.write], 0, 0);
        struct dma_done flag = { done.write, dma_flag(d, done.write, des_now(sim)) };
        BUG_ON(!des_put(sim, d->done, &flag));
    }
    while (count_in_flight(d) < dma_in_flight(&d->par) && des_get(sim, d->cmd, &q)) {
        dma_send(d, &q, des_now(sim));
        BUG_ON(!des_put(sim, d->request, &q));
        if (des_shown(sim))
            show_transfer(sim, d, q.write, d->sent[q.write] - 1, q.text,
                          q.move.bytes + q.move.rows * q.move.row_bytes);
    }
    des_show(sim, d->show, IN_FLIGHT, count_in_flight(d));
}

/* Make the parts of a set of queues in a module of that name; d->shared is set. */
static void make_queues(struct dma *d, struct des *sim, struct des_module parent, const char *name)
{
    d->mod = des_module_new(sim, parent, name);
    component_add(sim, &dma_class, d->mod, d);
    if (d->par.way_bandwidth)
        d->way_rate = wide_divisor(d->par.way_bandwidth);
    if (d->par.bandwidth)
        d->rate = wide_divisor(d->par.bandwidth);
    d->cmd = des_in_new(sim, d->mod, "cmd", sizeof(struct mem_request));
    d->reply = des_in_new(sim, d->mod, "reply", sizeof(struct mem_done));
    d->request = des_out_new(sim, d->mod, "request", sizeof(struct mem_request));
    d->done = des_out_new(sim, d->mod, "done", sizeof(struct dma_done));
    d->show = SHOW_PROBES(sim, d->mod, shows);
    des_probe_set_peak(sim, d->show, IN_FLIGHT, dma_in_flight(&d->par));
    struct des_process p = des_method_new(sim, d->mod, "move", move_transfers, d);
    des_sensitive(sim, p, d->cmd);
    des_sensitive(sim, p, d->reply);
}

void dma_init(struct dma *d, struct des *sim, struct des_module parent,
              const struct dma_params *par, uint64_t core_hz)
{
    *d = (struct dma){ .par = *par, .core_hz = core_hz, .shared = &d->path };
    make_queues(d, sim, parent, "dma");
}

void dma_init_more(struct dma *d, struct des *sim, struct des_module parent, const char *name,
                   struct dma *first)
{
    *d = (struct dma){ .par = first->par, .core_hz = first->core_hz, .shared = &first->path };
    make_queues(d, sim, parent, name);
}
