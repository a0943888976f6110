#include "kernels/orientation.h"

#include "base/arith.h"
#include "kernels/fill.h"
#include "step/tiling.h"

/* The extents of a convolution by their roles. */
struct roles {
    uint64_t b, k, n;
    uint64_t positions, last_position; /* of the result; along its last dimension */
    uint64_t taps, last;               /* of the whole window; of its last dimension */
    uint64_t inputs, last_input;       /* positions of the first operand, likewise */
    uint64_t pairs;                    /* of a position and a tap that it needs */
    bool between;                      /* a gradient of the image with strides */
    bool strides;
};

/* True where k is on the lanes of an operand, b on those of the result. */
struct lanes {
    bool a_k, b_k, c_b;
};

/* The one of the first two dimensions of a value that is on its lanes; 2: both take as many bytes.
 */
static uint32_t find_minor(const struct step_value *v, const struct cap *cap)
{
    struct tiling t = { cap->lanes, cap->sublanes };
    uint64_t first = tiling_bytes(&v->shape, 0, 1, v->stored, t);
    uint64_t second = tiling_bytes(&v->shape, 1, 0, v->stored, t);

    return first == second ? 2 : first < second ? 0 : 1;
}

/* A gradient of a filter sums over the batch: one of its operands has the batch on the lanes if
 * that costs nothing, the image rather than the gradient. */
static struct lanes find_summed_lanes(const struct step_value *a, const struct step_value *b,
                                      const struct cap *cap)
{
    uint32_t in = find_minor(a, cap), out = find_minor(b, cap);
    bool part = a->shape.dim[1] < cap->lanes;
    struct lanes l = { .a_k = in == 0 || (in == 2 && part) };

    l.b_k = out == 0 || (out == 2 && b->shape.dim[1] < cap->lanes && !l.a_k);
    return l;
}

/* Images are [batch, channels, ...], filters [outputs, channels, ...]. */
static struct lanes find_lanes(const struct step *step, const struct step_op *op,
                               const struct cap *cap)
{
    const struct step_value *a = &step->value[step->ref[op->first_in]];
    const struct step_value *b = &step->value[step->ref[op->first_in + 1]];
    const struct step_value *c = &step->value[step->ref[op->first_out]];
    struct lanes l;

    if (op->op.kind == TRACE_CONV_WGRAD) {
        l = find_summed_lanes(a, b, cap);
        l.c_b = find_minor(c, cap) == 1;
        return l;
    }
    l.a_k = find_minor(a, cap) != 0;
    l.b_k = (find_minor(b, cap) == 1) == (op->op.kind == TRACE_CONV);
    l.c_b = find_minor(c, cap) == 0;
    return l;
}

/* Pairs of a position of the image and a tap that a stride does not skip, along one dimension. */
static uint64_t count_pairs(uint64_t image, const struct trace_window *win, uint32_t i)
{
    uint64_t stride = win->stride[i], pairs = 0;

    for (uint64_t tap = 0; tap < win->size[i]; tap++) {
        /* positions p with p + pad - tap * dilate a multiple of the stride */
        int64_t at = ((int64_t)(tap * win->dilate[i]) - win->pad_lo[i]) % (int64_t)stride;
        uint64_t first = (uint64_t)(at < 0 ? at + (int64_t)stride : at);
        pairs += first < image ? (image - first - 1) / stride + 1 : 0;
    }
    return pairs;
}

static struct roles find_roles(const struct step *step, const struct step_op *op)
{
    const struct trace_op *o = &op->op;
    const struct trace_shape *a = &step->value[step->ref[op->first_in]].shape;
    const struct trace_shape *b = &step->value[step->ref[op->first_in + 1]].shape;
    const struct trace_shape *c = &step->value[step->ref[op->first_out]].shape;
    struct roles r = { .positions = 1, .taps = 1, .inputs = 1, .pairs = 1 };
    bool wgrad = o->kind == TRACE_CONV_WGRAD, dgrad = o->kind == TRACE_CONV_DGRAD;

    r.b = a->dim[wgrad ? 1 : 0];
    r.k = a->dim[wgrad ? 0 : 1];
    r.n = wgrad ? b->dim[1] : c->dim[1];
    for (uint32_t i = 0; i < o->win.rank; i++) {
        uint64_t positions = c->dim[2 + i];
        r.last = wgrad ? b->dim[2 + i] : o->win.size[i];
        r.last_input = a->dim[2 + i];
        r.inputs *= r.last_input;
        r.last_position = positions;
        r.positions *= positions;
        r.taps *= r.last;
        r.pairs *= dgrad ? count_pairs(positions, &o->win, i) : positions * r.last;
        r.strides |= o->win.stride[i] > 1;
    }
    r.between = dgrad && r.strides;
    r.strides &= !wgrad;
    return r;
}

/* Rows of `extent` on the sublanes: 1, 2, 4 or whole registers. */
static uint64_t count_rows(uint64_t extent, const struct cap *cap)
{
    uint64_t rows = 1;

    while (rows < extent && rows < cap->sublanes)
        rows *= 2;
    return arith_round_up(extent, rows);
}

/* Cut the k of all taps into passes: mode.depth of k each, mode.height rows pushed.  So many `taps`
 * at most share one; where `dense`, those of few channels all do, and without padding. */
static void cut_depth(struct array_mode *mode, const struct roles *r, uint64_t taps, bool dense,
                      const struct cap *cap)
{
    uint64_t size = cap->mxu.size, rows = arith_round_up(r->k, cap->sublanes);
    uint64_t passes = arith_ceil_div(r->k, size);

    if (passes > 1) { /* of each tap */
        mode->depth = (uint32_t)arith_ceil_div(r->k, passes);
        mode->height = (uint32_t)arith_round_up(mode->depth, cap->sublanes);
        return;
    }
    if (taps > 1 && dense && r->k < cap->sublanes) {
        taps = r->taps;
        rows = r->k;
    }
    /* as few passes as hold them, equally deep */
    passes = arith_ceil_div(taps, rows < size ? size / rows : 1);
    mode->depth = (uint32_t)arith_ceil_div(taps * r->k, passes);
    rows *= arith_ceil_div(taps, passes);
    mode->height = (uint32_t)(rows < size ? rows : size);
}

/* An operand that is turned pushes its columns instead. */
static void set_columns(struct array_mode *mode, uint64_t n, const struct cap *cap)
{
    uint64_t filled = arith_round_up(n, cap->lanes);

    if (mode->turned)
        mode->height = 0;
    if (filled < cap->mxu.size && !mode->turned)
        mode->columns = (uint32_t)filled;
    fill_columns(mode, n, cap);
    fill_registers(mode, n, cap);
}

/* A core has 32 vector registers [norrie-2021]; half of them hold operands. */
#define MOST_SUMS 16

static uint64_t count_registers(uint64_t bytes, const struct cap *cap)
{
    return arith_ceil_div(bytes, 4 * (uint64_t)cap->vector_elements);
}

/* The image stays: C^T = B^T A^T at each position. */
static void set_image_stays(struct work *w, const struct roles *r, const struct lanes *l,
                            const struct cap *cap)
{
    lower_swap(w);
    w->mode.turned = w->b_turned = l->a_k;
    cut_depth(&w->mode, r, l->a_k || r->between ? 1 : l->b_k ? r->last : r->taps, !l->b_k, cap);
    set_columns(&w->mode, r->b, cap);
    w->sums_stay = arith_ceil_div(r->n, cap->sublanes) <= MOST_SUMS;
    if (r->between)
        w->gemm = (struct task_gemm){ r->pairs, r->n, r->k, r->b, 0 };
    else
        w->gemm = (struct task_gemm){ r->positions, r->n, r->taps * r->k, r->b, 0 };
    if (!l->b_k)
        w->xlu += count_registers(w->a_bytes, cap);
}

/* Rows of all positions: b on the sublanes, or the positions of the last dimension where that pads
 * less. */
static uint64_t count_streamed(const struct roles *r, const struct cap *cap)
{
    uint64_t images = r->positions * count_rows(r->b, cap);
    uint64_t along = r->positions / r->last_position * count_rows(r->last_position, cap) * r->b;

    return along < images ? along : images;
}

static void set_filter_stays(struct work *w, const struct roles *r, const struct lanes *l,
                             const struct cap *cap)
{
    w->mode.turned = w->b_turned = l->b_k;
    cut_depth(&w->mode, r, l->b_k || r->strides || r->between ? 1 : r->last, false, cap);
    set_columns(&w->mode, r->n, cap);
    if (r->between)
        w->gemm = (struct task_gemm){ r->pairs, r->b, r->k, r->n, 0 };
    else
        w->gemm = (struct task_gemm){ 1, count_streamed(r, cap), r->taps * r->k, r->n, 0 };
    if (!l->a_k)
        w->xlu += count_registers(w->a_bytes, cap);
}

/* A window larger than the image: the operands change places. */
static void exchange_operands(struct work *w, struct roles *r, struct lanes *l)
{
    struct roles old = *r;

    lower_swap(w);
    r->b = old.n;
    r->n = old.b;
    r->taps = old.inputs;
    r->last = old.last_input;
    *l = (struct lanes){ .a_k = l->b_k, .b_k = l->a_k, .c_b = !l->c_b };
}

void orientation_set(struct work *w, const struct step *step, const struct step_op *op,
                     const struct cap *cap)
{
    struct roles r = find_roles(step, op);
    struct lanes l = find_lanes(step, op, cap);

    w->oriented = true;
    w->mode.pushed = cap->push_rows;
    if (r.taps > r.inputs && !r.between)
        exchange_operands(w, &r, &l);
    if (l.c_b)
        set_image_stays(w, &r, &l, cap);
    else
        set_filter_stays(w, &r, &l, cap);
}
