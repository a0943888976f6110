#include "kernels/tpu/dtype.h"

/* The dtype to take instead of one that no unit computes in. */
static enum trace_dtype find_nearest(enum trace_dtype d, bool product)
{
    if (d == TRACE_F16 || (product && trace_dtype_bytes[d] == 1))
        return TRACE_BF16;
    if (product || d == TRACE_F64)
        return TRACE_F32;
    return d == TRACE_S64 ? TRACE_S32 : TRACE_U32;
}

static bool is_wide(enum trace_dtype d)
{
    return trace_dtype_bytes[d] > 4;
}

static bool enters_array(enum trace_dtype d)
{
    switch (d) {
    case TRACE_F32:
    case TRACE_BF16:
    case TRACE_S8:
    case TRACE_U8:
    case TRACE_PRED:
    case TRACE_F8E4M3FN:
    case TRACE_F8E5M2: return true;
    default: return false;
    }
}

/* True if operand or result `j` says in which dtype the operation computes: its results and its
 * first operand, of a product both, of a collective all.  Others are cast to that, the high half of
 * 64 bits taken, or are positions of rows. */
static bool decides_dtype(const struct step_op *op, uint32_t j)
{
    if (trace_is_collective(op->op.kind))
        return true;
    return j == 0 || j >= op->n_in || trace_is_gemm(op->op.kind);
}

static int refuse_dtype(const struct step *step, uint32_t value, const char *what, bool entering,
                        bool product, const struct cap *cap, struct err *err)
{
    enum trace_dtype d = step->value[value].shape.dtype;
    const char *name = step_text(step, step->value[value].name);
    const char *nearest = trace_dtype_name[find_nearest(d, product)];

    if (!entering)
        return err_set(err, ERR_FIT, "%s '%s' is %s, a TensorCore computes in 32 bits; take %s",
                       what, name, trace_dtype_name[d], nearest);
    return err_set(err, ERR_FIT,
                   "%s '%s' is %s, the matrix units of this machine multiply bf16, f32 (in bf16 "
                   "parts)%s%s and pred; take %s",
                   what, name, trace_dtype_name[d], cap->int8_rate ? ", s8, u8" : "",
                   cap->fp8_rate    ? ", f8e4m3fn, f8e5m2"
                   : cap->e5m2_rate ? ", f8e5m2"
                                    : "",
                   nearest);
}

int dtype_check(const struct step *step, const struct step_op *op, const struct cap *cap,
                struct err *err)
{
    bool product = trace_is_gemm(op->op.kind);

    if (!product && !trace_has_trait(op->op.kind, TRACE_ADDS))
        return 0;
    for (uint32_t j = 0; j < op->n_in + op->n_out; j++) {
        uint32_t v = step->ref[op->first_in + j];
        bool operand = j < op->n_in, entering = operand && product;
        enum trace_dtype d = step->value[v].shape.dtype;
        if (entering ? !enters_array(d) : is_wide(d) && decides_dtype(op, j))
            return refuse_dtype(step, v, operand ? "operand" : "result", entering, product, cap,
                                err);
    }
    if (op->bias != STEP_NONE && is_wide(step->value[op->bias].shape.dtype))
        return refuse_dtype(step, op->bias, "bias", false, product, cap, err);
    return 0;
}

static uint32_t find_rate(enum trace_dtype d, const struct cap *cap)
{
    uint32_t own = d == TRACE_F8E5M2          ? cap->e5m2_rate
                   : d == TRACE_F8E4M3B11FNUZ ? cap->e4m3b11_rate
                                              : 0;

    return own ? own : cap->fp8_rate;
}

uint32_t dtype_fp8_rate(enum trace_dtype a, enum trace_dtype b, const struct cap *cap)
{
    uint32_t x = find_rate(a, cap), y = find_rate(b, cap);

    return x < y ? x : y;
}
