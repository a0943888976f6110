#include "hw/hbm/hbm_bytes.h"

#include "base/wide.h"
#include "hw/hbm/hbm_moment.h"

/* Few transfers are so long that they need a division of 64 bits, which takes several times as
 * long as one of 32. */
uint64_t hbm_bytes_bursts(const struct hbm *h, uint64_t bytes)
{
    uint64_t end = bytes + h->par.burst - 1;

    return end >> 32 ? end / h->par.burst : (uint32_t)end / (uint32_t)h->par.burst;
}

uint64_t hbm_bytes_of_rows(const struct hbm *h, const struct task_move *m)
{
    uint64_t access = h->part ? h->part->par.access : 1;

    return m->rows * ((m->row_bytes + access - 1) / access) * access;
}

/* Bytes of a phase of the transfer at hand that are still to be moved while `left` of its bursts
 * are: bursts of a stream are full but for the last, those of rows have equally many useful bytes.
 */
static uint64_t bytes_left(const struct hbm *h, const struct hbm_way *w, enum hbm_phase phase,
                           uint64_t left)
{
    const struct task_move *m = &w->cur.move;

    if (phase == HBM_SETS_UP || left == 0)
        return 0;
    if (phase == HBM_STREAMS)
        return m->bytes - (hbm_bytes_bursts(h, m->bytes) - left) * h->par.burst;
    uint64_t all = hbm_bytes_bursts(h, hbm_bytes_of_rows(h, m)), useful = m->rows * m->row_bytes;
    return useful - (uint64_t)((u128)useful * (all - left) / all);
}

struct des_ramp hbm_bytes_of_leg(const struct hbm *h)
{
    const struct hbm_leg *g = &h->leg;
    const struct hbm_way *w = &h->way[g->way];
    uint64_t left = w->left[w->phase];
    hbm_moment end = h->until;

    if (!g->folded) {
        end = g->from;
        for (uint64_t i = 0; i < g->bursts; i++)
            end = hbm_moment_burst_end(h, end, g->cost);
    }
    return (struct des_ramp){ hbm_moment_time(h, g->from), hbm_moment_time(h, end),
                              bytes_left(h, w, w->phase, left) -
                                  bytes_left(h, w, w->phase, left - g->bursts) };
}

uint64_t hbm_bytes_to_move(const struct hbm *h, bool write, des_time now)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < 2 * h->n_clients; i++) {
        const struct hbm_way *w = &h->way[i];
        if (!(h->busy & UINT32_C(1) << i) || w->cur.write != write)
            continue;
        for (enum hbm_phase p = w->phase; p < HBM_N_PHASES; p++)
            sum += bytes_left(h, w, p, w->left[p]);
        if (i == h->leg.way) {
            struct des_ramp ramp = hbm_bytes_of_leg(h);
            sum -= des_ramp_by(&ramp, now);
        }
    }
    return sum;
}
