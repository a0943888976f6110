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

/* A group of boards tells what all of them do: collectives of all chips, of the chips of a group
 * and of chips of several groups. */
Test(alike, one_group_of_boards_stands_for_all)
{
    static const char body[] =
        "cyclotron-trace 1\nworkload \"w\"\nsamples step=1\n"
        "dtype tensors=f32 matmul=bf16 activations=keep\ntensor %x f32[64,64] input\n"
        "step {\n  phase fwd\n  %a f32[64,64] = elementwise(%x) flops=4096\n  all-reduce(%a)\n"
        "  all-reduce(%a) group=64\n  all-reduce(%a) group=16 group-stride=2\n"
        "  %b f32[64,64] = all-to-all(%a) group=32 group-stride=2\n  barrier()\n}\n";
    char path[] = "/tmp/cyclotron-boards-XXXXXX";
    int fd = mkstemp(path);
    uint64_t two, eight;

    cr_assert_eq(write(fd, body, sizeof body - 1), (ssize_t)sizeof body - 1);
    close(fd);
    expect_same(path, "tpu-v8i-128", NULL, 0);
    free(replay_json(path, "tpu-v8i-128", NULL, 0, false, &two));
    free(replay_json(path, "tpu-v8i-512", NULL, 0, false, &eight));
    cr_expect_lt(eight, 2 * two, "%lu activations for 8 groups, %lu for 2", eight, two);
    unlink(path);
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
