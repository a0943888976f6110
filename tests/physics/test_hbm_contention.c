/* The time of transfers that are served side by side in a machine, held against the channel model
 * walked request by request on the very same mix, with refreshes, long streams and places drawn
 * from seeds that the machine never saw. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hw/hbm/hbm.h"
#include "machine/spec/spec.h"

#define BURSTS 40960 /* of each stream: 80 MiB where a burst is 2 KiB */
#define ACCESSES (UINT64_C(1) << 17)
#define SEEDS 3
#define MAX_STREAMS 4
#define ROW 512

struct mix {
    const char *name;
    const char *stream; /* of each client: r, w read and write on; R, W rows at random places */
};

static const struct mix mixes[] = {
    { "seq", "r" },          { "write", "w" },         { "copy", "rw" },
    { "two readers", "rr" }, { "triad", "rrw" },       { "two copies", "rrww" },
    { "rows", "R" },         { "rows, stream", "Rr" }, { "rows, write", "Rw" },
};

static bool is_write(char stream)
{
    return stream == 'w' || stream == 'W';
}

static bool is_rows(char stream)
{
    return stream == 'R' || stream == 'W';
}

/* Bytes a second of the machine's HBM, all of it without other losses. */
static double machine_rate(const struct machine_spec *s, const struct mix *m)
{
    struct hbm_params par = s->hbm;
    struct des *sim = des_new();
    struct hbm_part part;
    struct hbm *h = malloc(sizeof *h);
    struct des_out ask[MAX_STREAMS];
    struct des_in answer[MAX_STREAMS];
    uint32_t n = (uint32_t)strlen(m->stream);
    uint64_t bytes = BURSTS * par.burst;
    struct err e;

    par.efficiency = 1000000000;
    par.request_overhead = 0;
    hbm_part_init(&part, &s->dram, par.turn, par.bandwidth);
    hbm_init(h, sim, (struct des_module){ 0 }, &par, &part, n, &hbm_fold);
    for (uint32_t i = 0; i < n; i++) {
        struct des_module root = { 0 };
        char name[16];
        snprintf(name, sizeof name, "q%u", i);
        struct des_fifo q = des_fifo_new(sim, root, name, sizeof(struct mem_request), 1);
        snprintf(name, sizeof name, "a%u", i);
        struct des_fifo a = des_fifo_new(sim, root, name, sizeof(struct mem_done), 1);
        ask[i] = des_out_new(sim, root, "ask", sizeof(struct mem_request));
        answer[i] = des_in_new(sim, root, "answer", sizeof(struct mem_done));
        des_bind(sim, ask[i], q);
        des_bind(sim, h->request[i], q);
        des_bind(sim, h->reply[i], a);
        des_bind(sim, answer[i], a);
    }
    cr_assert_eq(des_elaborate(sim, &e), 0, "%s", e.msg);
    for (uint32_t i = 0; i < n; i++) {
        struct mem_request r = { .write = is_write(m->stream[i]) };
        if (is_rows(m->stream[i]))
            r.move = (struct task_move){ 0, bytes / ROW, ROW };
        else
            r.move.bytes = bytes;
        cr_assert(des_put(sim, ask[i], &r));
    }
    des_run(sim, 1000 * UINT64_C(1000000000000));
    double rate = (double)(n * bytes) / ((double)des_now(sim) / 1e15);
    des_free(sim);
    hbm_free(h);
    hbm_part_free(&part);
    free(h);
    return rate;
}

static double walked_rate(const struct machine_spec *s, const struct mix *m)
{
    const struct dram_params *d = &s->dram;
    uint64_t all = dram_channels(d) * d->access, turn = s->hbm.turn / all, cycles = 0;
    struct hbm_mix mix = { .n = (uint32_t)strlen(m->stream) };
    uint64_t round = mix.n * turn, accesses = (ACCESSES + round - 1) / round * round;

    for (uint32_t i = 0; i < mix.n; i++)
        mix.kind[i] = (uint8_t)(is_write(m->stream[i]) + 2 * is_rows(m->stream[i]));
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct hbm_mix_course c = { .turn = (uint32_t)turn,
                                    .span = UINT32_MAX,
                                    .skip = round,
                                    .accesses = accesses,
                                    .seed = 1000 * seed };
        struct hbm_mixed out;
        hbm_mix_walk(d, &mix, &c, &out);
        cycles += out.cycles;
    }
    return (double)(SEEDS * accesses * all) * (double)d->clock / (double)cycles;
}

static void expect_within(const char *machine, double bound)
{
    struct machine_spec *s;
    struct err e;

    cr_assert_eq(spec_load(&s, machine, NULL, 0, &e), 0, "%s", e.msg);
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        double machine_gbs = machine_rate(s, &mixes[i]) / 1e9;
        double walked_gbs = walked_rate(s, &mixes[i]) / 1e9;
        double error = machine_gbs / walked_gbs - 1;
        cr_log_info("%-9s %-12s %7.1f GB/s, walked %7.1f: %+5.2f %%", machine, mixes[i].name,
                    machine_gbs, walked_gbs, 100 * error);
        cr_expect_leq(error, bound, "%s, %s", machine, mixes[i].name);
        cr_expect_geq(error, -bound, "%s, %s", machine, mixes[i].name);
    }
    spec_free(s);
}

Test(hbm_contention, mixes_are_within_three_percent_of_the_walk_on_hbm2)
{
    expect_within("tpu-v2-8", 0.03);
    expect_within("tpu-v3-8", 0.03);
    expect_within("tpu-v4-2", 0.03);
}

Test(hbm_contention, mixes_are_within_six_percent_of_the_walk_on_newer_parts)
{
    expect_within("tpu-v5e-1", 0.06);
    expect_within("tpu-v6e-1", 0.06);
    expect_within("tpu-v7-2", 0.06);
}

/* A burst of each stream of a mix takes, all together, what walking the mix took; no burst is
 * faster than one of a lone stream, and rows are never faster than what streams beside them. */
Test(hbm_contention, a_round_of_bursts_takes_what_walking_the_mix_took)
{
    static const struct {
        uint32_t kind[3], n;
        uint64_t turn;
    } cases[] = {
        { { 0, 1 }, 2, 65536 },   { { 0, 2 }, 2, 2048 },      { { 0, 2 }, 2, 4 << 20 },
        { { 1, 2 }, 2, 1 << 20 }, { { 0, 0, 4 }, 3, 262144 }, { { 1, 3, 2 }, 3, 65536 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine_spec *s;
        struct hbm_part p;
        struct err e;
        hbm_mix_key key = 0;
        double sum = 0;
        bool writes = true;
        cr_assert_eq(spec_load(&s, "tpu-v4-2", NULL, 0, &e), 0, "%s", e.msg);
        hbm_part_init(&p, &s->dram, cases[i].turn, s->hbm.bandwidth);
        for (uint32_t k = 0; k < cases[i].n; k++) {
            key += hbm_mix_one(cases[i].kind[k]);
            writes &= cases[i].kind[k] % 2;
        }
        uint32_t mix = hbm_part_mix(&p, key), lone = hbm_part_mix(&p, hbm_mix_one(writes));
        for (uint32_t k = 0; k < cases[i].n; k++) {
            uint32_t cost = p.mixture[mix].cost[cases[i].kind[k]];
            sum += cost / (double)HBM_FINE;
            cr_expect_geq(cost, HBM_FINE, "case %zu", i);
            cr_expect_leq(p.mixture[mix].cost[cases[i].kind[0]],
                          p.mixture[mix].cost[cases[i].kind[cases[i].n - 1]], "case %zu", i);
        }
        const struct hbm_mixture *m = hbm_part_seen(&p, mix), *a = hbm_part_seen(&p, lone);
        double walked = (double)m->seen->cycles / (double)m->accesses;
        double alone = (double)a->seen->cycles / (double)a->accesses;
        double round = cases[i].n * walked / alone;
        cr_expect_float_eq(sum, round > cases[i].n ? round : cases[i].n, 0.001, "case %zu: %g, %g",
                           i, sum, round);
        hbm_part_free(&p);
        spec_free(s);
    }
}
