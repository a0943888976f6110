#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "study/scan.h"

/* Trials are placed by list scheduling; makespans were worked out by hand. */

static void expect_makespan(uint64_t places, unsigned long want, const unsigned long *length,
                            size_t n)
{
    mpq_t q[16], makespan;

    mpq_init(makespan);
    for (size_t i = 0; i < n; i++) {
        mpq_init(q[i]);
        mpq_set_ui(q[i], length[i], 1);
    }
    scan_schedule(makespan, q, n, places);
    cr_expect_eq(mpq_cmp_ui(makespan, want, 1), 0, "%lu expected", want);
    for (size_t i = 0; i < n; i++)
        mpq_clear(q[i]);
    mpq_clear(makespan);
}

/* 7 | 6, then 5 after 6, 4 after 7 and 3 after either 11: 14, although 7 + 6 | 5 + 4 + 3 is 13. */
Test(scan, the_longest_trial_goes_where_cores_fall_free_first)
{
    expect_makespan(2, 14, (const unsigned long[]){ 3, 4, 5, 6, 7 }, 5);
    expect_makespan(2, 14, (const unsigned long[]){ 7, 3, 6, 5, 4 }, 5);
    expect_makespan(1, 25, (const unsigned long[]){ 7, 3, 6, 5, 4 }, 5);
    expect_makespan(3, 9, (const unsigned long[]){ 7, 3, 6, 5, 4 }, 5); /* 7, 6 + 3, 5 + 4 */
}

Test(scan, more_places_than_trials_take_the_longest)
{
    expect_makespan(64, 7, (const unsigned long[]){ 3, 7, 5 }, 3);
    expect_makespan(1000000000, 3, (const unsigned long[]){ 3 }, 1);
}

/* Five trials of two traces, in turn: three of the first, two of the second. */
Test(scan, trials_are_dealt_out_in_turn)
{
    static const char text[] = "cyclotron-trace 1\nworkload \"w\"\nsamples step=1 epoch=2\n"
                               "dtype tensors=f32 matmul=bf16 activations=keep\n"
                               "tensor %x f32[8,8] input\nstep {\n%y f32[8,8] = copy(%x)\n}\n";
    char path[] = "/tmp/cyclotron-scan-XXXXXX";
    int fd = mkstemp(path);
    const char *const trace[] = { path, path };
    struct scan_request q = {
        .trace = trace, .n_traces = 2, .machine = "tpu-v3-8", .trials = 5, .cores = 1, .epochs = 1
    };
    struct scan_result r;
    struct err e;

    cr_assert_eq(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    close(fd);
    int rc = scan_run(&q, &r, &e);
    unlink(path);
    cr_assert_eq(rc, 0, "%s", e.msg);
    cr_expect_eq(r.kind[0].trials, 3);
    cr_expect_eq(r.kind[1].trials, 2);
    scan_result_free(&r);
}
