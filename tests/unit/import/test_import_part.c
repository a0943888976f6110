/* Kernels that need a part of an array, or write one: what they move of it. */
#include "tests/unit/import/import_helper.h"

#define HEAD "HloModule m, is_scheduled=true\n"
/* 32 layers of 16 x 256 in f32: 16 KiB each, 512 KiB in all */
#define STACK "f32[32,16,256]{2,1,0:T(8,128)}"
#define LAYER "f32[1,16,256]{2,1,0:T(8,128)}"
#define INDEX "s32[]{:T(128)S(6)}"
#define UPDATE(to, what) " = " STACK " dynamic-update-slice(%" to ", %" what ", %k, %z, %z)\n"
#define SLICE(from)                                                                                \
    " = " LAYER " dynamic-slice(%" from ", %k, %z, %z), "                                          \
    "dynamic_slice_sizes={1,16,256}\n"
#define ZERO "  %z = s32[] constant(0)\n"

/* A fusion that adds 1 to a layer and puts it into its own parameter; nothing states an alias. */
#define PUT                                                                                        \
    "%put (s: f32[32,16,256], u: f32[1,16,256], k: s32[]) -> f32[32,16,256] {\n"                   \
    "  %s = " STACK " parameter(0)\n"                                                              \
    "  %u = " LAYER " parameter(1)\n"                                                              \
    "  %k = " INDEX " parameter(2)\n" ZERO "  %v = " LAYER " negate(%u)\n"                         \
    "  ROOT %d" UPDATE("s", "v") "}\n"
#define ENTRY                                                                                      \
    "ENTRY %e (x: f32[32,16,256], y: f32[1,16,256], k: s32[]) -> f32[32,16,256] {\n"               \
    "  %x = " STACK " parameter(0)\n"                                                              \
    "  %y = " LAYER " parameter(1)\n"                                                              \
    "  %k = " INDEX " parameter(2)\n"

Test(import_part, an_update_is_in_place_where_no_alias_is_stated)
{
    char *s = import_text(HEAD PUT ENTRY "  ROOT %r = " STACK
                                         " fusion(%x, %y, %k), kind=kLoop, calls=%put\n}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%r ", " at %x = kernel(");
    EXPECT_PART(s, "%r ", " fetch=0+16384+0 store=16384 ");
    free(s);
}

/* Behind it may stand what moves no element, but nothing that computes with them: that writes all.
 */
Test(import_part, an_update_that_is_computed_with_writes_the_whole_array)
{
    static const char *const last[] = { "bitcast(%d)", "negate(%d)" };

    for (int k = 0; k < 2; k++) {
        char *hlo = memory_format(
            "%s%s%s",
            HEAD "%put (s: f32[32,16,256], u: f32[1,16,256], k: s32[]) -> "
                 "f32[32,16,256] {\n"
                 "  %s = " STACK " parameter(0)\n"
                 "  %u = " LAYER " parameter(1)\n"
                 "  %k = " INDEX " parameter(2)\n" ZERO "  %v = " LAYER
                 " negate(%u)\n  %d" UPDATE("s", "v") "  ROOT %l = " STACK " ",
            last[k],
            "\n}\n" ENTRY "  ROOT %r = " STACK " fusion(%x, %y, %k), kind=kLoop, calls=%put\n}\n");
        char *s = import_text(hlo, NULL, NULL);
        EXPECT_PART(s, "%r ", k == 0 ? " store=16384 " : " store=524288 ");
        free(s);
        free(hlo);
    }
}

Test(import_part, a_lone_update_writes_its_part)
{
    char *s = import_text(HEAD ENTRY ZERO "  ROOT %r" UPDATE("x", "y") "}\n", NULL, NULL);

    EXPECT_PART(s, "%r ", " at %x = kernel(");
    EXPECT_PART(s, "%r ", " fetch=0+16384+0 store=16384 ");
    free(s);
}

/* 31 layers are copied and one is new. */
Test(import_part, an_update_of_what_is_read_later_makes_an_array_of_its_own)
{
    char *s =
        import_text(HEAD PUT ENTRY "  %r = " STACK " fusion(%x, %y, %k), kind=kLoop, calls=%put\n"
                                   "  ROOT %t = " STACK " add(%x, %r)\n}\n",
                    NULL, NULL);

    EXPECT_NO_PART(s, "%r ", " at %x");
    EXPECT_PART(s, "%r ", " fetch=507904+16384+0 store=524288 ");
    free(s);
}

Test(import_part, the_old_contents_in_a_tuple_behind_the_update_are_read_later)
{
    char *s = import_text(HEAD PUT "ENTRY %e (x: f32[32,16,256], y: f32[1,16,256], k: s32[]) -> "
                                   "(f32[32,16,256], f32[32,16,256]) {\n"
                                   "  %x = " STACK " parameter(0)\n"
                                   "  %y = " LAYER " parameter(1)\n"
                                   "  %k = " INDEX " parameter(2)\n"
                                   "  %n = " STACK " negate(%x)\n"
                                   "  %b = f32[32,4096]{1,0:T(8,128)} bitcast(%n)\n"
                                   "  %r = " STACK " fusion(%n, %y, %k), kind=kLoop, calls=%put\n"
                                   "  ROOT %t = (f32[32,4096]{1,0:T(8,128)}, " STACK
                                   ") tuple(%b, %r)\n}\n",
                          NULL, NULL);

    EXPECT_NO_PART(s, "%r ", " at %n");
    EXPECT_PART(s, "%r ", " fetch=507904+16384+0 store=524288 ");
    free(s);
}

Test(import_part, before_copies_are_made_an_argument_that_is_kept_is_not_overwritten)
{
    char *s = import_text("HloModule m\n" ENTRY ZERO "  %a = " STACK " negate(%x)\n"
                          "  %b" UPDATE("a", "y") "  %c" UPDATE("x", "y") "  ROOT %r = " STACK
                                                                          " add(%b, %c)\n}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%b ", " at %a = kernel(");
    EXPECT_PART(s, "%b ", " fetch=0+16384+0 store=16384 ");
    EXPECT_NO_PART(s, "%c ", " at %x");
    EXPECT_PART(s, "%c ", " fetch=507904+16384+0 store=524288 ");
    free(s);
}

#define STATE "(s32[], " STACK ", " LAYER ")"

Test(import_part, a_loop_updates_its_state_in_place)
{
    char *s =
        import_text(HEAD PUT "%cond (p: (s32[], f32[32,16,256], f32[1,16,256])) -> pred[] {\n"
                             "  %p = " STATE " parameter(0)\n"
                             "  %i = s32[] get-tuple-element(%p), index=0\n"
                             "  %n = s32[] constant(32)\n"
                             "  ROOT %lt = pred[] compare(%i, %n), direction=LT\n"
                             "}\n"
                             "%body (p: (s32[], f32[32,16,256], f32[1,16,256])) -> "
                             "(s32[], f32[32,16,256], f32[1,16,256]) {\n"
                             "  %p = " STATE " parameter(0)\n"
                             "  %i = s32[] get-tuple-element(%p), index=0\n"
                             "  %one = s32[] constant(1)\n"
                             "  %j = s32[] add(%i, %one)\n"
                             "  %s = " STACK " get-tuple-element(%p), index=1\n"
                             "  %u = " LAYER " get-tuple-element(%p), index=2\n"
                             "  %r = " STACK " fusion(%s, %u, %i), kind=kLoop, calls=%put\n"
                             "  ROOT %t = " STATE " tuple(%j, %r, %u)\n"
                             "}\n"
                             "ENTRY %e (x: f32[32,16,256], y: f32[1,16,256]) -> f32[32,16,256] {\n"
                             "  %x = " STACK " parameter(0)\n"
                             "  %y = " LAYER " parameter(1)\n"
                             "  %zero = s32[] constant(0)\n"
                             "  %c = " STACK " copy(%x)\n"
                             "  %t0 = " STATE " tuple(%zero, %c, %y)\n"
                             "  %w = " STATE " while(%t0), condition=%cond, body=%body\n"
                             "  ROOT %o = " STACK " get-tuple-element(%w), index=1\n"
                             "}\n",
                    NULL, NULL);

    EXPECT_PART(s, "%r ", " at %c = kernel(%c, %y) ");
    EXPECT_PART(s, "%r ", " fetch=0+16384");
    EXPECT_PART(s, "%r ", " store=16384 ");
    free(s);
}

/* The fusion states what backend_config would say, without an update that shows it. */
Test(import_part, an_alias_that_the_instruction_states_holds)
{
    char *s = import_text(
        HEAD "%both (p: f32[32,16,256], q: f32[32,16,256]) -> (f32[32,16,256], f32[32,16,256]) {\n"
             "  %p = " STACK " parameter(0)\n"
             "  %q = " STACK " parameter(1)\n"
             "  %a = " STACK " add(%p, %q)\n"
             "  %b = " STACK " multiply(%p, %q)\n"
             "  ROOT %t = (" STACK ", " STACK ") tuple(%a, %b)\n"
             "}\n"
             "ENTRY %e (x: f32[32,16,256], y: f32[32,16,256]) -> f32[32,16,256] {\n"
             "  %x = " STACK " parameter(0)\n"
             "  %y = " STACK " parameter(1)\n"
             "  %m = " STACK " negate(%x)\n"
             "  %n = " STACK " negate(%y)\n"
             "  %r = (" STACK ", " STACK ") fusion(%m, %n), kind=kLoop, "
             "output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {})}, calls=%both\n"
             "  %g = " STACK " get-tuple-element(%r), index=0\n"
             "  %h = " STACK " get-tuple-element(%r), index=1\n"
             "  ROOT %o = " STACK " subtract(%g, %h)\n"
             "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%r:0 ", " at %n, %r:1 " STACK " at %m = kernel(%m, %n) ");
    EXPECT_PART(s, "%r:0 ", " fetch=524288+524288 store=524288+524288 ");
    free(s);
}

/* Rows of a table are added to where it is, one by one. */
Test(import_part, a_scatter_is_in_place_where_no_alias_is_stated)
{
    char *s = import_text(
        HEAD "%sum (a: f32[], b: f32[]) -> f32[] {\n"
             "  %a = f32[] parameter(0)\n"
             "  %b = f32[] parameter(1)\n"
             "  ROOT %c = f32[] add(%a, %b)\n"
             "}\n"
             "%add (p: f32[1000,256], i: s32[8,1], u: f32[8,256]) -> f32[1000,256] {\n"
             "  %p = f32[1000,256]{1,0:T(8,128)} parameter(0)\n"
             "  %i = s32[8,1]{1,0:T(8,128)} parameter(1)\n"
             "  %u = f32[8,256]{1,0:T(8,128)} parameter(2)\n"
             "  ROOT %s = f32[1000,256]{1,0:T(8,128)} scatter(%p, %i, %u), update_window_dims={1}, "
             "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
             "to_apply=%sum\n"
             "}\n"
             "ENTRY %e (x: f32[1000,256], i: s32[8,1], u: f32[8,256]) -> f32[1000,256] {\n"
             "  %x = f32[1000,256]{1,0:T(8,128)} parameter(0)\n"
             "  %i = s32[8,1]{1,0:T(8,128)} parameter(1)\n"
             "  %u = f32[8,256]{1,0:T(8,128)} parameter(2)\n"
             "  ROOT %r = f32[1000,256]{1,0:T(8,128)} fusion(%x, %i, %u), kind=kCustom, "
             "calls=%add\n"
             "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%r ", " at %x = kernel(");
    EXPECT_PART(s, "%r ", " rows=8 form=scatter fetch=0+4096+8192 store=0 row-bytes=1024 ");
    free(s);
}

/* --- slices -------------------------------------------------------------------------------- */

#define TAKE                                                                                       \
    "ENTRY %e (x: f32[32,16,256], k: s32[]) -> f32[1,16,256] {\n"                                  \
    "  %x = " STACK " parameter(0)\n"                                                              \
    "  %k = " INDEX " parameter(1)\n"                                                              \
    "  ROOT %r = " LAYER " fusion(%x, %k), kind=kLoop, calls=%take\n}\n"

/* exp of one layer, 4 registers of 1024, not of 32 layers */
Test(import_part, what_a_slice_leaves_of_an_array_is_neither_read_nor_computed)
{
    char *s =
        import_text(HEAD "%take (s: f32[32,16,256], k: s32[]) -> f32[1,16,256] {\n"
                         "  %s = " STACK " parameter(0)\n"
                         "  %k = " INDEX " parameter(1)\n" ZERO "  %x = " STACK " exponential(%s)\n"
                         "  ROOT %y" SLICE("x") "}\n" TAKE,
                    NULL, NULL);

    EXPECT_PART(s, "%r ", " fetch=16384+0 store=16384 vector=exp:4096 ");
    free(s);
}

/* Two layers by two slices, and all where something else reads the array. */
Test(import_part, slices_add_up_to_the_array_at_most)
{
    static const char *const root[] = { "add(%y, %v)", "add(%y, %w)" };
    static const char *const fetch[] = { " fetch=32768+0 ", " fetch=524288+0 " };

    for (int k = 0; k < 2; k++) {
        char *hlo = memory_format(
            HEAD "%%sum (a: f32[], b: f32[]) -> f32[] {\n"
                 "  %%a = f32[] parameter(0)\n"
                 "  %%b = f32[] parameter(1)\n"
                 "  ROOT %%c = f32[] add(%%a, %%b)\n"
                 "}\n"
                 "%%take (s: f32[32,16,256], k: s32[]) -> f32[1,16,256] {\n"
                 "  %%s = " STACK " parameter(0)\n"
                 "  %%k = " INDEX " parameter(1)\n"
                 "  %%z = s32[] constant(0)\n"
                 "  %%o = f32[] constant(0)\n"
                 "  %%y = " LAYER " dynamic-slice(%%s, %%k, %%z, %%z), "
                 "dynamic_slice_sizes={1,16,256}\n"
                 "  %%v = " LAYER " slice(%%s), slice={[3:4],[0:16],[0:256]}\n"
                 "  %%q = f32[16,256]{1,0:T(8,128)} reduce(%%s, %%o), dimensions={0}, "
                 "to_apply=%%sum\n"
                 "  %%w = " LAYER " bitcast(%%q)\n"
                 "  ROOT %%t = " LAYER " %s\n"
                 "}\n"
                 "ENTRY %%e (x: f32[32,16,256], k: s32[]) -> f32[1,16,256] {\n"
                 "  %%x = " STACK " parameter(0)\n"
                 "  %%k = " INDEX " parameter(1)\n"
                 "  ROOT %%r = " LAYER " fusion(%%x, %%k), kind=kLoop, calls=%%take\n}\n",
            root[k]);
        char *s = import_text(hlo, NULL, NULL);
        EXPECT_PART(s, "%r ", fetch[k]);
        free(s);
        free(hlo);
    }
}

/* T(16,128) becomes T(8,128) in the text alone: both are the buffer of the operand. */
#define PAGES "bf16[32,16,256]{2,1,0:T(16,128)(2,1)}"
#define RENAMED "bf16[32,16,256]{2,1,0:T(8,128)(2,1)}"
#define PAGE "bf16[1,16,256]{2,1,0:T(8,128)(2,1)}"
#define RENAME                                                                                     \
    "%rename (i: bf16[32,16,256]) -> bf16[32,16,256] {\n"                                          \
    "  %i = " PAGES " parameter(0)\n"                                                              \
    "  ROOT %c = " RENAMED " copy(%i)\n"                                                           \
    "}\n"
#define RENAMES(of)                                                                                \
    " = " RENAMED " fusion(%" of "), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, "       \
    "calls=%rename\n"

Test(import_part, tiles_that_are_renamed_hide_neither_a_slice_nor_an_update)
{
    char *s = import_text(
        HEAD RENAME
        "%turn (s: bf16[32,16,256], k: s32[]) -> bf16[32,16,256] {\n"
        "  %s = " PAGES " parameter(0)\n"
        "  %k = " INDEX " parameter(1)\n" ZERO
        "  %n" RENAMES("s") "  %y = " PAGE
                            " dynamic-slice(%n, %k, %z, %z), dynamic_slice_sizes={1,16,256}\n"
                            "  %v = " PAGE " negate(%y)\n"
                            "  ROOT %d = " PAGES " dynamic-update-slice(%n, %v, %k, %z, %z)\n"
                            "}\n"
                            "ENTRY %e (x: bf16[32,16,256], k: s32[]) -> bf16[32,16,256] {\n"
                            "  %x = " PAGES " parameter(0)\n"
                            "  %k = " INDEX " parameter(1)\n"
                            "  ROOT %r = " PAGES " fusion(%x, %k), kind=kLoop, calls=%turn\n}\n",
        NULL, NULL);

    EXPECT_PART(s, "%r ", " at %x = kernel(");
    EXPECT_PART(s, "%r ", " fetch=8192+0 store=8192 ");
    free(s);
}

Test(import_part, a_fusion_that_renames_tiles_is_no_kernel)
{
    struct import_totals t;
    char *s = import_text(
        HEAD RENAME
        "ENTRY %e (x: bf16[32,16,256], k: s32[]) -> bf16[1,16,256] {\n"
        "  %x = " PAGES " parameter(0)\n"
        "  %k = " INDEX " parameter(1)\n" ZERO
        "  %n" RENAMES("x") "  ROOT %r = " PAGE
                            " dynamic-slice(%n, %k, %z, %z), dynamic_slice_sizes={1,16,256}\n}\n",
        NULL, &t);

    EXPECT_PART(s, "%r ", " = kernel(%x, %k) ");
    EXPECT_PART(s, "%r ", " fetch=8192+0 store=8192 ");
    cr_expect_eq(t.kernels, 1);
    free(s);
}

/* --- products ------------------------------------------------------------------------------ */

/* 256 rows in two windows, each of which brings the 512 x 256 matrix anew: n outermost, m, k. */
#define TWICE                                                                                      \
    "backend_config={\"window_config\":{\"kernel_window_bounds\":[\"64\",\"1\"],"                  \
    "\"output_window_bounds\":[\"16\",\"1\"],\"input_window_bounds\":[\"16\",\"4\"],"              \
    "\"iteration_bounds\":[\"2\",\"2\",\"1\"]}}"

/* One matrix of eight, converted on the way: 524,288 bytes of f32 and of it both halves of n once.
 * A, 256 x 512 in bf16, comes for each half of n: twice 262,144. */
Test(import_part, a_product_fetches_the_slice_of_a_stack)
{
    char *s = import_text(
        HEAD "%matrix (s: f32[8,512,256], k: s32[]) -> bf16[512,256] {\n"
             "  %s = f32[8,512,256]{2,1,0:T(8,128)} parameter(0)\n"
             "  %k = " INDEX " parameter(1)\n" ZERO
             "  %h = bf16[8,512,256]{2,1,0:T(8,128)(2,1)} convert(%s)\n"
             "  %y = bf16[1,512,256]{2,1,0:T(8,128)(2,1)} dynamic-slice(%h, %k, %z, %z), "
             "dynamic_slice_sizes={1,512,256}\n"
             "  ROOT %b = bf16[512,256]{1,0:T(8,128)(2,1)} bitcast(%y)\n"
             "}\n"
             "%product (a: bf16[256,512], s: f32[8,512,256], k: s32[]) -> bf16[256,256] {\n"
             "  %a = bf16[256,512]{1,0:T(8,128)(2,1)} parameter(0)\n"
             "  %s = f32[8,512,256]{2,1,0:T(8,128)} parameter(1)\n"
             "  %k = " INDEX " parameter(2)\n"
             "  %w = bf16[512,256]{1,0:T(8,128)(2,1)} fusion(%s, %k), kind=kLoop, calls=%matrix\n"
             "  ROOT %c = bf16[256,256]{1,0:T(8,128)(2,1)} convolution(%a, %w), "
             "dim_labels=bf_io->bf\n"
             "}\n"
             "ENTRY %e (x: bf16[256,512], s: f32[8,512,256], k: s32[]) -> bf16[256,256] {\n"
             "  %x = bf16[256,512]{1,0:T(8,128)(2,1)} parameter(0)\n"
             "  %s = f32[8,512,256]{2,1,0:T(8,128)} parameter(1)\n"
             "  %k = " INDEX " parameter(2)\n"
             "  ROOT %r = bf16[256,256]{1,0:T(8,128)(2,1)} fusion(%x, %s, %k), kind=kOutput, "
             "calls=%product, " TWICE "\n}\n",
        NULL, NULL);

    EXPECT_PART(s, "%r ", " fetch=524288+524288+0 ");
    EXPECT_PART(s, "%r ", " vector=pack:65536 "); /* a packed register of two */
    free(s);
}

/* The rows of A are those of two arrays: each comes for both halves of n, as A does. */
Test(import_part, pieces_that_a_product_joins_come_as_often_as_their_whole)
{
    char *s = import_text(
        HEAD "%product (a: bf16[128,512], b: bf16[128,512], w: bf16[512,256]) -> bf16[256,256] {\n"
             "  %a = bf16[128,512]{1,0:T(8,128)(2,1)} parameter(0)\n"
             "  %b = bf16[128,512]{1,0:T(8,128)(2,1)} parameter(1)\n"
             "  %w = bf16[512,256]{1,0:T(8,128)(2,1)} parameter(2)\n"
             "  %j = bf16[256,512]{1,0:T(8,128)(2,1)} concatenate(%a, %b), dimensions={0}\n"
             "  ROOT %c = bf16[256,256]{1,0:T(8,128)(2,1)} convolution(%j, %w), "
             "dim_labels=bf_io->bf\n"
             "}\n"
             "ENTRY %e (x: bf16[128,512], y: bf16[128,512], w: bf16[512,256]) -> bf16[256,256] {\n"
             "  %x = bf16[128,512]{1,0:T(8,128)(2,1)} parameter(0)\n"
             "  %y = bf16[128,512]{1,0:T(8,128)(2,1)} parameter(1)\n"
             "  %w = bf16[512,256]{1,0:T(8,128)(2,1)} parameter(2)\n"
             "  ROOT %r = bf16[256,256]{1,0:T(8,128)(2,1)} fusion(%x, %y, %w), kind=kOutput, "
             "calls=%product, " TWICE "\n}\n",
        NULL, NULL);

    EXPECT_PART(s, "%r ", " fetch=262144+262144+262144 ");
    free(s);
}
