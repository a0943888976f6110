/* mlpf.c - MLPF: one training step of the particle-flow benchmark model on one device.
 *
 *   encode:   mask, one-hot type and features, 14 columns
 *   graph:    two chains of graph layers (cg.h), common and energy, both from the encoded elements
 *   decode:   layer norm of the concatenation, six dense heads, losses
 *
 * Elements are rows, batch * elements of them; binned tensors are [batch * bins, bin, columns].  An
 * event is padded to whole bins [cuba-2022]. */
#include "workloads.h"

#include <inttypes.h>

#include "base/arith.h"
#include "cg.h"
#include "dense.h"
#include "option.h"

#define INPUTS 12
#define ENCODED 14
#define CLASSES 6
#define MAX_LAYERS 16
#define HEADS 6

struct head {
    const char *name;
    uint64_t outputs, depth; /* dense layers */
    struct dense d[5];
    uint32_t x[6]; /* the input of each layer, then the output */
};

enum { CLS, CHARGE, ETA, PHI, ENERGY, PT };

struct mlpf {
    struct emit *e;
    struct net net;
    struct cg_size size;
    uint64_t rows, width, common, energy;
    struct cg layer[2 * MAX_LAYERS]; /* common ones, then energy ones */
    struct head head[HEADS];
    size_t gamma, beta;
    uint32_t metrics;                           /* state that the host reads */
    uint32_t x, target_class, targets, weights; /* infeed */
    uint32_t encoded, mask, concat, stats, probs, outputs;
};

static uint64_t count_layers(const struct mlpf *m)
{
    return m->common + m->energy;
}

static struct trace_shape rows_of(const struct mlpf *m, uint64_t cols)
{
    return EMIT_F32(m->rows, cols);
}

/* --- declarations ------------------------------------------------------------------------- */

static void declare_head(struct mlpf *m, struct head *h, uint64_t in)
{
    static const uint64_t width[] = { 256, 128, 64, 32 };

    for (uint64_t i = 0; i < h->depth; i++) {
        bool last = i + 1 == h->depth;
        uint64_t n = last ? h->outputs : width[i];

        h->d[i] = dense_add(&m->net, emit_text(m->e, "%s.d%u", h->name, (unsigned)i), m->rows, in,
                            n, last ? &dense_linear : &dense_elu);
        in = n;
    }
}

static void declare_layers(struct mlpf *m)
{
    static const struct head heads[HEADS] = {
        [CLS] = { .name = "ffn_cls", .outputs = CLASSES, .depth = 5 },
        [CHARGE] = { .name = "ffn_charge", .outputs = 1, .depth = 3 },
        [ETA] = { .name = "ffn_eta", .outputs = 2, .depth = 4 },
        [PHI] = { .name = "ffn_phi", .outputs = 4, .depth = 4 },
        [ENERGY] = { .name = "ffn_energy", .outputs = 6, .depth = 4 },
        [PT] = { .name = "ffn_pt", .outputs = 2, .depth = 4 },
    };
    uint64_t normed = ENCODED + m->common * m->width, reg = normed + CLASSES;
    /* each energy layer's output is appended twice */
    uint64_t all = reg + 2 * m->energy * m->width + CLASSES;

    for (uint64_t i = 0; i < count_layers(m); i++) {
        bool common = i < m->common;
        unsigned k = (unsigned)(common ? i : i - m->common);

        cg_declare(&m->layer[i], &m->net, &m->size,
                   emit_text(m->e, common ? "cg_%u" : "cg_energy_%u", k),
                   k == 0 ? ENCODED : m->width, k > 0);
    }
    m->gamma = net_add(&m->net, EMIT_F32(normed), "dec.layernorm.gamma");
    m->beta = net_add(&m->net, EMIT_F32(normed), "dec.layernorm.beta");
    for (int i = 0; i < HEADS; i++) {
        m->head[i] = heads[i];
        declare_head(m, &m->head[i], i < ETA ? normed : i < ENERGY ? reg : all);
    }
    m->metrics = emit_tensor(m->e, TRACE_STATE, EMIT_SHAPE(TRACE_F64, 20), "metrics");
}

/* --- decoding ----------------------------------------------------------------------------- */

#define OP(kind_, name_, ...)                                                                      \
    emit_op(m->e, &(struct emit_op){ .kind = kind_, .name = name_, __VA_ARGS__ })

static uint32_t emit_head(struct mlpf *m, struct head *h, uint32_t x, bool joins)
{
    h->x[0] = x;
    for (uint64_t i = 0; i < h->depth; i++)
        h->x[i + 1] = dense_forward(&m->net, &h->d[i], h->x[i], joins && i == 0);
    return h->x[h->depth];
}

/* Backward pass of a head from dy.  Returns the gradient of its input. */
static uint32_t emit_head_backward(struct mlpf *m, struct head *h, uint32_t dy,
                                   enum dense_fusion fusion)
{
    for (uint64_t i = h->depth; i-- > 0;) {
        uint32_t dz = dense_backward(&m->net, &h->d[i], h->x[i], h->x[i + 1], dy,
                                     i + 1 == h->depth ? fusion : DENSE_AFTER_GEMM);
        dy = dense_input_gradient(&m->net, &h->d[i], dz);
    }
    return dy;
}

static void emit_decoders(struct mlpf *m)
{
    const struct net_variable *v = m->net.var;
    uint64_t r = m->rows, normed = ENCODED + m->common * m->width, reg = normed + CLASSES;
    uint64_t all = reg + 2 * m->energy * m->width + CLASSES;
    uint32_t in[2 + 2 * MAX_LAYERS] = { m->encoded };
    size_t n = 1;

    emit_phase(m->e, "fwd_decode");
    for (uint64_t i = 0; i < m->common; i++)
        in[n++] = m->layer[i].y;
    m->concat = OP(TRACE_COPY, "dec.concat", .in = in, .n_in = n,
                   EMIT_OUT({ .shape = rows_of(m, normed) }));
    m->stats = OP(TRACE_REDUCE, "dec.layernorm_stats", EMIT_IN(m->concat),
                  EMIT_OUT({ .shape = rows_of(m, 2) }), .flops = 4 * r * normed);
    uint32_t x = OP(TRACE_ELEMENTWISE, "dec.layernorm_norm",
                    EMIT_IN(m->concat, m->stats, v[m->gamma].w, v[m->beta].w),
                    EMIT_OUT({ .shape = rows_of(m, normed) }), .attr = "passes=3",
                    .flops = 4 * r * normed, .reads = 4 * r * (normed + 2));
    uint32_t logits = emit_head(m, &m->head[CLS], x, true);
    m->probs = OP(TRACE_ELEMENTWISE, "dec.softmax+hard_softmax", EMIT_IN(logits),
                  EMIT_OUT({ .shape = rows_of(m, CLASSES), "soft" },
                           { .shape = rows_of(m, CLASSES), "hard" }),
                  .attr = "fn=exponential", .flops = 20 * r * CLASSES, .joins = true);
    uint32_t charge = emit_head(m, &m->head[CHARGE], x, false);
    x = OP(TRACE_COPY, "dec.concat_reg", EMIT_IN(x, logits),
           EMIT_OUT({ .shape = rows_of(m, reg) }));
    uint32_t eta = emit_head(m, &m->head[ETA], x, true);
    uint32_t phi = emit_head(m, &m->head[PHI], x, false);
    n = 0;
    in[n++] = x;
    for (uint64_t i = m->common; i < count_layers(m); i++) {
        in[n++] = m->layer[i].y;
        in[n++] = m->layer[i].y;
    }
    in[n++] = logits;
    x = OP(TRACE_COPY, "dec.concat_energy", .in = in, .n_in = n,
           EMIT_OUT({ .shape = rows_of(m, all) }));
    uint32_t energy = emit_head(m, &m->head[ENERGY], x, false);
    uint32_t pt = emit_head(m, &m->head[PT], x, false);
    m->outputs = OP(TRACE_ELEMENTWISE, "dec.outputs(skip,cosh,gate,mask)",
                    EMIT_IN(m->x, m->probs, m->probs + 1, charge, eta, phi, energy, pt, m->mask),
                    EMIT_OUT({ .shape = rows_of(m, 11) }), .attr = "fn=exponential",
                    .flops = 60 * r, .reads = 30 * 4 * r, .joins = true);
    OP(TRACE_REDUCE, "losses(CCE,MSE,5xHuber,weighted)",
       EMIT_IN(m->outputs, m->target_class, m->targets, m->weights, m->metrics),
       EMIT_OUT({ .shape = EMIT_F32(7) }), .flops = 80 * r, .reads = 31 * 4 * r);
}

/* Backward pass of the decoders.  Fills dcommon and denergy with the gradients of the outputs of
 * the common and the energy layers. */
static void emit_decoders_backward(struct mlpf *m, uint32_t *dcommon, uint32_t *denergy)
{
    uint64_t r = m->rows, normed = ENCODED + m->common * m->width;
    struct emit_result out[1 + MAX_LAYERS];
    uint32_t dx[HEADS];

    emit_phase(m->e, "bwd_decode");
    uint32_t dy = OP(TRACE_ELEMENTWISE, "losses_bwd",
                     EMIT_IN(m->outputs, m->probs, m->target_class, m->targets, m->weights),
                     EMIT_OUT({ .shape = rows_of(m, CLASSES), "cls", true },
                              { .shape = rows_of(m, 1), "charge", true },
                              { .shape = rows_of(m, 2), "eta", true },
                              { .shape = rows_of(m, 4), "phi", true },
                              { .shape = rows_of(m, 6), "energy", true },
                              { .shape = rows_of(m, 2), "pt", true }),
                     .flops = 80 * r, .reads = 43 * 4 * r);
    uint64_t summed = 0;
    for (int i = HEADS - 1; i >= 0; i--) {
        dx[i] = emit_head_backward(m, &m->head[i], dy + (uint32_t)i,
                                   i == HEADS - 1 ? DENSE_CONTINUE : DENSE_BEGIN);
        summed += emit_elements(m->e, dx[i]);
    }
    out[0] = (struct emit_result){ rows_of(m, normed), "norm", true };
    for (uint64_t i = 0; i < m->energy; i++)
        out[1 + i] =
            (struct emit_result){ rows_of(m, m->width), m->layer[m->common + i].name, true };
    /* both copies of an energy layer's output have a gradient */
    uint32_t dnorm = OP(TRACE_ELEMENTWISE, "dec.grad_sum(6 heads)", .in = dx, .n_in = HEADS,
                        .out = out, .n_out = 1 + m->energy, .flops = summed,
                        .writes = 4 * r * (normed + 2 * m->energy * m->width));
    for (uint64_t i = 0; i < m->energy; i++)
        denergy[i] = dnorm + 1 + (uint32_t)i;

    uint32_t sums = OP(TRACE_REDUCE, "dec.layernorm_bwd_reduce",
                       EMIT_IN(dnorm, m->concat, m->stats, m->net.var[m->gamma].w),
                       EMIT_OUT({ .shape = rows_of(m, 2), "rows", true },
                                { .shape = EMIT_F32(normed), "dgamma", true },
                                { .shape = EMIT_F32(normed), "dbeta", true }),
                       .flops = 4 * r * normed, .reads = 2 * 4 * r * normed);
    net_gradient(&m->net, m->gamma, sums + 1);
    net_gradient(&m->net, m->beta, sums + 2);
    out[0] = (struct emit_result){ rows_of(m, ENCODED), "encoded", true };
    for (uint64_t i = 0; i < m->common; i++)
        out[1 + i] = (struct emit_result){ rows_of(m, m->width), m->layer[i].name, true };
    uint32_t d = OP(TRACE_ELEMENTWISE, "dec.layernorm_bwd",
                    EMIT_IN(dnorm, m->concat, sums, m->stats, m->net.var[m->gamma].w), .out = out,
                    .n_out = 1 + m->common, .flops = 6 * r * normed, .reads = 2 * 4 * r * normed);
    for (uint64_t i = 0; i < m->common; i++)
        dcommon[i] = d + 1 + (uint32_t)i;
}

/* --- the step ----------------------------------------------------------------------------- */

static void emit_backward(struct mlpf *m)
{
    uint32_t d[2 * MAX_LAYERS];

    emit_decoders_backward(m, d, d + m->common);
    for (uint64_t i = count_layers(m); i-- > 0;) {
        uint32_t dx = cg_backward(&m->layer[i], d[i], i ? d[i - 1] : 0);
        if (dx)
            d[i - 1] = dx;
    }
    emit_phase(m->e, "update");
    net_update(&m->net);
}

enum {
    BATCH,
    ELEMENTS,
    BINS,
    COMMON,
    ENERGY_LAYERS,
    WIDTH,
    DISTANCE,
    MODE,
    OPTIMIZER,
    PRECISION,
    EPOCH,
    COMBINE,
    UPDATE,
    REAL
};

static void emit_step(struct mlpf *m, const uint64_t *value, bool train)
{
    uint64_t r = m->rows;

    net_init(&m->net, m->e, "", option_optimizer(value[OPTIMIZER]));
    m->net.combine = value[COMBINE];
    m->net.sharded = value[UPDATE];
    declare_layers(m);
    emit_phase(m->e, "infeed");
    m->x =
        OP(TRACE_INFEED, "infeed.batch",
           EMIT_OUT({ .shape = rows_of(m, INPUTS), "x" }, { .shape = rows_of(m, CLASSES), "class" },
                    { .shape = rows_of(m, 6), "targets" }, { .shape = rows_of(m, 7), "weights" }));
    m->target_class = m->x + 1;
    m->targets = m->x + 2;
    m->weights = m->x + 3;
    emit_phase(m->e, "fwd_encode");
    m->encoded =
        OP(TRACE_ELEMENTWISE, "mask+onehot(3)+concat", EMIT_IN(m->x),
           EMIT_OUT({ .shape = rows_of(m, ENCODED), "x" }, { .shape = rows_of(m, 1), "mask" }),
           .flops = 20 * r);
    m->mask = m->encoded + 1;
    for (uint64_t i = 0; i < count_layers(m); i++)
        cg_forward(&m->layer[i], i == 0 || i == m->common ? m->encoded : m->layer[i - 1].y,
                   m->mask);
    emit_decoders(m);
    if (train)
        emit_backward(m);
    emit_phase(m->e, "outfeed");
    OP(TRACE_OUTFEED, "loss+metrics", EMIT_IN(m->metrics));
}
#undef OP

static const char *const mode_names[] = { "train", "validate", NULL };

static const struct gen_param params[] = {
    [BATCH] = { "batch", 16, 1, 1024, "events a step and device [cuba-2022]", NULL },
    [ELEMENTS] = { "elements", 6400, 1, 65536, "of an event, padded [cuba-2022]", NULL },
    [BINS] = { "bins", 10, 1, 1024, "of hashed elements in an event, code of [cuba-2022]", NULL },
    [COMMON] = { "common", 3, 1, MAX_LAYERS, "graph layers that all heads use [cuba-2022]", NULL },
    [ENERGY_LAYERS] = { "energy", 3, 1, MAX_LAYERS, "graph layers of the energy [cuba-2022]",
                        NULL },
    [WIDTH] = { "width", 256, 1, 4096, "columns of a message, code of [cuba-2022]", NULL },
    [DISTANCE] = { "distance", 128, 1, 4096, "columns of a place, code of [cuba-2022]", NULL },
    [MODE] = { "mode", 0, 0, 1, "a training step, or a validation step: forward alone",
               mode_names },
    [OPTIMIZER] = { "optimizer", OPTION_ADAM, 0, OPTION_ADAM, "[cuba-2022]", option_optimizers },
    [PRECISION] = { "precision", EMIT_F32_TENSORS, 0, EMIT_HIGHEST, OPTION_PRECISION_DOC,
                    option_precisions },
    [EPOCH] = { "epoch", 1100, 1, UINT32_MAX, "events in the data set [cuba-2022]", NULL },
    [COMBINE] = OPTION_COMBINE,
    [UPDATE] = OPTION_UPDATE,
    [REAL] = { "real", 0, 0, 65536,
               "elements of an event on average, without its padding; 0: not known", NULL },
};
#define N_PARAMS (sizeof params / sizeof *params)

static int check_values(const uint64_t *value, struct err *err)
{
    if (value[REAL] > value[ELEMENTS])
        return err_set(err, ERR_RANGE, "mlpf: real = %" PRIu64 ": more than elements = %" PRIu64,
                       value[REAL], value[ELEMENTS]);
    return 0;
}

static void write_trace(const uint64_t *value, FILE *out)
{
    struct option_list list;
    struct emit_head head = { .workload = "mlpf",
                              .provenance =
                                  "MLPF benchmark model, padded events [cuba-2022]; generated",
                              .step_samples = value[BATCH],
                              .epoch_samples = value[EPOCH],
                              .precision = (enum emit_precision)value[PRECISION],
                              .products = true,
                              .framework = TRACE_TENSORFLOW };
    uint64_t bins = value[BINS], size = arith_ceil_div(value[ELEMENTS], bins);

    const struct trace_padding padding = {
        .name = "elements",
        .real = value[BATCH] * (value[REAL] ? value[REAL] : value[ELEMENTS]),
        .padded = value[BATCH] * bins * size,
    };
    head.padding = &padding;
    head.n_padding = 1;
    option_head(&head, &list, params, N_PARAMS, value);
    struct mlpf m = { .e = emit_new(&head),
                      .size = { value[BATCH], bins, size, value[BATCH] * bins * size, value[WIDTH],
                                value[DISTANCE] },
                      .rows = value[BATCH] * bins * size,
                      .width = value[WIDTH],
                      .common = value[COMMON],
                      .energy = value[ENERGY_LAYERS] };
    emit_step(&m, value, value[MODE] == 0);
    emit_print(m.e, out);
    net_clear(&m.net);
    emit_free(m.e);
}

const struct gen_workload mlpf_workload = {
    "mlpf",       "MLPF: particle flow with binned graph layers",
    params,       N_PARAMS,
    check_values, write_trace,
    NULL
};
