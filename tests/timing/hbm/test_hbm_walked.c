/* Mixes that were walked before are what a walk finds, for each memory part of a built-in machine.
 * With UPDATE_MIXES=1 in the environment the table is written anew. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hw/hbm/hbm_walked.h"
#include "machine/spec/spec.h"

#define TABLE "model/hw/hbm/hbm_walked_rows.c"
enum { MOST = 1000, READ = 0, WRITE = 1, FIVE = 5 };

/* A machine of each part, and the mixes that are common on it. */
static const struct {
    const char *machine;
    uint32_t streams;   /* of a direction, at most, */
    uint32_t row_kinds; /* of which some are rows of one kind of the first so many */
} parts[] = {
    { "tpu-v2-8", 3, 1 },
    { "tpu-v3-8", 3, 1 },
    { "tpu-v4-8", 2, 1 },
    { "tpu-v5e-8", 2, 3 },
    { "tpu-v5p-8", 2, 1 },
    { "tpu-v6e-8", 2, 1 },
    { "tpu-v7-8", 3, 1 },
    { "v100-sxm2-16gb", 2, 0 },
    { "v100-sxm2-32gb", 2, 0 },
    { "a100-sxm4-40gb", 2, 0 },
    { "a100-sxm4-80gb", 2, 0 },
    { "h100-sxm-80gb", 2, 0 },
    { "h200-sxm-141gb", 2, 0 },
    { "b200-sxm", 2, 0 },
    { "b300-sxm", 2, 0 },
    { "l40s", 2, 0 },
    { "l4", 2, 0 },
    { "t4", 2, 0 },
    { "xeon-6148", 2, 0 },
    { "epyc-7742x2", 2, 0 },
};
enum { N = sizeof parts / sizeof *parts };

struct table {
    struct hbm_walked row[MOST];
    uint32_t n;
};

static struct hbm_part part_of(const char *machine)
{
    struct machine_spec *spec;
    struct hbm_part p;
    struct err err;

    cr_assert_eq(spec_load(&spec, machine, NULL, 0, &err), 0, "%s", err.msg);
    hbm_part_init(&p, &spec->dram, spec->hbm.turn, spec->hbm.bandwidth);
    spec_free(spec);
    return p;
}

static void add_walk(struct table *t, const struct hbm_part *p, hbm_mix_key key)
{
    struct hbm_mixed mixed;

    for (uint32_t i = 0; i < t->n; i++)
        if (t->row[i].part == p->walked && t->row[i].high == (uint64_t)(key >> 64) &&
            t->row[i].low == (uint64_t)key)
            return;
    cr_assert_lt(t->n, MOST);
    hbm_part_walk(p, key, &mixed);
    t->row[t->n++] = (struct hbm_walked){ p->walked, (uint64_t)(key >> 64), (uint64_t)key,
                                          mixed.cycles, mixed.st };
}

/* Mixes of up to `streams` reads and as many writes, some of them rows of one kind. */
static void add_walks(struct table *t, const struct hbm_part *p, uint32_t streams, uint32_t kinds)
{
    for (uint32_t k = 0; k <= kinds; k++)
        for (uint32_t mix = 1; mix < 256; mix++) {
            uint32_t r = mix & 3, w = mix >> 2 & 3, rr = mix >> 4 & 3, ww = mix >> 6;
            bool rows = rr || ww;
            if ((k == 0) == rows || r + rr > streams || w + ww > streams)
                continue;
            hbm_mix_key key = r | w << FIVE;
            key |= (hbm_mix_key)(rr | ww << FIVE) << 2 * FIVE * k;
            add_walk(t, p, key);
        }
}

static int compare_rows(const void *a, const void *b)
{
    const struct hbm_walked *x = a, *y = b;

    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->low < y->low ? -1 : x->low > y->low;
}

static void write_table(const struct table *t)
{
    FILE *out = fopen(TABLE, "w");

    cr_assert_not_null(out);
    fputs("/* Written by the suite hbm_walked of build/test-timing with UPDATE_MIXES=1. */\n"
          "#include \"hw/hbm/hbm_walked.h\"\n\n/* clang-format off */\n"
          "const struct hbm_walked hbm_walked_rows[] = {\n",
          out);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct hbm_walked *r = &t->row[i];
        fprintf(out, "%s { 0x%016" PRIx64 ", %" PRIu64 ", 0x%" PRIx64 ", %" PRIu64 ", {",
                i % 2 ? "" : "   ", r->part, r->high, r->low, r->cycles);
        const uint64_t *v = (const uint64_t *)&r->st;
        for (size_t c = 0; c < sizeof r->st / sizeof *v; c++)
            fprintf(out, "%s %" PRIu64, c ? "," : "", v[c]);
        fputs(i % 2 ? " } },\n" : " } },", out);
    }
    fprintf(out, "%s};\nconst uint32_t hbm_walked_n = %" PRIu32 ";\n", t->n % 2 ? "\n" : "", t->n);
    fclose(out);
}

Test(hbm_walked, each_row_is_what_a_walk_counts)
{
    static struct table t;

    for (int i = 0; i < N; i++) {
        struct hbm_part p = part_of(parts[i].machine);
        add_walks(&t, &p, parts[i].streams, parts[i].row_kinds);
        hbm_part_free(&p);
    }
    qsort(t.row, t.n, sizeof *t.row, compare_rows);
    if (getenv("UPDATE_MIXES")) {
        write_table(&t);
        return;
    }
    cr_assert_eq(t.n, hbm_walked_n);
    for (uint32_t i = 0; i < t.n; i++)
        cr_expect_arr_eq(&t.row[i], &hbm_walked_rows[i], sizeof t.row[i], "row %u", i);
}

Test(hbm_walked, a_part_with_another_parameter_is_walked)
{
    struct hbm_part p = part_of("tpu-v3-8");
    struct dram_params other = p.par;

    other.stacks = other.channels = 1;
    other.refresh = HBM_REFRESH_NONE;
    cr_expect_eq(hbm_walked_part(&other, p.turn), p.walked);
    cr_expect_not_null(hbm_walked_find(p.walked, hbm_mix_one(READ)));
    cr_expect_null(hbm_walked_find(hbm_walked_part(&other, p.turn + 1), hbm_mix_one(READ)));
    other.map.text[12] = 'x'; /* "ro ba co bg ch" */
    cr_expect_null(hbm_walked_find(hbm_walked_part(&other, p.turn), hbm_mix_one(READ)));
    other.map = p.par.map;
    cr_expect_not_null(hbm_walked_find(hbm_walked_part(&other, p.turn), hbm_mix_one(READ)));
    other.rp++;
    cr_expect_null(hbm_walked_find(hbm_walked_part(&other, p.turn), hbm_mix_one(WRITE)));
    cr_expect_null(hbm_walked_find(p.walked, (hbm_mix_key)1 << 95));
    hbm_part_free(&p);
}
