/* Peak memory by role, in whole tiles: 128 lanes, 8 sublanes, worked out by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "passes/footprint.h"

static const struct footprint_core core = { .tiling = { 128, 8 } };

struct bench {
    struct trace *t;
    struct step step;
    char text[2048];
};

static void set_up(struct bench *b, const char *tensors, const char *body)
{
    struct err err;

    snprintf(b->text, sizeof b->text, "cyclotron-trace 1\n%sstep {\n%s}\n", tensors, body);
    cr_assert_eq(trace_open_memory(&b->t, "t", b->text, strlen(b->text), false, &err), 0, "%s",
                 err.msg);
    step_init(&b->step);
    cr_assert_eq(step_read_tensors(&b->step, b->t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&b->step, b->t, &err), 1, "%s", err.msg);
}

static void tear_down(struct bench *b)
{
    step_free(&b->step);
    trace_close(b->t);
}

static struct footprint find_peak(const struct bench *b, bool bf16, bool remat,
                                  const uint64_t *workspace)
{
    struct footprint m;
    uint64_t sum = 0;

    footprint_peak(&m, &b->step, &core, workspace, &(struct footprint_change){ bf16, remat }, NULL);
    for (int r = 0; r < N_FOOTPRINT_ROLES; r++)
        sum += m.role[r];
    cr_expect_eq(sum, m.total);
    return m;
}

/* f32[100,3] as lanes x rows: 3 rows in tiles of 4, 100 of 128 lanes; 300 elements. */
Test(footprint, takes_whole_tiles_and_says_how_much_is_padding)
{
    struct bench b;

    set_up(&b, "tensor %x f32[100,3] input\n", "%y bf16[100,3] = elementwise(%x)\n");
    struct footprint m = find_peak(&b, false, false, NULL);
    cr_expect_eq(m.role[FOOTPRINT_INPUTS], 4 * 128 * 4);
    cr_expect_eq(m.role[FOOTPRINT_ACTIVATIONS], 4 * 128 * 2);
    cr_expect_eq(m.padding, 4 * 128 * 6 - 300 * 6);
    cr_expect_eq(m.persistent, 4 * 128 * 4);
    tear_down(&b);
}

/* Two elements of 16 bits go to a sublane, four of 8: tiles of at least 2 and 4 rows. */
Test(footprint, packs_narrow_elements_in_sublanes)
{
    static const struct {
        const char *shape;
        uint64_t bytes;
    } rows[] = { { "f32[1,128]", 512 },  { "bf16[1,128]", 512 },  { "s8[1,128]", 512 },
                 { "f32[9,128]", 8192 }, { "bf16[9,128]", 4096 }, { "s8[9,128]", 2048 },
                 { "f32[5,128]", 4096 }, { "f32[]", 512 },        { "bf16[300]", 1024 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        char tensor[64];
        snprintf(tensor, sizeof tensor, "tensor %%x %s constant\n", rows[i].shape);
        set_up(&b, tensor, "host() time=\"1 us\"\n");
        cr_expect_eq(find_peak(&b, false, false, NULL).role[FOOTPRINT_CONSTANTS], rows[i].bytes,
                     "%s: %lu", rows[i].shape, find_peak(&b, false, false, NULL).total);
        tear_down(&b);
    }
}

#define TILE 4096 /* f32[8,128] */

static const char training[] = "phase in\n%x f32[8,128] = infeed()\n"
                               "phase fwd\n%a f32[8,128] = elementwise(%x, %w)\n"
                               "%b f32[8,128] = elementwise(%a)\n"
                               "phase bwd\n%db f32[8,128] gradient = elementwise(%b)\n"
                               "%da f32[8,128] gradient = elementwise(%db, %a)\n"
                               "%dw f32[8,128] gradient = elementwise(%da, %x)\n"
                               "phase update\noptimizer(%w, %dw, %s)\n";
static const char variables[] = "tensor %w f32[8,128] weight\ntensor %s f32[8,128] state\n"
                                "tensor %c f32[8,128] constant\n";

/* At db: x, a, b and db; at da: x, a, db and da, as many, but later. */
Test(footprint, is_told_by_role_where_it_peaks)
{
    struct bench b;

    set_up(&b, variables, training);
    struct footprint m = find_peak(&b, false, false, NULL);
    cr_expect_eq(m.role[FOOTPRINT_WEIGHTS], TILE);
    cr_expect_eq(m.role[FOOTPRINT_OPTIMIZER], TILE);
    cr_expect_eq(m.role[FOOTPRINT_CONSTANTS], TILE);
    cr_expect_eq(m.role[FOOTPRINT_INPUTS], TILE);
    cr_expect_eq(m.role[FOOTPRINT_ACTIVATIONS], 2 * TILE);
    cr_expect_eq(m.role[FOOTPRINT_GRADIENTS], TILE);
    cr_expect_eq(m.total, 7 * TILE);
    cr_expect_str_eq(step_text(&b.step, b.step.node[m.at].title), "db");
    /* in bf16 what is not persistent takes half: 3 + (1 + 2 + 1) / 2 */
    cr_expect_eq(find_peak(&b, true, false, NULL).total, 5 * TILE);
    tear_down(&b);
}

Test(footprint, counts_the_workspace_of_an_operation_while_it_runs)
{
    /* infeed, a, b, db, da, dw, optimizer */
    uint64_t workspace[7] = { 0, 0, 0, 0, 0, 0, 100000 };
    struct bench b;

    set_up(&b, variables, training);
    struct footprint m = find_peak(&b, false, false, workspace);
    cr_expect_str_eq(step_text(&b.step, b.step.node[m.at].title), "optimizer");
    /* w, s and c; then x; a; b; db less b; da less db and a; dw less da and x */
    static const uint64_t tiles[] = { 4, 5, 6, 7, 7, 6, 4 };
    uint64_t live[7];
    footprint_peak(&m, &b.step, &core, workspace, &(struct footprint_change){ false, false }, live);
    for (int i = 0; i < 7; i++)
        cr_expect_eq(live[i], tiles[i] * TILE + workspace[i], "node %d: %lu", i, live[i]);
    cr_expect_eq(m.role[FOOTPRINT_WORKSPACE], 100000);
    cr_expect_eq(m.total, 3 * TILE + TILE + 100000);
    cr_expect_eq(m.padding, 0);
    tear_down(&b);
}

/* Two layers of two activations each, the second of which is handed on.  All kept, db has c, b, d,
 * e and its own; with a and d given up: at the gradient of e, b and e and the d made again. */
Test(footprint, rematerialisation_keeps_what_phases_hand_on)
{
    static const char layers[] = "phase one\n%a f32[8,128] = elementwise(%c)\n"
                                 "%b f32[8,128] = elementwise(%a)\n"
                                 "phase two\n%d f32[8,128] = elementwise(%b)\n"
                                 "%e f32[8,128] = elementwise(%d)\n"
                                 "phase back\n%ge f32[8,128] gradient = elementwise(%e)\n"
                                 "%gd f32[8,128] gradient = elementwise(%ge, %d)\n"
                                 "%gb f32[8,128] gradient = elementwise(%gd, %b)\n"
                                 "%ga f32[8,128] gradient = elementwise(%gb, %a)\n";
    struct bench b;

    set_up(&b, "tensor %c f32[8,128] constant\n", layers);
    struct footprint m = find_peak(&b, false, false, NULL);
    cr_expect_eq(m.total, (1 + 4 + 1) * TILE, "c; a, b, d, e; ge");
    cr_expect_str_eq(step_text(&b.step, b.step.node[m.at].title), "ge");
    /* e is first needed again by ge, and with it all of its phase: b, d, e and ge; a only by ga */
    m = find_peak(&b, false, true, NULL);
    cr_expect_eq(m.total, (1 + 3 + 1) * TILE);
    cr_expect_str_eq(step_text(&b.step, b.step.node[m.at].title), "ge",
                     "b was handed on, so it stayed");
    tear_down(&b);
}

/* The result of an update in place takes no room of its own, and its place lives on. */
Test(footprint, an_update_in_place_takes_no_more)
{
    struct bench b;

    set_up(&b, "tensor %u f32[1,128] constant\n",
           "%a f32[8,128] = rng()\n%b f32[8,128] = dynamic-update-slice(%a, %u)\n"
           "%c f32[8,128] = elementwise(%u)\n%d f32[8,128] = elementwise(%b, %c)\n");
    cr_expect_eq(find_peak(&b, false, false, NULL).total, 512 + 3 * TILE,
                 "a, which is b, and c and d");
    tear_down(&b);
    set_up(&b, "tensor %u f32[1,128] constant\ntensor %k f32[8,128] state\n",
           "%b f32[8,128] = dynamic-update-slice(%k, %u)\n%d f32[8,128] = elementwise(%b)\n");
    cr_expect_eq(find_peak(&b, false, false, NULL).total, 512 + 2 * TILE, "the state, and d");
    tear_down(&b);
}

/* --- shares -------------------------------------------------------------------------------- */

#define REPLICAS 4

static struct footprint shared_peak(const struct bench *b, uint32_t replicas, uint64_t *live)
{
    struct footprint_core of = core;
    struct footprint m;
    uint64_t sum = 0;

    of.replicas = replicas;
    footprint_peak(&m, &b->step, &of, NULL, &(struct footprint_change){ false, false }, live);
    struct footprint_less less = footprint_shares(&b->step, &of);
    footprint_lessen(&m, &less);
    for (int r = 0; r < N_FOOTPRINT_ROLES; r++)
        sum += m.role[r];
    cr_expect_eq(sum, m.total);
    return m;
}

static const char owned[] = "tensor %w f32[8,130] weight\ntensor %s f32[8,130] state\n"
                            "tensor %avg f32[8,130] state\n";

/* f32[8,130] takes 8 sublanes by 2 x 128 lanes; the 260 elements of a replica of four a row of
 * 3 x 128. */
#define WHOLE (256 * 8 * 4)
#define SHARE (3 * 512)

Test(footprint, a_replica_keeps_its_share_of_what_it_updates)
{
    struct bench b;
    uint64_t live[4];

    set_up(&b, owned,
           "%g f32[8,130] gradient = elementwise(%w)\nall-reduce(%g) sharded=1\n"
           "optimizer(%w, %g, %s) sharded=1\noptimizer(%g, %avg)\n");
    struct footprint m = shared_peak(&b, REPLICAS, live);
    cr_expect_eq(m.role[FOOTPRINT_WEIGHTS], WHOLE);
    cr_expect_eq(m.role[FOOTPRINT_OPTIMIZER], SHARE + WHOLE, "an average is each replica's own");
    cr_expect_eq(m.role[FOOTPRINT_GRADIENTS], WHOLE);
    cr_expect_eq(m.total, 3 * WHOLE + SHARE);
    cr_expect_eq(m.persistent, 2 * WHOLE + SHARE);
    cr_expect_eq(m.padding, 3 * (WHOLE - 8 * 130 * 4) + SHARE - 260 * 4);
    /* all of every state is still in these: w, s and avg, and the gradient until it is summed */
    for (int i = 0; i < 4; i++)
        cr_expect_eq(live[i], 3 * WHOLE + (i < 2 ? WHOLE : SHARE), "node %d: %lu", i, live[i]);
    m = shared_peak(&b, 1, live);
    cr_expect_eq(m.total, 4 * WHOLE, "one replica has all");
    tear_down(&b);
}

Test(footprint, sums_that_come_back_later_are_shares_from_then_on)
{
    struct bench b;
    uint64_t live[6];

    set_up(&b, owned,
           "%g f32[8,130] gradient = elementwise(%w)\n%h u32[] = all-reduce-start(%g) sharded=1 "
           "group=2\n"
           "%x f32[8,128] = elementwise(%w)\n%r f32[8,130] gradient = all-reduce-done(%h)\n"
           "optimizer(%w, %r, %s) sharded=1\n%y f32[8,128] = elementwise(%w)\n");
    shared_peak(&b, REPLICAS, live);
    /* g; the handle, a register; x; then r of groups of two, 520 elements: 5 registers; y */
    static const uint64_t more[] = { WHOLE, WHOLE + 512, WHOLE + 512 + TILE, WHOLE + 512 + 2560,
                                     2560,  TILE };
    for (int i = 0; i < 6; i++)
        cr_expect_eq(live[i], 3 * WHOLE + more[i], "node %d: %lu", i, live[i] - 3 * WHOLE);
    tear_down(&b);
}

/* All replicas two apart are half of them: 520 elements each, as above. */
Test(footprint, shares_are_of_the_group_that_sums)
{
    struct bench b;
    uint64_t live[3];

    set_up(&b, owned,
           "%g f32[8,130] gradient = elementwise(%w)\nall-reduce(%g) sharded=1 group-stride=2\n"
           "optimizer(%w, %g) sharded=1\n");
    shared_peak(&b, REPLICAS, live);
    cr_expect_eq(live[2], 3 * WHOLE + 2560, "%lu", live[2] - 3 * WHOLE);
    tear_down(&b);
}

/* The next turn of the loop sums all of it again. */
Test(footprint, what_a_loop_sums_from_outside_stays_whole)
{
    struct bench b;
    uint64_t live[6];

    set_up(&b, owned,
           "%g f32[8,130] gradient = elementwise(%w)\nrepeat 2 {\nall-reduce(%g) sharded=1\n"
           "optimizer(%w, %g, %s) sharded=1\n}\n%y f32[8,128] = elementwise(%w)\n");
    shared_peak(&b, REPLICAS, live);
    cr_expect_eq(live[3], 4 * WHOLE);
    tear_down(&b);
    set_up(&b, owned,
           "repeat 2 {\n%g f32[8,130] gradient = elementwise(%w)\nall-reduce(%g) sharded=1\n"
           "optimizer(%w, %g, %s) sharded=1\n}\n%y f32[8,128] = elementwise(%w)\n");
    shared_peak(&b, REPLICAS, live);
    cr_expect_eq(live[2], 4 * WHOLE);
    cr_expect_eq(live[3], 3 * WHOLE + SHARE);
    tear_down(&b);
}

/* The first step updates the state, the second all of it: no share is enough. */
Test(footprint, state_is_shared_when_no_step_needs_all_of_it)
{
    static const char first[] =
        "optimizer(%w, %s) sharded=1\n}\nstep every=10 {\nrestart(%w, %s)\n";
    static const char second[] = "optimizer(%w, %s) sharded=1\n}\nstep {\noptimizer(%w, %s)\n";
    struct err e;
    struct bench b;

    set_up(&b, owned, first);
    cr_assert_eq(step_read_next(&b.step, b.t, &e), 1, "%s", e.msg);
    cr_expect_eq(shared_peak(&b, REPLICAS, NULL).role[FOOTPRINT_OPTIMIZER], SHARE + WHOLE);
    tear_down(&b);
    set_up(&b, owned, second);
    cr_expect_eq(shared_peak(&b, REPLICAS, NULL).role[FOOTPRINT_OPTIMIZER], SHARE + WHOLE);
    cr_assert_eq(step_read_next(&b.step, b.t, &e), 1, "%s", e.msg);
    cr_expect_eq(shared_peak(&b, REPLICAS, NULL).role[FOOTPRINT_OPTIMIZER], 2 * WHOLE);
    tear_down(&b);
}
