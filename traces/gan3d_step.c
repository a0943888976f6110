/* gan3d_step.c - 3DGAN as a workload: its parameters, and the step of the loop that runs on the
 * device (loop=graph); gan3d_host.c has the other. */
#include "workloads.h"

#include <inttypes.h>

#include "base/arith.h"
#include "gan3d.h"
#include "option.h"

enum {
    BATCH,
    IMAGE_X,
    IMAGE_Y,
    IMAGE_Z,
    LATENT,
    D_FILTERS,
    G_FILTERS,
    G_SEED,
    OPTIMIZER,
    PRECISION,
    EPOCH,
    LOOP,
    CORES,
    COMBINE,
    UPDATE,
    HOST_CORES,
    REMAINDER,
    DEVICES,
};

enum { LOOP_GRAPH, LOOP_HOST };
enum { DEVICES_AUTO, DEVICES_REMOTE, DEVICES_LOCAL };

static const char *const loops[] = { "graph", "host", NULL };
static const char *const places[] = { "auto", "remote", "local", NULL };

/* The step of the custom training loop: one program. */
static void emit_graph_step(struct gan3d *m, const struct gan3d_labels *label)
{
    struct emit *e = m->e;

    emit_phase(e, "infeed");
    uint32_t x =
        emit_op(e, &(struct emit_op){ .kind = TRACE_INFEED,
                                      .name = "infeed.batch",
                                      EMIT_OUT({ .shape = conv_shape(m->batch, 1, m->image), "x" },
                                               { .shape = EMIT_F32(m->batch, 1), "energy" },
                                               { .shape = EMIT_F32(m->batch, 1), "angle" },
                                               { .shape = EMIT_F32(m->batch, 1), "ecal" }) });
    m->energy = x + 1;
    m->angle = x + 2;
    m->ecal = x + 3;
    emit_phase(e, "g_infer");
    uint32_t images_fake = gan3d_generator_forward(m, false);
    gan3d_train_discriminator(m, "d_real", x, label->real);
    gan3d_train_discriminator(m, "d_fake", images_fake, label->fake);
    emit_repeat(e, 2);
    gan3d_train_generator(m, label->trick);
    emit_repeat_end(e);
    emit_phase(e, "outfeed");
    emit_op(e, &(struct emit_op){ .kind = TRACE_OUTFEED,
                                  .name = "losses.reduce+outfeed",
                                  EMIT_IN(m->losses),
                                  .flops = 16,
                                  .attr = "sync=1" });
}

static void emit_step(struct gan3d *m, const uint64_t *v)
{
    struct emit *e = m->e;
    struct gan3d_labels label;

    net_init(&m->d, e, "D.", option_optimizer(v[OPTIMIZER]));
    net_init(&m->g, e, "G.", option_optimizer(v[OPTIMIZER]));
    m->d.combine = m->g.combine = v[COMBINE];
    m->d.sharded = m->g.sharded = v[UPDATE];
    gan3d_declare_discriminator(m, v[D_FILTERS]);
    gan3d_declare_generator(m, v[G_FILTERS]);
    /* label noise is drawn once, when the step is traced */
    label.real = emit_tensor(e, TRACE_CONSTANT, EMIT_F32(m->batch, 1), "label.real");
    label.fake = emit_tensor(e, TRACE_CONSTANT, EMIT_F32(m->batch, 1), "label.fake");
    label.trick = emit_tensor(e, TRACE_CONSTANT, EMIT_F32(m->batch, 1), "label.trick");
    m->losses = emit_tensor(e, TRACE_STATE, EMIT_F32(16), "losses");

    if (v[LOOP] == LOOP_HOST)
        gan3d_host_step(m, &label,
                        &(struct gan3d_loop){ .cores = v[CORES],
                                              .hosts = arith_ceil_div(v[CORES], v[HOST_CORES]),
                                              .drops = v[REMAINDER] == OPTION_DROP,
                                              .local = v[DEVICES] == DEVICES_LOCAL });
    else
        emit_graph_step(m, &label);
}

static const struct gen_param params[] = {
    [BATCH] = { "batch", 128, 1, 4096, "images a step and core [cardoso-2020]", NULL },
    [IMAGE_X] = { "x", 51, 14, 256, "image cells along x [cardoso-2020]", NULL },
    [IMAGE_Y] = { "y", 51, 17, 256, "image cells along y [cardoso-2020]", NULL },
    [IMAGE_Z] = { "z", 25, 13, 256, "image cells along z [cardoso-2020]", NULL },
    [LATENT] = { "latent", 256, 3, 65536,
                 "latent vector: energy, angle, normal numbers [cardoso-2020]", NULL },
    [D_FILTERS] = { "d_filters", 8, 1, 128,
                    "channels of the discriminator, twice that in its first layer", NULL },
    [G_FILTERS] = { "g_filters", 6, 1, 128, "channels of the generator after its first layer",
                    NULL },
    [G_SEED] = { "g_seed", 8, 1, 128, "channels of the generator's seed and first layer", NULL },
    [OPTIMIZER] = { "optimizer", OPTION_RMSPROP, 0, OPTION_ADAM, "of both networks [cardoso-2020]",
                    option_optimizers },
    [PRECISION] = { "precision", EMIT_F32_TENSORS, 0, EMIT_HIGHEST, OPTION_PRECISION_DOC,
                    option_precisions },
    [EPOCH] = { "epoch", 124987, 1, UINT32_MAX, "images in the data set", NULL },
    [LOOP] = { "loop", LOOP_GRAPH, LOOP_GRAPH, LOOP_HOST,
               "where the training loop runs: one program a step, or Keras calls [cardoso-2020]",
               loops },
    [CORES] = { "cores", 8, 1, 2048, "replicas that loop=host feeds", NULL },
    [COMBINE] = OPTION_COMBINE,
    [UPDATE] = OPTION_UPDATE,
    [HOST_CORES] = OPTION_HOST_CORES,
    [REMAINDER] = { "remainder", OPTION_PAD, OPTION_PAD, OPTION_DROP,
                    "with loop=host, of a file that fills no whole steps: one more step, filled up "
                    "with padding, or left out",
                    option_remainders },
    [DEVICES] = { "devices", DEVICES_AUTO, DEVICES_AUTO, DEVICES_LOCAL,
                  "with loop=host: reached over the network, as a TPU node is, or in the machine "
                  "that the program runs on, as GPUs are; auto: as the machine that replays it",
                  places },
};
#define N_PARAMS (sizeof params / sizeof *params)

static int check_values(const uint64_t *value, struct err *err)
{
    uint64_t images = value[BATCH] * value[CORES];

    if (value[LOOP] != LOOP_HOST)
        return 0;
    if (GAN3D_CHUNK % value[CORES] && value[CORES] % GAN3D_CHUNK)
        return err_set(err, ERR_RANGE,
                       "3dgan: cores = %" PRIu64 ": predict hands out %d images a call, which "
                       "takes a divisor or a multiple of them",
                       value[CORES], GAN3D_CHUNK);
    if (images > GAN3D_FILE)
        return err_set(err, ERR_RANGE,
                       "3dgan: batch = %" PRIu64 ", cores = %" PRIu64 ": a step takes %" PRIu64
                       " images, a file has %d; batch=%" PRIu64 " at most",
                       value[BATCH], value[CORES], images, GAN3D_FILE,
                       (uint64_t)GAN3D_FILE / value[CORES]);
    return 0;
}

static void write_trace(const uint64_t *value, FILE *out)
{
    struct option_list list;
    struct emit_head head = { .workload = "3dgan",
                              .provenance = value[LOOP] == LOOP_HOST
                                                ? "3DGAN, Keras calls from the host: 51x51x25 "
                                                  "calorimeter images [cardoso-2020]; generated"
                                                : "3DGAN, custom training loop: 51x51x25 "
                                                  "calorimeter images [cardoso-2020]; generated",
                              .step_samples = value[BATCH],
                              .epoch_samples = value[EPOCH],
                              .epoch_steps =
                                  value[LOOP] == LOOP_HOST
                                      ? gan3d_host_steps(value[EPOCH], value[BATCH], value[CORES],
                                                         value[REMAINDER] == OPTION_DROP)
                                      : 0,
                              .precision = (enum emit_precision)value[PRECISION],
                              .framework = TRACE_TENSORFLOW };

    option_head(&head, &list, params, N_PARAMS, value);
    struct gan3d m = { .e = emit_new(&head),
                       .batch = value[BATCH],
                       .image = { value[IMAGE_X], value[IMAGE_Y], value[IMAGE_Z] },
                       .latent = value[LATENT],
                       .seed_c = value[G_SEED] };
    emit_step(&m, value);
    emit_print(m.e, out);
    net_clear(&m.d);
    net_clear(&m.g);
    emit_free(m.e);
}

static bool is_sized(const uint64_t *value)
{
    return value[LOOP] == LOOP_HOST;
}

const struct gen_workload gan3d_workload = {
    "3dgan",      "3DGAN: adversarial training step on calorimeter images",
    params,       N_PARAMS,
    check_values, write_trace,
    is_sized
};
