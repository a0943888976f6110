/* Who owns the bytes at the peak of a compiled program, and what XLA counts as its peak. */
#include <criterion/criterion.h>
#include <string.h>

#include "run/result/memory_owner.h"

static const struct footprint_core core = { .tiling = { 128, 8 }, .replicas = 1 };

struct bench {
    struct trace *t;
    struct step step;
    struct footprint m;
    struct run_owners owners;
    char text[2048];
};

#define V "{1,0:T(8,128)}"        /* of f32[8,128]: 4096 bytes */
#define NEAR "{1,0:T(8,128)S(3)}" /* ... in CMEM */

static void set_up(struct bench *b, const char *tensors, const char *body)
{
    struct err err;

    snprintf(b->text, sizeof b->text, "cyclotron-trace 1\n%sstep {\n%s}\n", tensors, body);
    cr_assert_eq(trace_open_memory(&b->t, "t", b->text, strlen(b->text), false, &err), 0, "%s",
                 err.msg);
    step_init(&b->step);
    cr_assert_eq(step_read_tensors(&b->step, b->t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&b->step, b->t, &err), 1, "%s", err.msg);
    footprint_peak(&b->m, &b->step, &core, NULL, &(struct footprint_change){ 0 }, NULL);
    memory_owner_find(&b->owners, &b->m, &b->step, &core, TRACE_NO_STAGE, true);
}

static void tear_down(struct bench *b)
{
    memory_owner_free(&b->owners);
    step_free(&b->step);
    trace_close(b->t);
}

static void expect_rows(const struct run_owner *o, size_t n, const struct run_owner *want,
                        size_t n_want)
{
    cr_assert_eq(n, n_want);
    for (size_t i = 0; i < n; i++) {
        cr_expect_str_eq(o[i].name, want[i].name, "row %zu: %s", i, o[i].name);
        cr_expect_eq(o[i].role, want[i].role, "row %zu", i);
        cr_expect_eq(o[i].bytes, want[i].bytes, "row %zu", i);
        cr_expect_eq(o[i].buffers, want[i].buffers, "row %zu", i);
        cr_expect_str_eq(o[i].largest, want[i].largest, "row %zu: %s", i, o[i].largest);
        cr_expect_eq(o[i].largest_bytes, want[i].largest_bytes, "row %zu", i);
    }
}

#define ARGUMENTS "tensor %x f32[8,128]" V " input\ntensor %w f32[8,128]" V " weight\n"

/* At d all of w 4096, x 4096, a 8192, b 4096, c 8192 and d 512 are alive; c is a copy of a. */
Test(memory_owner, the_peak_belongs_to_lines_and_scopes)
{
    static const struct run_owner sources[] = {
        { "a.py:1", FOOTPRINT_ACTIVATIONS, 16384, 2, "a f32[16,128]", 8192 },
        { "", FOOTPRINT_WEIGHTS, 4096, 1, "w f32[8,128]", 4096 },
        { "", FOOTPRINT_INPUTS, 4096, 1, "x f32[8,128]", 4096 },
        { "a.py:2", FOOTPRINT_GRADIENTS, 4096, 1, "b f32[8,128]", 4096 },
        { "a.py:9", FOOTPRINT_ACTIVATIONS, 512, 1, "d f32[4]", 512 },
    };
    static const struct run_owner scopes[] = {
        { "f/layer", FOOTPRINT_ACTIVATIONS, 20480, 3, "a f32[16,128]", 8192 },
        { "", FOOTPRINT_WEIGHTS, 4096, 1, "w f32[8,128]", 4096 },
        { "", FOOTPRINT_INPUTS, 4096, 1, "x f32[8,128]", 4096 },
        { "f", FOOTPRINT_ACTIVATIONS, 512, 1, "d f32[4]", 512 },
    };
    struct bench b;

    set_up(&b, ARGUMENTS,
           "%z f32[8,128]" V " = kernel(%x) source=\"a.py:7\"\n%a f32[16,128]" V
           " = kernel(%z) scope=\"f/layer/dot\" source=\"a.py:1\"\n%b f32[8,128]" V
           " gradient = kernel(%a, %w) scope=\"f/layer/add\" source=\"a.py:2\"\n%c f32[16,128]" V
           " = kernel(%a) form=copy\n"
           "%d f32[4]{0} = kernel(%a, %b, %c) scope=\"f/sum\" source=\"a.py:9\"\n");
    cr_expect_eq(b.m.total, 29184);
    expect_rows(b.owners.source, b.owners.n_sources, sources, 5);
    expect_rows(b.owners.scope, b.owners.n_scopes, scopes, 4);
    tear_down(&b);
}

/* The place of b, which k has left, is free at the peak, big; then c is in it. */
Test(memory_owner, a_place_belongs_to_what_is_in_it_at_the_peak)
{
    static const struct run_owner free_place[] = {
        { "a.py:3", FOOTPRINT_ACTIVATIONS, 32768, 1, "big f32[64,128]", 32768 },
        { "", FOOTPRINT_WEIGHTS, 4096, 1, "w f32[8,128]", 4096 },
        { "", FOOTPRINT_INPUTS, 4096, 1, "x f32[8,128]", 4096 },
        { "a.py:2", FOOTPRINT_ACTIVATIONS, 4096, 1, "k f32[8,128]", 4096 },
    };
    static const struct run_owner second[] = {
        { "a.py:2", FOOTPRINT_ACTIVATIONS, 4096, 1, "c f32[8,128]", 4096 },
        { "a.py:3", FOOTPRINT_ACTIVATIONS, 4096, 1, "d f32[8,128]", 4096 },
    };
    struct bench b;

    set_up(&b, ARGUMENTS,
           "%b f32[8,128]" V " = kernel(%x) source=\"a.py:1\"\n%k f32[8,128]" V
           " = kernel(%b) source=\"a.py:2\"\n%big f32[64,128]" V
           " = kernel(%k) source=\"a.py:3\"\n%c f32[8,128]" V
           " at %b = kernel(%big) source=\"a.py:4\"\n");
    cr_expect_eq(b.m.total, 4096 + 4096 + 4096 + 32768);
    expect_rows(b.owners.source, b.owners.n_sources, free_place, 4);
    tear_down(&b);

    set_up(&b, "",
           "%b f32[8,128]" V " = kernel() source=\"a.py:1\"\n%c f32[8,128]" V
           " at %b = kernel(%b) source=\"a.py:2\"\n%d f32[8,128]" V
           " = kernel(%c) source=\"a.py:3\"\n");
    cr_expect_eq(b.m.total, 8192);
    expect_rows(b.owners.source, b.owners.n_sources, second, 2);
    tear_down(&b);
}

/* x 4096 and y, which is returned, 4096; t lies where y will be; in CMEM 12288. */
Test(memory_owner, xla_counts_the_largest_of_its_memories)
{
    struct bench b;

    set_up(&b, "tensor %x f32[8,128]" V " input\n",
           "%t f32[8,128]" V " = kernel(%x)\n%n f32[24,128]" NEAR " = kernel(%t)\n%y f32[8,128]" V
           " = kernel(%n)\nreturn(%y)\n");
    cr_expect_eq(b.m.total, 2 * 4096, "what HBM holds");
    cr_expect_eq(b.m.returned, 4096);
    cr_expect_eq(footprint_by_xla(&b.m, false), 2 * 4096 + 12288);
    tear_down(&b);
    set_up(&b, "tensor %x f32[8,128]" V " input\n",
           "%t f32[40,128]" V " = kernel(%x)\n%n f32[24,128]" NEAR " = kernel(%t)\n%y f32[8,128]" V
           " = kernel(%n)\nreturn(%y)\n");
    cr_expect_eq(footprint_by_xla(&b.m, false), 2 * 4096 + 20480, "HBM has more of them than CMEM");
    tear_down(&b);
}
