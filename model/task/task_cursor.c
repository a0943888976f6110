#include "task/task_cursor.h"

void task_cursor_begin(struct task_cursor *c)
{
    c->pc = UINT32_MAX; /* the next one is 0 */
    c->depth = 0;
    c->passed = 0;
    c->task = NULL;
}

static uint64_t count_steps(const struct task *t)
{
    return t->kind == TASK_KERNEL ? t->kernel.grid_steps
           : t->kind == TASK_GRID ? t->grid.steps
           : t->kind == TASK_POOL ? t->pool.steps
                                  : 1;
}

static bool is_elsewhere(const struct task_cursor *c, const struct task *t)
{
    return c->program->stages > 1 && t->stage != TASK_ALL_STAGES && t->stage != c->stage;
}

bool task_cursor_next(struct task_cursor *c)
{
    const struct task_program *p = c->program;

    if (c->task)
        c->passed += count_steps(c->task);
    c->task = NULL;
    for (uint32_t pc = c->pc + 1; pc < p->n_tasks; pc++) {
        const struct task *t = &p->task[pc];
        if (t->kind == TASK_REPEAT) {
            c->left[c->depth++] = t->loop.trips;
        } else if (t->kind == TASK_END) {
            if (--c->left[c->depth - 1])
                pc = t->loop.begin;
            else
                c->depth--;
        } else if (!is_elsewhere(c, t)) {
            c->pc = pc;
            c->task = t;
            return true;
        }
    }
    return false;
}

uint64_t task_cursor_length(const struct task_cursor *c)
{
    const struct task_program *p = c->program;
    uint64_t all = 0, trips[TASK_MAX_DEPTH + 1] = { 1 };
    uint32_t depth = 0;

    for (uint32_t pc = 0; pc < p->n_tasks; pc++) {
        const struct task *t = &p->task[pc];
        if (t->kind == TASK_REPEAT) {
            trips[depth + 1] = trips[depth] * t->loop.trips;
            depth++;
        } else if (t->kind == TASK_END) {
            depth--;
        } else if (!is_elsewhere(c, t)) {
            all += trips[depth] * count_steps(t);
        }
    }
    return all;
}
