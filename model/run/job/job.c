#include "run/job/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "kernels/common/work.h"
#include "passes/passes.h"
#include "run/job/between.h"
#include "run/job/kernel_kind.h"
#include "run/job/layer_group.h"
#include "run/job/memory_measure.h"
#include "run/result/memory_owner.h"
#include "run/result/op_flow.h"
#include "run/result/padding.h"
#include "run/result/words.h"
#include "step/signature.h"

/* Speed of its products, that of 16-bit ones = 1. */
static uint32_t rate_of_products(const struct task *t)
{
    if (t->kind == TASK_KERNEL)
        return 1 + t->kernel.mode.more_rows;
    return t->kind == TASK_GRID && t->grid.product_rate > 1 ? t->grid.product_rate : 1;
}

/* Executions of each report row in one step, the product of the loops around it, and its rate. */
static void count_rows(struct job_step *s)
{
    uint64_t turns[TASK_MAX_DEPTH + 1] = { 1 };
    uint32_t depth = 0;

    for (uint32_t i = 0; i < s->program.n_tasks; i++) {
        const struct task *t = &s->program.task[i];
        if (t->kind == TASK_REPEAT) {
            turns[depth + 1] = turns[depth] * t->loop.trips;
            depth++;
        } else if (t->kind == TASK_END) {
            depth--;
        } else {
            s->row[t->row].count = turns[depth];
            if (t->retiled)
                s->row[t->row].retiled = t->retiled;
            s->row[t->row].rate = rate_of_products(t);
        }
    }
}

static void add_bytes(mpz_t sum, const struct task_move *m, uint64_t times)
{
    EXACT_Z(b);
    exact_addmul(b, m->rows, m->row_bytes);
    exact_addmul(b, m->bytes, 1);
    mpz_mul_ui(b, b, times);
    mpz_add(sum, sum, b);
}

/* HBM traffic of what goes on beside kernels: it belongs to its start. */
static void count_beside(struct job_step *s, const struct task *t)
{
    struct job_row *r = &s->row[t->row];

    if (t->async == TASK_DONE)
        return;
    if (t->kind == TASK_SPARSE) {
        add_bytes(r->hbm_bytes, &t->sparse.in, r->count);
        add_bytes(r->hbm_bytes, &t->sparse.out, r->count);
        return;
    }
    exact_addmul(r->hbm_bytes, t->copy.in, r->count);
    exact_addmul(r->hbm_bytes, t->copy.out, r->count);
}

/* HBM traffic and matrix work of each row. */
static void count_work(struct job_step *s)
{
    for (uint32_t i = 0; i < s->program.n_tasks; i++) {
        const struct task *t = &s->program.task[i];
        if (t->kind == TASK_COPY || t->kind == TASK_SPARSE)
            count_beside(s, t);
        struct job_row *r = &s->row[t->row];
        if (t->kind == TASK_GRID) {
            r->tensor |= t->grid.cycles[GRID_TENSOR] > 0;
            exact_addmul(r->gemm, 2 * r->count, t->grid.useful);
            exact_addmul(r->hbm_bytes, t->grid.in.hbm + t->grid.out.hbm, r->count);
        }
        if (t->kind == TASK_POOL) {
            exact_addmul(r->gemm, 2 * r->count, t->pool.useful);
            exact_addmul(r->hbm_bytes, t->pool.read + t->pool.written, r->count);
        }
        if (t->kind != TASK_KERNEL)
            continue;
        const struct task_gemm *gemm = &t->kernel.all.gemm;
        if (gemm->b && (!r->product || gemm->useful > r->product->all.gemm.useful))
            r->product = &t->kernel;
        exact_addmul(r->gemm, 2 * r->count, gemm->useful);
        add_bytes(r->hbm_bytes, &t->kernel.all.in, r->count);
        add_bytes(r->hbm_bytes, &t->kernel.all.out, r->count);
        exact_addmul(r->hbm_bytes, t->kernel.resident_in + t->kernel.resident_out, r->count);
    }
}

static char *write_signature(const struct step *step, const struct step_node *n)
{
    struct memory_text t;

    memory_text_begin(&t);
    signature_write(step, n, t.out);
    return memory_text_end(&t);
}

/* "x, w": the tensors that cross the border of a node inwards or outwards, each once; to be freed.
 * listed[v] is the number of the last list that names value v; this list has the number `list`. */
static char *name_tensors(const struct step *step, const struct step_node *n, bool written,
                          uint32_t *listed, uint32_t list)
{
    struct memory_text text;
    bool first = true;

    memory_text_begin(&text);
    for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++) {
        const struct step_op *op = &step->op[k];
        uint32_t all = written ? op->n_out : step_n_operands(op);
        for (uint32_t i = 0; i < all; i++) {
            uint32_t v = written ? step_result(step, op, i) : step_operand(step, op, i);
            uint32_t by = step->value[v].op;
            bool inside = by != STEP_NONE && by >= n->first_op && by < n->first_op + n->n_ops;
            if (step->value[v].on_chip || (inside && !written) || listed[v] == list)
                continue;
            listed[v] = list;
            fprintf(text.out, "%s%s", first ? "" : ", ", step_name(step, v));
            first = false;
        }
    }
    return memory_text_end(&text);
}

/* The source of the first operation of a node, and the compiler's estimates of all of them. */
static void note_origin(struct job *j, struct job_row *r, const struct step *step,
                        const struct step_node *n)
{
    const struct step_op *first = &step->op[n->first_op];

    r->scope = texts_keep(&j->texts, step_optional(step, first->scope));
    r->source = texts_keep(&j->texts, step_optional(step, first->source));
    for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++) {
        const struct trace_compiled *c = step->op[k].op.compiled;
        r->estimate += c ? c->estimate : 0;
    }
}

/* A kernel of which nothing is stated but what it reads and writes. */
static bool is_unread(const struct trace_op *op)
{
    const struct trace_compiled *c = op->compiled;

    return c && c->form == TRACE_FORM_CUSTOM && !trace_has_product(c) && op->async != TRACE_DONE &&
           op->work.call_fs == 0 && op->flops == 0 && op->basis == 0;
}

/* The basis of an operation, and of what a done waits for. */
static uint32_t basis_of(const struct step *step, const struct step_op *op)
{
    uint32_t basis = op->op.basis | (is_unread(&op->op) ? TRACE_BASIS_BIT(UNREAD) : 0);

    for (uint32_t i = 0; i < op->n_in && op->op.async == TRACE_DONE; i++) {
        uint32_t by = step->value[step_operand(step, op, i)].op;
        basis |= by == STEP_NONE ? 0 : step->op[by].op.basis;
    }
    return basis;
}

/* Elements of the operands and results of an operation of which work is left out. */
static uint64_t count_met(const struct step *step, const struct step_op *op)
{
    uint64_t sum = 0;

    if (op->op.kind != TRACE_UNKNOWN &&
        !(basis_of(step, op) &
          (TRACE_BASIS_BIT(UNREAD) | TRACE_BASIS_BIT(ABSENT) | TRACE_BASIS_BIT(PARTIAL))))
        return 0;
    for (uint32_t i = 0; i < step_n_operands(op); i++)
        sum += trace_elements(&step->value[step_operand(step, op, i)].shape);
    for (uint32_t i = 0; i < op->n_out; i++)
        sum += trace_elements(&step->value[step_result(step, op, i)].shape);
    return sum;
}

/* Note the kind of a node and the reasons to doubt its time. */
static void note_basis(struct job *j, struct job_row *r, const struct step *step,
                       const struct step_node *n)
{
    char kind[KERNEL_KIND_MAX];

    const struct kernel_place place = { .far = j->spec->dcn.slices > 1,
                                        .passes = j->spec->kind == CHIP_TPU,
                                        .tensor = r->tensor };
    kernel_kind_of(kind, step, n, &place);
    r->note = (struct account_note){ .kind = texts_keep(&j->texts, kind),
                                     .measured = account_kinds_have(&j->kinds, kind) };
    for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++) {
        const struct step_op *op = &step->op[k];
        r->note.basis |= basis_of(step, op);
        r->note.met += count_met(step, op);
        r->note.unknown |= op->op.kind == TRACE_UNKNOWN;
        r->note.on_core |=
            op->op.compiled && op->op.compiled->unit == TRACE_ON_SPARSECORE && !j->cap.sparsecores;
    }
}

static void describe_rows(struct job *j, struct job_step *s, const struct step *step)
{
    uint32_t *padded = memory_zeroed(step->n_nodes, sizeof *padded), row = 0;
    uint32_t *listed = memory_zeroed((size_t)step->n_values + 1, sizeof *listed), list = 0;

    padding_of_nodes(step, padded);
    s->row = memory_zeroed(s->program.n_rows + 1, sizeof *s->row);
    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        if (n->kind != STEP_OP)
            continue;
        struct job_row *r = &s->row[row++];
        r->name = texts_keep(&j->texts, step_text(step, n->title));
        r->phase = texts_keep(&j->texts, step_phase_name(step, n));
        r->kind = texts_keep(&j->texts, step_text(step, n->kind_text));
        r->signature = j->q->unsigned_rows ? "" : texts_take(&j->texts, write_signature(step, n));
        note_origin(j, r, step, n);
        r->padding = padded[i];
        for (int written = 0; written < 2 && j->q->n_observers; written++)
            r->tensors[written] =
                texts_take(&j->texts, name_tensors(step, n, written, listed, ++list));
        mpz_inits(r->flops, r->gemm, r->hbm_bytes, NULL);
    }
    free(padded);
    free(listed);
    count_rows(s);
    count_work(s);
    row = 0;
    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        if (n->kind != STEP_OP)
            continue;
        struct job_row *r = &s->row[row++];
        for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++)
            exact_addmul(r->flops, step->op[k].op.flops, r->count);
        r->staged = n->stage != TRACE_NO_STAGE;
        note_basis(j, r, step, n);
    }
}

/* The tensors that a row reads or writes; the other way where there are none, as an all-reduce in
 * place has no results. */
static const char *text_of_tensors(const struct job_row *r, bool written)
{
    for (int other = 0; other < 2 && r->tensors[written]; other++)
        if (*r->tensors[written != other])
            return r->tensors[written != other];
    return r->name;
}

/* Number the texts of timelines: 0 is none. */
static void list_texts(struct job *j)
{
    uint32_t n = 1;

    for (size_t i = 0; i < j->n_steps; i++)
        n += 1 + 3 * j->step[i].program.n_rows;
    j->text = memory_zeroed(n, sizeof *j->text);
    j->text[0] = "";
    j->n_text = 1;
    for (size_t i = 0; i < j->n_steps; i++) {
        struct job_step *s = &j->step[i];
        s->program.text = j->n_text;
        j->text[j->n_text++] = trace_head(j->trace)->workload;
        for (uint32_t r = 0; r < s->program.n_rows; r++)
            j->text[j->n_text++] = s->row[r].name;
        for (int written = 0; written < 2; written++)
            for (uint32_t r = 0; r < s->program.n_rows; r++)
                j->text[j->n_text++] = text_of_tensors(&s->row[r], written);
    }
}

struct placement_room job_room(const struct cap *cap)
{
    bool common = cap->cmem_bytes > 0;
    uint64_t all = common ? cap->cmem_bytes : cap->halves * cap->vmem_bytes;

    return (struct placement_room){ .bytes =
                                        cap->xla.place_bytes < all ? cap->xla.place_bytes : all,
                                    .space = common ? TRACE_IN_CMEM : TRACE_IN_VMEM,
                                    .tiling = { cap->lanes, cap->sublanes },
                                    .replicas = cap->replicas };
}

static int add_step(struct job *j, struct step *step, struct err *err)
{
    MEMORY_ADD(j->step, j->n_steps);
    struct job_step *s = &j->step[j->n_steps];
    *s = (struct job_step){ 0 };
    passes_prepare(step, &(struct passes_machine){ .join = j->cap.xla.join_operands,
                                                   .narrow = j->cap.xla.narrow_activations,
                                                   .room = job_room(&j->cap) });
    if (lower_step(&s->program, step, &j->cap, trace_file(j->trace), err) != 0)
        return -1;
    if (job_check_time(j, s, step, err) != 0) {
        lower_free(&s->program);
        return -1;
    }
    bool ends = between_add(j, s);
    describe_rows(j, s, step);
    if (!j->q->brief)
        op_flow_find(&s->flow, &j->texts, step);
    s->every = step->every;
    j->n_steps++;
    j->n_between += s->every > 0;
    job_measure(j, step, s);
    if (ends)
        between_describe(j, s);
    if (!j->q->brief && j->spec->kind == CHIP_TPU) /* no other kind has that switch */
        job_measure_switched(j, step);
    return 0;
}

bool job_is_fed(const struct job *j)
{
    for (size_t i = 0; i < j->n_steps; i++)
        for (uint32_t k = 0; k < j->step[i].program.n_tasks; k++) {
            enum task_kind kind = j->step[i].program.task[k].kind;
            if (kind == TASK_INFEED || kind == TASK_OUTFEED || kind == TASK_HOST)
                return true;
        }
    return false;
}

bool job_is_unfed(const struct job *j)
{
    return j->compiled && !job_is_fed(j);
}

/* A trace that was cut for so many cores runs on a slice of so many. */
static int check_cores(const struct job *j, struct err *err)
{
    const struct trace_header *h = trace_head(j->trace);
    uint64_t cores = spec_cores(j->spec);
    const char *core = words_of_chip(spec_kind_name[j->spec->kind])->core;

    if (h->cores && h->cores != cores)
        return err_set(err, ERR_FIT,
                       "%s: written for %llu %s%s, %s has %llu; cut it anew (cyclotron trace "
                       "shard --help)",
                       trace_file(j->trace), (unsigned long long)h->cores, core,
                       h->cores == 1 ? "" : "s", j->spec->name, (unsigned long long)cores);
    if (cores % h->stages)
        return err_set(err, ERR_FIT, "%s: %llu stages, %s has %llu %s%s", trace_file(j->trace),
                       (unsigned long long)h->stages, j->spec->name, (unsigned long long)cores,
                       core, cores == 1 ? "" : "s");
    if (cores % h->shared)
        return err_set(err, ERR_FIT, "%s: %llu %ss share a step, %s has %llu", trace_file(j->trace),
                       (unsigned long long)h->shared, core, j->spec->name,
                       (unsigned long long)cores);
    return 0;
}

/* Tell lowering what a compiled program was compiled for. */
static void set_program(struct job *j)
{
    const struct trace_program *p = &trace_head(j->trace)->program;
    struct machine_spec *spec;
    struct err err;

    j->cap.retile = j->q->retile;
    if (!p->given || !*p->machine || spec_load(&spec, p->machine, NULL, 0, &err) != 0)
        return; /* it was for a machine of a file of its own */
    j->cap.stated_array = spec->mxu.size;
    spec_free(spec);
}

/* Read and lower the trace from its header on, or close the job. */
static int read_trace(struct job *j, struct err *err)
{
    struct step step;

    step_init(&step);
    int rc = step_read_tensors(&step, j->trace, err);
    if (rc == 0 && !lower_multiplies(trace_head(j->trace)->matmul))
        rc = err_set(err, ERR_FIT,
                     "%s: dtype matmul=%s: no matrix unit multiplies that; expected bf16, f32 (in "
                     "bf16 parts), s8, u8, f8e4m3fn or f8e5m2",
                     trace_file(j->trace), trace_dtype_name[trace_head(j->trace)->matmul]);
    if (rc == 0)
        rc = check_cores(j, err);
    set_program(j);
    if (rc == 0) { /* there are no more stages than cores: check_cores */
        j->stages = (uint32_t)trace_head(j->trace)->stages;
        j->stage_peak = memory_zeroed(j->stages, sizeof *j->stage_peak);
    }
    while (rc == 0) {
        int more = step_read_next(&step, j->trace, err);
        if (more <= 0) {
            rc = more;
            break;
        }
        rc = add_step(j, &step, err);
    }
    if (rc == 0)
        job_share(j, &step);
    step_free(&step);
    return rc;
}

int job_open(struct job *j, const struct run_request *q, struct err *err)
{
    *j = (struct job){ .q = q };
    if (!q->spec && spec_load(&j->loaded, q->machine, q->set, q->n_set, err) != 0)
        return -1;
    j->spec = q->spec ? q->spec : j->loaded;
    spec_cap(j->spec, &j->cap);
    j->cap.alone = q->alone;
    j->cap.even_pairs = q->even_pairs;
    int rc = input_open(&j->input, q, j->spec, err);
    j->trace = j->input.trace;
    j->compiled = rc == 0 && trace_head(j->trace)->program.given;
    if (rc == 0)
        rc = account_kinds_read(&j->kinds, j->spec, NULL, err);
    if (rc == 0)
        rc = read_trace(j, err);
    if (rc != 0) {
        job_close(j);
        return rc;
    }
    job_strain(j);
    list_texts(j);
    if (!q->ungroup)
        layer_group_job(j);
    return 0;
}

/* Standard input is open already, in `j`. */
static int read_again(struct job *other, const struct run_request *q, const struct job *j,
                      struct err *err)
{
    *other = (struct job){ .q = q };
    if (spec_load(&other->loaded, q->machine, NULL, 0, err) != 0)
        return -1;
    other->spec = other->loaded;
    spec_cap(other->spec, &other->cap);
    other->trace = j->trace;
    int rc = trace_rewind(other->trace, err);
    if (rc == 0)
        rc = read_trace(other, err);
    if (rc != 0)
        job_close(other);
    return rc;
}

int job_footprint(const struct job *j, const char *machine, struct footprint *m, struct err *err)
{
    bool again = !j->q->text && strcmp(j->q->trace, "-") == 0;
    struct run_request q = *j->q;
    struct job other;

    q.machine = machine;
    q.spec = NULL;
    q.n_set = 0;
    q.brief = q.ungroup = q.unsigned_rows = true; /* nobody looks at its rows */
    if ((again ? read_again(&other, &q, j, err) : job_open(&other, &q, err)) != 0)
        return -1;
    *m = other.memory;
    job_close(&other);
    return 0;
}

void job_close(struct job *j)
{
    for (size_t i = 0; i < j->n_steps; i++) {
        struct job_step *s = &j->step[i];
        for (uint32_t r = 0; r < s->program.n_rows; r++) {
            mpz_clears(s->row[r].flops, s->row[r].gemm, s->row[r].hbm_bytes, NULL);
        }
        free(s->row);
        op_flow_free(&s->flow);
        free(s->live);
        turns_free(&s->turns);
        lower_free(&s->program);
    }
    free(j->step);
    texts_free(&j->texts);
    free(j->text);
    free(j->peak_at);
    numbered_clear(&j->kinds.names);
    memory_owner_free(&j->owners);
    free(j->stage_peak);
    input_close(&j->input);
    spec_free(j->loaded);
    *j = (struct job){ 0 };
}
