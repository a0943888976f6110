/* hbm_channel_bench.h - one HBM channel alone: requests at given cycles, and the commands that came
 * of them.
 *
 * The clock is 1 GHz, so that a nanosecond of a part is a cycle. */
#ifndef TIMING_HBM_HBM_CHANNEL_BENCH_H
#define TIMING_HBM_HBM_CHANNEL_BENCH_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw/hbm/hbm_channel.h"

struct hbm_request {
    uint64_t at;
    uint32_t bank, row;
    bool write;
};

struct hbm_record {
    uint64_t at;
    enum hbm_command cmd;
    uint32_t bank, row;
};

struct hbm_bench {
    struct dram_params par;
    struct hbm_timing t;
    struct hbm_record rec[4096];
    size_t n;
    uint64_t pushed[1024], done[1024]; /* by tag: the number of the request */
};

static inline void hbm_bench_set(struct hbm_bench *b, const char *key, const char *value)
{
    struct err err;
    const struct param_desc *d = param_find(&dram_param_table, key);

    cr_assert(d, "no parameter %s", key);
    cr_assert_eq(param_set(&dram_param_table, d, &b->par, value, &err), 0, "%s", err.msg);
}

/* A part with no refresh and gaps so short that none but what a test sets holds a command up. */
static inline void hbm_bench_init(struct hbm_bench *b)
{
    static const char *const plain[][2] = {
        { "refresh", "none" },
        { "read_latency", "10 ns" },
        { "write_latency", "4 ns" },
        { "rcd_read", "1 ns" },
        { "rcd_write", "1 ns" },
        { "rp", "1 ns" },
        { "ras", "1 ns" },
        { "rc", "1 ns" },
        { "rrd_s", "1 ns" },
        { "rrd_l", "1 ns" },
        { "faw", "1 ns" },
        { "ccd_s", "1" },
        { "ccd_l", "1" },
        { "burst", "1" },
        { "wr", "0 ns" },
        { "wtr_s", "0 ns" },
        { "wtr_l", "0 ns" },
        { "rtp", "1 ns" },
        { "rtw", "1 ns" },
        { "rfc", "1 ns" },
        { "rfc_bank", "1 ns" },
        { "rrefd", "1 ns" },
        { "write_high", "1" },
        { "write_low", "0" },
    };

    memset(b, 0, sizeof *b);
    param_defaults(&dram_param_table, &b->par);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        hbm_bench_set(b, plain[i][0], plain[i][1]);
}

static inline void hbm_bench_trace(void *self, uint64_t at, enum hbm_command cmd, uint32_t bank,
                                   uint32_t row)
{
    struct hbm_bench *b = self;

    cr_assert_lt(b->n, sizeof b->rec / sizeof *b->rec);
    b->rec[b->n++] = (struct hbm_record){ at, cmd, bank, row };
}

static inline void hbm_bench_done(void *self, uint32_t tag, uint64_t at)
{
    ((struct hbm_bench *)self)->done[tag] = at;
}

/* Push the requests at their cycles, in order, and go on until cycle `until` at least and until all
 * are served.  `every`: step every cycle, whatever the channel says. */
static inline void hbm_bench_run(struct hbm_bench *b, const struct hbm_request *q, size_t n,
                                 uint64_t until, bool every)
{
    struct hbm_channel *c = malloc(sizeof *c);
    struct err err;
    uint64_t t = 0, next = 0;
    size_t i = 0;

    cr_assert(c);
    cr_assert_eq(hbm_timing_init(&b->t, &b->par, &err), 0, "%s", err.msg);
    hbm_channel_init(c, &b->t, 0);
    c->trace = hbm_bench_trace;
    c->done = hbm_bench_done;
    c->self = b;
    while (t <= until || i < n || hbm_channel_waiting(c)) {
        if (every || t >= next)
            next = hbm_channel_step(c, t);
        for (; i < n && q[i].at <= t && hbm_channel_room(c, q[i].write); i++) {
            b->pushed[i] = t;
            if (hbm_channel_push(c, t, q[i].bank, q[i].row, q[i].write, (uint32_t)i))
                next = t + 1;
        }
        t++;
        cr_assert_lt(t, 10000000, "requests starve");
    }
    hbm_channel_free(c);
    free(c);
}

/* The cycle of the `nth` command of that kind for that bank, from 0. */
static inline uint64_t hbm_bench_find(const struct hbm_bench *b, enum hbm_command cmd,
                                      uint32_t bank, unsigned nth)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->rec[i].cmd == cmd && b->rec[i].bank == bank && nth-- == 0)
            return b->rec[i].at;
    cr_assert(false, "no such command: %d for bank %u", (int)cmd, bank);
    return 0;
}

#endif
