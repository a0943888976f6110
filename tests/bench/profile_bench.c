/* profile_bench.c - read an XPlane file of many MB: how long it takes and what memory it needs.
 *
 *     profile_bench MB PATH         write the file
 *     profile_bench read MB PATH    read it
 *
 * The file has 8 devices with 60 runs each of a program of 5,000 instructions, as often as it takes
 * to reach MB million bytes; texts of instructions have 500 bytes.  Fails above 10 s of CPU or 300
 * MB for 500 MB, and in proportion above 500. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "profile/profile.h"
#include "tests/profiles/xplane_write.h"

#define DEVICES 8u
#define KERNELS 5000u
#define KERNEL_PS 1000000u
#define MEMORY_MB 300.0
#define SECONDS 10.0

static void write_names(struct xplane_write *plane)
{
    char text[700], name[40], rest[440];

    memset(rest, 'x', sizeof rest - 1);
    rest[sizeof rest - 1] = '\0';
    xplane_write_meta(plane, 1, "jit_step(77)", NULL, NULL, 0);
    for (unsigned i = 0; i < KERNELS; i++) {
        snprintf(name, sizeof name, "fusion.%u", i);
        snprintf(text, sizeof text, "%%fusion.%u = f32[8,128]{1,0} fusion(f32[8] %%%s)", i, rest);
        xplane_write_meta(plane, i + 2, text, name, "loop fusion", 77);
    }
    xplane_write_stats(plane);
}

static void write_plane(FILE *out, unsigned device, size_t bytes)
{
    struct xplane_write plane = { 0 }, modules = { 0 }, ops = { 0 }, space = { 0 };
    char name[40];
    uint64_t at = 0;

    snprintf(name, sizeof name, "/device:TPU:%u", device);
    xplane_write_text(&plane, 2, name);
    xplane_write_line(&modules, "XLA Modules", 0);
    xplane_write_line(&ops, "XLA Ops", 0);
    while (ops.n < bytes) {
        xplane_write_event(&modules, 1, at, (uint64_t)KERNELS * KERNEL_PS);
        for (unsigned i = 0; i < KERNELS; i++, at += KERNEL_PS)
            xplane_write_clocked(&ops, i + 2, at, KERNEL_PS - 5, at + 3, KERNEL_PS - 5);
    }
    xplane_write_inner(&plane, 3, &modules);
    xplane_write_inner(&plane, 3, &ops);
    write_names(&plane);
    xplane_write_inner(&space, 1, &plane);
    if (fwrite(space.bytes, 1, space.n, out) != space.n)
        exit(1);
    xplane_write_free(&space);
}

/* CPU time of this process, so that what else runs on the machine does not count. */
static double count_seconds(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1e-6;
}

static int read_file(const char *path, double mb)
{
    struct rusage used;
    struct profile *p;
    struct err err;

    if (profile_read(&p, path, &err) != 0) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    getrusage(RUSAGE_SELF, &used);
    double seconds = count_seconds(&used), share = mb > 500 ? mb / 500 : 1;
    double memory = (double)used.ru_maxrss * 1024 / 1e6;
    uint64_t events = 0;
    for (size_t i = 0; i < p->n_kernels; i++)
        events += p->kernel[i].count;
    printf("profile_bench: %.0f MB, %" PRIu64 " events in %.2f s of CPU and %.0f MB of memory\n",
           mb, events, seconds, memory);
    bool all = p->n_kernels == KERNELS && p->n_devices == DEVICES && p->program[0].cut == 0;
    profile_free(p);
    return all && seconds < SECONDS * share && memory < MEMORY_MB * share ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3) { /* a process of its own reads, so that only its memory counts */
        double mb = atof(argv[1]);
        FILE *out = fopen(argv[2], "wb");
        if (!out)
            return 1;
        for (unsigned i = 0; i < DEVICES; i++)
            write_plane(out, i, (size_t)(mb * 1e6 / DEVICES));
        return fclose(out) == 0 ? 0 : 1;
    }
    if (argc == 4 && strcmp(argv[1], "read") == 0)
        return read_file(argv[3], atof(argv[2]));
    fprintf(stderr, "usage: profile_bench MB PATH | profile_bench read MB PATH\n");
    return 2;
}
