#include "run/job/memory_measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/spec/sizes.h"
#include "passes/narrow.h"
#include "passes/passes.h"
#include "run/result/memory_owner.h"

static const struct footprint_change changes[] = { { .remat = true },
                                                   { .bf16 = true },
                                                   { true, true } };
_Static_assert(sizeof changes / sizeof *changes == JOB_N_CHANGES, "job.h has room for each");

/* Bytes that the tasks of each node need while they run. */
static uint64_t *sum_workspaces(const struct step *step, const struct task_program *p)
{
    uint64_t *row = memory_zeroed((size_t)p->n_rows + 1, sizeof *row);
    uint64_t *node = memory_zeroed((size_t)step->n_nodes + 1, sizeof *node);
    uint32_t next = 0;

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *t = &p->task[i];
        if (t->kind != TASK_REPEAT && t->kind != TASK_END && t->workspace > row[t->row])
            row[t->row] = t->workspace;
    }
    for (uint32_t i = 0; i < step->n_nodes; i++)
        if (step->node[i].kind == STEP_OP)
            node[i] = row[next++];
    free(row);
    return node;
}

/* Copy the bytes alive at each node to the rows of its operations. */
static void note_live(struct job_step *s, const struct step *step, const uint64_t *live)
{
    uint32_t row = 0;

    s->live = memory_zeroed((size_t)s->program.n_rows + 1, sizeof *s->live);
    for (uint32_t i = 0; i < step->n_nodes; i++)
        if (step->node[i].kind == STEP_OP)
            s->live[row++] = live[i];
    s->program.live = s->live;
}

/* Measure stage `k` of a step.  A step without a pipeline has one stage, 0. */
static void measure_stage(struct job *j, const struct step *step, uint32_t k,
                          const uint64_t *workspace, uint64_t *live)
{
    struct footprint_core core = job_core(&j->cap);
    struct footprint m;

    footprint_of_stage(&m, step, &core, k, workspace, &(struct footprint_change){ 0 }, live);
    if (m.total > j->stage_peak[k])
        j->stage_peak[k] = m.total;
    if (j->peak_at && m.total <= j->memory.total)
        return;
    j->memory = m;
    j->peak_stage = k;
    free(j->peak_at);
    j->peak_at = memory_copy(step->n_nodes ? step_text(step, step->node[m.at].title) : "");
    memory_owner_free(&j->owners);
    memory_owner_find(&j->owners, &m, step, &core, k, j->compiled);
    for (int i = 0; i < JOB_N_CHANGES && !j->compiled; i++)
        footprint_of_stage(&j->changed[i], step, &core, k, workspace, &changes[i], NULL);
}

void job_measure(struct job *j, const struct step *step, struct job_step *s)
{
    uint64_t *workspace = sum_workspaces(step, &s->program);
    uint64_t *live = memory_zeroed((size_t)step->n_nodes + 1, sizeof *live);

    for (uint32_t k = 0; k < j->stages; k++)
        measure_stage(j, step, k, workspace, live);
    note_live(s, step, live);
    free(live);
    free(workspace);
}

void job_measure_switched(struct job *j, struct step *step)
{
    struct footprint_core core = job_core(&j->cap);
    struct task_program program;
    struct footprint m;
    struct err err;

    if (!step->head.activations)
        return;
    narrow_undo(step);
    passes_prepare(step, &(struct passes_machine){ .narrow = !j->cap.xla.narrow_activations });
    if (lower_step(&program, step, &j->cap, trace_file(j->trace), &err) != 0)
        return; /* the other value is of no use to anybody */
    uint64_t *workspace = sum_workspaces(step, &program);
    for (uint32_t k = 0; k < j->stages; k++) {
        footprint_of_stage(&m, step, &core, k, workspace, &(struct footprint_change){ 0 }, NULL);
        if (m.total > j->switched.total)
            j->switched = m;
    }
    free(workspace);
    lower_free(&program);
}

void job_share(struct job *j, const struct step *step)
{
    struct footprint_core core = job_core(&j->cap);
    struct footprint_less less = footprint_shares(step, &core);

    footprint_lessen(&j->memory, &less);
    if (j->switched.total)
        footprint_lessen(&j->switched, &less);
    for (int i = 0; i < JOB_N_CHANGES && !j->compiled; i++)
        footprint_lessen(&j->changed[i], &less);
    for (size_t s = 0; s < j->n_steps; s++)
        for (uint32_t r = 0; r < j->step[s].program.n_rows; r++)
            j->step[s].live[r] -= less.bytes;
}

struct footprint_core job_core(const struct cap *cap)
{
    return (struct footprint_core){ .tiling = { cap->lanes, cap->sublanes },
                                    .replicas = cap->replicas,
                                    .process = cap->process.bytes,
                                    .granule = cap->process.granule };
}
