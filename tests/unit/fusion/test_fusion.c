/* Kernels, layouts and the order that our own passes make of programs without a schedule. */
#include "fusion/fusion_header.h"
#include "tests/unit/fusion/fusion_bench.h"
#include "tests/unit/hlo/hlo_helper.h"

#define DOT "dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
#define LAYER                                                                                      \
    "  x = f32[64,256] parameter(0)\n"                                                             \
    "  w = f32[256,512] parameter(1)\n"                                                            \
    "  b = f32[512] parameter(2)\n"                                                                \
    "  y = f32[64,512] " DOT "  bb = f32[64,512] broadcast(b), dimensions={1}\n"                   \
    "  h = f32[64,512] add(y, bb)\n"

Test(fusion, a_product_takes_what_its_result_goes_through)
{
    char *text = fuse_text("HloModule m\nENTRY e {\n" LAYER "  ROOT t = f32[64,512] tanh(h)\n}\n");

    cr_expect_str_eq(
        text,
        "HloModule m, is_scheduled=true, num_partitions=1\n\n"
        "fused.0 {\n"
        "  x.0 = f32[64,256]{1,0:T(8,128)} parameter(0)\n"
        "  w.1 = f32[256,512]{1,0:T(8,128)} parameter(1)\n"
        "  b.2 = f32[512]{0:T(512)} parameter(2)\n"
        "  y.3 = f32[64,512]{1,0:T(8,128)} dot(x.0, w.1), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}\n"
        "  bb.4 = f32[64,512]{1,0:T(8,128)} broadcast(b.2), dimensions={1}\n"
        "  h.5 = f32[64,512]{1,0:T(8,128)} add(y.3, bb.4)\n"
        "  ROOT t.6 = f32[64,512]{1,0:T(8,128)} tanh(h.5)\n"
        "}\n\n"
        "ENTRY main {\n"
        "  x.0 = f32[64,256]{1,0:T(8,128)} parameter(0)\n"
        "  w.1 = f32[256,512]{1,0:T(8,128)} parameter(1)\n"
        "  b.2 = f32[512]{0:T(512)} parameter(2)\n"
        "  t.6 = f32[64,512]{1,0:T(8,128)} fusion(x.0, w.1, b.2), kind=kOutput, calls=fused.0\n"
        "  ROOT results = (f32[64,512]{1,0:T(8,128)}) tuple(t.6)\n"
        "}\n");
    free(text);
}

/* The rectified sum is computed again in both products; the sum itself is the result of the first.
 */
Test(fusion, cheap_values_are_computed_again_by_each_reader)
{
    CHECK("HloModule m\nENTRY e {\n" LAYER "  z = f32[] constant(0)\n"
          "  zb = f32[64,512] broadcast(z), dimensions={}\n"
          "  r = f32[64,512] maximum(h, zb)\n"
          "  v = f32[512,32] parameter(3)\n"
          "  u = f32[64,32] parameter(4)\n"
          "  p = f32[64,32] dot(r, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
          "  q = f32[512,32] dot(r, u), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
          "  c = pred[64,512] compare(h, zb), direction=GT\n"
          "  ROOT t = (f32[64,32], f32[512,32], pred[64,512]) tuple(p, q, c)\n}\n",
          "pred[64,512]{1,0:T(8,128)(4,1)}) fusion(x.0, w.1, b.2), kind=kOutput",
          " = f32[64,32]{0,1:T(8,128)} fusion(h.5, v.9), kind=kOutput",
          " = f32[512,32]{0,1:T(8,128)} fusion(h.5, u.10), kind=kOutput");
}

/* The maximum is needed before the exponentials: it is a kernel before theirs.  Both sums of the
 * exponentials are one loop with them. */
Test(fusion, a_loop_never_waits_for_its_own_sum)
{
    CHECK("HloModule m\n" SUM "ENTRY e {\n"
          "  x = f32[64,512] parameter(0)\n"
          "  z = f32[] constant(0)\n"
          "  m = f32[64] reduce(x, z), dimensions={1}, to_apply=sum\n"
          "  mb = f32[64,512] broadcast(m), dimensions={0}\n"
          "  d = f32[64,512] subtract(x, mb)\n"
          "  e = f32[64,512] exponential(d)\n"
          "  s = f32[64] reduce(e, z), dimensions={1}, to_apply=sum\n"
          "  q = f32[64,512] multiply(e, e)\n"
          "  t = f32[512] reduce(q, z), dimensions={0}, to_apply=sum\n"
          "  ROOT r = (f32[64], f32[512]) tuple(s, t)\n}\n",
          "  m.2 = f32[64]{0:T(256)} reduce(x.0, z.1)",
          " = (f32[64]{0:T(256)}, f32[512]{0:T(512)}) fusion(m.2, x.0), kind=kLoop");
}

#define ADD_ALL ", replica_groups={{0,1,2,3}}, to_apply=sum\n"

/* 64 MiB and 4 bytes, then 64 MiB: together 128 MiB and 4 bytes, so the third starts another.  The
 * fourth waits for the first, and joins the third. */
Test(fusion, all_reduces_are_one_below_128_mib)
{
    CHECK("HloModule m\n" SUM "ENTRY e {\n"
          "  a = f32[4096,4096] parameter(0)\n"
          "  b = f32[] parameter(1)\n"
          "  c = f32[4096,4096] parameter(2)\n"
          "  ra = f32[4096,4096] all-reduce(a)" ADD_ALL "  rb = f32[] all-reduce(b)" ADD_ALL
          "  rc = f32[4096,4096] all-reduce(c)" ADD_ALL "  n = f32[] negate(rb)\n"
          "  rn = f32[] all-reduce(n)" ADD_ALL
          "  ROOT t = (f32[4096,4096], f32[4096,4096], f32[]) tuple(ra, rc, rn)\n}\n",
          "num_partitions=4",
          " = (f32[4096,4096]{1,0:T(8,128)}, f32[]) all-reduce(a.0, b.1), replica_groups",
          " = (f32[4096,4096]{1,0:T(8,128)}, f32[]) all-reduce(c.2, n.6)");
}

Test(fusion, a_program_of_one_device_has_its_shapes)
{
    CHECK("HloModule m, buffer_donor={ (1, {}) }\n"
          "body {\n"
          "  p = f32[8,128] parameter(0)\n"
          "  q = f32[8,128] parameter(1)\n"
          "  ROOT s = f32[8,128] add(p, q)\n"
          "}\n"
          "ENTRY e {\n"
          "  x = f32[64,128] parameter(0), sharding={devices=[8,1]<=[8]}\n"
          "  w = f32[8,128] parameter(1), sharding={replicated}\n"
          "  l = (f32[8,128], f32[8,128]) custom-call(x, w), "
          "custom_call_target=\"xla.sdy.GlobalToLocalShape\"\n"
          "  lx = f32[8,128] get-tuple-element(l), index=0\n"
          "  lw = f32[8,128] get-tuple-element(l), index=1\n"
          "  c = f32[8,128] call(lx, lw), to_apply=body\n"
          "  ROOT g = f32[8,128] custom-call(c), "
          "custom_call_target=\"xla.sdy.LocalToGlobalShape\"\n}\n",
          "input_output_alias={ {0}: (1, {}, may-alias) }",
          "  x.0 = f32[8,128]{1,0:T(8,128)} parameter(0)\n",
          "  s.2 = f32[8,128]{1,0:T(8,128)} add(x.0, w.1)\n", "!64");
}

/* One column: 512 rows of 128 numbers are multiplied and summed by the vector unit. */
Test(fusion, a_matrix_by_a_vector_is_no_matrix_product)
{
    CHECK(
        "HloModule m\nENTRY e {\n"
        "  x = f32[512,128] parameter(0)\n"
        "  w = f32[128,1] parameter(1)\n"
        "  ROOT y = f32[512,1] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
        "multiply(x.0, w.1)", "reduce(y.2, y.3), dimensions={1}, to_apply=fusion_sum", "kind=kLoop",
        "!dot(");
}

Test(fusion, an_outer_product_is_element_wise)
{
    CHECK("HloModule m\nENTRY e {\n"
          "  x = f32[512,1] parameter(0)\n"
          "  w = f32[1,128] parameter(1)\n"
          "  ROOT y = f32[512,128] dot(x, w), lhs_contracting_dims={1}, "
          "rhs_contracting_dims={0}\n}\n",
          "  y.2 = f32[512,128]{1,0:T(8,128)} multiply(x.0, w.1)\n", "!dot(");
}

/* The rows are gathered for the product alone; the gradient of the table would read them in f32. */
Test(fusion, rows_that_products_alone_read_are_gathered_in_bf16)
{
    CHECK("HloModule m\nENTRY e {\n"
          "  x = f32[1000,128] parameter(0)\n"
          "  i = s32[4096,1] parameter(1)\n"
          "  w = f32[128,64] parameter(2)\n"
          "  g = f32[4096,128] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
          "start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}\n"
          "  ROOT y = f32[4096,64] dot(g, w), lhs_contracting_dims={1}, "
          "rhs_contracting_dims={0}\n}\n",
          "  g.3 = bf16[4096,128]{1,0:T(8,128)(2,1)} gather(x.0, i.1)");
}

/* 128 images of 25 x 25 x 25 in one channel: padded to 32 x 128 with the last two in a tile, that
 * is 6.55 times, and to 128 lanes of 25 rows in 32 with the batch there, 1.28 times. */
Test(fusion, the_layout_that_pads_the_least)
{
    CHECK("HloModule m\nENTRY e {\n"
          "  x = f32[128,25,25,25,1] parameter(0)\n"
          "  ROOT y = f32[128,25,25,25,1] negate(x)\n}\n",
          "  x.0 = f32[128,25,25,25,1]{0,4,3,2,1:T(1,128)} parameter(0)\n");
}

/* The layouts are those of XLA for TPU v4 and later: tiles of eight full sublanes at most. */
Test(fusion, elements_of_4_and_2_bits_are_packed)
{
    CHECK("HloModule m\nENTRY e {\n"
          "  a = s4[512,256] parameter(0)\n  b = f4e2m1fn[512,256] parameter(1)\n"
          "  c = u2[512,256] parameter(2)\n  d = s4[5000] parameter(3)\n"
          "  e = s4[9,256] parameter(4)\n"
          "  ROOT t = (s4[512,256], f4e2m1fn[512,256], u2[512,256], s4[5000], s4[9,256]) "
          "tuple(a, b, c, d, e)\n}\n",
          "s4[512,256]{1,0:T(64,128)(8,1)E(4)} parameter(0)",
          "f4e2m1fn[512,256]{1,0:T(64,128)(8,1)E(4)} parameter(1)",
          "u2[512,256]{1,0:T(128,128)(16,1)E(2)} parameter(2)",
          "s4[5000]{0:T(1024)E(4)} parameter(3)", "s4[9,256]{1,0:T(16,128)(8,1)E(4)} parameter(4)");
}

Test(fusion, a_transpose_before_a_product_moves_nothing)
{
    CHECK(
        "HloModule m\nENTRY e {\n"
        "  a = f32[512,128] parameter(0)\n"
        "  b = f32[512,64] parameter(1)\n"
        "  t = f32[128,512] transpose(a), dimensions={1,0}\n"
        "  ROOT y = f32[128,64] dot(t, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
        "  t.2 = f32[128,512]{0,1:T(8,128)} bitcast(a.0)\n", "!transpose(");
}

/* XLA:TPU copies both; the second into the layout that its caller expects. */
Test(fusion, arguments_that_are_returned_are_copied)
{
    CHECK("HloModule m\nENTRY e {\n  ROOT p = f32[1024,512] parameter(0)\n}\n",
          "  p.1 = f32[1024,512]{1,0:T(8,128)} copy(p.0)\n", "tuple(p.1)");
    CHECK("HloModule m\nENTRY e {\n  p = f32[1024,512] parameter(0)\n"
          "  ROOT t = f32[512,1024] transpose(p), dimensions={1,0}\n}\n",
          "f32[512,1024]{0,1:T(8,128)} bitcast(p.0)\n",
          "ROOT t.2 = f32[512,1024]{1,0:T(8,128)} copy(t.1)", "tuple(t.2)");
}

Test(fusion, arguments_that_are_given_away_stay_where_they_are)
{
    CHECK("HloModule m, buffer_donor={ (0, {}) }\nENTRY e {\n  p = f32[64,128] parameter(0)\n"
          "  q = f32[64,128] parameter(1)\n"
          "  ROOT t = (f32[64,128], f32[64,128]) tuple(p, q)\n}\n",
          "!copy(p.0)", "copy(q.1)");
    CHECK("HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\nENTRY e {\n"
          "  p = f32[64,128] parameter(0)\n  q = f32[64,128] negate(p)\n"
          "  ROOT t = (f32[64,128], f32[64,128]) tuple(p, q)\n}\n",
          "!copy(");
}

#define ROWS(operand)                                                                              \
    "HloModule m\n" SUM "ENTRY e {\n"                                                              \
    "  x = f32[64,5000] parameter(0)\n  i = s32[64,1,1] parameter(1)\n"                            \
    "  u = f32[64,1] parameter(2)\n  z = f32[] constant(0)\n"                                      \
    "  o = f32[64,5000] broadcast(z), dimensions={}\n"                                             \
    "  s = f32[64,5000] scatter(" operand ", i, u), update_window_dims={}, "                       \
    "inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, "        \
    "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=sum\n"                        \
    "  ROOT y = f32[64,5000] multiply(s, x)\n}\n"

/* The gradient of take_along_axis: one element of each row of zeros. */
Test(fusion, a_scatter_of_one_element_a_row_into_zeros_is_a_choice)
{
    CHECK(ROWS("o"), "iota(), iota_dimension=1", "pred[64,5000]{1,0:T(8,128)(4,1)} compare(",
          "direction=EQ", " select(", "!scatter(");
    CHECK(ROWS("x"), " copy(x.0)", "scatter(x.5, i.1, u.2)", "!select(");
}

/* The derivative of an activation after the product that it is multiplied with: both choices read
 * the product, and XLA puts what they add up to into its kernel. */
Test(fusion, a_product_takes_what_all_its_readers_add_up_to)
{
    CHECK("HloModule m\n" SUM "ENTRY e {\n"
          "  x = f32[512,256] parameter(0)\n  w = f32[256,512] parameter(1)\n"
          "  a = f32[512,512] parameter(2)\n  v = f32[512,128] parameter(3)\n"
          "  z = f32[] constant(0)\n  zb = f32[512,512] broadcast(z), dimensions={}\n"
          "  p = pred[512,512] compare(a, zb), direction=GT\n"
          "  y = f32[512,512] " DOT "  s = f32[512,512] select(p, y, zb)\n"
          "  r = f32[512,512] select(p, zb, y)\n  e = f32[512,512] exponential(a)\n"
          "  m = f32[512,512] multiply(r, e)\n  d = f32[512,512] add(s, m)\n"
          "  q = f32[512,128] dot(d, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
          "  n = f32[512] reduce(d, z), dimensions={0}, to_apply=sum\n"
          "  ROOT t = (f32[512,128], f32[512]) tuple(q, n)\n}\n",
          " fusion(a.2, x.0, w.1), kind=kOutput",
          "d.12 = f32[512,512]{1,0:T(8,128)} add(s.8, m.11)", "tuple(d.12, n.14)",
          "dot(d.12, v.3)");
}

/* Rows of 14, 256 and 256 columns share tiles of 128; those of 128 and 256 do not. */
Test(fusion, joined_arrays_that_share_tiles_are_written_for_two_readers)
{
#define JOINED(first, all)                                                                         \
    "HloModule m\nENTRY e {\n"                                                                     \
    "  a = f32[512," first "] parameter(0)\n  b = f32[512,256] parameter(1)\n"                     \
    "  v = f32[" all ",64] parameter(2)\n  w = f32[" all ",32] parameter(3)\n"                     \
    "  c = f32[512," all "] concatenate(a, b), dimensions={1}\n"                                   \
    "  p = f32[512,64] dot(c, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"            \
    "  q = f32[512,32] dot(c, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"            \
    "  ROOT t = (f32[512,64], f32[512,32]) tuple(p, q)\n}\n"
    CHECK(JOINED("14", "270"), "dot(c.4, v.2)", "dot(c.4, w.3)", "!fusion(");
    CHECK(JOINED("128", "384"), " fusion(a.0, b.1, v.2)", " fusion(a.0, b.1, w.3)");
}

/* Four operations on one array: each reads two arrays of their size, all of them together one. */
Test(fusion, a_value_of_one_array_is_computed_again)
{
    CHECK("HloModule m\nENTRY e {\n"
          "  x = f32[512,512] parameter(0)\n  v = f32[512,64] parameter(1)\n"
          "  w = f32[512,32] parameter(2)\n"
          "  a = f32[512,512] exponential(x)\n  b = f32[512,512] multiply(a, x)\n"
          "  c = f32[512,512] add(b, a)\n  d = f32[512,512] multiply(c, b)\n"
          "  p = f32[512,64] dot(d, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
          "  q = f32[512,32] dot(d, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
          "  ROOT t = (f32[512,64], f32[512,32]) tuple(p, q)\n}\n",
          " fusion(x.0, v.1), kind=kOutput", " fusion(x.0, w.2), kind=kOutput");
}

/* Two arrays of 32-bit numbers are computed with: copied out of an argument, together to a result;
 * what a product does for itself. */
Test(fusion, arguments_and_results_of_64_bits_are_copied)
{
    CHECK("HloModule m\nENTRY e {\n  x = c64[64,128] parameter(0)\n"
          "  ROOT y = c64[64,128] multiply(x, x)\n}\n",
          "  x.1 = c64[64,128]{1,0:T(8,128)} copy(x.0)\n", " multiply(x.1, x.1)\n",
          "  y.3 = c64[64,128]{1,0:T(8,128)} copy(y.2)\n", "tuple(y.3)");
    CHECK("HloModule m\nENTRY e {\n  x = c64[64,128] parameter(0)\n"
          "  w = c64[128,32] parameter(1)\n  ROOT y = c64[64,32] " DOT "}\n",
          "!copy(");
    CHECK("HloModule m\nENTRY e {\n  x = f32[64,128] parameter(0)\n"
          "  ROOT y = f32[64,128] negate(x)\n}\n",
          "!copy(");
}

/* The rectified rows are computed again in the scatter that adds them up, and in the sum of all. */
Test(fusion, a_scatter_takes_what_it_adds)
{
    CHECK("HloModule m\n" SUM "ENTRY e {\n"
          "  x = f32[4096,128] parameter(0)\n"
          "  i = s32[4096,1] parameter(1)\n"
          "  z = f32[] constant(0)\n"
          "  t = f32[1000,128] broadcast(z), dimensions={}\n"
          "  zb = f32[4096,128] broadcast(z), dimensions={}\n"
          "  r = f32[4096,128] maximum(x, zb)\n"
          "  s = f32[1000,128] scatter(t, i, r), update_window_dims={1}, inserted_window_dims={0}, "
          "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n"
          "  n = f32[128] reduce(r, z), dimensions={0}, to_apply=sum\n"
          "  ROOT o = (f32[1000,128], f32[128]) tuple(s, n)\n}\n",
          "  s.6 = f32[1000,128]{1,0:T(8,128)} fusion(x.0, i.1), kind=kLoop",
          "  n.7 = f32[128]{0:T(256)} fusion(x.0), kind=kLoop");
}

/* A root of one array is computed in both of its readers, an exponential once for both. */
Test(fusion, exponentials_are_computed_again_and_sines_are_not)
{
    static const char *const function[] = { "exponential", "sine" };

    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "HloModule m\nENTRY e {\n"
                 "  x = f32[64,512] parameter(0)\n"
                 "  v = f32[512,32] parameter(1)\n"
                 "  u = f32[512,16] parameter(2)\n"
                 "  r = f32[64,512] %s(x)\n"
                 "  p = f32[64,32] dot(r, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                 "  q = f32[64,16] dot(r, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                 "  ROOT t = (f32[64,32], f32[64,16]) tuple(p, q)\n}\n",
                 function[k]);
        if (k == 0)
            CHECK(text, " fusion(x.0, v.1), kind=kOutput", " fusion(x.0, u.2), kind=kOutput");
        else
            CHECK(text, "dot(r.3, v.1)", "dot(r.3, u.2)", "!fusion(");
    }
}

/* Both sums are read once more: each is put where its operand was, operands 0 and 1 into results 0
 * and 1, which count behind them. */
Test(fusion, sums_over_devices_are_put_where_their_operands_were)
{
    CHECK("HloModule m\n" SUM "ENTRY e {\n"
          "  x = f32[512,128] parameter(0)\n"
          "  w = f32[128,64] parameter(1)\n"
          "  y = f32[512,64] " DOT "  n = f32[512,128] negate(x)\n"
          "  ry = f32[512,64] all-reduce(y)" ADD_ALL "  rn = f32[512,128] all-reduce(n)" ADD_ALL
          "  ay = f32[512,64] abs(ry)\n"
          "  an = f32[512,128] abs(rn)\n"
          "  ROOT t = (f32[512,64], f32[512,128]) tuple(ay, an)\n}\n",
          "backend_config={\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"2\"]},"
          "{\"indices\":[\"1\",\"3\"]}]}}");
}

#define GATHER(name, of)                                                                           \
    "  " name " = f32[512,512] gather(x, " of "), offset_dims={1}, collapsed_slice_dims={0}, "     \
    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,512}\n"

/* Three arrays of 1 MiB, each summed: the program holds all before it sums the first.  One after
 * the other they take 1 MiB. */
Test(fusion, kernels_run_in_the_order_that_takes_the_least_memory)
{
    char *text =
        fuse_text("HloModule m\n" SUM "ENTRY e {\n"
                  "  x = f32[512,512] parameter(0)\n"
                  "  i = s32[512,1] parameter(1)\n"
                  "  j = s32[512,1] parameter(2)\n"
                  "  l = s32[512,1] parameter(3)\n"
                  "  z = f32[] constant(0)\n" GATHER("f", "i") GATHER("g", "j")
                      GATHER("h", "l") "  r = f32[] reduce(f, z), dimensions={0,1}, to_apply=sum\n"
                                       "  s = f32[] reduce(g, z), dimensions={0,1}, to_apply=sum\n"
                                       "  t = f32[] reduce(h, z), dimensions={0,1}, to_apply=sum\n"
                                       "  ROOT o = (f32[], f32[], f32[]) tuple(r, s, t)\n}\n");
    static const char *const order[] = {
        "f.5 = ", "r.8 = ", "g.6 = ", "s.9 = ", "h.7 = ", "t.10 = "
    };
    const char *at = text;

    for (size_t k = 0; k < sizeof order / sizeof *order && at; k++) {
        at = strstr(at, order[k]);
        cr_expect_not_null(at, "%s: %s", order[k], text);
    }
    free(text);
}

/* Twenty computations that each call the one before twice: a million additions. */
Test(fusion, calls_that_grow_too_large_are_not_written_out)
{
    struct memory_text t;

    memory_text_begin(&t);
    fputs("HloModule m\nc0 {\n  p = f32[8] parameter(0)\n  ROOT s = f32[8] add(p, p)\n}\n", t.out);
    for (int k = 1; k <= 20; k++)
        fprintf(t.out,
                "c%d {\n  p = f32[8] parameter(0)\n  a = f32[8] call(p), to_apply=c%d\n"
                "  ROOT b = f32[8] call(a), to_apply=c%d\n}\n",
                k, k - 1, k - 1);
    fputs("ENTRY e {\n  x = f32[8] parameter(0)\n  ROOT y = f32[8] call(x), to_apply=c20\n}\n",
          t.out);
    char *hlo = memory_text_end(&t), *text = fuse_text(hlo);
    cr_expect_null(text);
    free(hlo);
    free(text);
}

#define SCALARS "  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
#define REDUCE                                                                                     \
    "ENTRY e {\n  x = f32[8] parameter(0)\n  z = f32[] constant(0)\n"                              \
    "  ROOT y = f32[] reduce(x, z), dimensions={0}, to_apply=r\n}\n"

/* A function of scalars is printed as it is: no array in it, first or last, and no call. */
Test(fusion, a_function_of_scalars_has_no_array_and_calls_nothing)
{
    static const struct {
        const char *text;
        bool known;
    } programs[] = {
        { "HloModule m\nr {\n" SCALARS "  ROOT c = f32[] add(a, b)\n}\n" REDUCE, true },
        { "HloModule m\nr {\n  a = f32[2] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n" REDUCE,
          false },
        { "HloModule m\nr {\n" SCALARS "  ROOT c = f32[1] reshape(a)\n}\n" REDUCE, false },
        { "HloModule m\nf {\n" SCALARS "  ROOT c = f32[] add(a, b)\n}\nr {\n" SCALARS
          "  ROOT c = f32[] call(a, b), to_apply=f\n}\n" REDUCE,
          false },
        /* what is not called as a function of scalars may have both */
        { "HloModule m\nf {\n  ROOT a = f32[2] parameter(0)\n}\nENTRY e {\n"
          "  x = f32[2] parameter(0)\n  ROOT y = f32[2] call(x), to_apply=f\n}\n",
          true },
    };

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct hlo_module *m = parse_hlo(programs[i].text);
        cr_expect_eq(fusion_header_knows(m), programs[i].known, "program %zu", i);
        hlo_free(m);
    }
}

Test(fusion, programs_that_it_does_not_handle)
{
    char *scheduled = fuse_text("HloModule m, is_scheduled=true\nENTRY e {\n"
                                "  ROOT x = f32[8] parameter(0)\n}\n");
    char *loop = fuse_text("HloModule m\n"
                           "c {\n  p = s32[] parameter(0)\n  n = s32[] constant(3)\n"
                           "  ROOT l = pred[] compare(p, n), direction=LT\n}\n"
                           "b {\n  p = s32[] parameter(0)\n  i = s32[] constant(1)\n"
                           "  ROOT s = s32[] add(p, i)\n}\n"
                           "ENTRY e {\n  x = s32[] parameter(0)\n"
                           "  ROOT w = s32[] while(x), condition=c, body=b\n}\n");
    char *sharded =
        fuse_text("HloModule m\nENTRY e {\n  x = f32[8,8] parameter(0)\n"
                  "  ROOT y = f32[8,8] custom-call(x), custom_call_target=\"Sharding\", "
                  "sharding={devices=[8,1]<=[8]}\n}\n");

    cr_expect_null(scheduled);
    cr_expect_null(loop);
    cr_expect_null(sharded);
}
