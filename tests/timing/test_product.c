/* Products of other operands than bf16: f32 in several passes, 8-bit ones at a rate of their own,
 * and weights that are stored transposed.  Cycles and slots worked out by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/err.h"
#include "machine/spec/spec.h"
#include "plain_hbm.h"
#include "study/op/op.h"

#define MAX_ARGS 6

struct given {
    const char *kind, *machine, *set;
    const char *arg[MAX_ARGS];
};

static struct op_request make_request(const struct given *g)
{
    struct op_request q = { .kind = g->kind, .arg = g->arg };

    while (q.n_args < MAX_ARGS && g->arg[q.n_args])
        q.n_args++;
    q.run.machine = g->machine;
    q.run.set = &g->set;
    q.run.n_set = g->set != NULL;
    return q;
}

static void run_case(struct run_result *r, const struct given *g)
{
    const char *const set[] = { PLAIN_HBM, g->set };
    struct op_request q = make_request(g);
    struct err e;

    q.run.set = set;
    q.run.n_set = N_PLAIN_HBM + (g->set != NULL);
    cr_assert_eq(op_run(&q, r, &e), 0, "%s", e.msg);
    cr_assert_eq(r->n_ops, 1);
}

static void keep_program(void *self, const char *name, const struct task_program *p,
                         const struct cap *cap)
{
    (void)name;
    (void)cap;
    *(struct task *)self = p->task[0];
}

static struct task lower_op(const struct given *g)
{
    struct op_request q = make_request(g);
    struct task t;
    struct err e;

    cr_assert_eq(op_lower(&q, keep_program, &t, &e), 0, "%s", e.msg);
    return t;
}

static void expect_ppb(const mpq_t q, unsigned long want, const char *what)
{
    cr_expect_eq(mpq_cmp_ui(q, want, 1), 0, "%s: %f, not %lu", what, mpq_get_d(q), want);
}

/* [20,27] x [27,8] as in test_waste.c, six times over the same tile: weights load each time. */
Test(product, six_passes_for_the_highest_precision)
{
    struct run_result r;
    run_case(&r, &(struct given){ "matmul",
                                  "tpu-v2-1",
                                  NULL,
                                  { "m=20", "n=8", "k=27", "dtype=f32", "precision=highest" } });
    const struct run_slots *s = &r.ops[0].slots;

    expect_ppb(amounts_get(&s->use, USE_USEFUL), 20 * 27 * 8, "useful");
    expect_ppb(amounts_get(&s->use, USE_PRECISION), 5 * 20 * 27 * 8, "precision");
    expect_ppb(amounts_get(&s->use, USE_PAD_M), 6 * 4 * 16384, "pad m");
    expect_ppb(amounts_get(&s->use, USE_PAD_K), 6 * 20 * (128 - 27) * 128, "pad k");
    expect_ppb(amounts_get(&s->use, USE_PAD_N), 6 * 20 * 27 * (128 - 8), "pad n");
    expect_ppb(amounts_get(&s->use, USE_WEIGHT_LOAD), 6 * 64 * 16384, "load");
    expect_ppb(amounts_get(&s->use, USE_FILL_DRAIN), 255 * 16384, "drain");
    expect_ppb(s->capacity, r.cycles_per_step * 16384, "capacity");
    run_result_free(&r);
}

/* Splitting 20 * 27 + 27 * 8 = 756 elements, 1,024 at a time: 3 (2) casts and 2 (1) differences of
 * each.  Adding up: 20 rows of 128 columns are 3 registers a pass: 18 (9). */
Test(product, parts_are_cut_and_added_up_on_the_vector_unit)
{
    static const struct {
        const char *precision;
        uint32_t more;
        uint64_t casts, adds;
    } rows[] = { { "precision=default", 0, 0, 3 },
                 { "precision=high", 2, 2, 1 + 9 },
                 { "precision=highest", 5, 3, 2 + 18 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct task t =
            lower_op(&(struct given){ "matmul",
                                      "tpu-v2-1",
                                      NULL,
                                      { "m=20", "n=8", "k=27", "dtype=f32", rows[i].precision } });
        cr_expect_eq(t.kernel.mode.more_passes, rows[i].more, "%s", rows[i].precision);
        cr_expect_eq(t.kernel.all.vpu[VECTOR_CAST], rows[i].casts, "%s", rows[i].precision);
        cr_expect_eq(t.kernel.all.vpu[VECTOR_ADD], rows[i].adds, "%s", rows[i].precision);
    }
    struct task t = lower_op(&(struct given){
        "matmul", "tpu-v2-1", NULL, { "m=20", "n=8", "k=27", "dtype=bf16", "precision=highest" } });
    cr_expect_eq(t.kernel.mode.more_passes, 0, "bf16 has no parts");
}

Test(product, further_passes_are_told)
{
    struct run_result r;
    run_case(&r,
             &(struct given){ "matmul",
                              "tpu-v2-1",
                              NULL,
                              { "m=4096", "n=1024", "k=1024", "dtype=f32", "precision=high" } });

    cr_assert_geq(r.ops[0].n_advice, 1);
    cr_expect_str_eq(r.ops[0].advice[0],
                     "65 % is spent on further passes: f32 operands go through 3 "
                     "times in bf16 parts; round them to bf16 (not tried)");
    run_result_free(&r);
}

/* Two steps of 512 rows, four units of 128 rows each: the tile of weights in 32 beats of 4 rows, 64
 * cycles of 2 rows, and a slot is one of 2 * 128 * 128 a cycle, also of those that wait. */
Test(product, eight_bit_integers_enter_twice_as_fast_on_v5e)
{
    struct run_result r;
    run_case(&r, &(struct given){
                     "matmul", "tpu-v5e-1", NULL, { "m=1024", "n=128", "k=128", "dtype=s8" } });
    const struct run_row *w = &r.ops[0];
    mpq_t share;

    expect_ppb(amounts_get(&w->slots.use, USE_USEFUL), 1024 * 128 * 128, "useful");
    /* one window: each of four arrays loads its tile once */
    expect_ppb(amounts_get(&w->slots.use, USE_WEIGHT_LOAD), 4 * 16 * 2 * 16384, "load");
    /* a result leaves 260 cycles after its row has entered (mxu.latency) */
    expect_ppb(amounts_get(&w->slots.use, USE_FILL_DRAIN), 4 * 259 * 2 * 16384, "drain");
    expect_ppb(w->slots.capacity, r.cycles_per_step * 4 * 2 * 16384, "capacity");
    mpq_init(share);
    mpq_div(share, amounts_get(&w->slots.use, USE_USEFUL), w->slots.capacity);
    /* seconds are whole femtoseconds */
    cr_expect_float_eq(mpq_get_d(share), mpq_get_d(w->mxu), 1e-9, "of the peak of that dtype");
    for (size_t i = 0; i < r.n_figures; i++)
        if (strcmp(r.figures[i].column, "utilization.mxu") == 0)
            cr_expect(mpq_equal(share, r.figures[i].value));
    mpq_clear(share);
    run_result_free(&r);
}

Test(product, machines_without_a_rate_refuse)
{
    static const struct {
        const char *machine, *dtype, *why;
    } rows[] = {
        { "tpu-v2-1", "dtype=s8", "8-bit integers (mxu.int8_rate = 0)" },
        { "tpu-v3-1", "dtype=u8", "8-bit integers (mxu.int8_rate = 0)" },
        { "tpu-v4-2", "dtype=f8e4m3fn", "8-bit floating point (mxu.fp8_rate = 0)" },
        { "tpu-v5e-1", "dtype=f8e4m3fn", "8-bit floating point (mxu.fp8_rate = 0)" },
        { "tpu-v7-2", "dtype=s8", "8-bit integers (mxu.int8_rate = 0)" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct given g = {
            "matmul", rows[i].machine, NULL, { "m=8", "n=8", "k=8", rows[i].dtype }
        };
        struct op_request q = make_request(&g);
        struct run_result r;
        struct err e;
        cr_expect_eq(op_run(&q, &r, &e), -1, "%s %s", rows[i].machine, rows[i].dtype);
        cr_expect_eq(e.code, ERR_FIT);
        cr_expect(strstr(e.msg, rows[i].why), "%s", e.msg);
    }
}

/* TOP/s of a chip as published, two operations a multiply-accumulate. */
Test(product, rates_make_the_published_peaks)
{
    static const struct {
        const char *machine;
        double bf16, int8, fp8;
        unsigned cores;
    } rows[] = {
        { "tpu-v4-2", 275, 275, 0, 1 },   { "tpu-v5e-1", 197, 394, 0, 1 },
        { "tpu-v5p-2", 459, 918, 0, 1 },  { "tpu-v6e-1", 918, 1836, 918, 1 },
        { "tpu-v7-2", 2307, 0, 4614, 2 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m;
        struct err e;
        cr_assert_eq(spec_load(&m, rows[i].machine, NULL, 0, &e), 0, "%s", e.msg);
        double peak = 2e-12 * rows[i].cores * m->mxu.count * m->mxu.size * m->mxu.size *
                      m->mxu.rows_per_cycle * (double)m->core.clock;
        cr_expect_float_eq(peak, rows[i].bf16, 0.005 * rows[i].bf16, "%s", rows[i].machine);
        cr_expect_float_eq(peak * m->mxu.int8_rate, rows[i].int8, 0.005 * rows[i].int8 + 1e-9);
        cr_expect_float_eq(peak * m->mxu.fp8_rate, rows[i].fp8, 0.005 * rows[i].fp8 + 1e-9);
        spec_free(m);
    }
}

/* One tile: 64 beats of two rows; turned a row at a time 128; or 8 registers of 128 x 128 bf16
 * through the XLU and then 64 beats. */
Test(product, weights_stored_transposed_are_turned_as_they_load)
{
    static const struct {
        const char *tb, *set;
        unsigned long beats, xlu;
    } rows[] = {
        { "tb=1", NULL, 64, 0 },
        { "tb=1", "mxu.turned_rows_per_cycle=1", 128, 0 },
        { "tb=0", "mxu.turned_rows_per_cycle=1", 64, 0 },
        { "tb=1", "mxu.turned_rows_per_cycle=0", 64, 8 },
        { "tb=0", "mxu.turned_rows_per_cycle=0", 64, 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct given g = {
            "matmul", "tpu-v2-1", rows[i].set, { "m=8", "n=128", "k=128", rows[i].tb }
        };
        struct run_result r;
        run_case(&r, &g);
        expect_ppb(amounts_get(&r.ops[0].slots.use, USE_WEIGHT_LOAD), rows[i].beats * 16384,
                   "load");
        run_result_free(&r);
        cr_expect_eq(lower_op(&g).kernel.all.xlu, rows[i].xlu, "row %zu", i);
    }
}

/* Where either operand may stay, the one that was streamed is the other way round in the array: A
 * must be turned to stay, A stored transposed need not. */
Test(product, an_operand_that_stays_instead_is_turned_unless_it_is_stored_so)
{
    static const char *const stored[] = { "ta=0", "ta=1" };

    for (int i = 0; i < 2; i++) {
        struct task t = lower_op(&(struct given){
            "matmul", "tpu-v4-2", NULL, { "m=4096", "n=16", "k=512", stored[i] } });
        cr_assert_eq(t.kernel.all.gemm.m, 16, "16 columns would idle the array, 16 rows do not");
        cr_expect_eq(t.kernel.mode.turned, i == 0);
    }
}

/* Walked row by row, every mode takes the same cycles. */
Test(product, shortcuts_change_nothing)
{
    static const struct given rows[] = {
        { "matmul",
          "tpu-v2-1",
          NULL,
          { "m=200", "n=300", "k=260", "dtype=f32", "precision=high" } },
        { "matmul", "tpu-v5e-1", NULL, { "m=200", "n=300", "k=260", "dtype=s8" } },
        { "matmul", "tpu-v7-2", NULL, { "m=200", "n=300", "k=260", "dtype=f8e5m2" } },
        { "matmul",
          "tpu-v2-1",
          "mxu.turned_rows_per_cycle=1",
          { "m=200", "n=300", "k=260", "tb=1" } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct op_request q = make_request(&rows[i]);
        struct run_result folded, exact;
        struct err e;
        cr_assert_eq(op_run(&q, &folded, &e), 0, "%s", e.msg);
        q.run.exact = true;
        cr_assert_eq(op_run(&q, &exact, &e), 0, "%s", e.msg);
        cr_expect_eq(folded.cycles_per_step, exact.cycles_per_step, "row %zu", i);
        for (unsigned u = 0; u < N_USES; u++)
            cr_expect(
                mpq_equal(amounts_get(&folded.slots.use, u), amounts_get(&exact.slots.use, u)),
                "row %zu, use %d", i, u);
        run_result_free(&folded);
        run_result_free(&exact);
    }
}

static int replay_step(struct run_result *r, const char *matmul, struct err *e)
{
    char text[256];

    snprintf(text, sizeof text,
             "cyclotron-trace 1\ndtype tensors=f32 matmul=%s\n"
             "tensor %%a f32[20,27] constant\ntensor %%b f32[27,8] constant\n"
             "step {\n%%c f32[20,8] = matmul(%%a, %%b)\n}\n",
             matmul);
    struct run_request q = {
        .trace = "t", .text = text, .text_size = strlen(text), .machine = "tpu-v2-1", .steps = 1
    };
    return run_replay(&q, r, e);
}

Test(product, the_header_of_a_trace_says_how_products_round)
{
    struct run_result r;
    struct err e;

    cr_assert_eq(replay_step(&r, "f32", &e), 0, "%s", e.msg);
    expect_ppb(amounts_get(&r.ops[0].slots.use, USE_PRECISION), 5 * 20 * 27 * 8, "six passes");
    run_result_free(&r);
    cr_assert_eq(replay_step(&r, "bf16", &e), 0, "%s", e.msg);
    expect_ppb(amounts_get(&r.ops[0].slots.use, USE_PRECISION), 0, "one pass");
    run_result_free(&r);
    cr_assert_eq(replay_step(&r, "s8", &e), -1);
    cr_expect_str_eq(e.msg, "t:6: matmul 'c': the matrix units of this machine have no products of "
                            "8-bit integers (mxu.int8_rate = 0); take bf16 operands");
    cr_assert_eq(replay_step(&r, "f64", &e), -1);
    cr_expect_str_eq(e.msg,
                     "t: dtype matmul=f64: no matrix unit multiplies that; expected bf16, f32 "
                     "(in bf16 parts), s8, u8, f8e4m3fn or f8e5m2");
}

/* A step with one operation on values of `dtype`; a step of it, or why not. */
static int replay_dtype(const char *dtype, const char *op, const char *machine, char why[512])
{
    struct run_result r;
    struct err e = { 0 };
    char text[512];

    snprintf(text, sizeof text,
             "cyclotron-trace 1\ndtype tensors=f32 matmul=bf16\n"
             "tensor %%a %s[128,128] constant\ntensor %%b %s[128,128] constant\n"
             "tensor %%i s64[128] constant\n"
             "step {\n%%c %s\n}\n",
             dtype, dtype, op);
    struct run_request q = {
        .trace = "t", .text = text, .text_size = strlen(text), .machine = machine, .steps = 1
    };
    int rc = run_replay(&q, &r, &e);
    if (rc == 0)
        run_result_free(&r);
    snprintf(why, 512, "%s", e.msg);
    return rc;
}

/* Not as if they were of another dtype. */
Test(product, a_dtype_that_no_unit_computes_in_is_refused)
{
    static const char matmul[] = "f32[128,128] = matmul(%a, %b)";
    static const struct {
        const char *dtype, *op, *machine, *why; /* NULL: it runs */
    } row[] = {
        { "f16", matmul, "tpu-v3-1",
          "t:7: matmul 'c': operand 'a' is f16, the matrix units of this machine multiply bf16, "
          "f32 (in bf16 parts) and pred; take bf16" },
        { "f64", matmul, "tpu-v5e-1",
          "t:7: matmul 'c': operand 'a' is f64, the matrix units of this machine multiply bf16, "
          "f32 (in bf16 parts), s8, u8, f8e5m2 and pred; take f32" },
        { "s32", matmul, "tpu-v7-2",
          "t:7: matmul 'c': operand 'a' is s32, the matrix units of this machine multiply bf16, "
          "f32 (in bf16 parts), f8e4m3fn, f8e5m2 and pred; take f32" },
        { "pred", matmul, "tpu-v3-1", NULL },
        { "f32", "f64[128,128] = matmul(%a, %b)", "tpu-v3-1",
          "t:7: matmul 'c': result 'c' is f64, a TensorCore computes in 32 bits; take f32" },
        { "s64", "f32[128] = reduce(%a)", "tpu-v3-1",
          "t:7: reduce 'c': operand 'a' is s64, a TensorCore computes in 32 bits; take s32" },
        { "u64", "u64[128,128] = all-reduce(%a)", "tpu-v3-8",
          "t:7: all-reduce 'c': operand 'a' is u64, a TensorCore computes in 32 bits; take u32" },
        { "f16", "f16[128,128] = elementwise(%a, %b)", "tpu-v3-1", NULL },
        { "f64", "f64[128,128] = copy(%a)", "tpu-v3-1", NULL },
        { "f32", "f32[8,128] = scatter(%a, %i) rows=128 cols=128 table-rows=8", "tpu-v3-1", NULL },
    };
    char why[512];

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int rc = replay_dtype(row[i].dtype, row[i].op, row[i].machine, why);
        cr_expect_eq(rc, row[i].why ? -1 : 0, "%s %s: %s", row[i].dtype, row[i].op, why);
        cr_expect_str_eq(why, row[i].why ? row[i].why : "");
    }
}
