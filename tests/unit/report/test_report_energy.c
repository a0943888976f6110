/* Energy in reports: of a step and an epoch, and the power it comes of. */
#include <string.h>

#include "base/memory.h"
#include "tests/unit/report/report_sample.h"

static char *print_report(void report(const struct run_result *, FILE *),
                          const struct run_result *r)
{
    struct memory_text t;

    memory_text_begin(&t);
    report(r, t.out);
    return memory_text_end(&t);
}

/* 2.4 USD/h and 500 W: by hand */
Test(report, a_run_of_epochs_has_its_time_cost_and_energy)
{
    struct sample s;
    fill_result(&s);
    s.r.epochs = 900; /* of 4 s: an hour */
    s.r.power.known = s.r.power.by_work = true;
    s.r.power_source = (char *)"[meter]";
    char *text = print_report(report_text, &s.r);

    cr_expect_not_null(strstr(text, "  run      900 epochs in 1 h, 8 USD on demand, 2.4 USD"
                                    " preemptible\n"
                                    "  energy   2 J/step, 2 kJ/epoch of the chips\n"
                                    "           500 W: idle 100 W, memory 400 W\n"
                                    "           [meter]\n"),
                       "%s", text);
    free(text);
    text = print_report(report_json, &s.r);
    cr_expect_not_null(
        strstr(text, "  \"joules_per_step\": 2,\n  \"joules_per_epoch\": 2000,\n"
                     "  \"watts\": {\"least\": 100, \"most\": 600, \"average\":"
                     " 500, \"idle\": 100, \"busy\": 0, \"products\": 0,"
                     " \"vector\": 0, \"memory\": 400, \"links\": 0, \"source\": \"[meter]\"},\n"
                     "  \"run\": {\"epochs\": 900, \"seconds\": 3600, \"usd\":"
                     " {\"on_demand\": 8, \"preemptible\": 2.4}, \"joules\":"
                     " 1800000},\n"),
        "%s", text);
    free(text);
    clear_result(&s);
}

/* 100 W for 4 ms to 600 W. */
Test(report, energy_is_a_range_where_nobody_published_what_work_takes)
{
    struct sample s;
    fill_result(&s);
    s.r.power.known = true;
    s.r.power_source = (char *)"[meter]";
    char *text = print_report(report_text, &s.r);

    cr_expect_not_null(
        strstr(text, "  energy   400 mJ to 2.4 J/step, 400 J to 2.4 kJ/epoch of the chips\n"
                     "           100 W to 600 W: idle, or at its peak at any work; nobody published"
                     " what work takes\n"
                     "           [meter]\n"),
        "%s", text);
    free(text);
    clear_result(&s);
}
