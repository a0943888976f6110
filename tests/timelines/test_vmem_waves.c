/* Waves of the vector memory show the windows of one kernel after the other.  Their sum over time
 * is the occupancy of the report. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "timeline_run.h"
#include "vcd_changes.h"

enum { WORD = 4096, WORDS = 4096 }; /* of a TPU v3: registers of 8 x 128 x 4 B, 16 MiB */

static double find_occupancy(const struct run_result *r)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, "utilization.vmem") == 0)
            return mpq_get_d(r->figures[i].value);
    cr_assert_fail("no column utilization.vmem");
    return 0;
}

Test(vmem_waves, windows_are_held_while_a_kernel_runs)
{
    for (int exact = 0; exact < 2; exact++) {
        static const char *const globs[] = { "chip0.core0.vmem.*" };
        char *text = dump_tiny("tpu-v3-1", exact, globs, 1, 0, DES_NEVER, NULL);
        struct vcd_file f;
        uint64_t bytes = 0, kernels = 0;

        cr_assert(vcd_file_read(&f, text), "%s", f.error);
        int held = vcd_code_of(&f, "chip0.core0.vmem.held");
        for (size_t i = f.n_first; i < f.n_changes; i++)
            if (f.change[i].code == held) {
                cr_expect(!bytes != !f.change[i].value, "a kernel at a time, nothing in between");
                bytes = f.change[i].value;
                cr_expect_leq(bytes, 16 << 20);
                kernels += bytes != 0;
            }
        cr_expect_eq(bytes, 0);
        /* 15 operations up to the gradients, 2 optimizers, one in a loop of 3 */
        cr_expect_eq(kernels, 20);
        vcd_file_free(&f);
        free(text);
    }
}

Test(vmem_waves, held_bytes_over_time_are_the_occupancy)
{
    for (int exact = 0; exact < 2; exact++) {
        static const char *const globs[] = { "chip0.core0.vmem.*" };
        struct run_result r;
        char *text = dump_tiny("tpu-v3-1", exact, globs, 1, 0, DES_NEVER, &r);
        struct vcd_file f;
        double sum = 0;
        uint64_t words = 0, since = 0, most = 0;

        cr_assert(vcd_file_read(&f, text), "%s", f.error);
        int held = vcd_code_of(&f, "chip0.core0.vmem.held");
        since = f.begin;
        for (size_t i = 0; i < f.n_changes; i++) {
            const struct vcd_file_change *c = &f.change[i];
            if (c->code != held)
                continue;
            sum += (double)words * (double)(c->time - since);
            words = (c->value + WORD - 1) / WORD;
            since = c->time;
            most = words > most ? words : most;
        }
        cr_expect_eq(words, 0, "nothing is held between kernels");
        cr_expect_gt(most, 0);
        cr_expect_leq(most, WORDS);
        sum /= (double)WORDS * (double)(f.end - f.begin);
        cr_expect_lt(fabs(sum / find_occupancy(&r) - 1), 1e-6, "%g, %g", sum, find_occupancy(&r));
        vcd_file_free(&f);
        run_result_free(&r);
        free(text);
    }
}
