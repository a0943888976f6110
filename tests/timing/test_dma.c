/* DMA: the femtosecond a transfer is done. */
#include "bench.h"
#include "hw/core/dma.h"

struct dma_bench {
    struct des *sim;
    struct dma d;
    struct des_out cmd, reply;
    struct des_in request, done;
};

/* Memory that answers a read at 50 ns and a write at 60. */
static uint32_t run_answer(struct des *sim, void *self, uint32_t at)
{
    struct dma_bench *b = self;

    DES_BEGIN(at);
    DES_WAIT_FOR(sim, 50000000);
    des_put(sim, b->reply, &(struct mem_done){ false });
    DES_WAIT_FOR(sim, 10000000);
    des_put(sim, b->reply, &(struct mem_done){ true });
    DES_WAIT_FOR(sim, DES_NEVER / 2);
    DES_END;
}

static void dma_up_as(struct dma_bench *b, const struct dma_params *par)
{
    b->sim = des_new();
    dma_init(&b->d, b->sim, (struct des_module){ 0 }, par, 1000000000);
    b->cmd = bench_drive(b->sim, "cmd", b->d.cmd, sizeof(struct mem_request), 8);
    b->request = bench_watch(b->sim, "request", b->d.request, sizeof(struct mem_request), 8);
    b->reply = bench_drive(b->sim, "reply", b->d.reply, sizeof(struct mem_done), 8);
    b->done = bench_watch(b->sim, "done", b->d.done, sizeof(struct dma_done), 8);
    des_thread_new(b->sim, (struct des_module){ 0 }, "answer", run_answer, b);
    bench_start(b->sim);
}

/* 1 GHz, 100 ns to the flag, a cycle for the address of a row. */
static struct dma_params default_params(void)
{
    struct dma_params par;

    param_defaults(&dma_param_table, &par);
    return par;
}

static void dma_up(struct dma_bench *b, uint32_t engines, uint32_t queue)
{
    struct dma_params par = default_params();

    par.engines = engines;
    par.queue = queue;
    dma_up_as(b, &par);
}

Test(dma, requests_are_padded_to_the_granule)
{
    struct dma_bench b;
    struct mem_request q;

    dma_up(&b, 1, 1);
    des_put(b.sim, b.cmd, &(struct mem_request){ .move = { 1000, 3, 40 } });
    des_run(b.sim, 0);
    cr_assert(des_get(b.sim, b.request, &q));
    cr_assert_eq(q.move.bytes, 1024);
    cr_assert_eq(q.move.rows, 3);
    cr_assert_eq(q.move.row_bytes, 512);
    des_free(b.sim);
}

Test(dma, so_many_transfers_are_in_flight_as_its_engines_hold)
{
    static const struct {
        uint32_t engines, queue, sent;
    } cases[] = { { 1, 1, 1 }, { 1, 3, 3 }, { 2, 1, 2 }, { 3, 2, 6 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dma_bench b;
        struct mem_request q;
        uint32_t sent = 0;
        dma_up(&b, cases[i].engines, cases[i].queue);
        for (int n = 0; n < 8; n++)
            des_put(b.sim, b.cmd, &(struct mem_request){ .move = { 512, 0, 0 } });
        des_run(b.sim, 0);
        while (des_get(b.sim, b.request, &q))
            sent++;
        cr_expect_eq(sent, cases[i].sent, "case %zu: %u", i, sent);
        /* one comes back, one more goes */
        des_run(b.sim, 50000000);
        cr_expect(des_get(b.sim, b.request, &q), "case %zu", i);
        cr_expect_not(des_get(b.sim, b.request, &q), "case %zu", i);
        des_free(b.sim);
    }
}

/* The memory answers at `at`, and the flag is set at `flag`. */
static void expect_flag(struct dma_bench *b, des_time at, bool write, des_time flag)
{
    struct dma_done d;

    bench_tight(b->sim, b->done, &d, at);
    cr_expect_eq(d.write, write);
    cr_expect_eq(d.flag, flag, "%lu", d.flag);
}

/* The flags of a read and a write of so many rows, whose last bytes come after 50 and 60 ns. */
static void expect_flags(uint32_t engines, uint64_t rows, des_time first, des_time second)
{
    struct dma_bench b;

    dma_up(&b, engines, 2);
    des_put(b.sim, b.cmd, &(struct mem_request){ .move = { 4096, rows, 512 } });
    des_put(b.sim, b.cmd, &(struct mem_request){ .move = { 4096, rows / 10, 512 }, .write = true });
    expect_flag(&b, 50000000, false, first);
    expect_flag(&b, 60000000, true, second);
    des_free(b.sim);
}

Test(dma, a_flag_waits_for_the_last_row_and_the_latency)
{
    /* one engine makes addresses until 100, then until 110 ns; then 100 ns each */
    expect_flags(1, 100, 200000000, 210000000);
    /* the second engine has made its 10 by 10 ns: 60 + 100 */
    expect_flags(2, 100, 200000000, 160000000);
    /* 20 and 2 rows are ready before the bytes, and a stream has none */
    expect_flags(1, 20, 150000000, 160000000);
    expect_flags(1, 0, 150000000, 160000000);
}

/* Memory answers the read first, though the write was asked for before: the read has 1000 addresses
 * to make, 1 us. */
Test(dma, reads_and_writes_that_pass_each_other_keep_their_rows)
{
    struct dma_bench b;

    dma_up(&b, 1, 4);
    des_put(b.sim, b.cmd, &(struct mem_request){ .move = { 512, 0, 0 }, .write = true });
    des_put(b.sim, b.cmd, &(struct mem_request){ .move = { 0, 1000, 512 } });
    expect_flag(&b, 50000000, false, 1100000000);
    expect_flag(&b, 60000000, true, 160000000);
    des_free(b.sim);
}

/* Transfers of 10,240 B one way, the other, and the first again, on ways of 100 GB/s; the third has
 * passed at `passed`. */
static void expect_third(bool write, des_time passed)
{
    struct dma_params par = default_params();
    struct dma_bench b;

    par.way_bandwidth = 100000000000;
    dma_up_as(&b, &par);
    for (int i = 0; i < 3; i++)
        des_put(b.sim, b.cmd,
                &(struct mem_request){ .move = { 10240, 0, 0 }, .write = write == (i != 1) });
    expect_flag(&b, 50000000, false, 202400000);
    expect_flag(&b, 60000000, true, 202400000);
    cr_expect_eq(b.d.issued[write][1], passed, "%lu", b.d.issued[write][1]);
    des_free(b.sim);
}

/* Two reads of 10,240 B and a write of 10,240 B at 100 GB/s each way: the reads pass by 102.4 and
 * 204.8 ns, the write by 102.4; the memory is done at 50, 60 and 50 ns. */
Test(dma, bytes_each_way_pass_a_path_of_their_own)
{
    expect_third(false, 204800000);
}

/* 100 ns and 200 ns after its bytes at 50 ns. */
Test(dma, the_first_read_of_a_kernel_takes_longer)
{
    struct dma_params par = default_params();
    struct dma_bench b;

    par.first_read = 200000000;
    dma_up_as(&b, &par);
    des_put(b.sim, b.cmd, &(struct mem_request){ .move = { 512, 0, 0 }, .first = true });
    des_put(b.sim, b.cmd, &(struct mem_request){ .move = { 512, 0, 0 }, .write = true });
    expect_flag(&b, 50000000, false, 350000000);
    expect_flag(&b, 60000000, true, 160000000);
    des_free(b.sim);
}

/* At 100 GB/s 10,240 B pass in 102.4 ns.  The second write enters when the flag of the first is
 * set, at 202.4 ns; the read has a path of its own. */
Test(dma, a_write_waits_for_the_flag_of_the_one_before)
{
    expect_third(true, 304800000);
}
