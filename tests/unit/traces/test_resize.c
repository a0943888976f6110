/* Generated traces, derived again for slices of other sizes. */
#include "base/memory.h"
#include "tests/unit/traces/gen_helper.h"
#include "traces/resize.h"

#define CORES(n, hosts_) (&(const struct resize_slice){ "some-slice", n, hosts_, false })

static struct trace *open_text(const char *text, size_t size)
{
    struct trace *t;
    struct err err;

    cr_assert_eq(trace_open_memory(&t, "mine.trace", text, size, false, &err), 0, "%s", err.msg);
    return t;
}

/* The text resized for a slice; NULL: it stays as it is. */
static char *derive_text(const char *text, const struct resize_slice *slice)
{
    struct trace *t = open_text(text, strlen(text));
    struct resize r;
    struct err err;

    cr_assert_eq(resize_trace(t, slice, &r, &err), 0, "%s", err.msg);
    cr_expect_eq(r.text != NULL, r.to == slice->cores);
    trace_close(t);
    return r.text;
}

static void refuses_slice(const char *text, const struct resize_slice *slice, const char *message)
{
    struct trace *t = open_text(text, strlen(text));
    struct resize r;
    struct err err = { 0 };

    cr_expect_eq(resize_trace(t, slice, &r, &err), -1);
    cr_expect_eq(err.code, ERR_FIT);
    cr_expect_str_eq(err.msg, message);
    cr_expect_null(r.text);
    trace_close(t);
}

/* Replace the first `from` of `text`, which is there, by `to`. */
static char *edit_text(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from), *out;
    size_t size;

    cr_assert_not_null(at);
    FILE *f = open_memstream(&out, &size);
    cr_assert_not_null(f);
    fprintf(f, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(f);
    free(text);
    return out;
}

Test(resize, a_step_that_depends_on_the_slice_becomes_the_one_generated_for_it)
{
    size_t size;
    char *eight = generate_text("3dgan", SET("loop=host", "batch=16"), &size);
    char *want = generate_text("3dgan", SET("loop=host", "batch=16", "cores=32"), &size);
    char *got = derive_text(eight, CORES(32, 4));

    cr_assert_not_null(got);
    cr_expect_str_eq(got, want);
    free(got);
    cr_expect_null(derive_text(eight, CORES(8, 1)), "it is for 8 cores already");
    free(eight);
    free(want);

    char *fc = generate_text("fc", SET("batch=64", "update=sharded"), &size);
    want = generate_text("fc", SET("batch=64", "update=sharded", "cores=2"), &size);
    got = derive_text(fc, CORES(2, 1));
    cr_assert_not_null(got);
    cr_expect_str_eq(got, want);
    free(got);
    free(fc);
    free(want);
}

Test(resize, hosts_with_fewer_cores_are_counted)
{
    size_t size;
    char *text = generate_text("3dgan", SET("loop=host", "batch=16"), &size);
    char *got = derive_text(text, CORES(16, 4));

    /* 16 * 16 images of 65,025 f32, sent to each of 4 hosts: 4 * 66,585,600 B */
    cr_assert_not_null(got);
    cr_expect_not_null(strstr(got, "param host_cores=4\n"));
    cr_expect_not_null(strstr(got, "name=\"D.train_on_batch\" bytes=266342400 "));
    free(got);
    free(text);
}

Test(resize, any_other_step_runs_as_it_is_on_any_slice)
{
    static const char *const whole[] = { "3dgan", "mlpf" };
    size_t size;

    for (size_t i = 0; i < COUNT(whole); i++) {
        char *text = generate_text(whole[i], SET("batch=2"), &size);
        struct trace *t = open_text(text, size);
        cr_expect_eq(resize_cores(trace_head(t)), 0);
        trace_close(t);
        cr_expect_null(derive_text(text, CORES(32, 4)));
        free(text);
    }
    cr_expect_null(derive_text("cyclotron-trace 1\nworkload \"fc of mine\"\nparam cores=8\n"
                               "step {\n}\n",
                               CORES(32, 4)));
    cr_expect_null(derive_text("cyclotron-trace 1\nworkload \"fc\"\nparam layers=8\nstep {\n}\n",
                               CORES(32, 4)));
    /* cut for a number of cores, which it says itself */
    cr_expect_null(derive_text("cyclotron-trace 1\nworkload \"fc\"\nsamples step=8 cores=4\n"
                               "param cores=8\nstep {\n}\n",
                               CORES(4, 1)));
}

Test(resize, a_step_that_was_changed_by_hand_is_never_replaced)
{
    size_t size;
    char *text = generate_text("3dgan", SET("loop=host", "batch=16"), &size);

    text = edit_text(text, "item-time=\"2.32 ms\"", "item-time=\"2.33 ms\"");
    cr_expect_null(derive_text(text, CORES(8, 1)));
    refuses_slice(text, CORES(32, 4),
                  "mine.trace: its step is for 8 cores, some-slice has 32, and it was changed "
                  "since it was generated: write it for this slice, cyclotron trace gen 3dgan "
                  "batch=16 loop=host cores=32 | cyclotron replay - -m some-slice, or take its "
                  "param lines out to replay it as it is");
    text = edit_text(text, "param cores=8\n", "");
    cr_expect_null(derive_text(text, CORES(32, 4)));
    free(text);
}

Test(resize, a_size_without_a_step_says_why)
{
    size_t size;
    char *text = generate_text("3dgan", SET("loop=host"), &size);

    refuses_slice(text, CORES(128, 16),
                  "mine.trace: its step is for 8 cores, and cannot be derived again: 3dgan: batch "
                  "= 128, cores = 128: a step takes 16384 images, a file has 5000; batch=39 at "
                  "most");
    refuses_slice(text, CORES(4096, 512),
                  "mine.trace: its step is for 8 cores, and cannot be derived again: 3dgan: cores "
                  "= 4096: outside [1, 2048]");
    free(text);
    text = generate_text("fc", SET("batch=64"), &size);
    refuses_slice(
        text, CORES(3, 1),
        "mine.trace: its step is for 8 cores, and cannot be derived again: fc: batch = "
        "64: not a multiple of cores = 3; remainder=pad fills it up, remainder=drop leaves "
        "some out");
    free(text);
}

/* devices=auto: GPUs are in the machine of the program, a TPU node is not. */
Test(resize, devices_of_a_host_loop_are_where_the_machine_has_them)
{
    static const char *const settings[] = { "loop=host", "cores=4" };
    static const char *const remote[] = { "loop=host", "cores=4", "devices=remote" };
    static const char *const local[] = { "loop=host", "cores=4", "devices=local" };
    size_t size;
    const struct resize_slice gpus = { "v100x4", 4, 1, true }, tpus = { "some-slice", 4, 1, false };
    char *text = generate_text("3dgan", settings, 2, &size),
         *far = generate_text("3dgan", remote, 3, &size),
         *near = generate_text("3dgan", local, 3, &size);

    cr_expect_null(derive_text(text, &tpus));
    cr_expect_null(derive_text(far, &gpus), "as it says");
    cr_expect_null(derive_text(near, &gpus));
    char *derived = derive_text(text, &gpus);
    cr_assert_not_null(derived);
    cr_expect_str_eq(derived, near);
    free(derived);
    /* one that was changed by hand is replayed as it is */
    char *edited = memory_format("%s# mine\n", text);
    cr_expect_null(derive_text(edited, &gpus));
    free(edited);
    free(text);
    free(far);
    free(near);
}
