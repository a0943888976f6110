/* A capture of four TPU v6e.  Times of kernels and busy times of programs are those that
 * XProf 2.24.2 shows of it (HLO Op Stats, Op Profile); lengths of runs are those of a reader of the
 * wire format in Python. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"

#define CAPTURE "tests/profiles/v6e_host_offload.xplane.pb.zst"
#define BUFFER 5368709120.0 /* bytes of f32[5,1024,1024,256] */

static struct profile *read_capture(void)
{
    struct profile *p;
    struct err err;

    cr_assert_eq(profile_read(&p, CAPTURE, &err), 0, "%s", err.msg);
    return p;
}

static const struct profile_kernel *find_kernel(const struct profile *p, const char *name,
                                                bool asynchronous)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        if (strcmp(p->kernel[i].name, name) == 0 && p->kernel[i].asynchronous == asynchronous)
            return &p->kernel[i];
    cr_assert_fail("no kernel %s", name);
    return NULL;
}

static const struct profile_program *find_program(const struct profile *p, const char *name)
{
    for (size_t i = 0; i < p->n_programs; i++)
        if (strcmp(p->program[i].name, name) == 0)
            return &p->program[i];
    cr_assert_fail("no program %s", name);
    return NULL;
}

Test(v6e, devices_say_what_they_are)
{
    struct profile *p = read_capture();

    cr_assert_eq(p->n_devices, 4);
    cr_expect_str_eq(p->format, "xplane");
    for (size_t i = 0; i < 4; i++) {
        char name[] = "/device:TPU:0";
        name[sizeof name - 2] = (char)('0' + i);
        cr_expect_str_eq(p->device[i].name, name);
        cr_expect_str_eq(p->device[i].type, "TPU v6 Lite");
        cr_expect_float_eq(p->device[i].peak_flops, 918e12, 1);
        cr_expect_float_eq(p->device[i].peak_hbm_bytes, 1637.993152512e9, 1);
        cr_expect_not(p->device[i].megacore);
        cr_expect_eq(p->device[i].chip, 1 + 4 + i); /* chips 4 to 7: those of the second host */
    }
    cr_expect_eq(profile_devices(p), 4);
    profile_free(p);
}

static void expect_program(const struct profile *p, const char *name, uint64_t id, uint64_t runs,
                           uint64_t total, uint64_t median)
{
    const struct profile_program *is = find_program(p, name);

    cr_expect_eq(is->id, id, "%s: %" PRIu64, name, is->id);
    cr_expect_eq(is->runs, runs, "%s: %" PRIu64 " runs", name, is->runs);
    cr_expect_eq(is->cut, 0, "%s: %" PRIu64 " cut", name, is->cut);
    cr_expect_eq(is->total, total, "%s: total %" PRIu64, name, is->total);
    cr_expect_eq(is->median, median, "%s: median %" PRIu64, name, is->median);
}

Test(v6e, programs_and_their_runs)
{
    struct profile *p = read_capture();

    cr_assert_eq(p->n_programs, 4);
    expect_program(p, "jit_convert_element_type", 2433868464432466958u, 1, 961328, 961328);
    expect_program(p, "jit_broadcast_in_dim", 11287434908481120160u, 1, 4444277344, 4444277344);
    expect_program(p, "jit__psum", 9646411105960254074u, 12, 1925259093046, 129282608047);
    expect_program(p, "jit_f", 12190760917235803885u, 400, 313653247913604, 784131770547);
    cr_expect_eq(find_program(p, "jit_f")->hlo_size, 8194);
    cr_expect_eq(find_program(p, "jit__psum")->hlo_size, 2293);
    cr_expect_eq(find_program(p, "jit_f")->busy, 313653114681250);
    cr_expect_eq(find_program(p, "jit__psum")->busy, 1460345258750);
    /* one kernel and what comes before it are all of the run */
    cr_expect_eq(find_program(p, "jit_broadcast_in_dim")->busy, 4443766250);
    cr_expect_eq(find_program(p, "jit_broadcast_in_dim")->waits, 5439011744500 - 5439011234578);
    profile_free(p);
}

static void expect_kernel(const struct profile *p, const char *name, bool asynchronous,
                          uint64_t count, uint64_t total)
{
    const struct profile_kernel *k = find_kernel(p, name, asynchronous);

    cr_expect_eq(k->count, count, "%s: %" PRIu64, name, k->count);
    cr_expect_eq(k->total, total, "%s: %" PRIu64 " ps", name, k->total);
}

Test(v6e, kernels_are_summed_over_devices)
{
    struct profile *p = read_capture();

    cr_assert_eq(p->n_kernels, 23);
    expect_kernel(p, "broadcast.2", false, 1, 4443766250);
    expect_kernel(p, "all-reduce", false, 12, 1460345258750);
    expect_kernel(p, "broadcast_add_fusion.2", false, 400, 3167203858750);
    expect_kernel(p, "copy-done", false, 400, 75671038513750);
    expect_kernel(p, "copy-start", true, 100, 18907650688714);
    const struct profile_kernel *k = find_kernel(p, "broadcast_add_fusion.2", false);
    cr_expect_eq(k->least, 7909016250);
    cr_expect_eq(k->most, 7962786250);
    cr_expect_eq(k->flops, 1342177280);
    cr_expect_eq(k->bytes, 10737418240);
    cr_expect_str_eq(k->category, "loop fusion");
    cr_expect_str_eq(k->scope, "jit(f)/jit(main)/add:");
    cr_expect_eq(strncmp(k->text, "%broadcast_add_fusion.2 = f32[5,1024,1024,256]{3,2,1,0", 54), 0);
    cr_expect_not(k->container);
    profile_free(p);
}

/* bytes over seconds of an occurrence, in GB/s */
static double find_rate(const struct profile_kernel *k, double bytes)
{
    return bytes / ((double)k->total / (double)k->count * 1e-12) / 1e9;
}

Test(v6e, rates_are_those_of_the_hardware)
{
    struct profile *p = read_capture();

    cr_expect_float_eq(find_rate(find_kernel(p, "broadcast_add_fusion.2", false), 2 * BUFFER), 1357,
                       1.5, "HBM");
    cr_expect_float_eq(find_rate(find_kernel(p, "broadcast.2", false), BUFFER), 1208, 1, "writes");
    cr_expect_float_eq(find_rate(find_kernel(p, "all-reduce", false), BUFFER), 44.1, 0.05, "ICI");
    cr_expect_float_eq(find_rate(find_kernel(p, "copy-start", true), BUFFER), 28.4, 0.05, "PCIe");
    profile_free(p);
}

/* The events of the run that stands for jit_f: all kernels of a run, one after the other. */
Test(v6e, one_run_stands_for_its_program)
{
    static const char *const order[] = { "copy-start",
                                         "copy-start.2",
                                         "copy-start.4",
                                         "copy-done",
                                         "broadcast_add_fusion.2",
                                         "copy-start.1",
                                         "copy-done.2",
                                         "broadcast_add_fusion.1",
                                         "copy-start.3",
                                         "copy-done.4",
                                         "broadcast_add_fusion",
                                         "copy-start.5",
                                         "copy-done.1",
                                         "copy-done.3",
                                         "copy-done.5" };
    struct profile *p = read_capture();
    size_t n = 0, asynchronous = 0;

    for (size_t i = 0; i < p->n_events; i++) {
        const struct profile_kernel *k = &p->kernel[p->event[i].kernel];
        if (strcmp(p->program[k->program].name, "jit_f") != 0)
            continue;
        asynchronous += k->asynchronous;
        if (!k->asynchronous && n < sizeof order / sizeof *order)
            cr_expect_str_eq(k->name, order[n++]);
    }
    cr_expect_eq(n, 15);
    cr_expect_eq(asynchronous, 6);
    profile_free(p);
}

static struct profile *read_export(const char *name)
{
    char path[100];
    struct profile *p;
    struct err err;

    snprintf(path, sizeof path, "tests/profiles/%s", name);
    cr_assert_eq(profile_read(&p, path, &err), 0, "%s", err.msg);
    return p;
}

/* All that is a sum is the same in the exports of the capture. */
static void expect_sums(const char *name, const char *format)
{
    struct profile *p = read_export(name), *capture = read_capture();

    cr_expect_str_eq(p->format, format);
    cr_expect_eq(p->n_kernels, 17, "%s: %zu kernels", name, p->n_kernels);
    cr_expect_eq(p->n_programs, 3);
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct profile_kernel *k = &p->kernel[i],
                                    *same = find_kernel(capture, k->name, false);
        expect_kernel(capture, k->name, false, k->count, k->total);
        cr_expect_str_eq(k->text, same->text);
        cr_expect_str_eq(k->category, same->category);
        if (strcmp(format, "op_profile") != 0) /* which has none here */
            cr_expect_str_eq(k->scope, same->scope);
        cr_expect_eq(k->flops, same->flops, "%s: %s: %" PRIu64, name, k->name, k->flops);
        cr_expect_eq(p->program[k->program].id, capture->program[same->program].id);
    }
    expect_kernel(p, "broadcast_add_fusion.2", false, 400, 3167203858750);
    cr_expect_eq(find_kernel(p, "broadcast_add_fusion.2", false)->bytes, 10737418240);
    profile_free(p);
    profile_free(capture);
}

Test(v6e, hlo_stats_as_json)
{
    expect_sums("v6e_hlo_stats.json", "hlo_stats");
}

Test(v6e, hlo_stats_as_csv)
{
    expect_sums("v6e_hlo_stats.csv", "hlo_stats");
}

Test(v6e, op_profile)
{
    struct profile *p = read_export("v6e_op_profile.json.gz");

    expect_sums("v6e_op_profile.json.gz", "op_profile");
    cr_expect_str_eq(p->program[0].name, "jit_f");
    profile_free(p);
}

/* Two devices of the capture: half of the runs of what all four run. */
Test(v6e, trace_viewer)
{
    struct profile *p = read_export("v6e_trace.json.gz");
    const struct profile_program *f = find_program(p, "jit_f");

    cr_expect_str_eq(p->format, "trace_viewer");
    cr_expect_eq(p->n_devices, 4);
    cr_expect_eq(f->runs, 200);
    cr_expect_eq(f->cut, 0);
    cr_expect_eq(f->busy, 156837425920000, "%" PRIu64, f->busy);
    expect_kernel(p, "broadcast.2", false, 1, 4443766250);
    expect_kernel(p, "all-reduce", false, 6, 730158823750);
    expect_kernel(p, "broadcast_add_fusion.1", false, 200, 1630577501250);
    cr_expect_eq(find_kernel(p, "all-reduce", false)->flops, 1342177280);
    profile_free(p);
}

/* Names of processes as XProf writes them for several hosts. */
Test(v6e, a_host_may_have_a_name_of_one_letter)
{
    static const char text[] =
        "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
        "{\"args\":{\"name\":\"h "
        "/device:TPU:0\"},\"name\":\"process_name\",\"ph\":\"M\",\"pid\":3},"
        "{\"args\":{\"name\":\"XLA "
        "Modules\"},\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":2},"
        "{\"args\":{\"name\":\"XLA "
        "Ops\"},\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":3,\"tid\":3},"
        "{\"args\":{\"run_id\":\"1\"},\"dur\":4,\"name\":\"jit_f(7)\",\"ph\":\"X\",\"pid\":3,"
        "\"tid\":2,\"ts\":1},"
        "{\"args\":{},\"dur\":2,\"name\":\"fusion.1\",\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":2}]}";
    struct profile *p;
    struct err err;

    cr_assert_eq(profile_read_memory(&p, "t.json", text, strlen(text), &err), 0, "%s", err.msg);
    cr_assert_eq(p->n_devices, 1);
    cr_expect_str_eq(p->device[0].host, "h");
    profile_free(p);
}
