/* Ours against BookSim2: latency below saturation within 5 %, saturation where it found it. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "network_table.h"
#include "study/network/traffic.h"

static struct traffic_result run_traffic(const char *radix, const char *pattern, const char *rate)
{
    char a[32], b[32], c[32];
    const char *arg[] = { a, b, c };
    struct traffic_request q = { .arg = arg, .n_args = 3 };
    struct traffic_result r;
    struct err e;

    snprintf(a, sizeof a, "radix=%s", radix);
    snprintf(b, sizeof b, "pattern=%s", pattern);
    snprintf(c, sizeof c, "rate=%s", rate);
    cr_assert_eq(traffic_run(&q, &r, &e), 0, "%s", e.msg);
    return r;
}

Test(booksim, latencies_are_within_five_percent_and_saturation_is_in_its_bracket, .timeout = 120)
{
    double worst = 0;

    for (size_t i = 0; i < sizeof network_rows / sizeof *network_rows; i++) {
        const struct network_row *w = &network_rows[i];
        struct traffic_result r = run_traffic(w->radix, w->pattern, w->rate);
        cr_expect_eq(r.saturated, w->latency == 0, "%s %s %s", w->radix, w->pattern, w->rate);
        if (w->latency == 0)
            continue;
        double error = (double)r.latency / (double)r.packets / w->latency - 1;
        cr_expect_lt(fabs(error), 0.05, "%s %s %s: %+.2f %%", w->radix, w->pattern, w->rate,
                     100 * error);
        worst = fabs(error) > worst ? fabs(error) : worst;
    }
    cr_log_info("largest error %.2f %%", 100 * worst);
}

Test(booksim, a_saturated_ring_of_neighbours_carries_two_thirds)
{
    /* neighbour traffic uses two channels of a link, each of which takes a packet in 3 cycles */
    struct traffic_result r = run_traffic("4x4", "neighbour", "0.9");
    double carried = (double)r.accepted / (16.0 * (double)r.measured);

    cr_expect(carried > 0.66 && carried < 0.67, "%g", carried);
}
