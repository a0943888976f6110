/* Values that our own passes write to memory: those that pass a barrier, copies of arguments. */
#include "tests/unit/fusion/fusion_bench.h"

/* XLA:TPU computes nothing across a barrier: y is in memory, and both sums read it there. */
Test(fusion, what_passes_a_barrier_is_in_memory)
{
    CHECK("HloModule m\n" SUM "ENTRY e {\n"
          "  x = bf16[4096,128] parameter(0)\n"
          "  z = f32[] constant(0)\n"
          "  y = f32[4096,128] convert(x)\n"
          "  b = f32[4096,128] opt-barrier(y)\n"
          "  q = f32[4096,128] multiply(b, b)\n"
          "  s = f32[128] reduce(q, z), dimensions={0}, to_apply=sum\n"
          "  ROOT t = f32[128] add(s, s)\n}\n",
          "  y.2 = f32[4096,128]{1,0:T(8,128)} convert(x.0)", " fusion(y.2)");
}

/* jax.checkpoint computes again behind a barrier what was computed before it. */
Test(fusion, the_same_behind_a_barrier_is_computed_again)
{
    CHECK("HloModule m\nENTRY e {\n"
          "  x = f32[4096,128] parameter(0)\n"
          "  a = f32[4096,128] exponential(x)\n"
          "  b = f32[4096,128] opt-barrier(x)\n"
          "  c = f32[4096,128] exponential(b)\n"
          "  ROOT t = (f32[4096,128], f32[4096,128]) tuple(a, c)\n}\n",
          "tuple(a.1, c.2)");
}

/* The caller keeps its table: XLA:TPU scatters into a copy of it, unless it is given away. */
Test(fusion, an_argument_that_is_written_into_is_copied)
{
#define INTO                                                                                       \
    "ENTRY e {\n  t = f32[1000,128] parameter(0)\n  i = s32[64,1] parameter(1)\n"                  \
    "  u = f32[64,128] parameter(2)\n"                                                             \
    "  ROOT s = f32[1000,128] scatter(t, i, u), update_window_dims={1}, "                          \
    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "             \
    "to_apply=sum\n}\n"

    CHECK("HloModule m\n" SUM INTO, "f32[1000,128]{1,0:T(8,128)} copy(t.0)",
          "scatter(t.3, i.1, u.2)");
    CHECK("HloModule m, buffer_donor={ (0, {}) }\n" SUM INTO, "!copy(", "scatter(t.0, i.1, u.2)");
    CHECK(
        "HloModule m\nENTRY e {\n  t = f32[1000,128] parameter(0)\n  u = f32[8,128] parameter(1)\n"
        "  z = s32[] constant(0)\n"
        "  ROOT d = f32[1000,128] dynamic-update-slice(t, u, z, z)\n}\n",
        "f32[1000,128]{1,0:T(8,128)} copy(t.0)", "!dynamic-update-slice(t.0");
}
