/* cg.c - see cg.h for the formulas; operations bear the names of the published operator table. */
#include "cg.h"

static struct trace_shape rows_of(const struct cg *l, uint64_t cols)
{
    return EMIT_F32(l->size.rows, cols);
}

static struct trace_shape bins_of(const struct cg *l, uint64_t cols)
{
    return EMIT_F32(l->size.batch * l->size.bins, l->size.bin, cols);
}

static const char *name_of(const struct cg *l, const char *what)
{
    return emit_text(l->net->e, "%s.%s", l->name, what);
}

/* Columns of the hash.  A column stands for two bins: one for each sign. */
static uint64_t count_hashes(const struct cg_size *s)
{
    return (s->bins + 1) / 2;
}

void cg_declare(struct cg *l, struct net *net, const struct cg_size *size, const char *name,
                uint64_t f, bool passes)
{
    *l = (struct cg){ .name = name, .net = net, .size = *size, .f = f, .passes = passes };
    l->d0 = dense_add(net, name_of(l, "ffn_dist.d0"), size->rows, f, size->dist, &dense_elu);
    l->d1 = dense_add(net, name_of(l, "ffn_dist.d1"), size->rows, size->dist, size->dist,
                      &dense_linear);
    l->codebook = emit_tensor(net->e, TRACE_CONSTANT, EMIT_F32(size->dist, count_hashes(size)),
                              name_of(l, "codebook"));
    l->theta = net_add(net, EMIT_F32(f, size->width), "%s.msg.theta", name);
    l->w_h = net_add(net, EMIT_F32(f, size->width), "%s.msg.W_h", name);
    l->w_t = net_add(net, EMIT_F32(f, size->width), "%s.msg.W_t", name);
    l->b_t = net_add(net, EMIT_F32(size->width), "%s.msg.b_t", name);
}

#define OP(kind_, what, ...)                                                                       \
    emit_op(l->net->e, &(struct emit_op){ .kind = kind_, .name = name_of(l, what), __VA_ARGS__ })

/* Attributes of a gather or scatter whose indices are a permutation of the rows. */
static const char *attr_of_permutation(const struct cg *l, uint64_t cols)
{
    const struct cg_size *s = &l->size;

    return emit_text(l->net->e, "rows=%llu cols=%llu table-rows=%llu unique=1",
                     (unsigned long long)s->rows, (unsigned long long)cols,
                     (unsigned long long)s->rows);
}

/* Hash the elements, [rows, dist], into bins, sort them by bin and gather them in that order. */
static void sort_into_bins(struct cg *l, uint32_t place, uint32_t mask)
{
    const struct cg_size *s = &l->size;
    uint64_t per_event = s->rows / s->batch, compares = 0;

    while (UINT64_C(1) << compares < per_event)
        compares++;
    uint32_t proj = OP(TRACE_MATMUL, "lsh_proj", EMIT_IN(place, l->codebook),
                       EMIT_OUT({ .shape = rows_of(l, count_hashes(s)) }));
    uint32_t bin = OP(TRACE_REDUCE, "lsh_argmax", EMIT_IN(proj),
                      EMIT_OUT({ .shape = EMIT_S32(s->batch, per_event) }),
                      .flops = s->rows * 2 * (count_hashes(s)));
    l->perm = OP(TRACE_SORT, "lsh_argsort", EMIT_IN(bin),
                 EMIT_OUT({ .shape = EMIT_S32(s->batch, per_event) }),
                 .flops = s->rows * compares * compares / 2, .reads = 8 * s->rows, /* 64-bit keys */
                 .attr = emit_text(l->net->e, "rows=%llu cols=%llu", (unsigned long long)s->batch,
                                   (unsigned long long)per_event));
    l->place =
        OP(TRACE_GATHER, "gather_dist", EMIT_IN(place, l->perm),
           EMIT_OUT({ .shape = bins_of(l, s->dist) }), .attr = attr_of_permutation(l, s->dist));
    l->features = OP(TRACE_GATHER, "gather_feat", EMIT_IN(l->x, l->perm),
                     EMIT_OUT({ .shape = bins_of(l, l->f) }), .attr = attr_of_permutation(l, l->f));
    l->mask = OP(TRACE_GATHER, "gather_mask", EMIT_IN(mask, l->perm),
                 EMIT_OUT({ .shape = bins_of(l, 1) }), .attr = attr_of_permutation(l, 1));
}

/* Weight of every pair in a bin: exp(-0.1 |a - b|), masked, [batch * bins, bin, bin]. */
static void weigh_pairs(struct cg *l)
{
    const struct cg_size *s = &l->size;
    uint64_t pairs = s->rows * s->bin;
    uint32_t norms =
        OP(TRACE_ELEMENTWISE, "x_dist*msk,sq,sum", EMIT_IN(l->place, l->mask),
           EMIT_OUT({ .shape = bins_of(l, s->dist), "x" }, { .shape = bins_of(l, 2), "norms" }),
           .attr = "passes=5", .flops = 4 * s->rows * s->dist, .reads = 4 * s->rows * s->dist);

    l->place = norms++;
    uint32_t a = OP(TRACE_MATMUL, "pair_AB^T", EMIT_IN(l->place, l->place),
                    EMIT_OUT({ .shape = bins_of(l, s->bin) }), .attr = "tb=1", .joins = true);
    a = l->pair = OP(TRACE_ELEMENTWISE, "pair_dist(na-2ab+nb,max,sqrt)", EMIT_IN(a, norms),
                     EMIT_OUT({ .shape = bins_of(l, s->bin) }), .attr = "fn=sqrt passes=5",
                     .flops = 6 * pairs, .joins = true);
    a = OP(TRACE_ELEMENTWISE, "exp(-0.1d),clip", EMIT_IN(a),
           EMIT_OUT({ .shape = bins_of(l, s->bin) }), .attr = "fn=exponential fn-flops=9 passes=4",
           .flops = 12 * pairs, .joins = true);
    a = OP(TRACE_ELEMENTWISE, "mask_rows", EMIT_IN(a, l->mask),
           EMIT_OUT({ .shape = bins_of(l, s->bin) }), .attr = "einsums=1", .flops = pairs,
           .joins = true);
    l->adj =
        OP(TRACE_ELEMENTWISE, "mask_cols", EMIT_IN(a, l->mask),
           EMIT_OUT({ .shape = bins_of(l, s->bin) }), .attr = "passes=3 einsums=1", .flops = pairs);
    l->degree = OP(TRACE_REDUCE, "degrees", EMIT_IN(l->adj), EMIT_OUT({ .shape = bins_of(l, 1) }),
                   .attr = "passes=2 dims=2", .flops = 2 * pairs);
}

uint32_t cg_forward(struct cg *l, uint32_t x, uint32_t mask)
{
    const struct cg_size *s = &l->size;
    const struct net_variable *v = l->net->var;
    uint64_t n = s->rows * s->width;
    struct trace_shape wide = bins_of(l, s->width);

    emit_phase(l->net->e, emit_text(l->net->e, "fwd_%s", l->name));
    l->x = x;
    l->hidden = dense_forward(l->net, &l->d0, x, false);
    sort_into_bins(l, dense_forward(l->net, &l->d1, l->hidden, false), mask);
    weigh_pairs(l);

    uint32_t t = OP(TRACE_MATMUL, "msg.theta", EMIT_IN(l->features, v[l->theta].w),
                    EMIT_OUT({ .shape = wide }));
    l->theta_x = OP(TRACE_ELEMENTWISE, "msg.mask*norm", EMIT_IN(t, l->mask, l->degree),
                    EMIT_OUT({ .shape = wide }), .attr = "passes=2", .flops = 2 * n, .joins = true);
    t = OP(TRACE_MATMUL, "msg.adj_x", EMIT_IN(l->adj, l->theta_x), EMIT_OUT({ .shape = wide }));
    l->hom = OP(TRACE_ELEMENTWISE, "msg.*norm", EMIT_IN(t, l->degree), EMIT_OUT({ .shape = wide }),
                .flops = n, .joins = true);
    l->w_h_x =
        OP(TRACE_MATMUL, "msg.W_h", EMIT_IN(l->features, v[l->w_h].w), EMIT_OUT({ .shape = wide }));
    l->w_t_x = OP(TRACE_MATMUL, "msg.W_t", EMIT_IN(l->features, v[l->w_t].w), .bias = v[l->b_t].w,
                  EMIT_OUT({ .shape = wide }));
    t = OP(TRACE_ELEMENTWISE, "msg.gate_sigmoid_blend_elu_mask",
           EMIT_IN(l->hom, l->w_h_x, l->w_t_x), EMIT_OUT({ .shape = wide }),
           .attr = "fn=logistic passes=9", .flops = 18 * n);
    /* indices are pairs of event and place */
    l->y = OP(TRACE_SCATTER, "reverse_lsh", EMIT_IN(t, l->perm),
              EMIT_OUT({ .shape = rows_of(l, s->width) }), .reads = 4 * n + 8 * s->rows,
              .attr = attr_of_permutation(l, s->width));
    return l->y;
}

/* Backward pass of the messages.  Returns the gradient of the pair weights, sets *ddegree to that
 * of the degrees and, if the layer passes one on, *dx to that of the binned features. */
static uint32_t emit_message_backward(struct cg *l, uint32_t dy, uint32_t *dx, uint32_t *ddegree)
{
    const struct cg_size *s = &l->size;
    const struct net_variable *v = l->net->var;
    uint64_t n = s->rows * s->width;
    struct trace_shape wide = bins_of(l, s->width), back = bins_of(l, l->f);
    struct trace_shape weight = emit_shape(l->net->e, v[l->theta].w);
    uint32_t dt_x = 0, dh_x = 0;

    uint32_t d = OP(TRACE_ELEMENTWISE, "msg.blend_bwd", EMIT_IN(dy, l->hom, l->w_h_x, l->w_t_x),
                    EMIT_OUT({ .shape = wide, "hom", true }, { .shape = wide, "W_h", true },
                             { .shape = wide, "W_t", true }),
                    .attr = "fn=logistic passes=9", .flops = 25 * n, .reads = 5 * 4 * n);
    uint32_t dhom = d, dh = d + 1, dt = d + 2;
    net_gradient(l->net, l->w_t,
                 OP(TRACE_MATMUL, "msg.W_t.bwd_w", EMIT_IN(l->features, dt),
                    EMIT_OUT({ .shape = weight, .gradient = true }), .attr = "ta=1"));
    net_gradient(l->net, l->w_h,
                 OP(TRACE_MATMUL, "msg.W_h.bwd_w", EMIT_IN(l->features, dh),
                    EMIT_OUT({ .shape = weight, .gradient = true }), .attr = "ta=1"));
    /* rides with W_t.bwd_x, which reads the same gradient, where there is one */
    net_gradient(l->net, l->b_t,
                 OP(TRACE_REDUCE, "msg.b_t.bwd", EMIT_IN(dt),
                    EMIT_OUT({ .shape = EMIT_F32(s->width), .gradient = true }), .attr = "dims=0+1",
                    .flops = n, .joins = !l->passes));
    if (l->passes) {
        dt_x = OP(TRACE_MATMUL, "msg.W_t.bwd_x", EMIT_IN(dt, v[l->w_t].w),
                  EMIT_OUT({ .shape = back, .gradient = true }), .attr = "tb=1", .joins = true);
        dh_x = OP(TRACE_MATMUL, "msg.W_h.bwd_x", EMIT_IN(dh, v[l->w_h].w),
                  EMIT_OUT({ .shape = back, .gradient = true }), .attr = "tb=1");
    }
    uint32_t dax =
        OP(TRACE_ELEMENTWISE, "msg.norm_bwd", EMIT_IN(dhom, l->hom, l->degree),
           EMIT_OUT({ .shape = wide, "x", true }, { .shape = bins_of(l, 1), "degree", true }),
           .attr = "passes=3", .flops = 4 * n, .reads = 3 * 4 * n);
    *ddegree = dax + 1;
    uint32_t dtheta =
        OP(TRACE_MATMUL, "msg.adj_x.bwd_x", EMIT_IN(l->adj, dax),
           EMIT_OUT({ .shape = wide, .gradient = true }), .attr = "ta=1", .joins = true);
    uint32_t dadj = OP(TRACE_MATMUL, "msg.adj_x.bwd_adj", EMIT_IN(dax, l->theta_x),
                       EMIT_OUT({ .shape = bins_of(l, s->bin), .gradient = true }), .attr = "tb=1");
    net_gradient(l->net, l->theta,
                 OP(TRACE_MATMUL, "msg.theta.bwd_w", EMIT_IN(l->features, dtheta),
                    EMIT_OUT({ .shape = weight, .gradient = true }), .attr = "ta=1"));
    if (l->passes) {
        *dx = OP(TRACE_MATMUL, "msg.theta.bwd_x", EMIT_IN(dtheta, v[l->theta].w),
                 EMIT_OUT({ .shape = back, .gradient = true }), .attr = "tb=1");
        *dx = OP(TRACE_ELEMENTWISE, "msg.feat_sum", EMIT_IN(*dx, dt_x, dh_x),
                 EMIT_OUT({ .shape = back, .gradient = true }), .reads = EMIT_ZERO,
                 .writes = EMIT_ZERO, .joins = true);
    }
    return dadj;
}

/* Backward pass of the pair weights.  Returns the gradient of the places, [rows, dist], in the
 * order of the elements. */
static uint32_t emit_pairs_backward(struct cg *l, uint32_t dadj, uint32_t ddegree)
{
    const struct cg_size *s = &l->size;
    uint64_t pairs = s->rows * s->bin, n = s->rows * s->dist;
    struct trace_shape place = bins_of(l, s->dist);

    uint32_t dpair = OP(TRACE_ELEMENTWISE, "kernel_bwd(degrees,mask,clip,exp,sqrt)",
                        EMIT_IN(dadj, l->pair, l->adj, ddegree, l->degree, l->mask),
                        EMIT_OUT({ .shape = bins_of(l, s->bin), .gradient = true }),
                        .attr = "fn=divide passes=20 einsums=2", .flops = 16 * pairs,
                        .reads = 4 * 4 * (pairs + s->rows));
    uint32_t da = OP(TRACE_MATMUL, "pair.bwd_A", EMIT_IN(dpair, l->place),
                     EMIT_OUT({ .shape = place, .gradient = true }));
    uint32_t db = OP(TRACE_MATMUL, "pair.bwd_B", EMIT_IN(dpair, l->place),
                     EMIT_OUT({ .shape = place, .gradient = true }), .attr = "ta=1");
    uint32_t sums = OP(
        TRACE_REDUCE, "pair.row_col_sums", EMIT_IN(dpair),
        EMIT_OUT({ .shape = bins_of(l, 1), "row", true }, { .shape = bins_of(l, 1), "col", true }),
        .flops = 2 * pairs, .reads = 2 * 4 * pairs);
    uint32_t dx =
        OP(TRACE_ELEMENTWISE, "x_dist_bwd", EMIT_IN(da, db, l->place, sums, sums + 1, l->mask),
           EMIT_OUT({ .shape = place, .gradient = true }), .attr = "passes=6", .flops = 5 * n,
           .reads = 4 * 4 * n, .joins = true);
    return OP(TRACE_SCATTER, "gather_dist_bwd", EMIT_IN(dx, l->perm),
              EMIT_OUT({ .shape = rows_of(l, s->dist), .gradient = true }), .flops = n,
              .attr = attr_of_permutation(l, s->dist));
}

uint32_t cg_backward(struct cg *l, uint32_t dy, uint32_t more)
{
    const struct cg_size *s = &l->size;
    uint32_t dfeatures = 0, ddegree;

    emit_phase(l->net->e, emit_text(l->net->e, "bwd_%s", l->name));
    dy =
        OP(TRACE_GATHER, "reverse_lsh_bwd", EMIT_IN(dy, l->perm),
           EMIT_OUT({ .shape = bins_of(l, s->width), .gradient = true }),
           .reads = 4 * s->rows * s->width + 8 * s->rows, .attr = attr_of_permutation(l, s->width));
    uint32_t dadj = emit_message_backward(l, dy, &dfeatures, &ddegree);
    uint32_t dz = emit_pairs_backward(l, dadj, ddegree);
    if (l->passes)
        dfeatures =
            OP(TRACE_SCATTER, "gather_feat_bwd", EMIT_IN(dfeatures, l->perm),
               EMIT_OUT({ .shape = rows_of(l, l->f), .gradient = true }), .flops = s->rows * l->f,
               .reads = (3 * l->f + 1) * 4 * s->rows, .attr = attr_of_permutation(l, l->f));
    dense_backward(l->net, &l->d1, l->hidden, 0, dz, DENSE_BEGIN);
    dz = dense_input_gradient(l->net, &l->d1, dz);
    dz = dense_backward(l->net, &l->d0, l->x, l->hidden, dz, DENSE_AFTER_GEMM);
    if (!l->passes)
        return 0;
    uint32_t dx = dense_input_gradient(l->net, &l->d0, dz);
    return OP(TRACE_ELEMENTWISE, "input_sum", EMIT_IN(dx, dfeatures, more),
              EMIT_OUT({ .shape = rows_of(l, l->f), .gradient = true }), .reads = EMIT_ZERO,
              .writes = EMIT_ZERO, .joins = true);
}
