/* A copy is a move of elements by its shapes; its kernels on a GPU and a node of CPUs. */
#include "kernels/common/move.h"
#include "lower_bench.h"
#include "machine/spec/spec.h"

static enum move move_between(struct trace_shape from, struct trace_shape to)
{
    struct step_value value[2] = { { .shape = from }, { .shape = to } };
    uint32_t ref[2] = { 0, 1 };
    struct step step = { .value = value, .ref = ref };
    struct step_op op = { .n_in = 1, .n_out = 1, .first_out = 1 };

    return move_of(&step, &op);
}

#define SHAPE(r, ...)                                                                              \
    ((struct trace_shape){ .dtype = TRACE_F32, .rank = r, .dim = { __VA_ARGS__ } })

Test(move, merged_and_split_dimensions_are_a_view)
{
    cr_expect_eq(move_between(SHAPE(3, 8, 128, 768), SHAPE(4, 8, 128, 12, 64)), MOVE_VIEW);
    cr_expect_eq(move_between(SHAPE(2, 1024, 5184), SHAPE(5, 1024, 8, 9, 9, 8)), MOVE_VIEW);
    cr_expect_eq(move_between(SHAPE(3, 8, 1, 6), SHAPE(1, 48)), MOVE_VIEW);
    cr_expect_eq(move_between(SHAPE(2, 64, 128), SHAPE(2, 32, 256)), MOVE_VIEW);
}

Test(move, another_order_is_a_transposition)
{
    cr_expect_eq(move_between(SHAPE(2, 64, 128), SHAPE(2, 128, 64)), MOVE_TRANSPOSED);
    cr_expect_eq(move_between(SHAPE(3, 8, 128, 768), SHAPE(4, 8, 12, 128, 64)), MOVE_TRANSPOSED);
    cr_expect_eq(move_between(SHAPE(3, 2, 3, 5), SHAPE(3, 5, 2, 3)), MOVE_TRANSPOSED);
}

Test(move, equal_shapes_and_parts_are_neither)
{
    cr_expect_eq(move_between(SHAPE(2, 64, 64), SHAPE(2, 64, 64)), MOVE_OTHER);
    cr_expect_eq(move_between(SHAPE(2, 64, 64), SHAPE(2, 64, 32)), MOVE_OTHER);
}

static enum task_kind kind_of_copy(const char *machine, const char *setting)
{
    struct machine_spec *spec;
    struct bench b;
    struct cap c;

    cr_assert_eq(spec_load(&spec, machine, &setting, 1, &b.err), 0, "%s", b.err.msg);
    spec_cap(spec, &c);
    cr_assert_eq(lower_text(&b, "tensor %x f32[64,64,32] input\n", "%y f32[64,2048] = copy(%x)\n",
                            &c, false),
                 0, "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 1);
    enum task_kind kind = b.p.task[0].kind;
    take_down(&b);
    spec_free(spec);
    return kind;
}

Test(move, a_view_is_no_kernel_of_a_framework)
{
    cr_expect_eq(kind_of_copy("v100x1", "launch.framework=graph"), TASK_SCALAR);
    cr_expect_eq(kind_of_copy("xeon-6148", "framework.execution=graph"), TASK_SCALAR);
}
