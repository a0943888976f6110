/* exatrkx_vary2.c - the interaction network of June 2020, "vary2" in its code [exatrkx-iml2020].
 *
 *   encoder:     nodes <- MLP(3 features), edges <- MLP(receiver | sender)
 *   iterations:  nodes <- MLP(sum of received | sum of sent | nodes),
 *                edges <- MLP(edges | receivers | senders), edges and nodes each concatenated with
 *                the encoder's; one output per edge and a loss
 *
 * MLPs are hidden -> latent.  The published operator table leaves out two things that have to run:
 * sums of gradients of a value with several readers, and splits of gradients of concatenations.
 * Here they are operations with no flops and no bytes in the totals. */
#include "exatrkx.h"

#include "message.h"

#define NODE_FEATURES 3
#define EDGE_FEATURES 2

static const struct message_loss loss = { "loss.log_loss", 14 };

struct iteration {
    struct mlp core_node, core_edge;
    struct dense out;
    struct mlp_pass node, edge;
    uint32_t p; /* predictions */
};

struct vary2 {
    struct message_net g;
    const struct exatrkx_size *size;
    uint64_t l; /* columns between the iterations */
    struct mlp enc_node, enc_edge;
    struct mlp_pass encoded_nodes, encoded_edges;
    struct iteration it[EXATRKX_MAX_ITERATIONS];
    /* backward: gradients of the latent columns that the iteration at hand gave, [.., l], and the
     * sums of the gradients of what the encoder gave */
    uint32_t dedges, dnodes, dedges0, dnodes0;
};

static void declare_layers(struct vary2 *m)
{
    struct message_net *g = &m->g;
    uint64_t h = m->size->hidden, l = m->l;
    bool own = m->size->own;

    m->enc_node = mlp_add(&g->net, "enc_node", NODE_FEATURES, h, l);
    m->enc_edge = mlp_add(&g->net, "enc_edge", 2 * l, h, l);
    for (uint64_t i = 0; i < m->size->iterations; i++) {
        struct iteration *it = &m->it[i];
        const char *prefix = own ? emit_text(g->e, "it%u.", (unsigned)i) : "";

        if (i > 0 && !own) {
            *it = m->it[0];
            continue;
        }
        it->core_node = mlp_add(&g->net, emit_text(g->e, "%score_node", prefix), 6 * l, h, l);
        it->core_edge = mlp_add(&g->net, emit_text(g->e, "%score_edge", prefix), 4 * l, h, l);
        it->out = dense_add(&g->net, emit_text(g->e, "%sout.fc", prefix), 0, l, 1, &dense_bare);
    }
}

/* --- forward ------------------------------------------------------------------------------ */

/* The input of the node update of iteration i, [nodes, 6 l]; sets *edges to the concatenated edges,
 * [edges, 2 l]. */
static uint32_t emit_node_input(struct vary2 *m, uint64_t i, uint32_t *edges)
{
    struct message_net *g = &m->g;
    uint64_t l = m->l;
    uint32_t nodes = i ? m->it[i - 1].node.y : m->encoded_nodes.y;

    *edges = i ? m->it[i - 1].edge.y : m->encoded_edges.y;
    nodes = message_concat(g, "core.concat_nodes", g->nodes, 2 * l, m->encoded_nodes.y, nodes, 0);
    *edges = message_concat(g, "core.concat_edges", g->edges, 2 * l, m->encoded_edges.y, *edges, 0);
    uint32_t received = message_sum(g, "core.segsum_received", *edges, g->receivers, 2 * l, false);
    uint32_t sent = message_sum(g, "core.segsum_sent", *edges, g->senders, 2 * l, false);
    return message_concat(g, "core.concat_node_in", g->nodes, 6 * l, received, sent, nodes);
}

/* The input of its edge update, [edges, 4 l]. */
static uint32_t emit_edge_input(struct vary2 *m, uint64_t i, uint32_t edges)
{
    struct message_net *g = &m->g;
    uint32_t nodes = m->it[i].node.y;
    uint32_t to = message_gather(g, "core.gather_recv", nodes, g->receivers, m->l, false);
    uint32_t from = message_gather(g, "core.gather_send", nodes, g->senders, m->l, false);

    return message_concat(g, "core.concat_edge_in", g->edges, 4 * m->l, edges, to, from);
}

static void emit_forward(struct vary2 *m, uint64_t i)
{
    struct message_net *g = &m->g;
    struct iteration *it = &m->it[i];
    uint32_t edges;

    emit_phase(g->e, emit_text(g->e, "fwd_it%u", (unsigned)i));
    it->node = mlp_forward(&g->net, &it->core_node, emit_node_input(m, i, &edges), true);
    it->edge = mlp_forward(&g->net, &it->core_edge, emit_edge_input(m, i, edges), true);
    it->p = message_classify(g, &it->out, &loss, it->edge.y);
}

/* --- backward ----------------------------------------------------------------------------- */

/* Recompute what the backward pass of iteration i reads, except the latent columns, which are kept.
 */
static void emit_rematerialised(struct vary2 *m, uint64_t i)
{
    struct message_net *g = &m->g;
    struct iteration *it = &m->it[i];
    uint32_t edges;

    emit_phase(g->e, emit_text(g->e, "remat_it%u", (unsigned)i));
    it->node.x = emit_node_input(m, i, &edges);
    it->node.hidden = dense_forward(&g->net, &it->core_node.fc[0], it->node.x, true);
    it->edge.x = emit_edge_input(m, i, edges);
    it->edge.hidden = dense_forward(&g->net, &it->core_edge.fc[0], it->edge.x, true);
}

/* The sum of up to four gradients [rows, l]; a handle of 0 is none. */
static uint32_t add_gradients(struct vary2 *m, const char *name, uint64_t rows,
                              const uint32_t part[4], bool joins)
{
    if (!part[1] && !part[2] && !part[3])
        return part[0];
    return emit_op(m->g.e,
                   &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                      .name = name,
                                      EMIT_IN(part[0], part[1], part[2], part[3]),
                                      EMIT_OUT({ .shape = EMIT_F32(rows, m->l), .gradient = true }),
                                      .reads = EMIT_ZERO,
                                      .writes = EMIT_ZERO,
                                      .joins = joins });
}

/* Split the gradient dx of a concatenation into those of its three parts, [rows, columns[i]]. */
static uint32_t split_gradient(struct vary2 *m, const char *name, uint64_t rows,
                               const uint64_t columns[3], uint32_t dx)
{
    return emit_op(m->g.e,
                   &(struct emit_op){ .kind = TRACE_COPY,
                                      .name = name,
                                      EMIT_IN(dx),
                                      EMIT_OUT({ .shape = EMIT_F32(rows, columns[0]), "0", true },
                                               { .shape = EMIT_F32(rows, columns[1]), "1", true },
                                               { .shape = EMIT_F32(rows, columns[2]), "2", true }),
                                      .reads = EMIT_ZERO,
                                      .writes = EMIT_ZERO,
                                      .joins = true });
}

/* Add up the gradients a, b and c [rows, 2 l] of concatenated columns, and `sum`, the encoder's
 * gradient so far.  Results: latent0, for the encoder's columns, and latent, [rows, l] each. */
static uint32_t accumulate_gradient(struct vary2 *m, const char *name, uint64_t rows, uint32_t a,
                                    uint32_t b, uint32_t c, uint32_t sum, uint64_t summands)
{
    uint64_t n = rows * 2 * m->l;

    return emit_op(m->g.e,
                   &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                      .name = name,
                                      EMIT_IN(a, b, c, sum),
                                      EMIT_OUT({ .shape = EMIT_F32(rows, m->l), "latent0", true },
                                               { .shape = EMIT_F32(rows, m->l), "latent", true }),
                                      .flops = (summands - 1) * n,
                                      .reads = summands * 4 * n,
                                      .writes = 4 * n });
}

static void emit_backward(struct vary2 *m, uint64_t i)
{
    struct message_net *g = &m->g;
    struct emit *e = g->e;
    struct net *net = &g->net;
    const struct iteration *it = &m->it[i];
    uint64_t n = g->nodes, ne = g->edges, l = m->l;

    if (m->size->remat)
        emit_rematerialised(m, i);
    emit_phase(e, emit_text(e, "bwd_it%u", (unsigned)i));
    uint32_t dy = message_classify_backward(g, &it->out, it->edge.y, it->p);
    dy = add_gradients(m, "core.dedges_sum", ne, (const uint32_t[4]){ dy, m->dedges }, true);
    uint32_t dz = mlp_backward(&g->net, &it->core_edge, &it->edge, dy, DENSE_AFTER_GEMM);
    uint32_t dx = dense_input_gradient(net, &it->core_edge.fc[0], dz);
    uint32_t part =
        split_gradient(m, "core.split_edge_in", ne, (const uint64_t[3]){ 2 * l, l, l }, dx);
    uint32_t to = message_sum(g, "core.gather_recv_bwd", part + 1, g->receivers, l, true);
    uint32_t from = message_sum(g, "core.gather_send_bwd", part + 2, g->senders, l, true);

    dy = add_gradients(m, "core.dnodes_sum", n, (const uint32_t[4]){ to, from, m->dnodes }, false);
    dz = mlp_backward(&g->net, &it->core_node, &it->node, dy, DENSE_CONTINUE);
    dx = dense_input_gradient(net, &it->core_node.fc[0], dz);
    uint32_t sums =
        split_gradient(m, "core.split_node_in", n, (const uint64_t[3]){ 2 * l, 2 * l, 2 * l }, dx);
    uint32_t received =
        message_gather(g, "core.segsum_received_bwd", sums, g->receivers, 2 * l, true);
    uint32_t sent = message_gather(g, "core.segsum_sent_bwd", sums + 1, g->senders, 2 * l, true);
    m->dedges0 =
        accumulate_gradient(m, "core.dedges_accum", ne, part, received, sent, m->dedges0, 4);
    m->dedges = m->dedges0 + 1;
    m->dnodes0 = accumulate_gradient(m, "core.dnodes_accum", n, sums + 2, 0, 0, m->dnodes0, 3);
    m->dnodes = m->dnodes0 + 1;
}

static void emit_encoder_backward(struct vary2 *m)
{
    struct message_net *g = &m->g;
    uint64_t n = g->nodes, ne = g->edges, l = m->l;

    emit_phase(g->e, "bwd_encoder");
    uint32_t dy =
        add_gradients(m, "enc.dedges_sum", ne, (const uint32_t[4]){ m->dedges0, m->dedges }, false);
    uint32_t dz = mlp_backward(&g->net, &m->enc_edge, &m->encoded_edges, dy, DENSE_CONTINUE);
    uint32_t dx = dense_input_gradient(&g->net, &m->enc_edge.fc[0], dz);
    uint32_t part =
        emit_op(g->e, &(struct emit_op){ .kind = TRACE_COPY,
                                         .name = "enc.split",
                                         EMIT_IN(dx),
                                         EMIT_OUT({ .shape = EMIT_F32(ne, l), "to", true },
                                                  { .shape = EMIT_F32(ne, l), "from", true }),
                                         .reads = EMIT_ZERO,
                                         .writes = EMIT_ZERO,
                                         .joins = true });
    uint32_t to = message_sum(g, "enc.gather_recv_bwd", part, g->receivers, l, true);
    uint32_t from = message_sum(g, "enc.gather_send_bwd", part + 1, g->senders, l, true);
    dy = add_gradients(m, "enc.dnodes_sum", n,
                       (const uint32_t[4]){ to, from, m->dnodes0, m->dnodes }, false);
    mlp_backward(&g->net, &m->enc_node, &m->encoded_nodes, dy, DENSE_CONTINUE);
}

/* --- the step ----------------------------------------------------------------------------- */

static void begin_step(struct vary2 *m, const struct exatrkx_graph *graph)
{
    message_step(&m->g, graph->nodes, graph->edges);
    mlp_rows(&m->enc_node, graph->nodes);
    mlp_rows(&m->enc_edge, graph->edges);
    for (uint64_t i = 0; i < m->size->iterations; i++) {
        mlp_rows(&m->it[i].core_node, graph->nodes);
        mlp_rows(&m->it[i].core_edge, graph->edges);
        m->it[i].out.rows = graph->edges;
    }
    m->dedges = m->dnodes = m->dedges0 = m->dnodes0 = 0;
}

static void emit_step(struct vary2 *m)
{
    struct message_net *g = &m->g;
    struct emit *e = g->e;

    emit_phase(e, "infeed");
    uint32_t nodes = message_infeed(g, NODE_FEATURES, EDGE_FEATURES);

    emit_phase(e, "fwd_encoder");
    m->encoded_nodes = mlp_forward(&g->net, &m->enc_node, nodes, false);
    uint32_t y = m->encoded_nodes.y;
    uint32_t to = message_gather(g, "enc.gather_recv", y, g->receivers, m->l, false);
    uint32_t from = message_gather(g, "enc.gather_send", y, g->senders, m->l, false);
    uint32_t x = message_concat(g, "enc.concat", g->edges, 2 * m->l, to, from, 0);
    m->encoded_edges = mlp_forward(&g->net, &m->enc_edge, x, true);
    for (uint64_t i = 0; i < m->size->iterations; i++)
        emit_forward(m, i);
    for (uint64_t i = m->size->iterations; i-- > 0;)
        emit_backward(m, i);
    emit_encoder_backward(m);

    emit_phase(e, "update");
    net_update(&g->net);
    emit_phase(e, "outfeed");
    emit_op(e, &(struct emit_op){ .kind = TRACE_OUTFEED, .name = "loss", EMIT_IN(g->loss) });
}

void exatrkx_vary2(struct emit *e, const struct exatrkx_size *size)
{
    struct vary2 m = { .g = { .e = e }, .size = size, .l = size->latent };

    net_init(&m.g.net, e, "", size->optimizer);
    m.g.net.combine = size->combine;
    m.g.net.sharded = size->sharded;
    declare_layers(&m);
    for (uint64_t i = 0; i < size->n_graphs; i++) {
        begin_step(&m, &size->graph[i]);
        emit_step(&m);
    }
    message_compile(&m.g, size->n_graphs, size->run);
    net_clear(&m.g.net);
}
