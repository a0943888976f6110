#include "kernels/tpu/orientation.h"

#include "base/arith.h"
#include "kernels/tpu/fill.h"
#include "step/tiling.h"

/* The extents of a convolution by their roles. */
struct roles {
    uint64_t b, k, n;
    uint64_t positions, last_position; /* of the result; along its last dimension */
    uint64_t taps, last;               /* of the whole window; of its last dimension */
    uint64_t inputs, last_input;       /* positions of the first operand, likewise */
    uint64_t pairs;                    /* of a position and a tap that no stride skips */
    bool between;                      /* a gradient of the image with strides */
    bool strides;
};

/* True where k is on the lanes of an operand, b on those of the result. */
struct lanes {
    bool a_k, b_k, c_b;
};

/* The operands and the result of a convolution. */
struct images {
    struct trace_shape shape[3];
    enum trace_dtype stored[3];
};

static struct images read_images(const struct step *step, const struct step_op *op)
{
    const uint32_t ref[3] = { op->first_in, op->first_in + 1, op->first_out };
    int filter = op->op.kind == TRACE_CONV_WGRAD ? 2 : 1;
    struct images im;

    for (int i = 0; i < 3; i++) {
        const struct step_value *v = &step->value[step->ref[ref[i]]];
        im.shape[i] = v->shape;
        im.stored[i] = v->stored;
        /* of a group: images have channels in the second dimension, filters outputs in the first */
        im.shape[i].dim[i == filter ? 0 : 1] /= op->op.groups;
    }
    return im;
}

static uint64_t add_padding(uint64_t extent, int64_t lo, int64_t hi)
{
    int64_t all = (int64_t)extent + lo + hi;

    return all > 0 ? (uint64_t)all : 0;
}

/* Cut the last dimension of few images into parts, each with the rim that its window needs, and
 * make them images of their own. */
static void cut_images(struct images *im, const struct trace_op *o, const struct cap *cap)
{
    struct trace_shape *a = &im->shape[0], *c = &im->shape[2];
    const struct trace_window *win = &o->win;
    uint32_t last = win->rank - 1;
    uint64_t parts = cap->xla.image_parts, stride = win->stride[last];
    uint64_t rim = (win->size[last] - 1) * win->dilate[last], padded, part;
    bool dgrad = o->kind == TRACE_CONV_DGRAD;

    if (!parts || o->kind == TRACE_CONV_WGRAD || a->dim[0] >= cap->sublanes)
        return;
    padded = dgrad ? c->dim[2 + last] + rim
                   : add_padding(a->dim[2 + last], win->pad_lo[last], win->pad_hi[last]);
    part = arith_round_up(arith_ceil_div(padded, parts), stride);
    if (rim > part)
        return;
    a->dim[0] *= parts;
    c->dim[0] *= parts;
    a->dim[2 + last] = dgrad ? arith_ceil_div(part + rim, stride) : part + rim;
    c->dim[2 + last] = dgrad ? part : part / stride;
}

/* The one of the first two dimensions that is on the lanes; 2: both take as many bytes. */
static uint32_t find_minor(const struct images *im, int i, const struct cap *cap)
{
    struct tiling t = { cap->lanes, cap->sublanes };
    uint64_t first = tiling_bytes(&im->shape[i], 0, 1, im->stored[i], t);
    uint64_t second = tiling_bytes(&im->shape[i], 1, 0, im->stored[i], t);

    return first == second ? 2 : first < second ? 0 : 1;
}

/* A gradient of a filter sums over the batch: one of its operands has the batch on the lanes if
 * that costs nothing, the image rather than the gradient. */
static struct lanes find_summed_lanes(const struct images *im, const struct cap *cap)
{
    uint32_t in = find_minor(im, 0, cap), out = find_minor(im, 1, cap);
    bool part = im->shape[0].dim[1] < cap->lanes;
    struct lanes l = { .a_k = in == 0 || (in == 2 && part && out != 0) };

    l.b_k = out == 0 || (out == 2 && im->shape[1].dim[1] < cap->lanes && !l.a_k);
    return l;
}

/* Images are [batch, channels, ...], filters [outputs, channels, ...]. */
static struct lanes find_lanes(const struct images *im, enum trace_kind kind, const struct cap *cap)
{
    struct lanes l;

    if (kind == TRACE_CONV_WGRAD) {
        l = find_summed_lanes(im, cap);
        l.c_b = find_minor(im, 2, cap) == 1;
        return l;
    }
    l.a_k = find_minor(im, 0, cap) != 0;
    l.b_k = (find_minor(im, 1, cap) == 1) == (kind == TRACE_CONV);
    l.c_b = find_minor(im, 2, cap) == 0;
    return l;
}

static struct roles find_roles(const struct images *im, const struct trace_op *o)
{
    const struct trace_shape *a = &im->shape[0], *b = &im->shape[1], *c = &im->shape[2];
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
        r.pairs *= arith_ceil_div(positions * r.last, dgrad ? o->win.stride[i] : 1);
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

    BUG_ON(taps == 0);
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
    BUG_ON(passes == 0);
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

/* Taps that may share a pass where the image stays. */
static uint64_t count_shared(const struct roles *r, const struct lanes *l, const struct cap *cap)
{
    if (l->a_k || r->between)
        return 1;
    return l->b_k && cap->mxu.size <= cap->lanes ? r->last : r->taps;
}

/* The image stays: C^T = B^T A^T at each position. */
static void set_image_stays(struct work *w, const struct roles *r, const struct lanes *l,
                            const struct cap *cap)
{
    lower_swap(w);
    w->mode.turned = w->b_turned = l->a_k;
    cut_depth(&w->mode, r, count_shared(r, l, cap), !l->b_k, cap);
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
    BUG_ON(r->last_position == 0);
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
    struct images im = read_images(step, op);

    cut_images(&im, &op->op, cap);
    struct roles r = find_roles(&im, &op->op);
    struct lanes l = find_lanes(&im, op->op.kind, cap);

    w->oriented = true;
    w->mode.pushed = cap->xla.push_rows;
    if (r.taps > r.inputs && !r.between)
        exchange_operands(w, &r, &l);
    if (l.c_b)
        set_image_stays(w, &r, &l, cap);
    else
        set_filter_stays(w, &r, &l, cap);
    w->gemm.b *= op->op.groups;
}

uint64_t orientation_group_bytes(const struct step_value *v, uint64_t groups, const struct cap *cap)
{
    struct tiling t = { cap->lanes, cap->sublanes };
    struct trace_shape s = v->shape;

    s.dim[1] /= groups;
    uint64_t first = tiling_bytes(&s, 0, 1, v->stored, t);
    uint64_t second = tiling_bytes(&s, 1, 0, v->stored, t);
    return groups * (first < second ? first : second);
}
