#include "message.h"

void message_step(struct message_net *m, uint64_t nodes, uint64_t edges)
{
    if (m->begun)
        emit_every(m->e, 0);
    m->begun = true;
    m->nodes = nodes;
    m->edges = edges;
    m->loss = 0;
}

void message_compile(struct message_net *m, uint64_t shapes, uint64_t run)
{
    if (run == 0)
        return;
    uint64_t items = emit_operations(m->e) / shapes;
    emit_every(m->e, run);
    emit_phase(m->e, "compile");
    emit_op(m->e, &(struct emit_op){ .kind = TRACE_COMPILE,
                                     .name = "compile",
                                     .attr = emit_text(m->e, "calls=%llu items=%llu",
                                                       (unsigned long long)shapes,
                                                       (unsigned long long)items) });
}

uint32_t message_infeed(struct message_net *m, uint64_t node_columns, uint64_t edge_columns)
{
    uint64_t n = m->nodes, ne = m->edges;
    uint32_t graph = emit_op(
        m->e, &(struct emit_op){ .kind = TRACE_INFEED,
                                 .name = "infeed.graph",
                                 EMIT_OUT({ .shape = EMIT_F32(n, node_columns), "nodes" },
                                          { .shape = EMIT_F32(ne, edge_columns), "edges" },
                                          { .shape = EMIT_S32(ne), "senders" },
                                          { .shape = EMIT_S32(ne), "receivers" },
                                          { .shape = EMIT_F32(ne, 1), "target.edges" },
                                          { .shape = EMIT_F32(n, node_columns), "target.nodes" },
                                          { .shape = EMIT_S32(ne), "target.senders" },
                                          { .shape = EMIT_S32(ne), "target.receivers" }) });

    m->senders = graph + 2;
    m->receivers = graph + 3;
    m->target = graph + 4;
    return graph;
}

uint32_t message_concat(struct message_net *m, const char *name, uint64_t rows, uint64_t columns,
                        uint32_t a, uint32_t b, uint32_t c)
{
    return emit_op(m->e, &(struct emit_op){ .kind = TRACE_COPY,
                                            .name = name,
                                            EMIT_IN(a, b, c),
                                            EMIT_OUT({ .shape = EMIT_F32(rows, columns) }) });
}

static const char *attr_of_rows(struct message_net *m, uint64_t columns)
{
    return emit_text(m->e, "rows=%llu cols=%llu table-rows=%llu", (unsigned long long)m->edges,
                     (unsigned long long)columns, (unsigned long long)m->nodes);
}

uint32_t message_gather(struct message_net *m, const char *name, uint32_t table, uint32_t index,
                        uint64_t columns, bool gradient)
{
    return emit_op(m->e, &(struct emit_op){ .kind = TRACE_GATHER,
                                            .name = name,
                                            EMIT_IN(table, index),
                                            EMIT_OUT({ .shape = EMIT_F32(m->edges, columns),
                                                       .gradient = gradient }),
                                            .attr = attr_of_rows(m, columns) });
}

uint32_t message_sum(struct message_net *m, const char *name, uint32_t values, uint32_t index,
                     uint64_t columns, bool gradient)
{
    return emit_op(m->e, &(struct emit_op){ .kind = TRACE_SCATTER,
                                            .name = name,
                                            EMIT_IN(values, index),
                                            EMIT_OUT({ .shape = EMIT_F32(m->nodes, columns),
                                                       .gradient = gradient }),
                                            .flops = m->edges * columns,
                                            .attr = attr_of_rows(m, columns) });
}

uint32_t message_classify(struct message_net *m, const struct dense *out,
                          const struct message_loss *loss, uint32_t x)
{
    struct emit *e = m->e;
    uint64_t n = m->edges;
    uint32_t logit = dense_forward(&m->net, out, x, false);
    uint32_t p = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                               .name = "out.sigmoid",
                                               EMIT_IN(logit),
                                               EMIT_OUT({ .shape = EMIT_F32(n, 1) }),
                                               .attr = "fn=logistic",
                                               .flops = 5 * n,
                                               .joins = true });
    uint32_t xent = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                                  .name = loss->name,
                                                  EMIT_IN(logit, p, m->target),
                                                  EMIT_OUT({ .shape = EMIT_F32(n, 1) }),
                                                  .attr = "fn=log",
                                                  .flops = loss->flops * n,
                                                  .joins = true });

    m->loss = emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                            .name = "loss.reduce",
                                            EMIT_IN(xent, m->loss),
                                            EMIT_OUT({ .shape = EMIT_SCALAR }),
                                            .flops = n,
                                            .reads = m->loss ? 4 * n : 0 });
    return p;
}

uint32_t message_classify_backward(struct message_net *m, const struct dense *out, uint32_t x,
                                   uint32_t p)
{
    struct emit *e = m->e;
    uint64_t n = m->edges;
    uint32_t dz = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                                .name = "out.loss+sigmoid_bwd",
                                                EMIT_IN(p, m->target),
                                                EMIT_OUT({ .shape = EMIT_F32(n, 1), "dz", true },
                                                         { .shape = EMIT_F32(1), "db", true }),
                                                .flops = 8 * n,
                                                .reads = 3 * 4 * n, /* and the weights of the two
                                                                       classes, edge by edge */
                                                .writes = 4 * n });

    net_gradient(&m->net, out->b, dz + 1);
    uint32_t dw =
        emit_op(e, &(struct emit_op){ .kind = TRACE_MATMUL,
                                      .name = "out.fc.bwd_w",
                                      EMIT_IN(x, dz),
                                      EMIT_OUT({ .shape = EMIT_F32(out->k, 1), .gradient = true }),
                                      .attr = "ta=1",
                                      .joins = true });
    net_gradient(&m->net, out->w, dw);
    return dense_input_gradient(&m->net, out, dz);
}
