/* Are the traces in the repository those that the generators write? */
#include "ops_table.h"
#include "step/step.h"

static void compare_committed(const char *workload)
{
    char path[64], *stored;
    size_t n_stored, size;
    struct trace *t;
    struct err err;
    FILE *out = open_memstream(&stored, &n_stored);
    char *text = ops_generate(workload, NULL, 0, &size);

    cr_assert_not_null(out);
    snprintf(path, sizeof path, "traces/%s.trace.zst", workload);
    cr_assert_eq(trace_open(&t, path, false, &err), 0, "%s", err.msg);
    cr_assert_eq(trace_unpack(t, out, &err), 0, "%s", err.msg);
    trace_close(t);
    fclose(out);
    cr_assert_eq(n_stored, size, "%s has %zu bytes of text, expected %zu", path, n_stored, size);
    cr_expect_eq(memcmp(stored, text, size), 0, "%s differs from what the generator writes", path);
    free(stored);
    free(text);
}

Test(committed, the_3dgan_trace_is_what_its_generator_writes)
{
    compare_committed("3dgan");
}

Test(committed, the_exatrkx_trace_is_what_its_generator_writes)
{
    compare_committed("exatrkx");
}

Test(committed, the_mlpf_trace_is_what_its_generator_writes)
{
    compare_committed("mlpf");
}

Test(committed, the_generators_write_canonical_text)
{
    for (size_t i = 0; i < gen_n_workloads; i++) {
        struct trace *t;
        struct trace_item item;
        struct err err;
        size_t size, n;
        char *text = ops_generate(gen_workloads[i]->name, NULL, 0, &size), *printed;
        FILE *out = open_memstream(&printed, &n);

        cr_assert_not_null(out);
        cr_assert_eq(trace_open_memory(&t, "generated", text, size, false, &err), 0, "%s", err.msg);
        do {
            cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
            trace_print(t, &item, out);
        } while (item.kind != TRACE_ITEM_END);
        fclose(out);
        cr_expect_eq(n, size);
        cr_expect_str_eq(printed, text, "%s", gen_workloads[i]->name);
        trace_close(t);
        free(printed);
        free(text);
    }
}

Test(committed, a_step_in_memory_prints_what_the_generators_write)
{
    for (size_t i = 0; i < gen_n_workloads; i++) {
        struct trace *t;
        struct step step;
        struct err err;
        size_t size, n;
        char *text = ops_generate(gen_workloads[i]->name, NULL, 0, &size), *printed;
        FILE *out = open_memstream(&printed, &n);

        cr_assert_not_null(out);
        cr_assert_eq(trace_open_memory(&t, "generated", text, size, false, &err), 0, "%s", err.msg);
        step_init(&step);
        cr_assert_eq(step_read_all(&step, t, &err), 0, "%s", err.msg);
        cr_expect_eq(step_verify(&step, "reading", &err), 0, "%s", err.msg);
        step_print_head(&step, out);
        step_print(&step, out);
        fclose(out);
        cr_expect_eq(n, size);
        cr_expect_str_eq(printed, text, "%s", gen_workloads[i]->name);
        step_free(&step);
        trace_close(t);
        free(printed);
        free(text);
    }
}
