/* profile_mutate.c - see profile_mutate.h. */
#include "profile_mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlo/hlo_proto.h"
#include "profile/profile.h"
#include "profile/profile_source.h"
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

/* splitmix64; below n, n >= 1 */
static uint64_t draw_below(struct profile_mutate *m, uint64_t n)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

/* A place, more often one near the begin, where heads of messages are. */
static size_t draw_place(struct profile_mutate *m)
{
    uint64_t n = draw_below(m, 3) == 0 && m->n > 512 ? 512 : m->n;

    return n ? (size_t)draw_below(m, n) : 0;
}

static void insert_bytes(struct profile_mutate *m, size_t at, size_t from, size_t n)
{
    if (m->n + n > m->room || from + n > m->n)
        return;
    unsigned char piece[256];
    n = n < sizeof piece ? n : sizeof piece;
    memcpy(piece, m->bytes + from, n);
    memmove(m->bytes + at + n, m->bytes + at, m->n - at);
    memcpy(m->bytes + at, piece, n);
    m->n += n;
}

static void spoil_once(struct profile_mutate *m)
{
    static const unsigned char telling[] = { 0,    1,    2,    5,    8,    0x0a, 0x12, 0x1a,
                                             0x22, 0x7f, 0x80, 0x81, 0xc0, 0xf0, 0xff, '"',
                                             ',',  '{',  '}',  '0',  '-',  '\n' };
    size_t at = draw_place(m), n;

    if (m->n == 0)
        return;
    switch (draw_below(m, 7)) {
    case 0: m->bytes[at] ^= (unsigned char)(1u << draw_below(m, 8)); break;
    case 1: m->bytes[at] = telling[draw_below(m, sizeof telling)]; break;
    case 2: m->bytes[at] = (unsigned char)draw_below(m, 256); break;
    case 3: m->n = at; break;
    case 4: /* take bytes out */
        n = (size_t)draw_below(m, 16) + 1;
        n = n < m->n - at ? n : m->n - at;
        memmove(m->bytes + at, m->bytes + at + n, m->n - at - n);
        m->n -= n;
        break;
    case 5: insert_bytes(m, at, draw_place(m), (size_t)draw_below(m, 64) + 1); break;
    default: /* a long number */
        for (n = 0; n < 1 + draw_below(m, 10) && at + n < m->n; n++)
            m->bytes[at + n] = 0xff;
    }
}

void profile_mutate_make(struct profile_mutate *m, uint64_t seed, uint64_t i)
{
    m->state = seed * 0xd1342543de82ef95u + i;
    const struct profile_mutate_sample *s = &m->sample[draw_below(m, m->n_samples)];
    memcpy(m->bytes, s->bytes, s->n);
    m->n = s->n;
    m->from = s->name;
    for (uint64_t n = 1 + draw_below(m, 4); n > 0; n--)
        spoil_once(m);
}

static bool check_message(const struct err *err)
{
    return err->code != ERR_NONE && strncmp(err->msg, "spoiled:", 8) == 0 &&
           !strchr(err->msg, '\n') && strlen(err->msg) > 12;
}

/* Do all references point into the profile, and do sums agree? */
static bool check_profile(const struct profile *p)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct profile_kernel *k = &p->kernel[i];
        if (k->program >= p->n_programs || !k->name || !k->text || !k->category || k->count == 0 ||
            k->least > k->most)
            return false;
    }
    for (size_t i = 0; i < p->n_events; i++)
        if (p->event[i].kernel >= p->n_kernels ||
            p->event[i].length > p->kernel[p->event[i].kernel].most)
            return false;
    for (size_t i = 0; i < p->n_programs; i++)
        if (!p->program[i].name || p->program[i].busy > p->program[i].total)
            return false;
    return true;
}

/* Programs inside are written as text or refused. */
static bool check_programs(const struct profile *p)
{
    for (size_t i = 0; i < p->n_programs; i++) {
        struct err err = { .code = ERR_NONE };
        char *text;
        size_t n;
        if (!p->program[i].hlo)
            continue;
        int rc =
            hlo_proto_text(&text, &n, "spoiled", p->program[i].hlo, p->program[i].hlo_size, &err);
        if (rc == 0 ? strlen(text) > n : text || err.code == ERR_NONE)
            return false;
        free(text);
    }
    return true;
}

/* A serialised program alone, or what is left of it. */
static bool try_program(const void *bytes, size_t n, struct profile_mutate_counts *counts)
{
    struct err err = { .code = ERR_NONE };
    char *text;
    size_t size;

    if (hlo_proto_text(&text, &size, "spoiled", bytes, n, &err) != 0) {
        counts->refused++;
        return !text && strncmp(err.msg, "spoiled:", 8) == 0;
    }
    counts->read++;
    free(text);
    return true;
}

bool profile_mutate_try(struct profile_mutate *m, uint64_t seed, uint64_t i,
                        struct profile_mutate_counts *counts)
{
    struct err err = { .code = ERR_NONE };
    struct profile *p;
    bool good;

    profile_mutate_make(m, seed, i);
    unsigned char *exact = malloc(m->n ? m->n : 1); /* so that a sanitizer sees its end */
    memcpy(exact, m->bytes, m->n);
    if (strstr(m->from, ".hlo.pb")) {
        p = NULL;
        good = try_program(exact, m->n, counts);
    } else if (profile_read_memory(&p, "spoiled", exact, m->n, &err) == 0) {
        counts->read++;
        good = check_profile(p) && check_programs(p);
    } else {
        counts->refused++;
        good = !p && check_message(&err);
    }
    if (!good)
        fprintf(stderr, "mutation %llu of seed %llu: %s\n", (unsigned long long)i,
                (unsigned long long)seed, err.msg);
    profile_free(p);
    free(exact);
    return good;
}
