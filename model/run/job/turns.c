#include "run/job/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"

/* Turns of a loop of `all` in the first and in the second run. */
struct cut {
    uint64_t once, twice;
};

static bool is_cut(uint64_t all, uint64_t q)
{
    return all > q && all > 2;
}

static struct cut cut_loop(uint64_t all, uint64_t q)
{
    uint64_t more = all / (q + 1), once = all - q * more;

    return (struct cut){ once, once + more };
}

/* Work of both runs, at most UINT64_MAX. */
static uint64_t count_work(const struct task_program *p, const uint64_t *work, uint64_t q)
{
    u128 turns[TASK_MAX_DEPTH + 1] = { 2 }, sum = 0;
    uint32_t depth = 0, cut = 0; /* at which depth the loop began that is cut */

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *t = &p->task[i];
        if (t->kind == TASK_REPEAT) {
            uint64_t all = t->loop.trips;
            depth++;
            turns[depth] = turns[depth - 1] * all;
            if (!cut && is_cut(all, q)) {
                struct cut c = cut_loop(all, q);
                cut = depth;
                turns[depth] = turns[depth - 1] / 2 * ((u128)c.once + c.twice);
            }
            turns[depth] = turns[depth] > UINT64_MAX ? UINT64_MAX : turns[depth];
        } else if (t->kind == TASK_END) {
            cut = cut == depth ? 0 : cut;
            depth--;
        } else {
            sum += turns[depth] * work[i];
            sum = sum > UINT64_MAX ? UINT64_MAX : sum;
        }
    }
    return (uint64_t)sum;
}

bool turns_can_cut(const struct task_program *p)
{
    for (uint32_t i = 0; i < p->n_tasks; i++)
        switch (p->task[i].kind) {
        case TASK_INFEED:
        case TASK_OUTFEED:
        case TASK_HOST:
        case TASK_SEND:
        case TASK_RECEIVE: return false;
        default: break;
        }
    return p->stages <= 1;
}

#define MOST_LOOPS 16 /* loops of different length whose divisions are tried */

/* Lengths of the loops, each once; returns how many. */
static uint32_t list_lengths(const struct task_program *p, uint64_t *length)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_tasks && n < MOST_LOOPS; i++) {
        uint32_t k = 0;
        if (p->task[i].kind != TASK_REPEAT)
            continue;
        while (k < n && length[k] != p->task[i].loop.trips)
            k++;
        length[k] = p->task[i].loop.trips;
        n += k == n;
    }
    return n;
}

/* The best q: of those that some loop is divided by with little rest. */
static uint64_t choose_times(const struct task_program *p, const uint64_t *work, uint64_t most,
                             uint64_t *least)
{
    uint64_t length[MOST_LOOPS], best = 0;
    uint32_t n = list_lengths(p, length);

    *least = UINT64_MAX;
    for (uint32_t l = 0; l < n; l++)
        for (uint64_t more = 1; length[l] / more > 2; more += 1 + more / 2) {
            uint64_t q = length[l] / more - 1, sum = count_work(p, work, q);
            bool fits = sum <= most, fitted = *least <= most;
            if (fits == fitted ? (fits ? q >= best : sum >= *least) : fitted)
                continue;
            *least = sum;
            best = q;
        }
    return best;
}

/* Cut the loops of both programs, and mark the rows in them. */
static void cut_loops(struct turns *t, const struct task_program *p, uint64_t q)
{
    uint32_t depth = 0, cut = 0;

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *x = &p->task[i];
        if (x->kind == TASK_REPEAT) {
            depth++;
            if (!cut && is_cut(x->loop.trips, q)) {
                struct cut c = cut_loop(x->loop.trips, q);
                cut = depth;
                t->once.task[i].loop.trips = c.once;
                t->twice.task[i].loop.trips = c.twice;
            }
        } else if (x->kind == TASK_END) {
            cut = cut == depth ? 0 : cut;
            depth--;
        } else if (cut) {
            t->turned[x->row] = true;
        }
    }
}

static void note_modes(struct turns *t, const struct task_program *p)
{
    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *x = &p->task[i];
        if (x->kind == TASK_KERNEL && x->kernel.mode.more_rows)
            t->more_rows[x->row] = x->kernel.mode.more_rows;
    }
}

static struct task_program copy_program(const struct task_program *p)
{
    struct task_program c = *p;

    c.task = memory_zeroed(p->n_tasks, sizeof *c.task);
    memcpy(c.task, p->task, p->n_tasks * sizeof *c.task);
    return c;
}

void turns_plan(struct turns *t, const struct task_program *p, const uint64_t *work, uint64_t most)
{
    uint64_t whole = count_work(p, work, UINT64_MAX) / 2, least = UINT64_MAX, q = 0;

    *t = (struct turns){ .machine.all = p, .walked = whole };
    if (whole > most && turns_can_cut(p))
        q = choose_times(p, work, most, &least);
    if (least > whole / 4)
        return;
    t->once = copy_program(p);
    t->twice = copy_program(p);
    t->turned = memory_zeroed(p->n_rows, sizeof *t->turned);
    t->more_rows = memory_zeroed(p->n_rows, sizeof *t->more_rows);
    cut_loops(t, p, q);
    note_modes(t, p);
    t->machine = (struct machine_turns){ p, &t->once, &t->twice, q, t->turned, t->more_rows };
    t->walked = least;
}

void turns_free(struct turns *t)
{
    free(t->once.task);
    free(t->twice.task);
    free(t->turned);
    free(t->more_rows);
    *t = (struct turns){ 0 };
}
