/* Dtypes in which activations are kept, and the bytes of a step, worked out by hand. */
#include "tests/unit/trace/trace_helper.h"

#include "base/memory.h"
#include "passes/footprint.h"
#include "passes/narrow.h"

/* One layer, its operand of two copies side by side, and its backward pass: the mask reads %a, the
 * sum %db reads %d in the kernel that makes it. */
#define LAYER                                                                                      \
    "tensor %w f32[128,128] weight\ntensor %v f32[256,128] weight\n"                               \
    "step {\n"                                                                                     \
    "  %x f32[1024,128] = infeed()\n"                                                              \
    "  fusion %a {\n"                                                                              \
    "    %z f32[1024,128] = matmul(%x, %w)\n"                                                      \
    "    %a f32[1024,128] = elementwise(%z)\n"                                                     \
    "  }\n"                                                                                        \
    "  %c f32[1024,256] = copy(%a, %a)\n"                                                          \
    "  %y f32[1024,128] = matmul(%c, %v)\n"                                                        \
    "  %dv f32[256,128] gradient = matmul(%c, %y) ta=1\n"                                          \
    "  fusion %d, %db {\n"                                                                         \
    "    %dc f32[1024,256] gradient = matmul(%y, %v) tb=1\n"                                       \
    "    %d f32[1024,128] gradient = elementwise(%dc, %a) reads=524288\n"                          \
    "    %db f32[128] gradient = reduce(%d) dims=0\n"                                              \
    "  }\n"                                                                                        \
    "  %dw f32[128,128] gradient = matmul(%x, %d) ta=1\n"                                          \
    "  all-reduce(%dv, %db, %dw)\n"                                                                \
    "  optimizer(%v, %dv)\n  optimizer(%w, %dw)\n"                                                 \
    "}\n"

/* The step of `text` with activations kept as `word` says. */
static void narrow_text(struct step *step, const char *word, const char *text)
{
    char *all = memory_format("cyclotron-trace 1\nsamples step=1\n"
                              "dtype tensors=f32 matmul=bf16 activations=%s\n%s",
                              word, text);
    struct trace *t = open_text(all, false);
    struct err err;

    step_init(step);
    cr_assert_eq(step_read_tensors(step, t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(step, t, &err), 1, "%s", err.msg);
    if (step->head.activations != TRACE_ACTIVATIONS_KEEP)
        narrow_step(step, step->head.matmul);
    trace_close(t);
    free(all);
}

/* `rounded` names the values that are kept in bf16, each with a space behind it. */
static void expect_rounded(const struct step *step, const char *rounded)
{
    for (uint32_t v = 0; v < step->n_values; v++) {
        char name[32];
        snprintf(name, sizeof name, "%s ", step_name(step, v));
        const char *at = strstr(rounded, name);
        bool named = at && (at == rounded || at[-1] == ' ');
        cr_expect_eq(step->value[v].stored == TRACE_BF16, named, "%s", name);
    }
}

/* The most is there at %dv: weights of 65,536 and 131,072 B and %dv of 131,072 are 327,680; in f32
 * %x, %a and %y have 524,288 each and %c has twice as many. */
static void expect_peak(const char *word, const char *rounded, uint64_t peak)
{
    static const struct footprint_core core = { .tiling = { 128, 8 } };
    struct footprint m;
    struct step step;

    narrow_text(&step, word, LAYER);
    expect_rounded(&step, rounded);
    footprint_peak(&m, &step, &core, NULL, &(struct footprint_change){ 0 }, NULL);
    cr_expect_eq(m.total - m.padding, peak, "%s: %lu", word, m.total - m.padding);
    step_free(&step);
}

Test(narrow, activations_that_masks_read_stay_in_f32_where_products_alone_are_rounded)
{
    expect_peak("keep", "", 327680 + 5 * 524288);
    expect_peak("narrow", "x a c y d ", 327680 + 5 * 262144);
    expect_peak("products", "x c y d ", 327680 + 5 * 262144 + 262144);
}

Test(narrow, a_copy_hands_on_what_its_readers_ask_for)
{
    struct step step;

    /* the sum reads %x through a copy within one kernel */
    narrow_text(&step, "products",
                "tensor %w f32[128,128] weight\n"
                "step {\n"
                "  %x f32[1024,128], %u f32[1024,128] = infeed()\n"
                "  fusion %y, %r {\n"
                "    %c f32[1024,128] = copy(%x)\n"
                "    %y f32[1024,128] = matmul(%c, %w)\n"
                "    %r f32[128] = reduce(%c) dims=0\n"
                "  }\n"
                "  %b f32[1024,128] = copy(%u)\n"
                "  %t f32[1024,128] = matmul(%b, %w)\n"
                "  outfeed(%r)\n"
                "}\n");
    expect_rounded(&step, "c u b ");
    step_free(&step);
}
