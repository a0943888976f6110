#include "hw/mxu.h"

#define P(...) PARAM_DESC(struct mxu_params, __VA_ARGS__)
static const struct param_desc params[] = { MXU_PARAMS(P) };
const struct param_table mxu_param_table = { "mxu", params, sizeof params / sizeof *params,
                                             sizeof(struct mxu_params) };
#undef P
#define C(...) STAT_COUNTER(struct mxu_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct mxu_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { MXU_STATS(C, R) };
const struct stat_table mxu_stat_table = { "mxu", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct mxu_stats) };

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Book where the slots of a command went; the six kinds add up to all of them.  The cycles come
 * from the clock, not from a formula, so walking and folding are booked alike. */
static void book(struct mxu *m, uint64_t cycles)
{
    const struct task_gemm *g = &m->cur.gemm;
    uint64_t s = m->par.size, tiles_k = ceil_div(g->k, s), tiles_n = ceil_div(g->n, s);
    uint64_t passes = g->b * tiles_k * tiles_n;
    uint64_t rows = ceil_div(g->m, m->par.row_granule) * m->par.row_granule;
    uint64_t macs = g->b * g->m * g->k * g->n;

    m->st.busy += cycles;
    m->st.slots += cycles * s * s;
    m->st.useful += g->useful;
    m->st.conv_zeros += macs - g->useful;
    m->st.fill_drain += (cycles - passes * rows) * s * s;
    m->st.pad_m += (rows - g->m) * passes * s * s;
    m->st.pad_k += g->b * g->m * (tiles_k * s - g->k) * tiles_n * s;
    m->st.pad_n += g->b * g->m * g->k * (tiles_n * s - g->n);
}

static uint32_t stream(struct des *sim, void *self, uint32_t at)
{
    struct mxu *m = self;
    const struct mxu_params *par = &m->par;
    const struct task_gemm *g = &m->cur.gemm;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(des_get(sim, m->cmd, &m->cur));
        m->start = des_clock_index(sim, m->clock);
        if (m->fold) {
            DES_WAIT_FOR(sim, des_clock_delay(sim, m->clock, m->fold(par, &m->cur)));
        } else {
            m->passes = g->b * ceil_div(g->k, par->size) * ceil_div(g->n, par->size);
            for (; m->passes; m->passes--) {
                DES_WAIT_FOR(
                    sim, des_clock_delay(sim, m->clock, par->size / par->weight_rows_per_cycle));
                for (m->rows = 0; m->rows < g->m; m->rows += par->row_granule)
                    DES_WAIT_FOR(sim, des_clock_delay(sim, m->clock, par->row_granule));
            }
            if (m->cur.drain)
                DES_WAIT_FOR(sim, des_clock_delay(sim, m->clock, 2 * (uint64_t)par->size - 1));
        }
        book(m, des_clock_index(sim, m->clock) - m->start);
        DES_WAIT_UNTIL(des_put(sim, m->done, &(struct unit_done){ CAUSE_MXU }));
    }
    DES_END;
}

void mxu_init(struct mxu *m, struct des *sim, struct des_module parent, const char *name,
              const struct mxu_params *par, uint64_t core_hz, mxu_fold_fn *fold)
{
    *m = (struct mxu){ .par = *par, .fold = fold };
    m->mod = des_module_new(sim, parent, name);
    m->cmd = des_in_new(sim, m->mod, "cmd", sizeof(struct unit_gemm));
    m->done = des_out_new(sim, m->mod, "done", sizeof(struct unit_done));
    m->clock = des_clock_new(sim, m->mod, "clock", core_hz);
    m->stream = des_thread_new(sim, m->mod, "stream", stream, m);
    des_sensitive(sim, m->stream, m->cmd);
    des_sensitive(sim, m->stream, m->done);
}

void mxu_finish(struct mxu *m, uint64_t cycles)
{
    m->st.cycles = cycles;
    m->st.capacity = cycles * m->par.size * m->par.size;
}
