/* Factors of matrices and systems of equations, block by block. */
#include "tests/unit/import_helper.h"

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

/* Four blocks of 128 rows, 256 on average before each; 512 * 512 * 256. */
Test(import_algebra, triangular_solve)
{
    expect_kernel(PROGRAM("f32[512,256] triangular-solve(%a, %b), left_side=true, lower=true"),
                  " precision=highest form=product product=4x128x256x256 ", " flops=67108864\n");
}

/* 100 right-hand sides, as rows. */
Test(import_algebra, triangular_solve_from_the_right)
{
    expect_kernel(PROGRAM("f32[100,512] triangular-solve(%a, %c), left_side=false, lower=true"),
                  " product=4x128x256x100 ", " flops=26214400\n");
}

/* Blocks of 128 columns, of 171 rows on average; 512^3 / 3. */
Test(import_algebra, cholesky)
{
    expect_kernel(PROGRAM("f32[512,512] cholesky(%a), lower=true"), " product=4x171x256x128 ",
                  " flops=44739242\n");
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
    free(s);
}
