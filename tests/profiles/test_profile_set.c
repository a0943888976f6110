/* A folder of programs with profiles of them.  The profiles are predictions, exported with errors
 * that are known; sums are worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/profile_set_report.h"

#define PROGRAM "tests/cli/programs/layers.tpu-v3-8.hlo" /* 10 MXU, 4 vector, 1 collective */
#define CAPTURE "tests/profiles/v6e_host_offload.xplane.pb.zst"

/* --- a folder ------------------------------------------------------------------------------- */

static char folder[40];

static void make_folder(void)
{
    strcpy(folder, "/tmp/profile_set.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    char *command = memory_format("rm -r %s", folder);

    cr_assert_eq(system(command), 0);
    free(command);
}

/* A file below the folder, with the folders on its way. */
static FILE *create_file(const char *below)
{
    char *path = memory_format("%s/%s", folder, below);

    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *out = fopen(path, "wb");
    cr_assert_not_null(out, "%s", path);
    free(path);
    return out;
}

static void write_file(const char *below, const char *text)
{
    FILE *out = create_file(below);

    fputs(text, out);
    cr_assert_eq(fclose(out), 0);
}

static void copy_file(const char *below, const char *from)
{
    char bytes[65536];
    FILE *in = fopen(from, "rb"), *out = create_file(below);
    size_t n;

    cr_assert_not_null(in, "%s", from);
    while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, n, out);
    fclose(in);
    cr_assert_eq(fclose(out), 0);
}

/* The i-th kernel of its class is predicted with this error. */
typedef double give_error(enum profiled_class class, unsigned i);

/* A profile of PROGRAM: its prediction on a TPU v3-8, divided by 1 + error. */
static void write_profile(const char *below, give_error *error)
{
    const struct profiled_request q = { .run = { .trace = PROGRAM, .machine = "tpu-v3-8" } };
    unsigned n[PROFILED_N_CLASSES] = { 0 };
    FILE *out = create_file(below);
    struct profiled p;
    struct err err;

    cr_assert_eq(profiled_make(&p, &q, &err), 0, "%s", err.msg);
    for (size_t i = 0; i < p.n_kernels; i++) {
        const struct profiled_kernel *k = &p.kernel[i];
        if (mpq_sgn(k->predicted) > 0)
            fprintf(out, "%s,%.6f,%d\n", k->name,
                    1e6 * mpq_get_d(k->predicted) / (1 + error(k->class, n[k->class]++)),
                    (int)k->count);
    }
    cr_assert_eq(fclose(out), 0);
    profiled_free(&p);
}

/* 1, 2, ... 10 % of MXU, -20 % of vector, 50 % of collectives. */
static double known_error(enum profiled_class class, unsigned i)
{
    return class == PROFILED_MXU ? 0.01 * (i + 1) : class == PROFILED_VECTOR ? -0.2 : 0.5;
}

/* Measured times are a fiftieth: shorter than twice the 0.4 us of an operation of a TPU v3, but for
 * that of the collective, which is predicted as 85 us. */
static double far_error(enum profiled_class class, unsigned i)
{
    (void)class;
    (void)i;
    return 49;
}

static double no_error(enum profiled_class class, unsigned i)
{
    (void)class;
    (void)i;
    return 0;
}

static void compare_folder(struct profile_set *s, const char *machine, unsigned jobs)
{
    const struct profile_set_request q = { .folder = folder, .machine = machine, .jobs = jobs };
    struct err err;

    cr_assert_eq(profile_set_run(s, &q, &err), 0, "%s", err.msg);
}

static const struct profile_set_pair *find_pair(const struct profile_set *s, const char *name)
{
    for (size_t i = 0; i < s->n_pairs; i++)
        if (strcmp(s->pair[i].name, name) == 0)
            return &s->pair[i];
    cr_assert(false, "no pair %s", name);
    return NULL;
}

/* --- figures -------------------------------------------------------------------------------- */

struct sums {
    size_t n;
    double mean, median, p90, bias, weighted; /* NAN: not known by hand */
};

static void expect_share(const mpq_t got, double want, const char *what, int class, int regime)
{
    cr_expect(isnan(want) || fabs(mpq_get_d(got) - want) < 4e-6 * (1 + fabs(want)),
              "%s of %d, %d: %.9f", what, class, regime, mpq_get_d(got));
}

static void expect_group(const struct profile_set *s, enum profile_set_use use,
                         enum profiled_class class, int regime, struct sums want)
{
    const struct profile_set_group *found = NULL;

    for (size_t i = 0; i < s->n_groups; i++) {
        const struct profile_set_group *g = &s->group[i];
        if (g->use == use && g->class == class && g->regime == regime)
            found = g;
    }
    cr_assert_eq(found != NULL, want.n > 0, "%d, %d", class, regime);
    if (!found)
        return;
    cr_expect_str_eq(found->generation, "TPU v3");
    cr_expect_eq(found->errors.n, want.n, "%zu kernels of %d, %d", found->errors.n, class, regime);
    expect_share(found->errors.mean, want.mean, "mean", class, regime);
    expect_share(found->errors.median, want.median, "median", class, regime);
    expect_share(found->errors.p90, want.p90, "p90", class, regime);
    expect_share(found->errors.bias, want.bias, "bias", class, regime);
    expect_share(found->weighted, want.weighted, "weighted", class, regime);
}

/* All 15: sizes are 1 to 10, four times 20, 50: mean 185 / 15, the middle one 8, the second largest
 * 20; in order -20 four times, 1 to 10, 50: the middle one 4. */
Test(profile_set, errors_by_class_and_limit)
{
    struct profile_set s;

    make_folder();
    copy_file("a.hlo", PROGRAM);
    write_profile("a.csv", known_error);
    copy_file("far/b.hlo", PROGRAM);
    write_profile("far/b.csv", far_error);
    write_file("pairs.ini", "; a comment\n[far/b]\nuse = fitted\n  machine = tpu-v3-8\n");
    compare_folder(&s, "tpu-v3-8", 2);
    cr_expect_eq(s.n_pairs, 2);
    cr_expect_eq(s.n_failed, 0);
    const int all = PROFILE_SET_N_REGIMES;
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_IDLE, all,
                 (struct sums){ 15, 1.85 / 15, 0.08, 0.2, 0.04, NAN });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_MXU, all,
                 (struct sums){ 10, 0.055, 0.055, 0.09, 0.055, NAN });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_VECTOR, all,
                 (struct sums){ 4, 0.2, 0.2, 0.2, -0.2, 0.2 });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_COLLECTIVE, all,
                 (struct sums){ 1, 0.5, 0.5, 0.5, 0.5, 0.5 });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_COLLECTIVE, PROFILE_SET_OTHER,
                 (struct sums){ 1, 0.5, 0.5, 0.5, 0.5, 0.5 });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_IDLE, VALIDATE_FLOOR, (struct sums){ .n = 0 });
    expect_group(&s, PROFILE_SET_FITTED, PROFILED_IDLE, all,
                 (struct sums){ 15, 49, 49, 49, 49, 49 });
    expect_group(&s, PROFILE_SET_FITTED, PROFILED_IDLE, VALIDATE_FLOOR,
                 (struct sums){ 14, NAN, NAN, NAN, NAN, NAN });
    /* predicted fifty times its measured length, the collective is the worst */
    cr_expect_str_eq(s.rank[0].kernel->name, "all-reduce.4");
    cr_expect_str_eq(s.rank[0].pair->name, "far/b");
    profile_set_free(&s);
    remove_folder();
}

/* Each pair has its step, its machine, and what has no partner. */
Test(profile_set, pairs_have_steps)
{
    struct profile_set s;

    make_folder();
    copy_file("a.hlo", PROGRAM);
    write_profile("a.csv", no_error);
    copy_file("v6e/log/plugins/profile/2026_11_23/host.xplane.pb.zst", CAPTURE);
    compare_folder(&s, NULL, 1);
    const struct profile_set_pair *a = find_pair(&s, "a"), *b = find_pair(&s, "v6e/log");
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
    write_file("pairs.ini", "[v6e/log]\nmodule = jit_broadcast_in_dim\n");
    compare_folder(&s, NULL, 1);
    b = find_pair(&s, "v6e/log");
    cr_assert_null(b->reason, "%s", b->reason);
    cr_expect_str_eq(b->machine, "tpu-v6e-1"); /* it is compiled for one */
    profile_set_free(&s);
    remove_folder();
}

/* Neither the program nor its profile says which machine it is. */
Test(profile_set, a_machine_that_nothing_says)
{
    struct profile_set s;

    make_folder();
    write_file("a.hlo", "HloModule a\n\nENTRY %main (x: f32[8]) -> f32[8] {\n  %x = f32[8] "
                        "parameter(0)\n  ROOT %y = f32[8] negate(f32[8] %x)\n}\n");
    write_file("a.csv", "y,1\n");
    compare_folder(&s, NULL, 1);
    cr_assert_not_null(s.pair[0].reason);
    cr_expect_not_null(strstr(s.pair[0].reason, "a.hlo does not say which machine it was compiled "
                                                "for: expected -m MACHINE"),
                       "%s", s.pair[0].reason);
    profile_set_free(&s);
    remove_folder();
}

/* A capture of a folder of logs has the program of its name, or the only one in the folder. */
Test(profile_set, programs_of_captures)
{
    struct profile_set s;
    struct err err;

    make_folder();
    copy_file("one/plugins/profile/d/h.xplane.pb.zst", CAPTURE);
    write_file("one/step.hlo", "HloModule one\n");
    copy_file("two/plugins/profile/d/h.xplane.pb.zst", CAPTURE);
    write_file("two.hlo", "HloModule two\n");
    write_file("two/step.hlo", "HloModule other\n");
    write_file("README.md", "not looked at\n");
    cr_assert_eq(
        profile_set_run(&s, &(struct profile_set_request){ .folder = folder, .jobs = 1 }, &err), 0,
        "%s", err.msg);
    cr_expect_eq(s.n_pairs, 3);
    cr_expect_not_null(strstr(find_pair(&s, "one")->program, "/one/step.hlo"));
    cr_expect_not_null(strstr(find_pair(&s, "two")->program, "/two.hlo"));
    cr_expect_null(find_pair(&s, "two/step")->profile);
    profile_set_free(&s);
    remove_folder();
}

/* --- pairs that cannot be compared ---------------------------------------------------------- */

static void expect_reason(const struct profile_set *s, const char *name, const char *part)
{
    const struct profile_set_pair *p = find_pair(s, name);

    cr_assert_not_null(p->reason, "%s was compared", name);
    cr_expect_not_null(strstr(p->reason, part), "%s: %s", name, p->reason);
}

/* One good pair among bad ones. */
Test(profile_set, the_others_go_on)
{
    struct profile_set s;

    make_folder();
    copy_file("good.hlo", PROGRAM);
    write_profile("good.csv", no_error);
    copy_file("broken.hlo", PROGRAM);
    write_file("broken.csv", "name,us\na,1e30\n");
    copy_file("lonely.hlo", PROGRAM);
    write_file("alone.csv", "a,1\n");
    copy_file("twice.hlo", PROGRAM);
    write_profile("twice.csv", no_error);
    write_profile("twice.hlo_stats.csv", no_error);
    copy_file("other.hlo", PROGRAM);
    write_file("other.csv", "nobody,1\n");
    copy_file("far.hlo", PROGRAM);
    write_profile("far.csv", no_error);
    write_file("pairs.ini", "[far]\nmachine = tpu-v33-8\n[good]\nmachine = tpu-v3-8\n"
                            "[other]\nmachine = tpu-v3-8\n");
    compare_folder(&s, NULL, 2);
    cr_expect_eq(s.n_pairs, 7);
    cr_expect_eq(s.n_failed, 6);
    cr_expect_null(find_pair(&s, "good")->reason);
    expect_reason(&s, "broken", "broken.csv:2: microseconds = 1e30: no number in");
    expect_reason(&s, "lonely", "no profile of this name: expected one in .xplane.pb, ");
    expect_reason(&s, "alone", "alone.csv: holds no program: expected PROGRAM as well");
    expect_reason(&s, "twice",
                  "more than one profile of this name, twice.csv and twice.hlo_stats.csv: say "
                  "pairs.ini which one, `profile = ...` in [twice]");
    expect_reason(&s, "other", "none of its kernels is one of ");
    expect_reason(&s, "far", "tpu-v33-8");
    profile_set_free(&s);
    remove_folder();
}

/* pairs.ini takes files for a pair, and they are of no other then. */
Test(profile_set, files_that_pairs_ini_names)
{
    struct profile_set s;

    make_folder();
    copy_file("programs/step.hlo", PROGRAM);
    write_profile("monday.csv", no_error);
    write_profile("tuesday.csv", known_error);
    write_file("monday.hlo_stats.csv", "");
    write_file("pairs.ini", "[monday]\nprofile = monday.csv\nprogram=programs/step.hlo\n"
                            "[later]\nprogram = programs/step.hlo\nprofile = tuesday.csv\n");
    compare_folder(&s, "tpu-v3-8", 2);
    cr_expect_eq(s.n_pairs, 2);
    cr_expect_eq(s.n_failed, 0);
    profile_set_free(&s);
    remove_folder();
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

Test(profile_set, folders_without_pairs)
{
    make_folder();
    expect_error(folder, NULL, ": no program and no profile in it: expected NAME.hlo beside ");
    expect_error("/tmp/no such folder", NULL, "/tmp/no such folder: No such file or directory");
    write_file("a.hlo", "");
    char *path = memory_format("%s/a.hlo", folder);
    expect_error(path, NULL, "a.hlo: expected a folder of programs and profiles");
    free(path);
    expect_error(folder, "b", "no pair has 'b' in its name; there are a");
    remove_folder();
}

Test(profile_set, mistakes_of_pairs_ini_are_named_with_their_line)
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

    make_folder();
    write_file("a.hlo", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("pairs.ini", cases[i].text);
        expect_error(folder, NULL, cases[i].want);
    }
    remove_folder();
}

/* --- reports -------------------------------------------------------------------------------- */

static char *write_reports(unsigned jobs)
{
    struct memory_text t;
    struct profile_set s;

    compare_folder(&s, "tpu-v3-8", jobs);
    memory_text_begin(&t);
    report_profile_set_text(&s, 3, t.out);
    report_profile_set_json(&s, 3, t.out);
    report_profile_set_csv(&s, t.out);
    profile_set_free(&s);
    return memory_text_end(&t);
}

Test(profile_set, any_number_of_threads_writes_the_same)
{
    make_folder();
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d.hlo", i);
        copy_file(name, PROGRAM);
        snprintf(name, sizeof name, "p%d.csv", i);
        write_profile(name, i % 2 ? known_error : far_error);
    }
    write_file("p9.csv", "a,nan\n");
    char *one = write_reports(1), *many = write_reports(4);
    cr_expect_str_eq(one, many);
    free(one);
    free(many);
    remove_folder();
}
