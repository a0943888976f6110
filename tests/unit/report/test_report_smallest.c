/* The smallest machine that `compare` names where none of those given holds the step. */
#include "report/compare_report.h"
#include "tests/unit/report/report_sample.h"

static char *print_comparison(void report(const char *, const struct report_comparison *, FILE *),
                              const struct report_verdict *v, size_t n)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert(out);
    report("t.trace", &(struct report_comparison){ v, n, NULL }, out);
    fclose(out);
    return text;
}

Test(report_smallest, comparison_of_two_kinds_names_the_smallest_machine_of_both)
{
    struct sample tpu, gpu;
    fill_result(&tpu);
    fill_result(&gpu);
    tpu.r.fits = gpu.r.fits = false;
    tpu.r.chip = "TPU";
    gpu.r.chip = "GPU";
    tpu.r.smallest =
        (struct run_slice){ "tpu-v4-8", "TPU", 4, UINT64_C(1) << 34, UINT64_C(1) << 35 };
    gpu.r.smallest = (struct run_slice){ "h200x1", "GPU", 1, UINT64_C(1) << 36, UINT64_C(1) << 37 };
    const struct report_verdict v[] = {
        { "tpu-v2-8", &tpu.r, NULL, NULL, NULL, 0, false, false },
        { "v100x1", &gpu.r, NULL, NULL, NULL, 0, false, false },
    };

    char *text = print_comparison(report_compare_text, v, 2);
    cr_expect(strstr(text,
                     "\nsmallest TPU or GPU machine that fits: h200x1, 1 GPU with 128 GiB, of "
                     "which it takes 64 GiB\n"),
              "%s", text);
    free(text);
    clear_result(&tpu);
    clear_result(&gpu);
}

Test(report_smallest, comparison_names_the_smallest_slice_where_no_machine_fits)
{
    struct sample big;
    fill_result(&big);
    big.r.fits = false;
    big.r.peak_bytes_per_core = UINT64_C(35541354250);
    big.r.capacity_bytes_per_core = UINT64_C(8589934592);
    const struct report_verdict v[] = { { "tpu-v2-8", &big.r, NULL, NULL, NULL, 0, false, false } };

    char *text = print_comparison(report_compare_text, v, 1);
    cr_assert(strstr(text, "\nnone of the machines can hold it\n\n"), "%s", text);
    free(text);
    big.r.smallest =
        (struct run_slice){ "tpu-v5p-2", "TPU", 1, UINT64_C(35541354250), UINT64_C(102005473280) };
    text = print_comparison(report_compare_text, v, 1);
    cr_assert(strstr(text,
                     "\nsmallest TPU machine that fits: tpu-v5p-2, 1 chip with 95 GiB a core, "
                     "of which it takes 33.1 GiB\n\n"),
              "%s", text);
    free(text);
    text = print_comparison(report_compare_json, v, 1);
    cr_assert(strstr(text, "\"smallest\": [],\n  \"smallest_of_all\": \"tpu-v5p-2\",\n"), "%s",
              text);
    free(text);
    clear_result(&big);
}
