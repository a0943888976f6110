#include "study/op/op.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/dump.h"
#include "run/job/job.h"
#include "study/op/op_kind.h"

/* "matmul m=4096 n=4096 k=4096 dtype=bf16": the keys that were given in the order of their table,
 * and always the dtype. */
static char *print_name(const struct op_kind *kind, const struct op_value *value,
                        enum trace_dtype dtype)
{
    struct memory_text name;

    memory_text_begin(&name);
    fputs(kind->name, name.out);
    for (unsigned i = 0; i < OP_N_KEYS; i++)
        if (value[i].given && i != OP_KEY_DTYPE)
            fprintf(name.out, " %s=%s", op_keys[i].key, value[i].text);
    fprintf(name.out, " dtype=%s", trace_dtype_name[dtype]);
    return memory_text_end(&name);
}

static int check_required(const struct op_kind *kind, const struct op_value *value, struct err *err)
{
    for (unsigned i = 0; i < OP_N_KEYS; i++)
        if (kind->required >> i & 1 && !value[i].given)
            return err_set(err, ERR_FORMAT, "needs %s=, such as %s=%s", op_keys[i].key,
                           op_keys[i].key, op_keys[i].example);
    return 0;
}

static int write_trace(struct op_trace *t, const struct op_draft *draft, struct err *err)
{
    struct op_draft d = *draft;
    struct memory_text text;

    memory_text_begin(&text);
    d.out = text.out;
    fprintf(d.out, "cyclotron-trace 1\nworkload op\nsamples step=1\ndtype tensors=%s matmul=bf16\n",
            trace_dtype_name[d.dtype]);
    int rc = d.kind->write(&d, err);
    t->text = memory_text_end(&text);
    t->size = text.size;
    return rc;
}

int op_trace_init(struct op_trace *t, const char *kind, const char *const *arg, size_t n_args,
                  const struct op_machine *on, struct err *err)
{
    const struct op_kind *k = op_kind_find(kind, err);
    struct op_value value[OP_N_KEYS] = { 0 };
    int rc = 0;

    *t = (struct op_trace){ 0 };
    if (!k)
        return -1;
    for (size_t i = 0; i < n_args && rc == 0; i++)
        rc = op_key_set(value, k->trace, k->required | k->optional | OP_BIT(DTYPE), arg[i], err);
    if (rc == 0)
        rc = check_required(k, value, err);
    enum trace_dtype dtype =
        value[OP_KEY_DTYPE].given ? (enum trace_dtype)value[OP_KEY_DTYPE].number : TRACE_BF16;
    struct op_draft d = { .kind = k,
                          .value = value,
                          .dtype = dtype,
                          .result = dtype,
                          .cores = on->cores,
                          .on_chip = on->on_chip,
                          .lanes = on->lanes,
                          .sublanes = on->sublanes,
                          .space = on->space,
                          .tpu = on->tpu,
                          .library = on->library };
    if (rc == 0)
        rc = write_trace(t, &d, err);
    if (rc == 0)
        t->name = print_name(k, value, dtype);
    else
        op_trace_free(t);
    return rc == 0 ? 0 : err_at(err, "%s", k->name);
}

void op_trace_free(struct op_trace *t)
{
    free(t->name);
    free(t->text);
    *t = (struct op_trace){ 0 };
}

/* --- running ------------------------------------------------------------------------------ */

/* A run of an operation, and what it needs until it is over. */
struct op_run {
    struct op_trace trace;
    struct machine_spec *loaded; /* NULL when the request brings its machine */
    struct run_request request;
};

static void close_run(struct op_run *o)
{
    op_trace_free(&o->trace);
    spec_free(o->loaded);
}

/* Take line and column out of the message of the reader or of lowering: the user never saw that
 * text. */
static void drop_place(const struct op_trace *t, struct err *err)
{
    size_t n = strlen(t->name), at = n;

    if (strncmp(err->msg, t->name, n) != 0)
        return;
    while (err->msg[at] == ':' && strspn(err->msg + at + 1, "0123456789") > 0)
        at += 1 + strspn(err->msg + at + 1, "0123456789");
    memmove(err->msg + n, err->msg + at, strlen(err->msg + at) + 1);
}

/* A memory of its own is there for operands alone; of VMEM a kernel needs half for its windows. */
static struct op_machine describe_machine(const struct machine_spec *s)
{
    uint64_t vmem = s->vmem.capacity / 2;

    return (struct op_machine){ .cores = spec_cores(s),
                                .lanes = spec_tile_lanes(s),
                                .sublanes = spec_tile_sublanes(s),
                                .space = s->cmem.capacity > 0 ? TRACE_IN_CMEM : TRACE_IN_VMEM,
                                .tpu = s->kind == CHIP_TPU,
                                .library = s->kind == CHIP_GPU && s->launch.framework != LAUNCH_XLA,
                                .on_chip = !s->xla.prefetch       ? 0
                                           : s->cmem.capacity > 0 ? s->cmem.capacity
                                                                  : vmem };
}

static int open_run(struct op_run *o, const struct op_request *q, struct err *err)
{
    *o = (struct op_run){ .request = q->run };
    struct run_request *run = &o->request;
    if (!run->spec) {
        if (spec_load(&o->loaded, run->machine, run->set, run->n_set, err) != 0)
            return -1;
        run->spec = o->loaded;
    }
    struct op_machine on = describe_machine(run->spec);
    if (op_trace_init(&o->trace, q->kind, q->arg, q->n_args, &on, err) != 0) {
        close_run(o);
        return -1;
    }
    run->trace = o->trace.name;
    run->text = o->trace.text;
    run->text_size = o->trace.size;
    run->steps = 1;
    run->alone = true;
    return 0;
}

int op_run(const struct op_request *q, struct run_result *r, struct err *err)
{
    struct op_run o;

    if (open_run(&o, q, err) != 0)
        return -1;
    int rc = run_replay(&o.request, r, err);
    if (rc != 0)
        drop_place(&o.trace, err);
    close_run(&o);
    return rc;
}

int op_lower(const struct op_request *q, op_show_fn *show, void *self, struct err *err)
{
    struct op_run o;
    struct job j;

    if (open_run(&o, q, err) != 0)
        return -1;
    int rc = job_open(&j, &o.request, err);
    if (rc == 0) {
        show(self, o.trace.name, &j.step[0].program, &j.cap);
        job_close(&j);
    } else {
        drop_place(&o.trace, err);
    }
    close_run(&o);
    return rc;
}

int op_dump(const struct op_request *q, const char *pass, FILE *out, struct err *err)
{
    struct op_run o;

    if (open_run(&o, q, err) != 0)
        return -1;
    int rc = dump_steps(&o.request, pass, out, err);
    if (rc != 0)
        drop_place(&o.trace, err);
    close_run(&o);
    return rc;
}
