/* Lines of a trace that operations of a recording become.  Each recording here is written by hand:
 * a call, the launch inside it, and its kernel. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/kineto/aten_args.h"
#include "import/kineto/kineto_import.h"
#include "import/open.h"

struct recording {
    struct memory_text text;
    int n;
};

static void begin_recording(struct recording *r)
{
    memory_text_begin(&r->text);
    fputs("{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"GPU X\"}],"
          "\"traceEvents\":[",
          r->text.out);
    r->n = 0;
}

/* An operation of 100 us that launches one kernel of 40 us, by a call of 10 us at its end. */
static void add_op(struct recording *r, const char *name, const char *dims, const char *types,
                   const char *strides, const char *values)
{
    int at = 1000 + 200 * r->n, id = ++r->n;

    fprintf(r->text.out,
            "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d.000,"
            "\"dur\":100,\"args\":{\"External id\":%d,\"Input Dims\":%s,\"Input type\":%s,"
            "\"Input Strides\":%s,\"Concrete Inputs\":%s}},"
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
            "\"tid\":1,\"ts\":%d,\"dur\":10,\"args\":{\"correlation\":%d}},"
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%d,"
            "\"dur\":40,\"args\":{\"correlation\":%d,\"stream\":7,\"grid\":[5,1,1]}}",
            id > 1 ? ",\n" : "", name, at, id, dims, types, strides, values, at + 85, id, id,
            at + 120, id);
}

/* The trace without its header: from the first tensor or the step on. */
static char *import_lines(struct recording *r, struct kineto_import *x)
{
    struct memory_text out;
    struct err err;

    fputs("]}", r->text.out);
    char *json = memory_text_end(&r->text);
    memory_text_begin(&out);
    *x = (struct kineto_import){ 0 };
    cr_assert_eq(kineto_import("t.json", json, r->text.size, x, out.out, &err), 0, "%s", err.msg);
    char *text = memory_text_end(&out);
    free(json);
    struct trace *t;
    struct trace_totals totals;
    cr_assert_eq(trace_open_memory(&t, "t", text, out.size, false, &err), 0, "%s", err.msg);
    trace_totals_init(&totals);
    cr_expect_eq(trace_sum(t, &totals, &err), 0, "%s in\n%s", err.msg, text);
    trace_totals_clear(&totals);
    trace_close(t);
    return text;
}

static void expect_lines(struct recording *r, const char *lines)
{
    struct kineto_import x;
    char *text = import_lines(r, &x);
    const char *body = strstr(text, "tensor %");

    cr_expect_str_eq(body ? body : text, lines);
    cr_expect_eq(x.unknown, 0);
    free(text);
}

/* The second operand lies with its columns one after the other: a weight that was transposed.  The
 * host takes 85 us to the launch and 10 for it, 9.5 launches, and 5 behind it, which count for the
 * next step. */
Test(kineto_import, strides_say_which_operand_is_transposed)
{
    struct recording r;

    begin_recording(&r);
    add_op(&r, "aten::mm", "[[32,16],[16,8]]", "[\"float\",\"float\"]", "[[16,1],[1,16]]",
           "[\"\",\"\"]");
    expect_lines(&r, "tensor %v0 f32[32,16] input\n"
                     "tensor %v1 f32[8,16] input\n"
                     "step {\n"
                     "  phase fwd\n"
                     "  %v2 f32[32,8] = matmul(%v0, %v1) tb=1 name=\"aten::mm.1\" dispatch=1000\n"
                     "}\n");
}

/* One number of f32 or of others is filled as any array is: work, and not another name. */
Test(kineto_import, a_number_is_filled_as_an_array_is)
{
    struct recording r;

    begin_recording(&r);
    add_op(&r, "aten::fill_", "[[8],[]]", "[\"float\",\"Scalar\"]", "[[1],[]]", "[\"\",\"0\"]");
    add_op(&r, "aten::fill_", "[[1],[]]", "[\"float\",\"Scalar\"]", "[[1],[]]", "[\"\",\"0\"]");
    add_op(&r, "aten::fill_", "[[1],[]]", "[\"long int\",\"Scalar\"]", "[[1],[]]", "[\"\",\"0\"]");
    expect_lines(&r, "tensor %v0 f32[] input\n"
                     "tensor %v2 s32[] input\n"
                     "tensor %v4 s64[] input\n"
                     "step {\n"
                     "  phase fwd\n"
                     "  %v1 f32[8] = copy(%v0) name=\"aten::fill_.1\" dispatch=1000\n"
                     "  %v3 f32[1] = copy(%v2) name=\"aten::fill_.2\" dispatch=2000\n"
                     "  %v5 s64[1] = copy(%v0) name=\"aten::fill_.3\" dispatch=2000\n"
                     "}\n");
}

/* Rows that lie apart are read and written as they lie, the farthest dimension first. */
Test(kineto_import, a_copy_between_other_strides_turns_an_array)
{
    struct recording r;

    begin_recording(&r);
    add_op(&r, "aten::copy_", "[[2,3,5],[2,3,5],[]]", "[\"float\",\"float\",\"Scalar\"]",
           "[[15,5,1],[1,2,6],[]]", "[\"\",\"\",\"False\"]");
    add_op(&r, "aten::copy_", "[[2,3,5],[2,3,5],[]]", "[\"float\",\"float\",\"Scalar\"]",
           "[[5,10,1],[5,10,1],[]]", "[\"\",\"\",\"False\"]");
    expect_lines(&r, "tensor %v0 f32[5,3,2] input\n"
                     "step {\n"
                     "  phase fwd\n"
                     "  %v1 f32[2,3,5] = copy(%v0) name=\"aten::copy_.1\" dispatch=1000\n"
                     "  %v2 f32[2,3,5] = elementwise(%v1) flops=30 name=\"aten::copy_.2\" "
                     "dispatch=2000\n"
                     "}\n");
}

/* A copy of 4 KiB from the host, 300 us after the operation before, and one to it. */
static void add_copy(struct recording *r, const char *direction)
{
    int at = 1000 + 200 * r->n + 200, id = ++r->n;

    fprintf(r->text.out,
            ",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpyAsync\",\"pid\":1,"
            "\"tid\":1,\"ts\":%d,\"dur\":10,\"args\":{\"correlation\":%d}},"
            "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy %s\",\"pid\":0,\"tid\":7,"
            "\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d,\"stream\":7,\"bytes\":4096}}",
            at, id, direction, at + 20, id);
    r->n++;
}

/* By hand: the first launch ends at 1,095 us, a copy's call at 1,410, the second launch at 1,695:
 * 600 us, 60 launches of 10 us, pass between the two; behind it a copy's call ends at 2,010 and all
 * at that, 315 us, which come before the first launch of the next step, 95 us after it begins. */
Test(kineto_import, what_the_host_did_before_a_copy_is_before_the_next_launch)
{
    struct recording r;

    begin_recording(&r);
    add_op(&r, "aten::relu", "[[64]]", "[\"float\"]", "[[1]]", "[\"\"]");
    add_copy(&r, "HtoD (Pageable -> Device)");
    add_op(&r, "aten::relu", "[[64]]", "[\"float\"]", "[[1]]", "[\"\"]");
    add_copy(&r, "DtoH (Device -> Pageable)");
    struct kineto_import x;
    char *text = import_lines(&r, &x);
    cr_expect(strstr(text, "name=\"aten::relu.1\" dispatch=4100\n"), "%s", text);
    cr_expect(strstr(text, "name=\"aten::relu.2\" dispatch=6000\n"), "%s", text);
    free(text);
}

/* The result of one operation is the operand of the next, through a view. */
Test(kineto_import, values_are_found_by_their_shapes)
{
    struct recording r;

    begin_recording(&r);
    add_op(&r, "aten::relu", "[[4,8,16]]", "[\"float\"]", "[[128,16,1]]", "[\"\"]");
    add_op(&r, "aten::addmm", "[[5],[32,16],[16,5],[],[]]",
           "[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]", "[[1],[16,1],[5,1],[],[]]",
           "[\"\",\"\",\"\",\"1\",\"1\"]");
    expect_lines(
        &r, "tensor %v0 f32[4,8,16] input\n"
            "tensor %v3 f32[16,5] weight\n"
            "tensor %v4 f32[5] weight\n"
            "step {\n"
            "  phase fwd\n"
            "  %v1 f32[4,8,16] = elementwise(%v0) flops=512 name=\"aten::relu.1\" dispatch=1000\n"
            "  %v2 f32[32,16] = copy(%v1) name=\"view\"\n"
            "  %v5 f32[32,5] = matmul(%v2, %v3) bias=%v4 name=\"aten::addmm.1\" dispatch=2000\n"
            "}\n");
}

/* [2,3,9,9] by [4,3,3,3], stride 2, padding 1: 5 x 5 positions.  Both gradients of it. */
Test(kineto_import, the_backward_pass_of_a_convolution_is_two_products)
{
    struct recording r;

    begin_recording(&r);
    add_op(&r, "aten::convolution_backward",
           "[[2,4,5,5],[2,3,9,9],[4,3,3,3],[],[],[],[],[],[],[],[]]",
           "[\"float\",\"float\",\"float\",\"ScalarList\",\"ScalarList\",\"ScalarList\","
           "\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\",\"ScalarList\"]",
           "[[],[],[],[],[],[],[],[],[],[],[]]",
           "[\"\",\"\",\"\",\"[0]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\","
           "\"[True, True, False]\"]");
    expect_lines(&r, "tensor %v0 f32[2,4,5,5] input\n"
                     "tensor %v1 f32[2,3,9,9] input\n"
                     "tensor %v2 f32[4,3,3,3] weight\n"
                     "step {\n"
                     "  phase fwd\n"
                     "  %v3 f32[2,3,9,9] = conv-dgrad(%v0, %v2) size=3x3 stride=2x2 pad=1_1x1_1 "
                     "name=\"aten::convolution_backward.1\" dispatch=1000\n"
                     "  %v4 f32[4,3,3,3] = conv-wgrad(%v1, %v0) size=3x3 stride=2x2 pad=1_1x1_1 "
                     "name=\"aten::convolution_backward.1\"\n"
                     "}\n");
}

/* Two products of 256 queries with 256 keys, without a mask; blocks of FlashAttention-2 are four
 * warps. */
Test(kineto_import, flash_attention_is_told_from_that_of_other_libraries)
{
    static const struct {
        const char *name;
        bool warps;
    } row[] = { { "aten::_scaled_dot_product_flash_attention", true },
                { "aten::_scaled_dot_product_cudnn_attention", false } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct recording r;
        struct kineto_import x;
        begin_recording(&r);
        add_op(&r, row[i].name, "[[2,4,256,64],[2,4,256,64],[2,4,256,64],[],[],[]]",
               "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\","
               "\"Scalar\",\"Scalar\"]",
               "[[],[],[],[],[],[]]", "[\"\",\"\",\"\",\"0.\",\"False\",\"False\"]");
        char *text = import_lines(&r, &x);
        cr_expect(strstr(text, " product=8x512x256x64 queries=256"), "%s", text);
        cr_expect_eq(strstr(text, " warps=4") != NULL, row[i].warps, "%s", text);
        free(text);
    }
}

Test(kineto_import, what_is_expanded_is_read_as_one_element)
{
    struct recording r;

    begin_recording(&r);
    add_op(&r, "aten::div", "[[64,32],[]]", "[\"float\",\"long int\"]", "[[0,0],[]]",
           "[\"\",\"\"]");
    expect_lines(&r, "tensor %v0 f32[1,1] input\n"
                     "tensor %v1 s64[] input\n"
                     "step {\n"
                     "  phase fwd\n"
                     "  %v2 f32[64,32] = elementwise(%v0, %v1) fn=divide flops=2048 "
                     "name=\"aten::div.1\" dispatch=1000\n"
                     "}\n");
}

/* An operation without a row costs the bytes of its operands, and is counted with its time. */
Test(kineto_import, unknown_operations_are_counted_by_their_time)
{
    struct recording r;
    struct kineto_import x;

    begin_recording(&r);
    add_op(&r, "aten::relu", "[[8]]", "[\"float\"]", "[[1]]", "[\"\"]");
    add_op(&r, "mine::twist", "[[8]]", "[\"float\"]", "[[1]]", "[\"\"]");
    char *text = import_lines(&r, &x);
    cr_expect_eq(x.unknown, 1);
    cr_expect_eq(x.recorded.unread, 40000);
    cr_expect_eq(x.all_ns, 80000);
    cr_expect_str_eq(x.worst, "mine::twist");
    cr_expect(strstr(text, "recorded kernels=2 ns=80000 unread=40000\n"), "%s", text);
    cr_expect(strstr(text, " = kernel(%v1) basis=unread name=\"mine::twist.1\""), "%s", text);
    free(text);
}

Test(kineto_import, steps_are_those_of_annotations)
{
    struct recording r;
    struct kineto_import x;

    begin_recording(&r);
    for (int i = 0; i < 6; i++)
        add_op(&r, "aten::relu", "[[8]]", "[\"float\"]", "[[1]]", "[\"\"]");
    for (int i = 0; i < 3; i++)
        fprintf(r.text.out,
                ",{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\","
                "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",
                i, 990 + 400 * i, 395 - i);
    char *text = import_lines(&r, &x);
    cr_expect_eq(x.steps, 3);
    cr_expect_str_eq(x.found, "annotations");
    cr_expect_eq(x.operations, 2);
    free(text);
}

/* Two ranks of eight, each fourth, add up 1,024 numbers beside the next operation. */
Test(kineto_import, collectives_run_beside_what_follows)
{
    struct recording r;
    struct kineto_import x;

    begin_recording(&r);
    add_op(&r, "aten::relu", "[[8]]", "[\"float\"]", "[[1]]", "[\"\"]");
    fputs(",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"pid\":1,\"tid\":1,"
          "\"ts\":1150,\"dur\":20,\"args\":{\"External id\":90}},"
          "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
          "\"tid\":1,\"ts\":1155,\"dur\":10,\"args\":{\"correlation\":90}},"
          "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\",\"pid\":0,"
          "\"tid\":9,\"ts\":1190,\"dur\":40,\"args\":{\"correlation\":90,\"stream\":9,"
          "\"Collective name\":\"allreduce\",\"In msg nelems\":1024,\"Out msg nelems\":1024,"
          "\"Group size\":2,\"dtype\":\"BFloat16\",\"Process Group Ranks\":\"[1, 5]\"}}",
          r.text.out);
    add_op(&r, "aten::relu", "[[8]]", "[\"float\"]", "[[1]]", "[\"\"]");
    fputs("],\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":1,\"world_size\":8},\"x\":[",
          r.text.out);
    char *text = import_lines(&r, &x);
    cr_expect_eq(x.ranks, 8);
    cr_expect_eq(x.rank, 1);
    cr_expect(strstr(text, "cores=8"), "%s", text);
    cr_expect(strstr(text, "  %v3 u32[] = all-reduce-start(%v2) name=\"record_param_comms.1\" "
                           "group=2 group-stride=4\n"
                           "  %v4 f32[8] = elementwise(%v1)"),
              "%s", text);
    cr_expect(strstr(text, "  all-reduce-done(%v3)\n}\n"), "%s", text);
    cr_expect_eq(x.unknown, 0);
    free(text);
}

/* A collective beside an operation, whose times are microseconds since 1970: one to eight. */
static char *import_collective(const char *calls, const char *kernel, struct kineto_import *x)
{
    struct recording r;

    begin_recording(&r);
    add_op(&r, "aten::relu", "[[8]]", "[\"float\"]", "[[1]]", "[\"\"]");
    fprintf(r.text.out,
            ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::relu\",\"pid\":1,\"tid\":1,"
            "\"ts\":1661203463041600,\"dur\":4,\"args\":{\"External id\":80}},%s"
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
            "\"tid\":1,\"ts\":1661203463041607,\"dur\":1,\"args\":{\"correlation\":90}},"
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,"
            "\"tid\":9,\"ts\":1661203463041690,\"dur\":40,\"args\":{\"correlation\":90,"
            "\"stream\":9}}],\"distributedInfo\":{\"rank\":1,\"world_size\":8},\"x\":[",
            calls, kernel);
    return import_lines(&r, x);
}

/* PyTorch 1: the annotation around the launch has the operand, and all ranks take part.  The
 * operation 3 us before it is not around it. */
Test(kineto_import, collectives_are_told_by_annotations)
{
    static const char calls[] =
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"pid\":1,\"tid\":1,"
        "\"ts\":1661203463041605,\"dur\":5,\"args\":{\"External id\":81}},"
        "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"nccl:all_to_all\",\"pid\":1,"
        "\"tid\":1,\"ts\":1661203463041606,\"dur\":3,\"args\":{\"External id\":82,"
        "\"Input Dims\":[[8,1024]],\"Input type\":[\"c10::Half\"]}},";
    struct kineto_import x;

    char *text = import_collective(calls, "ncclKernel_SendRecv", &x);
    cr_expect(strstr(text, " f16[8192] = all-to-all(%v2) name=\"record_param_comms.1\"\n"), "%s",
              text);
    cr_expect_eq(x.unknown, 0);
    free(text);
    text = import_collective(calls, "add_kernel", &x);
    cr_expect_not(strstr(text, "all-to-all"), "a kernel of another library");
    cr_expect_eq(x.unknown, 1);
    free(text);
}

/* PyTorch 2: the call states what each of two ranks gives. */
Test(kineto_import, collectives_are_told_by_their_calls)
{
    struct kineto_import x;
    char *text = import_collective(
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"pid\":1,\"tid\":1,"
        "\"ts\":1661203463041605,\"dur\":5,\"args\":{\"External id\":81,"
        "\"Collective name\":\"_allgather_base\",\"In msg nelems\":512,\"Out msg nelems\":1024,"
        "\"Group size\":2,\"dtype\":\"BFloat16\",\"Process Group Ranks\":\"[0, 1]\"}},",
        "ncclKernel_AllGather", &x);

    cr_expect(strstr(text, " bf16[1024] = all-gather(%v2) name=\"record_param_comms.1\" group=2\n"),
              "%s", text);
    free(text);
}

static void expect_failure(const char *json, const char *why)
{
    struct kineto_import x = { 0 };
    struct err err = { 0 };
    FILE *out = tmpfile();

    cr_expect_eq(kineto_import("t", json, strlen(json), &x, out, &err), -1);
    cr_expect_str_eq(err.msg, why);
    fclose(out);
}

/* Tools write down what they ran before the events: 25 kB of it here. */
/* Kernels that nothing launched take their recorded time, in the phase of those before them. */
Test(kineto_import, kernels_without_a_launch_are_operations_of_their_own)
{
    struct recording r;
    struct kineto_import x;

    begin_recording(&r);
    add_op(&r, "aten::relu", "[[64]]", "[\"float\"]", "[[1]]", "[\"\"]");
    for (int i = 0; i < 300; i++)
        fprintf(r.text.out,
                ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"lone\",\"pid\":0,\"tid\":7,"
                "\"ts\":%d,\"dur\":4,\"args\":{\"stream\":7}}",
                1200 + 10 * i);
    add_op(&r, "aten::relu", "[[64]]", "[\"float\"]", "[[1]]", "[\"\"]");
    char *text = import_lines(&r, &x);
    cr_expect(strstr(text, "name=\"lone.1\""), "%s", text);
    cr_expect_null(strstr(text, "phase bwd"));
    free(text);
}

/* Others than recordings are refused by what they lack. */
Test(kineto_import, any_json_is_taken)
{
    cr_expect(kineto_import_likes("{}", 2));
    cr_expect(kineto_import_likes("\xef\xbb\xbf\r\n [", 7));
    cr_expect_not(kineto_import_likes("5,[", 3));
    cr_expect_not(kineto_import_likes("", 0));
    expect_failure("[\n  {\n \"bs\": 32}]",
                   "t: no recording of PyTorch's profiler: none of its events is a cpu_op, a "
                   "cuda_runtime or a kernel; `cyclotron profile` reads those of XProf");
}

Test(kineto_import, what_a_recording_lacks_is_one_line)
{
    expect_failure("{\"schemaVersion\":1,\"traceEvents\":[]}",
                   "t: no recording of PyTorch's profiler: none of its events is a cpu_op, a "
                   "cuda_runtime or a kernel; `cyclotron profile` reads those of XProf");
    expect_failure("{\"schemaVersion\":1}",
                   "t: no recording of PyTorch's profiler: it has no \"traceEvents\"; "
                   "`cyclotron profile` reads those of XProf");
    expect_failure("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":1,"
                   "\"dur\":1}]}",
                   "t: no work of a GPU in this recording: record with "
                   "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
    expect_failure("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,"
                   "\"dur\":1}]}",
                   "t: operations have no shapes: record with record_shapes=True");
    expect_failure("{\"traceEvents\":[{\"ph\":\"X\",\"dur\":1},", "t: byte 35: the JSON ends too "
                                                                  "early: the file is cut");
}

/* The second launch has no kernel; that inside it is the same one. */
Test(kineto_import, launches_without_kernels_are_counted)
{
    struct recording r;
    struct kineto_import x;

    begin_recording(&r);
    add_op(&r, "aten::relu", "[[4,8]]", "[\"float\"]", "[[8,1]]", "[\"\"]");
    for (int i = 0; i < 2; i++)
        fprintf(r.text.out,
                ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cuLaunchKernel\",\"pid\":1,"
                "\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}}",
                1096 + i, 3 - 2 * i, 90 + i);
    free(import_lines(&r, &x));
    cr_expect_eq(x.lost, 1u);
}

Test(kineto_import, numbers_of_a_list_are_whole)
{
    static const struct {
        const char *text;
        uint32_t n;
        int64_t number[3];
    } rows[] = {
        { "[1, -2, 3]", 3, { 1, -2, 3 } },
        { "[1, 2, 3, 4]", 3, { 1, 2, 3 } },
        { "[-, 7]", 1, { 7 } },
        { "[1.5, 2.]", 2, { 1, 2 } },
        { "-inf", 0, { 0 } },
        { "None", 0, { 0 } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct aten_arg a = { .value = rows[i].text, .n = (uint32_t)strlen(rows[i].text) };
        int64_t number[3] = { 0 };
        cr_assert_eq(aten_args_numbers(&a, number, 3), rows[i].n, "%s", rows[i].text);
        cr_expect_eq(memcmp(number, rows[i].number, sizeof number), 0, "%s", rows[i].text);
    }
}
