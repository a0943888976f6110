/* What the sequencer shows of itself. */
#include "hw/core/sequencer_show.h"

enum {
    STEP,
    MODULE,
    OP,
    ASYNC,
    STATE = ASYNC + SEQUENCER_ASYNC,
    GRID,
    AT_B,
    AT_M,
    AT_N,
    AT_K,
    MEMORY,
    FLOW
};

static const char async_doc[] = "operation that was started and is not yet waited for";
#define ASYNC_ROW(i) [ASYNC + i] = SHOW_TRACK(TEXT, "async" #i, "Async XLA Ops", async_doc)
static const struct des_probe_row shows[] = {
    [STEP] = SHOW_TRACK(SPAN, "step", "Steps", "number of the measured step, from 1"),
    [MODULE] = SHOW_TRACK(TEXT, "module", "XLA Modules", "the program"),
    [OP] = SHOW_TRACK(TEXT, "op", "XLA Ops", "operation at hand"),
    ASYNC_ROW(0),
    ASYNC_ROW(1),
    ASYNC_ROW(2),
    ASYNC_ROW(3),
    [STATE] = SHOW_STATE("state", "what the core waits for"),
    [GRID] = SHOW_ROW(NUMBER, "grid", NULL, "grid step of the operation, from 0"),
    [AT_B] = SHOW_ROW(NUMBER, "tile_b", NULL, "block of the GEMM along b"),
    [AT_M] = SHOW_ROW(NUMBER, "tile_m", NULL, "block of the GEMM along m"),
    [AT_N] = SHOW_ROW(NUMBER, "tile_n", NULL, "block of the GEMM along n"),
    [AT_K] = SHOW_ROW(NUMBER, "tile_k", NULL, "block of the GEMM along k"),
    [MEMORY] = SHOW_ROW(LEVEL, "memory", "B", "bytes alive in HBM, of this core"),
    [FLOW] = SHOW_TRACK(FLOW, "flow", "op", "what the operation causes or was caused by"),
};

void sequencer_show(struct des *sim, const struct sequencer *s, enum show_state state)
{
    des_show(sim, s->show, STATE, state);
}

/* A thread of an asynchronous operation begins or ends at this task. */
static void show_async(struct des *sim, struct sequencer *s)
{
    const struct task *t = &s->program->task[s->pc];
    bool starts = t->async == TASK_START;
    uint32_t from = starts ? 0 : t->start + 1, to = starts ? s->pc + 1 : 0;

    for (uint32_t i = 0; i < SEQUENCER_ASYNC; i++)
        if (s->async[i] == from) {
            s->async[i] = to;
            des_show(sim, s->show, ASYNC + i, to ? s->program->text + 1 + t->row : 0);
            return;
        }
}

/* A task begins; 0 first, so that who watches sees one end where it follows itself. */
void sequencer_show_task(struct des *sim, struct sequencer *s)
{
    const struct task *t = &s->program->task[s->pc];

    if (!des_shown(sim))
        return;
    if (t->async == TASK_START)
        show_async(sim, s);
    des_show(sim, s->show, OP, 0);
    des_show(sim, s->show, OP, s->program->text + 1 + t->row);
    if (s->program->live)
        des_show(sim, s->show, MEMORY, s->program->live[t->row]);
    sequencer_show(sim, s, SHOW_LAUNCH);
}

void sequencer_show_task_end(struct des *sim, struct sequencer *s)
{
    if (des_shown(sim) && s->program->task[s->pc].async == TASK_DONE)
        show_async(sim, s);
}

void sequencer_show_grid(struct des *sim, const struct sequencer *s)
{
    if (!des_shown(sim))
        return;
    struct task_gemm at = task_block_at(s->walk.kernel, s->i);
    des_show(sim, s->show, GRID, s->i);
    des_show(sim, s->show, AT_B, at.b);
    des_show(sim, s->show, AT_M, at.m);
    des_show(sim, s->show, AT_N, at.n);
    des_show(sim, s->show, AT_K, at.k);
}

void sequencer_show_step(struct des *sim, struct sequencer *s, bool begins)
{
    des_show(sim, s->show, STEP, begins ? s->token.step : 0);
    des_show(sim, s->show, MODULE, begins ? s->program->text : 0);
    des_show(sim, s->show, OP, 0);
    sequencer_show(sim, s, SHOW_IDLE);
}

void sequencer_show_flow(struct des *sim, const struct sequencer *s, uint64_t flow)
{
    des_show(sim, s->show, FLOW, flow);
}

void sequencer_show_init(struct sequencer *s, struct des *sim)
{
    s->show = SHOW_PROBES(sim, s->mod, shows);
}
