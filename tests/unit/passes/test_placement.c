/* Values that stay on chip between kernels. */
#include "base/memory.h"
#include "passes/passes.h"
#include "run/job/job.h"
#include "tests/unit/trace/trace_helper.h"

#define HEAD "cyclotron-trace 1\ndtype tensors=f32 matmul=bf16 activations=keep\n"
/* each of 1024 x 1024 elements takes 4 MiB */
#define M "f32[1024,1024]"

/* The names of the values that are placed, in the order of the step: "a b ". */
static char *place_text(const char *text, uint64_t mib)
{
    const struct placement_room room = { mib << 20, TRACE_IN_CMEM, { 128, 8 }, 1 };
    struct trace *t = open_text(text, false);
    struct memory_text names;
    struct step step;
    struct err err;

    step_init(&step);
    cr_assert_eq(step_read_all(&step, t, &err), 0, "%s", err.msg);
    placement_step(&step, &room);
    memory_text_begin(&names);
    for (uint32_t v = 0; v < step.n_values; v++)
        if (step_space(&step, v) != TRACE_IN_HBM) {
            cr_expect_eq(step_space(&step, v), TRACE_IN_CMEM);
            fprintf(names.out, "%s ", step_name(&step, v));
        }
    step_free(&step);
    trace_close(t);
    return memory_text_end(&names);
}

static void expect_placed(const char *text, uint64_t mib, const char *names)
{
    char *got = place_text(text, mib);

    cr_expect_str_eq(got, names);
    free(got);
}

#define CHAIN                                                                                      \
    HEAD "tensor %w " M " weight\nstep {\n"                                                        \
         "  %x " M " = infeed()\n"                                                                 \
         "  %a " M " = elementwise(%x, %w)\n"                                                      \
         "  %b " M " = elementwise(%a)\n"                                                          \
         "  %c " M " = elementwise(%b)\n"                                                          \
         "  %d " M " = elementwise(%c, %a)\n"                                                      \
         "  outfeed(%d)\n}\n"

/* %b and %c live through two kernels each, with two accesses; %a through four, with three.  All
 * three are alive where %c is made: 12 MiB.  %x comes from the host, %d goes to it, %w is there for
 * the whole run. */
Test(placement, values_that_kernels_alone_touch_stay_on_chip)
{
    expect_placed(CHAIN, 12, "a b c ");
}

/* Two accesses in two kernels come before three in four; %b and %c overlap at one kernel. */
Test(placement, short_lives_come_first)
{
    expect_placed(CHAIN, 8, "b c ");
    expect_placed(CHAIN, 4, "b ");
}

Test(placement, what_does_not_fit_is_in_memory)
{
    expect_placed(CHAIN, 3, "");
    expect_placed(CHAIN, 0, "");
}

/* The sum of %a over all cores goes through memory.  %b stays for all turns of the loop that reads
 * it, and %c takes its 4 MiB anew in each. */
Test(placement, collectives_read_from_memory)
{
    expect_placed(HEAD "step {\n"
                       "  %x " M " = infeed()\n"
                       "  %a " M " = elementwise(%x)\n"
                       "  all-reduce(%a)\n"
                       "  %b " M " = elementwise(%a)\n"
                       "  repeat 3 {\n"
                       "    %c " M " = elementwise(%b)\n"
                       "    %d f32[] = reduce(%c)\n"
                       "  }\n}\n",
                  64, "b c ");
}

#define PROGRAM(compiler)                                                                          \
    "cyclotron-trace 1\nsamples step=unknown\n"                                                    \
    "program compiler=\"" compiler "\" cores=1 megacore=0 scheduled=1\n"                           \
    "tensor %x f32[1024,1024]{1,0:T(8,128)} input\nstep {\n"                                       \
    "  %a f32[1024,1024]{1,0:T(8,128)} = kernel(%x) form=vector fetch=4194304 store=4194304\n"     \
    "  %b f32[1024,1024]{1,0:T(8,128)} = kernel(%a) form=vector fetch=4194304 store=4194304\n"     \
    "  return(%b)\n}\n"

Test(placement, a_compiled_program_keeps_its_places)
{
    expect_placed(PROGRAM("XLA"), 64, "");
    expect_placed(PROGRAM("cyclotron"), 64, "a ");
}

/* Values are placed in CMEM where there is some, else in the VMEM of both halves; no more than is
 * said. */
Test(placement, has_the_room_of_the_machine)
{
    struct cap cap = { .halves = 2, .vmem_bytes = 100, .xla.place_bytes = 1000, .replicas = 1 };

    cr_expect_eq(job_room(&cap).bytes, 200);
    cr_expect_eq(job_room(&cap).space, TRACE_IN_VMEM);
    cap.xla.place_bytes = 150;
    cr_expect_eq(job_room(&cap).bytes, 150);
    cap.cmem_bytes = 120;
    cr_expect_eq(job_room(&cap).bytes, 120);
    cr_expect_eq(job_room(&cap).space, TRACE_IN_CMEM);
}
