/* Energy in reports: of a step and an epoch, and the power it comes of. */
#include <string.h>

#include "base/memory.h"
#include "tests/unit/report_sample.h"

/* 100 W for 4 ms to 600 W. */
Test(report, energy_is_a_range_where_nobody_published_what_work_takes)
{
    struct sample s;
    fill_result(&s);
    s.r.power.known = true;
    s.r.power_source = (char *)"[meter]";
    struct memory_text t;
    memory_text_begin(&t);
    report_text(&s.r, t.out);
    char *text = memory_text_end(&t);

    cr_expect_not_null(
        strstr(text, "  energy   400 mJ to 2.4 J/step, 400 J to 2.4 kJ/epoch of the chips\n"
                     "           100 W to 600 W: idle, or at its peak at any work; nobody published"
                     " what work takes\n"
                     "           [meter]\n"),
        "%s", text);
    free(text);
    clear_result(&s);
}
