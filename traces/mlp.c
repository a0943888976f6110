#include "mlp.h"

struct mlp mlp_add(struct net *net, const char *name, uint64_t in, uint64_t hidden, uint64_t out)
{
    return (struct mlp){
        { dense_add(net, emit_text(net->e, "%s.fc0", name), 0, in, hidden, &dense_relu),
          dense_add(net, emit_text(net->e, "%s.fc1", name), 0, hidden, out, &dense_relu) }
    };
}

void mlp_rows(struct mlp *l, uint64_t rows)
{
    l->fc[0].rows = l->fc[1].rows = rows;
}

struct mlp_pass mlp_forward(struct net *net, const struct mlp *l, uint32_t x, bool joins)
{
    struct mlp_pass p = { .x = x };

    p.hidden = dense_forward(net, &l->fc[0], x, joins);
    p.y = dense_forward(net, &l->fc[1], p.hidden, false);
    return p;
}

uint32_t mlp_backward(struct net *net, const struct mlp *l, const struct mlp_pass *p, uint32_t dy,
                      enum dense_fusion fusion)
{
    uint32_t dz = dense_backward(net, &l->fc[1], p->hidden, p->y, dy, fusion);

    dz = dense_input_gradient(net, &l->fc[1], dz);
    return dense_backward(net, &l->fc[0], p->x, p->hidden, dz, DENSE_AFTER_GEMM);
}
