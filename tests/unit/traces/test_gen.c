/* Properties of every generator: errors, valid traces at the limits of parameters. */
#include "tests/unit/traces/gen_helper.h"

Test(gen, an_unknown_workload_names_the_nearest_or_all)
{
    refuses_options("exatrk", NULL, ERR_UNKNOWN,
                    "unknown workload 'exatrk'; did you mean 'exatrkx'?");
    refuses_options("resnet50", NULL, ERR_UNKNOWN,
                    "unknown workload 'resnet50'; there are 3dgan, exatrkx, mlpf, fc");
}

Test(gen, an_unknown_parameter_names_the_nearest_or_all)
{
    refuses_options("3dgan", "bach=64", ERR_UNKNOWN,
                    "3dgan: unknown parameter 'bach'; did you mean 'batch'?");
    refuses_options(
        "exatrkx", "momentum=1", ERR_UNKNOWN,
        "exatrkx: unknown parameter 'momentum'; there are model, graph, nodes, edges, hidden, "
        "latent, iterations, graphs, weights, remat, optimizer, precision, buckets, "
        "smallest, run, epoch, combine, update, real_nodes, real_edges");
}

Test(gen, a_setting_that_is_no_key_and_number_is_refused)
{
    refuses_options("mlpf", "batch", ERR_FORMAT,
                    "mlpf: 'batch': expected key=value, such as batch=16");
    refuses_options("mlpf", "=16", ERR_FORMAT, "mlpf: '=16': expected key=value, such as batch=16");
    refuses_options("mlpf", "batch=", ERR_FORMAT, "mlpf: batch = '': expected a whole number");
    refuses_options("mlpf", "batch=-1", ERR_FORMAT, "mlpf: batch = '-1': expected a whole number");
    refuses_options("mlpf", "batch=1e3", ERR_FORMAT,
                    "mlpf: batch = '1e3': expected a whole number");
}

Test(gen, a_value_out_of_range_is_refused_with_the_range)
{
    refuses_options("3dgan", "batch=0", ERR_RANGE, "3dgan: batch = 0: outside [1, 4096]");
    refuses_options("3dgan", "y=16", ERR_RANGE, "3dgan: y = 16: outside [17, 256]");
    refuses_options("exatrkx", "iterations=65", ERR_RANGE,
                    "exatrkx: iterations = 65: outside [1, 64]");
    refuses_options("mlpf", "bins=99999999999999999999999", ERR_RANGE,
                    "mlpf: bins = 99999999999999999999999: outside [1, 1024]");
}

Test(gen, a_word_that_is_no_choice_is_refused_with_the_choices)
{
    refuses_options("fc", "optimizer=rmsprp", ERR_UNKNOWN,
                    "fc: unknown optimizer 'rmsprp'; did you mean 'rmsprop'?");
    refuses_options("fc", "optimizer=2", ERR_UNKNOWN,
                    "fc: unknown optimizer '2'; there are sgd, momentum, rmsprop, adam");
}

Test(gen, a_batch_that_the_cores_cannot_share_is_refused)
{
    refuses_options("fc", "batch=100", ERR_RANGE,
                    "fc: batch = 100: not a multiple of cores = 8; remainder=pad fills it up, "
                    "remainder=drop leaves some out");
    refuses_options("fc", "cores=3", ERR_RANGE,
                    "fc: batch = 4096: not a multiple of cores = 3; remainder=pad fills it up, "
                    "remainder=drop leaves some out");
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

/* The place of a setting among `n` that hold: that of the same key, or behind them. */
static size_t find_place(const char *const *set, size_t n, const char *key)
{
    size_t i = 0;

    while (i < n && (strncmp(set[i], key, strlen(key)) != 0 || set[i][strlen(key)] != '='))
        i++;
    return i;
}

/* Each parameter at its ends with the others as they are, then all at once. */
Test(gen, every_trace_is_valid_at_the_ends_of_its_parameters)
{
    for (size_t w = 0; w < gen_n_workloads; w++) {
        const struct gen_workload *g = gen_workloads[w];
        char text[2][GEN_MAX_PARAMS][64];
        const char *ends[2][GEN_MAX_PARAMS];
        const char *others[3] = { "cores=1" }; /* any batch */
        size_t n = strcmp(g->name, "fc") == 0;
        if (strcmp(g->name, "exatrkx") == 0) { /* vary2 can be all, but has no region of its own */
            others[n++] = "model=vary2";
            others[n++] = "nodes=10";
            others[n++] = "edges=20";
        }

        cr_assert_leq(g->n_params, GEN_MAX_PARAMS);
        for (size_t i = 0; i < g->n_params; i++) {
            cr_expect_leq(g->params[i].min, g->params[i].def, "%s", g->params[i].key);
            cr_expect_leq(g->params[i].def, g->params[i].max, "%s", g->params[i].key);
            for (int end = 0; end < 2; end++) {
                uint64_t v = end ? g->params[i].max : g->params[i].min;
                if (strncmp(g->params[i].key, "real", 4) == 0) /* no more than are there at all */
                    v = 0;
                if (g->params[i].choice)
                    snprintf(text[end][i], sizeof text[end][i], "%s=%s", g->params[i].key,
                             g->params[i].choice[v]);
                else
                    snprintf(text[end][i], sizeof text[end][i], "%s=%" PRIu64, g->params[i].key, v);
                const char *one[4] = { others[0], others[1], others[2] };
                size_t at = find_place(one, n, g->params[i].key);
                ends[end][i] = one[at] = text[end][i];
                cr_expect_gt(flops_of(g->name, TRACE_MATMUL, one, n + (at == n)), 0);
            }
        }
        if (g == gen_find("3dgan")) /* a file has images for that many on 2,048 cores */
            ends[1][gen_param_index(g, "batch")] = "batch=2";
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
