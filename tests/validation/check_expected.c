/* Do measurements lie within the errors that are said beside their predictions?  The table of these
 * errors is what a whole validation gives: after a change of predictions `make evidence` writes it
 * and its page anew; read the difference. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/validate/expected_table.h"
#include "tests/validation/check_expected.h"

#define TABLE "model/measured/expected.csv"
#define PAGE "docs/evidence/expected.md"
#define BEGIN "<!-- errors to expect: written by make evidence -->\n"
#define END "<!-- end -->\n"

/* Steps by hand that are also there as their compiler made them, with the same batch. */
static const struct {
    const char *workload, *program, *machine;
} pairs[] = {
    { "3dgan", "gan3d", "tpu-v2-8" },  { "3dgan", "gan3d", "tpu-v2-32" },
    { "3dgan", "gan3d", "tpu-v3-8" },  { "3dgan", "gan3d", "tpu-v3-32" },
    { "3dgan", "gan3d", "tpu-v4-8" },  { "3dgan", "gan3d", "tpu-v5e-4" },
    { "3dgan", "gan3d", "tpu-v6e-4" }, { "3dgan", "gan3d", "tpu-v7-8" },
    { "mlpf", "mlpf", "tpu-v3-8" },    { "mlpf", "mlpf", "tpu-v4-8" },
    { "mlpf", "mlpf", "tpu-v5e-4" },   { "mlpf", "mlpf", "tpu-v6e-4" },
    { "mlpf", "mlpf", "tpu-v7-8" },
};
enum { N_PAIRS = sizeof pairs / sizeof *pairs };

static void replay_file(struct run_result *r, char *path, const char *machine)
{
    struct run_request q = { .trace = path, .machine = machine, .steps = 1, .brief = true };
    struct err e;

    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
    free(path);
}

static void replay_pair(struct expected_pair *p, size_t i)
{
    struct run_result hand, compiled;

    replay_file(&hand, memory_format("traces/%s.trace.zst", pairs[i].workload), pairs[i].machine);
    replay_file(&compiled,
                memory_format("traces/programs/%s.%s.hlo.zst", pairs[i].program, pairs[i].machine),
                pairs[i].machine);
    cr_assert_eq(mpz_cmp(hand.samples_per_step, compiled.samples_per_step), 0, "%s on %s",
                 pairs[i].workload, pairs[i].machine);
    p->kind = "TPU";
    p->machine = pairs[i].machine;
    p->workload = pairs[i].workload;
    mpq_init(p->ratio);
    mpq_div(p->ratio, hand.seconds_per_step, compiled.seconds_per_step);
    run_result_free(&hand);
    run_result_free(&compiled);
}

static void make_cases(struct expected_cases *all, const struct validate_result *v)
{
    struct expected_pair pair[N_PAIRS];
    struct err e;

    for (size_t i = 0; i < N_PAIRS; i++)
        replay_pair(&pair[i], i);
    cr_assert_eq(expected_cases_init(all, v, pair, N_PAIRS, &e), 0, "%s", e.msg);
    for (size_t i = 0; i < N_PAIRS; i++)
        mpq_clear(pair[i].ratio);
}

static char *read_file(const char *path)
{
    struct memory_text t;
    FILE *in = fopen(path, "r");
    int c;

    cr_assert_not_null(in, "%s", path);
    memory_text_begin(&t);
    while ((c = getc(in)) != EOF)
        putc(c, t.out);
    fclose(in);
    return memory_text_end(&t);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
}

/* Hold `now` against what stands in the file, or write it there. */
static void expect_file(const char *path, const char *before, const char *now, const char *after)
{
    char *whole = memory_format("%s%s%s", before, now, after), *old;

    if (getenv("UPDATE_EVIDENCE"))
        write_file(path, whole);
    old = read_file(path);
    cr_expect(strcmp(old, whole) == 0, "%s is out of date (make evidence); now it would be\n%s",
              path, now);
    free(old);
    free(whole);
}

static void expect_table(const struct expected_cases *all)
{
    struct expected_line *line;
    struct memory_text t;
    size_t n;

    expected_lines(&line, &n, all);
    memory_text_begin(&t);
    expected_table_write(line, n, t.out);
    char *text = memory_text_end(&t);
    expect_file(TABLE, "", text, "");
    free(text);
    free(line);
}

static void expect_page(const struct expected_cases *all)
{
    struct memory_text t;
    char *page = read_file(PAGE), *begin = strstr(page, BEGIN),
         *end = begin ? strstr(begin, END) : NULL;

    cr_assert(begin && end, PAGE " has no place for the table of errors to expect");
    memory_text_begin(&t);
    expected_markdown(all, t.out);
    char *text = memory_text_end(&t);
    char *before = memory_format("%.*s", (int)(begin + strlen(BEGIN) - page), page);
    expect_file(PAGE, before, text, end);
    free(before);
    free(text);
    free(page);
}

static void expect_kept(const struct expected_cases *all)
{
    static const struct {
        const char *kind;
        enum expected_of of;
    } groups[] = { { "TPU", EXPECTED_STEPS },
                   { "TPU", EXPECTED_KERNELS },
                   { "GPU", EXPECTED_STEPS },
                   { "GPU", EXPECTED_KERNELS } };
    struct expected_kept *kept = expected_count_kept(all), sum;

    for (size_t i = 0; i < 4; i++) {
        expected_sum_kept(&sum, all, kept, groups[i].kind, groups[i].of);
        cr_expect_geq(10 * sum.within, 8 * sum.rows, "%s %s: %zu of %zu", groups[i].kind,
                      expected_of_name[groups[i].of], sum.within, sum.rows);
        cr_expect_geq(10 * sum.unseen, 8 * sum.rows, "%s %s, unseen: %zu of %zu", groups[i].kind,
                      expected_of_name[groups[i].of], sum.unseen, sum.rows);
    }
    free(kept);
}

void check_expected(const struct validate_result *v)
{
    struct expected_cases all;

    make_cases(&all, v);
    expect_table(&all);
    expect_page(&all);
    expect_kept(&all);
    expected_cases_free(&all);
}
