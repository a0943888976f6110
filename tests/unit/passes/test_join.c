/* Arrays side by side that products put together where they read them. */
#include "tests/unit/trace/trace_helper.h"

#include "base/memory.h"
#include "passes/join.h"

/* Two activations, what `body` does with them, and their arrays %c = [1024,256]. */
static char *join_text(const char *body, bool round)
{
    char *all = memory_format("cyclotron-trace 1\nsamples step=1\n"
                              "dtype tensors=f32 matmul=bf16 activations=products\n"
                              "tensor %%w f32[256,128] weight\ntensor %%v f32[128,256] weight\n"
                              "step {\n"
                              "  %%x f32[1024,128] = infeed()\n"
                              "  %%a f32[1024,128] = elementwise(%%x)\n"
                              "  %%b f32[1024,128] = elementwise(%%a)\n"
                              "%s}\n",
                              body);
    struct trace *t = open_text(all, false);
    struct step step;
    struct err err;
    char *text;
    size_t size;

    step_init(&step);
    cr_assert_eq(step_read_tensors(&step, t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    join_step(&step, (struct tiling){ 128, 8 }, round);
    cr_expect_eq(step_verify(&step, "join", &err), 0, "%s", err.msg);
    FILE *out = open_memstream(&text, &size);
    step_print(&step, out);
    fclose(out);
    /* who reads the trace finds its values again */
    cr_expect_eq(step_read_next(&step, t, &err), 0, "%s", err.msg);
    step_free(&step);
    trace_close(t);
    free(all);
    return text;
}

static void expect_text(const char *body, const char *has, const char *lacks)
{
    char *text = join_text(body, false);

    cr_expect_not_null(strstr(text, has), "%s\nin\n%s", has, text);
    cr_expect_null(strstr(text, lacks), "%s\nin\n%s", lacks, text);
    free(text);
}

/* `n` parts of 128 columns, which one product reads. */
static void expect_parts(unsigned n, bool apart)
{
    struct memory_text t;

    memory_text_begin(&t);
    fprintf(t.out, "  %%c f32[1024,%u] = copy(%%a", 128 * n);
    for (unsigned i = 1; i < n; i++)
        fputs(", %b", t.out);
    fprintf(t.out, ")\n  %%d f32[%u,128] gradient = matmul(%%c, %%x) ta=1\n", 128 * n);
    char *body = memory_text_end(&t);
    if (apart)
        expect_text(body, "fusion %d", "  %c ");
    else
        expect_text(body, "  %c f32[1024,8320] = copy(", "fusion %d");
    free(body);
}

/* Each product repeats the parts that it reads. */
Test(join, an_array_of_more_than_64_parts_stays_one)
{
    expect_parts(64, true);
    expect_parts(65, false);
}

/* An array of an array is put together from all parts: 40 and 40 are too many. */
Test(join, parts_of_arrays_in_arrays_count)
{
    struct memory_text t;

    memory_text_begin(&t);
    for (char name = 'c'; name <= 'd'; name++) {
        fprintf(t.out, "  %%%c f32[1024,5120] = copy(%%a", name);
        for (unsigned i = 1; i < 40; i++)
            fputs(", %b", t.out);
        fputs(")\n", t.out);
    }
    fputs("  %e f32[1024,10240] = copy(%c, %d)\n"
          "  %y f32[10240,128] gradient = matmul(%e, %x) ta=1\n",
          t.out);
    char *body = memory_text_end(&t);
    expect_text(body, "  %e f32[1024,10240] = copy(%c, %d)", "fusion %y");
    free(body);
}

Test(join, each_product_puts_together_what_it_reads)
{
    static const char body[] = "  %c f32[1024,256] = copy(%a, %b)\n"
                               "  %y f32[1024,128] = matmul(%c, %w)\n"
                               "  phase bwd\n"
                               "  %d f32[256,128] gradient = matmul(%c, %y) ta=1\n";

    expect_text(body,
                "  fusion %y {\n    %c.at.4 f32[1024,256] = copy(%a, %b) name=\"c\"\n"
                "    %y f32[1024,128] = matmul(%c.at.4, %w)\n  }\n  phase bwd\n  fusion %d {\n",
                "  %c ");
    expect_text(body, "%d f32[256,128] gradient = matmul(%c.at.5, %y) ta=1\n", "  %c ");
}

Test(join, a_kernel_that_has_it_has_it_for_itself)
{
    expect_text("  fusion %c, %y {\n"
                "    %c f32[1024,256] = copy(%a, %b)\n"
                "    %y f32[1024,128] = matmul(%c, %w)\n"
                "  }\n"
                "  %d f32[256,128] gradient = matmul(%c, %y) ta=1\n",
                "  fusion %y {\n    %c f32[1024,256] = copy(%a, %b)", "fusion %c");
}

Test(join, arrays_of_arrays_are_one)
{
    expect_text("  %c f32[1024,256] = copy(%a, %b)\n"
                "  %e f32[1024,384] = copy(%c, %x)\n"
                "  %d f32[384,128] gradient = matmul(%e, %b) ta=1\n",
                "    %e.at.5 f32[1024,384] = copy(%a, %b, %x) name=\"e\"\n", "%c");
}

/* Columns of two parts share a tile; somebody else reads it, or reads it turn by turn. */
Test(join, others_stay)
{
    static const char *const body[] = {
        "  %m f32[1024,64] = copy(%a)\n  %c f32[1024,192] = copy(%m, %b)\n"
        "  %d f32[192,128] gradient = matmul(%c, %b) ta=1\n",
        "  %c f32[1024,256] = copy(%a, %b)\n  %y f32[1024,128] = matmul(%c, %w)\n"
        "  %z f32[1024,256] = elementwise(%c)\n",
        "  %c f32[1024,256] = copy(%a, %b)\n  repeat 2 {\n"
        "    %y f32[1024,128] = matmul(%c, %w)\n  }\n",
    };

    for (size_t i = 0; i < sizeof body / sizeof *body; i++)
        expect_text(body[i], "\n  %c ", ".at.");
}

/* 64 + 64 columns are in one tile. */
Test(join, parts_of_one_tile_share_no_border)
{
    expect_text("  %m f32[1024,64] = copy(%a)\n  %n f32[1024,64] = copy(%b)\n"
                "  %c f32[1024,128] = copy(%m, %n)\n"
                "  %d f32[128,128] gradient = matmul(%c, %b) ta=1\n",
                "%c.at.6 f32[1024,128] = copy(%m, %n)", "\n  %c ");
}

/* %a is read by %b in 32 bits, and by the product: its kernel keeps it for both. */
Test(join, a_part_that_others_read_is_kept_rounded_besides)
{
    char *text = join_text("  %c f32[1024,256] = copy(%a, %b)\n"
                           "  %d f32[256,128] gradient = matmul(%c, %b) ta=1\n",
                           true);

    cr_expect_not_null(strstr(text, "  fusion %a, %a.rounded {\n"
                                    "    %a f32[1024,128] = elementwise(%x)\n"
                                    "    %a.rounded f32[1024,128] = copy(%a) name=\"a\"\n  }\n"
                                    "  %b f32[1024,128] = elementwise(%a)\n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "%c.at.4 f32[1024,256] = copy(%a.rounded, %b)"), "%s", text);
    free(text);
}
