/* gan3d_host.c - 3DGAN with its loop on the host: Keras calls from one client, file by file.
 *
 *   d_init   histogram of the batch; noise; images by `predict`, 32 a batch, returned to the client
 *   d_real   train_on_batch of the discriminator: the client feeds the batch
 *   d_fake   the same with the images of d_init, after one more copy
 *   g_init   the histogram again
 *   twice    g_noise, then g_train: train_on_batch of the generator through the discriminator
 *   file     once per file, that is once in so many steps: read, raise to a power, slice
 *
 * The costs of the client's calls are read off the published times of the program's phases on three
 * slices [cardoso-2020]:
 *   HISTOGRAM   2.4 s for 1,024 images, on one thread
 *   NOISE       13 ms for 1,024 images, 47 ms for 4,096
 *   PREDICT     d_init less the histogram: 2.9 s for 32 batches on 8 cores, 8.6 s for 128 on 32.
 *               A call takes 0.9 s, in which Keras sets up the pipeline of its input, and BATCH for
 *               each of its batches; the two explain both figures
 *               Where the devices are in the client's machine, as GPUs are, 35 ms a call: 100 calls
 *               for a model without work took 3.5 s [tensorflow-40261]
 *   BATCH       54 ms for a batch of 32 images, however many cores have a share of it
 *   DISPATCH    g_train less the device: 0.4 s on 8 cores, 1.5 s on 32, with 44 variables
 *   PASS        d_real less the device: 0.7 s for 266 MB on one host, 12.8 s for 1,065 MB on four.
 *               So each host is sent the whole batch; and d_fake less d_real: 0.6 and 3.1 s for
 *               another pass over it.  Sending goes on while the call dispatches.
 *   POWER       5.7 s for the 325,125,000 cells of a file; two copies of it in memory
 *
 * Keras waits for a batch of `predict` only if it does not know how many there are
 * (DataHandler.should_sync in its data_adapter.py), so the device computes one batch while the
 * client gives out the next.  The published phase says so too: it takes 5.2 s on v2-8 and 5.3 s on
 * v3-8, whose device is 2.7 times as fast. */
#include <inttypes.h>

#include "base/arith.h"
#include "gan3d.h"

#define HISTOGRAM "\"2.32 ms\""
#define NOISE "\"12 us\""
#define PREDICT "\"0.9 s\""
#define PREDICT_LOCAL "\"35 ms\""
#define PREDICT_IMAGE "\"1.7 ms\"" /* BATCH / 32 */
#define DISPATCH "\"1 ms\""
#define PASS "\"2.4 ns\""
#define POWER "\"17.5 ns\""
#define COPIES "\"1 ns\""
#define SOURCE "[cardoso-2020]"

struct client {
    struct gan3d *m;
    uint64_t cores, hosts;
    uint64_t images, bytes; /* of the whole slice per step; bytes of these images */
    bool local;
};

static void emit_client_work(struct client *c, const char *name, const char *item_time)
{
    struct emit *e = c->m->e;

    emit_op(e, &(struct emit_op){ .kind = TRACE_HOST,
                                  .name = name,
                                  .attr = emit_text(e, "items=%" PRIu64 " item-time=%s client=1",
                                                    c->images, item_time),
                                  .note = SOURCE });
}

/* Fake images by `predict`, GAN3D_CHUNK images a batch.  The client gives each core its images and
 * is one batch ahead of the device; it joins the images when all are there.  With more cores than
 * images a batch still gives each core an image, and the client keeps GAN3D_CHUNK of them. */
static void emit_predict(struct client *c)
{
    struct gan3d *m = c->m;
    struct emit *e = m->e;
    uint64_t batch = m->batch, each = arith_ceil_div(GAN3D_CHUNK, c->cores);

    emit_op(e, &(struct emit_op){ .kind = TRACE_LAUNCH,
                                  .name = "G.predict",
                                  .attr = c->local ? "time=" PREDICT_LOCAL " client=1"
                                                   : "time=" PREDICT " client=1",
                                  .note = c->local ? "[tensorflow-40261]" : SOURCE });
    emit_repeat(e, arith_ceil_div(c->images, GAN3D_CHUNK));
    gan3d_set_batch(m, each);
    emit_op(e, &(struct emit_op){ .kind = TRACE_HOST,
                                  .name = "G.predict.call",
                                  .attr = emit_text(e,
                                                    "items=%" PRIu64 " item-time=" PREDICT_IMAGE
                                                    " client=1 staleness=1",
                                                    each),
                                  .note = SOURCE });
    m->noise = emit_op(e, &(struct emit_op){ .kind = TRACE_LAUNCH,
                                             .name = "G.predict.batch",
                                             EMIT_OUT({ .shape = EMIT_F32(each, m->latent) }),
                                             .attr = "client=1" });
    uint32_t images = gan3d_generator_forward(m, false);
    emit_op(
        e, &(struct emit_op){ .kind = TRACE_OUTFEED, .name = "G.predict.images", EMIT_IN(images) });
    gan3d_set_batch(m, batch);
    emit_repeat_end(e);
    emit_op(e,
            &(struct emit_op){
                .kind = TRACE_HOST,
                .name = "G.predict.join",
                .attr = emit_text(e, "bytes=%" PRIu64 " byte-time=" COPIES " client=1", c->bytes),
                .note = SOURCE });
}

/* The client feeds images and their labels.  It sends every host the whole batch. */
static uint32_t emit_feed(struct client *c, const char *name)
{
    struct gan3d *m = c->m;
    uint64_t b = m->batch;

    return emit_op(
        m->e,
        &(struct emit_op){ .kind = TRACE_LAUNCH,
                           .name = name,
                           EMIT_OUT({ .shape = conv_shape(b, 1, m->image), "x" },
                                    { .shape = EMIT_F32(b, 1), "energy" },
                                    { .shape = EMIT_F32(b, 1), "angle" },
                                    { .shape = EMIT_F32(b, 1), "ecal" }),
                           .attr = emit_text(m->e, "bytes=%" PRIu64 " byte-time=" PASS " client=1",
                                             c->bytes * c->hosts),
                           .writes = c->bytes / c->cores * c->hosts,
                           .note = SOURCE });
}

/* The call returns the losses to the client. */
static void finish_call(struct client *c)
{
    emit_op(c->m->e, &(struct emit_op){ .kind = TRACE_OUTFEED,
                                        .name = "losses",
                                        EMIT_IN(c->m->losses),
                                        .flops = 16,
                                        .attr = "sync=1" });
}

static void emit_train_discriminator(struct client *c, const char *phase, uint32_t label,
                                     bool copied)
{
    struct gan3d *m = c->m;
    struct emit *e = m->e;

    emit_phase(e, phase);
    if (copied)
        emit_op(e,
                &(struct emit_op){
                    .kind = TRACE_HOST,
                    .name = "images.to_tensor",
                    .attr = emit_text(e, "bytes=%" PRIu64 " byte-time=" PASS " client=1", c->bytes),
                    .note = SOURCE });
    uint32_t x = emit_feed(c, "D.train_on_batch");
    m->energy = x + 1;
    m->angle = x + 2;
    m->ecal = x + 3;
    gan3d_train_discriminator(m, phase, x, label);
    finish_call(c);
}

static void emit_train_generator(struct client *c, uint32_t label)
{
    struct gan3d *m = c->m;
    struct emit *e = m->e;

    emit_repeat(e, 2);
    emit_phase(e, "g_noise");
    emit_client_work(c, "noise", NOISE);
    emit_phase(e, "g_train");
    m->noise = emit_op(
        e,
        &(struct emit_op){ .kind = TRACE_LAUNCH,
                           .name = "G.train_on_batch",
                           EMIT_OUT({ .shape = EMIT_F32(m->batch, m->latent) }),
                           .attr = emit_text(e, "items=%" PRIu64 " item-time=" DISPATCH " client=1",
                                             (m->d.n_vars + m->g.n_vars) * c->cores),
                           .note = SOURCE });
    gan3d_train_generator(m, label);
    finish_call(c);
    emit_repeat_end(e);
}

/* Steps that a file makes. */
static uint64_t steps_of_file(uint64_t images, bool drops)
{
    return drops ? GAN3D_FILE / images : arith_ceil_div(GAN3D_FILE, images);
}

/* One thread of the client reads the next file whole, once in so many steps. */
static void emit_file(struct client *c, uint64_t steps)
{
    struct emit *e = c->m->e;
    uint64_t cells = conv_volume(c->m->image) * GAN3D_FILE;

    if (steps > 1)
        emit_every(e, steps);
    emit_phase(e, "file");
    emit_op(e,
            &(struct emit_op){ .kind = TRACE_LOAD,
                               .name = "file.load+power+slice",
                               .attr = emit_text(e,
                                                 "items=%" PRIu64 " item-time=" POWER
                                                 " bytes=%" PRIu64 " byte-time=" COPIES " client=1",
                                                 cells, 4 * cells),
                               .note = SOURCE });
}

uint64_t gan3d_host_steps(uint64_t images, uint64_t batch, uint64_t cores, bool drops)
{
    return arith_ceil_div(images, GAN3D_FILE) * steps_of_file(batch * cores, drops);
}

void gan3d_host_step(struct gan3d *m, const struct gan3d_labels *label,
                     const struct gan3d_loop *loop)
{
    struct client c = {
        .m = m,
        .cores = loop->cores,
        .hosts = loop->hosts,
        .images = m->batch * loop->cores,
        .bytes = 4 * m->batch * loop->cores * conv_volume(m->image),
        .local = loop->local,
    };

    emit_phase(m->e, "d_init");
    emit_client_work(&c, "histogram", HISTOGRAM);
    emit_client_work(&c, "noise", NOISE);
    emit_predict(&c);
    emit_train_discriminator(&c, "d_real", label->real, false);
    emit_train_discriminator(&c, "d_fake", label->fake, true);
    emit_phase(m->e, "g_init");
    emit_client_work(&c, "histogram", HISTOGRAM);
    emit_train_generator(&c, label->trick);
    emit_file(&c, steps_of_file(c.images, loop->drops));
}
