/* Cores, devices and lines of XPlane files written by hand. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "profile/profile.h"
#include "xplane_write.h"

enum { MODULE_A = 1, FUSION, COPY };

/* Metadata that all planes here have. */
static void write_names(struct xplane_write *plane)
{
    xplane_write_meta(plane, MODULE_A, "jit_a(77)", NULL, NULL, 0);
    xplane_write_meta(plane, FUSION, "%fusion.3 = f32[8]{0} fusion(f32[8]{0} %x), kind=kLoop",
                      "fusion.3", "loop fusion", 77);
    xplane_write_meta(plane, COPY, "%copy-start.4 = (f32[8]{0}, u32[]) copy-start(f32[8]{0} %x)",
                      "async-copy", "copy-start", 77);
    xplane_write_stats(plane);
}

static void begin_plane(struct xplane_write *plane, const char *name)
{
    *plane = (struct xplane_write){ 0 };
    xplane_write_text(plane, 2, name);
}

static void end_plane(struct xplane_write *space, struct xplane_write *plane)
{
    write_names(plane);
    xplane_write_inner(space, 1, plane);
}

static void expect_kernel(const struct profile *p, const char *name, uint64_t count, uint64_t total)
{
    const struct profile_kernel *k = NULL;

    for (size_t i = 0; i < p->n_kernels; i++)
        if (strcmp(p->kernel[i].name, name) == 0)
            k = &p->kernel[i];
    cr_assert_not_null(k, "no kernel %s", name);
    cr_expect_eq(k->count, count, "%s: %" PRIu64, name, k->count);
    cr_expect_eq(k->total, total, "%s: %" PRIu64 " ps", name, k->total);
}

/* A plane that runs one program twice, at `begin` and 2000 ps later, each with a fusion of
 * `length`.
 */
static void write_core(struct xplane_write *plane, unsigned id, uint64_t begin, uint64_t length)
{
    struct xplane_write line = { 0 };

    xplane_write_number(&line, 1, 2 * id + 1);
    xplane_write_line(&line, "XLA Modules", 0);
    xplane_write_event(&line, MODULE_A, begin, 1000);
    xplane_write_event(&line, MODULE_A, begin + 2000, 1000);
    xplane_write_inner(plane, 3, &line);
    xplane_write_number(&line, 1, 2 * id + 2);
    xplane_write_line(&line, "XLA Ops", 0);
    xplane_write_event(&line, FUSION, begin + 100, length);
    xplane_write_event(&line, FUSION, begin + 2100, length);
    xplane_write_inner(plane, 3, &line);
}

static void expect_chip(struct xplane_write *file, size_t devices, uint64_t runs, uint64_t total)
{
    struct profile *p = xplane_write_read(file);

    cr_expect_eq(p->n_devices, devices, "%zu devices", p->n_devices);
    cr_expect_eq(p->program[0].runs, runs, "%" PRIu64 " runs", p->program[0].runs);
    cr_expect_eq(p->program[0].cut, 0);
    cr_expect_eq(p->program[0].median, 1000);
    expect_kernel(p, "fusion.3", runs, total);
    profile_free(p);
}

/* Two cores of a chip that are one device: as two planes, whose times are both counted, or as two
 * lines of other ids in one plane, which are the same kernels. */
Test(xplane_cores, cores_of_one_device)
{
    struct xplane_write plane, space = { 0 };

    for (unsigned core = 0; core < 2; core++) {
        begin_plane(&plane, core ? "/device:TPU:1" : "/device:TPU:0");
        write_core(&plane, 0, 0, core ? 500 : 400);
        end_plane(&space, &plane);
    }
    expect_chip(&space, 2, 4, 400 + 400 + 500 + 500);
    begin_plane(&plane, "/device:TPU:0");
    write_core(&plane, 0, 0, 400);
    write_core(&plane, 1, 0, 500);
    end_plane(&space, &plane);
    expect_chip(&space, 1, 2, 400 + 400);
}

/* A statistic of a plane: its name, and a number or a message. */
static void write_stat(struct xplane_write *plane, uint64_t id, const char *name, uint64_t number,
                       struct xplane_write *message)
{
    struct xplane_write meta = { 0 }, entry = { 0 }, stat = { 0 };

    xplane_write_number(&meta, 1, id);
    xplane_write_text(&meta, 2, name);
    xplane_write_number(&entry, 1, id);
    xplane_write_inner(&entry, 2, &meta);
    xplane_write_inner(plane, 5, &entry);
    xplane_write_number(&stat, 1, id);
    if (message)
        xplane_write_inner(&stat, 6, message);
    else
        xplane_write_number(&stat, 4, number);
    xplane_write_inner(plane, 6, &stat);
}

/* Planes of TPU v4 are cores: four of two chips are two devices.  The number of chip 0 is left out.
 */
Test(xplane_cores, planes_of_megacores)
{
    for (unsigned megacore = 0; megacore < 2; megacore++) {
        struct xplane_write plane, core = { 0 }, space = { 0 };
        for (unsigned i = 0; i < 4; i++) {
            begin_plane(&plane, "/device:TPU:0");
            write_core(&plane, 0, 0, 400);
            write_names(&plane);
            write_stat(&plane, 50, "has_megacore", megacore, NULL);
            xplane_write_number(&core, 2, i);
            if (i / 2 > 0)
                xplane_write_number(&core, 5, i / 2);
            write_stat(&plane, 51, "core_details", 0, &core);
            xplane_write_inner(&space, 1, &plane);
        }
        xplane_write_text(&space, 4, "host7");
        struct profile *p = xplane_write_read(&space);
        cr_expect_eq(p->n_devices, 4);
        cr_expect_eq(p->device[3].chip, 2, "chip %" PRIu64, p->device[3].chip);
        cr_expect_eq(profile_devices(p), megacore ? 2 : 4, "%zu devices", profile_devices(p));
        expect_kernel(p, "fusion.3", 8, 8 * 400);
        p->device[1].host[0] = 'x'; /* a chip of another slice may have the same number */
        cr_expect_eq(profile_devices(p), megacore ? 3 : 4);
        profile_free(p);
    }
}

/* Lines of one id are one time line, in as many pieces as the writer likes. */
Test(xplane_cores, a_line_in_two_pieces)
{
    struct xplane_write plane, space = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    write_core(&plane, 0, 0, 400);
    write_core(&plane, 0, 4000, 500);
    end_plane(&space, &plane);
    expect_chip(&space, 1, 4, 400 + 400 + 500 + 500);
}

/* Asynchronous kernels that overlap may be on several lines: all of them count. */
Test(xplane_cores, asynchronous_lines_of_one_core)
{
    struct xplane_write plane, line = { 0 }, space = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    write_core(&plane, 0, 0, 400);
    for (unsigned id = 8; id < 10; id++) {
        xplane_write_number(&line, 1, id);
        xplane_write_line(&line, "Async XLA Ops", 0);
        xplane_write_event(&line, COPY, 100 * id - 700, 300);
        xplane_write_inner(&plane, 3, &line);
    }
    end_plane(&space, &plane);
    struct profile *p = xplane_write_read(&space);

    expect_kernel(p, "fusion.3", 2, 800);
    expect_kernel(p, "copy-start.4", 2, 600);
    profile_free(p);
}

/* A device's plane has nothing behind its number: others are of what runs beside it. */
Test(xplane_cores, planes_that_are_no_core)
{
    static const char *const names[] = { "/device:TPU:0 SparseCore 0", "/device:TPU:0 Host Offload",
                                         "/device:CUSTOM:Megascale Trace", "#Chip TPU:0 HBM",
                                         "/host:TPU-runtime" };
    struct xplane_write plane, space = { 0 };

    begin_plane(&plane, "/device:TPU:0");
    write_core(&plane, 0, 0, 400);
    end_plane(&space, &plane);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        begin_plane(&plane, names[i]);
        write_core(&plane, 0, 0, 700);
        end_plane(&space, &plane);
    }
    expect_chip(&space, 1, 2, 400 + 400);
}
