/* gan3d.c - 3DGAN: one adversarial training step on one core, in the order of its training loop.
 *
 *   generator:      z[latent] -> dense -> [seed_c, seed] -> upsample x6 -> conv1 .. conv7 -> image
 *   discriminator:  image -> conv1 .. conv4 -> average pool -> two dense heads; energy sums
 *   step:           fake images; D on real, D on fake, each with its update; twice: G through D
 *
 * Volumes are f32[batch, channels, x, y, z]; all convolutions have stride 1.  Six times the seed is
 * larger than the image needs; the window of the generator's first convolution is as large as it
 * takes to remove the difference. */
#include "gan3d.h"

#define UPSAMPLE 6

static const char *const head_name[2] = { "D.dense_fake", "D.dense_aux" };

/* --- declarations ------------------------------------------------------------------------- */

void gan3d_declare_discriminator(struct gan3d *m, uint64_t f)
{
    const struct conv layers[GAN3D_LAYERS_D] = {
        { .name = "D.conv1", .is_same = true, .c = 1, .o = 2 * f, .size = { 5, 6, 6 } },
        { .name = "D.conv2", .c = 2 * f, .o = f, .size = { 5, 6, 6 }, .pad = { 0, 0, 1 } },
        { .name = "D.conv3", .c = f, .o = f, .size = { 5, 6, 6 }, .pad = { 0, 0, 1 } },
        { .name = "D.conv4", .c = f, .o = f, .size = { 5, 6, 6 } },
    };

    for (int i = 0; i < GAN3D_LAYERS_D; i++) {
        m->dl[i] = layers[i];
        m->dl[i].net = &m->d;
        m->dl[i].batch = m->batch;
        m->dl[i].has_norm = i > 0;
        conv_place(&m->dl[i], i ? m->dl[i - 1].out : m->image);
        conv_declare(&m->dl[i]);
    }
    const uint64_t *last = m->dl[GAN3D_LAYERS_D - 1].out;
    m->pooled = f * (last[0] / 2) * (last[1] / 2) * (last[2] / 2);
    for (int i = 0; i < 2; i++) {
        m->head_w[i] = net_add(&m->d, EMIT_F32(m->pooled, 1), "%s.w", head_name[i]);
        m->head_b[i] = net_add(&m->d, EMIT_F32(1), "%s.b", head_name[i]);
    }
}

void gan3d_declare_generator(struct gan3d *m, uint64_t f)
{
    static const struct {
        const char *name;
        uint64_t size[3], pad[3];
    } conv[GAN3D_LAYERS_G] = {
        { "G.conv1", { 0, 0, 0 }, { 0, 0, 0 } }, /* its window is computed below */
        { "G.conv2", { 4, 4, 6 }, { 2, 2, 1 } }, { "G.conv3", { 4, 4, 6 }, { 2, 2, 1 } },
        { "G.conv4", { 4, 4, 6 }, { 2, 2, 1 } }, { "G.conv5", { 3, 3, 5 }, { 1, 1, 0 } },
        { "G.conv6", { 3, 3, 3 }, { 1, 1, 0 } }, { "G.conv7", { 2, 2, 2 }, { 0, 0, 0 } },
    };
    uint64_t first[3], up[3];

    for (int i = 0; i < 3; i++) { /* backwards from the image to the output of conv1 */
        first[i] = m->image[i];
        for (int k = GAN3D_LAYERS_G - 1; k > 0; k--)
            first[i] += conv[k].size[i] - 1 - 2 * conv[k].pad[i];
        /* a window of at least 6x6x8 [cardoso-2020] */
        m->seed[i] = (first[i] + (i == 2 ? 7 : 5) + UPSAMPLE - 1) / UPSAMPLE;
        up[i] = UPSAMPLE * m->seed[i];
    }
    uint64_t dense = m->seed_c * conv_volume(m->seed);
    m->g_w = net_add(&m->g, EMIT_F32(m->latent, dense), "G.dense.w");
    m->g_b = net_add(&m->g, EMIT_F32(dense), "G.dense.b");
    for (int i = 0; i < GAN3D_LAYERS_G; i++) {
        struct conv *l = &m->gl[i];

        *l = (struct conv){
            .name = conv[i].name, .net = &m->g, .batch = m->batch, .has_norm = i < 5
        };
        for (int k = 0; k < 3; k++) {
            l->size[k] = i ? conv[i].size[k] : up[k] + 1 - first[k];
            l->pad[k] = conv[i].pad[k];
        }
        l->c = i == 0 ? m->seed_c : m->gl[i - 1].o;
        l->o = i == 0 ? m->seed_c : i == GAN3D_LAYERS_G - 1 ? 1 : f;
        conv_place(l, i ? m->gl[i - 1].out : up);
        conv_declare(l);
    }
}

void gan3d_set_batch(struct gan3d *m, uint64_t batch)
{
    m->batch = batch;
    for (int i = 0; i < GAN3D_LAYERS_D; i++)
        m->dl[i].batch = batch;
    for (int i = 0; i < GAN3D_LAYERS_G; i++)
        m->gl[i].batch = batch;
}

/* --- the generator ------------------------------------------------------------------------ */

#define BIASED "passes=2" /* adds the bias of the convolution first */

uint32_t gan3d_generator_forward(struct gan3d *m, bool training)
{
    struct emit *e = m->e;
    uint64_t dense = m->seed_c * conv_volume(m->seed), normals = m->latent - 2;

    m->z = m->noise
               ? m->noise
               : emit_op(e, &(struct emit_op){ .kind = TRACE_RNG,
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
    for (int i = 0; i < GAN3D_LAYERS_G; i++) {
        struct conv *l = &m->gl[i];

        l->act = x = conv_follow(l, "relu", conv_forward(l, x), 0, 1, BIASED, false);
        if (l->has_norm)
            x = training ? conv_train_norm(l, x)
                         : conv_norm(l, x, l->moving_mean, l->moving_var, true);
    }
    return x;
}

/* Backward pass from dy, the gradient of the images.  Its first operation joins the kernel that
 * computed dy. */
static void emit_generator_backward(struct gan3d *m, uint32_t dy)
{
    struct emit *e = m->e;
    uint64_t dense = m->seed_c * conv_volume(m->seed);

    for (int i = GAN3D_LAYERS_G - 1; i >= 0; i--) {
        struct conv *l = &m->gl[i];

        if (l->has_norm)
            dy = conv_norm_gradient(l, dy, true);
        dy = conv_follow(l, "relu_bwd", dy, l->act, 1, NULL, true);
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
                                      .attr = "dims=0",
                                      .flops = m->batch * dense,
                                      .joins = true });

    net_gradient(&m->g, m->g_w, dw);
    net_gradient(&m->g, m->g_b, db);
}

/* --- the discriminator -------------------------------------------------------------------- */

/* Energy sums and shower angles of the images, after taking each cell to the power 1/0.85. */
static void emit_physics(struct gan3d *m, uint32_t image)
{
    struct emit *e = m->e;
    uint64_t b = m->batch, x = m->image[0], y = m->image[1], z = m->image[2], n = b * x * y * z;
    uint32_t inv = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                                 .name = "D.inv_image=pow(x,1/0.85)",
                                                 EMIT_IN(image),
                                                 EMIT_OUT({ .shape = EMIT_F32(b, x, y, z) }),
                                                 .attr = "fn=power fn-flops=20",
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

/* The discriminator's four predictions (fake or real, energy, angle, energy sum), then their
 * targets in the same order. */
#define LOSS_TERMS(m, label)                                                                       \
    (m)->head[0], (m)->head[1], (m)->angles, (m)->sum, label, (m)->energy, (m)->angle, (m)->ecal

static void emit_discriminator_forward(struct gan3d *m, uint32_t image, uint32_t label,
                                       const char *loss)
{
    struct emit *e = m->e;
    uint32_t x = image;

    for (int i = 0; i < GAN3D_LAYERS_D; i++) {
        struct conv *l = &m->dl[i];

        l->act = x = conv_follow(l, "leakyrelu(0.3)", conv_forward(l, x), 0, 2, BIASED, false);
        if (l->has_norm)
            x = conv_train_norm(l, x);
        l->y = x = conv_dropout(l, x);
        /* conv1 keeps only the values after dropout: where one is not zero it has the sign of the
         * activation, and where it is zero so is the gradient */
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
    emit_physics(m, image);
    emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                  .name = loss,
                                  EMIT_IN(LOSS_TERMS(m, label), m->losses),
                                  EMIT_OUT({ .shape = EMIT_F32(4) }), /* its place in losses */
                                  .flops = 40 * m->batch,
                                  .reads = 8 * 4 * m->batch,
                                  .joins = true });
}

/* Backward pass to the gradient of conv1's result.  `learns`: also give the variables theirs. */
static uint32_t emit_discriminator_backward(struct gan3d *m, uint32_t dloss, bool learns)
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
    struct conv *last = &m->dl[GAN3D_LAYERS_D - 1];
    uint32_t dy =
        emit_op(e, &(struct emit_op){ .kind = TRACE_POOL,
                                      .name = "D.avgpool2.bwd",
                                      EMIT_IN(dx[0], dx[1]),
                                      EMIT_OUT({ .shape = conv_shape(m->batch, last->o, last->out),
                                                 .gradient = true }),
                                      .flops = m->batch * last->o * conv_volume(last->out) });
    for (int i = GAN3D_LAYERS_D - 1; i >= 0; i--) {
        struct conv *l = &m->dl[i];

        dy = conv_follow(l, "dropout_bwd", dy, l->y, 1, "passes=2", true);
        if (l->has_norm)
            dy = conv_norm_gradient(l, dy, learns);
        dy = conv_follow(l, "leakyrelu_bwd", dy, l->act, 2, NULL, true);
        if (learns)
            conv_filter_gradient(l, dy);
        if (i > 0)
            dy = conv_input_gradient(l, dy);
    }
    return dy;
}

static uint32_t emit_loss_gradient(struct gan3d *m, uint32_t label, const char *third,
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

void gan3d_train_discriminator(struct gan3d *m, const char *phase, uint32_t image, uint32_t label)
{
    emit_phase(m->e, emit_text(m->e, "%s_fwd", phase));
    emit_discriminator_forward(m, image, label, "D.loss(bce,mape,mae,mape)");
    emit_phase(m->e, emit_text(m->e, "%s_bwd", phase));
    uint32_t dloss = emit_loss_gradient(m, label, "db_fake", "db_aux", 1);
    for (int i = 0; i < 2; i++)
        net_gradient(&m->d, m->head_b[i], dloss + 2 + (uint32_t)i);
    emit_discriminator_backward(m, dloss, true);
    emit_phase(m->e, emit_text(m->e, "%s_upd", phase));
    net_update(&m->d);
}

void gan3d_train_generator(struct gan3d *m, uint32_t label)
{
    struct emit *e = m->e;
    uint64_t b = m->batch, x = m->image[0], y = m->image[1], z = m->image[2], n = b * x * y * z;
    struct conv *first = &m->dl[0];

    emit_phase(e, "g_fwd");
    uint32_t image = gan3d_generator_forward(m, true);
    emit_discriminator_forward(m, image, label, "G.loss(bce,mape,mae,mape)");
    emit_phase(e, "g_bwd");
    uint32_t dloss = emit_loss_gradient(m, label, "dangle", "decal", b);
    uint32_t dy = conv_input_gradient(first, emit_discriminator_backward(m, dloss, false));
    uint32_t dphysics =
        emit_op(e, &(struct emit_op){
                       .kind = TRACE_ELEMENTWISE,
                       .name = "D.physics_bwd(broadcast of ecal+angle grads, *d pow)",
                       EMIT_IN(image, m->sums, m->sums + 1, m->sums + 2, m->refs + 1, m->refs + 2,
                               m->refs + 3, dloss + 2, dloss + 3),
                       EMIT_OUT({ .shape = conv_shape(m->batch, 1, m->image), .gradient = true }),
                       .attr = "fn=power fn-flops=20",
                       .flops = 45 * n });
    dy = emit_op(e, &(struct emit_op){
                        .kind = TRACE_ELEMENTWISE,
                        .name = "D.dimage_add",
                        EMIT_IN(dy, dphysics),
                        EMIT_OUT({ .shape = conv_shape(m->batch, 1, m->image), .gradient = true }),
                        .flops = n,
                        .joins = true });
    emit_generator_backward(m, dy);
    emit_phase(e, "g_upd");
    net_update(&m->g);
}
