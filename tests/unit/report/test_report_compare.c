/* The report of `compare` on several machines. */
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

Test(report, comparison_names_the_fastest_and_the_cheapest_that_fit)
{
    struct sample slow, fast, big;
    fill_result(&slow);
    fill_result(&fast);
    fill_result(&big);
    mpq_set_ui(slow.r.samples_per_second, 32000, 1); /* slow but cheap: 1 USD/h for 115.2 M */
    mpq_set_ui(slow.r.usd_per_hour, 1, 1);
    slow.r.chips = 2;
    mpq_set_ui(slow.r.usd_per_epoch, 1, 1); /* an epoch that drops less costs more: no matter */
    big.r.fits = false;                     /* faster and cheaper than both, and of no use */
    big.r.peak_bytes_per_core = UINT64_C(35541354250);
    big.r.capacity_bytes_per_core = UINT64_C(8589934592);
    mpq_set_ui(big.r.samples_per_second, 128000, 1);
    mpq_set_ui(big.r.usd_per_hour, 0, 1);
    const struct report_verdict v[] = {
        { "tpu-v2-8", &big.r, NULL, NULL, NULL, 0, false, false },
        { "tpu-v3-8", &fast.r, NULL, NULL, NULL, 0, false, false },
        { "v100x1", &slow.r, NULL, NULL, NULL, 0, false, false },
        { "odd", NULL, "t.trace:3: no", NULL, NULL, 0, false, false },
    };

    char *text = print_comparison(report_compare_text, v, 4);
    expect_same(
        text,
        "t.trace: a global batch of 256 samples on each machine\n"
        "cheapest: v100x1, 0.008681 USD/M\n"
        "fastest: tpu-v3-8, 64000 samples/s\n"
        "smallest that fits: v100x1, 2 chips with 16 GiB a core\n"
        "\n"
        "machine  fits chips   batch samples/s   error  known   per chip     USD/M    ms/step   "
        "s/epoch "
        "USD/epoch"
        "  bound by  memory of a core\n"
        "tpu-v2-8  no      4     256    128000   1.0 %  100.0      32000         0          4      "
        "   4  "
        "0.008889"
        "  mxu       33.1 GiB of 8 GiB, 4.14 times\n"
        "tpu-v3-8  yes     4     256     64000   1.0 %  100.0      16000   0.03472          4      "
        "   4  "
        "0.008889"
        "  mxu       4 GiB of 16 GiB\n"
        "v100x1    yes     2     256     32000   1.0 %  100.0      16000  0.008681          4      "
        "   4    "
        "     1"
        "  mxu       4 GiB of 16 GiB\n"
        "odd       no   cannot run it: t.trace:3: no\n"
        "batch: samples of a step; per chip: samples/s; USD/M: for a million samples\n"
        "error: to expect of samples/s, times and costs, either way (`replay` says what it rests "
        "on)\n"
        "known: % of the step whose work could be read and data do not decide; >: work is left "
        "out\n"
        "price [ju-2020]: tpu-v2-8, tpu-v3-8, v100x1\n"
        "Where the trace does not fit, times and costs are as if the memory were larger.\n");
    free(text);
    clear_result(&slow);
    clear_result(&fast);
    clear_result(&big);
}

/* Machines that share a reason are listed once, with the text of the first. */
Test(report, comparison_that_no_machine_can_run_says_each_reason_once)
{
    static const char *const why[] = {
        "t.hlo: not for tpu-v6e-4: compile it again, `v6e:2x2`",
        "t.hlo: not for tpu-v2-8: compile it again, `v2:2x2`",
        "t.hlo: not for a100x4, which --retile does not change",
        "t.hlo: not for a100x8, which --retile does not change",
        "t.hlo: not for v100x1, of which it has no 4",
    };
    const struct report_verdict v[] = {
        { "tpu-v6e-4", NULL, why[0], NULL, NULL, 0, false, false },
        { "a100x4", NULL, why[2], NULL, NULL, 0, false, false },
        { "tpu-v2-8", NULL, why[1], NULL, NULL, 0, false, false },
        { "a100x8", NULL, why[3], NULL, NULL, 0, false, false },
        { "v100x1", NULL, why[4], NULL, NULL, 0, false, false },
    };
    char *text = print_comparison(report_compare_text, v, 5);

    expect_same(text, "t.trace: none of the machines can run it\n"
                      "\n"
                      "cannot run it, 2 of 5: tpu-v6e-4, tpu-v2-8\n"
                      "  tpu-v6e-4: t.hlo: not for tpu-v6e-4: compile it again, `v6e:2x2`\n"
                      "cannot run it, 2 of 5: a100x4, a100x8\n"
                      "  a100x4: t.hlo: not for a100x4, which --retile does not change\n"
                      "cannot run it, 1 of 5: v100x1\n"
                      "  v100x1: t.hlo: not for v100x1, of which it has no 4\n");
    free(text);
}

Test(report, comparison_names_all_that_are_equal_and_shows_long_epochs_in_hours)
{
    struct sample s, slow;
    fill_result(&s);
    fill_result(&slow);
    mpq_set_ui(slow.r.seconds_per_epoch, 5400, 1);
    const struct report_verdict v[] = { { "a", &s.r, NULL, NULL, NULL, 0, false, false },
                                        { "slow", &slow.r, NULL, NULL, NULL, 0, false, false },
                                        { "b", &s.r, NULL, NULL, NULL, 0, false, false },
                                        { "c", &s.r, NULL, NULL, NULL, 0, false, false } };
    char *text = print_comparison(report_compare_text, v, 2);

    expect_same(
        text,
        "t.trace: a global batch of 256 samples on each machine\n"
        "cheapest: a and slow, 0.03472 USD/M\n"
        "fastest: a and slow, 64000 samples/s\n"
        "smallest that fits: a and slow, 4 chips with 16 GiB a core\n"
        "\n"
        "machine fits chips   batch samples/s   error  known   per chip     USD/M    ms/step   "
        "h/epoch "
        "USD/epoch"
        "  bound by  memory of a core\n"
        "a        yes     4     256     64000   1.0 %  100.0      16000   0.03472          4  "
        "0.001111  "
        "0.008889"
        "  mxu       4 GiB of 16 GiB\n"
        "slow     yes     4     256     64000   1.0 %  100.0      16000   0.03472          4       "
        "1.5  "
        "0.008889"
        "  mxu       4 GiB of 16 GiB\n"
        "batch: samples of a step; per chip: samples/s; USD/M: for a million samples\n"
        "error: to expect of samples/s, times and costs, either way (`replay` says what it rests "
        "on)\n"
        "known: % of the step whose work could be read and data do not decide; >: work is left "
        "out\n"
        "price [ju-2020]: a, slow\n");
    free(text);
    mpq_set_ui(slow.r.samples_per_second, 63999, 1);
    text = print_comparison(report_compare_text, v, 4);
    static const char all[] = "t.trace: a global batch of 256 samples on each machine\n"
                              "cheapest: a, b and c, 0.03472 USD/M; open: slow may be it too\n"
                              "fastest: a, b and c, 64000 samples/s; open: slow may be it too\n";
    cr_assert(strncmp(text, all, sizeof all - 1) == 0, "%s", text);
    free(text);
    clear_result(&s);
    clear_result(&slow);
}

/* 7 of 111 samples fill no batch of 8; a batch of 2048 has 111 samples and 1937 of padding. */
Test(report, comparison_ranks_by_samples_and_says_what_an_epoch_drops)
{
    struct sample one, eight, pod;
    fill_result(&one);
    fill_result(&eight);
    fill_result(&pod);
    one.r.samples_per_epoch = eight.r.samples_per_epoch = pod.r.samples_per_epoch = 111;
    mpz_set_ui(one.r.samples_left, 0);
    mpz_set_ui(pod.r.samples_per_step, 2048);
    mpz_set_si(pod.r.samples_left, -1937);
    mpq_set_ui(pod.r.steps_per_epoch, 1, 1);
    mpq_set_ui(eight.r.usd_per_hour, 64, 1); /* 8 times as fast and a little dearer */
    mpq_set_ui(eight.r.samples_per_second, 511999, 1);
    mpq_set_ui(eight.r.usd_per_epoch, 1, 1000);
    pod.r.has_price = false;
    const struct report_verdict v[] = { { "one", &one.r, NULL, NULL, NULL, 0, false, false },
                                        { "eight", &eight.r, NULL, NULL, NULL, 0, false, false },
                                        { "pod", &pod.r, NULL, NULL, NULL, 0, false, false } };
    char *text = print_comparison(report_compare_text, v, 3);

    static const char first[] =
        "t.trace: global batches differ: machines are compared by the sample, not by the epoch\n"
        "cheapest: one, 0.03472 USD/M; open: eight may be it too\n";
    cr_expect(strncmp(text, first, sizeof first - 1) == 0, "%s", text);
    cr_expect_not_null(
        strstr(text,
               "; USD/M: for a million samples\n"
               "error: to expect of samples/s, times and costs, either way (`replay` says what it "
               "rests "
               "on)\n"
               "known: % of the step whose work could be read and data do not decide; >: work is "
               "left out\n"
               "price [ju-2020]: one, eight\n"
               "no list price: pod\n"
               "Samples that fill no whole global batch are dropped: eight 6.3 %\n"
               "The steps of an epoch hold more samples than the data set; padding: pod 94.6 %\n"),
        "%s", text);
    free(text);
    clear_result(&one);
    clear_result(&eight);
    clear_result(&pod);
}

/* An hour at 1 and 2 USD, and a machine that is dearer than both, with a price that has a source.
 */
Test(report, an_unverified_price_wins_with_a_mark_only)
{
    struct sample cheap, mid, dear;
    fill_result(&cheap);
    fill_result(&mid);
    fill_result(&dear);
    mpq_set_ui(cheap.r.usd_per_hour, 1, 1); /* of 64000 * 3600 samples */
    mpq_set_ui(mid.r.usd_per_hour, 2, 1);
    cheap.r.price_verified = mid.r.price_verified = false;
    cheap.r.capacity_bytes_per_core *= 2; /* of slices of four chips it has most memory */
    mid.r.chips = 5;
    const struct report_verdict v[] = { { "dear", &dear.r, NULL, NULL, NULL, 0, false, false },
                                        { "mid", &mid.r, NULL, NULL, NULL, 0, false, false },
                                        { "cheap", &cheap.r, NULL, NULL, NULL, 0, false, false } };
    char *text = print_comparison(report_compare_text, v, 3);

    static const char want[] =
        "t.trace: a global batch of 256 samples on each machine\n"
        "cheapest: cheap (price unverified), 0.00434 USD/M; with a verified price: dear, 0.03472"
        " USD/M\n"
        "fastest: dear, mid and cheap, 64000 samples/s\n"
        "smallest that fits: dear, 4 chips with 16 GiB a core\n";
    cr_expect(strncmp(text, want, sizeof want - 1) == 0, "%s", text);
    cr_expect_not_null(strstr(text, "   0.00434*         4         4  0.008889 "), "%s", text);
    cr_expect_not_null(strstr(text, "   0.03472          4         4  0.008889 "), "%s", text);
    cr_expect_not_null(strstr(text, "\n*: the price is unverified\n"), "%s", text);
    free(text);
    text = print_comparison(report_compare_text, v + 1, 2);
    cr_expect_not_null(strstr(text, "0.00434 USD/M; with a verified price: none\n"), "%s", text);
    free(text);
    text = print_comparison(report_compare_json, v, 3);
    cr_expect_not_null(strstr(text, "  \"cheapest\": [\"cheap\"],\n"
                                    "  \"cheapest_verified\": [\"dear\"],\n"
                                    "  \"fastest\": [\"dear\", \"mid\", \"cheap\"],\n"
                                    "  \"smallest\": [\"dear\"],\n"),
                       "%s", text);
    free(text);
    clear_result(&cheap);
    clear_result(&mid);
    clear_result(&dear);
}

Test(report, comparison_in_json_says_by_how_much_it_does_not_fit)
{
    struct sample s;
    fill_result(&s);
    s.r.fits = false;
    s.r.peak_bytes_per_core = 33;
    s.r.capacity_bytes_per_core = 8;
    s.r.has_preemptible = false;
    const struct report_verdict v[] = { { "a", &s.r, NULL, NULL, NULL, 0, false, false },
                                        { "b", NULL, "why \"not\"", NULL, NULL, 0, false, false } };
    char *text = print_comparison(report_compare_json, v, 2);

    expect_same(
        text,
        "{\n"
        "  \"trace\": \"t.trace\",\n"
        "  \"cheapest\": [],\n"
        "  \"cheapest_verified\": [],\n"
        "  \"fastest\": [],\n"
        "  \"smallest\": [],\n"
        "  \"smallest_of_all\": null,\n"
        "  \"open\": {\"cheapest\": [], \"fastest\": []},\n"
        "  \"machines\": [\n"
        "    {\"machine\": \"a\", \"error\": null, \"fits\": false,"
        " \"peak_bytes_per_core\": 33, \"capacity_bytes_per_core\": 8,"
        " \"times_capacity\": 4.125, \"close\": false, \"rests_on_switch\": false,"
        " \"switched\": null, \"seconds_per_step\": 0.004,"
        " \"kind\": \"TPU\", \"chips\": 4, \"global_batch\": 256, \"samples_per_second\": 64000,"
        " \"samples_per_second_per_chip\": 16000, \"dropped_samples_per_epoch\": 7,"
        " \"added_samples_per_epoch\": 0, \"hours_per_epoch\": 0.0011111111111111111,"
        " \"price_verified\": true, \"price_source\": \"[ju-2020]\","
        " \"usd_per_epoch\": {\"on_demand\": 0.0088888888888888889,"
        " \"preemptible\": null}, \"usd_per_step\": {\"on_demand\":"
        " 0.0000088888888888888889, \"preemptible\": null},"
        " \"usd_per_million_samples\": {\"on_demand\":"
        " 0.034722222222222222, \"preemptible\": null}, \"joules_per_epoch\": null,"
        " \"watts\": {\"least\": null, \"most\": null, \"average\": null},"
        " \"expected\": {\"error\": 0.01, \"cases\": 9, \"stated\": \"by hand\","
        " \"rests_on\": \"9 steps of tiny on tpu-v3, by hand\"},"
        " \"account\": {\"known\": 1, \"modelled\": 1, \"at_least\": false,"
        " \"known_or_more\": false, \"unread_of_recorded\": 0, \"operations_of_any_time\": 0,"
        " \"seconds\": {\"measured\": 0, \"models\": 0.004, \"bounds\": 0, \"data\": 0,"
        " \"retiled\": 0, \"assumptions\": 0}, \"operations\": {\"measured\": 0,"
        " \"models\": 0, \"bounds\": 0, \"data\": 0, \"retiled\": 0}},"
        " \"bound_by\": \"mxu\", \"limited_by\": \"mxu\"},\n"
        "    {\"machine\": \"b\", \"error\": \"why \\\"not\\\"\", \"fits\": false}\n"
        "  ]\n"
        "}\n");
    free(text);
    clear_result(&s);
}

Test(report, comparison_names_the_cheapest_that_keeps_a_deadline)
{
    struct sample cheap, dear, dearer;
    mpq_t deadline;
    fill_result(&cheap);
    fill_result(&dear);
    fill_result(&dearer);
    mpq_set_ui(cheap.r.seconds_per_epoch, 3601, 1);
    mpq_set_ui(cheap.r.usd_per_hour, 1, 1);
    mpq_set_ui(dear.r.seconds_per_epoch, 3600, 1);
    mpq_set_ui(dear.r.usd_per_hour, 2, 1);
    mpq_set_ui(dearer.r.usd_per_hour, 9, 1);
    mpq_set_ui(dearer.r.samples_per_second, 256000, 1); /* 9 USD/h for four times as many */
    const struct report_verdict v[] = { { "cheap", &cheap.r, NULL, NULL, NULL, 0, false, false },
                                        { "dear", &dear.r, NULL, NULL, NULL, 0, false, false },
                                        { "dearer", &dearer.r, NULL, NULL, NULL, 0, false,
                                          false } };
    char *text;
    size_t size;

    mpq_init(deadline);
    mpq_set_ui(deadline, 3600, 1);
    FILE *out = open_memstream(&text, &size);
    report_compare_text("t", &(struct report_comparison){ v, 3, deadline }, out);
    fclose(out);
    static const char want[] =
        "t: a global batch of 256 samples on each machine\n"
        "cheapest: cheap, 0.00434 USD/M\n"
        "fastest: dearer, 256000 samples/s\n"
        "smallest that fits: cheap, dear and dearer, 4 chips with 16 GiB a core\n"
        "cheapest under 1 h/epoch: dear, 0.008681 USD/M; open: by its error it "
        "may take longer\n";
    cr_expect(strncmp(text, want, sizeof want - 1) == 0, "%s", text);
    free(text);
    mpq_set_ui(deadline, 90, 60); /* 1.5 s: nobody */
    out = open_memstream(&text, &size);
    report_compare_json("t", &(struct report_comparison){ v, 3, deadline }, out);
    fclose(out);
    cr_expect_not_null(strstr(text,
                              "\"cheapest\": [\"cheap\"],\n  \"cheapest_verified\": [\"cheap\"],\n"
                              "  \"fastest\": [\"dearer\"],\n"
                              "  \"smallest\": [\"cheap\", \"dear\", \"dearer\"],\n"
                              "  \"smallest_of_all\": null,\n"
                              "  \"deadline_seconds\": 1.5,\n  \"cheapest_in_time\": [],\n"));
    free(text);
    mpq_clear(deadline);
    clear_result(&cheap);
    clear_result(&dear);
    clear_result(&dearer);
}

/* V100 is cheaper by 1.66, with errors of 62.5 % and 24.5 % that allow 1.671 (0.625^2 + 0.245^2 =
 * 0.4507 = 0.671^2); beside errors of 62.5 and 10 % (0.633) it is certain. */
Test(report, a_comparison_that_is_closer_than_its_errors_is_open)
{
    struct sample v100, a100;
    fill_result(&v100);
    fill_result(&a100);
    mpq_set_ui(a100.r.usd_per_hour, 1328, 100);
    mpq_canonicalize(a100.r.usd_per_hour);
    v100.r.expected.permille = 625;
    a100.r.expected.permille = 245;
    const struct report_verdict v[] = { { "v100", &v100.r, NULL, NULL, NULL, 0, false, false },
                                        { "a100", &a100.r, NULL, NULL, NULL, 0, false, false } };

    char *text = print_comparison(report_compare_text, v, 2);
    cr_expect(strstr(text, "cheapest: v100, 0.03472 USD/M; open: a100 may be it too\n"), "%s",
              text);
    cr_expect(strstr(text, "\nopen: closer than the errors to expect; the compiled program, a "
                           "profile or a timed step decides\n"),
              "%s", text);
    cr_expect(strstr(text, "   64000    63 % "), "%s", text);
    free(text);
    text = print_comparison(report_compare_json, v, 2);
    cr_expect(strstr(text, "\"open\": {\"cheapest\": [\"a100\"], \"fastest\": []}"), "%s", text);
    free(text);
    a100.r.expected.permille = 100;
    text = print_comparison(report_compare_text, v, 2);
    cr_expect(strstr(text, "cheapest: v100, 0.03472 USD/M\n"), "%s", text);
    cr_expect(!strstr(text, "open:"), "%s", text);
    free(text);
    a100.r.expected.cases = 0; /* nobody knows its error: nothing is certain */
    text = print_comparison(report_compare_text, v, 2);
    cr_expect(strstr(text, "; open: a100 may be it too\n"), "%s", text);
    cr_expect(strstr(text, "   64000    none "), "%s", text);
    cr_expect(strstr(text, "\nopen: nobody knows all errors to expect; "), "%s", text);
    free(text);
    mpq_set_ui(a100.r.usd_per_hour, 80, 1); /* 10 times the 8 USD of the other */
    text = print_comparison(report_compare_text, v, 2);
    cr_expect(strstr(text, "; open: a100 may be it too\n"), "%s", text);
    free(text);
    mpq_set_ui(a100.r.usd_per_hour, 81, 1);
    text = print_comparison(report_compare_text, v, 2);
    cr_expect(!strstr(text, "open: a100"), "%s", text);
    cr_expect(strstr(text,
                     "\nnobody knows the error to expect of a100; machines that are more than "
                     "10 times apart are not called open\n"),
              "%s", text);
    free(text);
    clear_result(&v100);
    clear_result(&a100);
}

/* 8 USD an hour for 4 ms. */
Test(report, comparison_without_samples_shows_what_a_step_costs)
{
    struct sample s;
    fill_result(&s);
    s.r.samples_unknown = true;
    const struct report_verdict v[] = { { "a", &s.r, NULL, NULL, NULL, 0, false, false } };

    char *text = print_comparison(report_compare_text, v, 1);
    cr_expect(strstr(text, "  USD/step    ms/step "), "%s", text);
    cr_expect(strstr(text, " 0.00000889          4 "), "%s", text);
    cr_expect(!strstr(text, "USD/M"), "%s", text);
    free(text);
    clear_result(&s);
}

/* A step takes 4 ms on 8 devices and 6 ms on 1, samples are counted as one a device: the first is
 * faster, by its step and not by its devices. */
Test(report, comparison_without_samples_ranks_by_the_step_that_it_prints)
{
    struct sample many, one;
    fill_result(&many);
    fill_result(&one);
    many.r.samples_unknown = one.r.samples_unknown = true;
    mpq_set_ui(one.r.samples_per_second, 1000000, 1);
    mpq_set_ui(one.r.seconds_per_step, 6, 1000);
    const struct report_verdict v[] = { { "many", &many.r, NULL, NULL, NULL, 0, false, false },
                                        { "one", &one.r, NULL, NULL, NULL, 0, false, false } };

    char *text = print_comparison(report_compare_text, v, 2);
    cr_expect(strstr(text, "cheapest: many, 0.000008889 USD/step"), "%s", text);
    cr_expect(strstr(text, "fastest: many, 4 ms a step"), "%s", text);
    cr_expect(strstr(text, ": nobody has stated the samples of a step"), "%s", text);
    free(text);
    clear_result(&many);
    clear_result(&one);
}

/* 4 GiB of which 1 stays, in 16: (16 - 1) / (4 - 1) = 5 times 256 / 8 = 32 samples a core. */
Test(report, a_batch_that_cannot_be_changed_is_told_in_proportion)
{
    struct sample s;
    fill_result(&s);
    s.r.cores = 8;
    s.r.memory.total = UINT64_C(4) << 30;
    s.r.memory.persistent = UINT64_C(1) << 30;
    s.r.capacity_bytes_per_core = UINT64_C(16) << 30;
    const struct report_verdict v[] = { { "a", &s.r, NULL, NULL, NULL, 0, true, false } };

    char *text = print_comparison(report_compare_text, v, 1);
    cr_expect_not_null(strstr(text,
                              "\nlargest batch: a about 160 samples a core, 5 times its own, if "
                              "memory grows in proportion; one made for that batch tells\n"),
                       "%s", text);
    free(text);
    text = print_comparison(report_compare_json, v, 1);
    cr_expect_not_null(
        strstr(text, "\"in_proportion\": {\"times_batch\": 5, \"samples_per_core\": 160}"), "%s",
        text);
    free(text);
    s.r.samples_unknown = true;
    text = print_comparison(report_compare_text, v, 1);
    cr_expect_not_null(strstr(text, "\nlargest batch: a about 5 times its own, if"), "%s", text);
    free(text);
    clear_result(&s);
}
