#include "run/job/between.h"

#include "base/memory.h"
#include "machine/spec/pace.h"

/* The host's own start of a program or of a training loop has a time of its own. */
static bool is_host_start(const struct task *t)
{
    return t->kind == TASK_HOST && (t->host.launch || t->host.restart);
}

static bool is_program(const struct task_program *p)
{
    bool kernels = false;

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        if (is_host_start(&p->task[i]))
            return false;
        kernels |= p->task[i].kind == TASK_KERNEL;
    }
    return kernels;
}

bool between_add(struct job *j, struct job_step *s)
{
    struct task_program *p = &s->program;
    uint64_t cycles = des_edge_index(j->spec->core.program_time, j->cap.core_hz);
    uint32_t room = p->n_tasks;

    if (j->spec->kind != CHIP_TPU || j->cap.alone || cycles == 0 || !is_program(p))
        return false;
    MEMORY_GROW(p->task, p->n_tasks + 1, room);
    p->task[p->n_tasks++] = (struct task){
        .kind = TASK_SCALAR, .row = p->n_rows, .stage = TASK_ALL_STAGES, .scalar.cycles = cycles
    };
    return true;
}

void between_describe(struct job *j, struct job_step *s)
{
    struct job_row *last = &s->row[s->program.n_rows - 1], *r = last + 1; /* there is room */

    r->name = texts_keep(&j->texts, "next program");
    r->phase = texts_keep(&j->texts, last->phase);
    r->kind = texts_keep(&j->texts, BETWEEN_KIND);
    r->signature = texts_keep(&j->texts, BETWEEN_KIND);
    r->note =
        (struct account_note){ .kind = texts_keep(&j->texts, BETWEEN_KIND),
                               .measured = !pace_is_unverified(j->spec, "core", "program_time") };
    for (int written = 0; written < 2 && j->q->n_observers; written++)
        r->tensors[written] = texts_keep(&j->texts, "");
    mpz_inits(r->flops, r->gemm, r->hbm_bytes, NULL);
    s->live[s->program.n_rows++] = 0;
}
