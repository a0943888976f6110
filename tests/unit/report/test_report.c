#include <jansson.h>

#include "base/text_write.h"
#include "tests/unit/report/report_sample.h"

static char *print_text(void report(const struct run_result *, FILE *), const struct run_result *r)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert(out);
    report(r, out);
    fclose(out);
    return text;
}

Test(report, text_says_what_the_step_waits_for_first)
{
    struct sample s;
    fill_result(&s);
    char *text = print_text(report_text, &s.r);

    expect_same(
        text,
        "tpu-v3-8 takes 4 ms for a step of tiny: 64000 samples/s, 50.0 % model FLOP utilization"
        " (MFU)\n"
        "In 75.0 % of the step a core waits for the matrix unit, which finishes last (mxu)\n"
        "  speed    16000 samples/s per chip; global batch of 256 samples on 4 chips\n"
        "  compute  246.4 TFLOP/s of the slice's peak of 492.8 TFLOP/s in bf16: MFU 50.0 %\n"
        "  epoch    1000 steps, 4 s (0.001111 h)\n"
        "           7 of 256007 samples (0.00273 %) fill no whole global batch and are dropped\n"
        "  cost     0.008889 USD/epoch at 8 USD/h on demand\n"
        "           0.002667 USD/epoch at 2.4 USD/h preemptible\n"
        "           prices [ju-2020]\n"
        "  memory   fits: 4 GiB of 16 GiB per core (25.0 %), most at conv3.dw\n"
        "  rests on 100.0 % models without a measurement\n"
        "  expect   an error of 1.0 % either way, of the machine as it stands:\n"
        "           9 steps of tiny on tpu-v3, by hand\n"
        "  checked  no measurement covers this: parameters of the machine were changed\n"
        "  machine  4 chips, 8 cores (devices) of 1 TensorCore, 1 host; peak 492.8 TFLOP/s in"
        " bf16\n"
        "           per core 2 MXUs of 128x128, 940 MHz; per chip HBM 900 GB/s; per link 82 GB/s"
        " each way\n"
        "  trace    a \"b\".trace, 2 steps of 3760000 cycles simulated\n"
        "  changed  mxu.count = 4\n"
        "\n"
        "time by cause   ms/step      %  of a core, on average over all cores\n"
        "  mxu             3.000   75.0  waits for the matrix unit, which finishes last\n"
        "  hbm             0.800   20.0  waits for a tile to come from or go to HBM\n"
        "  launch          0.200    5.0  pays the fixed cost of an operation, grid step or launch\n"
        "\n"
        "utilization                  %  of the slice: all cores, chips and hosts\n"
        "  mxu                     33.3  useful work / what could have been done\n"
        "\n"
        "mxu_waste                    %  of busy MXU slots of all cores\n"
        "  pad_m                    6.2  useful work / what could have been done\n"
        "  pad_n                    6.2  useful work / what could have been done\n"
        "\n"
        "links                        %  of the slice\n"
        "  chip0->chip1            50.0  the hottest of 1: 16780000 TiB a step, 1 times the "
        "average\n"
        "\n"
        "phases, per core                           runs    ms/step     %  bound by     TFLOP"
        "    HBM MB mxu %\n"
        "  fwd                                         1      4.000 100.0  mxu     36893488.147"
        "     2.500  12.5\n"
        "\n"
        "slowest 2 of 2, per core           kind    runs    ms/step     %  bound by     TFLOP"
        "    HBM MB mxu %\n"
        "  fc                               matmul     1      3.000  75.0  mxu     36893488.147"
        "     2.500  12.5\n"
        "  copy,1                           copy       1      1.000  25.0  hbm          0.000"
        "     2.500     -\n");
    free(text);
    clear_result(&s);
}

static struct run_remedy remedies[] = {
    { (char *)"pray", UINT64_C(26843545600), UINT64_C(8697808650), false, false, 0, false, 0, 0 },
    { (char *)"guess", UINT64_C(32212254720), UINT64_C(3329099530), true, false, 0, true, 0, 0 },
    { (char *)"hope", UINT64_C(26843545600), UINT64_C(8697808650), false, false, 0, true, 0, 0 },
    { (char *)"buy", 0, UINT64_C(35541354250), true, false, 0, false, 0, 0 },
};

Test(report, text_of_what_does_not_fit_has_no_price_and_no_epoch)
{
    struct sample s;
    fill_result(&s);
    s.r.fits = s.r.has_price = s.r.has_preemptible = s.r.has_epoch = false;
    s.r.peak_bytes_per_core = UINT64_C(35541354250); /* 33.1 GiB */
    s.r.capacity_bytes_per_core = UINT64_C(8589934592);
    s.r.memory = (struct footprint){ .padding = 1073741824 };
    s.r.memory.role[FOOTPRINT_WEIGHTS] = 1048576;
    s.r.memory.role[FOOTPRINT_ACTIVATIONS] = UINT64_C(35540305674);
    s.r.remedies = remedies;
    s.r.n_remedies = 4;
    s.r.account.count[ACCOUNT_BOUNDS] = 3;
    s.r.expected.cases = 0;
    s.r.account.at_least = true;
    s.r.unverified = 1;
    mpq_set_ui(s.r.account.seconds[ACCOUNT_BOUNDS], 1, 2000);
    mpq_set_ui(s.r.account.seconds[ACCOUNT_MODELS], 7, 2000);
    s.r.n_figures = s.r.n_phases = s.r.n_ops = s.r.n_changed = 0;
    s.r.retimed = false;
    char *text = print_text(report_text, &s.r);
    char *end = strstr(text, "\n\ntime by cause");
    cr_assert(end);
    *end = '\0';
    expect_same(
        text,
        "tpu-v3-8 CANNOT HOLD tiny: it needs 33.1 GiB of 8 GiB per core. If the memory were"
        " larger:\n"
        "tpu-v3-8 takes at least 4 ms for a step of tiny: 12.5 % of it is not known\n"
        "at most 64000 samples/s, 50.0 % model FLOP utilization (MFU) of what is known\n"
        "In 75.0 % of the step a core waits for the matrix unit, which finishes last (mxu)\n"
        "  speed    at most 16000 samples/s per chip; global batch of 256 samples on 4 chips\n"
        "  compute  246.4 TFLOP/s of the slice's peak of 492.8 TFLOP/s in bf16: MFU 50.0 % of what "
        "is known\n  epoch    of unknown length, the trace does not say how many samples it has\n"
        "  cost     no list price of tpu-v3-8; --set 'price.on_demand=1 USD/h' gives it one\n"
        "  memory   DOES NOT FIT: needs 33.1 GiB of 8 GiB per core (413.8 %)\n"
        "           most at conv3.dw\n"
        "           activations 33.1 GiB, weights 1 MiB; 1 GiB of it padding\n"
        "           25.1 GiB too much; times and costs are as if the memory were larger\n"
        "           what would help:\n"
        "             pray: saves 25 GiB, still 102.9 MiB too much\n"
        "             guess: saves about 30 GiB, may fit\n"
        "             hope: saves about 25 GiB, still about 102.9 MiB too much\n"
        "             buy: fits\n"
        "  rests on 87.5 % models without a measurement, 12.5 % lower bounds of what could not be"
        " read\n"
        "  expect   an error that nobody knows: 12.5 % of the step is not known\n"
        "  checked  no measurement covers this\n"
        "  machine  4 chips, 8 cores (devices) of 1 TensorCore, 1 host; peak 492.8 TFLOP/s in"
        " bf16\n"
        "           per core 2 MXUs of 128x128, 940 MHz; per chip HBM 900 GB/s; per link 82 GB/s"
        " each way\n"
        "           1 value is unverified: `cyclotron machine show tpu-v3-8` marks it "
        "[unverified]\n"
        "  trace    a \"b\".trace, 2 steps of 3760000 cycles simulated");
    free(text);
    clear_result(&s);
}

/* HBM holds 10 GiB.  9 and 11 are close to that.  6 is not, but with the switch off it would not
 * fit; 5 would fit either way. */
Test(report, text_says_that_a_fit_is_close_or_rests_on_a_switch)
{
    static const struct {
        unsigned peak, other;
        const char *want;
    } cases[] = {
        { 9, 18, "           close: fits by 10.0 %; with x=no it needs 18 GiB and does not fit\n" },
        { 9, 8, "           close: fits by 10.0 %; with x=no it needs 8 GiB and fits too\n" },
        { 11, 8, "           close: does not fit by 10.0 %; with x=no it needs 8 GiB and fits\n" },
        { 11, 12, "with x=no it needs 12 GiB and does not fit either\n" },
        { 9, 0, "           close: fits by 10.0 %\n" },
        { 6, 12,
          "           resting on a switch: fits by 40.0 %; with x=no it needs 12 GiB and does not"
          " fit\n" },
        { 5, 9, NULL },
    };
    struct sample s;

    fill_result(&s);
    s.r.capacity_bytes_per_core = UINT64_C(10) << 30;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        s.r.peak_bytes_per_core = (uint64_t)cases[i].peak << 30;
        s.r.fits = cases[i].peak <= 10;
        s.r.fit_switch = (struct run_fit_switch){ "x=no", (uint64_t)cases[i].other << 30,
                                                  cases[i].other != 0, cases[i].other <= 10 };
        char *text = print_text(report_text, &s.r);
        if (cases[i].want)
            cr_expect_not_null(strstr(text, cases[i].want), "%zu: %s", i, text);
        else
            cr_expect(!strstr(text, "close:") && !strstr(text, "resting"), "%s", text);
        free(text);
    }
    clear_result(&s);
}

Test(report, text_adds_up_operations_of_one_name_and_kind)
{
    struct sample s;
    fill_result(&s);
    /* 3 ms at 1/8 and 1 ms at 1/2 of the peak: 7/8 ms of 4 ms; the name alone is not enough */
    struct run_row ops[4] = { s.ops[0], s.ops[1] };
    set_row(&ops[2], "fc", "matmul", "1/1000", CAUSE_HBM, "1000000000000");
    mpq_set_ui(ops[2].mxu, 1, 2);
    ops[2].phase = (char *)"bwd";
    ops[2].count = 5;
    set_row(&ops[3], "fc", "copy", "1/2000", CAUSE_HBM, "0");
    s.r.ops = ops;
    s.r.n_ops = 4;
    char *text = print_text(report_text, &s.r), *at = strstr(text, "slowest");

    cr_assert(at);
    expect_same(
        at, "slowest 3 of 3, per core           kind    runs    ms/step     %  bound by     TFLOP"
            "    HBM MB mxu %\n"
            "  fc                               matmul     6      4.000 100.0  mxu     36893489.147"
            "     5.000  21.9\n"
            "  copy,1                           copy       1      1.000  25.0  hbm          0.000"
            "     2.500     -\n"
            "  fc                               copy       1      0.500  12.5  hbm          0.000"
            "     2.500     -\n");
    free(text);
    clear_row(&ops[2]);
    clear_row(&ops[3]);
    clear_result(&s);
}

#define CAUSES_ZERO                                                                                \
    "\"ici\": 0, \"dcn\": 0, \"pcie\": 0, \"storage\": 0, \"host\": 0, \"fallback\": 0, "          \
    "\"compile\": 0, "

#define SLOTS_ZERO                                                                                 \
    "{\"capacity\": 0, \"useful\": 0, \"precision\": 0, \"conv_zeros\": 0, \"pad_m\": 0, "         \
    "\"pad_n\": 0, \"pad_k\": 0, \"weight_load\": 0, \"fill_drain\": 0, \"not_issued\": 0, "       \
    "\"waiting\": "                                                                                \
    "{\"mxu\": 0, \"vpu\": 0, \"xlu\": 0, \"hbm\": 0, " CAUSES_ZERO                                \
    "\"launch\": 0, \"bubble\": 0, \"sync\": 0}}"

/* A step has 1000 slots.  fc has 600: 60 useful, 300 beyond n, 60 loads, 120 draining, 60 waits.
 * copy has 400, all waiting. */
Test(report, the_ledger_names_the_wasteful_and_what_to_do)
{
    struct sample s;
    fill_result(&s);
    char *advice[] = { (char *)"n = 8 of 128 columns" };
    struct run_slots *fc = &s.ops[1].slots, *copy = &s.ops[0].slots;
    mpq_set_ui(fc->capacity, 600, 1);
    mpq_set_ui(amounts_at(&fc->use, USE_USEFUL), 60, 1);
    mpq_set_ui(amounts_at(&fc->use, USE_PAD_N), 300, 1);
    mpq_set_ui(amounts_at(&fc->use, USE_WEIGHT_LOAD), 60, 1);
    mpq_set_ui(amounts_at(&fc->use, USE_FILL_DRAIN), 120, 1);
    mpq_set_ui(amounts_at(&fc->wait, CAUSE_HBM), 60, 1);
    mpq_set_ui(copy->capacity, 400, 1);
    mpq_set_ui(amounts_at(&copy->wait, CAUSE_HBM), 400, 1);
    run_slots_add(&s.r.slots, fc);
    run_slots_add(&s.r.slots, copy);
    s.ops[1].advice = advice;
    s.ops[1].n_advice = 1;
    char *text = print_text(report_text, &s.r), *at = strstr(text, "all matrix units");

    cr_assert(at);
    expect_same(at,
                "all matrix units, % of their slots waste useful  zeros  pad m  pad n  pad k   load"
                "  drain   wait\n"
                "  step                             100.0    6.0    0.0    0.0   30.0    0.0    6.0"
                "   12.0   46.0\n"
                "  fc                                57.4   10.0    0.0    0.0   50.0    0.0   10.0"
                "   20.0   10.0\n"
                "    n = 8 of 128 columns\n"
                "  copy,1                            42.6    0.0    0.0    0.0    0.0    0.0    0.0"
                "    0.0  100.0\n");
    free(text);
    clear_result(&s);
}

static const char json_account[] =
    "  \"account\": {\"known\": 1, \"modelled\": 1, \"at_least\": false, \"known_or_more\": false,"
    " \"unread_of_recorded\": 0, \"operations_of_any_time\": 0,"
    " \"seconds\": {\"measured\": 0, \"models\": 0.004, \"bounds\": 0, \"data\": 0, \"retiled\": 0,"
    " \"assumptions\": 0}, \"operations\": {\"measured\": 0, \"models\": 0, \"bounds\": 0,"
    " \"data\": 0, \"retiled\": 0}, \"kinds\": [], \"reasons\": [], \"largest\": []},\n";
static const char json_expected[] =
    "{\n"
    "  \"machine\": \"tpu-v3-8\",\n"
    "  \"trace\": \"a \\\"b\\\".trace\",\n"
    "  \"workload\": \"tiny\",\n"
    "  \"slice\": {\"cores\": 8, \"chips\": 4, \"hosts\": 1, \"slices\": 1, "
    "\"mesh\": [2, 2, 1], \"tensor_cores\": 8, \"mxus_per_core\": 2, \"mxu_size\": 128, "
    "\"peak_flops_per_core\": 61603840000000, "
    "\"hbm_bytes_per_second_per_core\": 450000000000.5, "
    "\"link_bytes_per_second\": 82000000000, \"kind\": \"TPU\"},\n"
    "  \"steps\": 2,\n"
    "  \"cycles_per_step\": 3760000,\n"
    "  \"seconds_per_step\": 0.004,\n"
    "  \"seconds_per_epoch\": 4,\n"
    "  \"steps_per_epoch\": 1000,\n"
    "  \"dropped_samples_per_epoch\": 7,\n"
    "  \"added_samples_per_epoch\": 0,\n"
    "  \"samples_per_second\": 64000,\n"
    "  \"samples_per_second_per_chip\": 16000,\n"
    "  \"global_batch\": 256,\n"
    "  \"model_flops\": {\"per_step\": 985661440000, \"per_second\": 246415360000000,"
    " \"peak_per_second\": 492830720000000, \"dtype\": \"bf16\", \"mfu\": 0.5},\n"
    "  \"price\": {\"verified\": true, \"source\": \"[ju-2020]\"},\n"
    "  \"usd_per_epoch\": {\"on_demand\": 0.0088888888888888889,"
    " \"preemptible\": 0.0026666666666666667},\n"
    "  \"usd_per_step\": {\"on_demand\": 0.0000088888888888888889,"
    " \"preemptible\": 0.0000026666666666666667},\n"
    "  \"usd_per_million_samples\": {\"on_demand\": 0.034722222222222222,"
    " \"preemptible\": 0.010416666666666667},\n"
    "  \"joules_per_step\": null,\n"
    "  \"joules_per_epoch\": null,\n"
    "  \"watts\": {\"least\": null, \"most\": null, \"average\": null, \"idle\": null,"
    " \"busy\": null, \"products\": null, \"vector\": null, \"memory\": null, \"links\": null, "
    "\"source\": \"\"},\n"
    "  \"run\": null,\n"
    "  \"bound_by\": \"mxu\", \"limited_by\": \"mxu\",\n"
    "  \"memory\": {\"peak_bytes_per_core\": 4294967296,"
    " \"capacity_bytes_per_core\": 17179869184, \"fits\": true, \"margin\": 0.75,"
    " \"close\": false, \"rests_on_switch\": false, \"switched\": {\"set\": \"x=no\","
    " \"peak_bytes_per_core\": 5, \"fits\": true}, \"roles\": {\"weights\": 0,"
    " \"optimizer\": 0, \"constants\": 0, \"inputs\": 0, \"activations\": 4294967296,"
    " \"gradients\": 0, \"workspace\": 0, \"process\": 0}, \"padding_bytes\": 7,"
    " \"peak_at\": \"conv3.dw\", \"remedies\": [{\"what\": \"pray\", \"saves_bytes\": 2,"
    " \"peak_bytes_per_core\": 4294967294, \"fits\": true, \"cost\": null}], \"buffers\": []},\n"
    "  \"utilization\": {\"mxu\": 0.33333333333333333, \"host\": null},\n"
    "  \"mxu_waste\": {\"pad_m\": 0.0625, \"pad_n\": 0.0625},\n"
    "  \"mxu_slots\": " SLOTS_ZERO ",\n"
    "  \"time_by_cause\": {\"mxu\": 0.003, \"vpu\": 0, \"xlu\": 0, \"hbm\": 0.0008,"
    " " CAUSES_ZERO "\"launch\": 0.0002, \"bubble\": 0, \"sync\": 0},\n"
    "  \"stages\": [],\n"
    "  \"phases\": [],\n"
    "  \"ops\": [\n"
    "    {\"name\": \"fc\", \"phase\": \"fwd\", \"kind\": \"matmul\", \"group\": \"fc\", "
    "\"count\": 1, "
    "\"every\": 1,"
    " \"seconds\": 0.003, \"rests_on\": \"models\","
    " \"bound_by\": \"mxu\", \"flops\": 36893488147419103232,"
    " \"hbm_bytes\": 2500000, \"mxu\": 0.125, \"time_by_cause\": {\"mxu\": 0.003, \"vpu\": 0,"
    " \"xlu\": 0, \"hbm\": 0, " CAUSES_ZERO "\"launch\": 0, \"bubble\": 0, \"sync\": 0},"
    " \"mxu_waste\": {\"precision\": null, \"conv_zeros\": null, \"pad_m\": null, \"pad_n\": "
    "null,"
    " \"pad_k\": null, \"weight_load\": null, \"fill_drain\": null, \"advice\": []},"
    " \"mxu_slots\": " SLOTS_ZERO "}\n"
    "  ],\n"
    "  \"tree\": [],\n"
    "  \"flow\": [],\n"
    "  \"links\": [\n"
    "    {\"name\": \"chip0->chip1\", \"bytes\": 18446744073709551616,"
    " \"utilization\": 0.5}\n"
    "  ],\n"
    "  \"uncovered\": {\"ops\": 0, \"share\": 0},\n"
    "  \"evidence\": {\"covers\": \"step\", \"says\": \"this step was measured on this machine\","
    " \"measured\": [{\"class\": \"fc, steps\", \"machine\": \"tpu-v3-8\", \"rows\": 2,"
    " \"median_error\": 0.25, \"worst_error\": -0.5}],"
    " \"expected\": {\"error\": 0.01, \"cases\": 9, \"stated\": \"by hand\","
    " \"rests_on\": \"9 steps of tiny on tpu-v3, by hand\"}},\n";
static const char json_provenance[] =
    "  \"provenance\": {\"version\": \"0.1.0\", \"trace_checksum\": \"0123456789abcdef\","
    " \"machine_checksum\": \"00000000000000ff\","
    " \"parameters_changed\": [\"mxu.count = 4\"]}\n"
    "}\n";

Test(report, json_is_exact_and_complete)
{
    struct sample s;
    fill_result(&s);
    struct run_remedy pray = { (char *)"pray", 2, 4294967294, true, false, 0, false, 0, 0 };
    s.r.memory = (struct footprint){ .padding = 7 };
    s.r.memory.role[FOOTPRINT_ACTIVATIONS] = UINT64_C(4294967296);
    s.r.remedies = &pray;
    s.r.n_remedies = 1;
    s.r.fit_switch = (struct run_fit_switch){ "x=no", 5, true, true };
    struct run_evidence_line line = { .class = (char *)"fc, steps",
                                      .machine = (char *)"tpu-v3-8",
                                      .rows = 2 };
    set_ratio(line.median, "1/4");
    set_ratio(line.worst, "-1/2");
    s.r.evidence = (struct run_evidence){ RUN_COVER_STEP, &line, 1 };
    s.r.n_phases = 0;
    s.r.ops++;
    s.r.n_ops = 1;
    char *text = print_text(report_json, &s.r), *account = strstr(text, json_account);
    cr_assert(account, "%s", text);
    memmove(account, account + strlen(json_account), strlen(account + strlen(json_account)) + 1);

    char *end = strstr(text, "  \"provenance\"");
    cr_assert(end, "%s", text);
    expect_same(end, json_provenance);
    *end = '\0';
    expect_same(text, json_expected);
    free(text);
    mpq_clears(line.median, line.worst, NULL);
    clear_result(&s);
}

Test(report, json_is_read_back_by_a_parser_and_unknown_is_null)
{
    struct sample s;
    fill_result(&s);
    s.r.has_epoch = false;
    mpz_set_ui(s.phase.flops, 7); /* a parser may refuse integers beyond 2^63 */
    mpz_set_ui(s.ops[1].flops, 7);
    mpz_set_ui(s.link.bytes, 7);
    s.r.machine =
        (char *)"tab\t, slash \\, u-umlaut \xc3\xbc, no UTF-8 \xff, surrogate \xed\xa0\x80";
    char *text = print_text(report_json, &s.r);
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    cr_assert(object, "line %d: %s\n%s", error.line, error.text, text);
    cr_assert_str_eq(json_string_value(json_object_get(object, "machine")),
                     "tab\t, slash \\, u-umlaut \xc3\xbc, no UTF-8 \xef\xbf\xbd, surrogate "
                     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    cr_assert(json_is_null(json_object_get(object, "seconds_per_epoch")));
    json_t *usd = json_object_get(object, "usd_per_epoch");
    cr_assert(json_is_null(json_object_get(usd, "on_demand")));
    cr_assert(json_is_null(json_object_get(usd, "preemptible")));
    cr_assert_eq(json_array_size(json_object_get(object, "ops")), 2);
    cr_assert_eq(json_array_size(json_object_get(object, "phases")), 1);
    json_decref(object);
    free(text);
    clear_result(&s);
}

Test(report, csv_has_a_line_for_each_operation_and_quotes_what_must_be)
{
    struct sample s;
    fill_result(&s);
    char *advice[] = { (char *)"a, \"b\"", (char *)"second" };
    s.ops[0].advice = advice;
    s.ops[0].n_advice = 2;
    mpq_set_ui(s.ops[0].slots.capacity, 7, 1);
    mpq_set_ui(amounts_at(&s.ops[0].slots.use, USE_USEFUL), 3, 1);
    mpq_set_ui(amounts_at(&s.ops[0].slots.wait, CAUSE_HBM), 4, 1);
    s.ops[1].rests = ACCOUNT_DATA;
    s.ops[1].why = "a guess";
    mpq_set_ui(s.ops[0].assumed, 1, 4000);
    char *text = print_text(report_csv, &s.r);

    expect_same(
        text,
        "name,phase,kind,group,count,seconds,bound_by,flops,"
        "hbm_bytes,mxu,"
        "time_by_cause.mxu,time_by_cause.vpu,time_by_cause.xlu,time_by_cause.hbm,"
        "time_by_cause.ici,time_by_cause.dcn,time_by_cause.pcie,time_by_cause.storage,time_by_"
        "cause.host,"
        "time_by_cause.fallback,time_by_cause.compile,time_by_cause.launch,time_by_cause.bubble,"
        "time_by_cause.sync,"
        "mxu_slots.capacity,mxu_slots.useful,mxu_slots.precision,mxu_slots.conv_zeros,mxu_slots."
        "pad_m,"
        "mxu_slots.pad_n,mxu_slots.pad_k,mxu_slots.weight_load,mxu_slots.fill_drain,"
        "mxu_slots.not_issued,mxu_slots.waiting.mxu,mxu_slots.waiting.vpu,"
        "mxu_slots.waiting.xlu,mxu_slots.waiting.hbm,mxu_slots.waiting.ici,"
        "mxu_slots.waiting.dcn,mxu_slots.waiting.pcie,mxu_slots.waiting.storage,mxu_slots.waiting."
        "host,"
        "mxu_slots.waiting.fallback,mxu_slots.waiting.compile,mxu_slots.waiting.launch,"
        "mxu_slots.waiting.bubble,mxu_slots.waiting.sync,rests_on,why,assumed_seconds,advice\n"
        "\"copy,1\",fwd,copy,\"copy,1\",1,0.001,hbm,0,2500000,0,0,0,0,0.001,0,0,0,"
        "0,0,0,0,0,0,0,"
        "7,3,0,0,0,0,0,0,0,0,0,0,0,4,0,0,0,0,0,0,0,0,0,0,models,,0.00025,\"a, \"\"b\"\"\"\n"
        "fc,fwd,matmul,fc,1,0.003,mxu,36893488147419103232,2500000,0.125,"
        "0.003,0,0,0,0,0,0,0,0,0,0,0,0,0,"
        "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,data,a guess,0,\n");
    free(text);
    clear_result(&s);
}

Test(report, the_headline_names_the_host_that_never_rests)
{
    struct sample s;
    fill_result(&s);
    s.r.limited_by = CAUSE_HOST;
    char *text = print_text(report_text, &s.r);

    static const char want[] =
        "tpu-v3-8 takes 4 ms for a step of tiny: 64000 samples/s, 50.0 % model FLOP utilization"
        " (MFU)\n"
        "The host is always busy and sets the pace\n"
        "In 75.0 % of the step a core waits for the matrix unit, which finishes last (mxu)\n";
    cr_expect(strncmp(text, want, sizeof want - 1) == 0, "%s", text);
    free(text);
    clear_result(&s);
}

Test(report, a_column_is_cut_by_characters_and_hides_controls)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    text_column("abc", 5, out);
    text_column("|abcdef", 5, out);
    text_column("|\xc3\xbc\xc3\xbc\xc3\xbc", 3, out);
    text_column("|a\033[0m", 6, out);
    text_column("|\xf0", 3, out);
    fclose(out);
    expect_same(text, "abc  |abc~|\xc3\xbc~|a?[0m|? ");
    free(text);
}

Test(report, hepscore_says_how_much_of_a_step_is_not_known)
{
    struct sample s;
    fill_result(&s);
    mpq_set_ui(s.r.account.seconds[ACCOUNT_BOUNDS], 1, 2000);
    mpq_set_ui(s.r.account.seconds[ACCOUNT_MODELS], 7, 2000);
    s.r.expected.cases = 0;
    char *text = print_text(report_hepscore, &s.r);
    cr_expect(strstr(text, "\"log\": \"too much of the step is not known\""), "%s", text);
    cr_expect(strstr(text, "\"prediction\": {\"not_known\": 0.125, \"expected_error\": null}"),
              "%s", text);
    free(text);
    clear_result(&s);
}
