/* Does the ledger say where every slot of a matrix unit went?  One product on one TPU v2 core. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/err.h"
#include "study/op/op.h"

static void run_args(struct run_result *r, const char *const *arg, size_t n, const char *machine)
{
    struct err e;
    struct op_request q = { .kind = "matmul", .arg = arg, .n_args = n };

    q.run.machine = machine;
    cr_assert_eq(op_run(&q, r, &e), 0, "%s", e.msg);
    cr_assert_eq(r->n_ops, 1);
}

static void run_case(struct run_result *r, const char *const *arg, const char *machine)
{
    run_args(r, arg, 3, machine);
}

static bool has_advice(const struct run_row *w, const char *text)
{
    bool told = false;

    for (size_t i = 0; i < w->n_advice; i++)
        told = told || strstr(w->advice[i], text);
    return told;
}

static void expect_ppb(const mpq_t q, unsigned long want, const char *what)
{
    cr_expect_eq(mpq_cmp_ui(q, want, 1), 0, "%s: %f, not %lu", what, mpq_get_d(q), want);
}

/* [20,27] x [27,8] in 24 rows of a 128 x 128 array, 16,384 slots a cycle: 64 cycles load 2 rows of
 * weights each, 24 stream, 255 drain; 140 cycles (0.4 us less two latencies of 0.1, which are
 * waits for HBM) launch it and 115 its grid step. */
Test(waste, every_slot_of_a_small_product)
{
    const char *arg[] = { "m=20", "n=8", "k=27" };
    struct run_result r;
    run_case(&r, arg, "tpu-v2-1");
    const struct run_slots *s = &r.ops[0].slots;

    expect_ppb(amounts_get(&s->use, USE_USEFUL), 20 * 27 * 8, "useful");
    expect_ppb(amounts_get(&s->use, USE_PAD_M), 4 * 16384, "pad m");
    expect_ppb(amounts_get(&s->use, USE_PAD_K), 20 * (128 - 27) * 128, "pad k");
    expect_ppb(amounts_get(&s->use, USE_PAD_N), 20 * 27 * (128 - 8), "pad n");
    expect_ppb(amounts_get(&s->use, USE_CONV_ZEROS), 0, "zeros");
    expect_ppb(amounts_get(&s->use, USE_WEIGHT_LOAD), 64 * 16384, "load");
    expect_ppb(amounts_get(&s->use, USE_FILL_DRAIN), 255 * 16384, "drain");
    expect_ppb(s->not_issued, 0, "not issued");
    expect_ppb(amounts_get(&s->wait, CAUSE_LAUNCH), (140 + 115) * 16384, "launch");
    expect_ppb(amounts_get(&s->wait, CAUSE_MXU), 0, "the only unit");
    /* the mean over the moments at which it may begin is no whole number of cycles */
    cr_expect_leq(mpq_get_d(s->capacity), (double)r.cycles_per_step * 16384);
    cr_expect_gt(mpq_get_d(s->capacity), (double)(r.cycles_per_step - 1) * 16384);
    run_result_free(&r);
}

/* A slow chip runs at 700 MHz / 1.3.  The product takes as many cycles of this clock as of the
 * usual one, but the launch of 0.2 us takes 108 of them.  Rests between starts end on edges of the
 * usual clock, which are no edges of this one. */
Test(waste, a_slow_chip_has_its_own_cycles)
{
    const char *arg[] = { "m=20", "n=8", "k=27" }, *set[] = { "fault.chip_times=1.3" };
    struct op_request q = { .kind = "matmul", .arg = arg, .n_args = 3 };
    struct run_result r;
    struct err e;

    q.run = (struct run_request){ .machine = "tpu-v2-1", .set = set, .n_set = 1 };
    cr_assert_eq(op_run(&q, &r, &e), 0, "%s", e.msg);
    const struct run_slots *s = &r.ops[0].slots;
    expect_ppb(amounts_get(&s->use, USE_USEFUL), 20 * 27 * 8, "useful");
    expect_ppb(amounts_get(&s->use, USE_WEIGHT_LOAD), 64 * 16384, "load");
    expect_ppb(amounts_get(&s->use, USE_FILL_DRAIN), 255 * 16384, "drain");
    expect_ppb(amounts_get(&s->wait, CAUSE_LAUNCH), (108 + 115) * 16384, "launch");
    run_result_free(&r);
}

/* [65536,27] x [27,8]: what streams outweighs the rest, so the pads speak, and the larger first. */
Test(waste, advice_names_the_dimension_the_size_and_the_share)
{
    const char *arg[] = { "m=65536", "n=8", "k=27" };
    struct run_result r;
    run_case(&r, arg, "tpu-v2-1");
    const struct run_row *w = &r.ops[0];

    cr_assert_geq(w->n_advice, 2);
    cr_expect(strstr(w->advice[0], "k = 27 of 128 rows: 79 % of the array idle"), "%s",
              w->advice[0]);
    cr_expect(strstr(w->advice[1], "n = 8 of 128 columns: 94 % of the array idle"), "%s",
              w->advice[1]);
    run_result_free(&r);
}

/* Each tile of weights takes 64 cycles to load, and 8 rows stream over it in 8. */
Test(waste, few_rows_a_tile_are_told)
{
    const char *arg[] = { "m=8", "n=8192", "k=8192" };
    struct run_result r;
    run_case(&r, arg, "tpu-v2-1");
    cr_expect(has_advice(&r.ops[0], "loads weights: m = 8 rows a tile are too few"));
    run_result_free(&r);
}

Test(waste, that_tiles_are_turned_as_they_load_is_told)
{
    const char *arg[] = { "m=8", "n=8192", "k=8192", "tb=1" };
    struct run_result r;
    run_args(&r, arg, 4, "tpu-v2-1");
    cr_expect(has_advice(&r.ops[0],
                         "loads weights, which are stored transposed and turned at 2 rows "
                         "a cycle: m = 8 rows a tile are too few"));
    run_result_free(&r);
}

/* A tile is one unit's; the other of a v3 core has no share and waits for it. */
Test(waste, a_unit_without_a_share_waits_for_the_other)
{
    const char *arg[] = { "m=8", "n=8", "k=8" };
    struct run_result r;
    run_case(&r, arg, "tpu-v3-1");
    const struct run_slots *s = &r.ops[0].slots;
    mpq_t busy;

    mpq_init(busy);
    run_slots_busy(busy, s);
    cr_expect(mpq_equal(busy, amounts_get(&s->wait, CAUSE_MXU)), "as long as that is busy");
    cr_expect_gt(mpq_sgn(busy), 0);
    mpq_clear(busy);
    run_result_free(&r);
}
