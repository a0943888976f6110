/* aten.c - see aten.h: the rows, in the order of their names within each kind. */
#include "import/kineto/aten.h"

#include <stdlib.h>
#include <string.h>

#include "import/kineto/aten_write.h"

#define MAP(name, fn, flops)                                                                       \
    {                                                                                              \
        name, "", aten_write_map, TRACE_FN_##fn, flops                                             \
    }
#define PLAIN(name) MAP(name, ADD, 1), MAP(name "_", ADD, 1)
#define LIST(name, fn)                                                                             \
    { "_foreach_" name, "", aten_write_list, TRACE_FN_##fn, 1 },                                   \
    {                                                                                              \
        "_foreach_" name "_", "", aten_write_list, TRACE_FN_##fn, 1                                \
    }
#define FUNCTION(name, fn, flops) MAP(name, fn, flops), MAP(name "_", fn, flops)
#define COMPARE(name)                                                                              \
    {                                                                                              \
        name, "", aten_write_compare, TRACE_FN_ADD, 1                                              \
    }
#define ROW(name, args, write)                                                                     \
    {                                                                                              \
        name, args, aten_write_##write, TRACE_FN_ADD, 1                                            \
    }

/* clang-format off */
static const struct aten_row rows[] = {
    /* products */
    ROW("mm", "xy", product), ROW("bmm", "xy", product), ROW("mv", "xy", product),
    ROW("dot", "xy", product), ROW("addmm", "bxy", product), ROW("addmm_", "bxy", product),
    ROW("addmv", "bxy", product), ROW("addmv_", "bxy", product), ROW("baddbmm", "bxy", product),
    ROW("baddbmm_", "bxy", product), ROW("_addmm_activation", "bxy", product),
    ROW("_scaled_mm", "xy", product), ROW("_int_mm", "xy", product),
    /* convolutions */
    ROW("convolution", "xwbsplTog", conv), ROW("_convolution", "xwbsplTog", conv),
    ROW("cudnn_convolution", "xwpslg", conv), ROW("miopen_convolution", "xwbpslg", conv),
    ROW("cudnn_convolution_transpose", "xwposlg", conv),
    ROW("cudnn_convolution_relu", "xwbsplg", conv),
    ROW("_slow_conv2d_forward", "xw.bsp", conv), ROW("slow_conv3d_forward", "xw.bsp", conv),
    ROW("_conv_depthwise2d", "xw.bspl", conv), ROW("conv_depthwise3d", "xw.bspl", conv),
    ROW("convolution_backward", "yxw.splTogm", conv_gradients),
    ROW("cudnn_convolution_backward", "xywposlg", conv_gradients),
    /* attention */
    ROW("_efficient_attention_forward", "xyz......c", attention),
    ROW("_flash_attention_forward", "xyz.....c", attention),
    ROW("_cudnn_attention_forward", "xyz.......c", attention),
    ROW("_scaled_dot_product_cudnn_attention", "xyz...c", attention),
    ROW("_scaled_dot_product_flash_attention", "xyz.c", attention),
    ROW("_efficient_attention_backward", "wxyz.........c", attention_gradient),
    ROW("_flash_attention_backward", "wxyz......c", attention_gradient),
    ROW("_scaled_dot_product_cudnn_attention_backward", "wxyz.......c", attention_gradient),
    /* functions of each element */
    PLAIN("abs"), PLAIN("add"), PLAIN("addcmul"), PLAIN("bitwise_and"), PLAIN("bitwise_not"),
    PLAIN("bitwise_or"), PLAIN("ceil"), PLAIN("clamp"), PLAIN("clamp_max"), PLAIN("clamp_min"),
    PLAIN("floor"), PLAIN("fmod"), PLAIN("hardsigmoid"), PLAIN("hardswish"), PLAIN("hardtanh"),
    PLAIN("leaky_relu"), PLAIN("lerp"), PLAIN("masked_fill"), PLAIN("mul"), PLAIN("neg"),
    PLAIN("relu"), PLAIN("round"), PLAIN("rsub"), PLAIN("sign"), PLAIN("sub"), PLAIN("threshold"),
    PLAIN("maximum"), PLAIN("minimum"), PLAIN("tril"), PLAIN("triu"), PLAIN("trunc"),
    MAP("where", SELECT, 1), MAP("_masked_scale", ADD, 2), MAP("native_dropout_backward", ADD, 2),
    MAP("threshold_backward", SELECT, 1), MAP("hardtanh_backward", SELECT, 1),
    MAP("leaky_relu_backward", SELECT, 2), MAP("hardswish_backward", ADD, 4),
    MAP("mse_loss", ADD, 2), MAP("mse_loss_backward", ADD, 3), MAP("smooth_l1_loss", ADD, 4),
    MAP("smooth_l1_loss_backward", ADD, 4), MAP("huber_loss", ADD, 4), MAP("l1_loss", ADD, 2),
    MAP("glu", LOGISTIC, 3), MAP("glu_backward", LOGISTIC, 6), MAP("cumsum", ADD, 1),
    FUNCTION("addcdiv", DIVIDE, 3), FUNCTION("atan2", DIVIDE, 10), FUNCTION("cos", COSINE, 1),
    FUNCTION("div", DIVIDE, 1), FUNCTION("elu", EXP, 3), FUNCTION("erf", ERF, 1),
    FUNCTION("exp", EXP, 1), FUNCTION("floor_divide", DIVIDE, 2), FUNCTION("gelu", ERF, 4),
    FUNCTION("log", LOG, 1), FUNCTION("log1p", LOG, 2), FUNCTION("log2", LOG, 1),
    FUNCTION("mish", EXP, 4), FUNCTION("pow", ADD, 1), FUNCTION("reciprocal", DIVIDE, 1),
    FUNCTION("remainder", DIVIDE, 4), FUNCTION("rsqrt", RSQRT, 1), FUNCTION("sigmoid", LOGISTIC, 1),
    FUNCTION("silu", LOGISTIC, 2), FUNCTION("sin", SINE, 1), FUNCTION("softplus", LOG, 3),
    FUNCTION("sqrt", SQRT, 1), FUNCTION("tanh", TANH, 1), FUNCTION("square", ADD, 1),
    MAP("elu_backward", EXP, 4), MAP("gelu_backward", ERF, 12), MAP("mish_backward", EXP, 8),
    MAP("sigmoid_backward", ADD, 3), MAP("silu_backward", LOGISTIC, 5),
    MAP("softplus_backward", EXP, 4), MAP("tanh_backward", ADD, 3),
    MAP("binary_cross_entropy", LOG, 8), MAP("binary_cross_entropy_backward", DIVIDE, 8),
    COMPARE("eq"), COMPARE("ne"), COMPARE("lt"), COMPARE("le"), COMPARE("gt"), COMPARE("ge"),
    COMPARE("isnan"), COMPARE("isinf"), COMPARE("isfinite"), COMPARE("logical_and"),
    COMPARE("logical_or"), COMPARE("logical_not"), COMPARE("logical_xor"),
    ROW("native_dropout", "x", dropout),
    ROW("_fused_dropout", "x", dropout),
    /* fills, copies */
    ROW("fill_", "", fill), ROW("zero_", "", fill), ROW("eye", "", fill), ROW("arange", "", range),
    ROW("bernoulli_", "", random), ROW("normal_", "", random), ROW("uniform_", "", random),
    ROW("random_", "", random), ROW("exponential_", "", random),
    ROW("copy_", "", copy), ROW("cat", "xd", join), ROW("_cat", "xd", join),
    /* sums */
    ROW("all", "xd", reduce), ROW("amax", "xd", reduce), ROW("amin", "xd", reduce),
    ROW("any", "xd", reduce), ROW("argmax", "xd", reduce), ROW("argmin", "xd", reduce),
    ROW("max", "xd", reduce), ROW("mean", "xd", reduce), ROW("min", "xd", reduce),
    ROW("nansum", "xd", reduce), ROW("norm", "x.d", reduce),
    ROW("linalg_vector_norm", "x.d", reduce), ROW("prod", "xd", reduce), ROW("std", "xd", reduce),
    ROW("sum", "xd", reduce), ROW("var", "xd", reduce), ROW("var_mean", "xd", reduce),
    /* norms */
    ROW("_softmax", "xd", softmax), ROW("_log_softmax", "xd", softmax),
    { "_softmax_backward_data", "xyd", aten_write_softmax_gradient, TRACE_FN_ADD, 1 },
    { "_log_softmax_backward_data", "xyd", aten_write_softmax_gradient, TRACE_FN_EXP, 1 },
    ROW("native_layer_norm", "xdwb", norm), ROW("_fused_rms_norm", "xdw", norm),
    ROW("native_layer_norm_backward", "yxd..wb", norm_gradient),
    ROW("_fused_rms_norm_backward", "yxd.w", norm_gradient),
    ROW("native_group_norm", "xwb...g", group_norm),
    ROW("native_group_norm_backward", "yx..w...g", group_norm_gradient),
    ROW("cudnn_batch_norm", "xwb", batch_norm), ROW("native_batch_norm", "xwb", batch_norm),
    ROW("_batch_norm_with_update", "xwb", batch_norm), ROW("miopen_batch_norm", "xwb", batch_norm),
    ROW("cudnn_batch_norm_backward", "xyw", batch_norm_gradient),
    ROW("miopen_batch_norm_backward", "xyw", batch_norm_gradient),
    ROW("native_batch_norm_backward", "yxw", batch_norm_gradient),
    ROW("batch_norm_backward", "yxw", batch_norm_gradient),
    /* windows */
    ROW("max_pool2d_with_indices", "xkspl", pool), ROW("max_pool3d_with_indices", "xkspl", pool),
    ROW("avg_pool2d", "xksp", pool), ROW("avg_pool3d", "xksp", pool),
    ROW("max_pool2d_with_indices_backward", "yxksp..i", pool_gradient),
    ROW("max_pool3d_with_indices_backward", "yxksp..i", pool_gradient),
    ROW("avg_pool2d_backward", "yx", pool_gradient), ROW("avg_pool3d_backward", "yx", pool_gradient),
    ROW("_adaptive_avg_pool2d", "xo", resize), ROW("_adaptive_avg_pool3d", "xo", resize),
    ROW("_adaptive_avg_pool2d_backward", "yx", pool_gradient),
    ROW("upsample_nearest2d", "xo", resize), ROW("upsample_bilinear2d", "xo", resize),
    ROW("upsample_nearest3d", "xo", resize), ROW("upsample_trilinear3d", "xo", resize),
    ROW("upsample_bicubic2d", "xo", resize),
    ROW("upsample_nearest2d_backward", "y.d", pool_gradient),
    ROW("upsample_bilinear2d_backward", "y.d", pool_gradient),
    ROW("upsample_nearest3d_backward", "y.d", pool_gradient),
    ROW("upsample_trilinear3d_backward", "y.d", pool_gradient),
    ROW("upsample_bicubic2d_backward", "y.d", pool_gradient),
    /* rows by index */
    ROW("embedding", "ti", gather), ROW("gather", "tdi", gather), ROW("take", "ti", gather),
    ROW("index_select", "tdi", gather), ROW("index", "t", rows),
    ROW("index_add", "tdiv", scatter), ROW("index_add_", "tdiv", scatter),
    ROW("scatter_", "tdiv", scatter), ROW("scatter_add", "tdiv", scatter),
    ROW("scatter_add_", "tdiv", scatter), ROW("scatter_reduce", "tdiv", scatter),
    ROW("scatter_reduce_", "tdiv", scatter), ROW("index_copy_", "tdiv", scatter),
    ROW("_index_put_impl_", "t.v", sorted_scatter), ROW("index_put_", "t.v", sorted_scatter),
    ROW("embedding_dense_backward", "vik", sorted_scatter),
    ROW("sort", "x", sort), ROW("argsort", "x", sort), ROW("topk", "xk", sort),
    /* losses that take an element of each row */
    ROW("nll_loss_forward", ".i", loss), ROW("nll_loss_backward", "..i", loss),
    ROW("nll_loss2d_forward", ".i", loss), ROW("nll_loss2d_backward", "..i", loss),
    /* lists of tensors, optimizers */
    LIST("abs", ADD), LIST("add", ADD), LIST("addcdiv", DIVIDE), LIST("addcmul", ADD),
    ROW("_foreach_copy_", ".x", list), LIST("div", DIVIDE), LIST("lerp", ADD), LIST("maximum", ADD),
    LIST("mul", ADD), LIST("neg", ADD), LIST("norm", ADD), LIST("pow", ADD),
    LIST("reciprocal", DIVIDE), LIST("rsqrt", RSQRT), LIST("sqrt", SQRT), LIST("sub", ADD),
    LIST("zero", ADD), ROW("_amp_foreach_non_finite_check_and_unscale_", "", list),
    { "_fused_adam_", "xxxx..", aten_write_update, TRACE_FN_RSQRT, 12 },
    { "_fused_adamw_", "xxxx..", aten_write_update, TRACE_FN_RSQRT, 14 },
    { "_fused_sgd_", "", aten_write_update, TRACE_FN_ADD, 4 },
};
/* clang-format on */

#define N_ROWS (sizeof rows / sizeof *rows)

const struct aten_row *aten_find(const char *name)
{
    static const char room[] = "aten::";

    if (strncmp(name, room, strlen(room)) != 0)
        return NULL;
    name += strlen(room);
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].name[0] == name[0] && strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}
