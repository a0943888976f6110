/* A step that strains the matrix units: how many of the multiply-accumulates that the matrix
 * units could do in the time of its kernels switch, that is belong to the products themselves and
 * not to padding.  A kernel takes as long as its matrix units, its vector work or its bytes,
 * whichever is longest, and its control. Nothing is simulated, so the rate is known before the
 * machine is built. */
#include "base/units.h"
#include "run/job/job.h"

/* Cycles of the core, of one kernel or several. */
struct strain {
    u128 useful; /* if all matrix units did nothing else */
    u128 whole;
};

static u128 cycles_of_bytes(const struct job *j, const struct task_kernel *k)
{
    const struct task_grid_step *all = &k->all;
    u128 bytes = (u128)all->in.bytes + all->out.bytes + k->resident_in + k->resident_out;

    bytes += (u128)all->in.rows * all->in.row_bytes + (u128)all->out.rows * all->out.row_bytes;
    return j->cap.hbm_bytes_per_s ? bytes * j->cap.core_hz / j->cap.hbm_bytes_per_s : 0;
}

u128 job_product_cycles(const struct job *j, const struct task_kernel *k)
{
    const struct cap *cap = &j->cap;
    struct task_gemm block = { k->block.b, k->block.m, k->block.k, k->block.n, 0 };
    struct task_gemm part = task_largest(&block, &k->parts, cap->mxu_row_granule, cap->mxu.size);

    return (u128)k->grid_steps *
           task_stream_cycles(&part, cap->mxu_row_granule, &cap->mxu, &k->mode) * PPB_PER_ONE /
           cap->mxu_issue;
}

/* The cost of beginning and ending a kernel, and of its grid steps. */
static u128 cycles_of_control(const struct job *j, const struct task_kernel *k)
{
    return j->cap.op_cycles + des_edge_index(j->spec->core.kernel_gap, j->cap.core_hz) +
           k->extra_cycles + (u128)k->grid_steps * (j->cap.step_cycles + k->joined_cycles);
}

static struct strain strain_kernel(const struct job *j, const struct task_kernel *k)
{
    const struct array *a = &j->cap.mxu;
    u128 each = (u128)a->size * a->size * a->rows_per_cycle * j->cap.mxu_count;
    u128 longest = vpu_slots(&j->spec->vpu, k->all.vpu) / j->cap.vector_alus;
    struct strain s = { 0 };

    if (k->all.gemm.b) {
        u128 products = job_product_cycles(j, k);
        longest = products > longest ? products : longest;
        s.useful = k->all.gemm.useful / (each * (1 + k->mode.more_rows));
    }
    u128 bytes = cycles_of_bytes(j, k);
    s.whole = (bytes > longest ? bytes : longest) + cycles_of_control(j, k);
    return s;
}

static void strain_program(const struct job *j, const struct task_program *p, struct strain *sum)
{
    uint64_t turns[TASK_MAX_DEPTH + 1] = { 1 };
    uint32_t depth = 0;

    for (uint32_t i = 0; i < p->n_tasks; i++) {
        const struct task *t = &p->task[i];
        if (t->kind == TASK_REPEAT) {
            turns[depth + 1] = turns[depth] * t->loop.trips;
            depth++;
        } else if (t->kind == TASK_END) {
            depth--;
        } else if (t->kind == TASK_SCALAR) {
            sum->whole += (u128)t->scalar.cycles * turns[depth];
        } else if (t->kind == TASK_KERNEL) {
            struct strain s = strain_kernel(j, &t->kernel);
            sum->useful += s.useful * turns[depth];
            sum->whole += s.whole * turns[depth];
        }
    }
}

void job_strain(struct job *j)
{
    struct mxu_params *mxu = &j->running.mxu;
    struct strain sum = { 0 };

    j->running = *j->spec;
    if (j->q->alone || j->spec->kind != CHIP_TPU || mxu->sustained == PPB_PER_ONE)
        return;
    for (size_t i = 0; i < j->n_steps; i++)
        strain_program(j, &j->step[i].program, &sum);
    if (sum.useful * PPB_PER_ONE > sum.whole * mxu->strained)
        mxu->issue = (uint64_t)((u128)mxu->issue * mxu->sustained / PPB_PER_ONE);
}
