/* One chip simulated for all of a slice tells what all of them tell, walked cycle by cycle: the
 * same report, byte for byte, of reduced steps of every workload. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay_bench.h"

static void expect_same(const char *trace, const char *machine, const char *const *set, size_t n)
{
    uint64_t few, many;
    char *folded = replay_json(trace, machine, set, n, false, &few);
    char *walked = replay_json(trace, machine, set, n, true, &many);

    cr_expect_str_eq(folded, walked, "%s on %s", trace, machine);
    cr_expect_lt(8 * few, many, "%s on %s was not folded", trace, machine);
    free(folded);
    free(walked);
}

static void same_generated(const char *workload, const char *const *set, size_t n)
{
    char path[32];

    generate_trace(path, workload, set, n);
    expect_same(path, "tpu-v3-8", NULL, 0);
    expect_same(path, "tpu-v3-32", NULL, 0);
    unlink(path);
}

/* Walked on 32 cores it would take a minute; the others are. */
Test(alike, a_step_of_3dgan)
{
    char path[32];

    generate_trace(path, "3dgan", SET("batch=1", "x=14", "y=17", "z=13"));
    expect_same(path, "tpu-v3-8", NULL, 0);
    unlink(path);
}

Test(alike, a_step_of_exatrkx)
{
    same_generated("exatrkx", SET("nodes=200", "edges=400", "hidden=16", "iterations=1"));
}

Test(alike, a_step_of_mlpf)
{
    same_generated("mlpf", SET("batch=1", "elements=64", "bins=2", "common=1", "energy=1",
                               "width=32", "distance=16"));
}

Test(alike, a_step_of_a_fully_connected_network)
{
    same_generated("fc", SET("layers=2", "width=128", "input=100", "output=10", "batch=64"));
}

Test(alike, a_torus_of_64_chips_and_one_of_three_dimensions)
{
    expect_same(TINY, "tpu-v3-32",
                SET("slice.cores=128", "slice.mesh_x=8", "slice.mesh_y=8", "ici.algorithm=torus"));
    expect_same(TINY, "tpu-v4-8",
                SET("slice.cores=64", "slice.mesh_x=4", "slice.mesh_y=4", "slice.mesh_z=4"));
}

/* The chips of a corner tell what those do that are their images in a mirror. */
Test(alike, open_meshes_fold_in_the_middle)
{
    expect_same(TINY, "tpu-v3-32", SET("ici.algorithm=torus"));
    expect_same(
        TINY, "tpu-v3-32",
        SET("slice.cores=256", "slice.mesh_x=16", "slice.mesh_y=8", "ici.algorithm=hierarchical"));
    expect_same(TINY, "tpu-v3-32",
                SET("slice.cores=128", "slice.mesh_x=8", "slice.mesh_y=4", "slice.mesh_z=2",
                    "ici.algorithm=torus"));
    /* one dimension closed, one open, one odd */
    expect_same(TINY, "tpu-v3-32",
                SET("slice.cores=192", "slice.mesh_x=4", "slice.mesh_y=8", "slice.mesh_z=3",
                    "slice.wrap_least=8", "ici.algorithm=torus"));
}

Test(alike, a_mesh_on_which_chips_differ_is_simulated_in_full)
{
    uint64_t few, all, walked;
    const char *torus[] = { "ici.algorithm=torus" }, *tree[] = { "ici.algorithm=tree" };
    char *corner = replay_json(TINY, "tpu-v3-32", torus, 1, false, &few);
    char *a = replay_json(TINY, "tpu-v3-32", tree, 1, false, &all);
    char *b = replay_json(TINY, "tpu-v3-32", tree, 1, true, &walked);

    cr_expect_str_eq(a, b);
    cr_expect_gt(all, 3 * few, "sixteen chips take more than four");
    free(corner);
    free(a);
    free(b);
}
