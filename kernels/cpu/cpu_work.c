/* Work to the threads of a pool.
 *
 *     dispatch  of the framework, and until its threads are awake: fork * log2(threads), both for
 *               each pass
 *     threads   one, and one more for every task_cycles of work, up to all cores [eigen]
 *     cores     an even share, or whole blocks: ceil(blocks / threads)
 *     cache     bytes / (threads * core_bandwidth)
 *     numa      bytes of memory * away / (sockets * (sockets - 1) * link_bandwidth)
 *     pages     the longer of ceil(pages / threads) * fault, and pages * fault_lines * line: a
 * fault takes the lock of the process's memory and gives it back, and the line with the lock goes
 * from core to core; one thread has it for itself */
#include "kernels/cpu/cpu_work.h"
#include "base/arith.h"
#include "base/units.h"

#define STEPS 16          /* in which a long operation is simulated */
#define STEP_CYCLES 20000 /* a step of a shorter one takes at least so many */

/* Beyond the limit the exact figure does not matter: no such run begins. */
static uint64_t limit_cycles(u128 cycles)
{
    return cycles < LOWER_MOST_CYCLES ? (uint64_t)cycles : LOWER_MOST_CYCLES;
}

static uint64_t cycles_of_bytes(u128 bytes, u128 bytes_per_s, const struct cap *cap)
{
    return limit_cycles((bytes * cap->core_hz + bytes_per_s - 1) / bytes_per_s);
}

static uint64_t cycles_of_fs(u128 fs, const struct cap *cap)
{
    return limit_cycles((fs / 1000000 * cap->core_hz + 999999999) / 1000000000);
}

static u128 all_cycles(const struct cpu_work *w)
{
    return w->cycles + w->units * w->unit;
}

static uint32_t count_threads(const struct cpu_work *w, const struct cap *cap)
{
    const struct cap_cpu *c = &cap->cpu;
    u128 moving = cycles_of_bytes(w->bytes, c->core_bytes_per_s, cap), cycles = all_cycles(w);
    u128 more = (cycles > moving ? cycles : moving) / c->task_cycles;

    return more + 1 < c->cores ? (uint32_t)more + 1 : c->cores;
}

static uint64_t map_pages(const struct cpu_work *w, uint32_t threads, const struct cap *cap)
{
    const struct cap_cpu *c = &cap->cpu;
    uint64_t pages = arith_ceil_div(w->fresh, c->page_bytes);
    u128 own = (u128)arith_ceil_div(pages, threads) * c->fault_fs;
    u128 shared = threads > 1 ? (u128)pages * c->fault_lines * c->line_fs : 0;

    return cycles_of_fs(own > shared ? own : shared, cap);
}

void cpu_divide(struct task_pool *p, const struct cpu_work *w, const struct cap *cap)
{
    const struct cap_cpu *c = &cap->cpu;
    uint32_t threads = count_threads(w, cap), pairs = c->sockets * (c->sockets - 1);
    u128 away = (u128)(w->read + w->written) * c->away / PPB_PER_ONE;
    u128 even = (w->cycles + threads - 1) / threads;
    u128 blocks = (w->units + threads - 1) / threads * w->unit;
    uint64_t passes = w->passes ? w->passes : 1, own = cap->alone ? 0 : c->dispatch_fs;
    uint64_t sum = 0;

    *p = (struct task_pool){ .threads = threads,
                             .read = w->read,
                             .written = w->written,
                             .dispatch_fs = passes * (own + arith_ceil_log2(threads) * c->fork_fs),
                             .useful = w->useful };
    p->cycles[POOL_SERIAL] = limit_cycles(w->serial);
    p->cycles[POOL_PAGES] = map_pages(w, w->serial ? 1 : threads, cap);
    p->cycles[POOL_CORES] = limit_cycles(even + blocks);
    p->cycles[POOL_CACHE] =
        cycles_of_bytes(w->serial ? 0 : w->bytes, (u128)threads * c->core_bytes_per_s, cap);
    p->cycles[POOL_NUMA] =
        pairs ? cycles_of_bytes(away, (u128)pairs * c->link_bytes_per_s, cap) : 0;
    for (int part = 0; part < POOL_N_PARTS; part++)
        sum += p->cycles[part];
    p->steps = sum / STEP_CYCLES < 1 ? 1 : sum / STEP_CYCLES > STEPS ? STEPS : sum / STEP_CYCLES;
}
