/* Files of a folder that are pairs, the machines that they run on, and what is told of those that
 * cannot be compared. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "site_folder.h"
#include "xplane_write.h"

/* Each pair has its step, its machine, and what has no partner. */
Test(profile_set_files, pairs_have_steps)
{
    struct profile_set s;

    site_folder_make();
    site_folder_copy("a.hlo", SITE_FOLDER_PROGRAM);
    site_folder_profile("a.csv", NULL);
    site_folder_copy("v6e/log/plugins/profile/2026_11_23/host.xplane.pb.zst", SITE_FOLDER_CAPTURE);
    site_folder_compare(&s, NULL, 1);
    const struct profile_set_pair *a = site_folder_pair(&s, "a"),
                                  *b = site_folder_pair(&s, "v6e/log");
    cr_assert_null(a->reason, "%s", a->reason);
    cr_expect_str_eq(a->machine, "tpu-v3-8"); /* as the program says */
    cr_expect_not(a->step_known);
    cr_expect_eq(a->n_pairs, 15);
    cr_assert_null(b->reason, "%s", b->reason);
    cr_expect_null(b->program);
    cr_expect_str_eq(b->machine, "tpu-v6e-8"); /* jit_f is compiled for 8 devices of TPU v6 Lite */
    cr_expect_str_eq(b->generation, "TPU v6e");
    cr_expect_eq(b->steps, 400);
    cr_expect(b->step_known);
    cr_expect_eq(b->n_pairs, 15);
    cr_expect(fabs(mpq_get_d(b->step.measured) - 0.784133) < 1e-6);
    profile_set_free(&s);
    /* a second host, which measured the same */
    site_folder_copy("v6e/log/plugins/profile/2026_11_23/other.xplane.pb.zst", SITE_FOLDER_CAPTURE);
    site_folder_write("v6e/log/plugins/profile/2026_11_23/other.trace.json.gz", "not looked at");
    site_folder_compare(&s, NULL, 1);
    b = site_folder_pair(&s, "v6e/log");
    cr_assert_null(b->reason, "%s", b->reason);
    cr_expect_eq(b->steps, 800);
    cr_expect_eq(b->n_pairs, 15);
    cr_expect(fabs(mpq_get_d(b->step.measured) - 0.784133) < 1e-6);
    profile_set_free(&s);
    site_folder_write("pairs.ini", "[v6e/log]\nmodule = jit_broadcast_in_dim\n");
    site_folder_compare(&s, NULL, 1);
    b = site_folder_pair(&s, "v6e/log");
    cr_assert_null(b->reason, "%s", b->reason);
    cr_expect_str_eq(b->machine, "tpu-v6e-1"); /* it is compiled for one */
    profile_set_free(&s);
    site_folder_remove();
}

/* Neither the program nor its profile says which machine it is. */
Test(profile_set_files, a_machine_that_nothing_says)
{
    struct profile_set s;

    site_folder_make();
    site_folder_write("a.hlo", "HloModule a\n\nENTRY %main (x: f32[8]) -> f32[8] {\n  %x = f32[8] "
                               "parameter(0)\n  ROOT %y = f32[8] negate(f32[8] %x)\n}\n");
    site_folder_write("a.csv", "y,1\n");
    site_folder_compare(&s, NULL, 1);
    cr_assert_not_null(s.pair[0].reason);
    cr_expect_not_null(strstr(s.pair[0].reason, "a.hlo does not say which machine it was compiled "
                                                "for: expected -m MACHINE"),
                       "%s", s.pair[0].reason);
    profile_set_free(&s);
    site_folder_remove();
}

/* An entry of the metadata of statistics, and a statistic of a plane that is a text. */
static void write_type(struct xplane_write *plane, const char *type)
{
    struct xplane_write name = { 0 }, entry = { 0 }, stat = { 0 };

    xplane_write_number(&name, 1, 99);
    xplane_write_text(&name, 2, "device_type_string");
    xplane_write_number(&entry, 1, 99);
    xplane_write_inner(&entry, 2, &name);
    xplane_write_inner(plane, 5, &entry);
    xplane_write_number(&stat, 1, 99);
    xplane_write_text(&stat, 5, type);
    xplane_write_inner(plane, 6, &stat);
}

/* A capture of a device of this type that ran a negation once. */
static void write_capture(const char *below, const char *type)
{
    struct xplane_write plane = { 0 }, line = { 0 }, space = { 0 };

    xplane_write_text(&plane, 2, "/device:TPU:0");
    xplane_write_line(&line, "XLA Modules", 0);
    xplane_write_event(&line, 1, 0, 9000000);
    xplane_write_inner(&plane, 3, &line);
    xplane_write_line(&line, "XLA Ops", 0);
    xplane_write_event(&line, 2, 0, 9000000);
    xplane_write_inner(&plane, 3, &line);
    xplane_write_meta(&plane, 1, "jit_a(7)", NULL, NULL, 0);
    xplane_write_meta(&plane, 2, "y", NULL, NULL, 7);
    xplane_write_stats(&plane);
    write_type(&plane, type);
    xplane_write_inner(&space, 1, &plane);
    FILE *out = site_folder_create(below);
    fwrite(space.bytes, 1, space.n, out);
    cr_assert_eq(fclose(out), 0);
    xplane_write_free(&space);
}

/* A program for four devices: chips of a TPU v4, cores of a v2, of which no slice has four. */
Test(profile_set_files, machines_by_the_type_of_devices)
{
    static const struct {
        const char *type, *machine, *why;
    } cases[] = {
        { "TPU v4", "tpu-v4-8", NULL },
        { "TPU v5 Lite", "tpu-v5e-4", NULL },
        { "TPU v5", "tpu-v5p-8", NULL },
        { "TPU v2", NULL,
          "is for 4 devices of type TPU v2, and no slice of tpu-v2 has so many: expected -m "
          "MACHINE" },
        { "TPU v99", NULL,
          "does not say which machine it was compiled for, and no machine has devices of type TPU "
          "v99: expected -m MACHINE" },
    };
    struct profile_set s;

    site_folder_make();
    site_folder_write("a.hlo",
                      "HloModule a, is_scheduled=true, num_partitions=4\n\nENTRY %main (x: "
                      "f32[1024]) -> f32[1024] {\n  %x = f32[1024] parameter(0)\n  ROOT %y = "
                      "f32[1024] negate(f32[1024] %x)\n}\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_capture("a.xplane.pb", cases[i].type);
        site_folder_compare(&s, NULL, 1);
        const struct profile_set_pair *a = site_folder_pair(&s, "a");
        cr_assert_eq(a->reason == NULL, cases[i].why == NULL, "%s: %s", cases[i].type, a->reason);
        if (a->reason)
            cr_expect_not_null(strstr(a->reason, cases[i].why), "%s", a->reason);
        else
            cr_expect_str_eq(a->machine, cases[i].machine);
        profile_set_free(&s);
    }
    site_folder_remove();
}

/* A link that leads to a folder on its way ends there. */
Test(profile_set_files, links_that_lead_back)
{
    char *link = NULL;
    struct profile_set s;

    site_folder_make();
    site_folder_write("deep/a.csv", "a,1\n");
    link = memory_format("%s/deep/again", site_folder);
    cr_assert_eq(symlink("..", link), 0);
    free(link);
    site_folder_compare(&s, NULL, 1);
    cr_expect_eq(s.n_pairs, 1, "%zu pairs", s.n_pairs);
    profile_set_free(&s);
    site_folder_remove();
}

/* A capture of a folder of logs has the program of its name, or the only one in the folder. */
Test(profile_set_files, programs_of_captures)
{
    struct profile_set s;
    struct err err;

    site_folder_make();
    site_folder_copy("one/plugins/profile/d/h.xplane.pb.zst", SITE_FOLDER_CAPTURE);
    site_folder_write("one/step.hlo", "HloModule one\n");
    site_folder_copy("two/plugins/profile/d/h.xplane.pb.zst", SITE_FOLDER_CAPTURE);
    site_folder_write("two.hlo", "HloModule two\n");
    site_folder_write("two/step.hlo", "HloModule other\n");
    site_folder_copy("many/plugins/profile/d/h.xplane.pb.zst", SITE_FOLDER_CAPTURE);
    site_folder_write("many/step.hlo", "HloModule one\n");
    site_folder_write("many/eval.hlo", "HloModule other\n");
    site_folder_write("README.md", "not looked at\n");
    cr_assert_eq(profile_set_run(
                     &s, &(struct profile_set_request){ .folder = site_folder, .jobs = 1 }, &err),
                 0, "%s", err.msg);
    cr_expect_eq(s.n_pairs, 6);
    cr_expect_null(site_folder_pair(&s, "many")->program);
    cr_expect_not_null(strstr(site_folder_pair(&s, "one")->program, "/one/step.hlo"));
    cr_expect_not_null(strstr(site_folder_pair(&s, "two")->program, "/two.hlo"));
    cr_expect_null(site_folder_pair(&s, "two/step")->profile);
    profile_set_free(&s);
    site_folder_remove();
}

/* --- pairs that cannot be compared ---------------------------------------------------------- */

static void expect_reason(const struct profile_set *s, const char *name, const char *part)
{
    const struct profile_set_pair *p = site_folder_pair(s, name);

    cr_assert_not_null(p->reason, "%s was compared", name);
    cr_expect_not_null(strstr(p->reason, part), "%s: %s", name, p->reason);
}

/* One good pair among bad ones. */
Test(profile_set_files, the_others_go_on)
{
    struct profile_set s;

    site_folder_make();
    site_folder_copy("good.hlo", SITE_FOLDER_PROGRAM);
    site_folder_profile("good.csv", NULL);
    site_folder_copy("broken.hlo", SITE_FOLDER_PROGRAM);
    site_folder_write("broken.csv", "name,us\na,1e30\n");
    site_folder_copy("lonely.hlo", SITE_FOLDER_PROGRAM);
    site_folder_write("alone.csv", "a,1\n");
    site_folder_copy("twice.hlo", SITE_FOLDER_PROGRAM);
    site_folder_profile("twice.csv", NULL);
    site_folder_profile("twice.hlo_stats.csv", NULL);
    site_folder_copy("other.hlo", SITE_FOLDER_PROGRAM);
    site_folder_write("other.csv", "nobody,1\n");
    site_folder_copy("far.hlo", SITE_FOLDER_PROGRAM);
    site_folder_profile("far.csv", NULL);
    site_folder_write("pairs.ini", "[far]\nmachine = tpu-v33-8\n[good]\nmachine = tpu-v3-8\n"
                                   "[other]\nmachine = tpu-v3-8\n");
    site_folder_compare(&s, NULL, 2);
    cr_expect_eq(s.n_pairs, 7);
    cr_expect_eq(s.n_failed, 6);
    cr_expect_null(site_folder_pair(&s, "good")->reason);
    expect_reason(&s, "broken", "broken.csv:2: microseconds = 1e30: no number in");
    expect_reason(&s, "lonely", "no profile of this name: expected one in .xplane.pb, ");
    expect_reason(&s, "alone", "alone.csv: holds no program: expected PROGRAM as well");
    expect_reason(&s, "twice",
                  "more than one profile of this name, twice.csv and twice.hlo_stats.csv: say "
                  "pairs.ini which one, `profile = ...` in [twice]");
    expect_reason(&s, "other", "none of its kernels is one of ");
    expect_reason(&s, "far", "tpu-v33-8");
    profile_set_free(&s);
    site_folder_remove();
}

/* pairs.ini takes files for a pair, and they are of no other then. */
Test(profile_set_files, files_that_pairs_ini_names)
{
    struct profile_set s;

    site_folder_make();
    site_folder_copy("programs/step.hlo", SITE_FOLDER_PROGRAM);
    site_folder_profile("monday.csv", NULL);
    site_folder_profile("tuesday.csv", NULL);
    site_folder_write("monday.hlo_stats.csv", "");
    site_folder_write("pairs.ini", "[monday]\nprofile = monday.csv\nprogram=programs/step.hlo\n"
                                   "[later]\nprogram = programs/step.hlo\nprofile = tuesday.csv\n");
    site_folder_compare(&s, "tpu-v3-8", 2);
    cr_expect_eq(s.n_pairs, 2);
    cr_expect_eq(s.n_failed, 0);
    profile_set_free(&s);
    site_folder_remove();
}

/* --- folders and mistakes ------------------------------------------------------------------- */

static void expect_error(const char *path, const char *only, const char *want)
{
    const struct profile_set_request q = { .folder = path, .only = only, .jobs = 1 };
    struct profile_set s;
    struct err err;

    cr_assert_eq(profile_set_run(&s, &q, &err), -1, "%s", want);
    cr_expect_not_null(strstr(err.msg, want), "%s", err.msg);
}

Test(profile_set_files, folders_without_pairs)
{
    site_folder_make();
    expect_error(site_folder, NULL, ": no program and no profile in it: expected NAME.hlo beside ");
    expect_error("/tmp/no such folder", NULL, "/tmp/no such folder: No such file or directory");
    site_folder_write("a.hlo", "");
    char *path = memory_format("%s/a.hlo", site_folder);
    expect_error(path, NULL, "a.hlo: expected a folder of programs and profiles");
    free(path);
    expect_error(site_folder, "b", "no pair has 'b' in its name; there are a");
    site_folder_remove();
}

Test(profile_set_files, mistakes_of_pairs_ini_are_named_with_their_line)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "[b]\nuse = unseen\n", "/pairs.ini:2: no pair [b] in the folder; did you mean [a]?" },
        { "[a]\nmachin = tpu-v3-8\n",
          "/pairs.ini:2: unknown key 'machin'; did you mean 'machine'?" },
        { "\n[a]\nuse = seen\n", "/pairs.ini:3: use = seen: expected fitted or unseen" },
        { "[a]\nuse = fitted\nuse = fitted\n", "/pairs.ini:3: use of [a] is given twice" },
        { "machine = tpu-v3-8\n", "/pairs.ini:1: machine stands before the first [pair]" },
        { "[a]\nmachine =\n", "/pairs.ini:2: machine = : expected a value" },
        { "[a]\nwords\n", "/pairs.ini:2: expected [pair] or key = value" },
    };

    site_folder_make();
    site_folder_write("a.hlo", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        site_folder_write("pairs.ini", cases[i].text);
        expect_error(site_folder, NULL, cases[i].want);
    }
    site_folder_remove();
}
