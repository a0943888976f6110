/* gan3d.h - 3DGAN: its two networks, forward, backward and trained, for the loops around them. */
#ifndef TRACES_GAN3D_H
#define TRACES_GAN3D_H

#include "conv_layer.h"

#define GAN3D_LAYERS_D 4
#define GAN3D_LAYERS_G 7

struct gan3d {
    struct emit *e;
    uint64_t batch, latent, image[3], seed[3], seed_c, pooled;
    struct net d, g;
    struct conv dl[GAN3D_LAYERS_D], gl[GAN3D_LAYERS_G];
    size_t g_w, g_b;              /* dense of the generator */
    size_t head_w[2], head_b[2];  /* dense heads of the discriminator: fake or real, energy */
    uint32_t losses;              /* state: 16 scalars that the host reads */
    uint32_t energy, angle, ecal; /* of the batch */
    uint32_t noise;               /* latent vectors from the host; 0: drawn on the device */
    uint32_t z;                   /* of the generator's latest forward pass */
    uint32_t flat, head[2], sum, angles, refs, sums; /* of the discriminator's */
};

/* Variables of the networks, with m->d and m->g initialised; f: channels. */
void gan3d_declare_discriminator(struct gan3d *m, uint64_t f);
void gan3d_declare_generator(struct gan3d *m, uint64_t f);

/* So many images a replica from here on. */
void gan3d_set_batch(struct gan3d *m, uint64_t batch);

/* Images from noise; `training`: with statistics of the batch. */
uint32_t gan3d_generator_forward(struct gan3d *m, bool training);
/* Phases PHASE_fwd, PHASE_bwd and PHASE_upd on images. */
void gan3d_train_discriminator(struct gan3d *m, const char *phase, uint32_t image, uint32_t label);
/* Phases g_fwd, g_bwd and g_upd: the generator through the discriminator. */
void gan3d_train_generator(struct gan3d *m, uint32_t label);

/* The step whose loop runs on the host (gan3d_host.c). */
struct gan3d_labels {
    uint32_t real, fake, trick;
};
/* Steps of an epoch of so many images, file by file. */
uint64_t gan3d_host_steps(uint64_t images, uint64_t batch, uint64_t cores);
void gan3d_host_step(struct gan3d *m, const struct gan3d_labels *label, uint64_t cores);
/* Images of a file, and those of one call that predicts. */
#define GAN3D_FILE 5000
#define GAN3D_CHUNK 32

#endif
