/* 3DGAN with its loop on the host. */
#include "tests/unit/traces/gen_helper.h"

/* Runs of the operations of a kind in a step, loops multiplied out; of those with a name if it is
 * not NULL.  *cpu is the sum of what one thread of a CPU takes for them, in microseconds. */
static uint64_t runs_of(const char *const *set, size_t n_set, enum trace_kind kind,
                        const char *name, uint64_t *cpu)
{
    struct trace *t;
    struct trace_item item;
    struct err err;
    size_t size;
    uint64_t n = 0, times[8] = { 1 }, depth = 0;
    char *text = generate_text("3dgan", set, n_set, &size);

    *cpu = 0;
    cr_assert_eq(trace_open_memory(&t, "3dgan", text, size, false, &err), 0, "%s", err.msg);
    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        if (item.kind == TRACE_ITEM_REPEAT_BEGIN) {
            times[depth + 1] = times[depth] * item.count;
            depth++;
        } else if (item.kind == TRACE_ITEM_REPEAT_END) {
            depth--;
        } else if (item.kind == TRACE_ITEM_OP && item.op.kind == kind &&
                   (!name || strcmp(item.op.name, name) == 0)) {
            const struct trace_work *w = &item.op.work;
            n += times[depth];
            *cpu += times[depth] *
                    ((w->calls * w->call_fs + w->items * w->item_fs + w->bytes * w->byte_fs) /
                     1000000000);
            cr_expect(kind != TRACE_LAUNCH || w->client);
        }
    } while (item.kind != TRACE_ITEM_END);
    trace_close(t);
    free(text);
    return n;
}

Test(gen, calls_of_3dgan_from_the_host_are_those_of_its_program)
{
    static const char *const eight[] = { "loop=host" }, *const four_hosts[] = { "loop=host",
                                                                                "cores=32" };
    uint64_t us;

    /* 1,024 images of 65,025 cells: a call of predict at 0.9 s, 32 batches of it; 266,342,400 B fed
     * twice at 2.4 ns; 44 variables on 8 cores at 1 ms, twice */
    cr_expect_eq(runs_of(eight, 1, TRACE_LAUNCH, NULL, &us), 1 + 32 + 2 + 2);
    cr_expect_eq(us, 900000 + 2 * 639221 + 2 * 352000);
    /* 35 ms where the devices are in the machine */
    static const char *const local[] = { "loop=host", "devices=local" };
    cr_expect_eq(runs_of(local, 2, TRACE_LAUNCH, "G.predict", &us), 1);
    cr_expect_eq(us, 35000);
    /* 4 images for each core at 1.7 ms */
    cr_expect_eq(runs_of(eight, 1, TRACE_HOST, "G.predict.call", &us), 32);
    cr_expect_eq(us, 32 * 4 * 1700);
    cr_expect_eq(runs_of(eight, 1, TRACE_HOST, "G.predict.join", &us), 1);
    cr_expect_eq(us, 266342);
    cr_expect_eq(runs_of(eight, 1, TRACE_HOST, "histogram", &us), 2);
    cr_expect_eq(us, 2 * 2375680);
    cr_expect_eq(runs_of(eight, 1, TRACE_LOAD, NULL, &us), 1);
    /* 5,000 images: 325,125,000 cells at 17.5 ns, 1,300,500,000 B at 1 ns */
    cr_expect_eq(us, 5689687 + 1300500);
    /* 4,096 images to each of four hosts: 4 * 1,065,369,600 B */
    cr_expect_eq(runs_of(four_hosts, 2, TRACE_LAUNCH, NULL, &us), 1 + 128 + 2 + 2);
    cr_expect_eq(us, 900000 + 2 * UINT64_C(10227548) + 2 * 44 * 32 * 1000);
    cr_expect_eq(runs_of(four_hosts, 2, TRACE_HOST, "G.predict.call", &us), 128);
    cr_expect_eq(us, 128 * 1700);
}

Test(gen, predict_of_3dgan_hands_out_32_images_to_equal_parts)
{
    static const char *const set[] = { "loop=host", "cores=5" };
    struct err err;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    cr_expect_eq(gen_write("3dgan", set, 2, out, &err), -1);
    cr_expect_str_eq(err.msg, "3dgan: cores = 5: predict hands out 32 images a call, which takes a "
                              "divisor or a multiple of them");
    fclose(out);
    free(text);
}

Test(gen, an_epoch_of_3dgan_from_the_host_is_counted_file_by_file)
{
    size_t size;
    char *text = generate_text("3dgan", SET("loop=host"), &size);

    cr_expect_not_null(strstr(text, "samples step=128 epoch=124987 steps=125\n"));
    cr_expect_not_null(strstr(text, "step every=5 {\n"));
    free(text);
    text = generate_text("3dgan", SET("loop=host", "cores=32"), &size);
    cr_expect_not_null(strstr(text, "samples step=128 epoch=124987 steps=50\n"));
    cr_expect_not_null(strstr(text, "step every=2 {\n"));
    free(text);
}
