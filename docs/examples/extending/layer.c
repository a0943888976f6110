/* Generator of a single fully connected layer: forward, gradient of the weights, update.  What one
 * core does; each core has `rows` rows of its own. */
#include <inttypes.h>

#include "workloads.h"

enum { ROWS, WIDTH };
static const struct gen_param params[] = {
    [ROWS] = { "rows", 4096, 1, 1048576, "a core takes in a step", NULL },
    [WIDTH] = { "width", 1024, 1, 65536, "inputs and outputs of the layer", NULL },
};

static void write_layer(const uint64_t *value, FILE *out)
{
    uint64_t r = value[ROWS], w = value[WIDTH];

    fprintf(out, "cyclotron-trace 1\nworkload \"layer\"\nsamples step=%" PRIu64 "\n", r);
    fprintf(out, "dtype tensors=f32 matmul=bf16 activations=keep\n");
    fprintf(out, "tensor %%w f32[%" PRIu64 ",%" PRIu64 "] weight\nstep {\n  phase fwd\n", w, w);
    fprintf(out, "  %%x f32[%" PRIu64 ",%" PRIu64 "] = infeed()\n", r, w);
    fprintf(out, "  %%y f32[%" PRIu64 ",%" PRIu64 "] = matmul(%%x, %%w)\n  phase bwd\n", r, w);
    fprintf(out, "  %%dw f32[%" PRIu64 ",%" PRIu64 "] gradient = matmul(%%x, %%y) ta=1\n", w, w);
    fprintf(out, "  all-reduce(%%dw)\n  optimizer(%%w, %%dw) flops=%" PRIu64 "\n}\n", 2 * w * w);
}

const struct gen_workload layer_workload = { .name = "layer",
                                             .summary = "one fully connected layer",
                                             .params = params,
                                             .n_params = sizeof params / sizeof *params,
                                             .write = write_layer };
