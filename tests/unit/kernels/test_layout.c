/* Tiles of arrays in HBM, worked out by hand: 128 lanes, 8 sublanes. */
#include <criterion/criterion.h>

#include "kernels/common/layout.h"
#include "kernels/common/vector.h"

static const struct cap cap = { .xla.layout = XLA_COMPACT, .lanes = 128, .sublanes = 8 };

static struct tiling_order make_layout(uint64_t a, uint64_t b, uint64_t c, enum trace_dtype dtype)
{
    struct trace_shape s = { .dtype = dtype, .rank = 3, .dim = { a, b, c } };

    return layout_of(&s, dtype, &cap);
}

Test(layout, an_array_takes_whole_tiles_in_its_best_order)
{
    /* bf16[1,9,200]: 16 x 256 with 200 on the lanes is 8192 B; 200 x 128 with 9 there 51,200 B */
    cr_expect_eq(make_layout(1, 9, 200, TRACE_BF16).bytes, 16 * 256 * 2);
    cr_expect_eq(make_layout(1, 9, 200, TRACE_BF16).minor, 2);
    /* bf16[10,836,5]: 836 on the lanes is 896, 5 rows are a tile of 8 and 10 are 16: 10 * 8 = 80
     * rows or 5 * 16 = 80, of which the later dimension is taken */
    cr_expect_eq(make_layout(10, 836, 5, TRACE_BF16).bytes, 80 * 896 * 2);
    cr_expect_eq(make_layout(10, 836, 5, TRACE_BF16).minor, 1);
    cr_expect_eq(make_layout(10, 836, 5, TRACE_BF16).second, 2);
}

static uint64_t make_plane(uint64_t rows, uint64_t columns, enum trace_dtype dtype)
{
    struct trace_shape s = { .dtype = dtype, .rank = 2, .dim = { rows, columns } };

    return layout_of(&s, dtype, &cap).bytes;
}

Test(layout, tiles_shrink_with_the_second_dimension_and_packed_elements_fill_a_sublane)
{
    cr_expect_eq(make_plane(3, 128, TRACE_F32), 4 * 128 * 4, "(4,128)");
    cr_expect_eq(make_plane(1, 128, TRACE_F32), 1 * 128 * 4, "(1,128)");
    cr_expect_eq(make_plane(1, 128, TRACE_BF16), 2 * 128 * 2, "(2,128)");
    cr_expect_eq(make_plane(1, 128, TRACE_S8), 4 * 128 * 1, "(4,128)");
    cr_expect_eq(make_plane(17, 128, TRACE_F32), 24 * 128 * 4, "three of (8,128)");
}

Test(layout, without_tiles_an_array_takes_its_elements)
{
    struct cap plain = { .lanes = 128, .sublanes = 8 };
    struct trace_shape s = { .dtype = TRACE_BF16, .rank = 2, .dim = { 3, 5 } };

    cr_expect_eq(layout_of(&s, TRACE_BF16, &plain).bytes, 30);
}

Test(layout, an_operand_is_laid_out_anew_where_the_order_of_the_result_costs_it_more)
{
    /* bf16[16,128,36] is least with 16 rows of a tile; the halves joined, [16,128,72], are least
     * (a tie) with 72, which would take 40 rows of tiles for 36 */
    struct trace_shape half = { .dtype = TRACE_BF16, .rank = 3, .dim = { 16, 128, 36 } };
    struct trace_shape whole = { .dtype = TRACE_BF16, .rank = 3, .dim = { 16, 128, 72 } };

    cr_expect(layout_differs(&half, TRACE_BF16, &whole, TRACE_BF16, &cap));
    half.dim[2] = 40;
    whole.dim[2] = 80;
    cr_expect_not(layout_differs(&half, TRACE_BF16, &whole, TRACE_BF16, &cap));
}

static bool lacks_lanes(struct trace_shape v, struct trace_shape other)
{
    struct step_value a = { .shape = v, .stored = v.dtype },
                      b = { .shape = other, .stored = other.dtype };

    return vector_lacks_lanes(&a, &b, &cap);
}

/* 256 of f32[64,256] lie on the lanes. */
Test(layout, an_array_lacks_lanes_where_it_has_one_or_no_such_dimension)
{
    const struct trace_shape plane = { .dtype = TRACE_F32, .rank = 2, .dim = { 64, 256 } };

    cr_expect_not(lacks_lanes(plane, plane));
    cr_expect(lacks_lanes(plane,
                          (struct trace_shape){ .dtype = TRACE_F32, .rank = 2, .dim = { 64, 1 } }));
    cr_expect(
        lacks_lanes(plane, (struct trace_shape){ .dtype = TRACE_F32, .rank = 1, .dim = { 64 } }));
    cr_expect_not(
        lacks_lanes((struct trace_shape){ .dtype = TRACE_F32, .rank = 1, .dim = { 64 } }, plane));
}

/* 200 of f32[200,16] lie on the lanes, 256 of f32[200,256]: all that is laid out anew.  A
 * transposed array is only turned. */
Test(layout, an_array_in_another_order_is_laid_out_anew)
{
    struct step_value in = { .shape = { .dtype = TRACE_F32, .rank = 2, .dim = { 200, 16 } },
                             .stored = TRACE_F32 };
    struct step_value out = { .shape = { .dtype = TRACE_F32, .rank = 2, .dim = { 200, 256 } },
                              .stored = TRACE_F32 };
    struct step_value turned = { .shape = { .dtype = TRACE_F32, .rank = 2, .dim = { 16, 200 } },
                                 .stored = TRACE_F32 };
    struct cap relays = cap;
    struct work w = { 0 };

    relays.xla.relayout_time = 5;
    cr_expect(vector_relay(&w, &in, &out, &relays));
    cr_expect_eq(w.extra_cycles, 5);
    cr_expect_eq(w.out.bytes, 256 * 16 * 4);
    cr_expect_not(vector_relay(&w, &in, &turned, &relays));
}

/* 16 sublanes of 256 lanes are four tiles of 8 x 128, which are padded as before: f32[9,129] is
 * 2 x 2 of them, one register; f32[17,129] 3 x 2, two registers; f32[5000] five tiles. */
Test(layout, a_register_larger_than_a_tile_holds_several)
{
    struct cap large = cap;
    struct step_value v = { .stored = TRACE_F32,
                            .shape = { .dtype = TRACE_F32, .rank = 2, .dim = { 9, 129 } } };

    large.vector_elements = 16 * 256;
    cr_expect_eq(layout_tiles(&v, 8, &large), 1);
    cr_expect_eq(layout_tiles(&v, 8, &cap), 4);
    v.shape.dim[0] = 17;
    cr_expect_eq(layout_tiles(&v, 8, &large), 2);
    v.shape = (struct trace_shape){ .dtype = TRACE_F32, .rank = 1, .dim = { 5000 } };
    cr_expect_eq(layout_tiles(&v, 8, &large), 2);
    cr_expect_eq(layout_tiles(&v, 8, &cap), 5);
}
