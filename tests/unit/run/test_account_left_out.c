/* The share of a step that is known where work of it was left out: as a recording says, or as much
 * as it could be. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/exact.h"
#include "run/result/account.h"
#include "run/result/result.h"

#define HEAD "cyclotron-trace 1\nworkload w\nsamples step=1\n"
#define RECORDED(line)                                                                             \
    HEAD line "tensor %x f32[1024,1024] input\n"                                                   \
              "step {\n  %n u8[4] = kernel(%x) form=custom basis=unread\n"                         \
              "  %y f32[1024,1024] = matmul(%x, %x)\n}\n"

static void replay_text(struct run_result *r, const char *text, const char *machine)
{
    struct run_request q = {
        .trace = "w", .text = text, .text_size = strlen(text), .machine = machine, .steps = 1
    };
    struct err e;

    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

static bool find_known(const char *text, mpq_t known)
{
    struct run_result r;

    replay_text(&r, text, "h100x1");
    bool may_be_more = account_known(known, &r.account);
    cr_expect(r.account.at_least);
    run_result_free(&r);
    return may_be_more;
}

/* 3 of 4 ms were recorded of operations that were not read, whatever their bounds take here. */
Test(account_left_out, a_recording_says_how_much_was_not_read)
{
    EXACT_Q(known);
    cr_expect_not(find_known(RECORDED("recorded kernels=2 ns=4000 unread=3000\n"), known));
    cr_expect_eq(mpq_cmp_ui(known, 1, 4), 0);
}

/* Two kernels took 4 ms, one more launch has none: 2 of 6 ms. */
Test(account_left_out, launches_without_a_kernel_are_as_long_as_others)
{
    EXACT_Q(known);
    cr_expect_not(find_known(RECORDED("recorded kernels=2 ns=4000 unread=0 lost=1\n"), known));
    cr_expect_eq(mpq_cmp_ui(known, 2, 3), 0);
}

/* 1,048,580 elements that each meet all take 1.03 ms at 1.07 PFLOP/s; the product takes less. */
Test(account_left_out, work_that_was_not_read_may_take_longer_than_its_traffic)
{
    EXACT_Q(known);
    cr_expect(find_known(RECORDED(""), known));
    cr_expect(mpq_cmp_ui(known, 1, 100) > 0 && mpq_cmp_ui(known, 1, 10) < 0, "%g",
              mpq_get_d(known));
}

/* 512 bytes that were not read cannot take a twentieth of the step. */
Test(account_left_out, little_work_that_was_not_read_is_little)
{
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[1024,1024] input\ntensor %a f32[128] input\n"
                     "step {\n  %n u8[4] = kernel(%a) form=custom\n"
                     "  %y f32[1024,1024] = matmul(%x, %x)\n}\n",
                "tpu-v5e-1");
    cr_expect(r.account.at_least);
    cr_expect_not(account_is_unknown(&r.account));
    run_result_free(&r);
}

/* Time that another machine took is no least one: a faster machine needs less of it, whatever else
 * was not read. */
Test(account_left_out, time_of_another_machine_is_no_bound)
{
    struct run_result r;

    replay_text(&r,
                HEAD "recorded kernels=2 ns=4000 unread=3000\ntensor %x f32[1024,1024] input\n"
                     "step {\n  %n u8[4] = kernel(%x) form=custom basis=unread\n"
                     "  %m u8[] = kernel() time=\"1 ms\" form=custom store=0 basis=recorded\n"
                     "  %y f32[1024,1024] = matmul(%x, %x)\n}\n",
                "h100x1");
    cr_expect_not(r.account.at_least);
    cr_expect(account_is_unknown(&r.account));
    run_result_free(&r);
}
