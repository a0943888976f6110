/* Numbers of two halves, and elements of tuples: names of what is somewhere else. */
#include "tests/unit/import/import_helper.h"

/* 1,024 numbers of two f32: halves of an argument are copied out of it, and a result is put
 * together of its halves; what is made of halves between them is a name. */
Test(import_halves, halves_of_arguments_and_of_results_cross_hbm)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true\nENTRY %e {\n"
        "  %x = c64[8,128]{1,0:T(8,128)} parameter(0)\n"
        "  %a = f32[8,128]{1,0:T(8,128)S(1)} custom-call(%x), custom_call_target=\"X64SplitLow\"\n"
        "  %b = f32[8,128]{1,0:T(8,128)} custom-call(%x), custom_call_target=\"X64SplitHigh\"\n"
        "  %c = f32[8,128]{1,0:T(8,128)S(1)} add(%a, %b)\n"
        "  %d = c64[8,128]{1,0:T(8,128)} custom-call(%c, %a), custom_call_target=\"X64Combine\"\n"
        "  %f = f32[8,128]{1,0:T(8,128)S(1)} custom-call(%d), custom_call_target=\"X64SplitLow\"\n"
        "  %g = f32[8,128]{1,0:T(8,128)S(1)} negate(%f)\n"
        "  ROOT %h = c64[8,128]{1,0:T(8,128)} custom-call(%g, %c), "
        "custom_call_target=\"X64Combine\"\n}\n",
        NULL, NULL);

    EXPECT_PART(s, "%a ", " = kernel(%x) form=copy fetch=4096 store=0 ");
    EXPECT_PART(s, "%b ", " = kernel(%x) form=copy fetch=4096 store=4096 ");
    EXPECT_PART(s, "%c ", " = kernel(%a, %b) form=vector fetch=0+4096 store=0 ");
    EXPECT_PART(s, "%g ", " = kernel(%c) form=vector fetch=0 store=0 ");
    EXPECT_PART(s, "%h ", " = kernel(%g, %c) form=copy fetch=0+0 store=8192 ");
    cr_expect_null(strstr(s, "%d "));
    cr_expect_null(strstr(s, "%f "));
    free(s);
}

/* The 42nd instruction: one bit of a second word says that it is a copy. */
Test(import_halves, a_result_is_put_together_behind_many_operations)
{
    struct memory_text hlo;

    memory_text_begin(&hlo);
    fputs("HloModule m, is_scheduled=true\nENTRY %e {\n"
          "  %n0 = f32[8,128]{1,0:T(8,128)S(1)} parameter(0)\n",
          hlo.out);
    for (int i = 0; i < 40; i++)
        fprintf(hlo.out, "  %%n%d = f32[8,128]{1,0:T(8,128)S(1)} negate(%%n%d)\n", i + 1, i);
    fputs("  ROOT %h = c64[8,128]{1,0:T(8,128)} custom-call(%n40, %n39), "
          "custom_call_target=\"X64Combine\"\n}\n",
          hlo.out);
    char *text = memory_text_end(&hlo), *s = import_text(text, NULL, NULL);

    EXPECT_PART(s, "%h ", " = kernel(%n40, %n39) form=copy fetch=0+0 store=8192 ");
    free(s);
    free(text);
}

/* The second of the first two. */
Test(import_halves, elements_of_tuples_in_tuples_are_found)
{
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "ENTRY %e (x: f32[8], y: f32[16], z: f32[32]) -> f32[16] {\n"
                          "  %x = f32[8] parameter(0)\n"
                          "  %y = f32[16] parameter(1)\n"
                          "  %z = f32[32] parameter(2)\n"
                          "  %in = (f32[8], f32[16]) tuple(%x, %y)\n"
                          "  %out = ((f32[8], f32[16]), f32[32]) tuple(%in, %z)\n"
                          "  %first = (f32[8], f32[16]) get-tuple-element(%out), index=0\n"
                          "  %second = f32[16] get-tuple-element(%first), index=1\n"
                          "  ROOT %r = f32[16] negate(%second)\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%r f32[16] = kernel(%y) ", " fetch=64 ");
    free(s);
}
