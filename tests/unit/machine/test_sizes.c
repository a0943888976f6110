/* Legal slices: sizes and shapes by the tables of Google Cloud, names in every spelling, and what
 * is said of an illegal size. */
#include <criterion/criterion.h>
#include <string.h>

#include "machine/spec/sizes.h"
#include "machine/spec/spec.h"

static struct machine_spec *load_machine(const char *name)
{
    struct machine_spec *m = NULL;
    struct err e;

    cr_assert_eq(spec_load(&m, name, NULL, 0, &e), 0, "%s: %s", name, e.msg);
    return m;
}

/* TensorCores, devices, chips, hosts and shape as the pages of each generation list them. */
Test(sizes, slices_have_the_published_shapes)
{
    static const struct {
        const char *name;
        uint32_t devices, chips, hosts, x, y, z;
        const char *closed; /* dimensions that are rings */
    } rows[] = {
        { "tpu-v2-128", 128, 64, 16, 8, 8, 1, "xy" },
        { "tpu-v2-256", 256, 128, 32, 8, 16, 1, "xy" },
        { "tpu-v3-1", 1, 1, 1, 1, 1, 1, "" },
        { "tpu-v3-32", 32, 16, 4, 4, 4, 1, "" },
        { "tpu-v3-64", 64, 32, 8, 4, 8, 1, "y" },
        { "tpu-v3-1024", 1024, 512, 128, 16, 32, 1, "xy" },
        { "tpu-v4-16", 8, 8, 2, 2, 2, 2, "" },
        { "tpu-v4-32", 16, 16, 4, 2, 2, 4, "" },
        { "tpu-v4-64", 32, 32, 8, 2, 4, 4, "" },
        { "tpu-v4-128", 64, 64, 16, 4, 4, 4, "xyz" },
        { "tpu-v4-384", 192, 192, 48, 4, 4, 12, "xyz" },
        { "tpu-v4-512", 256, 256, 64, 4, 8, 8, "xyz" },
        { "tpu-v4-1536", 768, 768, 192, 8, 8, 12, "xyz" },
        { "tpu-v4-4096", 2048, 2048, 512, 8, 16, 16, "xyz" },
        { "tpu-v5e-4", 4, 4, 1, 2, 2, 1, "" },
        { "tpu-v5e-8", 8, 8, 1, 2, 4, 1, "" },
        { "tpu-v5e-16", 16, 16, 2, 4, 4, 1, "" },
        { "tpu-v5e-128", 128, 128, 16, 8, 16, 1, "y" },
        { "tpu-v5e-256", 256, 256, 32, 16, 16, 1, "xy" },
        { "tpu-v5p-128", 64, 64, 16, 4, 4, 4, "xyz" },
        { "tpu-v5p-640", 320, 320, 80, 4, 4, 20, "xyz" },
        { "tpu-v5p-3072", 1536, 1536, 384, 8, 12, 16, "xyz" },
        { "tpu-v5p-8960", 4480, 4480, 1120, 8, 20, 28, "xyz" },
        { "tpu-v5p-12288", 6144, 6144, 1536, 16, 16, 24, "xyz" },
        { "tpu-v6e-8", 8, 8, 1, 2, 4, 1, "" },
        { "tpu-v6e-32", 32, 32, 4, 4, 8, 1, "" },
        { "tpu-v6e-64", 64, 64, 8, 8, 8, 1, "" },
        { "tpu-v7-64", 64, 32, 8, 2, 4, 4, "" },
        { "tpu-v7-18432", 18432, 9216, 2304, 16, 24, 24, "xyz" },
        { "tpu-v8i-2", 2, 1, 1, 1, 1, 1, "" },
        { "tpu-v8i-8", 8, 4, 1, 4, 1, 1, "x" },
        { "tpu-v8i-64", 64, 32, 8, 4, 8, 1, "x" },
        { "tpu-v8i-2304", 2304, 1152, 288, 4, 8, 36, "x" },
        { "tpu-v8t-19200", 19200, 9600, 2400, 20, 20, 24, "xyz" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m = load_machine(rows[i].name);
        struct mesh mesh;
        char closed[4] = "";
        spec_mesh(m, &mesh);
        for (int d = 0; d < 3; d++)
            if (mesh.n[d] > 1 && mesh.wrap[d])
                strncat(closed, &"xyz"[d], 1);
        cr_expect_eq(m->slice.cores, rows[i].devices, "%s: %u", m->name, m->slice.cores);
        cr_expect_eq(spec_chips(m), rows[i].chips, "%s: %u", m->name, spec_chips(m));
        cr_expect_eq(spec_hosts(m), rows[i].hosts, "%s: %u", m->name, spec_hosts(m));
        cr_expect(mesh.n[0] == rows[i].x && mesh.n[1] == rows[i].y && mesh.n[2] == rows[i].z,
                  "%s: %u x %u x %u", m->name, mesh.n[0], mesh.n[1], mesh.n[2]);
        cr_expect_str_eq(closed, rows[i].closed, "%s", m->name);
        spec_free(m);
    }
}

/* Boxes of GPUs: a cloud offers up to 8 in one, larger ones are nodes of 8. */
Test(sizes, boxes_have_the_gpus_of_their_names)
{
    static const struct {
        const char *name, *own;
        uint32_t gpus, nodes, of_node;
        double usd_per_hour;
    } rows[] = {
        { "v100x1", "v100x1", 1, 1, 1, 1.8 },
        { "V100X4", "v100x4", 4, 1, 4, 7.2 },
        { "a100x2", "a100x2", 2, 1, 2, 7.346 },
        { "h100x8", "h100x8", 8, 1, 8, 87.84 },
        { "v100x24", "v100x24", 24, 3, 8, 43.2 },
        { "v100x128", "v100x128", 128, 16, 8, 230.4 },
        { "h100x16", "h100x16", 16, 2, 8, 175.68 },
        { "a100x4480", "a100x4480", 4480, 560, 8, 16455.04 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m = load_machine(rows[i].name);
        cr_expect_str_eq(m->name, rows[i].own);
        cr_expect_eq(spec_cores(m), rows[i].gpus, "%s: %u", m->name, spec_cores(m));
        cr_expect_eq(spec_hosts(m), rows[i].nodes, "%s: %u", m->name, spec_hosts(m));
        cr_expect_eq(m->slice.mesh_x, rows[i].of_node, "%s: %u", m->name, m->slice.mesh_x);
        cr_expect_eq(m->dcn.slices, rows[i].nodes, "%s: %u", m->name, m->dcn.slices);
        cr_expect_float_eq((double)m->price.chip_on_demand / 1e9 * rows[i].gpus,
                           rows[i].usd_per_hour, 1e-6, "%s", m->name);
        spec_free(m);
    }
}

/* Each of 9 generations of TPUs and 6 of GPUs: how many sizes it has, the smallest and the largest.
 */
Test(sizes, every_legal_size_is_a_machine)
{
    static const struct {
        const char *generation;
        uint32_t count, smallest, largest;
    } rows[] = {
        { "tpu-v2", 6, 1, 512 },          { "tpu-v3", 9, 1, 2048 },
        { "tpu-v4", 5 + 64, 2, 8192 },    { "tpu-v5e", 8, 1, 256 },
        { "tpu-v5p", 5 + 96, 2, 12288 },  { "tpu-v6e", 8, 1, 256 },
        { "tpu-v7", 6 + 144, 1, 18432 },  { "tpu-v8i", 3 + 36, 1, 2304 },
        { "tpu-v8t", 6 + 150, 1, 19200 }, { "a100", 3 + 560, 1, 4480 },
        { "b200", 3 + 448, 1, 3584 },     { "gb200", 7 + 8, 1, 576 },
        { "h100", 3 + 448, 1, 3584 },     { "h200", 3 + 448, 1, 3584 },
        { "v100", 3 + 16, 1, 128 },
    };
    size_t n = sizeof rows / sizeof *rows;

    cr_assert_null(sizes_generation(n));
    for (size_t i = 0; i < n; i++) {
        struct sizes_slice s, back;
        uint32_t count = 0, number = 0;
        cr_assert_str_eq(sizes_generation(i), rows[i].generation);
        while (sizes_after(rows[i].generation, number, &s)) {
            cr_expect(number || s.number == rows[i].smallest, "%s", s.name);
            if (number) {
                cr_expect(sizes_before(rows[i].generation, s.number, &back));
                cr_expect_eq(back.number, number, "before %s: %s", s.name, back.name);
            }
            number = s.number;
            count++;
            spec_free(load_machine(s.name));
        }
        cr_expect_eq(count, rows[i].count, "%s: %u", rows[i].generation, count);
        cr_expect_eq(number, rows[i].largest, "%s: %u", rows[i].generation, number);
        cr_expect_not(sizes_before(rows[i].generation, rows[i].smallest, &s));
        cr_expect(sizes_before(rows[i].generation, UINT32_MAX, &s) && s.number == number);
    }
}

Test(sizes, a_machine_calls_itself_by_one_name)
{
    static const char *const rows[][2] = {
        { "TPU-V3-8", "tpu-v3-8" },       { "v3-8", "tpu-v3-8" },
        { "V5E-16", "tpu-v5e-16" },       { "v5litepod-16", "tpu-v5e-16" },
        { "tpu7x-64", "tpu-v7-64" },      { "tpu-v7x-64", "tpu-v7-64" },
        { "TPU8i-64", "tpu-v8i-64" },     { "8t-128", "tpu-v8t-128" },
        { "v4-512:4x8x8", "tpu-v4-512" }, { "tpu-v4-512:16X4x4", "tpu-v4-512:4x4x16" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m = load_machine(rows[i][0]);
        cr_expect_str_eq(m->name, rows[i][1]);
        spec_free(m);
    }
}

Test(sizes, a_shape_may_be_asked_for)
{
    struct machine_spec *m = load_machine("tpu-v4-512:4x4x16");

    cr_expect_eq(m->slice.mesh_x, 4);
    cr_expect_eq(m->slice.mesh_y, 4);
    cr_expect_eq(m->slice.mesh_z, 16);
    cr_expect_eq(spec_chips(m), 256);
    spec_free(m);
}

/* A pod's sums go along all dimensions at once, those of a board in the order of its file. */
Test(sizes, large_slices_sum_along_all_dimensions)
{
    struct machine_spec *small = load_machine("tpu-v3-32"), *large = load_machine("tpu-v3-64");

    cr_expect_eq(small->ici.algorithm, SCHEDULE_RING);
    cr_expect_eq(large->ici.algorithm, SCHEDULE_TORUS);
    spec_free(small);
    spec_free(large);
}

Test(sizes, an_illegal_size_names_the_nearest_legal_ones)
{
    static const char *const rows[][2] = {
        { "tpu-v3-48", "unknown machine 'tpu-v3-48': no slice of tpu-v3 has 48 TensorCores; the "
                       "nearest are tpu-v3-32 and tpu-v3-64" },
        { "V4-200", "unknown machine 'V4-200': no slice of tpu-v4 has 200 TensorCores; the nearest "
                    "are tpu-v4-128 and tpu-v4-256" },
        { "v4-8320", "unknown machine 'v4-8320': no slice of tpu-v4 has 8320 TensorCores; the "
                     "largest is tpu-v4-8192" },
        { "v4-1", "unknown machine 'v4-1': no slice of tpu-v4 has 1 TensorCore; the smallest is "
                  "tpu-v4-2" },
        { "v3-0", "unknown machine 'v3-0': no slice of tpu-v3 has 0 TensorCores; the smallest is "
                  "tpu-v3-1" },
        { "v3-4096", "unknown machine 'v3-4096': no slice of tpu-v3 has 4096 TensorCores; the "
                     "largest is tpu-v3-2048" },
        { "v4-512:2x8x16", "unknown machine 'v4-512:2x8x16': no shape of tpu-v4-512, whose 256 "
                           "chips may be 4x4x16, 4x8x8" },
        { "v8i-32", "unknown machine 'v8i-32': no slice of tpu-v8i has 32 TensorCores; the nearest "
                    "are tpu-v8i-8 and tpu-v8i-64" },
        { "v8i-128:8x8x1", "unknown machine 'v8i-128:8x8x1': no shape of tpu-v8i-128, whose 64 "
                           "chips may be 4x8x2" },
        { "v5e:2x2", "unknown machine 'v5e:2x2'; the machine of that topology is tpu-v5e-4" },
        { "v5litepod:4x2", "unknown machine 'v5litepod:4x2'; the machine of that topology is "
                           "tpu-v5e-8" },
        { "tpu7x:2x2x1",
          "unknown machine 'tpu7x:2x2x1'; the machine of that topology is tpu-v7-8" },
        { "v3:4x4", "unknown machine 'v3:4x4'; the machine of that topology is tpu-v3-32" },
        { "v4:4x4x4", "unknown machine 'v4:4x4x4'; the machine of that topology is tpu-v4-128" },
        { "v100x3",
          "unknown machine 'v100x3': no box of v100 has 3 GPUs; the nearest are v100x2 and "
          "v100x4" },
        { "V100x12",
          "unknown machine 'V100x12': no box of v100 has 12 GPUs; the nearest are v100x8 "
          "and v100x16" },
        { "v100x256", "unknown machine 'v100x256': no box of v100 has 256 GPUs; the largest is "
                      "v100x128" },
        { "a100x8:8", "unknown machine 'a100x8:8': a box has no shape; there is a100x8" },
        { "tpu-a100x8", "unknown machine 'tpu-a100x8'; did you mean 'a100x8'? (`cyclotron machine "
                        "list` names all)" },
        { "v3-32:2x8", "unknown machine 'v3-32:2x8': no shape of tpu-v3-32, whose 16 chips may be "
                       "4x4" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m;
        struct err e;
        cr_assert_eq(spec_load(&m, rows[i][0], NULL, 0, &e), -1, "%s was taken", rows[i][0]);
        cr_expect_eq(e.code, ERR_UNKNOWN);
        cr_expect_str_eq(e.msg, rows[i][1]);
    }
}

Test(sizes, a_summary_says_what_a_slice_is_made_of)
{
    static const char *const rows[][2] = {
        { "v100x4", "4 x NVIDIA V100 SXM2, 16 GB each" },
        { "h100x32", "4 nodes of 8 x NVIDIA H100 SXM5, 80 GB each" },
        { "v3-1", "TPU v3-1: one core of a chip; the other one idles" },
        { "v3-8", "TPU v3-8: 4 chips (2x2 mesh), 8 cores, 1 host" },
        { "v3-64", "TPU v3-64: 32 chips (4x8 mesh, y closed), 64 cores, 8 hosts" },
        { "v4-2", "TPU v4-2: 1 chip, 1 device of 2 TensorCores, 1 host" },
        { "v4-512", "TPU v4-512: 256 chips (4x8x8 torus), 256 devices of 2 TensorCores, 64 hosts" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *summary = catalog_summary(rows[i][0]);
        cr_expect_str_eq(summary, rows[i][1]);
        free(summary);
    }
}

/* NCCL goes around a box: the last GPU has a link to the first. */
Test(sizes, boxes_are_rings)
{
    static const char *const rows[] = { "v100x2", "v100x4", "a100x8",   "h100x16",
                                        "h200x8", "b200x8", "gb200x72", "dgx-1v" };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m = load_machine(rows[i]);
        struct mesh mesh;
        spec_mesh(m, &mesh);
        cr_expect(mesh.n[0] == m->slice.mesh_x && mesh.wrap[0], "%s", m->name);
        spec_free(m);
    }
}
