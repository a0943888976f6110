/* exatrkx_2020.c - the interaction network of April 2020 [ju-2020].
 *
 *   encoder:     edge and node MLPs, 5 -> hidden -> hidden
 *   iterations:  edges <- MLP(edges | receivers | senders), nodes <- MLP(sum of received | nodes),
 *                edges and nodes each concatenated with the encoder's; an edge decoder and a loss
 *
 * The node update of the last iteration has no effect and is left out.  All iterations share one
 * set of weights (weights=shared) or have their own; a shared weight gets a gradient from each. */
#include "exatrkx.h"

#include "message.h"

#define FEATURES 5

static const struct message_loss loss = { "loss.weighted_xent", 12 };

struct iteration {
    struct mlp core_edge, core_node, dec_edge;
    struct dense out;
    struct mlp_pass edge, node, decoder;
    uint32_t p; /* predictions */
};

struct exatrkx {
    struct message_net g;
    const struct exatrkx_size *size;
    uint64_t h; /* columns of everything */
    struct mlp enc_edge, enc_node;
    struct mlp_pass encoded_edges, encoded_nodes;
    struct iteration it[EXATRKX_MAX_ITERATIONS];
    /* backward, of the iteration after the one at hand: */
    uint32_t dedges;  /* gradient of its input edges, [edges, h] */
    uint32_t dnodes;  /* gradient of its concatenated nodes, [nodes, 2 h] */
    uint32_t dedges0; /* sum of the gradients of what the encoder gave */
    uint32_t dnodes0;
};

static void declare_layers(struct exatrkx *m)
{
    struct message_net *g = &m->g;
    uint64_t h = m->h;
    bool own = m->size->own;

    m->enc_edge = mlp_add(&g->net, "enc_edge", FEATURES, h, h);
    m->enc_node = mlp_add(&g->net, "enc_node", FEATURES, h, h);
    for (uint64_t i = 0; i < m->size->iterations; i++) {
        struct iteration *it = &m->it[i];
        const char *prefix = own ? emit_text(g->e, "it%u.", (unsigned)i) : "";

        if (i > 0 && !own) {
            *it = m->it[0];
            continue;
        }
        it->core_edge = mlp_add(&g->net, emit_text(g->e, "%score_edge", prefix), 6 * h, h, h);
        if (own ? i + 1 < m->size->iterations : m->size->iterations > 1)
            it->core_node = mlp_add(&g->net, emit_text(g->e, "%score_node", prefix), 3 * h, h, h);
        it->dec_edge = mlp_add(&g->net, emit_text(g->e, "%sdec_edge", prefix), h, h, h);
        it->out = dense_add(&g->net, emit_text(g->e, "%sout.fc", prefix), 0, h, 1, &dense_bare);
    }
}

/* --- forward ------------------------------------------------------------------------------ */

/* The input of the edge update of iteration i, [edges, 6 h]; sets *nodes to the concatenated nodes,
 * [nodes, 2 h]. */
static uint32_t emit_edge_input(struct exatrkx *m, uint64_t i, uint32_t *nodes)
{
    struct message_net *g = &m->g;
    uint64_t h = m->h;
    uint32_t edges = i ? m->it[i - 1].edge.y : m->encoded_edges.y;

    *nodes = i ? m->it[i - 1].node.y : m->encoded_nodes.y;
    edges = message_concat(g, "core.concat_edges(latent0,latent)", g->edges, 2 * h,
                           m->encoded_edges.y, edges, 0);
    *nodes = message_concat(g, "core.concat_nodes(latent0,latent)", g->nodes, 2 * h,
                            m->encoded_nodes.y, *nodes, 0);
    uint32_t to = message_gather(g, "core.gather_receivers", *nodes, g->receivers, 2 * h, false);
    uint32_t from = message_gather(g, "core.gather_senders", *nodes, g->senders, 2 * h, false);
    return message_concat(g, "core.concat_edge_in", g->edges, 6 * h, edges, to, from);
}

/* The input of its node update, [nodes, 3 h]. */
static uint32_t emit_node_input(struct exatrkx *m, uint64_t i, uint32_t nodes)
{
    struct message_net *g = &m->g;
    uint32_t sum =
        message_sum(g, "core.segsum_received", m->it[i].edge.y, g->receivers, m->h, false);

    return message_concat(g, "core.concat_node_in", g->nodes, 3 * m->h, sum, nodes, 0);
}

static void emit_forward(struct exatrkx *m, uint64_t i)
{
    struct message_net *g = &m->g;
    struct iteration *it = &m->it[i];
    uint32_t nodes;

    emit_phase(g->e, emit_text(g->e, "fwd_it%u", (unsigned)i));
    it->edge = mlp_forward(&g->net, &it->core_edge, emit_edge_input(m, i, &nodes), true);
    if (i + 1 < m->size->iterations)
        it->node = mlp_forward(&g->net, &it->core_node, emit_node_input(m, i, nodes), true);
    it->decoder = mlp_forward(&g->net, &it->dec_edge, it->edge.y, false);
    it->p = message_classify(g, &it->out, &loss, it->decoder.y);
}

/* --- backward ----------------------------------------------------------------------------- */

/* Recompute what the backward pass of iteration i reads, except the latent columns, which are kept.
 */
static void emit_rematerialised(struct exatrkx *m, uint64_t i)
{
    struct message_net *g = &m->g;
    struct iteration *it = &m->it[i];
    uint32_t nodes;

    emit_phase(g->e, emit_text(g->e, "remat_it%u", (unsigned)i));
    it->edge.x = emit_edge_input(m, i, &nodes);
    it->edge.hidden = dense_forward(&g->net, &it->core_edge.fc[0], it->edge.x, true);
    if (i + 1 < m->size->iterations) {
        it->node.x = emit_node_input(m, i, nodes);
        it->node.hidden = dense_forward(&g->net, &it->core_node.fc[0], it->node.x, true);
    }
    it->decoder = mlp_forward(&g->net, &it->dec_edge, it->edge.y, false);
}

/* Backward pass of the decoder.  Returns the gradient of the edges that it reads. */
static uint32_t emit_decoder_backward(struct exatrkx *m, const struct iteration *it)
{
    uint32_t dy = message_classify_backward(&m->g, &it->out, it->decoder.y, it->p);
    uint32_t dz = mlp_backward(&m->g.net, &it->dec_edge, &it->decoder, dy, DENSE_AFTER_GEMM);

    return dense_input_gradient(&m->g.net, &it->dec_edge.fc[0], dz);
}

/* Backward pass of the node update, whose output only the next iteration reads.  Returns the
 * gradient of the update's input; sets *dsum to that of the edges that the node sums add up. */
static uint32_t emit_node_backward(struct exatrkx *m, const struct iteration *it, uint32_t *dsum)
{
    struct message_net *g = &m->g;
    uint64_t n = g->nodes, h = m->h;
    uint32_t split =
        emit_op(g->e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                         .name = "core.dnodes_split_accum",
                                         EMIT_IN(m->dnodes, m->dnodes0),
                                         EMIT_OUT({ .shape = EMIT_F32(n, h), "latent", true },
                                                  { .shape = EMIT_F32(n, h), "latent0", true }),
                                         .flops = n * h,
                                         .reads = 3 * 4 * n * h,
                                         .writes = 4 * n * h });

    m->dnodes0 = split + 1;
    uint32_t dz = mlp_backward(&g->net, &it->core_node, &it->node, split, DENSE_CONTINUE);
    uint32_t dx = dense_input_gradient(&g->net, &it->core_node.fc[0], dz);
    *dsum =
        message_gather(g, "core.segsum_bwd(gather d_agg by receivers)", dx, g->receivers, h, true);
    return dx;
}

static void emit_backward(struct exatrkx *m, uint64_t i)
{
    struct message_net *g = &m->g;
    struct emit *e = g->e;
    const struct iteration *it = &m->it[i];
    uint64_t n = g->nodes, ne = g->edges, h = m->h;
    bool last = i + 1 == m->size->iterations;
    uint32_t dnode_in = 0, dsum;

    if (m->size->remat)
        emit_rematerialised(m, i);
    emit_phase(e, emit_text(e, "bwd_it%u", (unsigned)i));
    uint32_t dy = emit_decoder_backward(m, it);
    if (!last) {
        dnode_in = emit_node_backward(m, it, &dsum);
        dy = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                           .name = "core.dedges_accum",
                                           EMIT_IN(dy, m->dedges, dsum),
                                           EMIT_OUT({ .shape = EMIT_F32(ne, h), .gradient = true }),
                                           .flops = 2 * ne * h });
    }
    uint32_t dz = mlp_backward(&g->net, &it->core_edge, &it->edge, dy,
                               last ? DENSE_AFTER_GEMM : DENSE_CONTINUE);
    uint32_t dx = dense_input_gradient(&g->net, &it->core_edge.fc[0], dz);
    /* each part of the concatenation is a result of its own, so that a reader takes its part alone
     */
    uint32_t part =
        emit_op(e, &(struct emit_op){ .kind = TRACE_COPY,
                                      .name = "core.split_edge_in",
                                      EMIT_IN(dx),
                                      EMIT_OUT({ .shape = EMIT_F32(ne, h), "latent0", true },
                                               { .shape = EMIT_F32(ne, h), "latent", true },
                                               { .shape = EMIT_F32(ne, 2 * h), "to", true },
                                               { .shape = EMIT_F32(ne, 2 * h), "from", true }),
                                      .reads = EMIT_ZERO,
                                      .writes = EMIT_ZERO,
                                      .joins = true });
    uint32_t to = message_sum(g, "core.gather_receivers_bwd", part + 2, g->receivers, 2 * h, true);
    uint32_t from = message_sum(g, "core.gather_senders_bwd", part + 3, g->senders, 2 * h, true);
    /* iteration 0 reads the encoder's output twice: as the encoder's and as the latest */
    m->dnodes =
        emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                      .name = "core.dnodes_accum",
                                      EMIT_IN(to, from, dnode_in, i ? 0 : m->dnodes0),
                                      EMIT_OUT({ .shape = EMIT_F32(n, 2 * h), .gradient = true }),
                                      .flops = 3 * n * 2 * h,
                                      .reads = 4 * 4 * n * 2 * h });
    m->dedges = part + 1;
    m->dedges0 =
        emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                      .name = "core.dlatent0_edges_accum",
                                      EMIT_IN(part, m->dedges0, i ? 0 : m->dedges),
                                      EMIT_OUT({ .shape = EMIT_F32(ne, h), .gradient = true }),
                                      .flops = ne * h,
                                      .reads = last || i == 0 ? 2 * 4 * ne * h : 0 });
}

/* --- the step ----------------------------------------------------------------------------- */

static void begin_step(struct exatrkx *m, const struct exatrkx_graph *graph)
{
    message_step(&m->g, graph->nodes, graph->edges);
    mlp_rows(&m->enc_edge, graph->edges);
    mlp_rows(&m->enc_node, graph->nodes);
    for (uint64_t i = 0; i < m->size->iterations; i++) {
        struct iteration *it = &m->it[i];
        mlp_rows(&it->core_edge, graph->edges);
        mlp_rows(&it->core_node, graph->nodes);
        mlp_rows(&it->dec_edge, graph->edges);
        it->out.rows = graph->edges;
    }
    m->dedges = m->dnodes = m->dedges0 = m->dnodes0 = 0;
}

static void emit_step(struct exatrkx *m)
{
    struct message_net *g = &m->g;
    uint64_t n = m->size->iterations;

    emit_phase(g->e, "infeed");
    uint32_t graph = message_infeed(g, FEATURES, FEATURES);

    emit_phase(g->e, "fwd_encoder");
    m->encoded_edges = mlp_forward(&g->net, &m->enc_edge, graph + 1, false);
    m->encoded_nodes = mlp_forward(&g->net, &m->enc_node, graph, false);
    for (uint64_t i = 0; i < n; i++)
        emit_forward(m, i);
    for (uint64_t i = n; i-- > 0;)
        emit_backward(m, i);
    emit_phase(g->e, "bwd_encoder");
    mlp_backward(&g->net, &m->enc_edge, &m->encoded_edges, m->dedges0, DENSE_BEGIN);
    mlp_backward(&g->net, &m->enc_node, &m->encoded_nodes, m->dnodes, DENSE_BEGIN);

    emit_phase(g->e, "update");
    net_update(&g->net);
    emit_phase(g->e, "outfeed");
    emit_op(g->e, &(struct emit_op){ .kind = TRACE_OUTFEED, .name = "loss", EMIT_IN(g->loss) });
}

void exatrkx_2020(struct emit *e, const struct exatrkx_size *size)
{
    struct exatrkx m = { .g = { .e = e }, .size = size, .h = size->hidden };

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
