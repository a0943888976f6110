/* Upper bounds for the time of an operation, without simulating it. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "run/job/job.h"
#include "schedule/schedule_slices.h"

/* Refreshes that take as long to simulate as a grid step: what moves stops at each. */
#define REFRESHES_OF_A_STEP 16

#define HOUR_FS ((u128)3600 * DES_FS_PER_S)

static u128 move_bytes(const struct job *j, const struct task_move *m)
{
    /* opening a row takes less time than moving it and a burst twice */
    return (u128)m->bytes + (u128)m->rows * 2 * (m->row_bytes + j->spec->hbm.burst);
}

/* Femtoseconds of `amount` at `rate` a second. */
static u128 at_rate(u128 amount, uint64_t rate)
{
    /* beyond an hour the exact figure does not matter, and the product must not overflow */
    if (amount / rate > 3600)
        return HOUR_FS + 1;
    return amount * DES_FS_PER_S / rate;
}

static u128 kernel_time(const struct job *j, const struct task_kernel *k)
{
    const struct machine_spec *m = j->spec;
    uint64_t hbm = j->cap.hbm_bytes_per_s ? j->cap.hbm_bytes_per_s : 1;
    const struct task_gemm *g = &k->all.gemm;
    const struct task_grid_step *all = &k->all;
    u128 cycles = (u128)vpu_slots(&m->vpu, all->vpu) + (u128)all->xlu * m->xlu.cycles_per_register;

    cycles += (u128)all->loads + all->stores;
    cycles += ((u128)all->in.rows + all->out.rows + all->picked) * m->bundle.row_scalars;
    if (g->b) {
        struct task_gemm block = { k->block.b, k->block.m, k->block.k, k->block.n, 0 };
        /* twice: to stream it, and to issue its loads, pushes and pops */
        cycles += (u128)2 * k->grid_steps *
                  task_stream_cycles(&block, m->mxu.row_granule, &j->cap.mxu, &k->mode);
    }
    cycles += (u128)k->grid_steps * m->core.step_overhead + k->extra_cycles;
    cycles += (u128)k->grid_steps * ((u128)k->chain_cycles + k->sum_cycles + k->joined_cycles);
    u128 requests = 2 * (u128)k->grid_steps * (k->joined ? k->joined : 1); /* in and out */
    return at_rate(cycles, spec_clock(m)) +
           at_rate(move_bytes(j, &all->in) + move_bytes(j, &all->out) +
                       requests * m->hbm.request_overhead,
                   hbm) +
           at_rate(all->feed, m->cmem.bandwidth) +
           at_rate((u128)k->resident_in + k->resident_out, hbm);
}

static u128 grid_time(const struct job *j, const struct task_grid *g)
{
    const struct machine_spec *m = j->spec;
    uint64_t hbm = j->cap.hbm_bytes_per_s ? j->cap.hbm_bytes_per_s : 1;
    u128 cycles = g->fixed_cycles;

    for (int pipe = 0; pipe < GRID_N_PIPES; pipe++)
        cycles += g->cycles[pipe];
    return at_rate(cycles, m->gpu.clock) + at_rate((u128)2 * (g->in.hbm + g->out.hbm), hbm) +
           at_rate(g->in.l2 + g->out.l2, m->l2.bandwidth) + g->host_fs + m->gpu.kernel_time +
           m->gpu.kernel_gap + m->launch.latency;
}

static u128 pool_time(const struct job *j, const struct task_pool *p)
{
    uint64_t memory = j->cap.hbm_bytes_per_s ? j->cap.hbm_bytes_per_s : 1;
    u128 cycles = 0;

    for (int part = 0; part < POOL_N_PARTS; part++)
        cycles += p->cycles[part];
    return at_rate(cycles, j->spec->cpu.clock) + at_rate((u128)2 * (p->read + p->written), memory) +
           p->dispatch_fs;
}

/* Time to load files from storage `times` times, one request after the other, at the rate of its
 * slowest part. */
static u128 load_time(const struct machine_spec *m, const struct task_work *w, uint32_t times)
{
    uint64_t rate = m->storage.far_bandwidth < m->storage.stream_bandwidth
                        ? m->storage.far_bandwidth
                        : m->storage.stream_bandwidth;
    u128 bytes = (u128)w->load_bytes * times, requests;

    rate = m->storage.disk_bandwidth < rate ? m->storage.disk_bandwidth : rate;
    rate = m->storage.bandwidth < rate ? m->storage.bandwidth : rate;
    requests = bytes / m->storage.request + w->loads + 1;
    if (requests > 1000000)
        return HOUR_FS + 1;
    return at_rate(bytes, rate) + requests * (m->storage.latency + m->storage.far_latency);
}

/* Time of a collective between slices: over PCIe both ways, in and out of HBM, and through cards
 * that all chips of a host share. */
static u128 far_time(const struct machine_spec *m, const struct schedule *s)
{
    struct schedule_far far = schedule_far(s);
    u128 messages = far.bytes / m->dcn.message + far.parts;
    u128 cards = at_rate(far.bytes, m->dcn.bandwidth) + messages * m->dcn.message_time;

    return 2 * at_rate(far.bytes, m->pcie.bandwidth) +
           at_rate((u128)5 * far.bytes, m->hbm.bandwidth) +
           cards * m->slice.chips_per_host * PPB_PER_ONE / m->dcn.bisection +
           (u128)far.hops * m->dcn.latency;
}

static u128 task_time(const struct job *j, const struct task_program *p, const struct task *t)
{
    const struct machine_spec *m = j->spec;
    uint64_t hbm = j->cap.hbm_bytes_per_s ? j->cap.hbm_bytes_per_s : 1;
    struct link_params links = spec_links(m);
    u128 fs = m->core.op_overhead;

    switch (t->kind) {
    case TASK_KERNEL: return fs + kernel_time(j, &t->kernel);
    case TASK_GRID: return grid_time(j, &t->grid);
    case TASK_POOL: return pool_time(j, &t->pool);
    case TASK_COLLECTIVE:
        for (uint32_t i = 0; i < t->collective.count; i++) {
            const struct task_call *c = &p->call[t->collective.first + i];
            struct schedule_cost on_links = schedule_cost(&c->schedule);
            fs += at_rate((u128)4 * c->bytes * m->slice.cores_per_chip, hbm) +
                  at_rate(on_links.bytes, links.bandwidth) + (u128)on_links.hops * links.latency +
                  links.launch + (u128)c->operands * links.operand_time + c->schedule.flow.wait_fs +
                  far_time(m, &c->schedule);
        }
        return fs;
    case TASK_INFEED:
    case TASK_OUTFEED:
        return fs + at_rate((u128)t->feed.handled * spec_cores(m), m->host.infeed_bandwidth) +
               (u128)t->feed.work.cpu_fs * spec_cores(m) +
               load_time(m, &t->feed.work, spec_cores(m)) +
               at_rate((u128)t->feed.bytes * m->slice.cores_per_chip, m->pcie.bandwidth) +
               m->host.infeed_overhead + m->host.read_time;
    case TASK_HOST:
        return fs + (u128)t->host.cpu_fs * (t->host.staleness ? spec_cores(m) : 1) +
               load_time(m, &t->host, t->host.client ? 1 : spec_cores(m)) + t->host.compile_fs +
               t->host.copy_fs + m->host.restart_time +
               at_rate((u128)(t->host.up + t->host.down) * spec_cores(m),
                       m->client.bandwidth < m->pcie.bandwidth ? m->client.bandwidth
                                                               : m->pcie.bandwidth);
    case TASK_COPY:
        return fs + at_rate((u128)2 * (t->copy.in + t->copy.out), hbm) +
               at_rate(t->copy.host ? (u128)(t->copy.in + t->copy.out) * m->slice.cores_per_chip
                                    : 0,
                       m->pcie.bandwidth);
    case TASK_SPARSE:
        return fs +
               at_rate(2 * (move_bytes(j, &t->sparse.in) + move_bytes(j, &t->sparse.out)), hbm) +
               m->sparsecore.launch + at_rate(t->sparse.operations, spec_clock(m));
    case TASK_SCALAR: return at_rate(t->scalar.cycles, spec_clock(m));
    default: return 0;
    }
}

/* Grid steps that a step of a schedule counts as.  To simulate one on a chip takes 4 to 15 us, in a
 * tree 1 to 3; a grid step takes 2 to 4. */
#define GRID_STEPS_OF_A_STEP 3

/* The work of a call of a collective, in grid steps; a flow has one step. */
static u128 call_work(const struct task_call *c)
{
    uint32_t steps = c->schedule.flow.by ? 1 : schedule_steps(&c->schedule);

    return (u128)GRID_STEPS_OF_A_STEP * (steps + 1);
}

/* The work of a task that takes at most `fs`, in grid steps. */
static u128 task_work(const struct job *j, const struct task_program *p, const struct task *t,
                      u128 fs)
{
    u128 moves = fs / j->spec->dram.refi / REFRESHES_OF_A_STEP;

    switch (t->kind) {
    case TASK_KERNEL: return moves + t->kernel.grid_steps;
    case TASK_GRID: return moves + t->grid.steps;
    case TASK_POOL: return moves + t->pool.steps;
    case TASK_COPY: return moves;
    case TASK_COLLECTIVE:
        for (uint32_t i = 0; i < t->collective.count; i++)
            moves += call_work(&p->call[t->collective.first + i]);
        return moves;
    default: return 0;
    }
}

static uint64_t most_work(const struct job *j)
{
    return j->q->allow.grid_steps ? j->q->allow.grid_steps : RUN_GRID_STEPS;
}

static int too_much(const struct job *j, struct err *err)
{
    return err_set(err, ERR_FIT,
                   "%s: a step on %s is more than %llu grid steps of all cores to simulate: is a "
                   "size or a repeat wrong? --allow grid-steps=N allows more",
                   trace_file(j->trace), j->spec->name, (unsigned long long)most_work(j));
}

/* [task] the work of one turn; free() it. */
static uint64_t *list_work(const struct job *j, const struct task_program *p)
{
    uint64_t *work = memory_zeroed(p->n_tasks, sizeof *work);

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        u128 w = task_work(j, p, &p->task[i], task_time(j, p, &p->task[i])) + 1;
        work[i] = w > UINT64_MAX ? UINT64_MAX : (uint64_t)w;
    }
    return work;
}

/* May turns of loops be left out?  Those who watch see all, and an exact replay has all. */
static bool can_cut(const struct job *j)
{
    return !j->q->exact && !j->q->n_observers && !j->q->alone;
}

/* True if the step has less work, at most `most`, with fewer turns of its loops. */
static bool is_cut_to(const struct job *j, const struct task_program *p, uint64_t most)
{
    struct turns t;

    if (!can_cut(j))
        return false;
    uint64_t *work = list_work(j, p);
    turns_plan(&t, p, work, most);
    free(work);
    bool fits = t.machine.once && t.walked <= most;
    turns_free(&t);
    return fits;
}

void job_cut_turns(struct job *j, uint32_t cores)
{
    uint64_t most = RUN_WALKED_STEPS / cores;
    bool alone = can_cut(j);

    for (size_t i = 0; i < j->n_steps; i++) {
        j->step[i].turns.machine.all = &j->step[i].program;
        alone &= turns_can_cut(&j->step[i].program);
    }
    for (size_t i = 0; i < j->n_steps && alone; i++) {
        struct job_step *s = &j->step[i];
        if (s->work <= most)
            continue;
        uint64_t *work = list_work(j, &s->program);
        turns_plan(&s->turns, &s->program, work, most);
        free(work);
        if (s->turns.machine.once)
            s->walked = s->turns.walked;
        j->cut |= s->turns.machine.once != NULL;
    }
}

int job_check_work(const struct job *j, uint32_t cores, struct err *err)
{
    for (size_t i = 0; i < j->n_steps; i++)
        if (j->step[i].walked > most_work(j) / cores)
            return too_much(j, err);
    return 0;
}

/* The node of each row, to be freed. */
static uint32_t *list_nodes(const struct step *step)
{
    uint32_t *node = memory_zeroed(step->n_nodes + 1, sizeof *node), n = 0;

    for (uint32_t i = 0; i < step->n_nodes; i++)
        if (step->node[i].kind != STEP_REPEAT && step->node[i].kind != STEP_END)
            node[n++] = i;
    return node;
}

static int refuse_hour(const struct job *j, const struct step *step, const struct step_node *n,
                       struct err *err)
{
    return err_set(err, ERR_FIT, "%s:%u: %s '%s' takes more than an hour on %s: is a size wrong?",
                   trace_file(j->trace), n->line, step_text(step, n->kind_text),
                   step_text(step, n->title), j->spec->name);
}

int job_check_time(const struct job *j, struct job_step *s, const struct step *step,
                   struct err *err)
{
    const struct task_program *p = &s->program;
    uint64_t turns[TASK_MAX_DEPTH + 1] = { 1 };
    uint32_t depth = 0, *node = list_nodes(step);
    u128 sum = 0, work = 0;

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *t = &p->task[i];
        if (t->kind == TASK_REPEAT) {
            turns[depth + 1] = turns[depth] * t->loop.trips;
            depth++;
            continue;
        }
        if (t->kind == TASK_END) {
            depth--;
            continue;
        }
        u128 fs = task_time(j, p, t);
        if (fs > HOUR_FS) {
            refuse_hour(j, step, &step->node[node[t->row]], err);
            free(node);
            return -1;
        }
        sum += fs * turns[depth];
        work += (task_work(j, p, t, fs) + 1) * turns[depth];
    }
    free(node);
    /* an operation takes at least a fifth of the sum of what it asks of five units */
    if (sum / 5 > MACHINE_LIMIT_FS)
        return err_set(err, ERR_FIT, "%s: a step takes more than %llu s on %s: is a repeat wrong?",
                       trace_file(j->trace), (unsigned long long)(MACHINE_LIMIT_FS / DES_FS_PER_S),
                       j->spec->name);
    if (work > most_work(j) && !is_cut_to(j, p, most_work(j)))
        return too_much(j, err);
    s->work = s->walked = work > UINT64_MAX ? UINT64_MAX : (uint64_t)work;
    return 0;
}
