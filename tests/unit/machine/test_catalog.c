/* Machine files: what they say, whose value wins, and every way to be wrong. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "machine/spec/spec.h"

static int load_text(struct machine_spec **m, const char *text, struct err *e)
{
    char path[] = "/tmp/cyclotron-test-XXXXXX.ini";
    int fd = mkstemps(path, 4);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    int rc = spec_load(m, path, NULL, 0, e);
    unlink(path);
    return rc;
}

/* The message behind "path:" */
static const char *cut_place(const struct err *e)
{
    const char *s = strstr(e->msg, ".ini:");

    return s ? s + 5 : e->msg;
}

Test(catalog, a_slice_inherits_its_chip_and_overrides_it)
{
    struct machine_spec *m;
    struct err e;

    cr_assert_eq(spec_load(&m, "tpu-v3-8", NULL, 0, &e), 0, "%s", e.msg);
    cr_assert_eq(m->core.clock, 940000000);
    cr_assert_eq(m->mxu.count, 2);
    cr_assert_eq(m->mxu.size, 128, "from tpu-v2");
    cr_assert_eq(m->hbm.bandwidth, UINT64_C(900000000000));
    cr_assert_eq(m->hbm.efficiency, 950000000);
    cr_assert_eq(m->dram.ccd_l, 3, "from the part of tpu-v2");
    cr_assert_eq(m->dram.rfc, 350000000, "350 ns in fs");
    cr_assert_eq(m->core.op_overhead, 400000000, "0.4 us in fs");
    cr_assert_eq(m->price.on_demand, UINT64_C(8000000000), "8 USD/h in 1e-9");
    cr_assert_eq(spec_chips(m), 4);
    cr_assert_eq(spec_hosts(m), 1);
    spec_free(m);
}

/* Per chip; the data sheets round to whole TFLOP/s from v4 on, and v6e's is 918 to 920. */
Test(catalog, the_peak_of_each_chip_is_the_published_one)
{
    struct machine_spec *m;
    struct err e;
    static const struct {
        const char *name;
        double tflops, rounding;
    } rows[] = {
        { "tpu-v2-8", 45.9, 0.05 }, { "tpu-v3-8", 123.2, 0.05 }, { "tpu-v4-2", 275, 0.5 },
        { "tpu-v4-8", 275, 0.5 },   { "tpu-v5e-1", 197, 0.5 },   { "tpu-v5e-8", 197, 0.5 },
        { "tpu-v5p-2", 459, 0.5 },  { "tpu-v5p-8", 459, 0.5 },   { "tpu-v6e-1", 918, 0.5 },
        { "tpu-v6e-8", 918, 0.5 },  { "tpu-v7-2", 2307, 0.5 },   { "tpu-v7-8", 2307, 0.5 },
        { "tpu-v8i-2", 1100, 0.5 }, { "tpu-v8t-2", 996, 0.5 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(spec_load(&m, rows[i].name, NULL, 0, &e), 0, "%s", e.msg);
        double peak = 2.0 * m->mxu.size * m->mxu.size * m->mxu.rows_per_cycle * m->mxu.count *
                      m->slice.cores / spec_chips(m) * (double)m->core.clock / 1e12;
        cr_expect_float_eq(peak, rows[i].tflops, rows[i].rounding, "%s: %g", rows[i].name, peak);
        spec_free(m);
    }
}

/* 40 cores * 32 multiply-accumulates * 2.2 GHz, 128 * 16 * 2.6; 12 channels of 8 B at 2,666 MT/s,
 * 16 at 3,200. */
Test(catalog, nodes_of_cpus_have_the_rates_of_their_parts)
{
    static const struct {
        const char *name;
        uint64_t macs, memory;
    } rows[] = {
        { "xeon-6148", UINT64_C(2816000000000), UINT64_C(255936000000) },
        { "epyc-7742x2", UINT64_C(5324800000000), UINT64_C(409600000000) },
    };
    struct machine_spec *m;
    struct err e;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(spec_load(&m, rows[i].name, NULL, 0, &e), 0, "%s", e.msg);
        cr_expect_eq(m->kind, CHIP_CPU);
        cr_expect_eq(spec_macs_per_cycle(m) * spec_clock(m), rows[i].macs, "%s", m->name);
        cr_expect_eq(m->hbm.bandwidth, rows[i].memory, "%s", m->name);
        cr_expect_eq(dram_bytes_per_s(&m->dram), rows[i].memory, "%s", m->name);
        spec_free(m);
    }
}

Test(catalog, the_slices_of_later_generations_are_the_published_ones)
{
    struct machine_spec *m;
    struct err e;
    static const struct {
        const char *name;
        uint32_t cores, chips, hosts; /* a device of two cores counts as one */
        uint64_t hbm_gib, hbm_gbps, vmem_mib, ici_gbps;
        uint64_t usd; /* an hour of a chip, in cents; 0: no price */
    } rows[] = {
        { "tpu-v4-2", 1, 1, 1, 32, 1230, 32, 45, 322 },
        { "tpu-v4-8", 4, 4, 1, 32, 1230, 32, 45, 322 },
        { "tpu-v5e-1", 1, 1, 1, 16, 819, 128, 45, 120 },
        { "tpu-v5e-8", 8, 8, 1, 16, 819, 128, 45, 120 },
        { "tpu-v5p-2", 1, 1, 1, 96, 2765, 128, 100, 420 },
        { "tpu-v5p-8", 4, 4, 1, 96, 2765, 128, 100, 420 },
        { "tpu-v6e-1", 1, 1, 1, 32, 1638, 128, 90, 270 },
        { "tpu-v6e-8", 8, 8, 1, 32, 1638, 128, 90, 270 },
        { "tpu-v7-2", 2, 1, 1, 192, 7380, 64, 90, 1200 },
        { "tpu-v7-8", 8, 4, 1, 192, 7380, 64, 90, 1200 },
        { "tpu-v8i-2", 2, 1, 1, 288, 8601, 192, 180, 0 },
        { "tpu-v8t-2", 2, 1, 1, 216, 6528, 128, 180, 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(spec_load(&m, rows[i].name, NULL, 0, &e), 0, "%s", e.msg);
        cr_expect_eq(m->slice.cores, rows[i].cores, "%s", m->name);
        cr_expect_eq(spec_chips(m), rows[i].chips, "%s", m->name);
        cr_expect_eq(spec_hosts(m), rows[i].hosts, "%s", m->name);
        cr_expect_eq(m->hbm.capacity, rows[i].hbm_gib << 30, "%s", m->name);
        cr_expect_eq(m->hbm.bandwidth, rows[i].hbm_gbps * 1000000000, "%s", m->name);
        cr_expect_eq(m->vmem.capacity, rows[i].vmem_mib << 20, "%s", m->name);
        cr_expect_eq(m->ici.bandwidth, rows[i].ici_gbps * 1000000000, "%s", m->name);
        bool listed = spec_given(m, "price", "chip_on_demand");
        cr_expect_eq(listed, rows[i].usd != 0, "%s", m->name);
        cr_expect(!listed || m->price.chip_on_demand == rows[i].usd * 10000000, "%s", m->name);
        spec_free(m);
    }
}

/* A value measured on one chip and used for another is marked as such. */
Test(catalog, what_nobody_measured_on_a_chip_is_counted_as_unverified)
{
    struct machine_spec *m;
    struct err e;

    cr_assert_eq(spec_load(&m, "tpu-v4-2", NULL, 0, &e), 0, "%s", e.msg);
    cr_expect_eq(m->core.op_overhead, 610000000, "0.61 us in fs");
    cr_expect_str_eq(m->source[spec_table("core")][1], "[calibrated: tpu_v4_ops]");
    spec_free(m);
    cr_assert_eq(spec_load(&m, "tpu-v5e-1", NULL, 0, &e), 0, "%s", e.msg);
    cr_expect_eq(m->core.op_overhead, 600000000);
    cr_expect_str_eq(m->source[spec_table("core")][1], "[unverified: as tpu-v4]");
    spec_free(m);
    cr_assert_eq(spec_load(&m, "tpu-v6e-1", NULL, 0, &e), 0, "%s", e.msg);
    cr_expect_eq(m->core.op_overhead, 840000000, "0.84 us in fs");
    cr_expect_str_eq(m->source[spec_table("core")][1], "[calibrated: tpu_v6e_ops]");
    cr_expect_eq(m->hbm.efficiency, 1000000000, "what copies lose, turns account for");
    cr_expect_str_eq(m->source[spec_table("hbm")][3], "[calibrated: tpu-copies]");
    spec_free(m);
}

Test(catalog, every_value_of_every_built_in_machine_has_a_source)
{
    struct err e;

    size_t n = 0;

    for (struct catalog_machine at = { 0 }; catalog_next(&at); n++) {
        struct machine_spec *m;
        cr_assert_eq(spec_load(&m, at.name, NULL, 0, &e), 0, "%s", e.msg);
        cr_expect(*m->summary, "%s has no summary", at.name);
        spec_free(m);
    }
    /* by generation: 6 + 9 + 12 + 8 + 13 + 8 + 15 + 10 + 15, 14 + 13 + 11 + 13 + 13 + 8 */
    cr_expect_eq(n, 168, "%zu", n);
    for (size_t t = 0; t < spec_n_tables; t++)
        for (size_t r = 0; r < spec_tables[t]->n_rows; r++)
            cr_expect(strchr(spec_tables[t]->rows[r].doc, '['), "%s.%s cites no source",
                      spec_tables[t]->section, spec_tables[t]->rows[r].name);
}

Test(catalog, an_override_wins_and_is_remembered)
{
    struct machine_spec *m;
    struct err e;
    const char *set[] = { "mxu.count=4", "core.clock=1.5 GHz" };

    cr_assert_eq(spec_load(&m, "tpu-v2-8", set, 2, &e), 0, "%s", e.msg);
    cr_assert_eq(m->mxu.count, 4);
    cr_assert_eq(m->core.clock, 1500000000);
    cr_assert_eq(m->n_changed, 2);
    cr_expect_str_eq(m->changed[0], "mxu.count = 4, raised from 1");
    cr_expect_str_eq(m->changed[1], "core.clock = 1.5 GHz, raised from 700 MHz");
    spec_free(m);
}

Test(catalog, an_override_says_what_it_raised_and_lowered)
{
    struct machine_spec *m;
    struct err e;
    const char *set[] = { "mxu.count=4", "mxu.count=8", "mxu.count = 8",
                          "xla.narrow_activations=no", "core.op_overhead=1us" };

    cr_assert_eq(spec_load(&m, "tpu-v4-8", set, 5, &e), 0, "%s", e.msg);
    cr_assert_eq(m->n_changed, 5);
    cr_expect_str_eq(m->changed[0], "mxu.count = 4, lowered from 8");
    cr_expect_str_eq(m->changed[1], "mxu.count = 8, raised from 4");
    cr_expect_str_eq(m->changed[2], "mxu.count = 8, as it was");
    cr_expect_str_eq(m->changed[3], "xla.narrow_activations = no, instead of yes");
    cr_expect_str_eq(m->changed[4], "core.op_overhead = 1 us, raised from 610 ns");
    spec_free(m);
}

Test(catalog, another_slice_does_not_keep_the_price)
{
    struct machine_spec *m;
    struct err e;
    const char *set[] = { "slice.cores=32", "slice.mesh_x=4", "slice.mesh_y=4" };

    cr_assert_eq(spec_load(&m, "tpu-v3-8", set, 3, &e), 0, "%s", e.msg);
    cr_assert_not(spec_given(m, "price", "on_demand"));
    spec_free(m);
    cr_assert_eq(spec_load(&m, "tpu-v3-8", NULL, 0, &e), 0, "%s", e.msg);
    cr_assert(spec_given(m, "price", "on_demand"));
    spec_free(m);
}

Test(catalog, a_file_may_have_long_lines)
{
    struct machine_spec *m;
    struct err e;
    char text[2000] = "[machine]\nbase = tpu-v2-8\n[mxu]\ncount = 3 [";

    memset(text + strlen(text), 'x', 1000);
    strcat(text, "]\n");
    cr_assert_eq(load_text(&m, text, &e), 0, "%s", e.msg);
    cr_assert_eq(m->mxu.count, 3);
    spec_free(m);
}

Test(catalog, each_mistake_has_its_sentence)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "[machine]\nbase = tpu-v2-8\n[mxu]\ncuont = 2 [x]\n",
          "4: unknown parameter of [mxu] 'cuont'; did you mean 'count'?" },
        { "[machine]\nbase = tpu-v2-8\n[mux]\ncount = 2 [x]\n",
          "3: unknown section 'mux'; did you mean 'mxu'?" },
        { "[machine]\nbase = tpu-v2-8\n[mxu]\ncount = 2\n",
          "4: mxu.count = 2: expected a [source] tag after the value" },
        { "[machine]\nbase = tpu-v2-8\n[mxu]\ncount = 99 [x]\n",
          "4: mxu.count = 99: outside [1, 16]" },
        { "[machine]\nbase = tpu-v2-8\n[mxu]\ncount = 2 [x]\ncount = 2 [x]\n",
          "5: mxu.count is given twice" },
        { "[machine]\nbase = tpu-v2-8\n[mxu]\ncount = 2 [x] ; why\n",
          "4: no comment may follow a value on its line" },
        { "[machine]\nbase = tpu-v2-8\n[mxu]\ncount = 2\n  3 [x]\n",
          "5: a line begins with a blank; values do not continue" },
        { "[machine]\nbase = tpu-v2-8\n[mxu]\n  count = 2 [x]\n",
          "4: a line begins with a blank; values do not continue" },
        { "[machine]\nbase = tpu-v2-8\nnonsense\n", "3: expected key = value [source]" },
        { "count = 2 [x]\n[machine]\nbase = tpu-v2-8\n",
          "1: count stands before the first [section]" },
        { "[machine\nbase = tpu-v2-8\n", "1: expected [section] alone on its line" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m;
        struct err e;
        cr_assert_eq(load_text(&m, rows[i].text, &e), -1, "row %zu was taken", i);
        cr_expect_str_eq(cut_place(&e), rows[i].message);
    }
}

Test(catalog, a_value_without_its_unit_is_refused)
{
    struct machine_spec *m;
    struct err e;

    cr_assert_eq(load_text(&m, "[machine]\nbase = tpu-v2-8\n[core]\nclock = 700 [x]\n", &e), -1);
    cr_assert_eq(e.code, ERR_UNIT);
    cr_assert(strstr(e.msg, ":4: core.clock = 700"), "%s", e.msg);
}

Test(catalog, a_base_that_leads_back_is_refused)
{
    struct machine_spec *m;
    struct err e;
    char path[] = "/tmp/cyclotron-loop-XXXXXX.ini", text[128];
    int fd = mkstemps(path, 4);

    snprintf(text, sizeof text, "[machine]\nbase = %s\n", path);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    cr_assert_eq(spec_load(&m, path, NULL, 0, &e), -1);
    unlink(path);
    cr_assert(strstr(e.msg, "leads back to itself"), "%s", e.msg);
}

Test(catalog, chips_must_fill_the_mesh)
{
    struct machine_spec *m;
    struct err e;
    const char *set[] = { "slice.mesh_x=3" };

    cr_assert_eq(spec_load(&m, "tpu-v2-8", set, 1, &e), -1);
    cr_assert_str_eq(e.msg,
                     "tpu-v2-8: slice.mesh_x * slice.mesh_y * slice.mesh_z = 3 * 2 * 1 chips, "
                     "but 8 cores of 2 a chip make 4");
}

Test(catalog, an_unknown_machine_names_the_nearest)
{
    struct machine_spec *m;
    struct err e;

    cr_assert_eq(spec_load(&m, "tpu-v33-8", NULL, 0, &e), -1);
    cr_assert(strstr(e.msg, "unknown machine 'tpu-v33-8'; did you mean 'tpu-v3-8'"), "%s", e.msg);
    cr_assert_eq(spec_load(&m, "v3.8", NULL, 0, &e), -1);
    cr_assert(strstr(e.msg, "unknown machine 'v3.8'; did you mean 'tpu-v3-8'"), "%s", e.msg);
}

/* The program that feeds a step runs on the node itself: 2 x 20 and 2 x 64 cores. */
Test(catalog, a_node_of_cpus_lends_its_cores_to_the_loop)
{
    static const struct {
        const char *name;
        uint32_t cores;
    } rows[] = { { "xeon-6148", 40 }, { "epyc-7742x2", 128 } };

    for (size_t i = 0; i < 2; i++) {
        struct machine_spec *m;
        struct err e;
        cr_assert_eq(spec_load(&m, rows[i].name, NULL, 0, &e), 0, "%s", e.msg);
        cr_expect_eq(m->host.cores, rows[i].cores, "%s: %u", m->name, m->host.cores);
        cr_expect_eq(m->cpu.sockets * m->cpu.count, rows[i].cores);
        spec_free(m);
    }
}

/* A core of v4 is two TensorCores with as many matrix units each; one of v3 is a single one. */
Test(catalog, matrix_units_divide_among_the_tensorcores_of_a_core)
{
    static const struct {
        const char *machine, *set;
        int rc;
    } rows[] = { { "tpu-v4-8", "mxu.count=1", -1 },
                 { "tpu-v4-8", "mxu.count=2", 0 },
                 { "tpu-v4-8", "mxu.count=3", -1 },
                 { "tpu-v3-8", "mxu.count=1", 0 },
                 { "tpu-v3-8", "mxu.count=3", 0 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m = NULL;
        struct err e = { .code = ERR_NONE };
        cr_expect_eq(spec_load(&m, rows[i].machine, &rows[i].set, 1, &e), rows[i].rc, "%s %s: %s",
                     rows[i].machine, rows[i].set, e.msg);
        cr_expect_eq(e.code, rows[i].rc ? ERR_RANGE : ERR_NONE);
        spec_free(m);
    }
}
