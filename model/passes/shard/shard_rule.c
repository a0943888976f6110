/* Rules: the results of an operation whose operands are whole, cut along a dimension, or summands.
 *
 *   matmul        A cut in m, or B in n: so is C.  A and B cut in k: C is a summand.
 *   convolution   the same with b and o for m and n, and c (o of a dgrad, b of a wgrad) for k
 *   element-wise  results are cut like the operands, a broadcast one where it has that dimension
 *   reduce        cut where the dimension stays, a summand where it is summed over
 *   gather        indices cut: rows cut.  scatter: values cut: the table is a summand
 *   copy, pool    cut where operand and result have the same dimension of the same size
 *
 * A sum of summands is one.  Where it also adds what all cores have alike, only one of them does.
 * Anything else asks for whole operands.  A weight that nothing has cut yet is cut along n (o) by a
 * product with a whole A and along k by one with an A that is cut there, its bias and its optimizer
 * state likewise; what does not part evenly stays whole. */
#include <stdlib.h>
#include <string.h>

#include "passes/shard/shard_dim.h"

/* --- what becomes of operands ------------------------------------------------------------- */

static void set_fix(struct shard *s, const struct shard_op *op, uint32_t i, enum shard_fix f)
{
    s->fix[op->is->first_in + i] = (unsigned char)f;
}

/* The sum, if it is a summand. */
static void need_sum(struct shard *s, const struct shard_op *op, uint32_t i)
{
    struct shard_value *v = shard_in(s, op, i);

    if (v->partial)
        set_fix(s, op, i, SHARD_REDUCE);
    v->partial = false;
    v->open = false;
}

/* All of it. */
static void need_whole(struct shard *s, const struct shard_op *op, uint32_t i)
{
    need_sum(s, op, i);
    if (shard_in(s, op, i)->split != SHARD_WHOLE)
        set_fix(s, op, i, SHARD_GATHER);
}

static void need_all_whole(struct shard *s, const struct shard_op *op)
{
    for (uint32_t i = 0; i < op->is->n_in; i++)
        need_whole(s, op, i);
}

static bool parts_evenly(const struct shard *s, const struct shard_value *v, int dim)
{
    return v->is->shape.dim[dim] % s->parts == 0;
}

/* Cut what is open along `dim`, if it parts evenly. */
static void cut_open(struct shard *s, struct shard_value *v, int dim)
{
    if (v->open && dim >= 0 && parts_evenly(s, v, dim))
        v->split = dim;
    v->open = false;
}

static void set_result(struct shard *s, struct shard_op *op, uint32_t i, int split, bool partial)
{
    struct shard_value *v = shard_out(s, op, i);

    v->split = split;
    v->partial = partial;
    op->share |= partial || split != SHARD_WHOLE;
}

/* --- products ----------------------------------------------------------------------------- */

/* The dimension of operand `in` by which a weight is cut where the first operand is cut by `role`
 * (SHARD_COLUMN: where it is whole), or -1. */
static int dim_of(const struct shard *s, const struct shard_op *op, const struct shard_product *p,
                  uint32_t in, enum shard_role role)
{
    if (role != SHARD_COLUMN && role != SHARD_SUM)
        return -1;
    for (int d = (int)shard_in(s, op, in)->is->shape.rank - 1; d >= 0; d--)
        if (p->role(s, op, in, d) == role)
            return d;
    return -1;
}

static void decide_product(struct shard *s, struct shard_op *op, const struct shard_product *p)
{
    struct shard_value *x[2] = { shard_in(s, op, 0), shard_in(s, op, 1) };
    enum shard_role role[2] = { SHARD_NO_ROLE, SHARD_NO_ROLE };

    for (uint32_t i = 0; i < 2; i++)
        if (x[i]->partial)
            need_sum(s, op, i);
    if (x[0]->split >= 0)
        role[0] = p->role(s, op, 0, x[0]->split);
    if (s->plan.model > 1)
        cut_open(s, x[1], dim_of(s, op, p, 1, x[0]->split < 0 ? SHARD_COLUMN : role[0]));
    x[0]->open = x[1]->open = false;
    if (x[1]->split >= 0)
        role[1] = p->role(s, op, 1, x[1]->split);

    bool cut[2] = { x[0]->split >= 0, x[1]->split >= 0 };
    if (cut[0] && cut[1] && role[0] == SHARD_SUM && role[1] == SHARD_SUM) {
        set_result(s, op, 0, SHARD_WHOLE, true);
    } else if (cut[0] &&
               (cut[1] ? role[0] == SHARD_BATCH && role[1] == SHARD_BATCH : role[0] == SHARD_ROW)) {
        set_result(s, op, 0, p->result(s, op, 0, x[0]->split), false);
    } else if (!cut[0] && cut[1] && role[1] == SHARD_COLUMN) {
        set_result(s, op, 0, p->result(s, op, 1, x[1]->split), false);
    } else if (cut[0] && cut[1] && role[1] == SHARD_COLUMN) {
        need_whole(s, op, 0);
        set_result(s, op, 0, p->result(s, op, 1, x[1]->split), false);
    } else {
        need_all_whole(s, op);
        set_result(s, op, 0, SHARD_WHOLE, false);
    }
    if (op->is->bias != STEP_NONE) {
        struct shard_value *b = &s->value[op->is->bias];
        bool column = shard_out(s, op, 0)->split >= 0 && !(cut[0] && role[0] == SHARD_ROW);
        cut_open(s, b, column ? 0 : -1);
    }
}

/* --- element by element ------------------------------------------------------------------- */

/* Cut result `out` as operand `in` is; false if it cannot be. */
static bool follow_operand(struct shard *s, struct shard_op *op, uint32_t in, uint32_t out,
                           bool sums)
{
    const struct shard_value *x = shard_in(s, op, in), *y = shard_out(s, op, out);
    int dim = op->is->op.over
                  ? shard_kept_dim(&x->is->shape, x->split, op->is->op.over, &y->is->shape)
                  : shard_same_dim(&x->is->shape, x->split, &y->is->shape);

    if (dim < 0 && !(sums && trace_elements(&y->is->shape) < trace_elements(&x->is->shape)))
        return false;
    set_result(s, op, out, dim, dim < 0);
    return true;
}

/* Operand `in` beside results that are cut already. */
static void join_operand(struct shard *s, struct shard_op *op, uint32_t in, uint32_t leader)
{
    struct shard_value *x = shard_in(s, op, in);
    const struct shard_value *l = shard_in(s, op, leader);
    int dim = shard_same_dim(&l->is->shape, l->split, &x->is->shape);

    if (x->open && dim >= 0 && x->is->shape.dim[dim] == l->is->shape.dim[l->split])
        cut_open(s, x, dim);
    x->open = false;
    if (x->split >= 0 && x->split != dim)
        need_whole(s, op, in);
}

static void decide_elements(struct shard *s, struct shard_op *op, bool sums)
{
    uint32_t leader = STEP_NONE;
    const struct shard_value *y = op->is->n_out ? shard_out(s, op, 0) : NULL;
    bool adds =
        sums && y && (y->later || (op->is->op.kind == TRACE_REDUCE && y->is->shape.rank == 0));
    bool partial = false;

    for (uint32_t i = 0; i < op->is->n_in; i++) {
        struct shard_value *x = shard_in(s, op, i);
        if (x->partial && adds)
            partial = true;
        else if (x->partial)
            need_sum(s, op, i);
        if (leader == STEP_NONE && x->split >= 0)
            leader = i;
    }
    for (uint32_t k = 0; k < op->is->n_out;
         k++) /* summands of all its size: each core adds them all */
        shard_out(s, op, k)->partial = partial;
    if (leader == STEP_NONE) {
        for (uint32_t i = 0; i < op->is->n_in; i++)
            shard_in(s, op, i)->open = false;
        return;
    }
    for (uint32_t k = 0; k < op->is->n_out; k++)
        if (!follow_operand(s, op, leader, k, sums)) {
            for (uint32_t i = 0; i < op->is->n_in; i++)
                if (!(shard_in(s, op, i)->partial && adds))
                    need_whole(s, op, i);
            for (k = 0; k < op->is->n_out; k++) {
                shard_out(s, op, k)->split = SHARD_WHOLE;
                shard_out(s, op, k)->partial = partial;
            }
            op->share = false;
            return;
        }
    for (uint32_t i = 0; i < op->is->n_in; i++)
        if (i != leader)
            join_operand(s, op, i, leader);
}

/* --- rows by index ------------------------------------------------------------------------ */

static void decide_gather(struct shard *s, struct shard_op *op)
{
    const struct shard_value *table = shard_in(s, op, 0), *index = shard_in(s, op, 1);

    need_sum(s, op, 0);
    need_sum(s, op, 1);
    if (index->split == 0 && table->split == 0 && s->node_count) {
        set_result(s, op, 0, 0, false);
        shard_halo_gather(s, op);
    } else if (index->split == 0) {
        need_whole(s, op, 0);
        set_result(s, op, 0, 0, false);
    } else if (table->split > 0 && index->split < 0) {
        set_result(s, op, 0, (int)shard_out(s, op, 0)->is->shape.rank - 1, false);
    } else {
        need_all_whole(s, op);
        set_result(s, op, 0, SHARD_WHOLE, false);
    }
}

/* True if the value has a row for each node, and nodes are cut. */
static bool has_node_rows(const struct shard *s, const struct shard_value *v)
{
    return s->node_count && v->is->shape.rank && v->is->shape.dim[0] == s->node_count;
}

static int decide_scatter(struct shard *s, struct shard_op *op, struct err *err)
{
    const struct shard_value *x = shard_in(s, op, 0), *index = shard_in(s, op, 1);

    for (uint32_t i = 0; i < op->is->n_in; i++)
        need_sum(s, op, i);
    if (x->split == 0 && index->split == 0 && op->is->n_in == 2 &&
        has_node_rows(s, shard_out(s, op, 0))) {
        set_result(s, op, 0, 0, false);
        return shard_halo_scatter(s, op, err);
    } else if (x->split == 0 && index->split == 0) {
        for (uint32_t i = 2; i < op->is->n_in; i++)
            need_whole(s, op, i);
        set_result(s, op, 0, SHARD_WHOLE, true);
    } else if (x->split > 0 && index->split < 0 && op->is->n_in == 2) {
        set_result(s, op, 0, (int)shard_out(s, op, 0)->is->shape.rank - 1, false);
    } else {
        need_all_whole(s, op);
        set_result(s, op, 0, SHARD_WHOLE, false);
    }
    return 0;
}

/* --- the rest ----------------------------------------------------------------------------- */

/* States stand behind their weight and are cut like it. */
static void decide_optimizer(struct shard *s, struct shard_op *op)
{
    const struct shard_value *weight = NULL;

    if (shard_server_takes(s, op))
        return;
    for (uint32_t i = 0; i < op->is->n_in; i++) {
        struct shard_value *x = shard_in(s, op, i);

        if (x->is->role == TRACE_STATE && weight && x->open &&
            shard_same_dim(&weight->is->shape, 0, &x->is->shape) == 0 &&
            trace_elements(&weight->is->shape) == trace_elements(&x->is->shape))
            x->split = weight->split;
        need_sum(s, op, i);
        if (x->is->role == TRACE_WEIGHT)
            weight = x;
        op->share |= x->split != SHARD_WHOLE;
    }
}

static void decide_all_reduce(struct shard *s, struct shard_op *op)
{
    bool any = false;

    for (uint32_t i = 0; i < op->is->n_in; i++) {
        struct shard_value *x = shard_in(s, op, i);
        s->summand[op->is->first_in + i] = x->partial;
        any |= x->partial;
        if (op->is->n_out == 0)
            x->partial = false;
    }
    for (uint32_t i = 0; i < op->is->n_in; i++) /* with results it stays one operation */
        s->summand[op->is->first_in + i] |= any && op->is->n_out > 0;
    for (uint32_t i = 0; i < op->is->n_out; i++)
        set_result(s, op, i, shard_in(s, op, i)->split, false);
    op->share = false;
}

/* An all-reduce of one core: what it gives is what it takes. */
static void drop_reduce(struct shard *s, struct shard_op *op)
{
    const struct shard_op *from = op;

    op->dropped = true;
    if (op->is->op.async == TRACE_START)
        return;
    if (op->is->op.async == TRACE_DONE)
        from = &s->op[shard_in(s, op, 0)->is->op];
    for (uint32_t i = 0; i < op->is->n_out; i++) {
        struct shard_value *x = shard_in(s, from, i), *y = shard_out(s, op, i);
        uint32_t v = step_operand(s->step, from->is, i);
        y->alias = shard_alias(s, v);
        if (y->last_use != STEP_NONE && (x->last_use == STEP_NONE || x->last_use < y->last_use))
            x->last_use = y->last_use;
    }
}

static int decide_infeed(struct shard *s, struct shard_op *op, struct err *err)
{
    for (uint32_t i = 0; i < op->is->n_out; i++) {
        const struct shard_value *v = shard_out(s, op, i);

        bool rows = s->edge_count && v->is->shape.rank && v->is->shape.dim[0] % s->edge_count == 0;
        bool edges = rows && (s->micro || v->is->shape.dim[0] == s->edge_count);
        if (!edges && !has_node_rows(s, v))
            continue;
        if (op->is->op.async != TRACE_SYNC)
            return err_set(err, ERR_FIT, "%s:%u: an asynchronous infeed cannot be cut",
                           s->step->file, op->is->op.line);
        set_result(s, op, i, 0, false);
        shard_halo_infeed(s, op);
    }
    return 0;
}

static int decide_op(struct shard *s, struct shard_op *op, struct err *err)
{
    if (shard_decide_micro(s, op))
        return 0;
    switch (trace_kinds[op->is->op.kind].cut) {
    case TRACE_CUT_MATMUL: decide_product(s, op, &shard_matmul); return 0;
    case TRACE_CUT_CONV: decide_product(s, op, &shard_conv); return 0;
    case TRACE_CUT_SUMMANDS: decide_elements(s, op, true); return 0;
    case TRACE_CUT_ELEMENTS: decide_elements(s, op, false); return 0;
    case TRACE_CUT_DRAWN:
        for (uint32_t i = 0; i < op->is->n_in; i++)
            need_sum(s, op, i);
        for (uint32_t i = 0; i < op->is->n_out; i++) /* each core draws what it needs */
            shard_out(s, op, i)->open = true;
        return 0;
    case TRACE_CUT_GATHER: decide_gather(s, op); return 0;
    case TRACE_CUT_SCATTER: return decide_scatter(s, op, err);
    case TRACE_CUT_OPTIMIZER: decide_optimizer(s, op); return 0;
    case TRACE_CUT_INFEED: return decide_infeed(s, op, err);
    case TRACE_CUT_ALL_REDUCE:
        if (s->plan.apart || s->plan.server) {
            drop_reduce(s, op);
            return 0;
        }
        if (op->is->op.async == TRACE_SYNC) {
            decide_all_reduce(s, op);
            return 0;
        }
        /* fall through */
    case TRACE_CUT_CUT:
        return err_set(err, ERR_FIT, "%s:%u: a step with %s%s was cut already", s->step->file,
                       op->is->op.line, trace_kind_name[op->is->op.kind],
                       op->is->op.async == TRACE_SYNC ? "" : "-start");
    case TRACE_CUT_SUM:
        for (uint32_t i = 0; i < op->is->n_in; i++)
            need_sum(s, op, i);
        return 0;
    case TRACE_CUT_WHOLE:
        if (op->served)
            return err_set(err, ERR_FIT,
                           "%s:%u: a step whose client updates weights was cut already",
                           s->step->file, op->is->op.line);
        need_all_whole(s, op);
        return 0;
    }
    return 0;
}

/* From the last operation to the first: which summands may stay so until an all-reduce. */
static void find_later(struct shard *s)
{
    for (uint32_t n = s->step->n_ops; n-- > 0;) {
        const struct shard_op *op = &s->op[n];
        bool passes = op->is->op.kind == TRACE_ALL_REDUCE;

        for (uint32_t i = 0; i < op->is->n_out; i++) {
            struct shard_value *v = shard_out(s, op, i);
            v->later = v->uses > 0 && !v->blocked;
        }
        if (trace_kinds[op->is->op.kind].cut == TRACE_CUT_SUMMANDS) {
            passes = op->is->n_out > 0;
            for (uint32_t i = 0; i < op->is->n_out; i++)
                passes &= shard_out(s, op, i)->later;
        }
        for (uint32_t i = 0; i < op->is->n_in; i++) {
            struct shard_value *v = shard_in(s, op, i);
            v->uses++;
            v->blocked |= !passes;
            if (op->is->op.kind == TRACE_ALL_REDUCE &&
                op->is->n_out == 0) /* later uses see the sum */
                v->blocked = false;
        }
    }
}

int shard_decide(struct shard *s, struct err *err)
{
    find_later(s);
    for (uint32_t n = 0; n < s->step->n_ops; n++)
        if (decide_op(s, &s->op[n], err) != 0)
            return -1;
    for (uint32_t n = 0; n < s->step->n_ops; n++) {
        const struct shard_op *op = &s->op[n];
        for (uint32_t i = 0; i < op->is->n_in; i++)
            shard_in(s, op, i)->kept |= !op->dropped;
        if (op->dropped && op->fusion != STEP_NONE)
            return err_set(err, ERR_FIT, "%s:%u: an update of weights inside a fusion",
                           s->step->file, op->is->op.line);
    }
    return 0;
}
