/* Memory of a step whose values lie as a compiled program states it, worked out by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "passes/liveness.h"
#include "passes/narrow.h"
#include "passes/passes.h"

static const struct footprint_core core = { .tiling = { 128, 8 }, .replicas = 1 };

struct bench {
    struct trace *t;
    struct step step;
    char text[4096];
};

#define V "{1,0:T(8,128)}"        /* of f32[8,128]: 4096 bytes */
#define NEAR "{1,0:T(8,128)S(3)}" /* ... in CMEM */
#define X "tensor %x f32[8,128]" V " input\n"

static void set_up(struct bench *b, const char *tensors, const char *body)
{
    struct err err;

    snprintf(b->text, sizeof b->text, "cyclotron-trace 1\n%sstep {\n%s}\n", tensors, body);
    cr_assert_eq(trace_open_memory(&b->t, "t", b->text, strlen(b->text), false, &err), 0, "%s",
                 err.msg);
    step_init(&b->step);
    cr_assert_eq(step_read_tensors(&b->step, b->t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&b->step, b->t, &err), 1, "%s", err.msg);
    cr_expect_eq(step_verify(&b->step, "reading", &err), 0, "%s", err.msg);
}

static void tear_down(struct bench *b)
{
    step_free(&b->step);
    trace_close(b->t);
}

static struct footprint find_peak(const struct bench *b, uint64_t *live)
{
    struct footprint m;

    footprint_peak(&m, &b->step, &core, NULL, &(struct footprint_change){ 0 }, live);
    return m;
}

/* The peak of tensors and body in bytes. */
static uint64_t peak_of(const char *tensors, const char *body)
{
    struct bench b;

    set_up(&b, tensors, body);
    uint64_t peak = find_peak(&b, NULL).total;
    tear_down(&b);
    return peak;
}

/* 24 x 256 x 4 = 24576; 9 elements of 4 bytes are 36, of which a buffer takes 512. */
Test(footprint_compiled, takes_the_stated_tiles_in_buffers_of_512_bytes)
{
    struct bench b;

    set_up(&b, "tensor %x f32[17,200]" V " input\n", "%y f32[9]{0} = kernel(%x)\n");
    struct footprint m = find_peak(&b, NULL);
    cr_expect_eq(m.role[FOOTPRINT_INPUTS], 24576);
    cr_expect_eq(m.role[FOOTPRINT_ACTIVATIONS], 512);
    cr_expect_eq(m.padding, 24576 - 17 * 200 * 4 + 512 - 36);
    tear_down(&b);
}

Test(footprint_compiled, a_value_in_the_place_of_another_takes_nothing)
{
    /* x; y and z are one buffer; w is at x */
    cr_expect_eq(peak_of(X,
                         "%y f32[8,128]" V " = kernel(%x)\n%z f32[8,128]" V " at %y = kernel(%y)\n"
                         "%w f32[8,128]" V " at %x = kernel(%z)\n"),
                 2 * 4096);
    /* a chain lives until its last use: y, z and v at once with q */
    cr_expect_eq(
        peak_of(X, "%y f32[8,128]" V " = kernel(%x)\n%z f32[8,128]" V " at %y = kernel(%y)\n"
                   "%v f32[8,128]" V " at %z = kernel(%z)\n%q f32[8,128]" V " = kernel(%v)\n"),
        3 * 4096);
}

/* nodes: a 0, b 1, c 2, d 3 */
Test(footprint_compiled, a_place_is_free_between_a_last_use_and_the_next_value)
{
    struct bench b;
    uint64_t live[4];

    set_up(&b, X,
           "%a f32[8,128]" V " = kernel(%x)\n%b f32[16,128]" V " = kernel(%a)\n"
           "%c f32[16,128]" V " = kernel(%b)\n%d f32[8,128]" V " at %a = kernel(%c)\n");
    struct footprint m = find_peak(&b, live);
    cr_expect_eq(live[0], 4096 + 4096);
    cr_expect_eq(live[1], 4096 + 4096 + 8192);
    cr_expect_eq(live[2], 4096 + 2 * 8192, "nobody needs what was in the place of a");
    cr_expect_eq(live[3], 4096 + 8192 + 4096);
    cr_expect_eq(m.total, 4096 + 2 * 8192);
    tear_down(&b);
    /* a result that leaves a part of it needs all of it */
    cr_expect_eq(peak_of(X, "%a f32[16,128]" V " = kernel(%x)\n%b f32[8,128]" V " = kernel(%x)\n"
                            "%c f32[8,128]" V " at %a = kernel(%b)\n%d f32[4]{0} = kernel(%a)\n"),
                 4096 + 8192 + 4096);
}

/* nodes: a 0, b 1, c 2, d 3: nobody needs what was in x at 1 and 2, when b lives */
Test(footprint_compiled, an_argument_that_is_given_away_lends_its_memory)
{
#define CHAIN(b)                                                                                   \
    "%a f32[8,128]" V " = kernel(%x)\n%b " b V " = kernel(%a)\n%c f32[8,128]" V " = kernel(%b)\n"  \
    "%d f32[8,128]" V " at %x = kernel(%c)\n"
    cr_expect_eq(peak_of(X, CHAIN("f32[8,128]")), 2 * 4096);
    cr_expect_eq(peak_of(X, CHAIN("f32[16,128]")), 2 * 4096 + 8192, "b is larger than x");
    /* b and e at once: one of them */
    cr_expect_eq(peak_of(X, "%a f32[8,128]" V " = kernel(%x)\n%b f32[8,128]" V " = kernel(%a)\n"
                            "%e f32[8,128]" V " = kernel(%a)\n%c f32[8,128]" V " = kernel(%b, %e)\n"
                            "%d f32[8,128]" V " at %x = kernel(%c)\n"),
                 3 * 4096);
    /* without a result in its place it stays as it is */
    cr_expect_eq(peak_of(X, "%a f32[8,128]" V " = kernel(%x)\n%b f32[8,128]" V " = kernel(%a)\n"
                            "%c f32[8,128]" V " = kernel(%b)\n"),
                 3 * 4096);
}

/* x of 4096 and z of 8192 bytes are given away; a of 4096 and b of 8192 live between.  The smaller
 * one must lie in the smaller argument, in whichever order they stand. */
Test(footprint_compiled, the_smallest_argument_that_is_large_enough_lends)
{
#define Z "tensor %z f32[16,128]" V " input\n"
#define TWO                                                                                        \
    "%u f32[8,128]" V " = kernel(%x, %z)\n%a f32[8,128]" V " = kernel(%u)\n%b f32[16,128]" V       \
    " = kernel(%u)\n%v f32[8,128]" V " = kernel(%a, %b)\n%d f32[8,128]" V " at %x = kernel(%v)\n"  \
    "%e f32[16,128]" V " at %z = kernel(%v)\n"
    cr_expect_eq(peak_of(X Z, TWO), 4096 + 8192 + 4096); /* u or v */
    cr_expect_eq(peak_of(Z X, TWO), 4096 + 8192 + 4096);
}

/* a, at nodes 0 and 1, lies where d will be from 2 on: x, d and b */
Test(footprint_compiled, what_is_returned_lends_its_memory_until_it_is_made)
{
    cr_expect_eq(peak_of(X, "%a f32[8,128]" V " = kernel(%x)\n%b f32[8,128]" V " = kernel(%a)\n"
                            "%d f32[8,128]" V " = kernel(%b)\nreturn(%d)\n"),
                 3 * 4096);
}

Test(footprint_compiled, the_compiler_counts_arguments_on_the_host_too)
{
    struct bench b;

    set_up(&b, X "tensor %h f32[16,128]{1,0:T(8,128)S(5)} state\n",
           "%y f32[8,128]" V " = kernel(%x)\n");
    struct footprint m = find_peak(&b, NULL);
    cr_expect_eq(m.total, 2 * 4096);
    cr_expect_eq(footprint_by_xla(&m, false), 2 * 4096 + 8192);
    tear_down(&b);
}

#define AWAY "{1,0:T(8,128)S(5)}" /* ... in the memory of a host */

/* x and r, which is returned there: what XLA reports of such a program is as much. */
Test(footprint_compiled, the_compiler_counts_results_on_the_host_too)
{
    struct bench b;

    set_up(&b, X,
           "%y f32[8,128]" V " = kernel(%x)\n%s f32[8,128]" AWAY " = copy-start(%y)\n"
           "%r f32[8,128]" AWAY " at %s = copy-done(%s)\nreturn(%r)\n");
    struct footprint m = find_peak(&b, NULL);
    cr_expect_eq(m.total, 2 * 4096);
    cr_expect_eq(m.on_host, 4096);
    cr_expect_eq(footprint_by_xla(&m, false), 3 * 4096, "%lu", footprint_by_xla(&m, false));
    tear_down(&b);
}

/* 4096 of x, and the larger of 8192 on the host and 4096 of y in HBM. */
Test(footprint_compiled, of_temporaries_the_compiler_counts_one_memory_the_hosts_included)
{
    struct bench b;

    set_up(&b, X,
           "%s f32[16,128]" AWAY " = copy-start(%x)\n"
           "%h f32[16,128]" AWAY " at %s = copy-done(%s)\n"
           "%y f32[8,128]" V " = kernel(%h)\n");
    struct footprint m = find_peak(&b, NULL);
    cr_expect_eq(m.host_temporaries, 8192, "%lu", m.host_temporaries);
    cr_expect_eq(footprint_by_xla(&m, false), 4096 + 8192, "%lu", footprint_by_xla(&m, false));
    tear_down(&b);
}

Test(footprint_compiled, an_argument_that_the_next_turn_reads_lends_nothing)
{
    cr_expect_eq(peak_of(X, "repeat 3 {\n%a f32[8,128]" V " = kernel(%x)\n%b f32[8,128]" V
                            " = kernel(%a)\n%c f32[8,128]" V " = kernel(%b)\n}\n"
                            "%d f32[8,128]" V " at %x = kernel()\n"),
                 3 * 4096);
}

/* nodes: h 0, repeat 1, t 2, n 3, end 4, y 5 */
#define LOOP                                                                                       \
    "%h f32[8,128]" V " = kernel(%x)\nrepeat 3 {\n%t f32[16,128]" V " = kernel(%h)\n"              \
    "%n f32[8,128]" V " at %h = kernel(%t)\n}\n"

Test(footprint_compiled, a_loop_carries_what_lies_in_a_place_from_outside)
{
    struct bench b;
    uint64_t live[6];

    set_up(&b, X, LOOP "%y f32[8,128]" V " = kernel(%h)\n");
    find_peak(&b, live);
    cr_expect_eq(live[0], 2 * 4096);
    cr_expect_eq(live[1], 2 * 4096);
    cr_expect_eq(live[2], 2 * 4096 + 8192, "h until t has read it");
    cr_expect_eq(live[3], 2 * 4096 + 8192, "t and n");
    cr_expect_eq(live[4], 2 * 4096, "the next turn reads n");
    cr_expect_eq(live[5], 3 * 4096, "h behind the loop, and y");
    tear_down(&b);

    /* the last turn's value is carried too, though nobody reads it */
    set_up(&b, X, LOOP "%y f32[8,128]" V " = kernel(%x)\n");
    find_peak(&b, live);
    cr_expect_eq(live[4], 2 * 4096);
    cr_expect_eq(live[5], 2 * 4096);
    tear_down(&b);
}

/* nodes: h 0, repeat 1, repeat 2, t 3, end 4, big 5, n 6, end 7 */
Test(footprint_compiled, an_inner_loop_reads_what_the_outer_one_carries)
{
    struct bench b;
    uint64_t live[8];

    set_up(&b, X,
           "%h f32[8,128]" V " = kernel(%x)\nrepeat 3 {\nrepeat 2 {\n%t f32[8,128]" V
           " = kernel(%h)\n}\n%big f32[64,128]" V " = kernel()\n%n f32[8,128]" V
           " at %h = kernel(%big)\n}\n");
    find_peak(&b, live);
    cr_expect_eq(live[3], 3 * 4096, "x, h, t");
    cr_expect_eq(live[4], 2 * 4096, "h until the inner loop ends");
    cr_expect_eq(live[5], 4096 + 32768, "free until n");
    cr_expect_eq(live[6], 2 * 4096 + 32768);
    cr_expect_eq(live[7], 2 * 4096);
    tear_down(&b);
}

/* A value that a turn makes and reads itself is gone before the next. */
Test(footprint_compiled, what_a_turn_makes_lives_inside_it)
{
    cr_expect_eq(peak_of(X, "repeat 3 {\n%t f32[16,128]" V " = kernel(%x)\n%u f32[8,128]" V
                            " = kernel(%t)\n}\n%v f32[8,128]" V " = kernel(%x)\n"),
                 4096 + 8192 + 4096);
}

/* nodes: start 0, k 1, done 2, y 3 */
Test(footprint_compiled, a_copy_has_its_memory_from_the_start_on)
{
    struct bench b;
    uint64_t live[4];

    set_up(&b, X "tensor %o f32[8,128]{1,0:T(8,128)S(5)} input\n",
           "%s f32[8,128]" NEAR " = copy-start(%x)\n%k f32[8,128]" V " = kernel(%x)\n"
           "%d f32[8,128]" NEAR " at %s = copy-done(%s)\n%y f32[8,128]" V " = kernel(%d, %k)\n");
    struct footprint m = find_peak(&b, live);
    cr_expect_eq(live[0], 4096);
    cr_expect_eq(live[3], 3 * 4096);
    cr_expect_eq(m.total, 3 * 4096, "neither CMEM nor the host is HBM");
    cr_expect_eq(m.persistent, 4096);
    cr_expect_eq(m.elsewhere[TRACE_IN_CMEM], 4096);
    cr_expect_eq(m.elsewhere[TRACE_IN_HOST], 4096);
    cr_expect_eq(m.elsewhere[TRACE_IN_VMEM], 0);
    cr_expect_eq(m.elsewhere[TRACE_IN_HBM], 0);
    tear_down(&b);
}

/* The peak in CMEM of a body. */
static uint64_t peak_near(const char *body)
{
    struct bench b;

    set_up(&b, X, body);
    uint64_t peak = find_peak(&b, NULL).elsewhere[TRACE_IN_CMEM];
    tear_down(&b);
    return peak;
}

/* b has 8192 bytes, each piece and k 4096; k is gone when the second piece starts. */
#define ROOM(PLACE) "%b f32[16,128]" PLACE " = kernel() form=scalar store=0\n"
#define PIECE(NAME, PLACE) "%" NAME " f32[8,128]" PLACE " at %b = copy-start(%x)\n"
#define ARRIVED(NAME, PLACE) "%" NAME "d f32[8,128]" PLACE " at %" NAME " = copy-done(%" NAME ")\n"
#define BETWEEN(PLACE) "%k f32[8,128]" PLACE " = kernel(%x)\n"

Test(footprint_compiled, a_buffer_on_chip_grows_with_the_copies_that_fill_it)
{
    cr_expect_eq(peak_near(ROOM(NEAR) PIECE("p", NEAR) BETWEEN(NEAR) PIECE("q", NEAR)
                               ARRIVED("p", NEAR) ARRIVED("q", NEAR) "%y f32[4]{0} = kernel(%b)\n"),
                 8192);
    /* ... also where the first piece is there before the second starts */
    cr_expect_eq(peak_near(ROOM(NEAR) PIECE("p", NEAR) ARRIVED("p", NEAR) BETWEEN(NEAR)
                               PIECE("q", NEAR) ARRIVED("q", NEAR) "%y f32[4]{0} = kernel(%b)\n"),
                 8192);
    /* nothing is there before the first piece */
    cr_expect_eq(peak_near(ROOM(NEAR) "%k f32[32,128]" NEAR " = kernel(%x)\n" PIECE("p", NEAR)
                               PIECE("q", NEAR) ARRIVED("p", NEAR)
                                   ARRIVED("q", NEAR) "%y f32[4]{0} = kernel(%b)\n"),
                 16384);
}

Test(footprint_compiled, what_has_contents_or_is_not_filled_is_there_as_a_whole)
{
    cr_expect_eq(peak_near("%b f32[16,128]" NEAR " = kernel(%x)\n" PIECE("p", NEAR) BETWEEN(NEAR)
                               PIECE("q", NEAR) ARRIVED("p", NEAR)
                                   ARRIVED("q", NEAR) "%y f32[4]{0} = kernel(%b)\n"),
                 8192 + 4096, "a kernel has written all of it");
    cr_expect_eq(peak_near(ROOM(NEAR) BETWEEN(NEAR) PIECE("p", NEAR)
                               ARRIVED("p", NEAR) "%y f32[4]{0} = kernel(%b)\n"),
                 8192 + 4096, "half of it never comes");
    cr_expect_eq(peak_of(X, ROOM(V) PIECE("p", V) BETWEEN(V) PIECE("q", V) ARRIVED("p", V)
                                ARRIVED("q", V) "%y f32[4]{0} = kernel(%b)\n"),
                 4096 + 8192 + 4096, "a buffer in HBM has its room from the begin on");
}

/* The start reads its operand until the done: y, p and what comes in between at once. */
Test(footprint_compiled, an_operand_lives_until_the_done_of_its_start)
{
    cr_expect_eq(peak_of(X,
                         "%y f32[8,128]" V " = kernel(%x)\n%p f32[8,128]" V
                         " = collective-permute-start(%y)\n%k f32[8,128]" V " = kernel(%x)\n"
                         "%q f32[8,128]" V " at %p = collective-permute-done(%p)\n%z f32[4]{0} = "
                         "kernel(%q, %k)\n"),
                 4 * 4096);
    /* ... also when it is in the place of another value, which is written after that */
    cr_expect_eq(peak_of(X,
                         "%y f32[8,128]" V " = kernel(%x)\n%w f32[8,128]" V " at %y = kernel(%y)\n"
                         "%p f32[8,128]" V " = collective-permute-start(%w)\n%k f32[8,128]" V
                         " = kernel(%x)\n"
                         "%q f32[8,128]" V " at %p = collective-permute-done(%p)\n"
                         "%n f32[8,128]" V " at %y = kernel(%k, %q)\n"),
                 4 * 4096);
}

/* nodes: a 0, b 1, c 2, return 3 */
Test(footprint_compiled, what_is_returned_has_its_memory_all_the_time)
{
    struct bench b;
    uint64_t live[4];

    set_up(&b, X,
           "%a f32[64,128]" V " = kernel(%x)\n%b f32[8,128]" V " = kernel(%a)\n"
           "%c f32[8,128]" V " at %b = kernel(%b)\nreturn(%c)\n");
    find_peak(&b, live);
    cr_expect_eq(live[0], 2 * 4096 + 32768);
    cr_expect_eq(live[3], 2 * 4096);
    tear_down(&b);
}

Test(footprint_compiled, each_value_has_its_role_and_its_source)
{
    struct bench b;

    set_up(&b, X "tensor %w f32[8,128]" V " weight\n",
           "%g f32[8,128]" V " gradient = kernel(%x) source=\"a.py:5\"\n%y f32[8,128]" V
           " = kernel(%g)\nfusion %z source=\"b.py:1\" {\n%z f32[8,128]" V
           " = elementwise(%y)\n}\n");
    cr_expect_eq(footprint_role_of(&b.step, 0), FOOTPRINT_INPUTS);
    cr_expect_eq(footprint_role_of(&b.step, 1), FOOTPRINT_WEIGHTS);
    cr_expect_eq(footprint_role_of(&b.step, 2), FOOTPRINT_GRADIENTS);
    cr_expect_eq(footprint_role_of(&b.step, 3), FOOTPRINT_ACTIVATIONS);
    cr_expect_null(step_source(&b.step, 0));
    cr_expect_str_eq(step_source(&b.step, 2), "a.py:5");
    cr_expect_null(step_source(&b.step, 3));
    cr_expect_str_eq(step_source(&b.step, 4), "b.py:1");
    tear_down(&b);
}

/* Neither the passes nor what-if figures change what a program states. */
Test(footprint_compiled, stated_values_are_kept_as_they_are)
{
    struct bench b;
    struct footprint m;

    set_up(&b, X,
           "%y f32[8,128]" V " = kernel(%x)\n%z f32[8,8]" V " = matmul(%y, %y) tb=1\n"
           "%g f32[8,128]" V " gradient = kernel(%y)\n");
    narrow_step(&b.step, TRACE_BF16);
    cr_expect_eq(b.step.value[1].stored, TRACE_F32);
    footprint_peak(&m, &b.step, &core, NULL, &(struct footprint_change){ true, true }, NULL);
    cr_expect_eq(m.total, 3 * 4096);
    tear_down(&b);
}

/* The example of the manual: w, m, x are there all the time, and y, dw, loss at the peak. */
Test(footprint_compiled, the_example_of_the_manual_has_the_peak_it_states)
{
    struct footprint m;
    struct step step;
    struct trace *t;
    struct err err;

    cr_assert_eq(trace_open(&t, "docs/examples/compiled.trace", false, &err), 0, "%s", err.msg);
    step_init(&step);
    cr_assert_eq(step_read_tensors(&step, t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    footprint_peak(&m, &step, &core, NULL, &(struct footprint_change){ 0 }, NULL);
    cr_expect_eq(m.total, 43794944);
    cr_expect_eq(m.total, step.head.program.peak);
    cr_expect_eq(m.persistent, 22921216);
    cr_expect_eq(m.elsewhere[TRACE_IN_CMEM], 2048000);
    step_free(&step);
    trace_close(t);
}

/* --- passes that would change it ---------------------------------------------------------- */

struct refusal {
    const char *pass, *why;
};

static void expect_refusal(const struct bench *b, const struct refusal *r)
{
    struct shard_plan shard = { .model = 2, .edges = 1, .data = 1 };
    struct pipeline_plan stages = { .stages = 2, .microbatches = 2, .data = 1 };
    struct remat_plan remat = { .cut = REMAT_PHASES };
    struct step from = b->step, to;
    struct err err = { .code = ERR_NONE };
    bool some;
    int rc;

    from.whole = true;
    step_init(&to);
    if (strcmp(r->pass, "shard") == 0)
        rc = shard_step(&to, &from, &shard, &err);
    else if (strcmp(r->pass, "pipeline") == 0)
        rc = pipeline_step(&to, &from, &stages, &err);
    else
        rc = remat_step(&to, &from, &remat, &some, &err);
    cr_expect_eq(rc, -1, "%s", r->pass);
    cr_expect_eq(err.code, ERR_FIT);
    cr_expect_str_eq(err.msg, r->why);
    step_free(&to);
}

Test(footprint_compiled, passes_refuse_to_cut_a_compiled_program)
{
    static const struct refusal refusals[] = {
        { "shard", "t: a step of kernels, compiled or recorded, has its sharding already; shard "
                   "the model in its "
                   "framework and compile it again" },
        { "pipeline", "t: a step of kernels, compiled or recorded, has its place on the devices "
                      "already; put the model "
                      "into stages in its framework and compile it again" },
        { "remat", "t: a step of kernels, compiled or recorded, has its rematerialisation already; "
                   "change it in the "
                   "framework (jax.checkpoint) and compile it again" },
    };
    static const struct refusal with_command = {
        "remat", "t: a compiled program has its rematerialisation already; "
                 "change it in the "
                 "framework (jax.checkpoint) and compile it again: `scripts/compile FILE.py "
                 "--topology v3:2x2`"
    };
    struct bench b;

    set_up(&b, X, "%y f32[8,128]" V " = kernel(%x)\n");
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        expect_refusal(&b, &refusals[i]);
    strcpy(b.step.head.program.topology, "v3:2x2");
    expect_refusal(&b, &with_command);
    tear_down(&b);
}
