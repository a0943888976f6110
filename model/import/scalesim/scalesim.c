/* scalesim.c - see scalesim.h: layers as lines of a trace. */
#include "import/scalesim/scalesim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/scalesim/scalesim_topology.h"
#include "trace/print.h"

static void print_layer_name(const struct scalesim_layer *l, const char *part, FILE *out)
{
    if (l->again)
        fprintf(out, "%%%s..%" PRIu32 "%s", l->name, l->line, part);
    else
        fprintf(out, "%%%s%s", l->name, part);
}

/* A convolution that slides a filter as wide as the image over the rows of its only channel is a
 * product of a matrix: this is how SCALE-Sim itself writes M, N and K as one. */
static bool is_product(const struct scalesim_topology *t, const struct scalesim_layer *l)
{
    return t->has[SCALESIM_M] ||
           (l->of[SCALESIM_CHANNELS] == 1 && l->of[SCALESIM_FILTER_H] == 1 &&
            l->of[SCALESIM_FILTER_W] == l->of[SCALESIM_IMAGE_W] && l->of[SCALESIM_STRIDE_H] == 1);
}

static uint64_t images_of(const struct scalesim_layer *l, uint64_t samples)
{
    return l->of[SCALESIM_BATCH] ? l->of[SCALESIM_BATCH] : samples ? samples : 1;
}

static bool is_depthwise(const struct scalesim_layer *l)
{
    return strstr(l->name, "DP") != NULL;
}

/* Positions of a window: those that begin on the image; and the padding that they need. */
static uint64_t count_positions(uint64_t image, uint64_t filter, uint64_t stride, uint64_t *pad)
{
    uint64_t n = (image - filter + stride - 1) / stride + 1;

    *pad = (n - 1) * stride + filter - image;
    return n;
}

static void end_line(const struct scalesim_layer *l, FILE *out)
{
    fputs(l->sparse ? " basis=dense\n" : "\n", out);
}

/* The product of rows x depth and depth x columns. */
static void print_product(const struct scalesim_topology *t, const struct scalesim_layer *l,
                          uint64_t images, bool tensors, FILE *out)
{
    uint64_t m = t->has[SCALESIM_M] ? l->of[SCALESIM_M] : l->of[SCALESIM_IMAGE_H] * images;
    uint64_t n = t->has[SCALESIM_M] ? l->of[SCALESIM_N] : l->of[SCALESIM_FILTERS],
             k = t->has[SCALESIM_M] ? l->of[SCALESIM_K] : l->of[SCALESIM_FILTER_W];

    if (tensors) {
        fputs("tensor ", out);
        print_layer_name(l, ".w", out);
        fprintf(out, " bf16[%" PRIu64 ",%" PRIu64 "] weight\n", k, n);
        return;
    }
    fputs("  ", out);
    print_layer_name(l, "", out);
    fprintf(out, " bf16[%" PRIu64 ",%" PRIu64 "] = matmul(%%ifmap.%" PRIu64 "x%" PRIu64 ", ", m, n,
            m, k);
    print_layer_name(l, ".w", out);
    putc(')', out);
    end_line(l, out);
}

static void print_conv(const struct scalesim_layer *l, uint64_t images, bool tensors, FILE *out)
{
    uint64_t groups = is_depthwise(l) ? l->of[SCALESIM_CHANNELS] : 1,
             outputs = l->of[SCALESIM_FILTERS] * groups, ph, pw;
    uint64_t rows = count_positions(l->of[SCALESIM_IMAGE_H], l->of[SCALESIM_FILTER_H],
                                    l->of[SCALESIM_STRIDE_H], &ph);
    uint64_t columns = count_positions(l->of[SCALESIM_IMAGE_W], l->of[SCALESIM_FILTER_W],
                                       l->of[SCALESIM_STRIDE_W], &pw);

    if (tensors) {
        fputs("tensor ", out);
        print_layer_name(l, ".w", out);
        fprintf(out, " bf16[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "] weight\n", outputs,
                l->of[SCALESIM_CHANNELS] / groups, l->of[SCALESIM_FILTER_H],
                l->of[SCALESIM_FILTER_W]);
        return;
    }
    fputs("  ", out);
    print_layer_name(l, "", out);
    fprintf(out, " bf16[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "] = conv(", images, outputs,
            rows, columns);
    fprintf(out, "%%ifmap.%" PRIu64 "x%" PRIu64 "x%" PRIu64 "x%" PRIu64 ", ", images,
            l->of[SCALESIM_CHANNELS], l->of[SCALESIM_IMAGE_H], l->of[SCALESIM_IMAGE_W]);
    print_layer_name(l, ".w", out);
    fprintf(out, ") size=%" PRIu64 "x%" PRIu64, l->of[SCALESIM_FILTER_H], l->of[SCALESIM_FILTER_W]);
    if (l->of[SCALESIM_STRIDE_H] != 1 || l->of[SCALESIM_STRIDE_W] != 1)
        fprintf(out, " stride=%" PRIu64 "x%" PRIu64, l->of[SCALESIM_STRIDE_H],
                l->of[SCALESIM_STRIDE_W]);
    if (ph || pw)
        fprintf(out, " pad=0_%" PRIu64 "x0_%" PRIu64, ph, pw);
    if (groups > 1)
        fprintf(out, " groups=%" PRIu64, groups);
    end_line(l, out);
}

/* --- images: layers of one size read the same tensor -------------------------------------- */

struct image {
    uint32_t rank;
    uint64_t dim[4];
};

static struct image image_of(const struct scalesim_topology *t, const struct scalesim_layer *l,
                             uint64_t images)
{
    if (t->has[SCALESIM_M])
        return (struct image){ 2, { l->of[SCALESIM_M], l->of[SCALESIM_K] } };
    if (is_product(t, l))
        return (struct image){ 2, { l->of[SCALESIM_IMAGE_H] * images, l->of[SCALESIM_FILTER_W] } };
    return (struct image){
        4, { images, l->of[SCALESIM_CHANNELS], l->of[SCALESIM_IMAGE_H], l->of[SCALESIM_IMAGE_W] }
    };
}

static int compare_images(const void *a, const void *b)
{
    const struct image *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    for (uint32_t i = 0; i < x->rank; i++)
        if (x->dim[i] != y->dim[i])
            return x->dim[i] < y->dim[i] ? -1 : 1;
    return 0;
}

static void print_dims(const struct image *x, char between, FILE *out)
{
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i > 0)
            putc(between, out);
        fprintf(out, "%" PRIu64, x->dim[i]);
    }
}

static void print_images(const struct scalesim_topology *t, uint64_t samples, FILE *out)
{
    struct image *image = memory_zeroed(t->n, sizeof *image);

    for (uint32_t i = 0; i < t->n; i++)
        image[i] = image_of(t, &t->layer[i], images_of(&t->layer[i], samples));
    qsort(image, t->n, sizeof *image, compare_images);
    for (uint32_t i = 0; i < t->n; i++) {
        if (i > 0 && compare_images(&image[i], &image[i - 1]) == 0)
            continue;
        fputs("tensor %ifmap.", out);
        print_dims(&image[i], 'x', out);
        fputs(" bf16[", out);
        print_dims(&image[i], ',', out);
        fputs("] input\n", out);
    }
    free(image);
}

/* --- the trace ---------------------------------------------------------------------------- */

static void print_layers(const struct scalesim_topology *t, uint64_t samples, bool tensors,
                         FILE *out)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct scalesim_layer *l = &t->layer[i];
        uint64_t images = images_of(l, samples);
        if (is_product(t, l))
            print_product(t, l, images, tensors, out);
        else
            print_conv(l, images, tensors, out);
    }
}

/* The name of the file without its folder and ending, as far as it is a word. */
static void print_workload(const char *name, FILE *out)
{
    const char *slash = strrchr(name, '/'), *stem = slash ? slash + 1 : name;
    size_t n = strcspn(stem, ".");

    fputs("cyclotron-trace 1\nworkload \"", out);
    for (size_t i = 0; i < n && i < 60; i++)
        putc(strchr("\"\\", stem[i]) || (unsigned char)stem[i] < ' ' || stem[i] & 0x80 ? '_'
                                                                                       : stem[i],
             out);
    fputs("\"\n", out);
}

bool scalesim_likes(const void *data, size_t size)
{
    return scalesim_topology_likes(data, size);
}

int scalesim_import(const char *name, const void *data, size_t size, uint64_t samples, FILE *out,
                    struct scalesim_notes *notes, struct err *err)
{
    struct scalesim_topology t;
    int rc = scalesim_topology_read(&t, name, data, size, err);

    if (rc == 0) {
        *notes = (struct scalesim_notes){ t.sparse, t.titles };
        print_workload(name, out);
        fprintf(out, "samples step=%" PRIu64 "\n", images_of(&t.layer[0], samples));
        fputs("dtype tensors=bf16 matmul=bf16 activations=keep\n"
              "provenance \"SCALE-Sim topology: forward, each layer by itself\"\n",
              out);
        print_images(&t, samples, out);
        print_layers(&t, samples, true, out);
        print_step(0, out);
        print_layers(&t, samples, false, out);
        print_close(0, out);
    }
    scalesim_topology_free(&t);
    return rc;
}
