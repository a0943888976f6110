/* exatrkx.c - Exa-TrkX: one training step of a graph network that finds tracks. */
#include "exatrkx.h"

#include <inttypes.h>

#include "option.h"
#include "workloads.h"

#define MAX_BUCKETS 16

enum { MODEL_2020, MODEL_VARY2 };
enum { GRAPH_EVENT, GRAPH_REGION };

static const char *const model_names[] = { "2020-04", "vary2", NULL };
static const char *const graph_names[] = { "event", "region", NULL };
static const char *const weight_names[] = { "shared", "own", NULL };
static const char *const remat_names[] = { "no", "yes", NULL };

/* The graphs that were published for each model; nodes = 0: none. */
static const struct {
    uint64_t nodes, edges, graphs, epoch;
    const char *provenance;
} published[][2] = {
    [MODEL_2020] = { [GRAPH_EVENT] = { 150000, 1350000, 1, 111,
                                       "Exa-TrkX interaction network of April 2020, one event "
                                       "graph a step [ju-2020]; generated" },
                     [GRAPH_REGION] = { 3500, 56500, 4, 2664,
                                        "Exa-TrkX interaction network of April 2020, padded "
                                        "regions of events [ju-2020]; generated" } },
    [MODEL_VARY2] = { [GRAPH_EVENT] = { 58112, 417664, 1, 111,
                                        "Exa-TrkX interaction network of June 2020, vary2, one "
                                        "event graph a step [exatrkx-iml2020]; generated" } },
};

enum {
    MODEL,
    GRAPH,
    NODES,
    EDGES,
    HIDDEN,
    LATENT,
    ITERATIONS,
    GRAPHS,
    WEIGHTS,
    REMAT,
    OPTIMIZER,
    PRECISION,
    BUCKETS,
    SMALLEST,
    RUN,
    EPOCH,
    COMBINE,
    UPDATE,
    REAL_NODES,
    REAL_EDGES,
};

/* clang-format off */
static const struct gen_param params[] = {
    [MODEL] = { "model", MODEL_2020, MODEL_2020, MODEL_VARY2, "of April or June 2020 [ju-2020] [exatrkx-iml2020]", model_names },
    [GRAPH] = { "graph", GRAPH_EVENT, GRAPH_EVENT, GRAPH_REGION, "a whole event, or one of the 24 regions it is cut into [ju-2020]", graph_names },
    [NODES] = { "nodes", 0, 0, 100000000, "space points of a graph, padded; 0: as model and graph were published", NULL },
    [EDGES] = { "edges", 0, 0, 100000000, "edges of a graph, padded; 0: as published", NULL },
    [HIDDEN] = { "hidden", 128, 1, 4096, "columns inside an MLP, code of [ju-2020]", NULL },
    [LATENT] = { "latent", 0, 0, 4096, "columns between iterations; 0: hidden, half of it in vary2", NULL },
    [ITERATIONS] = { "iterations", 8, 1, EXATRKX_MAX_ITERATIONS, "of message passing, code of [ju-2020]", NULL },
    [GRAPHS] = { "graphs", 0, 0, 256, "graphs a step and core, concatenated; 0: as published, 1 event or 4 regions", NULL },
    [WEIGHTS] = { "weights", 0, 0, 1, "tied: one set for all iterations, or each its own [ju-2020]", weight_names },
    [REMAT] = { "remat", 0, 0, 1, "keep what passes between iterations, compute the rest again", remat_names },
    [OPTIMIZER] = { "optimizer", OPTION_ADAM, 0, OPTION_ADAM, "code of [ju-2020]", option_optimizers },
    [PRECISION] = { "precision", EMIT_F32_TENSORS, 0, EMIT_HIGHEST, OPTION_PRECISION_DOC, option_precisions },
    [BUCKETS] = { "buckets", 1, 1, MAX_BUCKETS, "sizes that graphs are padded to; each is a step, and they take turns", NULL },
    [SMALLEST] = { "smallest", 100, 1, 100, "percent of the largest graph; sizes are spread evenly in between", NULL },
    [RUN] = { "run", 0, 0, UINT32_MAX, "steps over which compiling each size once is spread; 0: left out", NULL },
    [EPOCH] = { "epoch", 0, 0, UINT32_MAX, "graphs in the data set; 0: as published", NULL },
    [COMBINE] = OPTION_COMBINE,
    [UPDATE] = OPTION_UPDATE,
    [REAL_NODES] = { "real_nodes", 0, 0, 100000000, "space points of a graph on average, without its padding; 0: as buckets and smallest say", NULL },
    [REAL_EDGES] = { "real_edges", 0, 0, 100000000, "edges of a graph on average, without its padding; 0: likewise", NULL },
};
/* clang-format on */
#define N_PARAMS (sizeof params / sizeof *params)

static uint64_t or_default(uint64_t given, uint64_t otherwise)
{
    return given ? given : otherwise;
}

/* The nodes or edges that a graph is padded to at most. */
static uint64_t largest_graph(const uint64_t *value, int what)
{
    uint64_t model = value[MODEL], graph = value[GRAPH];

    return or_default(value[what], what == NODES ? published[model][graph].nodes
                                                 : published[model][graph].edges);
}

static int check_values(const uint64_t *value, struct err *err)
{
    if (!published[value[MODEL]][value[GRAPH]].nodes && (!value[NODES] || !value[EDGES]))
        return err_set(err, ERR_RANGE,
                       "exatrkx: no %s graph of model %s was published; give nodes= and edges=",
                       graph_names[value[GRAPH]], model_names[value[MODEL]]);
    if (value[MODEL] == MODEL_2020 && value[LATENT] && value[LATENT] != value[HIDDEN])
        return err_set(err, ERR_RANGE,
                       "exatrkx: latent = %" PRIu64 ": model 2020-04 has hidden = %" PRIu64
                       " columns everywhere; model=vary2 can differ",
                       value[LATENT], value[HIDDEN]);
    if ((value[REAL_NODES] || value[REAL_EDGES]) && value[BUCKETS] > 1)
        return err_set(err, ERR_RANGE,
                       "exatrkx: real_nodes and real_edges are of one size of graphs, not of "
                       "buckets = %" PRIu64,
                       value[BUCKETS]);
    if (value[REAL_NODES] > largest_graph(value, NODES))
        return err_set(err, ERR_RANGE,
                       "exatrkx: real_nodes = %" PRIu64 ": more than nodes = %" PRIu64,
                       value[REAL_NODES], largest_graph(value, NODES));
    if (value[REAL_EDGES] > largest_graph(value, EDGES))
        return err_set(err, ERR_RANGE,
                       "exatrkx: real_edges = %" PRIu64 ": more than edges = %" PRIu64,
                       value[REAL_EDGES], largest_graph(value, EDGES));
    return 0;
}

/* The size that bucket i pads to, i from 1 to `buckets`, or the smallest size if i is 0: sizes are
 * spread evenly from the smallest to the largest graph and rounded up. */
static uint64_t pad_to_bucket(const uint64_t *value, uint64_t largest, uint64_t i)
{
    uint64_t b = value[BUCKETS], part = b * value[SMALLEST] + (100 - value[SMALLEST]) * i;

    return (largest * part + 100 * b - 1) / (100 * b);
}

static struct exatrkx_graph graph_of_bucket(const uint64_t *value, uint64_t i)
{
    return (struct exatrkx_graph){ pad_to_bucket(value, value[NODES], i) * value[GRAPHS],
                                   pad_to_bucket(value, value[EDGES], i) * value[GRAPHS] };
}

/* Rows of padding that a bucket adds to its graphs, which are as large as the bucket before it at
 * least: half of the difference on average. */
static void note_padding(const uint64_t *value, uint64_t i, struct trace_padding padding[2])
{
    static const struct {
        const char *name;
        int size, real;
    } of[2] = { { "nodes", NODES, REAL_NODES }, { "edges", EDGES, REAL_EDGES } };

    for (int k = 0; k < 2; k++) {
        uint64_t most = pad_to_bucket(value, value[of[k].size], i) * value[GRAPHS];
        uint64_t least = pad_to_bucket(value, value[of[k].size], i - 1) * value[GRAPHS];

        padding[k] = (struct trace_padding){ .padded = most, .real = (least + most) / 2 };
        if (value[of[k].real])
            padding[k].real = value[of[k].real] * value[GRAPHS];
        snprintf(padding[k].name, sizeof padding[k].name, "%s", of[k].name);
    }
}

static void write_trace(const uint64_t *given, FILE *out)
{
    bool vary2 = given[MODEL] == MODEL_VARY2;
    uint64_t value[N_PARAMS];
    struct option_list list;

    for (size_t i = 0; i < N_PARAMS; i++)
        value[i] = given[i];
    const uint64_t graph = given[GRAPH], model = given[MODEL];
    value[NODES] = or_default(given[NODES], published[model][graph].nodes);
    value[EDGES] = or_default(given[EDGES], published[model][graph].edges);
    value[GRAPHS] = or_default(given[GRAPHS], or_default(published[model][graph].graphs, 1));
    value[EPOCH] = or_default(given[EPOCH], or_default(published[model][graph].epoch, 24 * 111));
    value[LATENT] = or_default(given[LATENT], vary2 ? (given[HIDDEN] + 1) / 2 : given[HIDDEN]);

    const char *provenance = published[model][graph].provenance;
    struct emit_head head = { .workload = "exatrkx",
                              .provenance = provenance ? provenance
                                                       : "Exa-TrkX interaction network of June "
                                                         "2020, vary2 [exatrkx-iml2020]; generated",
                              .step_samples = value[GRAPHS],
                              .epoch_samples = value[EPOCH],
                              .precision = (enum emit_precision)value[PRECISION],
                              .products = true,
                              .framework = TRACE_TENSORFLOW };
    option_head(&head, &list, params, N_PARAMS, value);
    struct exatrkx_graph graph_of[MAX_BUCKETS];
    struct trace_padding padding[2 * MAX_BUCKETS];
    for (uint64_t i = 0; i < value[BUCKETS]; i++) {
        graph_of[i] = graph_of_bucket(value, i + 1);
        note_padding(value, i + 1, &padding[2 * i]);
    }
    head.padding = padding;
    head.n_padding = 2 * value[BUCKETS];
    struct emit *e = emit_new(&head);
    const struct exatrkx_size size = { .graph = graph_of,
                                       .n_graphs = value[BUCKETS],
                                       .run = value[RUN],
                                       .hidden = value[HIDDEN],
                                       .latent = value[LATENT],
                                       .iterations = value[ITERATIONS],
                                       .own = value[WEIGHTS] == 1,
                                       .remat = value[REMAT] == 1,
                                       .optimizer = option_optimizer(value[OPTIMIZER]),
                                       .combine = value[COMBINE],
                                       .sharded = value[UPDATE] == 1 };

    if (vary2)
        exatrkx_vary2(e, &size);
    else
        exatrkx_2020(e, &size);
    emit_print(e, out);
    emit_free(e);
}

const struct gen_workload exatrkx_workload = {
    "exatrkx",    "Exa-TrkX: graph network that finds tracks, one event graph a step",
    params,       N_PARAMS,
    check_values, write_trace,
    NULL
};
