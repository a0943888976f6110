/* fc.c - a fully connected network: one training step, as one replica of a data-parallel slice
 * runs it.
 *
 *     input -> width -> ... (`layers` hidden layers, ReLU) ... -> width -> output, cross entropy
 *
 * Kernels are those that XLA makes on a TPU: the forward matmul with bias and ReLU; the matmul of
 * the input gradient with the ReLU's mask and the bias gradient; the weight gradient alone.  The
 * first layer has no input gradient.  Each tensor is updated by kernels of its own. */
#include "workloads.h"

#include <inttypes.h>

#include "base/arith.h"
#include "dense.h"
#include "option.h"

#define MAX_LAYERS 1024

/* One kernel of an optimizer.  It reads weight, gradient and, if `states` is set, the optimizer's
 * states, and writes back the weight and the states. */
struct update {
    const char *name;
    bool states;
    uint64_t flops; /* per parameter */
    const char *fn; /* the function among them, or NULL */
};

struct optimizer {
    struct net_optimizer net; /* its states; `flops` is that of all kernels */
    struct update kernel[2];
    size_t n_kernels;
};

/* RMSprop with momentum is two kernels on TPU v2: the first overwrites the gradient with the step
 * and moves 28 bytes per parameter; the second subtracts the step and moves 12
 * [calibrated: tpu_v2-8_fc]. */
static const struct optimizer optimizers[] = {
    [OPTION_SGD] = { { "sgd", { NULL, NULL }, 2, NULL }, { { "update", false, 2, NULL } }, 1 },
    [OPTION_MOMENTUM] = { { "momentum", { "v", NULL }, 4, NULL },
                          { { "update", true, 4, NULL } },
                          1 },
    [OPTION_RMSPROP] = { { "rmsprop", { "ms", "mom" }, 10, NULL },
                         { { "step", true, 9, "fn=rsqrt" }, { "subtract", false, 1, NULL } },
                         2 },
    [OPTION_ADAM] = { { "adam", { "m", "v" }, 12, NULL },
                      { { "update", true, 12, "fn=sqrt" } },
                      1 },
};

struct fc {
    struct emit *e;
    struct net net;
    const struct optimizer *optimizer;
    uint64_t rows, inputs, outputs; /* samples per replica, features, classes */
    size_t n_layers;                /* hidden layers; layer[n_layers] is the output layer */
    struct dense layer[MAX_LAYERS + 1];
    uint32_t y[MAX_LAYERS + 1]; /* outputs of the layers */
    uint32_t x, labels, loss;
    uint64_t cores_per_host;
    bool fallback;   /* the softmax runs on the CPU of the host */
    bool reads_loss; /* the host reads the loss after each step */
};

/* Sum of exponentials and cross entropy of each row.  With fallback=yes the CPU of the host
 * computes them, at one nanosecond per element [unverified]. */
static uint32_t emit_softmax(struct fc *m, uint32_t logits, uint32_t max)
{
    struct emit *e = m->e;
    uint64_t b = m->rows, size = b * m->outputs;

    if (m->fallback)
        return emit_op(
            e, &(struct emit_op){
                   .kind = TRACE_HOST,
                   .name = "loss.softmax_xent",
                   EMIT_IN(logits, max, m->labels),
                   EMIT_OUT({ EMIT_F32(b, 1), "sum", false }, { EMIT_F32(b, 1), "xent", false }),
                   .attr = emit_text(e, "items=%" PRIu64 " item-time=\"1 ns\" fallback=1",
                                     size * m->cores_per_host),
                   .note = "[unverified]" });
    return emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                         .name = "loss.softmax_xent",
                                         EMIT_IN(logits, max, m->labels),
                                         EMIT_OUT({ EMIT_F32(b, 1), "sum", false },
                                                  { EMIT_F32(b, 1), "xent", false }),
                                         .attr = "fn=exponential dims=1",
                                         .flops = 5 * size });
}

/* The loss, cross entropy of the softmax: maximum and sum over the logits, the mean that the host
 * reads; then the gradients of the logits, [rows, outputs], and of their bias.  Returns the former.
 */
static uint32_t emit_loss(struct fc *m)
{
    struct emit *e = m->e;
    uint64_t b = m->rows, size = b * m->outputs;
    const struct dense *out = &m->layer[m->n_layers];
    uint32_t logits = m->y[m->n_layers];

    emit_phase(e, "loss");
    uint32_t max = emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                                 .name = "loss.max",
                                                 EMIT_IN(logits),
                                                 EMIT_OUT({ .shape = EMIT_F32(b, 1) }),
                                                 .attr = "dims=1",
                                                 .flops = size });
    uint32_t sums = emit_softmax(m, logits, max);
    m->loss = emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                            .name = "loss.mean",
                                            EMIT_IN(sums + 1),
                                            EMIT_OUT({ .shape = EMIT_SCALAR }),
                                            .flops = b });
    emit_phase(e, "bwd");
    uint32_t dz = emit_op(
        e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                              .name = "loss.bwd",
                              EMIT_IN(logits, max, sums, m->labels),
                              EMIT_OUT({ .shape = EMIT_F32(b, m->outputs), .gradient = true }),
                              .attr = "fn=exponential",
                              .flops = 4 * size });
    uint32_t db =
        emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                      .name = emit_text(e, "%s.db", out->name),
                                      EMIT_IN(dz),
                                      EMIT_OUT({ .shape = EMIT_F32(m->outputs), .gradient = true }),
                                      .attr = "dims=0",
                                      .flops = size,
                                      .joins = true });
    net_gradient(&m->net, out->b, db);
    return dz;
}

static void emit_forward(struct fc *m)
{
    emit_phase(m->e, "fwd");
    for (size_t i = 0; i <= m->n_layers; i++)
        m->y[i] = dense_forward(&m->net, &m->layer[i], i ? m->y[i - 1] : m->x, false);
}

static void emit_backward(struct fc *m, uint32_t dz)
{
    const struct dense *out = &m->layer[m->n_layers];
    size_t i = m->n_layers;

    uint32_t dw = emit_op(
        m->e, &(struct emit_op){ .kind = TRACE_MATMUL,
                                 .name = emit_text(m->e, "%s.bwd_w", out->name),
                                 EMIT_IN(m->y[i - 1], dz),
                                 EMIT_OUT({ .shape = EMIT_F32(out->k, out->n), .gradient = true }),
                                 .attr = "ta=1" });
    net_gradient(&m->net, out->w, dw);
    for (; i-- > 0;) {
        uint32_t dy = dense_input_gradient(&m->net, &m->layer[i + 1], dz);
        dz = dense_backward(&m->net, &m->layer[i], i ? m->y[i - 1] : m->x, m->y[i], dy,
                            DENSE_AFTER_GEMM);
    }
}

/* All-reduce of the gradients, one operand per tensor, then the kernels of the optimizer. */
static void emit_update(struct fc *m)
{
    struct emit *e = m->e;
    uint32_t gradients[2 * (MAX_LAYERS + 1)];

    emit_phase(e, "update");
    for (size_t i = 0; i < m->net.n_vars; i++)
        gradients[i] = m->net.var[i].gradient;
    emit_op(e, &(struct emit_op){ .kind = TRACE_ALL_REDUCE,
                                  .name = "grad_allreduce",
                                  .in = gradients,
                                  .n_in = m->net.n_vars,
                                  .attr = net_sums(&m->net),
                                  .flops = m->net.parameters });
    for (size_t i = 0; i < m->net.n_vars; i++)
        for (size_t k = 0; k < m->optimizer->n_kernels; k++) {
            const struct net_variable *v = &m->net.var[i];
            const struct update *u = &m->optimizer->kernel[k];

            emit_op(e, &(struct emit_op){ .kind = TRACE_OPTIMIZER,
                                          .name = emit_text(e, "%s.%s.%s", emit_name(e, v->w),
                                                            m->optimizer->net.name, u->name),
                                          EMIT_IN(v->w, v->gradient, u->states ? v->state[0] : 0,
                                                  u->states ? v->state[1] : 0),
                                          .attr = net_fn(e, u->fn, m->net.sharded),
                                          .flops = u->flops * emit_elements(e, v->w) });
        }
}

/* Once in `count` steps the host ends the loop on the device and begins the next: all variables go
 * to the host and back. */
static void emit_loop_boundary(struct fc *m, uint64_t count)
{
    struct emit *e = m->e;
    uint32_t variables[3 * 2 * (MAX_LAYERS + 1)];
    size_t n = 0;

    for (size_t i = 0; i < m->net.n_vars; i++) {
        variables[n++] = m->net.var[i].w;
        variables[n++] = m->net.var[i].state[0];
        variables[n++] = m->net.var[i].state[1];
    }
    emit_every(e, count);
    emit_phase(e, "loop");
    emit_op(e, &(struct emit_op){
                   .kind = TRACE_RESTART, .name = "loop.restart", .in = variables, .n_in = n });
}

/* --- the step ----------------------------------------------------------------------------- */

/* Once in `count` steps a batch has a shape that no program was compiled for. */
static void emit_new_shape(struct fc *m, uint64_t count)
{
    struct emit *e = m->e;
    uint32_t kernels = emit_kernels(e);

    emit_every(e, count);
    emit_phase(e, "compile");
    emit_op(e, &(struct emit_op){ .kind = TRACE_COMPILE,
                                  .name = "compile",
                                  .attr = emit_text(e, "items=%" PRIu32, kernels) });
}

enum {
    LAYERS,
    WIDTH,
    INPUT,
    OUTPUT,
    BATCH,
    CORES,
    OPTIMIZER,
    PRECISION,
    EPOCH,
    LOOP,
    ITEM,
    FALLBACK,
    SHAPES,
    COMBINE,
    UPDATE,
    HOST_CORES,
    REMAINDER
};

static void emit_step(struct fc *m, const uint64_t *value)
{
    uint64_t width = value[WIDTH], loop = value[LOOP], shape = value[SHAPES];
    struct emit *e = m->e;
    size_t n = m->n_layers;

    net_init(&m->net, e, "", &m->optimizer->net);
    m->net.combine = value[COMBINE];
    m->net.sharded = value[UPDATE];
    for (size_t i = 0; i <= n; i++)
        m->layer[i] = dense_add(&m->net, i < n ? emit_text(e, "fc%u", (unsigned)i) : "out", m->rows,
                                i ? width : m->inputs, i < n ? width : m->outputs,
                                i < n ? &dense_relu : &dense_linear);
    emit_phase(e, "infeed");
    /* the host makes one-hot vectors of the labels: 1.6 times the work of handing them over
     * [calibrated: tpu_v2-8_fc] */
    m->x = emit_op(
        e, &(struct emit_op){ .kind = TRACE_INFEED,
                              .name = "infeed.batch",
                              .reads = 4 * m->rows * m->inputs + 32 * (m->rows * m->outputs) / 5,
                              EMIT_OUT({ EMIT_F32(m->rows, m->inputs), "x", false },
                                       { EMIT_F32(m->rows, m->outputs), "labels", false }) });
    m->labels = m->x + 1;
    emit_forward(m);
    emit_backward(m, emit_loss(m));
    emit_update(m);
    emit_phase(e, "outfeed");
    emit_op(e, &(struct emit_op){ .kind = TRACE_OUTFEED,
                                  .name = "loss",
                                  EMIT_IN(m->loss),
                                  .attr = m->reads_loss ? "sync=1" : NULL });
    if (shape > 0)
        emit_new_shape(m, shape);
    if (loop > 0)
        emit_loop_boundary(m, loop);
}

static const char *const no_yes[] = { "no", "yes", NULL };

static const struct gen_param params[] = {
    [LAYERS] = { "layers", 8, 1, MAX_LAYERS, "hidden layers [paradnn]", NULL },
    [WIDTH] = { "width", 2048, 1, 65536, "of each hidden layer [paradnn]", NULL },
    [INPUT] = { "input", 2000, 1, 1000000, "features of a sample [paradnn]", NULL },
    [OUTPUT] = { "output", 1000, 1, 1000000, "classes [paradnn]", NULL },
    [BATCH] = { "batch", 4096, 1, 1 << 20, "samples a step, on all cores together [paradnn]",
                NULL },
    [CORES] = { "cores", 8, 1, 2048, "the batch is divided over, equally", NULL },
    [OPTIMIZER] = { "optimizer", OPTION_RMSPROP, OPTION_SGD, OPTION_ADAM,
                    "RMSprop with momentum [paradnn]", option_optimizers },
    [PRECISION] = { "precision", EMIT_F32_TENSORS, 0, EMIT_HIGHEST, OPTION_PRECISION_DOC,
                    option_precisions },
    [EPOCH] = { "epoch", 0, 0, UINT32_MAX, "samples of the data set, 0: not said", NULL },
    [LOOP] = { "loop", 100, 0, 1000000,
               "steps of a loop on the device, after which variables go to the host and back "
               "[paradnn], 0: no end",
               NULL },
    [ITEM] = { "item", 0, 0, 1, "the host reads the loss after each step: item() [lightning-tpu]",
               no_yes },
    [FALLBACK] = { "fallback", 0, 0, 1,
                   "the softmax runs on the CPU for want of a kernel [lightning-tpu]", no_yes },
    [SHAPES] = { "shapes", 0, 0, 1000000,
                 "steps until a batch has a new shape and is compiled [lightning-tpu], 0: never",
                 NULL },
    [COMBINE] = OPTION_COMBINE,
    [UPDATE] = OPTION_UPDATE,
    [HOST_CORES] = OPTION_HOST_CORES,
    [REMAINDER] = { "remainder", OPTION_REFUSE, OPTION_REFUSE, OPTION_DROP,
                    "of a batch that the cores cannot divide: an error, filled up with padding, or "
                    "left out",
                    option_remainders },
};
#define N_PARAMS (sizeof params / sizeof *params)

/* Samples of a core. */
static uint64_t rows_of_core(const uint64_t *value)
{
    return value[REMAINDER] == OPTION_DROP ? value[BATCH] / value[CORES]
                                           : arith_ceil_div(value[BATCH], value[CORES]);
}

static int check_values(const uint64_t *value, struct err *err)
{
    if (value[REMAINDER] == OPTION_REFUSE && value[BATCH] % value[CORES])
        return err_set(err, ERR_RANGE,
                       "fc: batch = %" PRIu64 ": not a multiple of cores = %" PRIu64
                       "; remainder=pad fills it up, remainder=drop leaves some out",
                       value[BATCH], value[CORES]);
    if (rows_of_core(value) == 0)
        return err_set(err, ERR_RANGE,
                       "fc: batch = %" PRIu64 ": fewer samples than cores = %" PRIu64
                       ", and remainder=drop",
                       value[BATCH], value[CORES]);
    return 0;
}

static void write_trace(const uint64_t *value, FILE *out)
{
    struct option_list list;
    struct emit_head head = { .workload = "fc",
                              .provenance = "fully connected network, one replica of a "
                                            "data-parallel step [paradnn]; generated",
                              .step_samples = rows_of_core(value),
                              .epoch_samples = value[EPOCH],
                              .precision = (enum emit_precision)value[PRECISION] };

    const struct trace_padding padding = {
        .name = TRACE_SAMPLES,
        .real = value[BATCH],
        .padded = rows_of_core(value) * value[CORES],
    };
    head.padding = &padding;
    head.n_padding = 1;
    option_head(&head, &list, params, N_PARAMS, value);
    struct fc m = { .e = emit_new(&head),
                    .optimizer = &optimizers[value[OPTIMIZER]],
                    .rows = rows_of_core(value),
                    .inputs = value[INPUT],
                    .outputs = value[OUTPUT],
                    .n_layers = value[LAYERS],
                    .cores_per_host =
                        value[CORES] < value[HOST_CORES] ? value[CORES] : value[HOST_CORES],
                    .fallback = value[FALLBACK],
                    .reads_loss = value[ITEM] };
    emit_step(&m, value);
    emit_print(m.e, out);
    net_clear(&m.net);
    emit_free(m.e);
}

/* Each replica has its share of the batch. */
static bool is_sized(const uint64_t *value)
{
    (void)value;
    return true;
}

const struct gen_workload fc_workload = {
    "fc",         "fully connected network, data-parallel training",
    params,       N_PARAMS,
    check_values, write_trace,
    is_sized
};
