/* Factors of matrices and systems of equations, block by block. */
#include "tests/unit/import/import_helper.h"

#define PROGRAM(operation)                                                                         \
    "HloModule m\n"                                                                                \
    "ENTRY %e {\n"                                                                                 \
    "  %a = f32[512,512] parameter(0)\n"                                                           \
    "  %b = f32[512,256] parameter(1)\n"                                                           \
    "  %c = f32[100,512] parameter(2)\n"                                                           \
    "  ROOT %y = " operation "\n"                                                                  \
    "}\n"

static void expect_kernel(const char *hlo, const char *product, const char *flops)
{
    char *s = import_text(hlo, NULL, NULL);

    EXPECT_PART(s, "%y", product);
    EXPECT_PART(s, "%y", flops);
    free(s);
}

/* Four blocks of 128 rows; (0 + 1 + 2 + 3) / 4 blocks before each on average and its own inverse,
 * 320 rows; 512 * 512 * 256.  6 * 4 + 4 kernels. */
Test(import_algebra, triangular_solve)
{
    const char *hlo = PROGRAM("f32[512,256] triangular-solve(%a, %b), left_side=true, lower=true");

    expect_kernel(hlo, " precision=highest form=product product=4x128x320x256 ",
                  " launches=28 flops=67108864\n");
    expect_kernel(hlo, " vector=add:2796200 ", " loads="); /* four cubes of 128 / 3 */
}

/* 100 right-hand sides, as rows. */
Test(import_algebra, triangular_solve_from_the_right)
{
    expect_kernel(PROGRAM("f32[100,512] triangular-solve(%a, %c), left_side=false, lower=true"),
                  " product=4x128x320x100 ", " flops=26214400\n");
}

/* Blocks of 128 columns, (3 + 2 + 1 + 0) / 4 blocks below each, 192 rows; 4 * 3 / 2 * (4 + 4) / 3
 * = 16 cubes of 128 in all, 4 * 1.5 * 341.33 / 128; 512^3 / 3.  7 * 4 - 2 kernels. */
Test(import_algebra, cholesky)
{
    const char *hlo = PROGRAM("f32[512,512] cholesky(%a), lower=true");

    expect_kernel(hlo, " product=4x192x342x128 ", " launches=26 flops=44739242\n");
    expect_kernel(hlo, " vector=add:4893350 ", " loads="); /* four factored, three inverted */
}

/* A compiled solve of 64 rows has three kernels: one clears the other triangle, one inverts it, one
 * multiplies. */
Test(import_algebra, a_block_is_solved_at_once)
{
    expect_kernel(
        "HloModule m\nENTRY %e {\n  %a = f32[64,64] parameter(0)\n"
        "  %b = f32[64,256] parameter(1)\n"
        "  ROOT %y = f32[64,256] triangular-solve(%a, %b), left_side=true, lower=true\n}\n",
        " product=1x64x64x256 ", " launches=3 ");
}

/* Factored, two that look for what is no number, the result chosen: no product. */
Test(import_algebra, a_block_is_factored_at_once)
{
    expect_kernel("HloModule m\nENTRY %e {\n  %a = f32[64,64] parameter(0)\n"
                  "  ROOT %y = f32[64,64] cholesky(%a), lower=true\n}\n",
                  " form=vector ", " launches=4 ");
}

/* A number and a tuple have no rows: they are read, and have no work. */
Test(import_algebra, a_factor_of_what_is_no_matrix)
{
    expect_kernel("HloModule m\nENTRY %e {\n  %a = f32[] parameter(0)\n"
                  "  ROOT %y = f32[] cholesky(%a), lower=true\n}\n",
                  " kernel(", "");
    expect_kernel("HloModule m\nENTRY %e {\n  %a = f32[8] parameter(0)\n"
                  "  %t = (f32[8], f32[8]) tuple(%a, %a)\n"
                  "  ROOT %y = f32[8] cholesky(%t), lower=true\n}\n",
                  " kernel(", "");
}

Test(import_algebra, triangular_solve_of_a_library_of_gpus)
{
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "ENTRY %e {\n"
                          "  %a = f32[512,512]{0,1} parameter(0)\n"
                          "  %b = f32[512,256]{0,1} parameter(1)\n"
                          "  %t = (f32[512,256]{0,1}, s8[16]{0}) custom-call(%a, %b), "
                          "custom_call_target=\"__cublas$triangularSolve\"\n"
                          "  ROOT %y = f32[512,256]{0,1} get-tuple-element(%t), index=0\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%t:0", " precision=highest form=product product=4x128x256x256 ");
    EXPECT_NO_PART(s, "%t:0", "vector=");
    EXPECT_NO_PART(s, "%t:0", "launches=");
    free(s);
}

/* The machine's compiler takes them in its own way, which a sort that was compiled does not. */
Test(import_algebra, the_largest_of_rows_are_no_sort)
{
    expect_kernel("HloModule m\nENTRY %e {\n  %a = f32[32,6400] parameter(0)\n"
                  "  ROOT %y = (f32[32,100], s32[32,100]) topk(%a), k=100, largest=true\n}\n",
                  " rows=32 cols=6400 form=top-k ", " fetch=819200 ");
}
