#include "dense.h"

const struct dense_activation dense_relu = { "bias_relu", "relu_bwd", 2, 1, "passes=2" };
const struct dense_activation dense_elu = { "bias_elu", "elu_bwd", 6, 3,
                                            "fn=exponential passes=2" };
const struct dense_activation dense_linear = { "bias", NULL, 1, 0, NULL };
const struct dense_activation dense_bare = { NULL, NULL, 0, 0, NULL };

struct dense dense_add(struct net *net, const char *name, uint64_t rows, uint64_t k, uint64_t n,
                       const struct dense_activation *act)
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
