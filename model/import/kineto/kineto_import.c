/* kineto_import.c - see kineto_import.h. */
#include "import/kineto/kineto_import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/kineto/aten_write.h"
#include "trace/print.h"

static const char *const phases[] = {
    [RECORDED_FORWARD] = "fwd", [RECORDED_BACKWARD] = "bwd", [RECORDED_UPDATE] = "update"
};

#define HEAD 256 /* bytes that tell JSON */

bool kineto_import_likes(const void *data, size_t size)
{
    static const char blanks[] = "\xef\xbb\xbf \t\r\n"; /* and the mark of UTF-8 */
    struct profile_source *source;
    const unsigned char *head;
    struct err ignored;
    size_t n, at = 0;

    if (profile_source_memory(&source, "", data, size, &ignored) != 0)
        return false;
    bool read = profile_source_peek(source, HEAD, &head, &n, &ignored) == 0;
    while (read && at < n && head[at] && strchr(blanks, head[at]))
        at++;
    bool likes = read && at < n && (head[at] == '{' || head[at] == '[');
    profile_source_close(source);
    return likes;
}

/* Elements of all gradients of weights, and their type. */
static void count_parameters(struct aten_writer *w)
{
    struct aten_args args;

    w->parameter_type = TRACE_F32;
    for (uint32_t i = 0; i < w->step->n_gradients; i++) {
        aten_args_read(&args, w->k, &w->k->call[w->step->gradient[i]]);
        if (args.n == 0 || args.arg[0].kind != ATEN_TENSOR || args.arg[0].empty)
            continue;
        w->parameters += aten_args_elements(&args.arg[0]);
        w->parameter_type = args.arg[0].dtype;
    }
}

/* Ranks as the file says, or as many as its largest collective has. */
static uint32_t count_ranks(const struct kineto *k, const struct recorded_step *step)
{
    uint32_t ranks = k->ranks;

    for (uint32_t i = 0; i < step->n; i++)
        if (k->work[step->op[i].first].message.group > ranks)
            ranks = k->work[step->op[i].first].message.group;
    return ranks;
}

static void write_operation(struct aten_writer *w, const struct recorded_op *op,
                            struct kineto_import *x, uint64_t *worst)
{
    const struct kineto_work *work = &w->k->work[op->first];
    struct aten_job j = { .w = w, .op = op, .row = op->row };
    char label[RECORDED_LABEL];

    recorded_label(w->step, w->k, (uint32_t)(op - w->step->op), label);
    j.label = label;

    j.name =
        op->call != KINETO_NONE ? recorded_name(w->k, op->call) : kineto_text(w->k, work->name);
    if (op->call != KINETO_NONE)
        aten_args_read(&j.args, w->k, &w->k->call[op->call]);
    if (aten_write_collective(&j) || aten_write_transfer(&j) || (op->row && op->row->write(&j)))
        return;
    aten_write_unknown(&j);
    if (op->time >= *worst) {
        *worst = op->time;
        snprintf(x->worst, sizeof x->worst, "%.63s", j.name);
    }
}

static void write_operations(struct aten_writer *w, struct kineto_import *x)
{
    enum recorded_phase phase = RECORDED_UPDATE;
    uint64_t worst = 0;

    for (uint32_t i = 0; i < w->step->n; i++) {
        const struct recorded_op *op = &w->step->op[i];
        if (i > 0 && op->phase != phase)
            aten_wait(w);
        if (i == 0 || op->phase != phase)
            print_phase(1, phases[op->phase], w->out);
        phase = op->phase;
        write_operation(w, op, x, &worst);
    }
    aten_wait(w);
}

static void write_tensors(const struct aten_writer *w, FILE *out)
{
    char name[16];

    for (uint32_t v = 0; v < w->n_values; v++) {
        if (!w->value[v].tensor)
            continue;
        snprintf(name, sizeof name, "v%" PRIu32, v);
        print_tensor(name, &w->value[v].shape, w->value[v].weight ? TRACE_WEIGHT : TRACE_INPUT,
                     TRACE_NO_STAGE, out);
    }
}

/* The name of a file without its folder and its endings. */
static void write_header(const struct aten_writer *w, const char *name, struct kineto_import *x,
                         FILE *out)
{
    struct trace_header h = { .version = 1,
                              .samples_unknown = x->samples == 0,
                              .samples_per_step = x->samples ? x->samples : 1,
                              .shared = 1,
                              .stages = 1,
                              .tensors = TRACE_F32,
                              .matmul = TRACE_F32,
                              .framework = TRACE_PYTORCH };
    const char *base = strrchr(name, '/');

    base = base ? base + 1 : name;
    snprintf(h.workload, sizeof h.workload, "%.*s", (int)strcspn(base, "."), base);
    if (x->ranks > 1)
        h.cores = x->ranks;
    if (w->unknown || x->lost)
        h.recorded = (struct trace_recorded){
            .kernels = x->kernels, .time = x->all_ns, .unread = w->unknown_ns, .lost = x->lost
        };
    x->recorded = h.recorded;
    snprintf(h.provenance, sizeof h.provenance,
             "a step that PyTorch's profiler recorded%s%.60s: %" PRIu64 " kernels",
             *x->device ? " on " : "", x->device, x->kernels);
    print_header(&h, out);
}

static void write_step(const struct kineto *k, const struct recorded_step *step, const char *name,
                       struct kineto_import *x, FILE *out)
{
    struct aten_writer w = { .k = k, .step = step };
    struct memory_text lines;

    for (size_t i = 0; i < sizeof w.list / sizeof *w.list; i++)
        w.list[i] = ATEN_NO_VALUE;
    count_parameters(&w);
    w.ranks = count_ranks(k, step);
    x->ranks = w.ranks;
    memory_text_begin(&lines);
    w.out = lines.out;
    write_operations(&w, x);
    char *text = memory_text_end(&lines);
    write_header(&w, name, x, out);
    write_tensors(&w, out);
    fputs("step {\n", out);
    fwrite(text, 1, lines.size, out);
    fputs("}\n", out);
    x->unknown = w.unknown;
    x->timed = w.timed;
    free(text);
    free(w.value);
    free(w.latest);
    free(w.saved);
    profile_index_free(&w.by_shape);
    profile_index_free(&w.by_size);
}

static int check_recording(const struct kineto *k, const struct recorded_step *step,
                           const char *name, struct err *err)
{
    if (k->n_work == 0)
        return err_set(err, ERR_FORMAT,
                       "%.160s: no work of a GPU in this recording: record with "
                       "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
                       name);
    if (step->n == 0)
        return err_set(err, ERR_FORMAT, "%.160s: no step of this recording launches a kernel",
                       name);
    if (!k->shapes)
        return err_set(err, ERR_FORMAT,
                       "%.160s: operations have no shapes: record with record_shapes=True", name);
    return 0;
}

static int import_recording(const struct kineto *k, const char *name, struct kineto_import *x,
                            FILE *out, struct err *err)
{
    struct recorded_step step;

    recorded_read(&step, k);
    int rc = check_recording(k, &step, name, err);
    if (rc == 0) {
        x->operations = step.n;
        for (uint32_t i = 0; i < step.n; i++)
            x->kernels += step.op[i].n;
        x->steps = step.n_steps;
        x->found = step.found;
        x->all_ns = step.time;
        x->host_ns = step.host;
        x->launch_ns = step.launch;
        x->shapes = k->shapes;
        x->lost = step.lost;
        x->rank = k->rank;
        x->ranks = k->ranks;
        snprintf(x->device, sizeof x->device, "%s", k->device);
        write_step(k, &step, name, x, out);
    }
    recorded_free(&step);
    return rc;
}

int kineto_import(const char *name, const void *data, size_t size, struct kineto_import *x,
                  FILE *out, struct err *err)
{
    struct profile_source *source;
    struct kineto k;

    if (profile_source_memory(&source, name, data, size, err) != 0)
        return -1;
    int rc = kineto_read(&k, source, err);
    profile_source_close(source);
    if (rc != 0)
        return -1;
    rc = import_recording(&k, name, x, out, err);
    kineto_free(&k);
    return rc;
}
