/* The shortcut for streams gives what walking them request by request gives, to the cycle and to
 * every counter of every bank; of random chunks it is off by less than 1 %. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw/hbm/hbm_memory.h"

static void set_value(struct dram_params *p, const char *key, const char *value)
{
    struct err err;
    const struct param_desc *d = param_find(&dram_param_table, key);

    cr_assert(d, "%s", key);
    cr_assert_eq(param_set(&dram_param_table, d, p, value, &err), 0, "%s", err.msg);
}

/* Few channels and banks and a short refresh interval, so that a short stream has many rounds. */
static void make_small(struct dram_params *p)
{
    param_defaults(&dram_param_table, p);
    set_value(p, "channels", "2");
    set_value(p, "groups", "2");
    set_value(p, "banks", "2");
    set_value(p, "refi", "700 ns");
    set_value(p, "rfc", "100 ns");
    set_value(p, "rfc_bank", "60 ns");
    set_value(p, "row_bytes", "512 B");
}

static const struct part {
    const char *name;
    const char *set[8][2];
} parts[] = {
    { "plain", { { "page", "open" } } },
    { "closed pages", { { "page", "closed" } } },
    { "a bank refreshed at a time", { { "refresh", "bank" } } },
    { "nothing refreshed", { { "refresh", "none" } } },
    { "bank queues, a window",
      { { "bank_queue", "4" },
        { "arbiter", "turn" },
        { "write_high", "32" },
        { "row_hits", "4" },
        { "window", "16" },
        { "age_limit", "0 s" } } },
    { "pseudo-channels",
      { { "pseudo_channels", "2" },
        { "access", "32 B" },
        { "hold_row", "no" },
        { "early_place", "yes" },
        { "act_cycles", "2" },
        { "map", "ro ba co2 bg pc ch co" } } },
    { "three channels", { { "channels", "3" }, { "row_hits", "3" } } },
};

struct outcome {
    struct hbm_outcome out;
    struct hbm_counts st[8];
    struct hbm_bank_counts bank[8][HBM_MAX_BANKS];
};

static void serve_load(const struct dram_params *p, const struct hbm_load *load, bool fold,
                       struct outcome *o)
{
    struct hbm_memory m;
    struct hbm_traffic w;
    struct err err;

    memset(o, 0, sizeof *o);
    cr_assert_eq(hbm_memory_init(&m, p, &err), 0, "%s", err.msg);
    cr_assert_eq(hbm_traffic_init(&w, load, &m.map, p, &err), 0, "%s", err.msg);
    if (fold)
        hbm_memory_fold(&m, &w, &o->out);
    else
        hbm_memory_walk(&m, &w, &o->out);
    for (uint32_t c = 0; c < m.n_channels; c++) {
        o->st[c] = m.channel[c].st;
        memcpy(o->bank[c], m.channel[c].bank_st, sizeof o->bank[c]);
    }
    hbm_traffic_free(&w);
    hbm_memory_free(&m);
}

static uint64_t draw_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

Test(hbm_fold, streams_of_random_sizes_and_strides_take_the_same_cycles)
{
    static struct outcome walked, folded;
    uint64_t state = 1, shortened = 0, runs = 0;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (int n = 0; n < 24; n++) {
            struct dram_params p;
            struct hbm_load load = { .pattern =
                                         (enum hbm_pattern)(draw_number(&state) % HBM_N_PATTERNS) };
            if (load.pattern == HBM_RANDOM)
                load.pattern = HBM_STRIDED;
            make_small(&p);
            for (size_t s = 0; s < 8 && parts[i].set[s][0]; s++)
                set_value(&p, parts[i].set[s][0], parts[i].set[s][1]);
            load.size = 64 * (1 + draw_number(&state) % 12);
            load.stride = 64 * (1 + draw_number(&state) % 40);
            load.apart = 64 * (draw_number(&state) % 100000);
            load.bytes = 2000000 + draw_number(&state) % 6000000;
            load.write = draw_number(&state) % 4 == 0 && load.pattern != HBM_COPY;
            serve_load(&p, &load, false, &walked);
            serve_load(&p, &load, true, &folded);
            if (folded.out.statistical)
                continue;
            runs++;
            shortened += folded.out.walked < walked.out.walked / 2;
            cr_assert_eq(folded.out.cycles, walked.out.cycles,
                         "%s: %s size=%llu stride=%llu bytes=%llu: %llu cycles, walked %llu",
                         parts[i].name, hbm_pattern_name[load.pattern],
                         (unsigned long long)load.size, (unsigned long long)load.stride,
                         (unsigned long long)load.bytes, (unsigned long long)folded.out.cycles,
                         (unsigned long long)walked.out.cycles);
            cr_assert(memcmp(folded.st, walked.st, sizeof walked.st) == 0, "%s", parts[i].name);
            cr_assert(memcmp(folded.bank, walked.bank, sizeof walked.bank) == 0, "%s",
                      parts[i].name);
        }
    /* and it is a shortcut */
    cr_assert_gt(runs, 160, "%llu", (unsigned long long)runs);
    cr_assert_gt(shortened, runs / 3, "%llu of %llu", (unsigned long long)shortened,
                 (unsigned long long)runs);
}

Test(hbm_fold, random_chunks_are_expected_within_1_percent)
{
    static const uint64_t sizes[] = { 64, 256, 1024, 4096 };
    static struct outcome walked, folded;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int write = 0; write < 2; write++) {
            struct dram_params p;
            struct hbm_load load = { .pattern = HBM_RANDOM, .size = sizes[i], .seed = 3 + i };
            param_defaults(&dram_param_table, &p);
            set_value(&p, "channels", "2");

            load.bytes = sizes[i] == 64 ? 48000000 : 64000000;
            load.write = write;
            serve_load(&p, &load, false, &walked);
            serve_load(&p, &load, true, &folded);
            cr_assert(folded.out.statistical);
            cr_assert_lt(folded.out.walked, walked.out.walked / 2);
            double error = (double)folded.out.cycles / (double)walked.out.cycles - 1;
            cr_assert(error < 0.01 && error > -0.01, "size %llu: %.2f %%",
                      (unsigned long long)sizes[i], 100 * error);
            cr_assert_eq(folded.st[0].reads + folded.st[0].writes + folded.st[1].reads +
                             folded.st[1].writes,
                         load.bytes / 64);
        }
}

Test(hbm_fold, a_hundred_gigabytes_are_walked_for_a_few_intervals)
{
    static struct outcome folded;
    struct dram_params p;
    struct hbm_load load = { .pattern = HBM_SEQUENTIAL, .size = 64, .bytes = 100000000000 };

    param_defaults(&dram_param_table, &p);
    serve_load(&p, &load, true, &folded);
    cr_assert_not(folded.out.statistical);
    cr_assert_lt(folded.out.walked, 1000000);
    uint64_t reads = 0;
    for (unsigned c = 0; c < 8; c++)
        reads += folded.st[c].reads;
    cr_assert_eq(reads, 1562500000); /* of 64 B */
}
