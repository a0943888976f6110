/* k=v to the trace of one operation, and what is wrong with k=v. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/err.h"
#include "study/op/op.h"
#include "study/op/op_kind.h"
#include "trace/trace.h"

#define MAX_ARGS 6
static const struct op_machine ON = { .cores = 8 };
#define COUNT(a) (sizeof(a) / sizeof *(a))

static size_t count_items(const char *const arg[MAX_ARGS])
{
    size_t n = 0;

    while (n < MAX_ARGS && arg[n])
        n++;
    return n;
}

/* The trace after its header lines; `cores` is 8. */
struct written {
    const char *kind, *arg[MAX_ARGS], *text;
};

static const struct written traces[] = {
    { "matmul",
      { "m=2", "n=3", "k=4" },
      "tensor %lhs bf16[2,4] constant\ntensor %rhs bf16[4,3] constant\nstep {\n"
      "  %out bf16[2,3] = matmul(%lhs, %rhs) name=\"matmul\"\n}\n" },
    { "matmul",
      { "m=2", "n=3", "k=4", "batch=5", "ta=1", "tb=1" },
      "tensor %lhs bf16[5,4,2] constant\ntensor %rhs bf16[5,3,4] constant\nstep {\n"
      "  %out bf16[5,2,3] = matmul(%lhs, %rhs) name=\"matmul\" ta=1 tb=1\n}\n" },
    { "conv",
      { "in=2x3x9x8", "filter=5x3x3x2", "window=stride=2x1,pad=1_1x0_0,dilate=1x3", "dtype=f32" },
      /* (9+2-3)/2+1 = 5, (8-3*1-1)/1+1 = 5 */
      "tensor %in f32[2,3,9,8] constant\ntensor %filter f32[5,3,3,2] constant\nstep {\n"
      "  %out f32[2,5,5,5] = conv(%in, %filter) name=\"conv\" size=3x2 stride=2x1 pad=1_1x0_0 "
      "dilate=1x3\n}\n" },
    { "conv-dgrad",
      { "in=2x3x9", "filter=5x3x3", "window=3" },
      "tensor %filter bf16[5,3,3] constant\ntensor %dout bf16[2,5,7] constant\nstep {\n"
      "  %out bf16[2,3,9] = conv-dgrad(%dout, %filter) name=\"conv-dgrad\" size=3\n}\n" },
    { "conv-wgrad",
      { "in=2x3x9", "filter=5x3x3", "resident=rhs" },
      "tensor %in bf16[2,3,9] constant\ntensor %dout bf16[2,5,7] constant\nstep {\n"
      "  %out bf16[5,3,3] = conv-wgrad(%in, %dout) name=\"conv-wgrad\" size=3 resident=rhs\n}\n" },
    { "elementwise",
      { "shape=8x128", "inputs=2", "flops=7", "resident=out+lhs" },
      "tensor %in0 bf16[8,128] constant\ntensor %in1 bf16[8,128] constant\nstep {\n"
      "  %out bf16[8,128] = elementwise(%in0, %in1) name=\"elementwise\" resident=lhs+out "
      "flops=7\n}\n" },
    { "divide",
      { "shape=8x128" },
      "tensor %in0 bf16[8,128] constant\ntensor %in1 bf16[8,128] constant\nstep {\n"
      "  %out bf16[8,128] = elementwise(%in0, %in1) name=\"divide\" fn=divide flops=1024\n}\n" },
    { "rng", { "shape=7", "dtype=f32" }, "step {\n  %out f32[7] = rng() name=\"rng\"\n}\n" },
    { "reduce",
      { "shape=2x3x4", "dims=2,0" },
      "tensor %in0 bf16[2,3,4] constant\nstep {\n"
      "  %out bf16[3] = reduce(%in0) name=\"reduce\" dims=0+2 flops=24\n}\n" },
    { "pool",
      { "shape=2x3x8x9", "window=2x3,stride=2x3" },
      /* 4 x 3 positions of 6 elements, 2 * 3 channels */
      "tensor %in bf16[2,3,8,9] constant\nstep {\n"
      "  %out bf16[2,3,4,3] = pool(%in) name=\"pool\" flops=432\n}\n" },
    { "sort",
      { "shape=4x100", "values=1" },
      "tensor %in0 bf16[4,100] constant\ntensor %in1 bf16[4,100] constant\nstep {\n"
      "  %out0 bf16[4,100], %out1 bf16[4,100] = sort(%in0, %in1) name=\"sort\"\n}\n" },
    { "top-k",
      { "shape=4x100", "k=5" },
      "tensor %in0 bf16[4,100] constant\nstep {\n"
      "  %out bf16[4,5], %place s32[4,5] = sort(%in0) name=\"top-k\"\n}\n" },
    { "transpose",
      { "shape=2x3x4", "perm=2,0,1" },
      "tensor %in bf16[2,3,4] constant\nstep {\n"
      "  %out bf16[4,2,3] = copy(%in) name=\"transpose\"\n}\n" },
    { "broadcast",
      { "shape=3x1", "to=2x3x4" },
      "tensor %in bf16[3,1] constant\nstep {\n"
      "  %out bf16[2,3,4] = copy(%in) name=\"broadcast\"\n}\n" },
    { "slice",
      { "shape=2x3x4", "to=2x1x4" },
      "tensor %in bf16[2,1,4] constant\nstep {\n"
      "  %out bf16[2,1,4] = copy(%in) name=\"slice\"\n}\n" },
    { "concatenate",
      { "shape=2x3x4", "with=2x5x4", "axis=1" },
      "tensor %in bf16[2,3,4] constant\ntensor %with bf16[2,5,4] constant\nstep {\n"
      "  %out bf16[2,8,4] = copy(%in, %with) name=\"concatenate\"\n}\n" },
    { "gather",
      { "rows=10", "cols=4", "table=7", "unique=1" },
      "tensor %table bf16[7,4] constant\ntensor %index s32[10] constant\nstep {\n"
      "  %out bf16[10,4] = gather(%table, %index) name=\"gather\" unique=1\n}\n" },
    { "segment-sum",
      { "rows=10", "cols=4", "table=7" },
      "tensor %value bf16[10,4] constant\ntensor %index s32[10] constant\nstep {\n"
      "  %out bf16[7,4] = scatter(%value, %index) name=\"segment-sum\" sorted=1 flops=40\n}\n" },
    { "adam",
      { "shape=3x5", "dtype=f32" },
      "tensor %weight f32[3,5] weight\ntensor %gradient f32[3,5] constant\n"
      "tensor %state0 f32[3,5] state\ntensor %state1 f32[3,5] state\nstep {\n"
      "  optimizer(%weight, %gradient, %state0, %state1) name=\"adam\" fn=rsqrt flops=180\n}\n" },
    { "all-reduce",
      { "bytes=1 KiB" },
      "tensor %in bf16[512] constant\nstep {\n"
      "  %out bf16[512] = all-reduce(%in) name=\"all-reduce\"\n}\n" },
    { "reduce-scatter",
      { "bytes=1024", "dtype=f32" },
      "tensor %in f32[256] constant\nstep {\n"
      "  %out f32[32] = reduce-scatter(%in) name=\"reduce-scatter\"\n}\n" },
    { "all-gather",
      { "bytes=1KiB" },
      "tensor %in bf16[64] constant\nstep {\n"
      "  %out bf16[512] = all-gather(%in) name=\"all-gather\"\n}\n" },
    { "outfeed",
      { "bytes=10", "sync=1" },
      "tensor %in bf16[5] constant\nstep {\n  outfeed(%in) name=\"outfeed\" sync=1\n}\n" },
    { "outfeed",
      { "bytes=1 B", "dtype=s8" },
      "tensor %in s8[1] constant\nstep {\n  outfeed(%in) name=\"outfeed\"\n}\n" },
    { "host",
      { "time=2.5us", "calls=3", "bytes=1 kB" },
      "tensor %in bf16[500] constant\nstep {\n"
      "  host(%in) name=\"host\" time=\"2.5 us\" calls=3\n}\n" },
};

/* The canonical text of what was written, from the first line that is no header. */
static char *read_canonical(const struct op_trace *written)
{
    struct trace *t;
    struct trace_item item;
    struct err err;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_eq(trace_open_memory(&t, "op", written->text, written->size, false, &err), 0, "%s",
                 err.msg);
    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s: %s", written->text, err.msg);
        if (item.kind != TRACE_ITEM_HEADER)
            trace_print(t, &item, out);
    } while (item.kind != TRACE_ITEM_END);
    fclose(out);
    trace_close(t);
    return text;
}

Test(op, every_operation_is_the_trace_it_should_be)
{
    for (size_t i = 0; i < COUNT(traces); i++) {
        const struct written *w = &traces[i];
        struct op_trace t;
        struct err err;
        cr_assert_eq(op_trace_init(&t, w->kind, w->arg, count_items(w->arg), &ON, &err), 0, "%s",
                     err.msg);
        char *text = read_canonical(&t);
        cr_expect_str_eq(text, w->text, "%s:\n%s", t.name, text);
        free(text);
        op_trace_free(&t);
    }
}

/* Each kind with the examples of its keys: what the list shows must be taken. */
static void expect_valid(const struct op_kind *k)
{
    char set[OP_N_KEYS][64];
    const char *arg[OP_N_KEYS];
    size_t n = 0;
    for (unsigned key = 0; key < OP_N_KEYS; key++)
        if (k->required >> key & 1) {
            const char *example = op_keys[key].example;
            bool image = key == OP_KEY_SHAPE && strcmp(k->name, "pool") == 0;
            bool smaller = key == OP_KEY_TO && strcmp(k->name, "slice") == 0;
            bool part = key == OP_KEY_K && strcmp(k->name, "top-k") == 0;
            snprintf(set[n], sizeof set[n], "%s=%s", op_keys[key].key,
                     image     ? op_keys[OP_KEY_IN].example
                     : smaller ? "8x128x256"
                     : part    ? "10"
                               : example);
            arg[n] = set[n];
            n++;
        }
    struct op_trace t;
    struct err err;
    cr_assert_eq(op_trace_init(&t, k->name, arg, n, &ON, &err), 0, "%s", err.msg);
    free(read_canonical(&t));
    op_trace_free(&t);
}

Test(op, examples_of_every_kind_are_valid)
{
    for (size_t g = 0; g < op_n_groups; g++)
        for (size_t i = 0; i < op_groups[g]->n; i++)
            expect_valid(&op_groups[g]->kind[i]);
}

/* The machine's compiler lets the program before bring up to 64 KiB on chip; `place`: what the
 * trace says of it, or NULL. */
static void expect_place(const char *kind, const char *const *arg, const char *place,
                         uint32_t lanes)
{
    const struct op_machine on = { .cores = 1, .on_chip = 65536, .lanes = lanes };
    struct op_trace t;
    struct err err;

    cr_assert_eq(op_trace_init(&t, kind, arg, count_items(arg), &on, &err), 0, "%s", err.msg);
    const char *found = strstr(t.text, " resident=");
    cr_expect(place ? found && strncmp(found, place, 13) == 0 : !found, "%s %s, %u lanes: %s", kind,
              arg[0], lanes, t.text);
    op_trace_free(&t);
}

Test(op, a_lone_kernel_finds_an_operand_on_chip_where_the_compiler_brings_it_there)
{
    static const struct {
        const char *kind, *arg[MAX_ARGS], *place;
    } rows[] = {
        { "matmul", { "m=300", "n=20", "k=100" }, " resident=lhs" },
        { "matmul", { "m=20", "n=300", "k=100" }, " resident=rhs" },
        { "matmul", { "m=20", "n=20", "k=100" }, " resident=lhs" },
        { "matmul", { "m=20", "n=300", "k=100", "resident=lhs" }, " resident=lhs" },
        { "matmul", { "m=20", "n=300", "k=100", "resident=none" }, NULL },
        { "matmul", { "m=1", "n=300", "k=100" }, NULL },
        { "matmul", { "m=300", "n=1", "k=100" }, NULL },
        { "matmul", { "m=300", "n=20", "k=1" }, NULL },
        { "matmul", { "m=327", "n=20", "k=100" }, " resident=lhs" }, /* 65,400 B */
        { "matmul", { "m=328", "n=20", "k=100" }, NULL },            /* 65,600 B */
        { "matmul", { "m=20", "n=82", "k=100", "batch=4" }, NULL },  /* 4 x 16,400 B */
        { "reduce", { "shape=8x16x64", "dims=2" }, " resident=lhs" },
        { "reduce", { "shape=1x128x64", "dims=2" }, " resident=lhs" },
        { "reduce", { "shape=1x129x64", "dims=2" }, NULL },
        { "reduce", { "shape=8x64x129", "dims=2" }, NULL }, /* 132,096 B */
        { "broadcast", { "shape=8x1x64", "to=8x16x64" }, " resident=lhs" },
        { "add", { "shape=8x16x64" }, NULL },
        { "transpose", { "shape=8x16x64", "perm=0,2,1" }, NULL },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_place(rows[i].kind, rows[i].arg, rows[i].place, 128);
}

Test(op, a_lone_reduction_to_more_numbers_than_a_register_has_lanes_finds_nothing_on_chip)
{
    static const char *const fits[MAX_ARGS] = { "shape=1x128x64", "dims=2" };
    static const char *const more[MAX_ARGS] = { "shape=1x129x64", "dims=2" };

    expect_place("reduce", fits, NULL, 64);
    expect_place("reduce", more, " resident=lhs", 256);
}

static void count_program(void *self, const char *name, const struct task_program *p,
                          const struct cap *cap)
{
    (void)name, (void)cap;
    *(uint32_t *)self += p->n_tasks;
}

/* Operands of 128 MiB: all of VMEM on some chips. */
Test(op, an_operand_as_large_as_the_memory_is_not_brought_there)
{
    static const char *const machines[] = { "tpu-v3-1",  "tpu-v4-2",  "tpu-v5e-1",
                                            "tpu-v5p-2", "tpu-v6e-1", "tpu-v7-2" };
    static const char *const arg[] = { "m=8192", "n=8192", "k=8192" };

    for (size_t i = 0; i < COUNT(machines); i++) {
        struct op_request q = {
            .kind = "matmul", .arg = arg, .n_args = 3, .run = { .machine = machines[i] }
        };
        uint32_t tasks = 0;
        struct err err;
        cr_expect_eq(op_lower(&q, count_program, &tasks, &err), 0, "%s: %s", machines[i], err.msg);
        cr_expect_eq(tasks, 1u, "%s", machines[i]);
    }
}

Test(op, the_name_has_what_was_given_and_the_dtype)
{
    struct op_trace t;
    struct err err;

    cr_assert_eq(op_trace_init(&t, "matmul", (const char *[]){ "k=4", "m=2", "n=3" }, 3, &ON, &err),
                 0);
    cr_expect_str_eq(t.name, "matmul m=2 n=3 k=4 dtype=bf16");
    op_trace_free(&t);
    cr_assert_eq(op_trace_init(&t, "all-reduce", (const char *[]){ "dtype=f32", "bytes=4MiB" }, 2,
                               &ON, &err),
                 0);
    cr_expect_str_eq(t.name, "all-reduce bytes=4 MiB dtype=f32");
    op_trace_free(&t);
}

struct wrong {
    const char *kind, *arg[MAX_ARGS], *message;
};

#define RANGE " outside [1, 9223372036854775807]"

static const struct wrong wrongs[] = {
    { "matmull", { NULL }, "unknown operation 'matmull'; did you mean 'matmul'?" },
    { "launch",
      { NULL },
      "'launch' is a line of a trace that belongs to a step and does not run alone" },
    { "MatMul", { NULL }, "unknown operation 'MatMul'; did you mean 'matmul'?" },
    { "aten::dot",
      { NULL },
      "unknown operation 'aten::dot'; a trace has it as: matmul, with copy before it where "
      "dimensions have another order; `cyclotron op` lists what runs alone" },
    { "frobnicate", { NULL }, "unknown operation 'frobnicate'; `cyclotron op` lists them" },
    { "matmul", { "m=1", "n=1" }, "matmul: needs k=, such as k=4096" },
    { "matmul", { "mm=1" }, "matmul: unknown key 'mm'; did you mean 'm'?" },
    { "sgd", { "state=1" }, "sgd: unknown key 'state'; did you mean 'shape'?" },
    { "sgd",
      { "rows=1" },
      "sgd: unknown key 'rows'; expected one of shape, flops, resident, dtype" },
    { "sgd", { "=1" }, "sgd: '=1': expected key=value with one of shape, flops, resident, dtype" },
    { "matmul", { "m=1", "m=2" }, "matmul: m is given twice: 1 and 2" },
    { "matmul", { "m=0" }, "matmul: m = 0:" RANGE },
    { "matmul", { "m=9223372036854775808" }, "matmul: m = 9223372036854775808:" RANGE },
    { "matmul", { "m=99999999999999999999" }, "matmul: m = 99999999999999999999:" RANGE },
    { "matmul", { "m=-1" }, "matmul: m = '-1': expected whole numbers, such as m=4096" },
    { "matmul", { "m=1e3" }, "matmul: m = '1e3': expected a whole number" },
    { "matmul", { "m=" }, "matmul: m = '': expected whole numbers, such as m=4096" },
    { "matmul", { "ta=2" }, "matmul: ta = 2: outside [0, 1]" },
    { "matmul", { "dtype=bf61" }, "matmul: dtype = 'bf61': unknown dtype; did you mean 'bf16'?" },
    { "matmul",
      { "resident=lhs+lhs" },
      "matmul: resident = 'lhs+lhs': expected none, all, lhs, rhs, out, or several such as "
      "lhs+out" },
    { "add", { "shape=8x0x3" }, "add: shape = 8x0x3: 0 is" RANGE },
    { "add",
      { "shape=8,3" },
      "add: shape = '8,3': expected 'x' between numbers, such as shape=8x128x512" },
    { "add",
      { "shape=1x1x1x1x1x1x1x1x1" },
      "add: shape = 1x1x1x1x1x1x1x1x1: more than 8 dimensions" },
    { "add",
      { "shape=1073741824x1073741825" },
      "add: shape = 1073741824x1073741825: more than 2^60 elements" },
    { "reduce", { "shape=4x4", "dims=2" }, "reduce: dims = 2: 2 is outside [0, 1] of shape = 4x4" },
    { "reduce", { "dims=1,1" }, "reduce: dims = 1,1: 1 occurs twice" },
    { "transpose",
      { "shape=4x4", "perm=0" },
      "transpose: perm = 0: expected each of the 2 dimensions of shape = 4x4" },
    { "transpose",
      { "shape=4x4", "perm=1,2" },
      "transpose: perm = 1,2: 2 is outside [0, 1] of shape = 4x4" },
    { "reshape",
      { "shape=4x4", "to=15" },
      "reshape: to = 15: 15 elements, expected 16 as shape = 4x4" },
    { "slice",
      { "shape=4x4", "to=4x5" },
      "slice: to = 4x5: dimension 1 = 5, expected at most 4 as shape = 4x4" },
    { "pad",
      { "shape=4x4", "to=4x3" },
      "pad: to = 4x3: dimension 1 = 3, expected at least 4 as shape = 4x4" },
    { "upsample",
      { "shape=4x4", "to=8x6" },
      "upsample: to = 8x6: dimension 1 = 6, expected a multiple of 4 as shape = 4x4" },
    { "upsample",
      { "shape=4x4", "to=8" },
      "upsample: to = 8: 1 dimensions, expected 2 as shape = 4x4" },
    { "broadcast",
      { "shape=4x4", "to=4x5" },
      "broadcast: to = 4x5: dimension 1 = 5, expected 4 as shape = 4x4, where only a 1 becomes "
      "more" },
    { "concatenate",
      { "shape=4x4", "with=4x5", "axis=0" },
      "concatenate: with = 4x5: expected shape = 4x4 but for dimension 0" },
    { "concatenate",
      { "shape=4x4", "with=4x5", "axis=2" },
      "concatenate: axis = 2: outside [0, 1] of shape = 4x4" },
    { "top-k",
      { "shape=4x5", "k=6" },
      "top-k: k = 6: outside [1, 5], the last dimension of shape = 4x5" },
    { "conv",
      { "in=4x5", "filter=4x5" },
      "conv: in = 4x5: 2 dimensions, expected batch x channels x 1 to 3 of positions" },
    { "conv",
      { "in=2x3x9", "filter=5x4x3" },
      "conv: filter = 5x4x3: expected outputs x 3 channels x size, 3 numbers for in = 2x3x9" },
    { "conv",
      { "in=2x3x9", "filter=5x3x11" },
      "conv: a window over 11 positions does not fit the 9 of dimension 2, padding included" },
    { "conv",
      { "in=2x3x9", "filter=5x3x4294967296" },
      "conv: a window of 4294967296: outside [1, 4294967295]" },
    { "conv",
      { "in=2x3x9", "filter=5x3x3", "window=stride=2x2" },
      "conv: window = stride=2x2: 2 dimensions, expected 1, the positions of the image" },
    { "conv",
      { "in=2x3x9", "filter=5x3x3", "window=4" },
      "conv: window = 4: the filter has size 3 in dimension 0" },
    { "conv", { "window=strid=2" }, "conv: window: unknown 'strid'; did you mean 'stride'?" },
    { "conv", { "window=stride=2,stride=2" }, "conv: window: stride is given twice" },
    { "conv",
      { "window=pad=1" },
      "conv: window: pad = 1: expected low_high for each dimension, such as 0_0x1_1" },
    { "conv", { "window=stride=0" }, "conv: window: stride = 0: outside [1, 4294967295]" },
    { "conv",
      { "window=stride=2,dilate=1x1" },
      "conv: window: dilate = 1x1: expected 1 dimensions, as before" },
    { "conv", { "window=1x1x1x1" }, "conv: window: size = 1x1x1x1: more than 3 dimensions" },
    { "pool",
      { "shape=2x3x4", "window=stride=2" },
      "pool: window = stride=2: expected a size, such as window=3x3,stride=2x2" },
    { "all-reduce",
      { "bytes=3" },
      "all-reduce: bytes = 3: expected a multiple of 2, whole bf16 in 1 part" },
    { "all-gather",
      { "bytes=1000" },
      "all-gather: bytes = 1000: expected a multiple of 16, whole bf16 in 8 parts" },
    { "all-reduce",
      { "bytes=3kb" },
      "all-reduce: bytes = 3 kb: expected a value with unit B, such as \"16 MiB\"" },
    { "all-reduce",
      { "bytes=0.5 B" },
      "all-reduce: bytes = 0.5 B: outside [1, 9223372036854775807] whole bytes" },
    { "all-reduce",
      { "bytes=0 B" },
      "all-reduce: bytes = 0 B: outside [1, 9223372036854775807] whole bytes" },
    { "all-reduce",
      { "bytes=9223372036854775808 B" },
      "all-reduce: bytes = 9223372036854775808 B: outside [1, 9223372036854775807] whole bytes" },
    { "host", { "time=2" }, "host: time = 2: expected a value with unit s, such as \"1.03 us\"" },
    { "host",
      { "time=20000s" },
      "host: time = 20000 s: expected whole femtoseconds, at most 18446 s" },
};

Test(op, what_is_wrong_is_said_in_one_line)
{
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        const struct wrong *w = &wrongs[i];
        struct op_trace t;
        struct err err = { 0 };
        cr_expect_eq(op_trace_init(&t, w->kind, w->arg, count_items(w->arg), &ON, &err), -1, "%s",
                     w->message);
        cr_expect_str_eq(err.msg, w->message, "%s", err.msg);
        cr_expect_null(t.text);
    }
}

static void expect_failure(const char *kind, const char *const arg[MAX_ARGS], const char *message)
{
    struct op_request q = {
        .kind = kind, .arg = arg, .n_args = count_items(arg), .run = { .machine = "tpu-v2-1" }
    };
    struct run_result r;
    struct err err = { 0 };

    cr_expect_eq(op_run(&q, &r, &err), -1);
    cr_expect_str_eq(err.msg, message, "%s", err.msg);
}

/* The lines of the text behind it are nobody's. */
Test(op, errors_of_reading_and_lowering_name_no_line)
{
    const char *const large[MAX_ARGS] = { "m=4096", "n=4096", "k=4096", "resident=rhs" };
    const char *const none[MAX_ARGS] = { "shape=8x4", "resident=rhs" };
    const char *const huge[MAX_ARGS] = { "m=999999999999999999", "n=9", "k=9" };

    expect_failure(
        "matmul", large,
        "matmul m=4096 n=4096 k=4096 resident=rhs dtype=bf16: matmul 'matmul': what is resident "
        "does not fit on chip: 16777216 B of VMEM");
    expect_failure(
        "tanh", none,
        "tanh shape=8x4 resident=rhs dtype=bf16: resident=rhs, but 'elementwise' has 1 operand "
        "and 1 result");
    expect_failure(
        "matmul", huge,
        "matmul m=999999999999999999 n=9 k=9 dtype=bf16: a shape of more than 2^63 bytes");
}
