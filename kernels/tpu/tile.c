/* Cutting a kernel that streams into grid steps.
 *
 * A grid step costs a fixed `step_cycles` and, where writes wait for each other, `write_cycles`;
 * the first tile in and the last tile out are exposed. A kernel of V bytes at rate R in T grid
 * steps therefore loses
 *
 *     T * step + V / (T * R),   which is least at   T = sqrt(V / (R * step))
 *
 * A kernel has the windows of the compiler where those are known: one for each half of the device
 * up to whole_stream bytes (whole_way, if it only reads or only writes), else of stream_window
 * elements, and of fusion_window if it has several operations.  Those of sums are chosen
 * (stream.h).
 *
 * VMEM, less what is resident there, holds two buffers each way, which bounds T from below; so does
 * SMEM, with two buffers for the indices of rows. */
#include "base/arith.h"
#include "base/wide.h"
#include "kernels/common/work.h"

#include <string.h>

static uint64_t find_root(uint64_t v)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root | bit) <= v / (root | bit))
            root |= bit;
    return root;
}

static uint64_t count_bytes(const struct task_move *m)
{
    return m->bytes + m->rows * m->row_bytes;
}

/* Add what a kernel without a GEMM pays besides its grid steps. */
static void add_fixed_costs(struct task_kernel *k, const struct work *w, const struct cap *cap)
{
    uint64_t alone = 2 * (count_bytes(&w->in) < count_bytes(&w->out) ? count_bytes(&w->in)
                                                                     : count_bytes(&w->out));

    if (alone > cap->xla.exposed_bytes)
        alone = cap->xla.exposed_bytes;
    bool stays = count_bytes(&w->out) + w->table_out + w->fed == 0; /* in VMEM */
    k->extra_cycles = w->extra_cycles + (stays ? 0 : cap->xla.vector_time) +
                      alone * cap->core_hz / cap->hbm_bytes_per_s;
}

void lower_meet(struct task_kernel *k, const struct cap *cap)
{
    if (cap->halves > 1 && k->all.in.bytes + k->all.in.rows + k->resident_in == 0)
        k->extra_cycles += cap->meet_cycles;
}

/* Cycles of a grid step that stands for `joined`. */
static uint64_t join_cycles(uint64_t cycles, uint32_t joined)
{
    u128 all = (u128)cycles * (joined ? joined : 1);

    return all > LOWER_MOST_CYCLES ? LOWER_MOST_CYCLES : (uint64_t)all;
}

void lower_tile_stated(struct task_kernel *k, const struct work *w, uint64_t steps,
                       const struct cap *cap)
{
    add_fixed_costs(k, w, cap);
    k->grid_steps = steps;
    k->all = lower_sum_work(w);
    if (steps > LOWER_MOST_STEPS) {
        k->joined = (uint32_t)arith_ceil_div(steps, LOWER_MOST_STEPS);
        k->grid_steps = arith_ceil_div(steps, k->joined);
        k->joined_cycles = (k->joined - 1) * cap->step_cycles;
    }
    k->chain_cycles = join_cycles(w->chain_cycles, k->joined);
    k->sum_cycles = join_cycles(w->sum_cycles, k->joined);
}

#define ONE_WAY 16 /* times as many bytes as the other way */

/* True if each half of a device takes its part of such a kernel as one window. */
static bool is_whole(uint64_t in, uint64_t out, bool fused, const struct cap *cap)
{
    if (fused && cap->xla.whole_fusion)
        return in + out <= cap->xla.whole_fusion * cap->halves;
    bool one_way = in <= out / ONE_WAY || out <= in / ONE_WAY;
    uint64_t most = one_way && cap->xla.whole_way ? cap->xla.whole_way : cap->xla.whole_stream;

    return in + out <= most * cap->halves;
}

/* Grid steps of tiles of least time for a kernel that moves so many bytes. */
static uint64_t count_least(uint64_t bytes, const struct cap *cap)
{
    uint64_t cycles = cap->step_cycles + cap->write_cycles;
    uint64_t step_bytes = (uint64_t)((u128)cap->hbm_bytes_per_s * cycles / cap->core_hz);

    return find_root(bytes / (step_bytes ? step_bytes : 1));
}

/* Grid steps of several operations in one kernel. */
static uint64_t count_fused(uint64_t units, uint64_t bytes, const struct cap *cap)
{
    uint64_t elements = units * cap_tile(cap);

    if (!cap->xla.fusion_window)
        return count_least(bytes, cap);
    uint64_t steps = arith_ceil_div(elements, cap->xla.fusion_window * cap->halves);
    uint64_t least = arith_ceil_div(2 * bytes, cap->xla.window_memory * cap->halves);
    steps = steps > least ? steps : least;
    return steps > 2 ? steps : 2;
}

/* Grid steps of a kernel that moves so many bytes. */
static uint64_t count_steps(const struct work *w, uint64_t bytes, const struct cap *cap)
{
    uint64_t units = stream_units(&w->streamed);
    struct stream_window win;

    if (!units || !cap->xla.whole_stream)
        return count_least(bytes, cap);
    if (is_whole(count_bytes(&w->in) + w->fed, count_bytes(&w->out), w->fused, cap))
        return 1;
    if (w->fused)
        return count_fused(units, bytes, cap);
    stream_choose(&win, &w->streamed, cap->xla.stream_window / cap_tile(cap), cap);
    return arith_ceil_div(win.steps, cap->halves);
}

uint64_t lower_window(const struct work *w, uint64_t units, uint64_t bytes, const struct cap *cap)
{
    if (!w->fused) {
        uint64_t most = cap->xla.stream_window / cap_tile(cap);
        return is_whole(bytes, 0, false, cap) ? 0 : most;
    }
    uint64_t in = count_bytes(&w->in) + w->fed, out = count_bytes(&w->out);
    if (is_whole(in < bytes ? bytes : in, out, true, cap))
        return 0;
    uint64_t steps = count_fused(units, in + out, cap);
    return arith_ceil_div(units, (steps ? steps : 1) * cap->halves);
}

/* Lanes that become sublanes, of the windows of each half. */
static void add_spread(struct task_kernel *k, const struct work *w, const struct cap *cap)
{
    if (!w->spread)
        return;
    k->extra_cycles += cap->xla.lane_reduce_time;
    k->sum_cycles +=
        arith_ceil_div(w->spread * cap->lane_cycles, k->grid_steps * (uint64_t)cap->halves);
}

/* Sums go to HBM after the last grid step. */
static void hold_sums(struct task_kernel *k, const struct work *w)
{
    if (!w->sums_last || k->grid_steps == 1)
        return;
    k->resident_out += k->all.out.bytes;
    k->all.out.bytes = 0;
}

void lower_tile(struct task_kernel *k, const struct work *w, const struct cap *cap)
{
    uint64_t bytes = count_bytes(&w->in) + count_bytes(&w->out);
    uint64_t steps = w->steps ? arith_ceil_div(w->steps, cap->halves) : count_steps(w, bytes, cap);
    uint64_t least =
        bytes ? arith_ceil_div(2 * bytes, cap->vmem_bytes * cap->halves - w->reserved) : 0;
    uint64_t rows = w->in.rows > w->out.rows ? w->in.rows : w->out.rows;
    uint64_t indices = 4 * (rows > w->picked ? rows : w->picked);
    uint64_t listed = arith_ceil_div(2 * indices, cap->smem_bytes * cap->halves);

    if (w->gemm.b) {
        k->extra_cycles = w->extra_cycles;
        if (!w->windowed || !lower_windows(k, w, cap))
            lower_grid(k, w, cap);
        return;
    }
    if (w->steps) {
        lower_tile_stated(k, w, steps, cap);
    } else {
        add_fixed_costs(k, w, cap);
        least = least > listed ? least : listed;
        k->grid_steps = steps > least ? steps : least;
        k->grid_steps += k->grid_steps == 0;
        k->all = lower_sum_work(w);
    }
    add_spread(k, w, cap);
    k->moves = w->moves;
    k->windows = arith_ceil_div((k->grid_steps > 1 ? 2 : 1) * bytes, k->grid_steps) + w->reserved;
    hold_sums(k, w);
}

void lower_turn(struct task_kernel *k, const struct work *w, bool back, const struct cap *cap)
{
    uint64_t registers = arith_ceil_div(w->wide, 4 * (uint64_t)cap->vector_elements);
    struct work copy = { .in.bytes = back ? w->wide : w->turned,
                         .out.bytes = back            ? w->turned
                                      : w->turn_stays ? 0
                                                      : w->wide,
                         .xlu = registers,
                         .loads = registers,
                         .stores = registers,
                         .extra_cycles = cap->xla.relayout_time };

    lower_tile(k, &copy, cap);
    k->moves = true;
    lower_meet(k, cap);
}
