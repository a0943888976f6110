/* exatrkx.c - Exa-TrkX: one training step of the track-finding graph network of April 2020.
 *
 *   encoder:     edge and node MLPs, 5 -> hidden -> hidden
 *   iterations:  edges <- MLP(edges | receivers | senders), nodes <- MLP(sum of received | nodes),
 *                each of them concatenated with what the encoder gave; an edge decoder and a loss
 *
 * All iterations share the weights; the node update of the last one has no effect and is left out.
 * Each iteration gives the shared weights a gradient of its own. */
#include "workloads.h"

#include "net.h"

#define FEATURES 5
#define MAX_ITERATIONS 64

struct mlp {
    struct dense fc[2];
};

struct passed { /* what the backward pass of a two-layer MLP needs */
    uint32_t x, hidden, y;
};

struct iteration {
    struct passed edge, node, decoder;
    uint32_t p; /* predictions */
};

struct exatrkx {
    struct emit *e;
    struct net net;
    uint64_t nodes, edges, hidden, iterations;
    struct mlp enc_edge, enc_node, core_edge, core_node, dec_edge;
    struct dense out;
    uint32_t senders, receivers, target;
    uint32_t loss;
    struct passed encoded_edges, encoded_nodes;
    struct iteration it[MAX_ITERATIONS];
    /* backward, of the iteration after the one at hand: */
    uint32_t dedges;  /* gradient of its input edges, [edges, hidden] */
    uint32_t dnodes;  /* gradient of its concatenated nodes, [nodes, 2 hidden] */
    uint32_t dedges0; /* sum of the gradients of what the encoder gave */
    uint32_t dnodes0;
};

static struct mlp add_mlp(struct exatrkx *m, const char *name, uint64_t rows, uint64_t in)
{
    uint64_t h = m->hidden;

    return (struct mlp){
        { dense_add(&m->net, emit_text(m->e, "%s.fc0", name), rows, in, h, &net_relu),
          dense_add(&m->net, emit_text(m->e, "%s.fc1", name), rows, h, h, &net_relu) }
    };
}

static struct passed mlp_forward(struct exatrkx *m, const struct mlp *l, uint32_t x, bool joins)
{
    struct passed p = { .x = x };

    p.hidden = dense_forward(&m->net, &l->fc[0], x, joins);
    p.y = dense_forward(&m->net, &l->fc[1], p.hidden, false);
    return p;
}

/* Returns the gradient of the result of the first layer's matmul; its input's is the caller's. */
static uint32_t mlp_backward(struct exatrkx *m, const struct mlp *l, const struct passed *p,
                             uint32_t dy, enum dense_fusion fusion)
{
    uint32_t dz = dense_backward(&m->net, &l->fc[1], p->hidden, p->y, dy, fusion);

    dz = dense_input_gradient(&m->net, &l->fc[1], dz);
    return dense_backward(&m->net, &l->fc[0], p->x, p->hidden, dz, DENSE_AFTER_GEMM);
}

static uint32_t concat(struct exatrkx *m, const char *name, uint64_t rows, uint64_t cols,
                       uint32_t a, uint32_t b, uint32_t c)
{
    return emit_op(m->e, &(struct emit_op){ .kind = TRACE_COPY,
                                            .name = name,
                                            EMIT_IN(a, b, c),
                                            EMIT_OUT({ .shape = EMIT_F32(rows, cols) }) });
}

static const char *row_attr(struct exatrkx *m, uint64_t cols)
{
    return emit_text(m->e, "rows=%llu cols=%llu table-rows=%llu", (unsigned long long)m->edges,
                     (unsigned long long)cols, (unsigned long long)m->nodes);
}

/* Rows of a node table, one for every edge. */
static uint32_t gather(struct exatrkx *m, const char *name, uint32_t table, uint32_t index,
                       uint64_t cols, bool gradient)
{
    return emit_op(m->e, &(struct emit_op){
                             .kind = TRACE_GATHER,
                             .name = name,
                             EMIT_IN(table, index),
                             EMIT_OUT({ .shape = EMIT_F32(m->edges, cols), .gradient = gradient }),
                             .attr = row_attr(m, cols) });
}

/* Sums of edge rows, one for every node. */
static uint32_t segment_sum(struct exatrkx *m, const char *name, uint32_t values, uint32_t index,
                            uint64_t cols, bool gradient)
{
    return emit_op(m->e, &(struct emit_op){
                             .kind = TRACE_SCATTER,
                             .name = name,
                             EMIT_IN(values, index),
                             EMIT_OUT({ .shape = EMIT_F32(m->nodes, cols), .gradient = gradient }),
                             .flops = m->edges * cols,
                             .attr = row_attr(m, cols) });
}

/* --- forward ------------------------------------------------------------------------------ */

static void decode(struct exatrkx *m, struct iteration *it)
{
    struct emit *e = m->e;
    uint64_t n = m->edges;

    it->decoder = mlp_forward(m, &m->dec_edge, it->edge.y, false);
    uint32_t logit = dense_forward(&m->net, &m->out, it->decoder.y, false);
    it->p = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                          .name = "out.sigmoid",
                                          EMIT_IN(logit),
                                          EMIT_OUT({ .shape = EMIT_F32(n, 1) }),
                                          .flops = 5 * n,
                                          .joins = true });
    uint32_t xent = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                                  .name = "loss.weighted_xent",
                                                  EMIT_IN(logit, it->p, m->target),
                                                  EMIT_OUT({ .shape = EMIT_F32(n, 1) }),
                                                  .flops = 12 * n,
                                                  .joins = true });
    m->loss = emit_op(e, &(struct emit_op){ .kind = TRACE_REDUCE,
                                            .name = "loss.reduce",
                                            EMIT_IN(xent, m->loss),
                                            EMIT_OUT({ .shape = EMIT_SCALAR }),
                                            .flops = n,
                                            .reads = m->loss ? 4 * n : 0 });
}

static void forward(struct exatrkx *m, uint64_t i)
{
    struct iteration *it = &m->it[i];
    uint64_t h = m->hidden;
    uint32_t edges = i ? m->it[i - 1].edge.y : m->encoded_edges.y;
    uint32_t nodes = i ? m->it[i - 1].node.y : m->encoded_nodes.y;

    emit_phase(m->e, emit_text(m->e, "fwd_it%u", (unsigned)i));
    edges = concat(m, "core.concat_edges(latent0,latent)", m->edges, 2 * h, m->encoded_edges.y,
                   edges, 0);
    nodes = concat(m, "core.concat_nodes(latent0,latent)", m->nodes, 2 * h, m->encoded_nodes.y,
                   nodes, 0);
    uint32_t to = gather(m, "core.gather_receivers", nodes, m->receivers, 2 * h, false);
    uint32_t from = gather(m, "core.gather_senders", nodes, m->senders, 2 * h, false);
    uint32_t x = concat(m, "core.concat_edge_in", m->edges, 6 * h, edges, to, from);
    it->edge = mlp_forward(m, &m->core_edge, x, true);
    if (i + 1 < m->iterations) {
        uint32_t sum = segment_sum(m, "core.segsum_received", it->edge.y, m->receivers, h, false);
        x = concat(m, "core.concat_node_in", m->nodes, 3 * h, sum, nodes, 0);
        it->node = mlp_forward(m, &m->core_node, x, true);
    }
    decode(m, it);
}

/* --- backward ----------------------------------------------------------------------------- */

/* Through the decoder; returns the gradient of its input edges. */
static uint32_t decode_backward(struct exatrkx *m, const struct iteration *it)
{
    struct emit *e = m->e;
    uint64_t n = m->edges;
    uint32_t dz = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                                .name = "out.loss+sigmoid_bwd",
                                                EMIT_IN(it->p, m->target),
                                                EMIT_OUT({ .shape = EMIT_F32(n, 1), "dz", true },
                                                         { .shape = EMIT_F32(1), "db", true }),
                                                .flops = 8 * n,
                                                .reads = 3 * 4 * n, /* and the weights of the two
                                                                       classes, edge by edge */
                                                .writes = 4 * n });

    net_gradient(&m->net, m->out.b, dz + 1);
    uint32_t dw = emit_op(
        e, &(struct emit_op){ .kind = TRACE_MATMUL,
                              .name = "out.fc.bwd_w",
                              EMIT_IN(it->decoder.y, dz),
                              EMIT_OUT({ .shape = EMIT_F32(m->hidden, 1), .gradient = true }),
                              .attr = "ta=1",
                              .joins = true });
    net_gradient(&m->net, m->out.w, dw);
    uint32_t dy = dense_input_gradient(&m->net, &m->out, dz);
    dz = mlp_backward(m, &m->dec_edge, &it->decoder, dy, DENSE_AFTER_GEMM);
    return dense_input_gradient(&m->net, &m->dec_edge.fc[0], dz);
}

/* Through the node update, whose output only the next iteration uses, to the gradient of the
 * concatenated nodes; *dsum becomes that of the edges that the sum over received edges was fed. */
static uint32_t node_backward(struct exatrkx *m, const struct iteration *it, uint32_t *dsum)
{
    struct emit *e = m->e;
    uint64_t n = m->nodes, h = m->hidden;
    uint32_t split =
        emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                      .name = "core.dnodes_split_accum",
                                      EMIT_IN(m->dnodes, m->dnodes0),
                                      EMIT_OUT({ .shape = EMIT_F32(n, h), "latent", true },
                                               { .shape = EMIT_F32(n, h), "latent0", true }),
                                      .flops = n * h,
                                      .reads = 3 * 4 * n * h,
                                      .writes = 4 * n * h });

    m->dnodes0 = split + 1;
    uint32_t dz = dense_backward(&m->net, &m->core_node.fc[1], it->node.hidden, it->node.y, split,
                                 DENSE_CONTINUE);
    dz = dense_input_gradient(&m->net, &m->core_node.fc[1], dz);
    dz = dense_backward(&m->net, &m->core_node.fc[0], it->node.x, it->node.hidden, dz,
                        DENSE_AFTER_GEMM);
    uint32_t dx = dense_input_gradient(&m->net, &m->core_node.fc[0], dz);
    *dsum = gather(m, "core.segsum_bwd(gather d_agg by receivers)", dx, m->receivers, h, true);
    return dx;
}

static void backward(struct exatrkx *m, uint64_t i)
{
    struct emit *e = m->e;
    const struct iteration *it = &m->it[i];
    uint64_t n = m->nodes, ne = m->edges, h = m->hidden;
    bool last = i + 1 == m->iterations;
    uint32_t dnode_in = 0, dsum;

    emit_phase(e, emit_text(e, "bwd_it%u", (unsigned)i));
    uint32_t dy = decode_backward(m, it);
    if (!last) {
        dnode_in = node_backward(m, it, &dsum);
        dy = emit_op(e, &(struct emit_op){ .kind = TRACE_ELEMENTWISE,
                                           .name = "core.dedges_accum",
                                           EMIT_IN(dy, m->dedges, dsum),
                                           EMIT_OUT({ .shape = EMIT_F32(ne, h), .gradient = true }),
                                           .flops = 2 * ne * h });
    }
    uint32_t dz =
        mlp_backward(m, &m->core_edge, &it->edge, dy, last ? DENSE_AFTER_GEMM : DENSE_CONTINUE);
    uint32_t dx = dense_input_gradient(&m->net, &m->core_edge.fc[0], dz);
    /* the parts of the concatenation are written apart, so that each is read alone */
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
    uint32_t to = segment_sum(m, "core.gather_receivers_bwd", part + 2, m->receivers, 2 * h, true);
    uint32_t from = segment_sum(m, "core.gather_senders_bwd", part + 3, m->senders, 2 * h, true);
    /* the first iteration got what the encoder gave twice, so there all comes together */
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

enum { NODES, EDGES, HIDDEN, ITERATIONS, GRAPHS, EPOCH };

static void declare(struct exatrkx *m)
{
    uint64_t h = m->hidden;

    m->enc_edge = add_mlp(m, "enc_edge", m->edges, FEATURES);
    m->enc_node = add_mlp(m, "enc_node", m->nodes, FEATURES);
    m->core_edge = add_mlp(m, "core_edge", m->edges, 6 * h);
    if (m->iterations > 1)
        m->core_node = add_mlp(m, "core_node", m->nodes, 3 * h);
    m->dec_edge = add_mlp(m, "dec_edge", m->edges, h);
    m->out = dense_add(&m->net, "out.fc", m->edges, h, 1, &net_bare);
}

static void build(struct exatrkx *m)
{
    struct emit *e = m->e;
    uint64_t n = m->nodes, ne = m->edges;

    net_init(&m->net, e, "", &net_adam);
    declare(m);
    emit_phase(e, "infeed");
    uint32_t graph =
        emit_op(e, &(struct emit_op){ .kind = TRACE_INFEED,
                                      .name = "infeed.graph",
                                      EMIT_OUT({ .shape = EMIT_F32(n, FEATURES), "nodes" },
                                               { .shape = EMIT_F32(ne, FEATURES), "edges" },
                                               { .shape = EMIT_S32(ne), "senders" },
                                               { .shape = EMIT_S32(ne), "receivers" },
                                               { .shape = EMIT_F32(ne, 1), "target.edges" },
                                               { .shape = EMIT_F32(n, FEATURES), "target.nodes" },
                                               { .shape = EMIT_S32(ne), "target.senders" },
                                               { .shape = EMIT_S32(ne), "target.receivers" }) });
    m->senders = graph + 2;
    m->receivers = graph + 3;
    m->target = graph + 4;

    emit_phase(e, "fwd_encoder");
    m->encoded_edges = mlp_forward(m, &m->enc_edge, graph + 1, false);
    m->encoded_nodes = mlp_forward(m, &m->enc_node, graph, false);
    for (uint64_t i = 0; i < m->iterations; i++)
        forward(m, i);
    for (uint64_t i = m->iterations; i-- > 0;)
        backward(m, i);
    emit_phase(e, "bwd_encoder");
    mlp_backward(m, &m->enc_edge, &m->encoded_edges, m->dedges0, DENSE_BEGIN);
    mlp_backward(m, &m->enc_node, &m->encoded_nodes, m->dnodes, DENSE_BEGIN);

    emit_phase(e, "update");
    net_update(&m->net);
    emit_phase(e, "outfeed");
    emit_op(e, &(struct emit_op){ .kind = TRACE_OUTFEED, .name = "loss", EMIT_IN(m->loss) });
}

static const struct gen_param params[] = {
    [NODES] = { "nodes", 150000, 1, 100000000, "space points of a graph, padded [ju-2020]", NULL },
    [EDGES] = { "edges", 1350000, 1, 100000000, "edges of a graph, padded [ju-2020]", NULL },
    [HIDDEN] = { "hidden", 128, 1, 4096, "width of all layers, code of [ju-2020]", NULL },
    [ITERATIONS] = { "iterations", 8, 1, MAX_ITERATIONS, "of message passing, code of [ju-2020]",
                     NULL },
    [GRAPHS] = { "graphs", 1, 1, 256, "graphs a step and core, concatenated", NULL },
    [EPOCH] = { "epoch", 111, 1, UINT32_MAX, "graphs in the data set, code of [ju-2020]", NULL },
};
#define N_PARAMS (sizeof params / sizeof *params)

static void write_trace(const uint64_t *value, FILE *out)
{
    const char *key[N_PARAMS];
    struct emit_head head = { "exatrkx",
                              "Exa-TrkX interaction network of April 2020, one event graph a step "
                              "[ju-2020]; generated",
                              value[GRAPHS],
                              value[EPOCH],
                              key,
                              value,
                              NULL,
                              N_PARAMS };

    for (size_t i = 0; i < N_PARAMS; i++)
        key[i] = params[i].key;
    struct exatrkx m = { .e = emit_new(&head),
                         .nodes = value[NODES] * value[GRAPHS],
                         .edges = value[EDGES] * value[GRAPHS],
                         .hidden = value[HIDDEN],
                         .iterations = value[ITERATIONS] };
    build(&m);
    emit_print(m.e, out);
    net_clear(&m.net);
    emit_free(m.e);
}

const struct gen_workload exatrkx_workload = {
    "exatrkx", "Exa-TrkX: graph network that finds tracks, one event graph a step",
    params,    N_PARAMS,
    NULL,      write_trace
};
