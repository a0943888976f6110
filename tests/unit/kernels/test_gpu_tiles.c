/* Each kernel of the libraries of GPUs alone, and what a library has besides its kernels. */
#include <criterion/criterion.h>

#include "base/units.h"
#include "plain_gpu.h"

/* On a unit of one multiply-accumulate a cycle 16 blocks of n x m, one below the other, take 16 n m
 * (k + k_more) / share cycles; the library believes in its own share, and that blocks whose warps
 * do not divide a k beyond its bound take a fifth more. B comes for each `resident` of them.  As
 * the first kernel of V100 reaches 0.966, pays 34 steps of k more, and the library takes it for a
 * tenth faster, two on an SM: 16 * 16,384 * 15,035 / 0.966 = 4,080,056,977 cycles, 0.9 * 1.2 of
 * that, B 8 times. */
struct kernel {
    uint32_t n, m;
    uint64_t cycles, reckoned;
    uint32_t times;
};

/* clang-format off */
static const struct kernel volta_f32[] = { /* k = 15,001 */
    { 128, 128, UINT64_C(4080056977), UINT64_C(4406461535), 8 },
    { 128, 64, UINT64_C(2112481236), UINT64_C(2661726357), 4 },
    { 128, 32, UINT64_C(1135705658), UINT64_C(1362846789), 4 },
    { 128, 32, UINT64_C(1206567432), UINT64_C(1146239060), 4 },
    { 64, 32, UINT64_C(621767647), UINT64_C(559590882), 2 },
    { 32, 32, UINT64_C(365115252), UINT64_C(310347964), 2 },
    { 32, 128, UINT64_C(1146803617), UINT64_C(1444972557), 4 },
    { 64, 64, UINT64_C(1186209505), UINT64_C(1423451406), 2 },
};
static const struct kernel ampere_f32[] = { /* k = 32,001 */
    { 128, 64, UINT64_C(4605504632), UINT64_C(5526605558), 4 },
    { 32, 128, UINT64_C(2508633416), UINT64_C(2859842094), 4 },
    { 128, 32, UINT64_C(2502646224), UINT64_C(2853016695), 4 },
    { 128, 32, UINT64_C(2606297520), UINT64_C(2345667768), 4 },
    { 64, 32, UINT64_C(1413572657), UINT64_C(1342894024), 2 },
    { 32, 32, UINT64_C(743058492), UINT64_C(668752642), 2 },
    { 128, 128, UINT64_C(8536614022), UINT64_C(10243936826), 8 },
};
static const struct kernel hopper_f32[] = {
    { 128, 128, UINT64_C(330557190), UINT64_C(330557190), 8 },
    { 256, 128, UINT64_C(671683393), UINT64_C(671683393), 16 },
    { 128, 256, UINT64_C(671683393), UINT64_C(671683393), 16 },
    { 256, 64, UINT64_C(356211503), UINT64_C(356211503), 8 },
    { 64, 256, UINT64_C(356211503), UINT64_C(356211503), 8 },
    { 128, 64, UINT64_C(187478157), UINT64_C(187478157), 4 },
    { 64, 128, UINT64_C(193758608), UINT64_C(193758608), 4 },
    { 32, 128, UINT64_C(113849228), UINT64_C(113849228), 4 },
    { 64, 64, UINT64_C(108766392), UINT64_C(108766392), 2 },
    { 32, 32, UINT64_C(36972743), UINT64_C(36972743), 2 },
};
static const struct kernel volta_half[] = {
    { 256, 128, UINT64_C(655635941), UINT64_C(655635941), 16 },
    { 128, 128, UINT64_C(451343582), UINT64_C(451343582), 8 },
    { 64, 128, UINT64_C(163908985), UINT64_C(163908985), 8 },
    { 64, 64, UINT64_C(121651200), UINT64_C(121651200), 4 },
};
static const struct kernel ampere_tf32[] = {
    { 256, 128, UINT64_C(755791792), UINT64_C(755791792), 16 },
    { 128, 128, UINT64_C(363724800), UINT64_C(363724800), 8 },
    { 64, 128, UINT64_C(264527127), UINT64_C(264527127), 8 },
    { 64, 64, UINT64_C(121241600), UINT64_C(121241600), 4 },
};
static const struct kernel ampere_half[] = {
    { 64, 64, UINT64_C(116214459), UINT64_C(116214459), 8 },
    { 64, 128, UINT64_C(202275978), UINT64_C(202275978), 16 },
    { 128, 128, UINT64_C(352198174), UINT64_C(352198174), 16 },
    { 64, 192, UINT64_C(328735484), UINT64_C(328735484), 16 },
    { 64, 256, UINT64_C(352198174), UINT64_C(352198174), 16 },
    { 128, 192, UINT64_C(528297261), UINT64_C(528297261), 16 },
    { 128, 256, UINT64_C(704396348), UINT64_C(704396348), 16 },
};
static const struct kernel hopper_half[] = {
    { 64, 64, UINT64_C(102896819), UINT64_C(102896819), 8 },
    { 64, 128, UINT64_C(218141257), UINT64_C(218141257), 16 },
    { 128, 128, UINT64_C(358448075), UINT64_C(358448075), 16 },
    { 64, 192, UINT64_C(291410076), UINT64_C(291410076), 16 },
    { 64, 256, UINT64_C(358448075), UINT64_C(358448075), 16 },
    { 128, 192, UINT64_C(537672112), UINT64_C(537672112), 16 },
    { 128, 256, UINT64_C(716896150), UINT64_C(716896150), 16 },
};
static const struct kernel hopper_tf32[] = {
    { 128, 256, UINT64_C(830621988), UINT64_C(830621988), 16 },
    { 128, 128, UINT64_C(636143754), UINT64_C(636143754), 16 },
    { 64, 128, UINT64_C(366143193), UINT64_C(366143193), 8 },
    { 64, 64, UINT64_C(164433085), UINT64_C(164433085), 8 },
};
static const struct kernel volta_conv[] = {
    { 128, 128, UINT64_C(278700463), UINT64_C(278700463), 8 },
    { 64, 128, UINT64_C(142347010), UINT64_C(142347010), 4 },
    { 32, 128, UINT64_C(82739200), UINT64_C(82739200), 4 },
};
static const struct kernel ampere_conv[] = {
    { 128, 128, UINT64_C(367729777), UINT64_C(367729777), 8 },
    { 64, 128, UINT64_C(183864888), UINT64_C(183864888), 4 },
    { 32, 128, UINT64_C(100289939), UINT64_C(100289939), 4 },
};
static const struct kernel wgrad_conv[] = {
    { 128, 128, UINT64_C(264765440), UINT64_C(264765440), 8 },
    { 128, 64, UINT64_C(165478400), UINT64_C(165478400), 4 },
    { 64, 128, UINT64_C(264765440), UINT64_C(264765440), 4 },
    { 32, 128, UINT64_C(66191360), UINT64_C(66191360), 4 },
    { 32, 32, UINT64_C(27579733), UINT64_C(27579733), 2 },
};
static const struct kernel volta_conv_half[] = {
    { 128, 256, UINT64_C(614868649), UINT64_C(614868649), 16 },
    { 128, 128, UINT64_C(435490437), UINT64_C(435490437), 8 },
    { 64, 128, UINT64_C(383853714), UINT64_C(383853714), 8 },
    { 64, 256, UINT64_C(325299757), UINT64_C(325299757), 16 },
    { 64, 64, UINT64_C(168779899), UINT64_C(168779899), 4 },
    { 32, 128, UINT64_C(318362085), UINT64_C(318362085), 4 },
};
static const struct kernel ampere_conv_half[] = {
    { 128, 256, UINT64_C(734003200), UINT64_C(734003200), 16 },
    { 128, 128, UINT64_C(443953548), UINT64_C(443953548), 8 },
    { 64, 256, UINT64_C(393216000), UINT64_C(393216000), 16 },
    { 64, 128, UINT64_C(250228363), UINT64_C(250228363), 8 },
    { 128, 64, UINT64_C(250228363), UINT64_C(250228363), 8 },
    { 32, 256, UINT64_C(218453333), UINT64_C(218453333), 4 },
    { 16, 128, UINT64_C(97418378), UINT64_C(97418378), 4 },
};
static const struct kernel ampere_wgrad_half[] = {
    { 128, 256, UINT64_C(734003200), UINT64_C(734003200), 16 },
    { 128, 128, UINT64_C(443953548), UINT64_C(443953548), 8 },
    { 64, 128, UINT64_C(344064000), UINT64_C(344064000), 8 },
    { 128, 64, UINT64_C(344064000), UINT64_C(344064000), 8 },
    { 64, 64, UINT64_C(196608000), UINT64_C(196608000), 4 },
    { 32, 128, UINT64_C(260158060), UINT64_C(260158060), 4 },
};
/* clang-format on */

/* A product of one block of the tile in the columns and 16 in the rows. */
static struct gpu_product tile_product(const struct gpu_tile *t, uint64_t k, enum gpu_math math)
{
    return (struct gpu_product){ .b = 1,
                                 .m = 16 * (uint64_t)t->m,
                                 .n = t->n,
                                 .k = k,
                                 .math = math,
                                 .element = 2,
                                 .ta = true,
                                 .b_bytes = 95000,
                                 .missed = 95000 };
}

/* The product by no more than that tile. */
static struct task_grid grid_of(const struct gpu_tiles *lib, const struct gpu_tile *t,
                                const struct gpu_product *p, const struct cap *cap, u128 *cost)
{
    struct gpu_tiles one = *lib;
    struct gpu_plan plan = { 0 };

    one.tile[0] = *t;
    one.tile[0].serves = GPU_SERVES_ALL;
    one.n = 1;
    one.least_k = UINT32_MAX; /* no parts */
    one.turns = 0;
    gpu_product(&plan, p, &one, cap);
    *cost = plan.cost;
    return plan.kernel[0];
}

#define KERNELS(list) list, sizeof list / sizeof *list
static const struct library {
    enum cap_gpu_isa isa;
    enum gpu_math math;
    enum { PRODUCT, CONV, WGRAD } of;
    const struct kernel *kernel;
    size_t n;
    uint32_t single, batched; /* kernels for lone products; the first for batches */
    uint64_t k, fixed_ns;
    uint64_t bytes; /* that 95,000 of B count as, where streams reach 0.95 of HBM's rate: 95,000 *
                       0.95 / memory */
} libraries[] = {
    { CAP_GPU_VOLTA, GPU_F32, PRODUCT, KERNELS(volta_f32), 7, 6, 15001, 2000, 110060 },
    { CAP_GPU_VOLTA, GPU_HALF, PRODUCT, KERNELS(volta_half), 4, 0, 1000, 2800, 95000 },
    { CAP_GPU_AMPERE, GPU_F32, PRODUCT, KERNELS(ampere_f32), 6, 6, 32001, 1500, 102556 },
    { CAP_GPU_AMPERE, GPU_TF32, PRODUCT, KERNELS(ampere_tf32), 4, 0, 1000, 2500, 112812 },
    { CAP_GPU_AMPERE, GPU_HALF, PRODUCT, KERNELS(ampere_half), 7, 0, 1000, 281, 115261 },
    { CAP_GPU_HOPPER, GPU_F32, PRODUCT, KERNELS(hopper_f32), 10, 0, 1000, 1000, 112812 },
    { CAP_GPU_HOPPER, GPU_TF32, PRODUCT, KERNELS(hopper_tf32), 4, 0, 1000, 1220, 92280 },
    { CAP_GPU_HOPPER, GPU_HALF, PRODUCT, KERNELS(hopper_half), 7, 0, 1000, 499, 101404 },
    { CAP_GPU_VOLTA, GPU_F32, CONV, KERNELS(volta_conv), 3, 0, 1000, 2000, 106176 },
    { CAP_GPU_VOLTA, GPU_F32, WGRAD, KERNELS(wgrad_conv), 5, 0, 1000, 10000, 106176 },
    { CAP_GPU_VOLTA, GPU_HALF, CONV, KERNELS(volta_conv_half), 6, 0, 1000, 5400, 120333 },
    { CAP_GPU_VOLTA, GPU_HALF, WGRAD, KERNELS(volta_conv_half), 6, 0, 1000, 4600, 120333 },
    { CAP_GPU_AMPERE, GPU_F32, CONV, KERNELS(ampere_conv), 3, 0, 1000, 2000, 106176 },
    { CAP_GPU_AMPERE, GPU_F32, WGRAD, KERNELS(wgrad_conv), 5, 0, 1000, 10000, 106176 },
    { CAP_GPU_AMPERE, GPU_HALF, CONV, KERNELS(ampere_conv_half), 7, 0, 1000, 4000, 120333 },
    { CAP_GPU_AMPERE, GPU_HALF, WGRAD, KERNELS(ampere_wgrad_half), 6, 0, 1000, 4000, 120333 },
};

static const struct gpu_tiles *tiles_of(const struct library *l, const struct cap *cap)
{
    struct gpu_conv v = { .kind = l->of == WGRAD ? TRACE_CONV_WGRAD : TRACE_CONV,
                          .math = l->math,
                          .rank = 2 };

    return l->of == PRODUCT ? gpu_tiles(&cap->gpu, l->math) : gpu_conv_tiles(&cap->gpu, &v);
}

static enum grid_pipe pipe_of(const struct library *l)
{
    return l->math == GPU_F32 ? GRID_FMA : GRID_TENSOR;
}

static void check_kernel(const struct library *l, uint32_t i)
{
    struct cap cap = plain_cap(l->isa);
    struct gpu_tiles lib = *tiles_of(l, &cap);
    const struct kernel *k = &l->kernel[i];

    cr_assert_eq(lib.tile[i].n, k->n);
    cr_assert_eq(lib.tile[i].m, k->m);
    lib.time = 0;
    lib.memory = 950000000;
    struct gpu_product p = tile_product(&lib.tile[i], l->k, l->math);
    u128 cost;
    struct task_grid g = grid_of(&lib, &lib.tile[i], &p, &cap, &cost);
    cr_expect_eq(g.cycles[pipe_of(l)], k->cycles, "%u x %u", k->n, k->m);
    cr_expect_eq((uint64_t)(cost / 1000000), k->reckoned, "%u x %u", k->n, k->m);
    cr_expect_eq(g.in.hbm, 95000 * k->times, "%u x %u", k->n, k->m);
}

Test(gpu_tiles, each_kernel_takes_its_time)
{
    for (size_t l = 0; l < sizeof libraries / sizeof *libraries; l++)
        for (uint32_t i = 0; i < libraries[l].n; i++)
            check_kernel(&libraries[l], i);
}

Test(gpu_tiles, each_library_has_its_kernels_fixed_time_and_share_of_memory)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const struct library *l = &libraries[i];
        struct cap cap = plain_cap(l->isa);
        const struct gpu_tiles *lib = tiles_of(l, &cap);
        struct gpu_tile t = lib->tile[0];
        cr_assert_eq(lib->n, l->n);
        for (uint32_t k = 0; k < lib->n; k++) {
            cr_expect_eq(lib->tile[k].serves != GPU_SERVES_BATCH, k < l->single);
            cr_expect_eq(lib->tile[k].serves != GPU_SERVES_LONE, k >= l->batched);
        }
        t.resident = 16; /* all blocks in flight: B comes once */
        struct gpu_product p = tile_product(&t, l->k, l->math);
        u128 cost;
        struct task_grid g = grid_of(lib, &t, &p, &cap, &cost);
        cr_expect_eq(g.fixed_cycles, l->fixed_ns);
        cr_expect_eq(g.in.hbm, l->bytes, "%zu", i);
    }
}

/* The first kernel of a library, by a product that is not what it likes best. */
static struct task_grid first_grid(enum cap_gpu_isa isa, const struct gpu_product *p)
{
    struct cap cap = plain_cap(isa);
    const struct gpu_tiles *lib = gpu_tiles(&cap.gpu, p->math);
    struct gpu_tile t = lib->tile[0];
    u128 cost;

    t.resident = 16;
    return grid_of(lib, &t, p, &cap, &cost);
}

/* Rows of 1,001 elements are no whole vectors of 16 bytes: 16 * 256 * 128 * (1,001 / 0.48 + 110) /
 * 0.77 cycles for TF32 on A100. */
Test(gpu_tiles, rows_that_are_no_whole_vectors_are_slower)
{
    static const struct {
        enum cap_gpu_isa isa;
        enum gpu_math math;
        uint32_t n, m;
        uint64_t cycles;
    } rows[] = {
        { CAP_GPU_AMPERE, GPU_TF32, 256, 128, 1494844952 },
        { CAP_GPU_AMPERE, GPU_HALF, 64, 64, 421913440 },
        { CAP_GPU_HOPPER, GPU_TF32, 128, 256, 1676813259 },
        { CAP_GPU_HOPPER, GPU_HALF, 64, 64, 721867557 },
        { CAP_GPU_VOLTA, GPU_HALF, 256, 128, 656187823 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpu_tile t = { .n = rows[i].n, .m = rows[i].m };
        struct gpu_product p = tile_product(&t, 1001, rows[i].math);
        cr_expect_eq(first_grid(rows[i].isa, &p).cycles[GRID_TENSOR], rows[i].cycles, "%zu", i);
    }
}

/* Both operands along k on H100: 16 * 128 * 128 * 1,034 / 0.82 / 0.945. */
Test(gpu_tiles, h100_is_slower_where_both_operands_are_stored_along_k)
{
    struct gpu_tile t = { .n = 128, .m = 128 };
    struct gpu_product p = tile_product(&t, 1000, GPU_F32);

    p.ta = false;
    p.tb = true;
    cr_expect_eq(first_grid(CAP_GPU_HOPPER, &p).cycles[GRID_FMA], 349795968);
}

/* 16 blocks of 384 rows of 1,000 elements of 2 bytes, of which 0.807 pass.  As 2 x 32 blocks
 * of 64 x 64 32 times 128 columns and twice 2,048 rows, of which 0.206 do. */
Test(gpu_tiles, blocks_of_a_cluster_fetch_together_on_h100)
{
    struct gpu_tile t = { .n = 128, .m = 256 };
    struct gpu_product p = tile_product(&t, 1000, GPU_TF32);

    cr_expect_eq(first_grid(CAP_GPU_HOPPER, &p).in.l2, 9916416);
    t.m = 128;
    p = tile_product(&t, 1000, GPU_HALF);
    cr_expect_eq(first_grid(CAP_GPU_HOPPER, &p).in.l2, 3375104);
}

/* f8 of vLLM: tiles of 64 x 64 up to 64 rows, 128 x 64 up to 128, then 128 x 128, whatever else
 * would be faster [vllm-f8]. */
Test(gpu_tiles, tiles_of_f8_follow_from_the_rows_alone)
{
    static const struct {
        uint64_t m, blocks;
    } row[] = { { 1, 8 }, { 64, 8 }, { 65, 8 }, { 128, 8 }, { 129, 8 }, { 1025, 36 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct cap cap = plain_cap(CAP_GPU_HOPPER);
        struct gpu_product p = {
            .b = 1, .m = row[i].m, .n = 512, .k = 51200, .math = GPU_F8, .element = 1
        };
        struct gpu_plan plan = { 0 };
        cap.gpu.f8 = 1;
        gpu_product(&plan, &p, gpu_tiles(&cap.gpu, GPU_F8), &cap);
        cr_expect_eq(plan.kernel[0].blocks, row[i].blocks, "%zu", i);
    }
}

/* Up to 128 columns of a B that is transposed: 95,000 bytes * 0.95 / 0.42, or 0.76 where k is a
 * power of two. */
Test(gpu_tiles, thin_products_of_v100_reach_less_of_the_memory)
{
    struct gpu_tile t = { .n = 128, .m = 128 };
    struct gpu_product p = tile_product(&t, 1000, GPU_HALF);

    p.tb = true;
    cr_expect_eq(first_grid(CAP_GPU_VOLTA, &p).in.hbm, 214880);
    p.k = 1024;
    cr_expect_eq(first_grid(CAP_GPU_VOLTA, &p).in.hbm, 118750);
    p.n = 129;
    cr_expect_eq(first_grid(CAP_GPU_VOLTA, &p).in.hbm, 95000);
}

/* 16 blocks in a column, 2 at a time: B of 95,000 bytes stays in an L2 of twice that, else it comes
 * 8 times. */
Test(gpu_tiles, an_operand_stays_in_half_of_the_cache)
{
    struct cap cap = plain_cap(CAP_GPU_AMPERE);
    const struct gpu_tiles *lib = gpu_tiles(&cap.gpu, GPU_TF32);
    const struct gpu_tile *t = &lib->tile[1];
    struct gpu_product p = tile_product(t, 1000, GPU_TF32);
    u128 cost;

    cap.gpu.l2_bytes = 190000;
    cr_expect_eq(grid_of(lib, t, &p, &cap, &cost).in.hbm, 95000 * 950 / 800);
    cap.gpu.l2_bytes = 189999;
    cr_expect_eq(grid_of(lib, t, &p, &cap, &cost).in.hbm, 8 * 95000 * 950 / 800);
}

/* Two blocks of 128 rows of A in flight are 256 lines of 128 bytes, 32,768.  Up to a tenth of the
 * L2 they cost 0.3 of A's 10,000 bytes, from six tenths on 1.6, between them 0.3 + 1.3 (x - 0.1) /
 * 0.5: at a half 1.34.  All at 0.82 of the memory, not 0.95. */
Test(gpu_tiles, scattered_rows_of_v100_crowd_the_cache)
{
    static const struct {
        uint64_t l2_bytes, bytes;
    } rows[] = {
        { 400000, 15060 }, { 327680, 15060 }, { 65536, 27109 }, { 50000, 30121 }, { 40000, 30121 }
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cap cap = plain_cap(CAP_GPU_VOLTA);
        const struct gpu_tiles *lib = gpu_tiles(&cap.gpu, GPU_F32);
        struct gpu_product p = tile_product(&lib->tile[0], 1000, GPU_F32);
        u128 cost;
        p.ta = false;
        p.b_bytes = 0;
        p.a_bytes = p.missed = 10000;
        cap.gpu.l2_bytes = rows[i].l2_bytes;
        cr_expect_eq(grid_of(lib, &lib->tile[0], &p, &cap, &cost).in.hbm, rows[i].bytes, "%zu", i);
    }
}
