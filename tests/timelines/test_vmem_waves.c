/* What waves show of the vector memory: the windows of one kernel after the other.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "timeline_run.h"
#include "vcd_changes.h"

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
