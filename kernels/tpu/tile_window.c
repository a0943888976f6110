/* Matrix products in windows that are chosen as the compiler chooses them (window.h), and lowered
 * as those that a compiled program states (stated_product.c).
 *
 *     bytes in   A and B as often as their windows come by; an operand that has one window is
 *                brought before the first grid step
 *     bytes out  C, once */
#include "base/arith.h"
#include "kernels/tpu/stated.h"
#include "kernels/tpu/window.h"

static void describe_product(struct trace_compiled *k, const struct work *w)
{
    *k = (struct trace_compiled){
        .product = { [TRACE_DIM_B] = w->gemm.b,
                     [TRACE_DIM_M] = w->gemm.m,
                     [TRACE_DIM_K] = w->gemm.k,
                     [TRACE_DIM_N] = w->gemm.n },
        .taps = 1,
        .has_lanes = true,
        .lanes = { w->lanes[0], w->lanes[1], w->lanes[2] },
    };
}

/* True of the one operand to which all counts that the kernel reads and computes before the
 * product. */
static bool is_made(const struct work *w, int operand)
{
    return operand == 0 ? w->a_made : w->b_made && !w->a_made;
}

/* Bytes of an operand that come before the first grid step; those of the others join the stream.
 * An operand that the kernel computes is read and computed again each time its windows come by. */
static uint64_t bring_operand(struct work *w, const struct trace_compiled *k, int operand,
                              const struct cap *cap)
{
    bool made = is_made(w, operand);
    uint64_t bytes = (operand == 0 ? w->a : w->b) + (made ? w->made_in : 0);
    uint64_t more = window_reads(k, operand, cap) - 1;

    if (window_stays(k, operand)) {
        w->in.bytes -= bytes;
        return bytes;
    }
    w->in.bytes += bytes * more;
    for (int i = 0; i < N_VECTOR_OPS; i++)
        w->vpu[i] += made ? w->made_vpu[i] * more : 0;
    w->loads += made ? w->made_loads * more : 0;
    return 0;
}

/* Windows of what the kernel reads and writes besides, and computes on the way, pass by like those
 * of the product. */
static struct window_operands list_operands(const struct work *w, const struct cap *cap)
{
    uint64_t on_way = w->a + w->b + (w->a_made || w->b_made ? w->made_in : 0);

    return (struct window_operands){
        .element = { w->a_element, w->b_element, w->c_element },
        .on_chip = { !w->a && !w->a_made, !w->b && !w->b_made, !w->c && w->c_in_vmem },
        .beside = w->in.bytes > on_way ? w->in.bytes - on_way : 0,
        .taken = w->reserved / cap->halves,
    };
}

bool lower_windows(struct task_kernel *out, const struct work *given, const struct cap *cap)
{
    struct trace_compiled k;
    struct work w = *given;
    struct err ignored;
    uint64_t held;

    describe_product(&k, given);
    const struct window_operands o = list_operands(&w, cap);
    window_choose(&k, &o, cap);
    held = bring_operand(&w, &k, 0, cap) + bring_operand(&w, &k, 1, cap);
    if (stated_swaps(&k)) {
        w.a_element = given->b_element;
        w.b_element = given->a_element;
    }
    w.mode.turned = false;
    if (stated_blocks(out, &w, &k, 2 * w.gemm.useful, cap, &ignored) != 0)
        return false;
    out->resident_in = held;
    lower_expose_ends(out, cap);
    out->windows = k.vmem * cap->halves + w.reserved;
    return true;
}
