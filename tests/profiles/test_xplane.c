/* XPlane files written by hand: what is in them, and what comes out. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "profile/profile.h"
#include "xplane_write.h"

enum { MODULE_A = 1, MODULE_B, LOOP, BODY, FUSION, COPY, LATE, UNNAMED };

/* Metadata that all planes here have. */
static void write_names(struct xplane_write *plane)
{
    xplane_write_meta(plane, MODULE_A, "jit_a(77)", NULL, NULL, 0);
    xplane_write_meta(plane, MODULE_B, "jit_b(88)", NULL, NULL, 0);
    xplane_write_meta(plane, LOOP,
                      "%while.1 = (s32[], f32[8]{0}) while((s32[], f32[8]{0}) %t), body=%b",
                      "while.1", "while", 77);
    xplane_write_meta(plane, BODY, "%add.2 = f32[8]{0} add(f32[8]{0} %x, f32[8]{0} %y)", "add.2",
                      "non-fusion elementwise", 77);
    xplane_write_meta(plane, FUSION, "%fusion.3 = f32[8]{0} fusion(f32[8]{0} %x), kind=kLoop",
                      "fusion.3", "loop fusion", 77);
    xplane_write_meta(plane, COPY, "%copy-start.4 = (f32[8]{0}, u32[]) copy-start(f32[8]{0} %x)",
                      "async-copy", "copy-start", 77);
    xplane_write_meta(plane, LATE, "%mul.5 = f32[8]{0} multiply(f32[8]{0} %x)", "mul.5", "other",
                      88);
    xplane_write_meta(plane, UNNAMED, "while.9", NULL, NULL, 0);
    xplane_write_stats(plane);
}

static void begin_plane(struct xplane_write *plane, const char *name)
{
    *plane = (struct xplane_write){ 0 };
    xplane_write_text(plane, 2, name);
}

/* The file of one plane. */
static struct xplane_write end_file(struct xplane_write *plane)
{
    struct xplane_write space = { 0 };

    write_names(plane);
    xplane_write_inner(&space, 1, plane);
    xplane_write_text(&space, 4, "host7");
    return space;
}

static const struct profile_kernel *find_kernel(const struct profile *p, const char *name)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        if (strcmp(p->kernel[i].name, name) == 0)
            return &p->kernel[i];
    return NULL;
}

static void expect_kernel(const struct profile *p, const char *name, uint64_t count, uint64_t total)
{
    const struct profile_kernel *k = find_kernel(p, name);

    cr_assert_not_null(k, "no kernel %s", name);
    cr_expect_eq(k->count, count, "%s: %" PRIu64, name, k->count);
    cr_expect_eq(k->total, total, "%s: %" PRIu64 " ps", name, k->total);
}

/* A loop of two trips and a fusion: the loop's time is that of what runs in it. */
Test(xplane, containers_are_no_busy_time)
{
    struct xplane_write plane, line = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    xplane_write_line(&line, "XLA Modules", 5);
    xplane_write_event(&line, MODULE_A, 1000, 1000);
    xplane_write_inner(&plane, 3, &line);
    xplane_write_line(&line, "XLA Ops", 4); /* counts from 1 ns before */
    xplane_write_event(&line, LOOP, 2100, 500);
    xplane_write_event(&line, BODY, 2110, 200);
    xplane_write_event(&line, BODY, 2350, 210);
    xplane_write_event(&line, FUSION, 2600, 300);
    xplane_write_inner(&plane, 3, &line);
    struct xplane_write file = end_file(&plane);
    struct profile *p = xplane_write_read(&file);

    cr_assert_eq(p->n_programs, 1);
    cr_expect_str_eq(p->program[0].name, "jit_a");
    cr_expect_eq(p->program[0].id, 77);
    cr_expect_eq(p->program[0].busy, 200 + 210 + 300);
    cr_expect_eq(p->program[0].waits, 110);
    expect_kernel(p, "while.1", 1, 500);
    expect_kernel(p, "add.2", 2, 410);
    expect_kernel(p, "fusion.3", 1, 300);
    cr_expect(find_kernel(p, "while.1")->container);
    cr_expect_not(find_kernel(p, "add.2")->container);
    cr_expect_str_eq(p->device[0].host, "host7");
    /* events: since the run began */
    static const uint64_t begins[] = { 100, 110, 350, 600 };
    cr_assert_eq(p->n_events, 4);
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(p->event[i].begin, begins[i], "event %zu at %" PRIu64, i, p->event[i].begin);
    profile_free(p);
}

/* An event without text or category holds others if their times say so. */
Test(xplane, containers_without_a_text)
{
    struct xplane_write plane, line = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    xplane_write_line(&line, "XLA Modules", 0);
    xplane_write_event(&line, MODULE_A, 0, 1000);
    xplane_write_inner(&plane, 3, &line);
    xplane_write_line(&line, "XLA Ops", 0);
    xplane_write_event(&line, UNNAMED, 100, 500);
    xplane_write_event(&line, BODY, 110, 200);
    xplane_write_event(&line, BODY, 400, 100);
    xplane_write_inner(&plane, 3, &line);
    struct xplane_write file = end_file(&plane);
    struct profile *p = xplane_write_read(&file);

    cr_expect(find_kernel(p, "while.9")->container);
    cr_expect_eq(p->program[0].busy, 300);
    profile_free(p);
}

/* Kernels that overlap are busy once; an asynchronous one is no part of it. */
Test(xplane, time_is_covered_once)
{
    struct xplane_write plane, line = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    xplane_write_line(&line, "XLA Modules", 0);
    xplane_write_event(&line, MODULE_A, 0, 1000);
    xplane_write_inner(&plane, 3, &line);
    xplane_write_line(&line, "XLA Ops", 0);
    xplane_write_event(&line, FUSION, 100, 500);
    xplane_write_event(&line, BODY, 200, 10);
    xplane_write_event(&line, BODY, 550, 100);
    xplane_write_inner(&plane, 3, &line);
    xplane_write_line(&line, "Async XLA Ops", 0);
    xplane_write_event(&line, COPY, 50, 900);
    xplane_write_inner(&plane, 3, &line);
    struct xplane_write file = end_file(&plane);
    struct profile *p = xplane_write_read(&file);

    cr_expect_eq(p->program[0].busy, 550);
    expect_kernel(p, "fusion.3", 1, 500);
    expect_kernel(p, "copy-start.4", 1, 900);
    cr_expect(find_kernel(p, "copy-start.4")->asynchronous);
    profile_free(p);
}

/* The shared time line is bent by 700 ps in the middle of the run; the device's clock is not. */
Test(xplane, the_clock_of_the_device_counts)
{
    struct xplane_write plane, line = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    xplane_write_line(&line, "XLA Modules", 0);
    xplane_write_event(&line, MODULE_A, 1000, 2700);
    xplane_write_inner(&plane, 3, &line);
    xplane_write_line(&line, "XLA Ops", 0);
    xplane_write_clocked(&line, FUSION, 1100, 1200, 50100, 500);
    xplane_write_clocked(&line, BODY, 2300, 1300, 50600, 1300);
    xplane_write_inner(&plane, 3, &line);
    struct xplane_write file = end_file(&plane);
    struct profile *p = xplane_write_read(&file);

    expect_kernel(p, "fusion.3", 1, 500);
    expect_kernel(p, "add.2", 1, 1300);
    cr_expect_eq(p->program[0].total, 2000);
    cr_expect_eq(p->program[0].busy, 1800);
    cr_expect_eq(p->event[0].begin, 100);
    cr_expect_eq(p->event[1].begin, 600);
    profile_free(p);
}

/* Runs of a, b, a, a, a; the first has lost a kernel, the last one too; one has no event at all. */
static struct xplane_write write_cut_capture(void)
{
    static const uint64_t begin[] = { 0, 1000, 2000, 3010, 4000 };
    struct xplane_write plane, line = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    xplane_write_line(&line, "XLA Modules", 0);
    for (int i = 0; i < 5; i++)
        xplane_write_event(&line, i == 1 ? MODULE_B : MODULE_A, begin[i], i == 3 ? 950 : 900);
    xplane_write_inner(&plane, 3, &line);
    xplane_write_line(&line, "XLA Ops", 0);
    xplane_write_event(&line, FUSION, 10, 111);
    xplane_write_event(&line, LATE, 1100, 100);
    for (int i = 2; i < 5; i++) {
        xplane_write_event(&line, FUSION, begin[i] + 100, 100);
        if (i < 4)
            xplane_write_event(&line, BODY, begin[i] + 300, 200);
    }
    xplane_write_event(&line, FUSION, 6000, 100);
    xplane_write_event(&line, BODY, 6300, 200);
    xplane_write_inner(&plane, 3, &line);
    return end_file(&plane);
}

Test(xplane, runs_that_the_capture_cuts_are_left_out)
{
    struct xplane_write file = write_cut_capture();
    struct profile *p = xplane_write_read(&file);

    cr_assert_eq(p->n_programs, 2);
    cr_expect_eq(p->program[0].runs, 2);
    cr_expect_eq(p->program[0].cut, 3, "%" PRIu64 " cut", p->program[0].cut);
    cr_expect_eq(p->program[0].total, 900 + 950);
    cr_expect_eq(p->program[0].median, 925);
    cr_expect_eq(p->program[0].period, 1010);
    cr_expect_eq(p->program[0].busy, 600);
    cr_expect_eq(p->program[1].runs, 1);
    expect_kernel(p, "fusion.3", 2, 200);
    expect_kernel(p, "add.2", 2, 400);
    expect_kernel(p, "mul.5", 1, 100);
    cr_expect_eq(find_kernel(p, "fusion.3")->most, 100, "of the cut run");
    /* between runs: 100 + 100 + 110 + 40 ps */
    cr_expect_eq(p->device[0].idle, 350, "idle %" PRIu64, p->device[0].idle);
    profile_free(p);
}

Test(xplane, steps_are_those_of_the_first_device)
{
    struct xplane_write plane, line = { 0 }, space = { 0 };

    for (int device = 0; device < 2; device++) {
        begin_plane(&plane, device ? "/device:TPU:1" : "/device:TPU:0");
        xplane_write_line(&line, "Steps", 0);
        for (uint64_t i = 0; i < 3; i++)
            xplane_write_event(&line, FUSION, 1000 * i, 700 + 100 * i);
        xplane_write_inner(&plane, 3, &line);
        xplane_write_line(&line, "XLA Modules", 0);
        xplane_write_event(&line, MODULE_A, 0, 900);
        xplane_write_inner(&plane, 3, &line);
        write_names(&plane);
        xplane_write_inner(&space, 1, &plane);
    }
    begin_plane(&plane, "/device:TPU:0 SparseCore 0");
    xplane_write_line(&line, "XLA Ops", 0);
    xplane_write_event(&line, FUSION, 0, 5);
    xplane_write_inner(&plane, 3, &line);
    write_names(&plane);
    xplane_write_inner(&space, 1, &plane);
    struct profile *p = xplane_write_read(&space);

    cr_expect_eq(p->steps.n, 3);
    cr_expect_eq(p->steps.median, 800);
    cr_expect_eq(p->n_devices, 2, "%zu devices: a SparseCore is none", p->n_devices);
    cr_expect_eq(p->n_kernels, 0);
    cr_expect_eq(p->program[0].runs, 2);
    profile_free(p);
}

/* Old captures have no line of programs: kernels count, programs have ids. */
Test(xplane, kernels_without_runs)
{
    struct xplane_write plane, line = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    xplane_write_line(&line, "XLA Ops", 0);
    xplane_write_event(&line, FUSION, 100, 30);
    xplane_write_event(&line, LATE, 200, 40);
    xplane_write_event(&line, FUSION, 300, 50);
    xplane_write_inner(&plane, 3, &line);
    struct xplane_write file = end_file(&plane);
    struct profile *p = xplane_write_read(&file);

    cr_assert_eq(p->n_programs, 2);
    cr_expect_eq(p->program[0].id, 77);
    cr_expect_eq(p->program[0].total, 0);
    expect_kernel(p, "fusion.3", 2, 80);
    expect_kernel(p, "mul.5", 1, 40);
    cr_expect_eq(p->n_events, 0);
    profile_free(p);
}

static void save_bytes(const char *folder, const char *name, const struct xplane_write *file,
                       bool pack)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (pack) {
        gzFile out = gzopen(path, "wb");
        cr_assert_gt(gzwrite(out, file->bytes, (unsigned)file->n), 0);
        gzclose(out);
        return;
    }
    FILE *out = fopen(path, "wb");
    cr_assert_eq(fwrite(file->bytes, 1, file->n, out), file->n);
    fclose(out);
}

/* Profilers put captures into plugins/profile: one is taken, of several one has to be named. */
Test(xplane, captures_of_a_log_folder)
{
    static const char *const folders[] = { "plugins", "plugins/profile", "plugins/profile/a",
                                           "plugins/profile/b" };
    char folder[] = "/tmp/xplane.XXXXXX", path[200];
    struct xplane_write file = write_cut_capture();
    struct profile *p;
    struct err err;

    cr_assert_not_null(mkdtemp(folder));
    for (size_t i = 0; i < 4; i++) {
        if (i == 3) {
            save_bytes(folder, "plugins/profile/a/x.xplane.pb", &file, false);
            cr_assert_eq(profile_read(&p, folder, &err), 0, "%s", err.msg);
            cr_expect_eq(p->n_devices, 1);
            profile_free(p);
        }
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        cr_assert_eq(mkdir(path, 0700), 0);
    }
    cr_assert_eq(profile_read(&p, folder, &err), -1);
    cr_expect_not_null(strstr(err.msg, ": 2 captures in it; name one, as "), "%s", err.msg);
    snprintf(path, sizeof path, "%s/plugins/profile/a/x.xplane.pb", folder);
    unlink(path);
    for (size_t i = 4; i-- > 0;) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        rmdir(path);
    }
    rmdir(folder);
    xplane_write_free(&file);
}

/* Programs may overlap: no time is idle twice, and none less than not. */
Test(xplane, runs_that_overlap)
{
    struct xplane_write plane, line = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    xplane_write_line(&line, "XLA Modules", 0);
    xplane_write_event(&line, MODULE_A, 0, 1000);
    xplane_write_event(&line, MODULE_B, 400, 100);
    xplane_write_event(&line, MODULE_A, 1200, 100);
    xplane_write_inner(&plane, 3, &line);
    struct xplane_write file = end_file(&plane);
    struct profile *p = xplane_write_read(&file);

    cr_expect_eq(p->device[0].idle, 200, "idle %" PRIu64, p->device[0].idle);
    cr_expect_eq(p->program[0].runs, 2);
    profile_free(p);
}

static void remove_files(const char *folder)
{
    static const char *const names[] = { "a.xplane.pb", "b.xplane.pb.gz", "notes.txt" };
    char path[200];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* Two hosts write two files; other files of the folder are not looked at. */
Test(xplane, a_folder_is_one_capture)
{
    char folder[] = "/tmp/xplane.XXXXXX";
    struct xplane_write file = write_cut_capture();
    struct profile *p;
    struct err err;

    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(profile_read(&p, folder, &err), -1);
    cr_expect_not_null(strstr(err.msg, "no file *.xplane.pb in this folder"), "%s", err.msg);
    save_bytes(folder, "a.xplane.pb", &file, false);
    save_bytes(folder, "b.xplane.pb.gz", &file, true);
    save_bytes(folder, "notes.txt", &file, false);
    cr_assert_eq(profile_read(&p, folder, &err), 0, "%s", err.msg);
    cr_expect_eq(p->n_devices, 2);
    cr_expect_eq(p->program[0].runs, 4);
    cr_expect_eq(p->program[0].cut, 6);
    expect_kernel(p, "add.2", 4, 800);
    profile_free(p);
    remove_files(folder);
    xplane_write_free(&file);
}

/* A message of one byte that begins a field of two: the byte behind it is not of that field. */
Test(xplane, a_field_ends_within_its_message)
{
    static const char bytes[] = "\x0a\x01\x8a\x22\x01x";
    char path[] = "/tmp/field-XXXXXX.xplane.pb", expected[100];
    FILE *out = fdopen(mkstemps(path, 10), "w");
    struct profile *p;
    struct err err;

    cr_assert_not_null(out);
    cr_assert_eq(fwrite(bytes, 1, 6, out), 6);
    cr_assert_eq(fclose(out), 0);
    cr_expect_eq(profile_read(&p, path, &err), -1);
    snprintf(expected, sizeof expected,
             "%s: byte 2: no field of a protocol buffer begins with 0x8a here", path);
    cr_expect_str_eq(err.msg, expected);
    remove(path);
}
