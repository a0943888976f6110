/* Turns of loops, counted from their conditions. */
#include "tests/unit/import/import_helper.h"

/* A loop that counts from `first` by `step`, as long as `condition` holds of %i and the constant %n
 * `limit`; `repeat N {`, or NULL: not known. */
static void expect_trips(const char *first, const char *limit, const char *condition,
                         const char *step, const char *repeat)
{
    struct import_totals t;
    char *hlo = memory_format("HloModule m, is_scheduled=true\n"
                              "%%cond (p: (s32[], f32[8])) -> pred[] {\n"
                              "  %%p = (s32[], f32[8]{0}) parameter(0)\n"
                              "  %%i = s32[] get-tuple-element(%%p), index=0\n"
                              "  %%n = s32[] constant(%s)\n"
                              "  ROOT %%c = pred[] compare(%s\n"
                              "}\n"
                              "%%body (p: (s32[], f32[8])) -> (s32[], f32[8]) {\n"
                              "  %%p = (s32[], f32[8]{0}) parameter(0)\n"
                              "  %%i = s32[] get-tuple-element(%%p), index=0\n"
                              "  %%x = f32[8]{0} get-tuple-element(%%p), index=1\n"
                              "  %%y = f32[8]{0} negate(%%x)\n"
                              "  %%three = s32[] constant(3)\n"
                              "  %%true = pred[] constant(true)\n"
                              "  %%false = pred[] constant(false)\n"
                              "  %%one = s32[] convert(%%true)\n"
                              "  %%none = s32[] convert(%%false)\n"
                              "  %%two = s32[] constant(2)\n"
                              "  %%six = s32[] multiply(%%three, %%two)\n"
                              "  %%j = s32[] %s\n"
                              "  ROOT %%t = (s32[], f32[8]{0}) tuple(%%j, %%y)\n"
                              "}\n"
                              "ENTRY %%e (x: f32[8]) -> (s32[], f32[8]) {\n"
                              "  %%x = f32[8]{0} parameter(0)\n"
                              "  %%z = s32[] constant(%s)\n"
                              "  %%in = (s32[], f32[8]{0}) tuple(%%z, %%x)\n"
                              "  ROOT %%w = (s32[], f32[8]{0}) while(%%in), condition=%%cond, "
                              "body=%%body\n"
                              "}\n",
                              limit, condition, step, first);
    char *s = import_text(hlo, NULL, &t);

    cr_expect_eq(t.guessed_loops, repeat == NULL, "%s %s %s %s", first, limit, condition, step);
    if (repeat && *repeat)
        cr_expect(strstr(s, repeat), "%s %s %s %s: %s", first, limit, condition, step, s);
    else if (repeat)
        cr_expect_null(strstr(s, "repeat"));
    free(s);
    free(hlo);
}

Test(import_loop, trips_of_a_loop_follow_from_its_condition)
{
#define UP "add(%i, %three)"
#define DOWN "subtract(%i, %three)"
    expect_trips("0", "9", "%i, %n), direction=LT", UP, "repeat 3 {");  /* 0 3 6 */
    expect_trips("0", "10", "%i, %n), direction=LT", UP, "repeat 4 {"); /* ... 9 */
    expect_trips("0", "9", "%i, %n), direction=LE", UP, "repeat 4 {");
    expect_trips("0", "8", "%i, %n), direction=LE", UP, "repeat 3 {");
    expect_trips("10", "0", "%i, %n), direction=GT", DOWN, "repeat 4 {"); /* 10 7 4 1 */
    expect_trips("9", "0", "%i, %n), direction=GT", DOWN, "repeat 3 {");
    expect_trips("9", "0", "%i, %n), direction=GE", DOWN, "repeat 4 {");
    expect_trips("0", "9", "%i, %n), direction=NE", UP, "repeat 3 {");
    expect_trips("9", "0", "%i, %n), direction=NE", DOWN, "repeat 3 {");
    expect_trips("0", "10", "%i, %n), direction=NE", UP, NULL);   /* steps over it */
    expect_trips("9", "12", "%i, %n), direction=NE", DOWN, NULL); /* away from it */
    expect_trips("9", "9", "%i, %n), direction=LT", UP, "");
    expect_trips("0", "9", "%i, %n), direction=GT", UP, "");
    expect_trips("9", "9", "%i, %n), direction=NE", DOWN, "");
    expect_trips("9", "9", "%i, %n), direction=GE", UP, NULL); /* for ever */
    expect_trips("0", "9", "%i, %n), direction=EQ", UP, NULL);
    /* once, not at all, or never at an end */
    expect_trips("9", "12", "%i, %n), direction=NE", "add(%i, %one)", "repeat 3 {");
    expect_trips("11", "12", "%i, %n), direction=NE", "add(%i, %one)", "repeat 1 {");
    expect_trips("12", "11", "%i, %n), direction=NE", "subtract(%i, %one)", "repeat 1 {");
    expect_trips("11", "12", "%i, %n), direction=LT", UP, "repeat 1 {");
    expect_trips("12", "12", "%i, %n), direction=LE", UP, "repeat 1 {");
    expect_trips("13", "12", "%i, %n), direction=LE", UP, "");
    expect_trips("12", "12", "%i, %n), direction=GE", DOWN, "repeat 1 {");
    expect_trips("12", "12", "%i, %n), direction=GT", DOWN, "");
    expect_trips("9", "12", "%i, %n), direction=LT", DOWN, NULL);
    /* the limit first */
    expect_trips("0", "10", "%n, %i), direction=GT", UP, "repeat 4 {");
    expect_trips("0", "9", "%n, %i), direction=GE", UP, "repeat 4 {");
    expect_trips("9", "0", "%n, %i), direction=LE", DOWN, "repeat 4 {");
}

Test(import_loop, steps_of_a_loop_are_found_through_what_makes_them)
{
    expect_trips("0", "12", "%i, %n), direction=LT", "add(%six, %i)", "repeat 2 {");
    expect_trips("0", "12", "%i, %n), direction=LT", "add(%i, %one)", "repeat 12 {");
    expect_trips("0", "12", "%i, %n), direction=LT", "add(%i, %none)", NULL);
    expect_trips("0", "12", "%i, %n), direction=LT", "subtract(%three, %i)", NULL);
    expect_trips("0", "12", "%i, %n), direction=LT", "multiply(%i, %three)", NULL);
    expect_trips("-3", "9", "%i, %n), direction=LT", UP, "repeat 4 {");
}
