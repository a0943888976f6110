/* Gaps between kernels that stand in a queue, and waits for the host, worked out by hand. */
#include <criterion/criterion.h>

#include "import/kineto/recorded.h"

#define CALL(from, to)                                                                             \
    {                                                                                              \
        .begin = (from), .end = (to), .kind = KINETO_RUNTIME                                       \
    }
#define WORK(call_, device_, stream_, from, to)                                                    \
    .launch = (call_), .launched = 10 * (call_), .device = (device_), .stream = (stream_),         \
    .begin = (from), .end = (to)

Test(recorded_queue, gaps_are_of_kernels_that_stood_behind_another_on_their_stream)
{
    struct kineto_call call[] = { CALL(0, 5),   CALL(10, 15),  CALL(20, 25),  CALL(30, 35),
                                  CALL(40, 45), CALL(50, 160), CALL(60, 65),  CALL(70, 75),
                                  CALL(80, 85), CALL(90, 300), CALL(100, 105) };
    struct kineto_work work[] = {
        { WORK(0, 0, 7, 100, 110) },
        { WORK(1, 0, 7, 112, 120) }, /* 2 behind the first */
        { WORK(2, 0, 7, 125, 130) }, /* 5 */
        { WORK(3, 0, 7, 131, 140), .copies = true },
        { WORK(4, 0, 7, 143, 150) }, /* behind a copy */
        { WORK(5, 0, 7, 165, 170) }, /* its launch took until 160 */
        { WORK(6, 0, 8, 200, 210) },
        { WORK(7, 0, 8, 219, 230) },  /* 9 */
        { WORK(8, 1, 8, 300, 310) },  /* of another device */
        { WORK(9, 1, 8, 310, 320) },  /* 0; launched just when the one before begins */
        { WORK(10, 1, 8, 321, 330) }, /* of the next step */
    };
    const struct kineto k = { .call = call, .work = work, .n_calls = 11, .n_work = 11 };
    struct recorded_step s = { .begin = 0, .end = 100 };

    recorded_queue(&s, &k);
    cr_expect_eq(s.queued, 4);
    cr_expect_eq(s.queue_gap, 5);      /* of 0, 2, 5, 9 */
    cr_expect_eq(s.queue_part, 5 - 2); /* from quarter to quarter */
    cr_expect_eq(s.host_wait, 5 + 10); /* for the first launch, and from 150 for the one of 160 */
}
