/* Products of compiled programs that state no windows, in those that the compiler would choose
 * (window.h).
 *
 *     again    what is on the way to A or B is fetched and computed as often as a window of it
 *              comes by
 *     held     an operand that has one window comes before the first grid step
 *
 * Only for the machine that the program was compiled for, where the lanes of the operands are
 * stated, and for products whose taps have
 * rows of their own (k-parts): windows of convolutions are not chosen here. */
#include "base/wide.h"
#include "kernels/tpu/stated.h"
#include "kernels/tpu/window.h"

static uint64_t multiply_capped(uint64_t n, uint64_t by)
{
    u128 all = (u128)n * by;

    return all > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)all;
}

/* Work on the way to an operand, as many times more. */
static void repeat_side(struct trace_compiled *k, const struct trace_side *s, uint64_t more)
{
    for (unsigned v = 0; v < TRACE_N_VECTORS; v++)
        k->vector[v] += multiply_capped(s->vector[v], more);
    k->loads += multiply_capped(s->loads, more);
}

bool stated_choose(struct trace_compiled *k, struct stated *c)
{
    const struct trace_compiled *given = c->kernel;
    struct window_operands o;

    if (!trace_has_product(given) || given->counts[TRACE_DIM_B] || !given->has_lanes ||
        given->taps != given->k_parts || c->anew || !c->cap->xla.window_time)
        return false;
    *k = *given;
    stated_windows(&o, c);
    window_choose(k, &o, c->cap);
    for (int f = 0; f < 2; f++) {
        const struct trace_side *s = &given->side[f];
        uint64_t more = window_reads(k, f, c->cap) - 1;
        repeat_side(k, s, more);
        if (window_stays(k, f))
            c->brought += s->fetch;
        else
            c->again += multiply_capped(s->fetch, more);
    }
    c->kernel = k;
    return true;
}
