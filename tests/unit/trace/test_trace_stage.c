/* Stages of a pipeline in a trace: where values are, and what may use them where. */
#include "trace_helper.h"

#include "run/result/result.h"

#define HEAD                                                                                       \
    "cyclotron-trace 1\nsamples step=8 shared=2 cores=8 stages=2\n"                                \
    "tensor %w f32[16,16] weight stage=0\ntensor %c f32[8,16] constant\nstep {\n"

static void expect_refusal(const char *text, const char *why)
{
    struct err err;

    cr_assert_eq(read_all(text, strlen(text), false, &err), -1, "%s", why);
    cr_expect_str_eq(err.msg, why);
}

Test(trace_stage, prints_what_it_read)
{
    static const char text[] = "cyclotron-trace 1\n"
                               "samples step=8 shared=2 cores=8 stages=2\n"
                               "dtype tensors=f32 matmul=bf16 activations=keep\n"
                               "tensor %w f32[16,16] weight stage=0\n"
                               "tensor %c f32[8,16] constant\n"
                               "step {\n"
                               "  fusion %h name=\"fc\" stage=0 {\n"
                               "    %y f32[8,16] = matmul(%c, %w)\n"
                               "    %h f32[8,16] = elementwise(%y)\n"
                               "  }\n"
                               "  %t u32[] = send-start(%h) name=\"h\" stage=0 to=1 note=\"down\"\n"
                               "  %g f32[8,16] gradient = send-done(%t) stage=1\n"
                               "  %z f32[8,16] = elementwise(%g, %c) stage=1\n"
                               "  restart(%w, %c)\n"
                               "}\n";
    char *printed = print_canonical(text);

    cr_expect_str_eq(printed, text);
    free(printed);
}

Test(trace_stage, a_value_is_where_it_was_made)
{
    expect_refusal(HEAD "%h f32[8,16] = matmul(%c, %w) stage=1\n}\n",
                   "t:6:27: %w is of stage 0, the operation of stage 1; send it there first");
    expect_refusal(HEAD "%h f32[8,16] = matmul(%c, %w)\n}\n",
                   "t:6:27: %w is of stage 0, and an operation without stage= runs on all of them");
    expect_refusal(HEAD "%h f32[8,16] = elementwise(%c) stage=1\n%g f32[8,16] = elementwise(%h) "
                        "stage=0\n}\n",
                   "t:7:28: %h is of stage 1, the operation of stage 0; send it there first");
    expect_refusal(HEAD "%h f32[8,16] = matmul(%c, %c) stage=0 tb=1 bias=%w\n}\n",
                   "t:6:1: %h is f32[8,16], expected f32[8,8]");
    expect_refusal(HEAD "fusion %g stage=1 {\n%h f32[8,16] = elementwise(%c)\n%g f32[16,16] = "
                        "elementwise(%h, %w)\n}\n}\n",
                   "t:8:33: %w is of stage 0, the operation of stage 1; send it there first");
    expect_refusal(HEAD "fusion %h stage=1 {\n%h f32[8,16] = elementwise(%c) stage=1\n}\n}\n",
                   "t:7:16: stage= inside the fusion of line 6, which has its own");
}

Test(trace_stage, there_are_as_many_as_the_header_says)
{
    expect_refusal(HEAD "%h f32[8,16] = elementwise(%c) stage=2\n}\n",
                   "t:6:16: stage = 2: outside [0, 1]");
    expect_refusal(HEAD "fusion %h stage=7 {\n%h f32[8,16] = elementwise(%c)\n}\n}\n",
                   "t:6:1: stage = 7: outside [0, 1]");
    expect_refusal("cyclotron-trace 1\ntensor %w f32[2] weight stage=0\n",
                   "t:2:25: stage = 0 in a trace without 'samples stages='");
    expect_refusal("cyclotron-trace 1\nsamples step=1 stages=2\ntensor %w f32[2] weight stage=2\n",
                   "t:3:25: stage = 2: outside [0, 1]");
    expect_refusal("cyclotron-trace 1\nsamples step=1 stages=2\ntensor %w f32[2] weight stag=1\n",
                   "t:3:25: expected stage= or the end of the line, found 'stag'");
}

Test(trace_stage, a_send_names_both_ends)
{
    expect_refusal(HEAD "%t u32[] = send-start(%c) to=1\n}\n",
                   "t:6:12: 'send-start' needs stage=, the stage that sends");
    expect_refusal(HEAD "%t u32[] = send-start(%c) stage=0\n}\n",
                   "t:6:12: 'send-start' needs to=, the stage that receives");
    expect_refusal(HEAD "%t u32[] = send-start(%c) stage=1 to=1\n}\n",
                   "t:6:12: 'send-start' from stage 1 to itself");
    expect_refusal(HEAD "%t u32[] = send-start(%c) stage=1 to=2\n}\n",
                   "t:6:12: to = 2: outside [0, 1]");
    expect_refusal(
        HEAD "%g f32[8,16] = send(%c) stage=1 to=0\n}\n",
        "t:6:16: 'send' is written as two: send-start where the value is, send-done where it "
        "goes");
    expect_refusal(HEAD
                   "%t u32[] = send-start(%c) stage=0 to=1\n%g f32[8,16] = send-done(%t) stage=0\n}"
                   "\n",
                   "t:7:16: stage = 0: %t was sent to stage 1");
    expect_refusal(HEAD "%t u32[] = send-start(%c) stage=0 to=1\n%g f32[8,8] = send-done(%t)\n}\n",
                   "t:7:1: 'send-done' of %c f32[8,16] gives f32[8,8], expected the same shape");
    expect_refusal(HEAD "%t u32[] = send-start(%c) stage=0 to=1\n}\n",
                   "t:7:1: the block of line 5 ends before the start of %t (line 6) has its done");
}

static void cannot_run(const char *body, const char *machine, const char *why)
{
    char text[1024];
    struct run_request q = {
        .trace = "t", .text = text, .machine = machine, .steps = 1, .exact = false
    };
    struct run_result r;
    struct err err;

    snprintf(text, sizeof text, "%s%s}\n", HEAD, body);
    q.text_size = strlen(text);
    cr_assert_eq(run_replay(&q, &r, &err), -1, "%s", why);
    cr_expect_str_eq(err.msg, why);
}

Test(trace_stage, what_a_stage_cannot_do_alone)
{
    cannot_run("outfeed(%c) stage=1 sync=1\n", "tpu-v3-8",
               "t:6: outfeed 'outfeed': a stage of a pipeline cannot wait for the host by itself");
    cannot_run("host(%c) stage=1 time=\"1 ms\"\n", "tpu-v3-8",
               "t:6: host 'host': a stage of a pipeline cannot wait for the host by itself");
    cannot_run("barrier()\n", "tpu-v3-8",
               "t:6: barrier 'barrier': a collective of all stages of a pipeline; give stage=");
    cannot_run("all-reduce(%c) stage=1 group=3\n", "tpu-v3-8",
               "t:6: all-reduce 'all-reduce': groups of 3 devices, 1 apart, in a stage of 4");
    cannot_run("optimizer(%w) stage=0 sharded=1\n", "tpu-v3-8",
               "t:6: optimizer 'optimizer': sharded=1 in a stage of a pipeline");
    cannot_run("%h f32[8,16] = elementwise(%c)\n", "tpu-v3-32",
               "t: written for 8 cores, tpu-v3-32 has 32; cut it anew (cyclotron trace shard "
               "--help)");
}
