/* Rows that are padded: lines of the header, the operations on them, their share of time. */
#include "base/exact.h"
#include "base/memory.h"
#include "run/result/padding.h"
#include "tests/unit/trace/trace_helper.h"
#include "tests/unit/traces/gen_helper.h"

#define V "cyclotron-trace 1\n"

Test(padding, lines_of_the_header_are_kept_in_order)
{
    static const char text[] = V "samples step=1\n"
                                 "dtype tensors=f32 matmul=bf16 activations=keep\n"
                                 "param smallest=50\n"
                                 "padding nodes real=187 padded=225\n"
                                 "padding edges real=0 padded=2250\n"
                                 "padding nodes real=300 padded=300\n"
                                 "provenance \"mine\"\n"
                                 "step {\n}\n";
    char *printed = print_canonical(text);

    cr_expect_str_eq(printed, text);
    free(printed);
}

/* --- operations on padded rows ------------------------------------------------------------ */

/* Expect the `n` operations of a step on these padded rows, counted from 1; 0: none. */
static void expect_paddings(const char *text, const uint32_t *want, size_t n)
{
    struct trace *t = open_text(text, false);
    uint32_t *of = memory_zeroed(n, sizeof *of);
    struct step step;
    struct err err;

    step_init(&step);
    cr_assert_eq(step_read_tensors(&step, t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    cr_assert_eq(step.n_nodes, n);
    padding_of_nodes(&step, of);
    for (size_t i = 0; i < n; i++)
        cr_expect_eq(of[i], want[i], "node %zu: %u", i, of[i]);
    free(of);
    step_free(&step);
    trace_close(t);
}

Test(padding, an_operation_is_on_the_rows_of_its_largest_value_that_has_some)
{
    static const char text[] = V
        "padding nodes real=6 padded=8\npadding edges real=24 padded=32\n"
        "padding elements real=50 padded=60\npadding samples real=1 padded=8\n"
        "tensor %w f32[8,64] weight\ntensor %idx s32[32] input\n"
        "step {\n"
        "%n f32[8,16], %e f32[32,8] = infeed()\n"        /* edges: 256 of 384 elements */
        "%g f32[32,16] = gather(%n, %idx)\n"             /* edges */
        "%s f32[8,16] = scatter(%g, %idx)\n"             /* edges: they are read */
        "%h f32[8,16] = elementwise(%s)\n"               /* nodes */
        "%d f32[16,16] gradient = matmul(%h, %s) ta=1\n" /* nodes: m of the operands */
        "%q f32[8,64] gradient = elementwise(%w)\n"      /* none: as large as a weight */
        "optimizer(%w, %q)\n"                            /* none */
        "%b f32[4,15,2] = elementwise()\n"               /* elements: 4 * 15 */
        "fusion %f {\n%k f32[8,2] = elementwise()\n%f f32[32,2] = elementwise(%k)\n}\n" /* edges */
        "%z f32[16,8] = elementwise()\n" /* none: not its first dimension */
        "}\n";
    static const uint32_t want[] = { 2, 2, 2, 1, 1, 0, 0, 3, 2, 0 };

    expect_paddings(text, want, COUNT(want));
}

/* Four cores share a step: 30 rows are cut into parts of 8, the last one short, 64 into parts
 * of 16. */
Test(padding, a_core_has_a_part_of_the_rows_rounded_up)
{
    static const char text[] = V "samples step=4 shared=4 cores=4\n"
                                 "padding nodes real=20 padded=30\n"
                                 "padding edges real=60 padded=64\n"
                                 "step {\n"
                                 "%a f32[8,3] = infeed()\n"       /* nodes: a part */
                                 "%b f32[7,3] = elementwise()\n"  /* none: less than a part */
                                 "%c f32[30,3] = elementwise()\n" /* nodes: all */
                                 "%d f32[16,3] = elementwise()\n" /* edges: a part */
                                 "%e f32[17,3] = elementwise()\n" /* none */
                                 "}\n";
    static const uint32_t want[] = { 1, 0, 1, 2, 0 };

    expect_paddings(text, want, COUNT(want));
}

/* A gradient of 8 rows has the shape of its weight: it is on no nodes, nor is what makes it. */
Test(padding, what_an_optimizer_reads_is_on_no_rows)
{
    static const char text[] = V "samples step=1\n"
                                 "padding nodes real=6 padded=8\n"
                                 "tensor %w f32[8,64] weight\n"
                                 "step {\n"
                                 "%a f32[8,64] = infeed()\n" /* nodes */
                                 "%g f32[8,64] gradient = elementwise()\n"
                                 "optimizer(%g, %w)\n"
                                 "}\n";
    static const uint32_t want[] = { 1, 0, 0 };

    expect_paddings(text, want, COUNT(want));
}

/* --- time --------------------------------------------------------------------------------- */

static void expect_ratio(const mpq_t q, unsigned long num, unsigned long den, const char *what)
{
    cr_expect_eq(mpq_cmp_ui(q, num, den), 0, "%s", what);
}

Test(padding, the_share_of_time_is_that_of_the_rows)
{
    static const struct trace_header head = {
        .n_padding = 3, .padding = { { "nodes", 3, 4 }, { "edges", 1, 2 }, { "samples", 90, 100 } }
    };
    struct run_result r = { .has_epoch = true, .samples_per_epoch = 180 };
    EXACT_Q(four);

    mpq_set_ui(four, 4, 1);
    mpq_inits(r.seconds_per_step, r.steps_per_epoch, NULL);
    mpq_set_ui(r.seconds_per_step, 10, 1);
    mpq_set_ui(r.steps_per_epoch, 2, 1);
    mpz_init_set_ui(r.samples_per_step, 111);
    padding_real_samples(&head, r.samples_per_step); /* 99.9 */
    cr_expect_eq(mpz_cmp_ui(r.samples_per_step, 100), 0);
    mpz_set_ui(r.samples_per_step, 100);

    padding_begin(&head, &r);
    padding_add(&r, 1, four); /* 4 s on nodes, a quarter of them padding; edges take no time */
    padding_end(&r);
    cr_assert_eq(r.n_padding, 3);
    cr_expect_str_eq(r.padding[0].name, "nodes");
    expect_ratio(r.padding[0].share, 1, 4, "share of nodes");
    expect_ratio(r.padding[0].seconds, 1, 1, "time of nodes");
    cr_expect_str_eq(r.padding[1].name, "samples");
    expect_ratio(r.padding[1].seconds, 1, 1, "time of samples: a tenth of the step");
    cr_expect_str_eq(r.padding[2].name, "epoch");
    cr_expect_eq(mpz_cmp_ui(r.padding[2].padded, 200), 0); /* two steps of 100 for 180 */
    expect_ratio(r.padding[2].seconds, 1, 1, "time of the rest of an epoch");
    /* 10 - (10 - 1) * 0.9 * 0.9 */
    expect_ratio(r.padding_seconds, 271, 100, "all of it, each padded row once");
    padding_clear(&r);
    mpq_clears(r.seconds_per_step, r.steps_per_epoch, NULL);
    mpz_clear(r.samples_per_step);
}

/* --- generators --------------------------------------------------------------------------- */

static void has_lines(const char *workload, const char *const *set, size_t n, const char *lines)
{
    size_t size;
    char *text = generate_text(workload, set, n, &size), *first = strstr(text, "\npadding ");

    if (*lines == '\0') {
        cr_expect_null(first, "%s", workload);
    } else {
        cr_assert_not_null(first, "%s", workload);
        cr_expect_eq(strncmp(first + 1, lines, strlen(lines)), 0, "%s", first);
        cr_expect_neq(strncmp(first + 1 + strlen(lines), "padding", 7), 0, "%s", workload);
    }
    free(text);
}

Test(padding, generators_say_how_much_is_real)
{
    /* sizes 50, 75 and 100 percent, half way between two on average, three graphs a step */
    has_lines("exatrkx", SET("nodes=100", "edges=1000", "graphs=3", "buckets=2", "smallest=50"),
              "padding nodes real=187 padded=225\npadding edges real=1875 padded=2250\n"
              "padding nodes real=262 padded=300\npadding edges real=2625 padded=3000\n");
    has_lines("exatrkx", SET("graph=region", "real_edges=56250"),
              "padding edges real=225000 padded=226000\n");
    has_lines("exatrkx", SET("nodes=10", "edges=20"), "");
    /* 100 elements in 7 bins of 15 */
    has_lines("mlpf", SET("batch=2", "elements=100", "bins=7"),
              "padding elements real=200 padded=210\n");
    has_lines("mlpf", SET("batch=2", "real=5000"), "padding elements real=10000 padded=12800\n");
    has_lines("mlpf", SET("batch=2"), "");
    has_lines("fc", SET("batch=100", "remainder=pad"), "padding samples real=100 padded=104\n");
    has_lines("fc", SET("batch=104", "remainder=pad"), "");
    has_lines("fc", SET("batch=100", "remainder=drop"), "");
}

Test(padding, what_fills_no_batch_is_padded_or_dropped)
{
    static const struct {
        const char *workload, *set[3], *want;
    } rows[] = {
        { "fc", { "batch=100", "remainder=pad", "cores=8" }, "samples step=13\n" },
        { "fc", { "batch=100", "remainder=drop", "cores=8" }, "samples step=12\n" },
        /* files of 5,000: four steps of 1,024 and a fifth for the other 904 */
        { "3dgan", { "loop=host", "remainder=pad", "cores=8" }, "epoch=124987 steps=125\n" },
        { "3dgan", { "loop=host", "remainder=drop", "cores=8" }, "epoch=124987 steps=100\n" },
        { "3dgan", { "loop=host", "remainder=drop", "cores=8" }, "step every=4 {\n" },
        { "3dgan", { "loop=host", "remainder=drop", "cores=32" }, "epoch=124987 steps=25\n" },
        { "3dgan", { "loop=host", "remainder=drop", "cores=32" }, "  phase file\n  load()" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t size;
        char *text = generate_text(rows[i].workload, rows[i].set, 3, &size);
        cr_expect_not_null(strstr(text, rows[i].want), "%s: %s", rows[i].set[1], rows[i].want);
        free(text);
    }
    refuses_options("fc", "batch=100", ERR_RANGE,
                    "fc: batch = 100: not a multiple of cores = 8; remainder=pad fills it up, "
                    "remainder=drop leaves some out");
    refuses_options("exatrkx", "real_nodes=150001", ERR_RANGE,
                    "exatrkx: real_nodes = 150001: more than nodes = 150000");
    refuses_options("mlpf", "real=6401", ERR_RANGE, "mlpf: real = 6401: more than elements = 6400");
}
