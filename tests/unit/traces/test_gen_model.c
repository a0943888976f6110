/* Traces of the generators of published models. */
#include "tests/unit/traces/gen_helper.h"

Test(gen, the_same_parameters_give_the_same_bytes)
{
    for (size_t i = 0; i < gen_n_workloads; i++) {
        size_t n, m;
        char *a = generate_text(gen_workloads[i]->name, NULL, 0, &n);
        char *b = generate_text(gen_workloads[i]->name, NULL, 0, &m);

        cr_expect_eq(n, m);
        cr_expect_str_eq(a, b);
        free(a);
        free(b);
    }
}

Test(gen, a_setting_stands_once_and_both_ways_of_writing_a_number_are_one)
{
    static const char *const twice[] = { "batch=32", "d_filters=3", "batch=64" };
    struct err err;
    size_t n, m;
    char *a = generate_text("3dgan", SET("batch=64"), &n);
    char *b = generate_text("3dgan", SET("batch=0064"), &m);

    cr_expect_str_eq(a, b);
    cr_assert_neq(gen_write("3dgan", twice, 3, stdout, &err), 0);
    cr_expect_str_eq(err.msg, "3dgan: batch is given twice: 32 and 64");
    free(a);
    free(b);
}

Test(gen, the_header_tells_samples_and_parameters)
{
    size_t size;
    char *text =
        generate_text("exatrkx", SET("nodes=3500", "edges=56500", "graphs=4", "epoch=2664"), &size);

    cr_expect_not_null(strstr(text, "\nsamples step=4 epoch=2664\n"));
    cr_expect_not_null(
        strstr(text, "\nparam model=2020-04\nparam graph=event\nparam nodes=3500\n"
                     "param edges=56500\nparam hidden=128\nparam latent=128\n"
                     "param iterations=8\nparam graphs=4\nparam weights=shared\n"
                     "param remat=no\nparam optimizer=adam\nparam precision=f32\n"
                     "param buckets=1\nparam smallest=100\nparam run=0\nparam epoch=2664\n"));
    free(text);
}

Test(gen, convolutions_scale_with_the_batch)
{
    static const enum trace_kind kinds[] = { TRACE_CONV, TRACE_CONV_DGRAD, TRACE_CONV_WGRAD };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        uint64_t full = flops_of("3dgan", kinds[i], NULL, 0);
        uint64_t half = flops_of("3dgan", kinds[i], SET("batch=64"));

        cr_expect_gt(half, 0);
        cr_expect_eq(full, 2 * half);
    }
}

Test(gen, a_wider_image_makes_the_first_window_of_the_generator_fit)
{
    size_t size;
    char *text = generate_text("3dgan", SET("x=52", "z=24"), &size);

    /* conv1 must give 50 x .. x 40: 50 of 60 is a window of 11, 40 of 48 one of 9 */
    cr_expect_not_null(strstr(text, "tensor %G.conv1.w f32[8,8,11,6,9] weight\n"));
    cr_expect_not_null(strstr(text, " f32[128,1,52,51,24] = elementwise("));
    free(text);
}

Test(gen, edge_work_scales_with_the_edges_and_node_work_does_not)
{
    uint64_t one = flops_of("exatrkx", TRACE_SCATTER, SET("edges=1000"));
    uint64_t two = flops_of("exatrkx", TRACE_SCATTER, SET("edges=2000"));
    uint64_t base = flops_of("exatrkx", TRACE_MATMUL, SET("edges=1000", "nodes=10"));
    uint64_t edges = flops_of("exatrkx", TRACE_MATMUL, SET("edges=2000", "nodes=10"));
    uint64_t nodes = flops_of("exatrkx", TRACE_MATMUL, SET("edges=1000", "nodes=20"));
    uint64_t both = flops_of("exatrkx", TRACE_MATMUL, SET("edges=2000", "nodes=20"));

    cr_expect_gt(one, 0);
    cr_expect_eq(two, 2 * one);
    cr_expect_eq(both, 2 * base);
    cr_expect_eq(edges + nodes, 3 * base);
    /* 10 nodes, 7 live updates, forward and twice backward; the encoder's input has no gradient:
     * 10 * (7 * 3 * 2 * (384 + 128) * 128 + 2 * (2 * 5 + 3 * 128) * 128) */
    cr_expect_eq(nodes - base, 10 * (UINT64_C(7) * 3 * 2 * 512 * 128 + 2 * 394 * 128));
}

Test(gen, graphs_of_a_step_are_one_graph_as_large_as_all)
{
    for (enum trace_kind k = TRACE_MATMUL; k <= TRACE_SCATTER; k++)
        cr_expect_eq(flops_of("exatrkx", k, SET("nodes=3500", "edges=56500", "graphs=4")),
                     flops_of("exatrkx", k, SET("nodes=14000", "edges=226000")));
}

Test(gen, fewer_iterations_leave_the_weights_as_they_are)
{
    size_t size;
    char *text = generate_text("exatrkx", SET("iterations=2"), &size);

    cr_expect_not_null(strstr(text, "phase fwd_it1\n"));
    cr_expect_null(strstr(text, "phase fwd_it2\n"));
    cr_expect_not_null(strstr(text, "name=\"grad_allreduce\" flops=248449\n"));
    free(text);
}

Test(gen, events_are_padded_to_whole_bins)
{
    size_t size;
    char *text = generate_text("mlpf", SET("elements=6391"), &size);

    /* 10 bins of ceil(639.1) = 640 */
    cr_expect_not_null(strstr(text, " f32[102400,12], "));
    free(text);
}

Test(gen, all_pairs_of_a_bin_cost_its_size_squared)
{
    /* 4 matmuls of a layer go over pairs, all with the distance's 128 or the message's 256
     * columns: halving the bins doubles them, and nothing else */
    uint64_t ten = flops_of("mlpf", TRACE_MATMUL, SET("bins=10"));
    uint64_t five = flops_of("mlpf", TRACE_MATMUL, SET("bins=5"));
    /* 6 layers, 16 * 6400 rows, 640 more pairs each: forward (128 + 256), backward twice; less the
     * two columns of the hash that are gone */
    uint64_t pairs = UINT64_C(6) * 102400 * 640 * 2 * 3 * (128 + 256);
    uint64_t hash = UINT64_C(6) * 102400 * 2 * 128 * 2;

    cr_expect_eq(five - ten, pairs - hash);
}

Test(gen, a_region_graph_is_the_published_batch_of_four)
{
    size_t size;
    char *text = generate_text("exatrkx", SET("graph=region"), &size);

    cr_expect_not_null(strstr(text, "\nparam nodes=3500\nparam edges=56500\n"));
    cr_expect_not_null(strstr(text, "\nsamples step=4 epoch=2664\n"));
    cr_expect_not_null(strstr(text, " f32[14000,5], "));
    free(text);
}

/* Buckets divide the range from 50 % to all of 3500 nodes in four: 2187.5, 2625, 3062.5 and 3500,
 * rounded up, four graphs a step. */
Test(gen, graphs_are_padded_to_buckets_that_take_turns)
{
    static const char *const nodes[] = { "f32[8752,5]", "f32[10500,5]", "f32[12252,5]",
                                         "f32[14000,5]" };
    size_t size;
    char *text =
        generate_text("exatrkx", SET("graph=region", "buckets=4", "smallest=50", "run=900"), &size);
    const char *at = text;

    for (size_t i = 0; i < COUNT(nodes); i++) {
        at = strstr(at, "\nstep {\n");
        cr_assert_not_null(at);
        at = strstr(at, "%infeed/infeed.graph.nodes ");
        cr_assert_not_null(at);
        at += strlen("%infeed/infeed.graph.nodes ");
        cr_expect_eq(strncmp(at, nodes[i], strlen(nodes[i])), 0, "%.12s", at);
    }
    cr_expect_null(strstr(at, "\nstep {\n"));
    cr_expect_not_null(strstr(at, "\nstep every=900 {\n  phase compile\n  compile() "
                                  "name=\"compile\" calls=4 items=474\n}\n"));
    free(text);
}

/* A loop of one step ends after each. */
Test(gen, what_happens_every_step_is_no_step_of_its_own)
{
    char *text = generate_text("fc", SET("loop=1"), &(size_t){ 0 });

    cr_expect_not_null(strstr(text, "step every=1 {\n  phase loop\n"), "%s", text);
    free(text);
}

Test(gen, what_exatrkx_cannot_be_is_refused)
{
    refuses_options(
        "exatrkx", "latent=64", ERR_RANGE,
        "exatrkx: latent = 64: model 2020-04 has hidden = 128 columns everywhere; model=vary2 "
        "can differ");
    struct err err;
    FILE *out = fopen("/dev/null", "w");

    cr_assert_not_null(out);
    cr_expect_eq(gen_write("exatrkx", SET("model=vary2", "graph=region"), out, &err), -1);
    cr_expect_str_eq(err.msg, "exatrkx: no region graph of model vary2 was published; give nodes= "
                              "and edges=");
    fclose(out);
}

/* The encoder's 2 * 17280, then for each of the iterations 114944 + 33024 + 129 and for all but the
 * last 65792. */
Test(gen, weights_of_its_own_make_an_iteration_bigger)
{
    size_t size;
    char *text = generate_text("exatrkx", SET("weights=own"), &size);

    cr_expect_not_null(strstr(text, "name=\"grad_allreduce\" flops=1679880\n"));
    cr_expect_null(strstr(text, "grad_sum"));
    free(text);
}

/* Eight times the first layer of the edge update and both of the decoder, seven times the first
 * layer of the node update. */
Test(gen, computing_again_costs_the_layers_that_are_not_kept)
{
    uint64_t kept = flops_of("exatrkx", TRACE_MATMUL, SET("nodes=10", "edges=1000"));
    uint64_t again = flops_of("exatrkx", TRACE_MATMUL, SET("nodes=10", "edges=1000", "remat=yes"));
    uint64_t edge = UINT64_C(8) * 2 * 1000 * 128 * (768 + 128 + 128);
    uint64_t node = UINT64_C(7) * 2 * 10 * 128 * 384;

    cr_expect_eq(again - kept, edge + node);
}

/* vary2 keeps half as many columns: edge 256, node 384 columns into 128, all eight times. */
Test(gen, computing_vary2_again_costs_its_first_layers)
{
    uint64_t kept = flops_of("exatrkx", TRACE_MATMUL, SET("model=vary2", "nodes=10", "edges=1000"));
    uint64_t again = flops_of("exatrkx", TRACE_MATMUL,
                              SET("model=vary2", "nodes=10", "edges=1000", "remat=yes"));

    cr_expect_eq(again - kept, UINT64_C(8) * 2 * 128 * (1000 * 256 + 10 * 384));
}

Test(gen, mixed_precision_keeps_weights_and_their_gradients_in_f32)
{
    size_t size;
    char *text = generate_text("exatrkx", SET("nodes=10", "edges=20", "precision=mixed"), &size);

    cr_expect_not_null(strstr(text, "\ndtype tensors=f32 matmul=bf16 activations=products\n"));
    cr_expect_not_null(strstr(text, "\ntensor %enc_edge.fc1.w f32[128,128] weight\n"));
    cr_expect_not_null(strstr(text, "\ntensor %enc_edge.fc1.w.m f32[128,128] state\n"));
    cr_expect_not_null(strstr(text, "%fwd_encoder/enc_edge.fc1.bias_relu bf16[20,128] = "));
    cr_expect_not_null(strstr(text, "%bwd_encoder/enc_edge.fc1.bwd_w f32[128,128] gradient = "));
    cr_expect_not_null(strstr(text, "%bwd_encoder/enc_edge.fc1.bwd_x bf16[20,128] gradient = "));
    cr_expect_not_null(strstr(text, "%update/grad_sum.core_edge.fc0.w f32[768,128] gradient"));
    free(text);
}

Test(gen, bf16_is_everything_and_highest_is_nothing)
{
    size_t size;
    char *text = generate_text("exatrkx", SET("nodes=10", "edges=20", "precision=bf16"), &size);

    cr_expect_null(strstr(text, " f32[20"));
    cr_expect_null(strstr(text, " f32[128"));
    cr_expect_not_null(strstr(text, "\ntensor %enc_edge.fc1.w.m bf16[128,128] state\n"));
    free(text);
    text = generate_text("exatrkx", SET("nodes=10", "edges=20", "precision=highest"), &size);
    cr_expect_null(strstr(text, " bf16["));
    cr_expect_not_null(strstr(text, "\ndtype tensors=f32 matmul=f32 activations=keep\n"));
    free(text);
}

Test(gen, a_validation_step_of_mlpf_is_its_forward_pass)
{
    /* the matmuls of the published forward phases */
    cr_expect_eq(flops_of("mlpf", TRACE_MATMUL, SET("mode=validate")), UINT64_C(974218854400));
    cr_expect_eq(flops_of("mlpf", TRACE_OPTIMIZER, SET("mode=validate")), 0);
}

/* Weight and gradient in, weight and states out: one state of momentum, two of Adam. */
Test(gen, the_optimizer_of_mlpf_can_be_another)
{
    size_t size;
    char *text = generate_text("mlpf", SET("optimizer=momentum"), &size);

    cr_expect_not_null(strstr(text, "\ntensor %cg_0.msg.theta.v f32["));
    cr_expect_null(strstr(text, "\ntensor %cg_0.msg.theta.m f32["));
    free(text);
    /* 4 a parameter instead of 12 */
    cr_expect_eq(flops_of("mlpf", TRACE_OPTIMIZER, SET("optimizer=momentum")), 4 * 3285841);
}
