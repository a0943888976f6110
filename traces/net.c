#include "net.h"
#include "base/plain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"

const struct net_optimizer net_sgd = { "sgd", { NULL, NULL }, 2, NULL };
const struct net_optimizer net_momentum = { "momentum", { "v", NULL }, 4, NULL };
const struct net_optimizer net_rmsprop = { "rmsprop", { "ms", NULL }, 8, "fn=rsqrt" };
const struct net_optimizer net_adam = { "adam", { "m", "v" }, 12, "fn=sqrt" };

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
    int len = plain_text_list(name, sizeof name, fmt, ap);
    va_end(ap);
    BUG_ON(len < 0 || (size_t)len >= sizeof name);

    MEMORY_GROW(net->var, net->n_vars + 1, net->cap_vars);
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
    MEMORY_GROW(net->part, net->n_parts + 1, net->cap_parts);
    emit_keep(net->e, gradient);
    net->part[net->n_parts++] = (struct net_part){ var, gradient };
    net->var[var].gradient = gradient;
    net->var[var].n_gradients++;
}

static void sum_gradients(struct net *net)
{
    struct emit_result *out = memory_zeroed(net->n_vars, sizeof *out);
    uint32_t *in = memory_zeroed(net->n_parts, sizeof *in);
    size_t n_out = 0, n_in = 0;

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
    uint32_t n = net->n_vars, *all = memory_zeroed(4 * (size_t)n, sizeof *all);

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
