/* Commands of a matrix unit: walking rows through the array, and booking every slot. */
#include "hw/core/mxu.h"

#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct mxu_params, __VA_ARGS__)
static const struct param_desc params[] = { MXU_PARAMS(P) };
const struct param_table mxu_param_table = { "mxu", params, sizeof params / sizeof *params,
                                             sizeof(struct mxu_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct mxu_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct mxu_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { MXU_STATS(C, R) };
const struct stat_table mxu_stat_table = { "mxu", stats, sizeof stats / sizeof *stats,
                                           sizeof(struct mxu_stats) };
static const struct component_class mxu_class = { .name = "mxu",
                                                  .parameters = &mxu_param_table,
                                                  .statistics = &mxu_stat_table,
                                                  .counters = offsetof(struct mxu, st),
                                                  .finish = mxu_finish };

struct array mxu_array(const struct mxu_params *par)
{
    /* results are taken as they leave, so their FIFO is never full */
    return (struct array){ .size = par->size,
                           .rows_per_cycle = par->rows_per_cycle,
                           .weight_rows_per_cycle = par->weight_rows_per_cycle,
                           .turned_rows_per_cycle = par->turned_rows_per_cycle,
                           .latency = par->latency,
                           .load = (enum array_load)par->weight_load };
}

static uint64_t count_passes(const struct mxu *m)
{
    return 1 + m->cur.mode.more_passes;
}

struct systolic_run mxu_run(const struct mxu *m, uint64_t cycle)
{
    const struct task_gemm *g = &m->cur.gemm;
    uint64_t granule = m->par.row_granule;
    uint64_t tiles = array_tiles(m->par.size, &m->cur.mode, g->k, g->n);

    return (struct systolic_run){ .tiles = count_passes(m) * g->b * tiles,
                                  .rows = arith_ceil_div(g->m, granule) * granule,
                                  .weights_at = cycle,
                                  .rows_at = cycle };
}

void mxu_count(struct mxu *m, uint64_t cycles, const uint64_t slots[N_USES], uint64_t n)
{
    m->st.busy += n * cycles;
#define U(id, text, doc)                                                                           \
    m->st.text += n * slots[USE_##id];                                                             \
    m->st.slots += n * slots[USE_##id];
    USES(U)
#undef U
}

/* Book the slots of a command by use, into the statistics and into `slots`.  They must add up to
 * the cycles of the clock. */
static void book_slots(struct mxu *m, uint64_t cycles, uint64_t slots[N_USES])
{
    const struct task_gemm *g = &m->cur.gemm;
    const struct mxu_cycles *c = &m->cycles;
    bool ws = m->par.dataflow == DATAFLOW_WS, twin = ws && m->cur.mode.twin;
    uint64_t s = m->par.size, vectors = m->par.rows_per_cycle * (1 + m->cur.mode.more_rows);
    /* two rows that enter side by side have half of the array's columns each; of an odd number one
     * is left over */
    uint64_t lanes = twin ? 2 * vectors : vectors, width = twin ? s / 2 : s, each = vectors * s * s;
    uint64_t left_over = twin && s % 2 ? c->stream * vectors * s : 0;
    uint64_t all = g->b * g->m * g->k * g->n, p = count_passes(m);
    /* the two dimensions of the operand that stays fill the array, the third streams: rows side by
     * side in ws, one vector a cycle in os and is */
    uint64_t rows = ws ? arith_round_up(arith_round_up(g->m, m->par.row_granule), lanes)
                       : arith_round_up(g->m, s);
    uint64_t tall = ws ? array_depth(m->par.size, &m->cur.mode) : s;
    uint64_t wide = ws ? array_columns(m->par.size, &m->cur.mode) : s;
    uint64_t columns =
        m->par.dataflow == DATAFLOW_IS ? g->n * lanes : arith_ceil_div(g->n, wide) * width;
    uint64_t depth = m->par.dataflow == DATAFLOW_OS ? g->k * lanes : arith_ceil_div(g->k, tall) * s;

    slots[USE_USEFUL] = g->useful;
    slots[USE_PRECISION] = (p - 1) * all;
    slots[USE_CONV_ZEROS] = all - g->useful;
    slots[USE_PAD_M] = p * g->b * (rows - g->m) * depth * columns;
    slots[USE_PAD_K] = p * g->b * g->m * (depth - g->k) * columns;
    slots[USE_PAD_N] = p * g->b * g->m * g->k * (columns - g->n) + left_over;
    slots[USE_WEIGHT_LOAD] = c->load * each;
    slots[USE_FILL_DRAIN] = c->idle * each;
    BUG_ON(p * g->b * rows * depth * columns + left_over != c->stream * each);
    BUG_ON(c->load + c->stream + c->idle != cycles);
    mxu_count(m, cycles, slots, 1);
}

/* Count a beat of weights in cycle `at`; a beat while rows stream costs nothing. */
static void count_beat(struct mxu *m, uint64_t at)
{
    struct mxu_cycles *c = &m->cycles;

    if (at < c->next)
        return;
    if (m->load == m->loaded)
        m->load = at;
    m->loaded = at + 1;
    c->beats++;
    c->load++;
}

/* Count a row taken in cycle `at`, perhaps side by side with the one before. */
static void count_row(struct mxu_cycles *c, uint64_t at)
{
    if (at < c->next)
        return;
    c->idle += at - c->next - c->beats;
    c->beats = 0;
    c->stream++;
    c->next = at + 1;
}

/* Let the next row_granule rows enter the array; returns the cycle in which the last of them does.
 */
static uint64_t push_rows(struct mxu *m)
{
    uint64_t at = 0;

    m->told = m->cycles.next;
    for (uint32_t i = 0; i < m->par.row_granule; i++) {
        at = systolic_take(&m->array, m->run.rows_at, ++m->rows == m->run.rows);
        systolic_fetch(&m->array, at + array_latency(&m->array.par));
        count_row(&m->cycles, at);
        if (i == 0)
            m->from = at;
    }
    return at;
}

uint64_t mxu_end_after(const struct mxu *m, uint64_t last_row)
{
    return last_row + (m->cur.drain ? array_latency(&m->array.par) : 1);
}

uint64_t mxu_bare_end(struct mxu *m)
{
    const struct task_gemm *g = &m->cur.gemm;
    enum dataflow flow = (enum dataflow)m->par.dataflow;
    uint64_t s = m->par.size, inputs = flow == DATAFLOW_IS;
    uint64_t tiles =
        count_passes(m) * g->b * arith_ceil_div(g->m, s) * arith_ceil_div(inputs ? g->k : g->n, s);

    m->cycles.load = inputs * tiles * s;
    m->cycles.stream = tiles * (inputs ? g->n : g->k);
    m->cycles.idle = tiles * (2 * s - 2);
    m->cycles.next =
        m->start +
        count_passes(m) * g->b * dataflow_cycles(flow, m->par.size, m->par.size, g->m, g->n, g->k);
    return m->cycles.next;
}

static des_time delay_until(const struct des *sim, const struct mxu *m, uint64_t cycle)
{
    return des_clock_delay(sim, m->clock, cycle - des_clock_index(sim, m->clock));
}

void mxu_begin(struct mxu *m, uint64_t cycle)
{
    m->start = cycle;
    systolic_set_mode(&m->array, &m->base, &m->cur.mode);
    m->run = mxu_run(m, m->start);
    m->cycles = (struct mxu_cycles){ .next = m->start };
}

void mxu_end(struct mxu *m)
{
    m->cycles.idle += m->end - m->cycles.next;
    m->reply = (struct unit_done){ .cause = CAUSE_MXU };
    book_slots(m, m->end - m->start, m->reply.slots);
}

enum { STATE, PHASE, TILE, ROWS, USEFUL };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "busy from a command to its end"),
    [PHASE] = SHOW_FINE_STATE("phase", "what each cycle of a command goes to"),
    [TILE] = SHOW_FINE("tile", NULL, "passes of the command still to come, this one included"),
    [ROWS] = SHOW_FINE("rows", "rows", "rows of the pass that were taken"),
    [USEFUL] = SHOW_MOVED("useful", "MAC", "useful multiply-accumulates of commands done"),
};

/* May the command at hand take the shortcut?  Sets m->end. */
static bool folds_command(const struct des *sim, struct mxu *m)
{
    struct systolic array = m->array;
    struct mxu_cycles cycles = m->cycles;

    if (!m->fold)
        return false;
    m->end = mxu_end_after(m, m->fold(m, m->start).last_row);
    if (!des_walks(sim, m->show, des_now(sim) + delay_until(sim, m, m->end)))
        return true;
    m->array = array;
    m->cycles = cycles;
    return false;
}

/* While somebody watches: show `phase` up to `cycle`, if that is to come. */
#define STAY(phase, cycle)                                                                         \
    do {                                                                                           \
        if (des_shown(sim) && des_clock_index(sim, m->clock) < (cycle)) {                          \
            des_show(sim, m->show, PHASE, SHOW_##phase);                                           \
            DES_WAIT_FOR(sim, delay_until(sim, m, cycle));                                         \
        }                                                                                          \
    } while (0)

/* The command at hand is done: its end was not known before. */
static void show_useful(struct des *sim, struct mxu *m)
{
    struct des_ramp ramp = { des_edge(m->start, m->hz), des_now(sim), m->cur.gemm.useful };

    des_show_ramp(sim, m->show, USEFUL, ramp);
    des_show(sim, m->show, USEFUL, m->useful += ramp.amount);
}

static uint32_t stream_commands(struct des *sim, void *self, uint32_t at)
{
    struct mxu *m = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(des_get(sim, m->cmd, &m->cur));
        mxu_begin(m, des_clock_index(sim, m->clock));
        des_show(sim, m->show, STATE, SHOW_BUSY);
        des_show(sim, m->show, PHASE, SHOW_BUSY);
        if (m->par.dataflow != DATAFLOW_WS) {
            m->end = mxu_bare_end(m);
        } else if (!folds_command(sim, m)) {
            for (m->passes = m->run.tiles; m->passes; m->passes--) {
                des_show(sim, m->show, TILE, m->passes);
                m->load = m->loaded = 0;
                for (uint64_t beat = 0; beat < array_beats(&m->array.par); beat++)
                    count_beat(m, systolic_load(&m->array, m->start));
                for (m->rows = 0; m->rows < m->run.rows;) {
                    m->end = push_rows(m);
                    STAY(STREAM, m->told);
                    STAY(DRAIN, m->load);
                    STAY(LOAD, m->loaded);
                    STAY(DRAIN, m->from);
                    des_show(sim, m->show, PHASE, SHOW_STREAM);
                    des_show(sim, m->show, ROWS, m->rows);
                    DES_WAIT_FOR(sim, delay_until(sim, m, m->end));
                }
            }
            m->end = mxu_end_after(m, m->end);
            STAY(STREAM, m->cycles.next);
            des_show(sim, m->show, PHASE, SHOW_DRAIN);
            des_show(sim, m->show, TILE, 0);
            des_show(sim, m->show, ROWS, 0);
        }
        DES_WAIT_FOR(sim, delay_until(sim, m, m->end));
        mxu_end(m);
        des_show(sim, m->show, PHASE, SHOW_IDLE);
        des_show(sim, m->show, STATE, SHOW_BLOCKED);
        if (des_shown(sim))
            show_useful(sim, m);
        DES_WAIT_UNTIL(des_put(sim, m->done, &m->reply));
        des_show(sim, m->show, STATE, SHOW_IDLE);
    }
    DES_END;
}

/* The share of `cycles` core cycles in which the program issues rows: ticks of the array's clock.
 */
static uint64_t issued_cycles(const struct mxu_params *par, uint64_t cycles)
{
    return (uint64_t)((u128)cycles * par->issue / PPB_PER_ONE);
}

uint64_t mxu_hz(const struct mxu_params *par, uint64_t core_hz)
{
    return issued_cycles(par, core_hz);
}

/* Multiply-accumulates a second, of the operands that enter fastest. */
static uint64_t peak_rate(const struct mxu *m)
{
    const uint32_t rates[] = { m->par.int8_rate, m->par.fp8_rate, m->par.e5m2_rate,
                               m->par.e4m3b11_rate };
    uint64_t rate = 1;

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        rate = rates[i] > rate ? rates[i] : rate;

    return m->core_hz * m->par.rows_per_cycle * rate * m->par.size * m->par.size;
}

void mxu_init(struct mxu *m, struct des *sim, struct des_module parent, const char *name,
              const struct mxu_params *par, uint64_t core_hz, mxu_fold_fn *fold)
{
    struct array array = mxu_array(par);

    *m = (struct mxu){
        .par = *par, .fold = fold, .base = array, .hz = mxu_hz(par, core_hz), .core_hz = core_hz
    };
    systolic_init(&m->array, &array, NULL);
    m->mod = des_module_new(sim, parent, name);
    component_add(sim, &mxu_class, m->mod, m);
    m->cmd = des_in_new(sim, m->mod, "cmd", sizeof(struct unit_gemm));
    m->done = des_out_new(sim, m->mod, "done", sizeof(struct unit_done));
    m->clock = des_clock_new(sim, m->mod, "clock", mxu_hz(par, core_hz));
    m->show = SHOW_PROBES(sim, m->mod, shows);
    des_probe_set_peak(sim, m->show, USEFUL, peak_rate(m));
    m->stream = des_thread_new(sim, m->mod, "stream", stream_commands, m);
    des_sensitive(sim, m->stream, m->cmd);
    des_sensitive(sim, m->stream, m->done);
}

void mxu_bind(struct mxu *m, const uint64_t *faster)
{
    m->faster = faster;
}

void mxu_finish(void *self, des_time now, des_time elapsed)
{
    struct mxu *m = self;
    uint64_t cycles = des_edge_index(now, m->core_hz) - des_edge_index(now - elapsed, m->core_hz);
    uint64_t faster = m->faster ? *m->faster : 0;

    m->st.cycles = issued_cycles(&m->par, cycles);
    m->st.capacity = (cycles + faster) * m->par.rows_per_cycle * m->par.size * m->par.size;
}
