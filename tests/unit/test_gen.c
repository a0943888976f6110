#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"
#include "traces/gen.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define SET(...) (const char *const[]){ __VA_ARGS__ }, COUNT(((const char *const[]){ __VA_ARGS__ }))

/* --- errors ------------------------------------------------------------------------------- */

static void refuses(const char *workload, const char *set, enum err_code code, const char *message)
{
    struct err err = { 0 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    cr_expect_eq(gen_write(workload, &set, set ? 1 : 0, out, &err), -1, "%s", message);
    fclose(out);
    cr_expect_eq(size, 0, "wrote before it refused");
    cr_expect_eq(err.code, code, "%s", message);
    cr_expect_str_eq(err.msg, message);
    free(text);
}

Test(gen, an_unknown_workload_names_the_nearest_or_all)
{
    refuses("exatrk", NULL, ERR_UNKNOWN, "unknown workload 'exatrk'; did you mean 'exatrkx'?");
    refuses("resnet50", NULL, ERR_UNKNOWN,
            "unknown workload 'resnet50'; there are 3dgan, exatrkx, mlpf, fc");
}

Test(gen, an_unknown_parameter_names_the_nearest_or_all)
{
    refuses("3dgan", "bach=64", ERR_UNKNOWN,
            "3dgan: unknown parameter 'bach'; did you mean 'batch'?");
    refuses("exatrkx", "momentum=1", ERR_UNKNOWN,
            "exatrkx: unknown parameter 'momentum'; there are model, graph, nodes, edges, hidden, "
            "latent, iterations, graphs, weights, remat, optimizer, precision, buckets, "
            "smallest, run, epoch, combine, update");
}

Test(gen, a_setting_that_is_no_key_and_number_is_refused)
{
    refuses("mlpf", "batch", ERR_FORMAT, "mlpf: 'batch': expected key=value, such as batch=16");
    refuses("mlpf", "=16", ERR_FORMAT, "mlpf: '=16': expected key=value, such as batch=16");
    refuses("mlpf", "batch=", ERR_FORMAT, "mlpf: batch = '': expected a whole number");
    refuses("mlpf", "batch=-1", ERR_FORMAT, "mlpf: batch = '-1': expected a whole number");
    refuses("mlpf", "batch=1e3", ERR_FORMAT, "mlpf: batch = '1e3': expected a whole number");
}

Test(gen, a_value_out_of_range_is_refused_with_the_range)
{
    refuses("3dgan", "batch=0", ERR_RANGE, "3dgan: batch = 0: outside [1, 4096]");
    refuses("3dgan", "y=16", ERR_RANGE, "3dgan: y = 16: outside [17, 256]");
    refuses("exatrkx", "iterations=65", ERR_RANGE, "exatrkx: iterations = 65: outside [1, 64]");
    refuses("mlpf", "bins=99999999999999999999999", ERR_RANGE,
            "mlpf: bins = 99999999999999999999999: outside [1, 1024]");
}

Test(gen, a_word_that_is_no_choice_is_refused_with_the_choices)
{
    refuses("fc", "optimizer=rmsprp", ERR_UNKNOWN,
            "fc: unknown optimizer 'rmsprp'; did you mean 'rmsprop'?");
    refuses("fc", "optimizer=2", ERR_UNKNOWN,
            "fc: unknown optimizer '2'; there are sgd, momentum, rmsprop, adam");
}

Test(gen, a_batch_that_the_cores_cannot_share_is_refused)
{
    refuses("fc", "batch=100", ERR_RANGE, "fc: batch = 100: not a multiple of cores = 8");
    refuses("fc", "cores=3", ERR_RANGE, "fc: batch = 4096: not a multiple of cores = 3");
}

Test(gen, a_stream_that_takes_nothing_is_an_error)
{
    struct err err = { 0 };
    FILE *full = fopen("/dev/full", "w");

    cr_assert_not_null(full);
    cr_expect_eq(gen_write("mlpf", NULL, 0, full, &err), -1);
    cr_expect_eq(err.code, ERR_IO);
    cr_expect_str_eq(err.msg, "mlpf: cannot write the trace: No space left on device");
    fclose(full);
}

/* --- what is written ---------------------------------------------------------------------- */

static char *generate(const char *workload, const char *const *set, size_t n_set, size_t *size)
{
    struct err err;
    char *text;
    FILE *out = open_memstream(&text, size);

    cr_assert_not_null(out);
    cr_assert_eq(gen_write(workload, set, n_set, out, &err), 0, "%s", err.msg);
    fclose(out);
    return text;
}

/* Sum of flops, and of those of one kind, over the operations as written; checks everything. */
static uint64_t flops_of(const char *workload, enum trace_kind kind, const char *const *set,
                         size_t n_set)
{
    struct trace *t;
    struct trace_item item;
    struct err err;
    size_t size;
    uint64_t sum = 0;
    char *text = generate(workload, set, n_set, &size);

    cr_assert_eq(trace_open_memory(&t, workload, text, size, false, &err), 0, "%s", err.msg);
    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        if (item.kind == TRACE_ITEM_OP && item.op.kind == kind)
            sum += item.op.flops;
    } while (item.kind != TRACE_ITEM_END);
    trace_close(t);
    free(text);
    return sum;
}

Test(gen, the_same_parameters_give_the_same_bytes)
{
    for (size_t i = 0; i < gen_n_workloads; i++) {
        size_t n, m;
        char *a = generate(gen_workloads[i]->name, NULL, 0, &n);
        char *b = generate(gen_workloads[i]->name, NULL, 0, &m);

        cr_expect_eq(n, m);
        cr_expect_str_eq(a, b);
        free(a);
        free(b);
    }
}

Test(gen, the_last_of_two_settings_counts_and_both_ways_of_writing_a_number_are_one)
{
    size_t n, m;
    char *a = generate("3dgan", SET("batch=32", "batch=64"), &n);
    char *b = generate("3dgan", SET("batch=0064"), &m);

    cr_expect_str_eq(a, b);
    free(a);
    free(b);
}

Test(gen, the_header_tells_samples_and_parameters)
{
    size_t size;
    char *text =
        generate("exatrkx", SET("nodes=3500", "edges=56500", "graphs=4", "epoch=2664"), &size);

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
    char *text = generate("3dgan", SET("x=52", "z=24"), &size);

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
    char *text = generate("exatrkx", SET("iterations=2"), &size);

    cr_expect_not_null(strstr(text, "phase fwd_it1\n"));
    cr_expect_null(strstr(text, "phase fwd_it2\n"));
    cr_expect_not_null(strstr(text, "name=\"grad_allreduce\" flops=248449\n"));
    free(text);
}

Test(gen, events_are_padded_to_whole_bins)
{
    size_t size;
    char *text = generate("mlpf", SET("elements=6391"), &size);

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
    char *text = generate("exatrkx", SET("graph=region"), &size);

    cr_expect_not_null(strstr(text, "\nparam nodes=3500\nparam edges=56500\n"));
    cr_expect_not_null(strstr(text, "\nsamples step=4 epoch=2664\n"));
    cr_expect_not_null(strstr(text, " f32[14000,5], "));
    free(text);
}

/* Of 3500 nodes 50 %, in four equal parts up to all: 2187.5, 2625, 3062.5 and 3500, rounded up,
 * four graphs a step. */
Test(gen, graphs_are_padded_to_buckets_that_take_turns)
{
    static const char *const nodes[] = { "f32[8752,5]", "f32[10500,5]", "f32[12252,5]",
                                         "f32[14000,5]" };
    size_t size;
    char *text =
        generate("exatrkx", SET("graph=region", "buckets=4", "smallest=50", "run=900"), &size);
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

Test(gen, what_exatrkx_cannot_be_is_refused)
{
    refuses("exatrkx", "latent=64", ERR_RANGE,
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
    char *text = generate("exatrkx", SET("weights=own"), &size);

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
    char *text = generate("exatrkx", SET("nodes=10", "edges=20", "precision=mixed"), &size);

    cr_expect_not_null(strstr(text, "\ndtype tensors=f32 matmul=bf16 activations=narrow\n"));
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
    char *text = generate("exatrkx", SET("nodes=10", "edges=20", "precision=bf16"), &size);

    cr_expect_null(strstr(text, " f32[20"));
    cr_expect_null(strstr(text, " f32[128"));
    cr_expect_not_null(strstr(text, "\ntensor %enc_edge.fc1.w.m bf16[128,128] state\n"));
    free(text);
    text = generate("exatrkx", SET("nodes=10", "edges=20", "precision=highest"), &size);
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
    char *text = generate("mlpf", SET("optimizer=momentum"), &size);

    cr_expect_not_null(strstr(text, "\ntensor %cg_0.msg.theta.v f32["));
    cr_expect_null(strstr(text, "\ntensor %cg_0.msg.theta.m f32["));
    free(text);
    /* 4 a parameter instead of 12 */
    cr_expect_eq(flops_of("mlpf", TRACE_OPTIMIZER, SET("optimizer=momentum")), 4 * 3285841);
}

/* --- fully connected ---------------------------------------------------------------------- */

static struct trace_totals totals_of(const char *const *set, size_t n_set)
{
    struct trace_totals s;
    struct trace *t;
    struct err err;
    size_t size;
    char *text = generate("fc", set, n_set, &size);

    trace_totals_init(&s);
    cr_assert_eq(trace_open_memory(&t, "fc", text, size, false, &err), 0, "%s", err.msg);
    cr_assert_eq(trace_sum(t, &s, &err), 0, "%s", err.msg);
    trace_close(t);
    free(text);
    return s;
}

static void expect_sum(const mpz_t got, uint64_t want, const char *what)
{
    cr_expect_eq(mpz_cmp_ui(got, want), 0, "%s: %lu, expected %" PRIu64, what, mpz_get_ui(got),
                 want);
}

/* 24 -> 16 -> 16 -> 8, 8 samples a core.
 *   parameters  24*16+16 + 16*16+16 + 16*8+8 = 808
 *   matmuls     2*8 * (768 forward + 384 to the inputs of all but the first + 768 of the weights)
 *   vector      512 bias and ReLU, 64 bias of the output, 64+320+8 loss, 256+64 its backward,
 *               512 masks and bias gradients, 808 all-reduce, 10*808 RMSprop
 *   bytes       16256 read and 8196 written by all but the update, (28+12)*808 by RMSprop;
 *               4*808 reduced, 1024 fed in, 4 out: these are counted apart */
Test(gen, totals_of_a_small_fully_connected_step_are_those_worked_out_by_hand)
{
    static const char *const set[] = { "layers=2", "width=16", "input=24", "output=8", "batch=64" };
    struct trace_totals s = totals_of(set, COUNT(set));

    expect_sum(s.parameters, 808, "parameters");
    expect_sum(s.flops, 30720 + 512 + 64 + 392 + 320 + 512 + 808 + 8080, "flops");
    mpz_add(s.reads, s.reads, s.writes);
    expect_sum(s.reads, 8196 + 16256 + 32320, "bytes");
    expect_sum(s.reduce_bytes, 3232, "reduced");
    expect_sum(s.infeed_bytes, 1024, "fed in");
    expect_sum(s.outfeed_bytes, 4, "fed out");
    cr_expect_eq(flops_of("fc", TRACE_MATMUL, set, COUNT(set)), 30720);
    trace_totals_clear(&s);
}

Test(gen, a_fully_connected_net_has_the_parameters_of_its_layers)
{
    /* 2000*2048 + 7*2048*2048 + 2048*1000 weights, 8*2048 + 1000 biases */
    struct trace_totals s = totals_of(SET("layers=8", "width=2048", "input=2000", "output=1000"));

    expect_sum(s.parameters, 35521512, "parameters");
    trace_totals_clear(&s);
}

/* Bytes that the optimizer reads and writes, a parameter: weight and gradient in, weight out, and
 * each state in and out. */
Test(gen, each_optimizer_moves_the_bytes_of_its_states)
{
    static const struct {
        const char *optimizer;
        uint64_t bytes, flops;
    } rows[] = { { "optimizer=sgd", 12, 2 },
                 { "optimizer=momentum", 20, 4 },
                 { "optimizer=rmsprop", 28 + 12, 10 },
                 { "optimizer=adam", 28, 12 } };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const set[] = { "layers=1", "width=3", "input=2", "output=1",
                                    rows[i].optimizer };
        struct trace *t;
        struct trace_item item;
        struct err err;
        size_t size;
        uint64_t bytes = 0;
        char *text = generate("fc", set, COUNT(set), &size);

        cr_assert_eq(trace_open_memory(&t, "fc", text, size, false, &err), 0, "%s", err.msg);
        do {
            cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
            if (item.kind == TRACE_ITEM_OP && item.op.kind == TRACE_OPTIMIZER)
                bytes += item.op.reads + item.op.writes;
        } while (item.kind != TRACE_ITEM_END);
        trace_close(t);
        free(text);
        /* 2*3 + 3 and 3*1 + 1 */
        cr_expect_eq(bytes, 13 * rows[i].bytes, "%s: %" PRIu64, rows[i].optimizer, bytes);
        cr_expect_eq(flops_of("fc", TRACE_OPTIMIZER, set, COUNT(set)), 13 * rows[i].flops);
    }
}

Test(gen, the_header_names_the_optimizer_and_leaves_out_an_epoch_that_is_not_said)
{
    size_t size;
    char *text = generate("fc", SET("optimizer=adam", "batch=64", "cores=4"), &size);

    cr_expect_not_null(strstr(text, "\nparam cores=4\nparam optimizer=adam\n"
                                    "param precision=f32\nparam epoch=0\n"));
    cr_expect_not_null(strstr(text, "\nsamples step=16\n"));
    free(text);
    text = generate("fc", SET("epoch=1000"), &size);
    cr_expect_not_null(strstr(text, "\nsamples step=512 epoch=1000\n"));
    free(text);
}

Test(gen, cores_divide_the_batch_and_leave_the_update_whole)
{
    uint64_t one = flops_of("fc", TRACE_MATMUL, SET("cores=1"));
    uint64_t eight = flops_of("fc", TRACE_MATMUL, SET("cores=8"));

    cr_expect_gt(eight, 0);
    cr_expect_eq(one, 8 * eight);
    cr_expect_eq(flops_of("fc", TRACE_OPTIMIZER, SET("cores=1")),
                 flops_of("fc", TRACE_OPTIMIZER, SET("cores=8")));
}

/* --- extremes ----------------------------------------------------------------------------- */

/* Each parameter at its ends with the others as they are, then all at once. */
Test(gen, every_trace_is_valid_at_the_ends_of_its_parameters)
{
    for (size_t w = 0; w < gen_n_workloads; w++) {
        const struct gen_workload *g = gen_workloads[w];
        char text[2][24][64];
        const char *ends[2][24];
        const char *one[4] = { "cores=1" }; /* any batch */
        size_t n = strcmp(g->name, "fc") == 0;
        if (strcmp(g->name, "exatrkx") == 0) { /* vary2 can be all, but has no region of its own */
            one[n++] = "model=vary2";
            one[n++] = "nodes=10";
            one[n++] = "edges=20";
        }

        cr_assert_leq(g->n_params, 24);
        for (size_t i = 0; i < g->n_params; i++) {
            cr_expect_leq(g->params[i].min, g->params[i].def, "%s", g->params[i].key);
            cr_expect_leq(g->params[i].def, g->params[i].max, "%s", g->params[i].key);
            for (int end = 0; end < 2; end++) {
                uint64_t v = end ? g->params[i].max : g->params[i].min;
                if (g->params[i].choice)
                    snprintf(text[end][i], sizeof text[end][i], "%s=%s", g->params[i].key,
                             g->params[i].choice[v]);
                else
                    snprintf(text[end][i], sizeof text[end][i], "%s=%" PRIu64, g->params[i].key, v);
                ends[end][i] = one[n] = text[end][i];
                cr_expect_gt(flops_of(g->name, TRACE_MATMUL, one, n + 1), 0);
            }
        }
        cr_expect_gt(flops_of(g->name, TRACE_MATMUL, ends[0], g->n_params), 0);
        cr_expect_gt(flops_of(g->name, TRACE_MATMUL, ends[1], g->n_params), 0);
    }
}

Test(gen, odd_sizes_are_valid)
{
    cr_expect_gt(flops_of("3dgan", TRACE_CONV, SET("x=33", "y=47", "z=19", "d_filters=3")), 0);
    cr_expect_gt(flops_of("exatrkx", TRACE_MATMUL, SET("hidden=7", "iterations=3")), 0);
    cr_expect_gt(flops_of("mlpf", TRACE_MATMUL, SET("bins=7", "common=1", "energy=5", "width=14")),
                 0);
}

/* --- 3DGAN from the host ------------------------------------------------------------------- */

/* Runs of the operations of a kind in a step, loops multiplied out; of those with a name if it is
 * not NULL.  *cpu is the sum of what one thread of a CPU takes for them, in microseconds. */
static uint64_t runs_of(const char *const *set, size_t n_set, enum trace_kind kind,
                        const char *name, uint64_t *cpu)
{
    struct trace *t;
    struct trace_item item;
    struct err err;
    size_t size;
    uint64_t n = 0, times[8] = { 1 }, depth = 0;
    char *text = generate("3dgan", set, n_set, &size);

    *cpu = 0;
    cr_assert_eq(trace_open_memory(&t, "3dgan", text, size, false, &err), 0, "%s", err.msg);
    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        if (item.kind == TRACE_ITEM_REPEAT_BEGIN) {
            times[depth + 1] = times[depth] * item.count;
            depth++;
        } else if (item.kind == TRACE_ITEM_REPEAT_END) {
            depth--;
        } else if (item.kind == TRACE_ITEM_OP && item.op.kind == kind &&
                   (!name || strcmp(item.op.name, name) == 0)) {
            const struct trace_work *w = &item.op.work;
            n += times[depth];
            *cpu += times[depth] *
                    ((w->calls * w->call_fs + w->items * w->item_fs + w->bytes * w->byte_fs) /
                     1000000000);
            cr_expect(kind != TRACE_LAUNCH || w->client);
        }
    } while (item.kind != TRACE_ITEM_END);
    trace_close(t);
    free(text);
    return n;
}

Test(gen, calls_of_3dgan_from_the_host_are_those_of_its_program)
{
    static const char *const eight[] = { "loop=host" }, *const four_hosts[] = { "loop=host",
                                                                                "cores=32" };
    uint64_t us;

    /* 1,024 images of 65,025 cells: 32 calls of predict at 60 ms; 266,342,400 B fed twice at
     * 2.4 ns; 44 variables on 8 cores at 1 ms, twice */
    cr_expect_eq(runs_of(eight, 1, TRACE_LAUNCH, NULL, &us), 32 + 2 + 2);
    cr_expect_eq(us, 32 * 60000 + 2 * 639221 + 2 * 352000);
    cr_expect_eq(runs_of(eight, 1, TRACE_HOST, "histogram", &us), 2);
    cr_expect_eq(us, 2 * 2375680);
    cr_expect_eq(runs_of(eight, 1, TRACE_LOAD, NULL, &us), 1);
    /* 5,000 images: 325,125,000 cells at 17.5 ns, 1,300,500,000 B at 1 ns */
    cr_expect_eq(us, 5689687 + 1300500);
    /* 4,096 images to each of four hosts: 4 * 1,065,369,600 B */
    cr_expect_eq(runs_of(four_hosts, 2, TRACE_LAUNCH, NULL, &us), 128 + 2 + 2);
    cr_expect_eq(us, 128 * 60000 + 2 * UINT64_C(10227548) + 2 * 44 * 32 * 1000);
}

Test(gen, predict_of_3dgan_hands_out_32_images_to_equal_parts)
{
    static const char *const set[] = { "loop=host", "cores=5" };
    struct err err;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    cr_expect_eq(gen_write("3dgan", set, 2, out, &err), -1);
    cr_expect_str_eq(err.msg, "3dgan: cores = 5: predict hands out 32 images a call, which takes a "
                              "divisor of them");
    fclose(out);
    free(text);
}

Test(gen, an_epoch_of_3dgan_from_the_host_is_counted_file_by_file)
{
    size_t size;
    char *text = generate("3dgan", SET("loop=host"), &size);

    cr_expect_not_null(strstr(text, "samples step=128 epoch=124987 steps=125\n"));
    cr_expect_not_null(strstr(text, "step every=5 {\n"));
    free(text);
    text = generate("3dgan", SET("loop=host", "cores=32"), &size);
    cr_expect_not_null(strstr(text, "samples step=128 epoch=124987 steps=50\n"));
    cr_expect_not_null(strstr(text, "step every=2 {\n"));
    free(text);
}

Test(gen, gradients_go_in_buckets_and_updates_in_shares)
{
    static const char *const workload[] = { "3dgan", "exatrkx", "mlpf", "fc" };

    for (size_t i = 0; i < 4; i++) {
        size_t n, m;
        char *plain = generate(workload[i], NULL, 0, &n);
        char *same =
            generate(workload[i], (const char *const[]){ "combine=0", "update=whole" }, 2, &m);
        cr_expect_str_eq(plain, same);
        char *text =
            generate(workload[i], (const char *const[]){ "combine=1000", "update=sharded" }, 2, &m);
        cr_expect(strstr(text, "param update=sharded\n"));
        cr_expect(strstr(text, " combine=1000 sharded=1"), "%s", workload[i]);
        cr_expect_null(strstr(plain, "sharded"));
        free(plain);
        free(same);
        free(text);
    }
}
