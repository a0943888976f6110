/* profile_mutate.c - see profile_mutate.h. */
#include "profile_mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/source/profile_source.h"
#include "xplane_write.h"

#define ROOM 4096 /* bytes that a file may grow */

static const char *const files[] = {
    "v6e_host_offload.xplane.pb.zst", "v6e_hlo_stats.json", "v6e_hlo_stats.csv",
    "v6e_op_profile.json.gz",         "v6e_trace.json.gz",  "fsdp.tpu-v7-8.hlo.pb.zst",
};

static void add_sample(struct profile_mutate *m, const char *name, const unsigned char *bytes,
                       size_t n)
{
    m->sample = realloc(m->sample, (m->n_samples + 1) * sizeof *m->sample);
    struct profile_mutate_sample *s = &m->sample[m->n_samples++];
    *s = (struct profile_mutate_sample){ strdup(name), malloc(n), n };
    memcpy(s->bytes, bytes, n);
    m->room = n + ROOM > m->room ? n + ROOM : m->room;
}

/* Cut long samples down to `most` bytes at their middle: the readers' work on one grows with it. */
static void add_unpacked(struct profile_mutate *m, const char *path, size_t most)
{
    const unsigned char *bytes;
    struct profile_source *s;
    struct err err;
    size_t n;

    if (profile_source_open(&s, path, &err) != 0 ||
        profile_source_peek(s, most, &bytes, &n, &err) != 0) {
        fprintf(stderr, "%s\n", err.msg);
        exit(1);
    }
    add_sample(m, path, bytes, n);
    profile_source_close(s);
}

static void add_packed(struct profile_mutate *m, const char *path)
{
    unsigned char *bytes = malloc(1 << 20);
    FILE *in = fopen(path, "rb");
    size_t n = in ? fread(bytes, 1, 1 << 20, in) : 0;

    if (!in || n == 0)
        exit(1);
    fclose(in);
    add_sample(m, path, bytes, n);
    free(bytes);
}

static void write_line(struct xplane_write *plane, const char *name, const uint64_t (*event)[3],
                       size_t n)
{
    struct xplane_write line = { 0 };

    xplane_write_line(&line, name, 3);
    for (size_t i = 0; i < n; i++)
        xplane_write_event(&line, event[i][0], event[i][1], event[i][2]);
    xplane_write_inner(plane, 3, &line);
}

/* A small capture with a loop, an asynchronous copy, steps and three runs. */
static void add_small(struct profile_mutate *m)
{
    static const uint64_t modules[][3] = { { 1, 0, 900 }, { 1, 1000, 900 }, { 1, 2000, 900 } };
    static const uint64_t ops[][3] = { { 2, 100, 500 },  { 3, 110, 100 },  { 3, 300, 100 },
                                       { 2, 1100, 500 }, { 3, 1110, 100 }, { 3, 1300, 100 },
                                       { 2, 2100, 500 }, { 3, 2110, 100 }, { 3, 2300, 100 } };
    static const uint64_t copies[][3] = { { 4, 50, 700 }, { 4, 1050, 700 }, { 4, 2050, 700 } };
    struct xplane_write plane = { 0 }, space = { 0 };

    xplane_write_text(&plane, 2, "/device:TPU:0");
    write_line(&plane, "Steps", modules, 3);
    write_line(&plane, "XLA Modules", modules, 3);
    write_line(&plane, "XLA Ops", ops, 9);
    write_line(&plane, "Async XLA Ops", copies, 3);
    xplane_write_meta(&plane, 1, "jit_a(77)", NULL, NULL, 0);
    xplane_write_meta(&plane, 2, "%while.1 = (s32[]) while((s32[]) %t), body=%b", "while.1",
                      "while", 77);
    xplane_write_meta(&plane, 3, "%add.2 = f32[8]{0} add(f32[8]{0} %x)", "add.2", "other", 77);
    xplane_write_meta(&plane, 4, "%copy-start.4 = (f32[8]{0}) copy-start(f32[8]{0} %x)", "async",
                      "copy-start", 77);
    xplane_write_stats(&plane);
    xplane_write_inner(&space, 1, &plane);
    xplane_write_text(&space, 4, "host");
    add_sample(m, "small", space.bytes, space.n);
    xplane_write_free(&space);
}

void profile_mutate_begin(struct profile_mutate *m)
{
    static const char csv[] = "name,microseconds,count\nfusion.1,12.5,5\n\"a, b\",1e3,2\nc,0.1,1\n";
    char path[100];

    *m = (struct profile_mutate){ 0 };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "tests/profiles/%s", files[i]);
        add_unpacked(m, path, i == 4 ? 20000 : PROFILE_SOURCE_PIECE);
        if ((strstr(path, ".zst") || strstr(path, ".gz")) && !strstr(path, ".hlo.pb"))
            add_packed(m, path);
    }
    add_sample(m, "csv", (const unsigned char *)csv, sizeof csv - 1);
    for (int i = 0; i < 8; i++) /* small files find more in a time */
        add_small(m);
    m->bytes = malloc(m->room);
}

void profile_mutate_end(struct profile_mutate *m)
{
    for (size_t i = 0; i < m->n_samples; i++) {
        free(m->sample[i].name);
        free(m->sample[i].bytes);
    }
    free(m->sample);
    free(m->bytes);
}
