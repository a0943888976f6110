#include "net.h"

#include <inttypes.h>

#include <stdarg.h>
#include <stdlib.h>

const struct net_optimizer net_sgd = { "sgd", { NULL, NULL }, 2, NULL };
const struct net_optimizer net_momentum = { "momentum", { "v", NULL }, 4, NULL };
const struct net_optimizer net_rmsprop = { "rmsprop", { "ms", NULL }, 8, "fn=rsqrt" };
const struct net_optimizer net_adam = { "adam", { "m", "v" }, 12, "fn=sqrt" };

const struct net_activation net_relu = { "bias_relu", "relu_bwd", 2, 1, NULL };
const struct net_activation net_elu = { "bias_elu", "elu_bwd", 6, 3, "fn=exponential" };
const struct net_activation net_linear = { "bias", NULL, 1, 0, NULL };
const struct net_activation net_bare = { NULL, NULL, 0, 0, NULL };

void net_init(struct net *net, struct emit *e, const char *prefix,
              const struct net_optimizer *optimizer)
{
    *net = (struct net){ .e = e, .prefix = prefix, .optimizer = optimizer };
}

void net_clear(struct net *net)
{
    free(net->var);
    free(net->part);
}

size_t net_add(struct net *net, struct trace_shape shape, const char *fmt, ...)
{
    char name[128];
    va_list ap;

    va_start(ap, fmt);
    int len = vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    BUG_ON(len < 0 || (size_t)len >= sizeof name);

    if (net->n_vars == net->cap) {
        net->cap = net->cap ? 2 * net->cap : 32;
        net->var = realloc(net->var, net->cap * sizeof *net->var);
        BUG_ON(!net->var);
    }
    struct net_variable *v = &net->var[net->n_vars];
    *v = (struct net_variable){ .w = emit_tensor(net->e, TRACE_WEIGHT, shape, name) };
    for (int i = 0; i < 2; i++)
        if (net->optimizer->state[i])
            v->state[i] = emit_tensor(net->e, TRACE_STATE, shape,
                                      emit_text(net->e, "%s.%s", name, net->optimizer->state[i]));
    net->parameters += trace_elements(&shape);
    return net->n_vars++;
}

void net_gradient(struct net *net, size_t var, uint32_t gradient)
{
    BUG_ON(var >= net->n_vars);
    if (net->n_parts == net->cap_parts) {
        net->cap_parts = net->cap_parts ? 2 * net->cap_parts : 64;
        net->part = realloc(net->part, net->cap_parts * sizeof *net->part);
        BUG_ON(!net->part);
    }
    emit_keep(net->e, gradient);
    net->part[net->n_parts++] = (struct net_part){ var, gradient };
    net->var[var].gradient = gradient;
    net->var[var].n_gradients++;
}

static void sum_gradients(struct net *net)
{
    struct emit_result *out = calloc(net->n_vars, sizeof *out);
    uint32_t *in = calloc(net->n_parts, sizeof *in);
    size_t n_out = 0, n_in = 0;

    BUG_ON(!out || !in);
    for (size_t i = 0; i < net->n_vars; i++)
        if (net->var[i].n_gradients > 1)
            out[n_out++] = (struct emit_result){ emit_shape(net->e, net->var[i].w),
                                                 emit_name(net->e, net->var[i].w), true };
    for (size_t i = 0; i < net->n_parts; i++)
        if (net->var[net->part[i].var].n_gradients > 1)
            in[n_in++] = net->part[i].gradient;
    if (n_out > 0) {
        uint32_t sum = emit_op(net->e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                                          .name = "grad_sum",
                                                          .in = in,
                                                          .n_in = n_in,
                                                          .out = out,
                                                          .n_out = n_out,
                                                          .reads = EMIT_ZERO,
                                                          .writes = EMIT_ZERO });
        for (size_t i = 0; i < net->n_vars; i++)
            if (net->var[i].n_gradients > 1) {
                emit_keep(net->e, sum);
                net->var[i].gradient = sum++;
            }
    }
    net->n_parts = 0;
    free(in);
    free(out);
}

const char *net_sums(const struct net *net)
{
    if (net->combine == 0)
        return net->sharded ? "sharded=1" : NULL;
    return emit_text(net->e, "combine=%" PRIu64 "%s", net->combine,
                     net->sharded ? " sharded=1" : "");
}

const char *net_fn(struct emit *e, const char *fn, bool sharded)
{
    return fn && sharded ? emit_text(e, "%s sharded=1", fn) : sharded ? "sharded=1" : fn;
}

void net_update(struct net *net)
{
    size_t n = net->n_vars;
    uint32_t *all = calloc(4 * n, sizeof *all);

    BUG_ON(!all);
    sum_gradients(net);
    for (size_t i = 0; i < n; i++) {
        BUG_ON(net->var[i].n_gradients == 0);
        all[i] = net->var[i].gradient;
    }
    emit_op(net->e, &(struct emit_op){ .kind = TRACE_ALL_REDUCE,
                                       .name = emit_text(net->e, "%sgrad_allreduce", net->prefix),
                                       .in = all,
                                       .n_in = n,
                                       .attr = net_sums(net),
                                       .flops = net->parameters });
    for (size_t i = 0; i < n; i++) {
        struct net_variable *v = &net->var[i];

        all[4 * i] = v->w;
        all[4 * i + 1] = v->gradient;
        all[4 * i + 2] = v->state[0];
        all[4 * i + 3] = v->state[1];
        v->n_gradients = 0;
    }
    emit_op(net->e,
            &(struct emit_op){ .kind = TRACE_OPTIMIZER,
                               .name = emit_text(net->e, "%s%s", net->prefix, net->optimizer->name),
                               .in = all,
                               .n_in = 4 * n,
                               .attr = net_fn(net->e, net->optimizer->fn, net->sharded),
                               .flops = net->optimizer->flops * net->parameters });
    free(all);
}

struct dense dense_add(struct net *net, const char *name, uint64_t rows, uint64_t k, uint64_t n,
                       const struct net_activation *act)
{
    struct dense d = {
        .name = emit_text(net->e, "%s", name), .rows = rows, .k = k, .n = n, .act = act
    };

    d.w = net_add(net, EMIT_F32(k, n), "%s.w", name);
    d.b = net_add(net, EMIT_F32(n), "%s.b", name);
    return d;
}

uint32_t dense_forward(struct net *net, const struct dense *d, uint32_t x, bool joins)
{
    struct emit *e = net->e;
    uint32_t z = emit_op(e, &(struct emit_op){ .kind = TRACE_MATMUL,
                                               .name = emit_text(e, "%s.fwd", d->name),
                                               EMIT_IN(x, net->var[d->w].w),
                                               .bias = net->var[d->b].w,
                                               EMIT_OUT({ .shape = EMIT_F32(d->rows, d->n) }),
                                               .joins = joins });

    if (!d->act->forward)
        return z;
    return emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                         .name = emit_text(e, "%s.%s", d->name, d->act->forward),
                                         EMIT_IN(z),
                                         EMIT_OUT({ .shape = EMIT_F32(d->rows, d->n) }),
                                         .attr = d->act->fn,
                                         .flops = d->act->forward_flops * d->rows * d->n,
                                         .joins = true });
}

uint32_t dense_backward(struct net *net, const struct dense *d, uint32_t x, uint32_t y, uint32_t dy,
                        enum dense_fusion fusion)
{
    struct emit *e = net->e;
    uint64_t size = d->rows * d->n;
    uint32_t dz = dy;

    if (d->act->backward)
        dz = emit_op(
            e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                  .name = emit_text(e, "%s.%s", d->name, d->act->backward),
                                  EMIT_IN(dy, y),
                                  EMIT_OUT({ .shape = EMIT_F32(d->rows, d->n), .gradient = true }),
                                  .flops = d->act->backward_flops * size,
                                  .reads = emit_elements(e, dy) == size ? 0 : 8 * size,
                                  .joins = fusion != DENSE_BEGIN });
    uint32_t db =
        emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                      .name = emit_text(e, "%s.db", d->name),
                                      EMIT_IN(dz),
                                      EMIT_OUT({ .shape = EMIT_F32(d->n), .gradient = true }),
                                      .attr = "dims=0",
                                      .flops = size,
                                      .joins = d->act->backward || fusion != DENSE_BEGIN });
    uint32_t dw =
        emit_op(e, &(struct emit_op){ .kind = TRACE_MATMUL,
                                      .name = emit_text(e, "%s.bwd_w", d->name),
                                      EMIT_IN(x, dz),
                                      EMIT_OUT({ .shape = EMIT_F32(d->k, d->n), .gradient = true }),
                                      .attr = "ta=1",
                                      .joins = fusion != DENSE_AFTER_GEMM });

    net_gradient(net, d->b, db);
    net_gradient(net, d->w, dw);
    return dz;
}

uint32_t dense_input_gradient(struct net *net, const struct dense *d, uint32_t dz)
{
    return emit_op(
        net->e, &(struct emit_op){ .kind = TRACE_MATMUL,
                                   .name = emit_text(net->e, "%s.bwd_x", d->name),
                                   EMIT_IN(dz, net->var[d->w].w),
                                   EMIT_OUT({ .shape = EMIT_F32(d->rows, d->k), .gradient = true }),
                                   .attr = "tb=1" });
}
