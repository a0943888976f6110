#include "hw/program/core_show.h"

static const char async_doc[] = "operation that was started and is not yet waited for";
#define ASYNC_ROW(i)                                                                               \
    [CORE_SHOW_ASYNC + i] = SHOW_TRACK(TEXT, "async" #i, "Async XLA Ops", async_doc)
static const struct des_probe_row shows[] = {
    [CORE_SHOW_STEP] = SHOW_TRACK(SPAN, "step", "Steps", "number of the measured step, from 1"),
    [CORE_SHOW_MODULE] = SHOW_TRACK(TEXT, "module", "XLA Modules", "the program"),
    [CORE_SHOW_OP] = SHOW_TRACK(TEXT, "op", "XLA Ops", "operation at hand"),
    ASYNC_ROW(0),
    ASYNC_ROW(1),
    ASYNC_ROW(2),
    ASYNC_ROW(3),
    [CORE_SHOW_STATE] = SHOW_STATE("state", "what the core waits for"),
    [CORE_SHOW_GRID] = SHOW_ROW(NUMBER, "grid", NULL, "grid step of the operation, from 0"),
    [CORE_SHOW_AT_B] = SHOW_ROW(NUMBER, "tile_b", NULL, "block of the GEMM along b"),
    [CORE_SHOW_AT_M] = SHOW_ROW(NUMBER, "tile_m", NULL, "block of the GEMM along m"),
    [CORE_SHOW_AT_N] = SHOW_ROW(NUMBER, "tile_n", NULL, "block of the GEMM along n"),
    [CORE_SHOW_AT_K] = SHOW_ROW(NUMBER, "tile_k", NULL, "block of the GEMM along k"),
    [CORE_SHOW_WAITS] =
        SHOW_ROW(TEXT, "waits", NULL, "tensors whose tiles, or whose exchange, the core waits for"),
    [CORE_SHOW_MEMORY] = SHOW_ROW(LEVEL, "memory", "B", "bytes alive in HBM, of this core"),
    [CORE_SHOW_FLOW] = SHOW_TRACK(FLOW, "flow", "op", "what the operation causes or was caused by"),
};

void core_show_init(struct core_context *c, struct des *sim)
{
    c->show = SHOW_PROBES(sim, c->mod, shows);
}

void core_show_step(struct des *sim, const struct core_context *c, uint64_t step)
{
    des_show(sim, c->show, CORE_SHOW_STEP, step);
    des_show(sim, c->show, CORE_SHOW_MODULE, step ? c->cursor.program->text : 0);
    des_show(sim, c->show, CORE_SHOW_OP, 0);
    core_show_state(sim, c, SHOW_IDLE);
}

/* The number of the name of the task's operation among the texts. */
static uint32_t text_of_task(const struct core_context *c)
{
    return c->cursor.program->text + 1 + core_task(c)->row;
}

uint32_t core_show_reads(const struct core_context *c)
{
    return text_of_task(c) + c->cursor.program->n_rows;
}

uint32_t core_show_writes(const struct core_context *c)
{
    return text_of_task(c) + 2 * c->cursor.program->n_rows;
}

void core_show_wait(struct des *sim, const struct core_context *c, enum show_state state)
{
    uint32_t tensors = 0;

    switch (state) {
    case SHOW_READ:
    case SHOW_HOST: tensors = core_show_reads(c); break;
    case SHOW_WRITE:
    case SHOW_INFEED: tensors = core_show_writes(c); break;
    case SHOW_COLLECTIVE: /* its start has the tensors, its end what became of them */
        tensors = core_task(c)->async == TASK_DONE ? core_show_writes(c) : core_show_reads(c);
        break;
    default: break;
    }
    des_show(sim, c->show, CORE_SHOW_STATE, state);
    des_show(sim, c->show, CORE_SHOW_WAITS, tensors);
}

/* An asynchronous operation begins or ends with this task: on a track of its own. */
static void show_async(struct des *sim, struct core_context *c)
{
    const struct task *t = core_task(c);
    bool starts = t->async == TASK_START;
    uint32_t from = starts ? 0 : t->start + 1, to = starts ? c->cursor.pc + 1 : 0;

    for (uint32_t i = 0; i < CORE_ASYNC; i++)
        if (c->async[i] == from) {
            c->async[i] = to;
            des_show(sim, c->show, CORE_SHOW_ASYNC + i, to ? text_of_task(c) : 0);
            return;
        }
}

void core_show_task(struct des *sim, struct core_context *c)
{
    if (!des_shown(sim))
        return;
    if (core_task(c)->async == TASK_START)
        show_async(sim, c);
    des_show(sim, c->show, CORE_SHOW_OP, 0); /* one that follows itself ends before it begins */
    des_show(sim, c->show, CORE_SHOW_OP, text_of_task(c));
    if (c->cursor.program->live)
        des_show(sim, c->show, CORE_SHOW_MEMORY, c->cursor.program->live[core_task(c)->row]);
    core_show_state(sim, c, SHOW_LAUNCH);
}

void core_show_task_end(struct des *sim, struct core_context *c)
{
    if (des_shown(sim) && core_task(c)->async == TASK_DONE)
        show_async(sim, c);
}

void core_show_grid(struct des *sim, const struct core_context *c, uint64_t i)
{
    if (!des_shown(sim))
        return;
    des_show(sim, c->show, CORE_SHOW_GRID, i);
    if (core_task(c)->kind != TASK_KERNEL)
        return; /* a kernel of a GPU has its blocks side by side */
    struct task_gemm at = task_block_at(&core_task(c)->kernel, i);
    des_show(sim, c->show, CORE_SHOW_AT_B, at.b);
    des_show(sim, c->show, CORE_SHOW_AT_M, at.m);
    des_show(sim, c->show, CORE_SHOW_AT_N, at.n);
    des_show(sim, c->show, CORE_SHOW_AT_K, at.k);
}
