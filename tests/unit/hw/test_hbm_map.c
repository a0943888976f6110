/* Where addresses lie, which parts there are, and what is wrong with others. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hw/hbm/hbm_map.h"
#include "hw/hbm/hbm_traffic.h"
#include "machine/spec/spec.h"

static void map_of(struct hbm_map *m, struct dram_params *p, const char *text)
{
    struct err err;

    param_defaults(&dram_param_table, p);
    snprintf(p->map.text, sizeof p->map.text, "%s", text);
    cr_assert_eq(hbm_map_init(m, p, &err), 0, "%s", err.msg);
}

static void expect_place(const struct hbm_map *m, uint64_t byte, uint32_t channel, uint32_t bank,
                         uint64_t row, uint32_t column)
{
    struct hbm_place p = hbm_map_place(m, byte / 64);

    cr_expect(p.channel == channel && p.bank == bank && p.row == row && p.column == column,
              "%llx: channel %u, bank %u, row %llu, column %u", (unsigned long long)byte, p.channel,
              p.bank, (unsigned long long)p.row, p.column);
}

/* 8 channels, 4 groups of 4 banks, rows of 32 accesses of 64 B. */
Test(hbm_map, fields_go_from_the_top_to_the_bottom)
{
    struct dram_params p;
    struct hbm_map m;

    map_of(&m, &p, "ro bg ba ch co");
    cr_expect_eq(m.period, 8 * 16 * 32);
    expect_place(&m, 64, 0, 0, 0, 1);
    expect_place(&m, 31 * 64, 0, 0, 0, 31);
    expect_place(&m, 2048, 1, 0, 0, 0);
    expect_place(&m, 16384, 0, 1, 0, 0);     /* the next bank of the group */
    expect_place(&m, 4 * 16384, 0, 4, 0, 0); /* the next group */
    expect_place(&m, 262144, 0, 0, 1, 0);
    expect_place(&m, 262144 * 3 + 65536 * 2 + 16384 + 2048 * 7 + 64 * 5, 7, 9, 3, 5);
}

Test(hbm_map, fields_may_be_split)
{
    struct dram_params p;
    struct hbm_map m;

    map_of(&m, &p, "rococh2babgco2ch"); /* blanks may be left out */
    /* from the bottom: 1 bit of channels, 2 of columns, groups, banks, 2 of channels, 3 of columns
     */
    expect_place(&m, 64, 1, 0, 0, 0);
    expect_place(&m, 128, 0, 0, 0, 1);
    expect_place(&m, 512, 0, 4, 0, 0);
    expect_place(&m, 2048, 0, 1, 0, 0);
    expect_place(&m, 8192, 2, 0, 0, 0);
    expect_place(&m, 32768, 0, 0, 0, 4);
    expect_place(&m, 262144, 0, 0, 1, 0);
}

Test(hbm_map, six_stacks_are_as_good_as_eight)
{
    struct dram_params p;
    struct hbm_map m;
    struct err err;

    param_defaults(&dram_param_table, &p);
    p.stacks = 6;
    snprintf(p.map.text, sizeof p.map.text, "ro ba co bg ch");
    cr_assert_eq(hbm_map_init(&m, &p, &err), 0);
    expect_place(&m, 47 * 64, 47, 0, 0, 0);
    expect_place(&m, 48 * 64, 0, 4, 0, 0);
    expect_place(&m, 48 * 64 * 4, 0, 0, 0, 1);
}

Test(hbm_map, every_place_of_a_period_is_hit_once)
{
    static const char *const maps[] = { "ro bg ba ch co", "ro ba co bg ch",
                                        "ro co ch2 ba bg co2 ch" };

    for (size_t i = 0; i < 3; i++) {
        struct dram_params p;
        struct hbm_map m;
        static char seen[8][16][32];
        memset(seen, 0, sizeof seen);
        map_of(&m, &p, maps[i]);
        for (uint64_t n = 0; n < m.period; n++) {
            struct hbm_place at = hbm_map_place(&m, n);
            cr_assert_eq(at.row, 0);
            cr_assert_eq(seen[at.channel][at.bank][at.column]++, 0, "%s", maps[i]);
        }
        cr_assert_eq(hbm_map_place(&m, m.period).row, 1);
    }
}

Test(hbm_map, what_is_no_map_is_told)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        { "ro bg ba ch xx", "unknown field 'xx'" },
        { "ro bg ba ch", "lacks bits of 'co'" },
        { "bg ba ch co", "lacks bits of 'ro'" },
        { "bg ro ba ch co", "expected at the top" },
        { "ro bg ba ch co co", "too many bits of 'co'" },
        { "ro bg ba ch co6", "too many bits of 'co'" },
        { "ro bg ba ch co2", "lacks bits of 'co'" },
        { "ro bg ba ch co99", "expected 1 to 24 bits" },
        { "r", "unknown field" },
        { "", "lacks bits" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dram_params p;
        struct hbm_map m;
        struct err err;
        param_defaults(&dram_param_table, &p);
        snprintf(p.map.text, sizeof p.map.text, "%s", rows[i].text);
        cr_expect_eq(hbm_map_init(&m, &p, &err), -1, "'%s'", rows[i].text);
        cr_expect(strstr(err.msg, rows[i].part), "'%s': %s", rows[i].text, err.msg);
    }
}

Test(hbm_map, what_is_no_part_is_told)
{
    static const struct {
        const char *set[2], *part;
    } rows[] = {
        { { "dram.groups=16", "dram.banks=16" }, "more than 64 banks" },
        { { "dram.access=96 B" }, "not a multiple of dram.access" },
        { { "dram.write_low=48" }, "write_low < write_high" },
        { { "dram.write_high=65" }, "write_high <= write_queue" },
        { { "dram.rfc=3 us" }, "more than half of the time" },
        { { "dram.early_place=yes", "dram.bank_queue=8" }, "expected dram.bank_queue = 0" },
        { { "dram.stacks=16", "dram.channels=32" }, NULL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dram_params p;
        struct err err;
        int rc = spec_dram(&p, "tpu-v2-8", false, rows[i].set, 1 + (rows[i].set[1] != NULL), &err);
        cr_expect_eq(rc, rows[i].part ? -1 : 0, "row %zu", i);
        cr_expect(!rows[i].part || strstr(err.msg, rows[i].part), "row %zu: %s", i, err.msg);
    }
}

Test(hbm_map, a_file_overrides_the_part_it_names_and_parts_do_not_go_round)
{
    char path[] = "/tmp/cyclotron-part-XXXXXX.ini";
    int fd = mkstemps(path, 4);
    struct dram_params p;
    struct err err;

    cr_assert_geq(fd, 0);
    dprintf(fd, "[machine]\npart = hbm3\n[dram]\nfaw = 20 ns [mine]\n");
    close(fd);
    cr_assert_eq(spec_dram(&p, path, true, NULL, 0, &err), 0, "%s", err.msg);
    cr_expect_eq(p.faw, 20000000);
    cr_expect_eq(p.channels, 16, "of hbm3");
    cr_expect_eq(p.pseudo_channels, 2, "of hbm2e, its part");
    FILE *f = fopen(path, "w");
    fprintf(f, "[machine]\npart = %s\n", path);
    fclose(f);
    cr_expect_eq(spec_dram(&p, path, true, NULL, 0, &err), -1);
    cr_expect(strstr(err.msg, "leads back to itself"), "%s", err.msg);
    f = fopen(path, "w");
    fprintf(f, "[machine]\npart = hbm9\n");
    fclose(f);
    cr_expect_eq(spec_dram(&p, path, true, NULL, 0, &err), -1);
    cr_expect(strstr(err.msg, ".ini:2: /tmp/hbm9: No such file"), "%s", err.msg);
    unlink(path);
}

/* A stream consists of 8 channels of 2 KiB each in turn. */
Test(hbm_traffic, arrays_of_copy_take_turns_and_lie_apart)
{
    struct dram_params p;
    struct hbm_map m;
    struct hbm_traffic w;
    struct hbm_walk k;
    struct err err;
    struct hbm_load load = { .pattern = HBM_COPY, .bytes = 1024, .size = 128, .apart = 262144 * 5 };

    map_of(&m, &p, "ro bg ba ch co");
    cr_assert_eq(hbm_traffic_init(&w, &load, &m, &p, &err), 0, "%s", err.msg);
    cr_assert_eq(w.accesses, 16);
    hbm_walk_all(&k, &w);
    /* two accesses of a, two of b in row 5, written */
    static const uint32_t row[] = { 0, 0, 5, 5 };
    for (int i = 0; i < 16; i++) {
        cr_assert_eq(k.left, 16 - (unsigned)i);
        cr_expect_eq(k.cur.row, row[i % 4]);
        cr_expect_eq(k.cur.write, row[i % 4] == 5);
        cr_expect_eq(k.cur.channel, 0);
        hbm_walk_next(&k);
    }
    cr_assert_eq(k.left, 0);
    hbm_traffic_free(&w);
}

Test(hbm_traffic, channels_share_out_what_all_walk)
{
    struct dram_params p;
    struct hbm_map m;
    struct err err;
    static const struct hbm_load loads[] = {
        { HBM_SEQUENTIAL, false, 3000000, 192, 0, 0, 0 },
        { HBM_TRIAD, false, 1000000, 64, 0, 640, 0 },
        { HBM_STRIDED, true, 100000, 64, 4160, 0, 0 },
        { HBM_RANDOM, false, 100000, 1024, 0, 0, 5 },
    };

    map_of(&m, &p, "ro ba co bg ch");
    for (size_t i = 0; i < 4; i++) {
        struct hbm_traffic w;
        struct hbm_walk all, one;
        uint64_t sum = 0, rows[2] = { 0 };
        cr_assert_eq(hbm_traffic_init(&w, &loads[i], &m, &p, &err), 0, "%s", err.msg);
        for (hbm_walk_all(&all, &w); all.left; hbm_walk_next(&all))
            rows[0] += all.cur.row * 64 + all.cur.bank;
        for (uint32_t c = 0; c < 8; c++)
            for (hbm_walk_channel(&one, &w, c); one.left; hbm_walk_next(&one)) {
                cr_assert_eq(one.cur.channel, c);
                rows[1] += one.cur.row * 64 + one.cur.bank;
                sum++;
            }
        cr_expect_eq(sum, w.accesses);
        if (loads[i].pattern != HBM_RANDOM)
            cr_expect_eq(rows[0], rows[1], "the same rows and banks");
        hbm_traffic_free(&w);
    }
}

/* The first three numbers of splitmix64 from 0 are e220a8397b1dcdaf, 6e789e6aa1b965f4 and
 * 06c45d188009454f; of 2^27 chunks of 64 B their upper 27 bits choose. */
Test(hbm_map, random_chunks_are_those_of_splitmix64)
{
    static const uint64_t places[] = { 0x7110541, 0x373c4f3, 0x3622e8 };
    struct hbm_load load = { .pattern = HBM_RANDOM, .bytes = 192, .size = 64 };
    struct hbm_traffic w;
    struct hbm_walk k;
    struct hbm_map m;
    struct dram_params p;
    struct err err;

    map_of(&m, &p, "ro bg ba ch co");
    cr_assert_eq(hbm_traffic_init(&w, &load, &m, &p, &err), 0, "%s", err.msg);
    cr_assert_eq(w.places, 1 << 27);
    hbm_walk_all(&k, &w);
    for (uint32_t i = 0; i < 3; i++, hbm_walk_next(&k)) {
        struct hbm_place want = hbm_map_place(&m, places[i]);
        cr_expect(k.cur.channel == want.channel && k.cur.bank == want.bank && k.cur.row == want.row,
                  "%u", i);
    }
    hbm_traffic_free(&w);
}
