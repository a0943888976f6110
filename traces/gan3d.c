/* gan3d.c - 3DGAN: one adversarial training step on one core, in the order of its training loop.
 *
 *   generator:      z[latent] -> dense -> [seed_c, seed] -> upsample x6 -> conv1 .. conv7 -> image
 *   discriminator:  image -> conv1 .. conv4 -> average pool -> two dense heads; energy sums
 *   step:           fake images; D on real, D on fake, each with its update; twice: G through D
 *
 * Volumes are [batch, channels, x, y, z] f32; all convolutions have stride 1.  The window of the
 * generator's first convolution takes up what six times the seed is too large for the image. */
#include "workloads.h"

#include "conv.h"
#include "options.h"

#define UPSAMPLE 6
#define LAYERS_D 4
#define LAYERS_G 7

struct gan3d {
    struct emit *e;
    uint64_t batch, latent, image[3], seed[3], seed_c, pooled;
    struct net d, g;
    struct conv dl[LAYERS_D], gl[LAYERS_G];
    size_t g_w, g_b;              /* dense of the generator */
    size_t head_w[2], head_b[2];  /* dense heads of the discriminator: fake or real, energy */
    uint32_t losses;              /* state: 16 scalars that the host reads */
    uint32_t energy, angle, ecal; /* infeed */
    uint32_t z;                   /* of the generator's latest forward pass */
    uint32_t flat, head[2], sum, angles, refs, sums; /* of the discriminator's */
};

static const char *const head_name[2] = { "D.dense_fake", "D.dense_aux" };

/* --- declarations ------------------------------------------------------------------------- */

static void declare_discriminator(struct gan3d *m, uint64_t f)
{
    const struct conv layers[LAYERS_D] = {
        { .name = "D.conv1", .is_same = true, .c = 1, .o = 2 * f, .size = { 5, 6, 6 } },
        { .name = "D.conv2", .c = 2 * f, .o = f, .size = { 5, 6, 6 }, .pad = { 0, 0, 1 } },
        { .name = "D.conv3", .c = f, .o = f, .size = { 5, 6, 6 }, .pad = { 0, 0, 1 } },
        { .name = "D.conv4", .c = f, .o = f, .size = { 5, 6, 6 } },
    };

    for (int i = 0; i < LAYERS_D; i++) {
        m->dl[i] = layers[i];
        m->dl[i].net = &m->d;
        m->dl[i].batch = m->batch;
        m->dl[i].has_norm = i > 0;
        conv_place(&m->dl[i], i ? m->dl[i - 1].out : m->image);
        conv_declare(&m->dl[i]);
    }
    const uint64_t *last = m->dl[LAYERS_D - 1].out;
    m->pooled = f * (last[0] / 2) * (last[1] / 2) * (last[2] / 2);
    for (int i = 0; i < 2; i++) {
        m->head_w[i] = net_add(&m->d, EMIT_F32(m->pooled, 1), "%s.w", head_name[i]);
        m->head_b[i] = net_add(&m->d, EMIT_F32(1), "%s.b", head_name[i]);
    }
}

static void declare_generator(struct gan3d *m, uint64_t f)
{
    static const struct {
        const char *name;
        uint64_t size[3], pad[3];
    } conv[LAYERS_G] = {
        { "G.conv1", { 0, 0, 0 }, { 0, 0, 0 } }, /* its size is what is left over */
        { "G.conv2", { 4, 4, 6 }, { 2, 2, 1 } }, { "G.conv3", { 4, 4, 6 }, { 2, 2, 1 } },
        { "G.conv4", { 4, 4, 6 }, { 2, 2, 1 } }, { "G.conv5", { 3, 3, 5 }, { 1, 1, 0 } },
        { "G.conv6", { 3, 3, 3 }, { 1, 1, 0 } }, { "G.conv7", { 2, 2, 2 }, { 0, 0, 0 } },
    };
    uint64_t first[3], up[3];

    for (int i = 0; i < 3; i++) { /* backwards from the image to the output of conv1 */
        first[i] = m->image[i];
        for (int k = LAYERS_G - 1; k > 0; k--)
            first[i] += conv[k].size[i] - 1 - 2 * conv[k].pad[i];
        /* a window of at least 6x6x8 [cardoso-2020] */
        m->seed[i] = (first[i] + (i == 2 ? 7 : 5) + UPSAMPLE - 1) / UPSAMPLE;
        up[i] = UPSAMPLE * m->seed[i];
    }
    uint64_t dense = m->seed_c * conv_volume(m->seed);
    m->g_w = net_add(&m->g, EMIT_F32(m->latent, dense), "G.dense.w");
    m->g_b = net_add(&m->g, EMIT_F32(dense), "G.dense.b");
    for (int i = 0; i < LAYERS_G; i++) {
        struct conv *l = &m->gl[i];

        *l = (struct conv){
            .name = conv[i].name, .net = &m->g, .batch = m->batch, .has_norm = i < 5
        };
        for (int k = 0; k < 3; k++) {
            l->size[k] = i ? conv[i].size[k] : up[k] + 1 - first[k];
            l->pad[k] = conv[i].pad[k];
        }
        l->c = i == 0 ? m->seed_c : m->gl[i - 1].o;
        l->o = i == 0 ? m->seed_c : i == LAYERS_G - 1 ? 1 : f;
        conv_place(l, i ? m->gl[i - 1].out : up);
        conv_declare(l);
    }
}

/* --- the generator ------------------------------------------------------------------------ */

static uint32_t generator_forward(struct gan3d *m, bool training)
{
    struct emit *e = m->e;
    uint64_t dense = m->seed_c * conv_volume(m->seed), normals = m->latent - 2;

    m->z = emit_op(e, &(struct emit_op){ .kind = TRACE_RNG,
                                         .name = "G.noise_rng",
                                         EMIT_IN(m->energy, m->angle),
                                         EMIT_OUT({ .shape = EMIT_F32(m->batch, m->latent) }),
                                         .flops = 30 * m->batch * normals,
                                         .reads = EMIT_ZERO,
                                         .writes = 4 * m->batch * normals });
    uint32_t x = emit_op(e, &(struct emit_op){ .kind = TRACE_MATMUL,
                                               .name = "G.dense.fwd",
                                               EMIT_IN(m->z, m->g.var[m->g_w].w),
                                               .bias = m->g.var[m->g_b].w,
                                               EMIT_OUT({ .shape = EMIT_F32(m->batch, dense) }) });
    x = emit_op(e, &(struct emit_op){
                       .kind = TRACE_COPY,
                       .name = "G.upsample6",
                       EMIT_IN(x),
                       EMIT_OUT({ .shape = conv_shape(m->batch, m->seed_c, m->gl[0].in) }) });
    for (int i = 0; i < LAYERS_G; i++) {
        struct conv *l = &m->gl[i];

        l->act = x = conv_follow(l, "relu", conv_forward(l, x), 0, 1, false);
        if (l->has_norm)
            x = training ? conv_train_norm(l, x)
                         : conv_norm(l, x, l->moving_mean, l->moving_var, true);
    }
    return x;
}

/* `dy` is the gradient of the images, made by the kernel before, which the first step joins. */
static void generator_backward(struct gan3d *m, uint32_t dy)
{
    struct emit *e = m->e;
    uint64_t dense = m->seed_c * conv_volume(m->seed);

    for (int i = LAYERS_G - 1; i >= 0; i--) {
        struct conv *l = &m->gl[i];

        if (l->has_norm)
            dy = conv_norm_gradient(l, dy, true);
        dy = conv_follow(l, "relu_bwd", dy, l->act, 1, true);
        conv_filter_gradient(l, dy);
        dy = conv_input_gradient(l, dy);
    }
    dy = emit_op(
        e, &(struct emit_op){ .kind = TRACE_REDUCE,
                              .name = "G.upsample6.bwd",
                              EMIT_IN(dy),
                              EMIT_OUT({ .shape = EMIT_F32(m->batch, dense), .gradient = true }),
                              .flops = emit_elements(e, dy) });
    uint32_t dw = emit_op(
        e, &(struct emit_op){ .kind = TRACE_MATMUL,
                              .name = "G.dense.bwd_w",
                              EMIT_IN(m->z, dy),
                              EMIT_OUT({ .shape = EMIT_F32(m->latent, dense), .gradient = true }),
                              .attr = "ta=1" });
    uint32_t db =
        emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                      .name = "G.dense.bwd_b",
                                      EMIT_IN(dy),
                                      EMIT_OUT({ .shape = EMIT_F32(dense), .gradient = true }),
                                      .flops = m->batch * dense,
                                      .joins = true });

    net_gradient(&m->g, m->g_w, dw);
    net_gradient(&m->g, m->g_b, db);
}

/* --- the discriminator -------------------------------------------------------------------- */

/* Energy sums and the shower angle, on image^(1/0.85). */
static void physics_forward(struct gan3d *m, uint32_t image)
{
    struct emit *e = m->e;
    uint64_t b = m->batch, x = m->image[0], y = m->image[1], z = m->image[2], n = b * x * y * z;
    uint32_t inv = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                                 .name = "D.inv_image=pow(x,1/0.85)",
                                                 EMIT_IN(image),
                                                 EMIT_OUT({ .shape = EMIT_F32(b, x, y, z) }),
                                                 .flops = 20 * n });

    m->sum = emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                           .name = "D.ecal_sum",
                                           EMIT_IN(inv),
                                           EMIT_OUT({ .shape = EMIT_F32(b, 1) }),
                                           .flops = n });
    m->refs = emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                            .name = "D.ecal_angle.sumtot+x_ref+y_ref+z_ref",
                                            EMIT_IN(inv),
                                            EMIT_OUT({ .shape = EMIT_F32(b), "sumtot" },
                                                     { .shape = EMIT_F32(b), "x_ref" },
                                                     { .shape = EMIT_F32(b), "y_ref" },
                                                     { .shape = EMIT_F32(b), "z_ref" }),
                                            .flops = 4 * n,
                                            .reads = 4 * 4 * n });
    m->sums = emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                            .name = "D.ecal_angle.sumz+sum_axis1+sum_axis2",
                                            EMIT_IN(inv),
                                            EMIT_OUT({ .shape = EMIT_F32(b, z), "sumz" },
                                                     { .shape = EMIT_F32(b, y, z), "sum_axis1" },
                                                     { .shape = EMIT_F32(b, x, z), "sum_axis2" }),
                                            .flops = 3 * n,
                                            .reads = 3 * 4 * n });
    m->angles = emit_op(
        e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                              .name = "D.ecal_angle.barycenters+atan+weights",
                              EMIT_IN(m->sums, m->sums + 1, m->sums + 2, m->refs, m->refs + 1,
                                      m->refs + 2, m->refs + 3),
                              EMIT_OUT({ .shape = EMIT_F32(b, 1) }),
                              .flops = 60 * b * z,
                              .reads = 4 * b * z * (x + y + 1 + 5), /* 5 vectors along z again */
                              .writes = 4 * b * (z + 1),
                              .joins = true });
}

/* Predictions and what they should be: label, energy, angle, energy sum. */
#define LOSS_TERMS(m, label)                                                                       \
    (m)->head[0], (m)->head[1], (m)->angles, (m)->sum, label, (m)->energy, (m)->angle, (m)->ecal

static void discriminator_forward(struct gan3d *m, uint32_t image, uint32_t label, const char *loss)
{
    struct emit *e = m->e;
    uint32_t x = image;

    for (int i = 0; i < LAYERS_D; i++) {
        struct conv *l = &m->dl[i];

        l->act = x = conv_follow(l, "leakyrelu(0.3)", conv_forward(l, x), 0, 2, false);
        if (l->has_norm)
            x = conv_train_norm(l, x);
        l->y = x = conv_dropout(l, x);
        /* where the dropout let a value pass it kept the sign, and elsewhere the gradient is zero
         * before it comes to the activation: conv1 need not keep both */
        if (!l->has_norm)
            l->act = l->y;
    }
    x = emit_op(e, &(struct emit_op){ .kind = TRACE_POOL,
                                      .name = "D.avgpool2",
                                      EMIT_IN(x),
                                      EMIT_OUT({ .shape = EMIT_F32(m->batch, m->pooled) }),
                                      .flops = 8 * m->batch * m->pooled });
    m->flat = x;
    for (int i = 0; i < 2; i++)
        m->head[i] = emit_op(e, &(struct emit_op){ .kind = TRACE_MATMUL,
                                                   .name = emit_text(e, "%s.fwd", head_name[i]),
                                                   EMIT_IN(x, m->d.var[m->head_w[i]].w),
                                                   .bias = m->d.var[m->head_b[i]].w,
                                                   EMIT_OUT({ .shape = EMIT_F32(m->batch, 1) }) });
    physics_forward(m, image);
    emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                  .name = loss,
                                  EMIT_IN(LOSS_TERMS(m, label), m->losses),
                                  EMIT_OUT({ .shape = EMIT_F32(4) }), /* its place in losses */
                                  .flops = 40 * m->batch,
                                  .reads = 8 * 4 * m->batch,
                                  .joins = true });
}

/* Back to the gradient of conv1's result.  `learns`: with the gradients of the variables. */
static uint32_t discriminator_backward(struct gan3d *m, uint32_t dloss, bool learns)
{
    struct emit *e = m->e;
    struct net *d = &m->d;
    uint32_t dx[2];

    for (int i = 0; i < 2; i++) {
        if (learns)
            net_gradient(
                d, m->head_w[i],
                emit_op(e, &(struct emit_op){
                               .kind = TRACE_MATMUL,
                               .name = emit_text(e, "%s.bwd_w", head_name[i]),
                               EMIT_IN(m->flat, dloss + (uint32_t)i),
                               EMIT_OUT({ .shape = EMIT_F32(m->pooled, 1), .gradient = true }),
                               .attr = "ta=1",
                               .joins = i == 0 }));
        dx[i] = emit_op(e, &(struct emit_op){ .kind = TRACE_MATMUL,
                                              .name = emit_text(e, "%s.bwd_x", head_name[i]),
                                              EMIT_IN(dloss + (uint32_t)i, d->var[m->head_w[i]].w),
                                              EMIT_OUT({ .shape = EMIT_F32(m->batch, m->pooled),
                                                         .gradient = true }),
                                              .attr = "tb=1",
                                              .joins = i == 0 && !learns });
    }
    struct conv *last = &m->dl[LAYERS_D - 1];
    uint32_t dy =
        emit_op(e, &(struct emit_op){ .kind = TRACE_POOL,
                                      .name = "D.avgpool2.bwd",
                                      EMIT_IN(dx[0], dx[1]),
                                      EMIT_OUT({ .shape = conv_shape(m->batch, last->o, last->out),
                                                 .gradient = true }),
                                      .flops = m->batch * last->o * conv_volume(last->out) });
    for (int i = LAYERS_D - 1; i >= 0; i--) {
        struct conv *l = &m->dl[i];

        dy = conv_follow(l, "dropout_bwd", dy, l->y, 1, true);
        if (l->has_norm)
            dy = conv_norm_gradient(l, dy, learns);
        dy = conv_follow(l, "leakyrelu_bwd", dy, l->act, 2, true);
        if (learns)
            conv_filter_gradient(l, dy);
        if (i > 0)
            dy = conv_input_gradient(l, dy);
    }
    return dy;
}

static uint32_t loss_gradient(struct gan3d *m, uint32_t label, const char *third,
                              const char *fourth, uint64_t n)
{
    /* two [batch, 1] count; the bias gradients of the heads, or the gradients of angle and energy
     * sum, come with them */
    return emit_op(m->e,
                   &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                      .name = "D.loss_bwd",
                                      EMIT_IN(LOSS_TERMS(m, label)),
                                      EMIT_OUT({ .shape = EMIT_F32(m->batch, 1), "dfake", true },
                                               { .shape = EMIT_F32(m->batch, 1), "daux", true },
                                               { .shape = EMIT_F32(n), third, true },
                                               { .shape = EMIT_F32(n), fourth, true }),
                                      .flops = 20 * m->batch,
                                      .writes = 8 * m->batch });
}

/* --- the step ----------------------------------------------------------------------------- */

static void train_discriminator(struct gan3d *m, const char *phase, uint32_t image, uint32_t label)
{
    emit_phase(m->e, emit_text(m->e, "%s_fwd", phase));
    discriminator_forward(m, image, label, "D.loss(bce,mape,mae,mape)");
    emit_phase(m->e, emit_text(m->e, "%s_bwd", phase));
    uint32_t dloss = loss_gradient(m, label, "db_fake", "db_aux", 1);
    for (int i = 0; i < 2; i++)
        net_gradient(&m->d, m->head_b[i], dloss + 2 + (uint32_t)i);
    discriminator_backward(m, dloss, true);
    emit_phase(m->e, emit_text(m->e, "%s_upd", phase));
    net_update(&m->d);
}

static void train_generator(struct gan3d *m, uint32_t label)
{
    struct emit *e = m->e;
    uint64_t b = m->batch, x = m->image[0], y = m->image[1], z = m->image[2], n = b * x * y * z;
    struct conv *first = &m->dl[0];

    emit_phase(e, "g_fwd");
    uint32_t image = generator_forward(m, true);
    discriminator_forward(m, image, label, "G.loss(bce,mape,mae,mape)");
    emit_phase(e, "g_bwd");
    uint32_t dloss = loss_gradient(m, label, "dangle", "decal", b);
    uint32_t dy = conv_input_gradient(first, discriminator_backward(m, dloss, false));
    uint32_t dphysics =
        emit_op(e, &(struct emit_op){
                       .kind = TRACE_ELEMENTWISE,
                       .name = "D.physics_bwd(broadcast of ecal+angle grads, *d pow)",
                       EMIT_IN(image, m->sums, m->sums + 1, m->sums + 2, m->refs + 1, m->refs + 2,
                               m->refs + 3, dloss + 2, dloss + 3),
                       EMIT_OUT({ .shape = conv_shape(m->batch, 1, m->image), .gradient = true }),
                       .flops = 45 * n });
    dy = emit_op(e, &(struct emit_op){
                        .kind = TRACE_ELEMENTWISE,
                        .name = "D.dimage_add",
                        EMIT_IN(dy, dphysics),
                        EMIT_OUT({ .shape = conv_shape(m->batch, 1, m->image), .gradient = true }),
                        .flops = n,
                        .joins = true });
    generator_backward(m, dy);
    emit_phase(e, "g_upd");
    net_update(&m->g);
}

enum {
    BATCH,
    IMAGE_X,
    IMAGE_Y,
    IMAGE_Z,
    LATENT,
    D_FILTERS,
    G_FILTERS,
    G_SEED,
    OPTIMIZER,
    PRECISION,
    EPOCH,
};

static void build(struct gan3d *m, const uint64_t *v)
{
    struct emit *e = m->e;

    net_init(&m->d, e, "D.", option_optimizer(v[OPTIMIZER]));
    net_init(&m->g, e, "G.", option_optimizer(v[OPTIMIZER]));
    declare_discriminator(m, v[D_FILTERS]);
    declare_generator(m, v[G_FILTERS]);
    /* label noise is drawn once, when the step is traced */
    uint32_t real = emit_tensor(e, TRACE_CONSTANT, EMIT_F32(m->batch, 1), "label.real");
    uint32_t fake = emit_tensor(e, TRACE_CONSTANT, EMIT_F32(m->batch, 1), "label.fake");
    uint32_t trick = emit_tensor(e, TRACE_CONSTANT, EMIT_F32(m->batch, 1), "label.trick");
    m->losses = emit_tensor(e, TRACE_STATE, EMIT_F32(16), "losses");

    emit_phase(e, "infeed");
    uint32_t x =
        emit_op(e, &(struct emit_op){ .kind = TRACE_INFEED,
                                      .name = "infeed.batch",
                                      EMIT_OUT({ .shape = conv_shape(m->batch, 1, m->image), "x" },
                                               { .shape = EMIT_F32(m->batch, 1), "energy" },
                                               { .shape = EMIT_F32(m->batch, 1), "angle" },
                                               { .shape = EMIT_F32(m->batch, 1), "ecal" }) });
    m->energy = x + 1;
    m->angle = x + 2;
    m->ecal = x + 3;
    emit_phase(e, "g_infer");
    uint32_t images_fake = generator_forward(m, false);
    train_discriminator(m, "d_real", x, real);
    train_discriminator(m, "d_fake", images_fake, fake);
    emit_repeat(e, 2);
    train_generator(m, trick);
    emit_repeat_end(e);
    emit_phase(e, "outfeed");
    emit_op(e, &(struct emit_op){ .kind = TRACE_OUTFEED,
                                  .name = "losses.reduce+outfeed",
                                  EMIT_IN(m->losses),
                                  .flops = 16,
                                  .attr = "sync=1" });
}

static const struct gen_param params[] = {
    [BATCH] = { "batch", 128, 1, 4096, "images a step and core [cardoso-2020]", NULL },
    [IMAGE_X] = { "x", 51, 14, 256, "image cells along x [cardoso-2020]", NULL },
    [IMAGE_Y] = { "y", 51, 17, 256, "image cells along y [cardoso-2020]", NULL },
    [IMAGE_Z] = { "z", 25, 13, 256, "image cells along z [cardoso-2020]", NULL },
    [LATENT] = { "latent", 256, 3, 65536,
                 "latent vector: energy, angle, normal numbers [cardoso-2020]", NULL },
    [D_FILTERS] = { "d_filters", 8, 1, 128,
                    "channels of the discriminator, twice that in its first layer", NULL },
    [G_FILTERS] = { "g_filters", 6, 1, 128, "channels of the generator after its first layer",
                    NULL },
    [G_SEED] = { "g_seed", 8, 1, 128, "channels of the generator's seed and first layer", NULL },
    [OPTIMIZER] = { "optimizer", OPTION_RMSPROP, 0, OPTION_ADAM, "of both networks [cardoso-2020]",
                    option_optimizers },
    [PRECISION] = { "precision", EMIT_F32_TENSORS, 0, EMIT_HIGHEST, OPTION_PRECISION_DOC,
                    option_precisions },
    [EPOCH] = { "epoch", 124987, 1, UINT32_MAX, "images in the data set", NULL },
};
#define N_PARAMS (sizeof params / sizeof *params)

static void write_trace(const uint64_t *value, FILE *out)
{
    struct option_list list;
    struct emit_head head = { .workload = "3dgan",
                              .provenance = "3DGAN, custom training loop: 51x51x25 calorimeter "
                                            "images [cardoso-2020]; generated",
                              .step_samples = value[BATCH],
                              .epoch_samples = value[EPOCH],
                              .precision = (enum emit_precision)value[PRECISION] };

    option_head(&head, &list, params, N_PARAMS, value);
    struct gan3d m = { .e = emit_new(&head),
                       .batch = value[BATCH],
                       .image = { value[IMAGE_X], value[IMAGE_Y], value[IMAGE_Z] },
                       .latent = value[LATENT],
                       .seed_c = value[G_SEED] };
    build(&m, value);
    emit_print(m.e, out);
    net_clear(&m.d);
    net_clear(&m.g);
    emit_free(m.e);
}

const struct gen_workload gan3d_workload = {
    "3dgan",    "3DGAN: adversarial training step on calorimeter images", params, N_PARAMS, NULL,
    write_trace
};
