/* gan3d.h - 3DGAN [cardoso-2020]: generator and discriminator, forward, backward and update.
 *
 * gan3d_step.c and gan3d_host.c put them into training steps.  Values are f32 handles of the step
 * under construction. */
#ifndef TRACES_GAN3D_H
#define TRACES_GAN3D_H

#include "conv_layer.h"

#define GAN3D_LAYERS_D 4 /* convolutions of the discriminator */
#define GAN3D_LAYERS_G 7 /* of the generator */

struct gan3d {
    struct emit *e;
    uint64_t batch;           /* images per core */
    uint64_t latent;          /* columns of a latent vector */
    uint64_t image[3];        /* cells along x, y and z */
    uint64_t seed[3], seed_c; /* volume and channels of the generator's dense layer */
    uint64_t pooled;          /* columns that the discriminator's heads read */
    struct net d, g;          /* discriminator, generator */
    struct conv dl[GAN3D_LAYERS_D], gl[GAN3D_LAYERS_G];
    size_t g_w, g_b;              /* variables of the generator's dense layer */
    size_t head_w[2], head_b[2];  /* of the discriminator's heads: fake or real, energy */
    uint32_t losses;              /* state [16]: the losses that the host reads */
    uint32_t energy, angle, ecal; /* [batch, 1]: what the images show */
    uint32_t noise;               /* latent vectors from the host; 0: drawn on the device */
    /* values of the latest forward passes, which the backward passes read */
    uint32_t z;                                      /* generator: latent vectors */
    uint32_t flat, head[2], sum, angles, refs, sums; /* discriminator */
};

/* Declare the layers of either network with `f` channels; m->d and m->g are initialised. */
void gan3d_declare_discriminator(struct gan3d *m, uint64_t f);
void gan3d_declare_generator(struct gan3d *m, uint64_t f);

/* From here on every operation is on `batch` images. */
void gan3d_set_batch(struct gan3d *m, uint64_t batch);

/* Images [batch, 1, x, y, z] from latent vectors; `training`: batch norm uses the statistics of
 * this batch, else the moving averages. */
uint32_t gan3d_generator_forward(struct gan3d *m, bool training);
/* Forward pass, backward pass and update of the discriminator on `image`, as the phases PHASE_fwd,
 * PHASE_bwd and PHASE_upd; label[batch, 1] says fake or real. */
void gan3d_train_discriminator(struct gan3d *m, const char *phase, uint32_t image, uint32_t label);
/* Forward pass, backward pass and update of the generator, as the phases g_fwd, g_bwd and g_upd.
 * Its gradient comes through the discriminator. */
void gan3d_train_generator(struct gan3d *m, uint32_t label);

/* --- the step whose loop runs on the host (gan3d_host.c) ----------------------------------- */

#define GAN3D_FILE 5000 /* images in a file of the data set */
#define GAN3D_CHUNK 32  /* images per call of predict */

struct gan3d_labels { /* constants [batch, 1] */
    uint32_t real, fake;
    uint32_t trick; /* what the generator wants the discriminator to say */
};

/* Steps in an epoch of `images`.  What is left of a file does not fill up with images of the next:
 * it is a step of its own, or with `drops` is left out. */
uint64_t gan3d_host_steps(uint64_t images, uint64_t batch, uint64_t cores, bool drops);
struct gan3d_loop {
    uint64_t cores, hosts; /* replicas, and the hosts that they are on */
    bool drops;            /* what is left of a file */
    bool local;            /* the devices are in the machine that the program runs on */
};
void gan3d_host_step(struct gan3d *m, const struct gan3d_labels *label,
                     const struct gan3d_loop *loop);

#endif
