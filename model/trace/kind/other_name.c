/* other_name.c - see other_name.h. */
#include "trace/kind/other_name.h"

#include <string.h>

#include "base/plain.h"

#define NAME_MAX_PLAIN 64 /* bytes of a name in the table */

struct other_name {
    const char *names; /* in small letters, without '-' and '_' */
    const char *write;
};

/* clang-format off */
static const struct other_name rows[] = {
    /* products */
    { "dot dotgeneral mm bmm gemm einsum batchmatmul tensordot", "matmul, with copy before it where dimensions have another order" },
    { "dense linear fullyconnected addmm mlp", "matmul with bias=, then elementwise, in a fusion" },
    { "attention multiheadattention scaleddotproductattention selfattention flashattention", "matmul tb=1 (scores), softmax as reduce and elementwise, matmul (context), as in the worked example" },
    { "convolution conv1d conv2d conv3d depthwiseconv depthwiseconv2d", "conv, with groups= for a depthwise one" },
    { "convtranspose conv2dtranspose conv3dtranspose convtranspose2d deconvolution", "conv-dgrad of the convolution in the other direction" },
    { "conv2dbackpropinput conv3dbackpropinput convbackwarddata", "conv-dgrad" },
    { "conv2dbackpropfilter conv3dbackpropfilter convbackwardfilter", "conv-wgrad" },
    { "lstm gru rnn", "its products and functions as matmul and elementwise, in a repeat" },
    /* normalisations and losses */
    { "softmax logsoftmax", "reduce (the largest), elementwise fn=exponential, reduce (the sum), elementwise fn=divide, in a fusion" },
    { "standardize layernorm layernormalization rmsnorm groupnorm instancenorm", "reduce (mean and variance of a row), elementwise fn=rsqrt, in a fusion" },
    { "batchnorm batchnormalization batchnormtraining fusedbatchnorm fusedbatchnormv3", "reduce dims=0+2+3 (mean and variance of a channel), elementwise fn=rsqrt" },
    { "crossentropy softmaxcrossentropy softmaxcrossentropywithlogits loss mse meansquarederror nllloss", "reduce and elementwise (fn=exponential, fn=log), in a fusion" },
    /* element by element */
    { "add addv2 sub subtract mul multiply maximum minimum neg negative abs sign floor round clip clamp compare equal greater less and or not fma biasadd map", "elementwise" },
    { "relu relu6 leakyrelu prelu hardtanh", "elementwise, without fn=: a comparison" },
    { "gelu erf", "elementwise fn=erf" },
    { "sigmoid silu swish logistic hardsigmoid", "elementwise fn=logistic" },
    { "exp exponential elu selu", "elementwise fn=exponential" },
    { "softplus log log1p mish", "elementwise fn=log" },
    { "tanh", "elementwise fn=tanh" },
    { "div divide truediv realdiv reciprocal", "elementwise fn=divide" },
    { "pow power", "elementwise fn=power" },
    { "sqrt", "elementwise fn=sqrt" },
    { "rsqrt", "elementwise fn=rsqrt" },
    { "sin sine", "elementwise fn=sine" },
    { "cos cosine", "elementwise fn=cosine" },
    { "cast convert converttype astype", "elementwise fn=convert" },
    { "select where onehot maskedfill", "elementwise fn=select" },
    { "dropout", "rng (the mask) and elementwise, in a fusion" },
    { "random uniform normal bernoulli rand randn rngbituniform", "rng" },
    /* sums */
    { "sum mean max min prod reducesum reducemean reducemax reducemin reduceprod norm variance argmax argmin all any", "reduce with dims=; of two operands, element by element, elementwise" },
    { "maxpool avgpool maxpool2d avgpool2d averagepool globalaveragepool reducewindow selectandscatter maxpoolgrad", "pool" },
    { "topk argsort", "sort; with results of k keys it keeps the k largest" },
    /* layout */
    { "transpose permute swapaxes broadcast broadcastto broadcastindim expand tile repeat pad slice dynamicslice split chunk concat concatenate cat stack unstack upsample interpolate resize roll reverse flip im2col", "copy, which is any change of layout" },
    { "reshape bitcast view flatten squeeze unsqueeze expanddims identity", "nothing where no byte moves: give the result before it that shape; else copy" },
    /* rows by index */
    { "embedding embeddinglookup lookup take takealong indexselect index gathernd gatherv2", "gather; its gradient is scatter" },
    { "segmentsum unsortedsegmentsum scatteradd scatternd indexadd embeddinggrad scattersum", "scatter, with sorted=1 where the indices ascend" },
    { "updateslice dynamicupdate", "dynamic-update-slice" },
    /* updates */
    { "adam adamw lamb rmsprop adagrad adafactor applyadam", "optimizer with fn=rsqrt: weights, gradients and state" },
    { "sgd momentum nesterov lars applygradients gradientdescent", "optimizer: weights, gradients and state" },
    /* between cores */
    { "psum pmean crossreplicasum allreducesum syncgradients", "all-reduce" },
    { "ppermute sendrecv shift", "collective-permute" },
    { "alltoallv", "all-to-all" },
    { "bcast", "collective-broadcast" },
    { "send recv receive", "send-start and send-done, in a trace with stages" },
    /* control */
    { "while for loop scan fori", "repeat 12 { }, or repeat l=1..12 { } where a turn reads another" },
    { "if cond conditional switch case", "the operations of the branch that runs" },
    { "call customcall module layer block", "its operations, in a fusion where they run as one kernel" },
    { "constant parameter variable const iota", "a line tensor %x f32[8] constant before the first step (or weight, state, input)" },
    { "input data batch dataset feed", "infeed for what the host sends, or a line tensor %x f32[8] input" },
    { "output fetch print", "outfeed" },
};
/* clang-format on */

/* Small letters and digits behind the last '.', ':' or '/'; empty if it is too long. */
static void plain_name(char out[NAME_MAX_PLAIN + 1], const char *name)
{
    size_t n = 0;

    for (const char *c = name; *c; c++)
        if (strchr(".:/", *c) && c[1])
            name = c + 1;
    for (; *name && n < NAME_MAX_PLAIN; name++)
        if (plain_is_word(*name))
            out[n++] = plain_lower(*name);
    out[*name ? 0 : n] = '\0';
}

static bool has_name(const char *names, const char *name, size_t n)
{
    for (const char *at = names; (at = strstr(at, name)); at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' '))
            return true;
    return false;
}

const char *other_name_find(const char *name)
{
    char plain[NAME_MAX_PLAIN + 1];

    plain_name(plain, name);
    for (size_t i = 0; *plain && i < sizeof rows / sizeof *rows; i++)
        if (has_name(rows[i].names, plain, strlen(plain)))
            return rows[i].write;
    return NULL;
}

bool other_name_is_like(const char *name, const char *other)
{
    char a[NAME_MAX_PLAIN + 1], b[NAME_MAX_PLAIN + 1];

    plain_name(a, name);
    plain_name(b, other);
    return *a && strcmp(a, b) == 0;
}

bool other_name_row(unsigned i, const char **names, const char **write)
{
    if (i >= sizeof rows / sizeof *rows)
        return false;
    *names = rows[i].names;
    *write = rows[i].write;
    return true;
}
