#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/write.h"

/* A result worked out by hand: 4 ms a step, 3 ms of it mxu, 0.8 ms hbm, 0.2 ms launch. */
struct sample {
    struct run_result r;
    struct run_figure figures[4];
    struct run_row phase, ops[2];
    struct run_link link;
    char *changed[1];
};

static void set(mpq_t q, const char *fraction)
{
    mpq_init(q);
    cr_assert_eq(mpq_set_str(q, fraction, 10), 0);
    mpq_canonicalize(q);
}

static void set_row(struct run_row *row, const char *name, const char *kind, const char *seconds,
                    enum cause cause, const char *flops)
{
    row->name = (char *)name;
    row->phase = (char *)"fwd";
    row->kind = (char *)kind;
    row->count = 1;
    set(row->seconds, seconds);
    for (unsigned c = 0; c < N_CAUSES; c++)
        set(row->cause[c], c == (unsigned)cause ? seconds : "0");
    row->bound_by = cause;
    mpz_init_set_str(row->flops, flops, 10);
    mpz_init_set_str(row->hbm_bytes, "2500000", 10);
    set(row->mxu, strcmp(flops, "0") == 0 ? "0" : "1/8");
    run_slots_init(&row->slots);
    row->every = 1;
    row->advice = NULL;
    row->n_advice = 0;
}

static void clear_row(struct run_row *row)
{
    mpq_clears(row->seconds, row->mxu, NULL);
    for (unsigned c = 0; c < N_CAUSES; c++)
        mpq_clear(row->cause[c]);
    mpz_clears(row->flops, row->hbm_bytes, NULL);
    run_slots_clear(&row->slots);
}

static void fill(struct sample *s)
{
    static const char *const columns[] = { "utilization.mxu", "mxu_waste.pad_m", "utilization.host",
                                           "mxu_waste.pad_n" };
    struct run_result *r = &s->r;

    memset(s, 0, sizeof *s);
    r->machine = (char *)"tpu-v3-8";
    r->trace = (char *)"a \"b\".trace";
    r->workload = (char *)"tiny";
    r->cores = 8;
    r->chips = 4;
    r->hosts = 1;
    r->slices = 1;
    r->steps = 2;
    r->cycles_per_step = 3760000;
    r->core_hz = 940000000;
    r->mesh[0] = r->mesh[1] = 2;
    r->mesh[2] = 1;
    set(r->peak_flops, "61603840000000");
    set(r->hbm_bytes_per_second, "900000000001/2");
    set(r->seconds_per_step, "1/250");
    r->has_epoch = r->has_price = r->has_preemptible = true;
    set(r->steps_per_epoch, "1000");
    set(r->seconds_per_epoch, "4");
    set(r->samples_per_second, "64000");
    set(r->usd_per_hour, "8");
    set(r->usd_per_hour_preemptible, "12/5");
    set(r->usd_per_epoch, "2/225"); /* 8 USD/h * 4 s / 3600 s/h */
    set(r->usd_per_epoch_preemptible, "1/375");
    r->price_source = (char *)"[ju-2020]";
    r->peak_bytes_per_core = UINT64_C(4294967296);
    r->capacity_bytes_per_core = UINT64_C(17179869184);
    r->fits = true;
    r->peak_at = (char *)"conv3.dw";
    for (unsigned c = 0; c < N_CAUSES; c++)
        set(r->cause[c], "0");
    mpq_set_ui(r->cause[CAUSE_MXU], 3, 1000);
    mpq_set_ui(r->cause[CAUSE_HBM], 1, 1250);
    mpq_set_ui(r->cause[CAUSE_LAUNCH], 1, 5000);
    r->bound_by = r->limited_by = CAUSE_MXU;
    run_slots_init(&r->slots);
    for (size_t i = 0; i < 4; i++) {
        s->figures[i].column = columns[i];
        s->figures[i].doc = "useful work / what could have been done";
        s->figures[i].known = i != 2;
        set(s->figures[i].value, i == 0 ? "1/3" : "1/16");
    }
    r->figures = s->figures;
    r->n_figures = 4;
    set_row(&s->phase, "fwd", "", "1/250", CAUSE_MXU, "36893488147419103232"); /* 2^65 */
    set_row(&s->ops[0], "copy,1", "copy", "1/1000", CAUSE_HBM, "0");
    set_row(&s->ops[1], "fc", "matmul", "3/1000", CAUSE_MXU, "36893488147419103232");
    r->phases = &s->phase;
    r->n_phases = 1;
    r->ops = s->ops;
    r->n_ops = 2;
    s->link.name = (char *)"chip0->chip1";
    mpz_init_set_str(s->link.bytes, "18446744073709551616", 10); /* 2^64 */
    set(s->link.utilization, "1/2");
    r->links = &s->link;
    r->n_links = 1;
    set(r->uncovered_share, "0");
    set(r->watts, "500");
    r->trace_checksum = UINT64_C(0x0123456789abcdef);
    r->machine_checksum = 0xff;
    s->changed[0] = (char *)"mxu.count = 4";
    r->changed = s->changed;
    r->n_changed = 1;
}

static void clear(struct sample *s)
{
    struct run_result *r = &s->r;

    mpq_clears(r->seconds_per_step, r->steps_per_epoch, r->seconds_per_epoch, NULL);
    mpq_clears(r->samples_per_second, r->usd_per_hour, r->usd_per_hour_preemptible, NULL);
    mpq_clears(r->usd_per_epoch, r->usd_per_epoch_preemptible, r->uncovered_share, r->watts, NULL);
    mpq_clears(r->peak_flops, r->hbm_bytes_per_second, NULL);
    for (unsigned c = 0; c < N_CAUSES; c++)
        mpq_clear(r->cause[c]);
    for (size_t i = 0; i < 4; i++)
        mpq_clear(s->figures[i].value);
    run_slots_clear(&r->slots);
    clear_row(&s->phase);
    clear_row(&s->ops[0]);
    clear_row(&s->ops[1]);
    mpz_clear(s->link.bytes);
    mpq_clear(s->link.utilization);
}

static char *print(void report(const struct run_result *, FILE *), const struct run_result *r)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert(out);
    report(r, out);
    fclose(out);
    return text;
}

static void same(const char *got, const char *want)
{
    cr_assert_str_eq(got, want, "got\n%s\nwant\n%s", got, want);
}

Test(report, text_says_what_the_step_waits_for_first)
{
    struct sample s;
    fill(&s);
    char *text = print(report_text, &s.r);

    same(text,
         "tpu-v3-8 takes 4 ms for a step of tiny; the largest part, 75.0 %, is mxu\n"
         "  epoch    1000 steps, 4 s (0.001111 h), 64000 samples/s\n"
         "  cost     0.008889 USD/epoch at 8 USD/h on demand\n"
         "           0.002667 USD/epoch at 2.4 USD/h preemptible\n"
         "           prices [ju-2020]\n"
         "  memory   fits: 4 GiB of 16 GiB per core (25.0 %), most at conv3.dw\n"
         "  machine  8 cores, 4 chips, 1 host; 3760000 cycles/step at 940 MHz\n"
         "  trace    a \"b\".trace, 2 steps measured\n"
         "  changed  mxu.count = 4\n"
         "\n"
         "time by cause   ms/step      %\n"
         "  mxu             3.000   75.0  waits for the matrix unit, which finishes last\n"
         "  hbm             0.800   20.0  waits for a tile to come from or go to HBM\n"
         "  launch          0.200    5.0  pays the fixed cost of an operation, a grid step or a"
         " program launch\n"
         "\n"
         "utilization                  %\n"
         "  mxu                     33.3  useful work / what could have been done\n"
         "  host                       -  useful work / what could have been done\n"
         "\n"
         "mxu_waste                    %  of busy MXU slots\n"
         "  pad_m                    6.2  useful work / what could have been done\n"
         "  pad_n                    6.2  useful work / what could have been done\n"
         "\n"
         "links                        %\n"
         "  chip0->chip1            50.0  the hottest of 1: 16780000 TiB a step, 1 times the mean\n"
         "\n"
         "phases                                     runs    ms/step     %  bound by     TFLOP"
         "    HBM MB mxu %\n"
         "  fwd                                         1      4.000 100.0  mxu     36893488.147"
         "     2.500  12.5\n"
         "\n"
         "slowest 2 of 2 names               kind    runs    ms/step     %  bound by     TFLOP"
         "    HBM MB mxu %\n"
         "  fc                               matmul     1      3.000  75.0  mxu     36893488.147"
         "     2.500  12.5\n"
         "  copy,1                           copy       1      1.000  25.0  hbm          0.000"
         "     2.500     -\n");
    free(text);
    clear(&s);
}

Test(report, text_of_what_does_not_fit_has_no_price_and_no_epoch)
{
    struct sample s;
    fill(&s);
    s.r.fits = s.r.has_price = s.r.has_preemptible = s.r.has_epoch = false;
    s.r.peak_bytes_per_core = UINT64_C(35541354250); /* 33.1 GiB */
    s.r.capacity_bytes_per_core = UINT64_C(8589934592);
    s.r.memory = (struct memory){ .padding = 1073741824 };
    s.r.memory.role[MEMORY_WEIGHTS] = 1048576;
    s.r.memory.role[MEMORY_ACTIVATIONS] = UINT64_C(35540305674);
    struct run_remedy remedies[] = {
        { (char *)"pray", UINT64_C(26843545600), UINT64_C(8697808650), false },
        { (char *)"buy", 0, UINT64_C(35541354250), true },
    };
    s.r.remedies = remedies;
    s.r.n_remedies = 2;
    s.r.uncovered_ops = 3;
    s.r.unverified = 1;
    mpq_set_ui(s.r.uncovered_share, 1, 8);
    s.r.n_figures = s.r.n_phases = s.r.n_ops = s.r.n_changed = 0;
    char *text = print(report_text, &s.r);

    char *end = strstr(text, "\n\ntime by cause");
    cr_assert(end);
    *end = '\0';
    same(text,
         "tpu-v3-8 takes 4 ms for a step of tiny; the largest part, 75.0 %, is mxu\n"
         "  WARNING  3 operations of unknown kind, 12.5 % of the step: costed as memory traffic"
         " alone\n"
         "  epoch    of unknown length, the trace does not say how many samples it has; 64000"
         " samples/s\n"
         "  cost     unknown, the machine has no price\n"
         "  memory   DOES NOT FIT: needs 33.1 GiB of 8 GiB per core (413.8 %)\n"
         "           most at conv3.dw\n"
         "           activations 33.1 GiB, weights 1 MiB; 1 GiB of it padding\n"
         "           25.1 GiB too much; times and costs are as if the memory were larger\n"
         "           what would help:\n"
         "             pray: saves 25 GiB, still 102.9 MiB too much\n"
         "             buy: fits\n"
         "  machine  8 cores, 4 chips, 1 host; 3760000 cycles/step at 940 MHz\n"
         "           1 value unverified (see cyclotron machine show tpu-v3-8)\n"
         "  trace    a \"b\".trace, 2 steps measured");
    free(text);
    clear(&s);
}

Test(report, text_adds_up_operations_of_one_name_and_kind)
{
    struct sample s;
    fill(&s);
    /* 3 ms at 1/8 and 1 ms at 1/2 of the peak: 7/8 ms of 4 ms; the name alone is not enough */
    struct run_row ops[4] = { s.ops[0], s.ops[1] };
    set_row(&ops[2], "fc", "matmul", "1/1000", CAUSE_HBM, "1000000000000");
    mpq_set_ui(ops[2].mxu, 1, 2);
    ops[2].phase = (char *)"bwd";
    ops[2].count = 5;
    set_row(&ops[3], "fc", "copy", "1/2000", CAUSE_HBM, "0");
    s.r.ops = ops;
    s.r.n_ops = 4;
    char *text = print(report_text, &s.r), *at = strstr(text, "slowest");

    cr_assert(at);
    same(at,
         "slowest 3 of 3 names               kind    runs    ms/step     %  bound by     TFLOP"
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
    clear(&s);
}

#define CAUSES_ZERO                                                                                \
    "\"ici\": 0, \"pcie\": 0, \"storage\": 0, \"host\": 0, \"fallback\": 0, \"compile\": 0, "

#define SLOTS_ZERO                                                                                 \
    "{\"capacity\": 0, \"useful\": 0, \"precision\": 0, \"conv_zeros\": 0, \"pad_m\": 0, "         \
    "\"pad_n\": 0, \"pad_k\": 0, \"weight_load\": 0, \"fill_drain\": 0, \"not_issued\": 0, "       \
    "\"waiting\": "                                                                                \
    "{\"mxu\": 0, \"vpu\": 0, \"xlu\": 0, \"hbm\": 0, " CAUSES_ZERO "\"launch\": 0, \"sync\": 0}}"

/* Of 1000 slots a step: fc has 600, 60 of them useful, 300 beyond n, 60 loads, 120 draining, 60
 * waits; copy has 400, all waiting. */
Test(report, the_ledger_names_the_wasteful_and_what_to_do)
{
    struct sample s;
    fill(&s);
    char *advice[] = { (char *)"n = 8 of 128 columns" };
    struct run_slots *fc = &s.ops[1].slots, *copy = &s.ops[0].slots;
    mpq_set_ui(fc->capacity, 600, 1);
    mpq_set_ui(fc->use[USE_USEFUL], 60, 1);
    mpq_set_ui(fc->use[USE_PAD_N], 300, 1);
    mpq_set_ui(fc->use[USE_WEIGHT_LOAD], 60, 1);
    mpq_set_ui(fc->use[USE_FILL_DRAIN], 120, 1);
    mpq_set_ui(fc->wait[CAUSE_HBM], 60, 1);
    mpq_set_ui(copy->capacity, 400, 1);
    mpq_set_ui(copy->wait[CAUSE_HBM], 400, 1);
    run_slots_add(&s.r.slots, fc);
    run_slots_add(&s.r.slots, copy);
    s.ops[1].advice = advice;
    s.ops[1].n_advice = 1;
    char *text = print(report_text, &s.r), *at = strstr(text, "matrix units");

    cr_assert(at);
    same(at, "matrix units, % of their slots     waste useful  zeros  pad m  pad n  pad k   load"
             "  drain   wait\n"
             "  step                             100.0    6.0    0.0    0.0   30.0    0.0    6.0"
             "   12.0   46.0\n"
             "  fc                                57.4   10.0    0.0    0.0   50.0    0.0   10.0"
             "   20.0   10.0\n"
             "    n = 8 of 128 columns\n"
             "  copy,1                            42.6    0.0    0.0    0.0    0.0    0.0    0.0"
             "    0.0  100.0\n");
    free(text);
    clear(&s);
}

Test(report, json_is_exact_and_complete)
{
    struct sample s;
    fill(&s);
    struct run_remedy pray = { (char *)"pray", 2, UINT64_C(4294967294), true };
    s.r.memory = (struct memory){ .padding = 7 };
    s.r.memory.role[MEMORY_ACTIVATIONS] = UINT64_C(4294967296);
    s.r.remedies = &pray;
    s.r.n_remedies = 1;
    s.r.n_phases = 0;
    s.r.ops++;
    s.r.n_ops = 1;
    char *text = print(report_json, &s.r);

    same(text,
         "{\n"
         "  \"machine\": \"tpu-v3-8\",\n"
         "  \"trace\": \"a \\\"b\\\".trace\",\n"
         "  \"workload\": \"tiny\",\n"
         "  \"slice\": {\"cores\": 8, \"chips\": 4, \"hosts\": 1, \"slices\": 1, "
         "\"mesh\": [2, 2, 1], "
         "\"peak_flops_per_core\": 61603840000000, "
         "\"hbm_bytes_per_second_per_core\": 450000000000.5},\n"
         "  \"steps\": 2,\n"
         "  \"cycles_per_step\": 3760000,\n"
         "  \"seconds_per_step\": 0.004,\n"
         "  \"seconds_per_epoch\": 4,\n"
         "  \"samples_per_second\": 64000,\n"
         "  \"usd_per_epoch\": {\"on_demand\": 0.0088888888888888889,"
         " \"preemptible\": 0.0026666666666666667},\n"
         "  \"usd_per_step\": {\"on_demand\": 0.0000088888888888888889,"
         " \"preemptible\": 0.0000026666666666666667},\n"
         "  \"usd_per_million_samples\": {\"on_demand\": 0.034722222222222222,"
         " \"preemptible\": 0.010416666666666667},\n"
         "  \"joules_per_step\": null,\n"
         "  \"joules_per_epoch\": null,\n"
         "  \"run\": null,\n"
         "  \"bound_by\": \"mxu\", \"limited_by\": \"mxu\",\n"
         "  \"memory\": {\"peak_bytes_per_core\": 4294967296,"
         " \"capacity_bytes_per_core\": 17179869184, \"fits\": true, \"roles\": {\"weights\": 0,"
         " \"optimizer\": 0, \"constants\": 0, \"inputs\": 0, \"activations\": 4294967296,"
         " \"gradients\": 0, \"workspace\": 0}, \"padding_bytes\": 7,"
         " \"peak_at\": \"conv3.dw\", \"remedies\": [{\"what\": \"pray\", \"saves_bytes\": 2,"
         " \"peak_bytes_per_core\": 4294967294, \"fits\": true}]},\n"
         "  \"utilization\": {\"mxu\": 0.33333333333333333, \"host\": null},\n"
         "  \"mxu_waste\": {\"pad_m\": 0.0625, \"pad_n\": 0.0625},\n"
         "  \"mxu_slots\": " SLOTS_ZERO ",\n"
         "  \"time_by_cause\": {\"mxu\": 0.003, \"vpu\": 0, \"xlu\": 0, \"hbm\": 0.0008,"
         " " CAUSES_ZERO "\"launch\": 0.0002, \"sync\": 0},\n"
         "  \"phases\": [],\n"
         "  \"ops\": [\n"
         "    {\"name\": \"fc\", \"phase\": \"fwd\", \"kind\": \"matmul\", \"count\": 1, "
         "\"every\": 1,"
         " \"seconds\": 0.003, \"bound_by\": \"mxu\", \"flops\": 36893488147419103232,"
         " \"hbm_bytes\": 2500000, \"mxu\": 0.125, \"time_by_cause\": {\"mxu\": 0.003, \"vpu\": 0,"
         " \"xlu\": 0, \"hbm\": 0, " CAUSES_ZERO "\"launch\": 0, \"sync\": 0},"
         " \"mxu_waste\": {\"precision\": null, \"conv_zeros\": null, \"pad_m\": null, \"pad_n\": "
         "null,"
         " \"pad_k\": null, \"weight_load\": null, \"fill_drain\": null, \"advice\": []},"
         " \"mxu_slots\": " SLOTS_ZERO "}\n"
         "  ],\n"
         "  \"links\": [\n"
         "    {\"name\": \"chip0->chip1\", \"bytes\": 18446744073709551616,"
         " \"utilization\": 0.5}\n"
         "  ],\n"
         "  \"uncovered\": {\"ops\": 0, \"share\": 0},\n"
         "  \"provenance\": {\"version\": \"0.1.0\", \"trace_checksum\": \"0123456789abcdef\","
         " \"machine_checksum\": \"00000000000000ff\","
         " \"parameters_changed\": [\"mxu.count = 4\"]}\n"
         "}\n");
    free(text);
    clear(&s);
}

Test(report, json_is_read_back_by_a_parser_and_unknown_is_null)
{
    struct sample s;
    fill(&s);
    s.r.has_epoch = false;
    mpz_set_ui(s.phase.flops, 7); /* a parser may refuse integers beyond 2^63 */
    mpz_set_ui(s.ops[1].flops, 7);
    mpz_set_ui(s.link.bytes, 7);
    s.r.machine =
        (char *)"tab\t, slash \\, u-umlaut \xc3\xbc, no UTF-8 \xff, surrogate \xed\xa0\x80";
    char *text = print(report_json, &s.r);
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
    clear(&s);
}

Test(report, csv_has_a_line_for_each_operation_and_quotes_what_must_be)
{
    struct sample s;
    fill(&s);
    char *advice[] = { (char *)"a, \"b\"", (char *)"second" };
    s.ops[0].advice = advice;
    s.ops[0].n_advice = 2;
    mpq_set_ui(s.ops[0].slots.capacity, 7, 1);
    mpq_set_ui(s.ops[0].slots.use[USE_USEFUL], 3, 1);
    mpq_set_ui(s.ops[0].slots.wait[CAUSE_HBM], 4, 1);
    char *text = print(report_csv, &s.r);

    same(text,
         "name,phase,kind,count,seconds,bound_by,flops,hbm_bytes,mxu,"
         "time_by_cause.mxu,time_by_cause.vpu,time_by_cause.xlu,time_by_cause.hbm,"
         "time_by_cause.ici,time_by_cause.pcie,time_by_cause.storage,time_by_cause.host,"
         "time_by_cause.fallback,time_by_cause.compile,time_by_cause.launch,time_by_cause.sync,"
         "mxu_slots.capacity,mxu_slots.useful,mxu_slots.precision,mxu_slots.conv_zeros,mxu_slots."
         "pad_m,"
         "mxu_slots.pad_n,mxu_slots.pad_k,mxu_slots.weight_load,mxu_slots.fill_drain,"
         "mxu_slots.not_issued,mxu_slots.waiting.mxu,mxu_slots.waiting.vpu,"
         "mxu_slots.waiting.xlu,mxu_slots.waiting.hbm,mxu_slots.waiting.ici,"
         "mxu_slots.waiting.pcie,mxu_slots.waiting.storage,mxu_slots.waiting.host,"
         "mxu_slots.waiting.fallback,mxu_slots.waiting.compile,mxu_slots.waiting.launch,"
         "mxu_slots.waiting.sync,advice\n"
         "\"copy,1\",fwd,copy,1,0.001,hbm,0,2500000,0,0,0,0,0.001,0,0,0,0,0,0,0,0,"
         "7,3,0,0,0,0,0,0,0,0,0,0,0,4,0,0,0,0,0,0,0,0,\"a, \"\"b\"\"\"\n"
         "fc,fwd,matmul,1,0.003,mxu,36893488147419103232,2500000,0.125,"
         "0.003,0,0,0,0,0,0,0,0,0,0,0,"
         "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\n");
    free(text);
    clear(&s);
}

static char *compare(void report(const char *, const struct report_verdict *, size_t, mpq_srcptr,
                                 FILE *),
                     const struct report_verdict *v, size_t n)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert(out);
    report("t.trace", v, n, NULL, out);
    fclose(out);
    return text;
}

Test(report, comparison_names_the_fastest_and_the_cheapest_that_fit)
{
    struct sample slow, fast, big;
    fill(&slow);
    fill(&fast);
    fill(&big);
    mpq_set_ui(slow.r.seconds_per_epoch, 36, 1); /* slow but cheap */
    mpq_set_ui(slow.r.usd_per_epoch, 1, 1000);
    big.r.fits = false; /* faster and cheaper than both, and of no use */
    big.r.peak_bytes_per_core = UINT64_C(35541354250);
    big.r.capacity_bytes_per_core = UINT64_C(8589934592);
    mpq_set_ui(big.r.seconds_per_epoch, 1, 1);
    mpq_set_ui(big.r.usd_per_epoch, 0, 1);
    const struct report_verdict v[] = {
        { "tpu-v2-8", &big.r, NULL },
        { "tpu-v3-8", &fast.r, NULL },
        { "v100x1", &slow.r, NULL },
        { "odd", NULL, "t.trace:3: no" },
    };

    char *text = compare(report_compare_text, v, 4);
    same(text, "t.trace: cheapest: v100x1; fastest: tpu-v3-8\n"
               "\n"
               "machine  fits    ms/step  samples/s    s/epoch  USD/epoch      USD/M  bound by  "
               "memory of a"
               " core\n"
               "tpu-v2-8  no           4      64000          1          0    0.03472  mxu       "
               "33.1 GiB of"
               " 8 GiB, 4.1 times\n"
               "tpu-v3-8  yes          4      64000          4   0.008889    0.03472  mxu       4 "
               "GiB of 16"
               " GiB\n"
               "v100x1    yes          4      64000         36      0.001    0.03472  mxu       4 "
               "GiB of 16"
               " GiB\n"
               "odd       no   cannot run it: t.trace:3: no\n"
               "USD/M: of a million samples\n"
               "Where the trace does not fit, times and costs are as if the memory were larger.\n");
    free(text);

    text = compare(report_compare_text, v, 1);
    cr_assert(strstr(text, "t.trace: none of the machines can hold it\n"), "%s", text);
    free(text);
    clear(&slow);
    clear(&fast);
    clear(&big);
}

Test(report, comparison_names_all_that_are_equal_and_shows_long_epochs_in_hours)
{
    struct sample s, slow;
    fill(&s);
    fill(&slow);
    mpq_set_ui(slow.r.seconds_per_epoch, 5400, 1);
    const struct report_verdict v[] = {
        { "a", &s.r, NULL }, { "slow", &slow.r, NULL }, { "b", &s.r, NULL }, { "c", &s.r, NULL }
    };
    char *text = compare(report_compare_text, v, 2);

    same(text,
         "t.trace: cheapest: a and slow; fastest: a\n"
         "\n"
         "machine fits    ms/step  samples/s    h/epoch  USD/epoch      USD/M  bound by  memory"
         " of a core\n"
         "a        yes          4      64000   0.001111   0.008889    0.03472  mxu       4 GiB"
         " of 16 GiB\n"
         "slow     yes          4      64000        1.5   0.008889    0.03472  mxu       4 GiB"
         " of 16 GiB\n"
         "USD/M: of a million samples\n");
    free(text);
    mpq_set_ui(slow.r.usd_per_epoch, 1, 1);
    text = compare(report_compare_text, v, 4);
    cr_assert(strncmp(text, "t.trace: cheapest: a, b and c; fastest: a, b and c\n", 51) == 0, "%s",
              text);
    free(text);
    clear(&s);
    clear(&slow);
}

Test(report, comparison_in_json_says_by_how_much_it_does_not_fit)
{
    struct sample s;
    fill(&s);
    s.r.fits = false;
    s.r.peak_bytes_per_core = 33;
    s.r.capacity_bytes_per_core = 8;
    s.r.has_preemptible = false;
    const struct report_verdict v[] = { { "a", &s.r, NULL }, { "b", NULL, "why \"not\"" } };
    char *text = compare(report_compare_json, v, 2);

    same(text, "{\n"
               "  \"trace\": \"t.trace\",\n"
               "  \"cheapest\": [],\n"
               "  \"fastest\": [],\n"
               "  \"machines\": [\n"
               "    {\"machine\": \"a\", \"error\": null, \"fits\": false,"
               " \"peak_bytes_per_core\": 33, \"capacity_bytes_per_core\": 8,"
               " \"times_capacity\": 4.125, \"seconds_per_step\": 0.004,"
               " \"samples_per_second\": 64000, \"hours_per_epoch\": 0.0011111111111111111,"
               " \"usd_per_epoch\": {\"on_demand\": 0.0088888888888888889,"
               " \"preemptible\": null}, \"usd_per_million_samples\": {\"on_demand\":"
               " 0.034722222222222222, \"preemptible\": null}, \"joules_per_epoch\": null,"
               " \"bound_by\": \"mxu\", \"limited_by\": \"mxu\"},\n"
               "    {\"machine\": \"b\", \"error\": \"why \\\"not\\\"\", \"fits\": false}\n"
               "  ]\n"
               "}\n");
    free(text);
    clear(&s);
}

Test(report, comparison_names_the_cheapest_that_keeps_a_deadline)
{
    struct sample cheap, dear, dearer;
    mpq_t deadline;
    fill(&cheap);
    fill(&dear);
    fill(&dearer);
    mpq_set_ui(cheap.r.seconds_per_epoch, 3601, 1);
    mpq_set_ui(cheap.r.usd_per_epoch, 1, 1);
    mpq_set_ui(dear.r.seconds_per_epoch, 3600, 1);
    mpq_set_ui(dear.r.usd_per_epoch, 2, 1);
    mpq_set_ui(dearer.r.usd_per_epoch, 3, 1);
    const struct report_verdict v[] = { { "cheap", &cheap.r, NULL },
                                        { "dear", &dear.r, NULL },
                                        { "dearer", &dearer.r, NULL } };
    char *text;
    size_t size;

    mpq_init(deadline);
    mpq_set_ui(deadline, 3600, 1);
    FILE *out = open_memstream(&text, &size);
    report_compare_text("t", v, 3, deadline, out);
    fclose(out);
    static const char want[] =
        "t: cheapest: cheap; fastest: dearer; cheapest under 1 h/epoch: dear\n";
    cr_expect(strncmp(text, want, sizeof want - 1) == 0, "%s", text);
    free(text);
    mpq_set_ui(deadline, 90, 60); /* 1.5 s: nobody */
    out = open_memstream(&text, &size);
    report_compare_json("t", v, 3, deadline, out);
    fclose(out);
    cr_expect_not_null(strstr(text, "\"cheapest\": [\"cheap\"],\n  \"fastest\": [\"dearer\"],\n"
                                    "  \"deadline_seconds\": 1.5,\n  \"cheapest_in_time\": [],\n"));
    free(text);
    mpq_clear(deadline);
    clear(&cheap);
    clear(&dear);
    clear(&dearer);
}

/* 2.4 USD/h and 500 W: by hand */
Test(report, a_run_of_epochs_has_its_time_cost_and_energy)
{
    struct sample s;
    fill(&s);
    s.r.epochs = 900; /* of 4 s: an hour */
    s.r.has_power = true;
    s.r.power_source = (char *)"[meter]";
    char *text = print(report_text, &s.r);

    cr_expect_not_null(strstr(text,
                              "  run      900 epochs in 1 h, 8 USD on demand, 2.4 USD"
                              " preemptible\n"
                              "  energy   2 J/step, 2 kJ/epoch of the chips, 500 W in the mean"
                              " [meter]\n"),
                       "%s", text);
    free(text);
    text = print(report_json, &s.r);
    cr_expect_not_null(strstr(text, "  \"joules_per_step\": 2,\n  \"joules_per_epoch\": 2000,\n"
                                    "  \"run\": {\"epochs\": 900, \"seconds\": 3600, \"usd\":"
                                    " {\"on_demand\": 8, \"preemptible\": 2.4}, \"joules\":"
                                    " 1800000},\n"),
                       "%s", text);
    free(text);
    clear(&s);
}

Test(report, the_headline_names_the_host_that_never_rests)
{
    struct sample s;
    fill(&s);
    s.r.limited_by = CAUSE_HOST;
    char *text = print(report_text, &s.r);

    static const char want[] =
        "tpu-v3-8 takes 4 ms for a step of tiny; the host never rests and sets the"
        " pace; the largest part of the cores' time, 75.0 %, is mxu\n";
    cr_expect(strncmp(text, want, sizeof want - 1) == 0, "%s", text);
    free(text);
    clear(&s);
}

Test(report, a_column_is_cut_by_characters_and_hides_controls)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    write_column("abc", 5, out);
    putc('|', out);
    write_column("abcdef", 4, out);
    putc('|', out);
    write_column("\xc3\xbc\xc3\xbc\xc3\xbc", 2, out);
    putc('|', out);
    write_column("a\033[0m", 5, out);
    putc('|', out);
    write_column("\xf0", 2, out);
    fclose(out);
    same(text, "abc  |abc~|\xc3\xbc~|a?[0m|? ");
    free(text);
}
