#include "conv_layer.h"

#define BUT_CHANNELS "dims=0+2+3+4" /* of [batch, channels, x, y, z] */

uint64_t conv_volume(const uint64_t dim[3])
{
    return dim[0] * dim[1] * dim[2];
}

struct trace_shape conv_shape(uint64_t batch, uint64_t c, const uint64_t dim[3])
{
    return EMIT_F32(batch, c, dim[0], dim[1], dim[2]);
}

static uint64_t count_outputs(const struct conv *l)
{
    return l->batch * l->o * conv_volume(l->out);
}

void conv_place(struct conv *l, const uint64_t in[3])
{
    for (int i = 0; i < 3; i++) {
        l->in[i] = in[i];
        l->padded[i] = in[i] + 2 * l->pad[i];
        l->out[i] = l->is_same ? in[i] : l->padded[i] + 1 - l->size[i];
    }
}

void conv_declare(struct conv *l)
{
    struct net *net = l->net;

    l->w = net_add(net, EMIT_F32(l->o, l->c, l->size[0], l->size[1], l->size[2]), "%s.w", l->name);
    l->b = net_add(net, EMIT_F32(l->o), "%s.b", l->name);
    if (!l->has_norm)
        return;
    l->gamma = net_add(net, EMIT_F32(l->o), "%s.gamma", l->name);
    l->beta = net_add(net, EMIT_F32(l->o), "%s.beta", l->name);
    l->moving_mean = emit_tensor(net->e, TRACE_STATE, EMIT_F32(l->o),
                                 emit_text(net->e, "%s.moving_mean", l->name));
    l->moving_var = emit_tensor(net->e, TRACE_STATE, EMIT_F32(l->o),
                                emit_text(net->e, "%s.moving_var", l->name));
}

/* Window attributes of the forward convolution, or of a gradient, whose window includes padding. */
static const char *attr_of_window(const struct conv *l, bool gradient)
{
    struct net *net = l->net;
    unsigned long long s[3], lo[3], hi[3], any = 0;

    for (int i = 0; i < 3; i++) {
        s[i] = l->size[i];
        lo[i] = l->is_same ? (s[i] - 1) / 2 : gradient ? l->pad[i] : 0;
        hi[i] = l->is_same ? s[i] / 2 : lo[i];
        any += lo[i] + hi[i];
    }
    if (any == 0)
        return emit_text(net->e, "size=%llux%llux%llu", s[0], s[1], s[2]);
    return emit_text(net->e, "size=%llux%llux%llu pad=%llu_%llux%llu_%llux%llu_%llu", s[0], s[1],
                     s[2], lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
}

static const char *name_of(const struct conv *l, const char *what)
{
    struct net *net = l->net;

    return emit_text(net->e, "%s.%s", l->name, what);
}

uint32_t conv_follow(const struct conv *l, const char *what, uint32_t x, uint32_t x2,
                     uint64_t flops, const char *attr, bool gradient)
{
    struct net *net = l->net;

    return emit_op(
        net->e, &(struct emit_op){
                    .kind = TRACE_ELEMENTWISE,
                    .name = name_of(l, what),
                    EMIT_IN(x, x2),
                    EMIT_OUT({ .shape = conv_shape(l->batch, l->o, l->out), .gradient = gradient }),
                    .flops = flops * count_outputs(l),
                    .attr = attr,
                    .joins = true });
}

uint32_t conv_forward(struct conv *l, uint32_t x)
{
    struct net *net = l->net;
    bool pads = l->pad[0] + l->pad[1] + l->pad[2] > 0;

    l->x = x;
    if (pads)
        x = emit_op(net->e, &(struct emit_op){
                                .kind = TRACE_COPY,
                                .name = name_of(l, "zeropad"),
                                EMIT_IN(x),
                                EMIT_OUT({ .shape = conv_shape(l->batch, l->c, l->padded) }) });
    return emit_op(net->e,
                   &(struct emit_op){ .kind = TRACE_CONV,
                                      .name = name_of(l, "fwd"),
                                      EMIT_IN(x, net->var[l->w].w),
                                      .bias = net->var[l->b].w,
                                      EMIT_OUT({ .shape = conv_shape(l->batch, l->o, l->out) }),
                                      .attr = attr_of_window(l, false),
                                      .joins = pads });
}

uint32_t conv_norm(struct conv *l, uint32_t x, uint32_t mean, uint32_t var, bool joins)
{
    struct net *net = l->net;

    return emit_op(
        net->e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                   .name = name_of(l, "bn_norm"),
                                   EMIT_IN(x, mean, var, net->var[l->gamma].w, net->var[l->beta].w),
                                   EMIT_OUT({ .shape = conv_shape(l->batch, l->o, l->out) }),
                                   .attr = "passes=2", /* by the factor, plus the term */
                                   .flops = 2 * count_outputs(l),
                                   .joins = joins });
}

uint32_t conv_train_norm(struct conv *l, uint32_t x)
{
    struct net *net = l->net;
    uint64_t n = count_outputs(l);

    l->mean = emit_op(net->e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                                 .name = name_of(l, "bn_mean"),
                                                 EMIT_IN(x),
                                                 EMIT_OUT({ .shape = EMIT_F32(l->o) }),
                                                 .attr = BUT_CHANNELS,
                                                 .flops = n });
    l->var =
        emit_op(net->e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                           .name = name_of(l, "bn_var"),
                                           EMIT_IN(x, l->mean),
                                           EMIT_OUT({ .shape = EMIT_F32(l->o) }),
                                           .attr = "passes=2 " BUT_CHANNELS, /* squares first */
                                           .flops = 3 * n });
    emit_op(net->e, &(struct emit_op){ .kind = TRACE_OPTIMIZER, /* updates its state in place */
                                       .name = name_of(l, "bn_moving_avg"),
                                       EMIT_IN(l->mean, l->var, l->moving_mean, l->moving_var),
                                       .flops = 6 * l->o,
                                       .joins = true });
    return conv_norm(l, x, l->mean, l->var, false);
}

uint32_t conv_dropout(const struct conv *l, uint32_t x)
{
    struct net *net = l->net;
    const uint64_t *o = l->out;
    uint64_t n = count_outputs(l);
    uint32_t bits = emit_op(
        net->e, &(struct emit_op){
                    .kind = TRACE_RNG,
                    .name = name_of(l, "dropout_rng"),
                    EMIT_OUT({ .shape = EMIT_SHAPE(TRACE_U32, l->batch, l->o, o[0], o[1], o[2]) }),
                    .flops = 10 * n,
                    .joins = true });

    return emit_op(net->e,
                   &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                      .name = name_of(l, "dropout(0.2)"),
                                      EMIT_IN(x, bits),
                                      EMIT_OUT({ .shape = conv_shape(l->batch, l->o, l->out) }),
                                      .attr = "passes=4", /* scale, compare, convert, mask */
                                      .flops = 2 * n,
                                      .reads = 4 * n, /* the bits are made in place */
                                      .joins = true });
}

void conv_filter_gradient(struct conv *l, uint32_t dy)
{
    struct net *net = l->net;
    bool pads = l->pad[0] + l->pad[1] + l->pad[2] > 0;
    uint64_t padded = l->batch * l->c * conv_volume(l->padded);

    uint32_t dw =
        emit_op(net->e, &(struct emit_op){ .kind = TRACE_CONV_WGRAD,
                                           .name = name_of(l, "bwd_filter"),
                                           EMIT_IN(l->x, dy),
                                           EMIT_OUT({ .shape = emit_shape(net->e, net->var[l->w].w),
                                                      .gradient = true }),
                                           .attr = attr_of_window(l, true),
                                           .reads = pads ? 4 * (padded + count_outputs(l)) : 0 });
    uint32_t db =
        emit_op(net->e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                           .name = name_of(l, "bwd_bias"),
                                           EMIT_IN(dy),
                                           EMIT_OUT({ .shape = EMIT_F32(l->o), .gradient = true }),
                                           .attr = BUT_CHANNELS,
                                           .flops = count_outputs(l),
                                           .joins = true });

    net_gradient(net, l->w, dw);
    net_gradient(net, l->b, db);
}

uint32_t conv_input_gradient(const struct conv *l, uint32_t dy)
{
    struct net *net = l->net;

    return emit_op(net->e, &(struct emit_op){ .kind = TRACE_CONV_DGRAD,
                                              .name = name_of(l, "bwd_input"),
                                              EMIT_IN(dy, net->var[l->w].w),
                                              EMIT_OUT({ .shape = conv_shape(l->batch, l->c, l->in),
                                                         .gradient = true }),
                                              .attr = attr_of_window(l, true) });
}

uint32_t conv_norm_gradient(struct conv *l, uint32_t dy, bool keeps)
{
    uint64_t n = count_outputs(l);
    struct net *net = l->net;
    uint32_t dgamma = emit_op(
        net->e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                   .name = name_of(l, "bn_bwd_reduce"),
                                   EMIT_IN(dy, l->act, l->mean, l->var),
                                   EMIT_OUT({ .shape = EMIT_F32(l->o), "dgamma", true },
                                            { .shape = EMIT_F32(l->o), "dbeta", true }),
                                   .attr = "passes=3 " BUT_CHANNELS, /* a product, two sums */
                                   .flops = 4 * n });

    if (keeps) {
        net_gradient(net, l->gamma, dgamma);
        net_gradient(net, l->beta, dgamma + 1);
    }
    return emit_op(net->e,
                   &(struct emit_op){
                       .kind = TRACE_ELEMENTWISE,
                       .name = name_of(l, "bn_bwd_dx"),
                       EMIT_IN(dy, l->act, l->mean, l->var, dgamma, dgamma + 1),
                       EMIT_OUT({ .shape = conv_shape(l->batch, l->o, l->out), .gradient = true }),
                       .attr = "passes=9", /* mean and variance spread their gradients */
                       .flops = 5 * n });
}
