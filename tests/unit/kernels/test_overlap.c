/* All-reduces of gradients that begin during the backward pass: which bucket begins where, as
 * PyTorch's DistributedDataParallel hands them to NCCL (lower_overlap.h). */
#include "lower_bench.h"
#include "machine/spec/spec.h"

static struct cap cap_of(const char *machine, const char *const *set, size_t n)
{
    struct machine_spec *spec;
    struct cap c;
    struct err err;

    cr_assert_eq(spec_load(&spec, machine, set, n, &err), 0, "%s", err.msg);
    spec_cap(spec, &c);
    spec_free(spec);
    return c;
}

/* A task as a letter: a kernel, the start of a collective, the wait for it, or one in place; a
 * loop.
 */
static const char *tasks_of(const struct task_program *p)
{
    static _Thread_local char text[64];
    size_t n = 0;

    for (uint32_t i = 0; i < p->n_tasks && n + 1 < sizeof text; i++) {
        const struct task *t = &p->task[i];
        text[n++] = t->kind == TASK_REPEAT       ? '('
                    : t->kind == TASK_END        ? ')'
                    : t->kind != TASK_COLLECTIVE ? 'k'
                    : t->async == TASK_START     ? 's'
                    : t->async == TASK_DONE      ? 'd'
                                                 : 'a';
    }
    text[n] = 0;
    return text;
}

static uint64_t sum_of_calls(const struct task_program *p)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < p->n_calls; i++)
        sum += p->call[i].bytes;
    return sum;
}

#define TENSORS "tensor %x f32[1000] input\n"
/* Two layers and a small one, last layer first: 1.2 MB; 20 and 8 MB; 40 B. */
#define BACKWARD                                                                                   \
    "%g3 f32[300000] gradient = elementwise(%x)\n%a f32[1000] = elementwise(%x)\n"                 \
    "%g2 f32[5000000] gradient = elementwise(%a)\n%g1 f32[2000000] gradient = elementwise(%a)\n"   \
    "%g0 f32[10] gradient = elementwise(%a)\n%z f32[1000] = elementwise(%a)\n"
#define UPDATE "all-reduce(%g0, %g1, %g2, %g3)\n"

static void lower_on(struct bench *b, const char *machine, const char *set, const char *body)
{
    struct cap c = cap_of(machine, &set, set ? 1 : 0);

    cr_assert_eq(lower_text(b, TENSORS, body, &c, false), 0, "%s", b->err.msg);
}

/* 1.2 MB fill the first bucket (1 MiB), 20 and 8 MB the second (25 MB), 40 B are the third. */
Test(overlap, a_bucket_begins_behind_its_last_gradient)
{
    static const uint64_t bytes[] = { 1200000, 28000000, 40 };
    struct bench b;
    uint32_t call = 0;

    lower_on(&b, "v100x4", NULL, BACKWARD UPDATE);
    cr_expect_str_eq(tasks_of(&b.p), "kskkkskskddd");
    cr_assert_eq(b.p.n_calls, 3);
    for (uint32_t i = 0; i < b.p.n_tasks; i++) {
        const struct task *t = &b.p.task[i];
        if (t->kind != TASK_COLLECTIVE)
            continue;
        cr_expect_eq(t->row, 6, "all time is that of the operation");
        if (t->async == TASK_DONE)
            continue;
        cr_expect_eq(t->collective.first, call);
        cr_expect_eq(t->collective.count, 1);
        cr_expect_eq(b.p.call[call].bytes, bytes[call]);
        call++;
    }
    cr_expect_eq(b.p.task[9].start, 1);
    cr_expect_eq(b.p.task[10].start, 5);
    cr_expect_eq(b.p.task[11].start, 7);
    cr_expect_eq(b.p.task[11].workspace, 28000000, "of the bucket of two tensors");
    take_down(&b);
}

/* In place, at most 25 MB in the order of the trace: 8,000,040 B, then 21.2 MB. */
Test(overlap, as_many_bytes_go_in_place)
{
    struct bench b;

    lower_on(&b, "v100x4", "nccl.overlap=no", BACKWARD UPDATE);
    cr_expect_str_eq(tasks_of(&b.p), "kkkkkka");
    cr_assert_eq(b.p.n_calls, 2);
    cr_expect_eq(b.p.call[0].bytes, 8000040);
    cr_expect_eq(b.p.call[1].bytes, 21200000);
    cr_expect_eq(sum_of_calls(&b.p), 29200040);
    take_down(&b);
    lower_on(&b, "v100x4", "nccl.overlap=yes", BACKWARD UPDATE);
    cr_expect_eq(sum_of_calls(&b.p), 29200040);
    take_down(&b);
}

/* One bucket of all gradients is complete when the last one is. */
Test(overlap, one_bucket_waits_for_the_whole_pass)
{
    static const char *const set[] = { "nccl.first_bucket=1 TB", "nccl.bucket=1 TB" };
    struct cap c = cap_of("v100x4", set, 2);
    struct bench b;

    cr_assert_eq(lower_text(&b, TENSORS, BACKWARD UPDATE, &c, false), 0, "%s", b.err.msg);
    cr_expect_str_eq(tasks_of(&b.p), "kkkkkskd");
    cr_expect_eq(sum_of_calls(&b.p), 29200040);
    take_down(&b);
}

/* A trace that states its framework is reduced as that does it, whatever launches its kernels; what
 * the machine is told wins. */
Test(overlap, the_framework_of_the_trace_decides)
{
    static const struct {
        const char *set, *framework, *tasks;
    } rows[] = {
        { NULL, "framework tensorflow\n", "kkkkkka" },
        { NULL, "framework jax\n", "kkkkkka" },
        { NULL, "framework pytorch\n", "kskkkskskddd" },
        { "nccl.overlap=yes", "framework tensorflow\n", "kskkkskskddd" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cap c = cap_of("v100x4", &rows[i].set, rows[i].set != NULL);
        char tensors[128];
        struct bench b;
        snprintf(tensors, sizeof tensors, "%s%s", rows[i].framework, TENSORS);
        cr_assert_eq(lower_text(&b, tensors, BACKWARD UPDATE, &c, false), 0, "%s", b.err.msg);
        cr_expect_str_eq(tasks_of(&b.p), rows[i].tasks, "%s", rows[i].framework);
        take_down(&b);
    }
}

/* TensorFlow packs all gradients and XLA schedules for itself; a TPU's compiler keeps its own
 * order, and a trace that names the size of a bucket keeps it. */
Test(overlap, others_reduce_in_place)
{
    static const struct {
        const char *machine, *set, *update, *tasks;
    } rows[] = {
        { "v100x4", "launch.framework=graph", UPDATE, "kkkkkka" },
        { "v100x4", "launch.framework=xla", UPDATE, "kkkkkka" },
        { "tpu-v3-8", NULL, UPDATE, "kkkkkka" },
        { "v100x4", NULL, "all-reduce(%g0, %g1, %g2, %g3) combine=1000000\n", "kkkkkka" },
        { "v100x4", NULL, "all-reduce(%z)\n", "kkkkkka" }, /* no gradient */
        { "v100x4", "launch.framework=graph", "all-reduce(%z)\n", "kkkkkka" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[1024];
        struct bench b;
        snprintf(body, sizeof body, "%s%s", BACKWARD, rows[i].update);
        lower_on(&b, rows[i].machine, rows[i].set, body);
        cr_expect_str_eq(tasks_of(&b.p), rows[i].tasks, "row %zu: %s", i, tasks_of(&b.p));
        take_down(&b);
    }
}

/* A gradient that is read before the all-reduce is reduced behind that; one from before a loop, in
 * each turn from its begin on; one that a loop touches, behind the loop. */
Test(overlap, a_collective_begins_when_nobody_needs_the_summand)
{
    static const struct {
        const char *body, *tasks;
    } rows[] = {
        { "%g f32[10] gradient = elementwise(%x)\n%n f32[1] = reduce(%g)\n"
          "%y f32[10] = elementwise(%x)\nall-reduce(%g)\n",
          "kkskd" },
        { "%g f32[10] gradient = elementwise(%x)\nrepeat 3 {\n%y f32[10] = elementwise(%x)\n"
          "all-reduce(%g)\n}\n",
          "k(skd)" },
        { "%g f32[10] gradient = elementwise(%x)\nrepeat 3 {\n%y f32[10] = elementwise(%g)\n}\n"
          "%z f32[10] = elementwise(%x)\nall-reduce(%g)\n",
          "k(k)skd" },
        { "%g f32[10] gradient = elementwise(%x)\nall-reduce(%g)\n%z f32[10] = elementwise(%x)\n"
          "all-reduce(%g)\n",
          "ksdskd" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        lower_on(&b, "v100x4", NULL, rows[i].body);
        cr_expect_str_eq(tasks_of(&b.p), rows[i].tasks, "row %zu: %s", i, tasks_of(&b.p));
        take_down(&b);
    }
}

/* Gradients of two dtypes never share a buffer. */
Test(overlap, a_bucket_has_one_dtype)
{
    struct bench b;

    lower_on(&b, "v100x4", NULL,
             "%g0 f32[10] gradient = elementwise(%x)\n%g1 bf16[10] gradient = elementwise(%x)\n"
             "%g2 f32[10] gradient = elementwise(%x)\nall-reduce(%g0, %g1, %g2)\n");
    cr_expect_str_eq(tasks_of(&b.p), "kksksdd");
    cr_assert_eq(b.p.n_calls, 2);
    cr_expect_eq(b.p.call[0].bytes, 20);
    cr_expect_eq(b.p.call[0].schedule.element, 2);
    cr_expect_eq(b.p.call[1].bytes, 80);
    cr_expect_eq(b.p.call[1].schedule.element, 4);
    take_down(&b);
}
