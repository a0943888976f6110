/* Claims of sources: how they are read, run, judged and printed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "report/validate_report.h"
#include "study/validate/validate_runs.h"

/* A step of one copy of `rows` rows of 512 B, or of a matrix product. */
static int generate_trace(const char *name, const char *const *set, size_t n_set, FILE *out,
                          struct err *err)
{
    int rows = n_set ? atoi(strchr(set[0], '=') + 1) : 1024;

    (void)err;
    fprintf(out, "cyclotron-trace 1\nworkload \"%s\"\ntensor %%a bf16[%d,256] input\n", name, rows);
    if (strcmp(name, "product") == 0)
        fputs("tensor %w bf16[256,8192] weight\n", out);
    fprintf(out, "step {\n  phase p\n  %%b bf16[%d,%d] = %s\n}\n", rows,
            strcmp(name, "product") == 0 ? 8192 : 256,
            strcmp(name, "product") == 0 ? "matmul(%a, %w)" : "copy(%a)");
    return 0;
}

static int run_case(const char *rows, struct validate_result *v, struct err *err)
{
    char text[2048];
    snprintf(text, sizeof text, "class,machine,workload,parameters,figure,relation,...\n%s", rows);
    const struct published_file file = { "words.csv", "words", "", text, strlen(text) };
    struct validate_request q = { .generate = generate_trace, .jobs = 1 };
    struct validate_plan p = { .v = v };

    *v = (struct validate_result){ 0 };
    int rc = validate_read_claims(&p, &file, err);
    struct validate_runs *runs = validate_runs_new(&p, &q);
    for (size_t i = 0; i < p.n_jobs && rc == 0; i++)
        validate_run_job(&p, &p.job[i], &q, runs);
    validate_runs_free(runs);
    validate_plan_free(&p);
    if (rc == 0)
        validate_sum(v);
    return rc;
}

static struct validate_result judge_rows(const char *rows)
{
    struct validate_result v;
    struct err e;

    cr_assert_eq(run_case(rows, &v, &e), 0, "%s", e.msg);
    return v;
}

/* 100 times the bytes: nearly 100 times as long, and all of it in HBM.  The product streams 65536
 * rows through 2 x 64 tiles: 11.98 ms at 700 MHz. */
Test(claims, numbers_are_held_against_a_range_and_words_against_a_word)
{
    struct validate_result v =
        judge_rows("c,tpu-v2-1,copy,rows=6553600,step,90..100,tpu-v2-1 copy rows=65536,said,me\n"
                   "c,tpu-v2-1,copy,rows=6553600,step,..90,tpu-v2-1 copy rows=65536,said,me\n"
                   "c,tpu-v2-1,copy,rows=6553600,step,100..,tpu-v2-1 copy rows=65536,said,me\n"
                   "c,tpu-v2-1,copy,rows=6553600,grows most,hbm,tpu-v2-1 copy rows=65536,said,me\n"
                   "c,tpu-v2-1,copy,rows=6553600,grows most,mxu,tpu-v2-1 copy rows=65536,said,me\n"
                   "c,tpu-v2-1,copy,rows=65536,bound by,hbm,,said,me\n"
                   "c,tpu-v2-1,product,rows=65536,bound by,mxu,,said,me\n"
                   "c,tpu-v2-1,product,rows=65536,step,0.0119..0.0125,,\"as long, as that\",me\n"
                   "c,tpu-v2-1,product,rows=65536,step,?,,how long?,me\n");
    static const bool holds[] = { true, false, false, true, false, true, true, true };

    cr_assert_eq(v.n_rows, 9);
    for (size_t i = 0; i < 8; i++) {
        cr_expect_eq(v.row[i].status, VALIDATE_CLAIM, "%zu: %s", i, v.row[i].note);
        cr_expect_eq(v.row[i].holds, holds[i], "%zu: %s", i, v.row[i].answer);
    }
    cr_expect_eq(v.row[8].status, VALIDATE_ASKED);
    cr_expect_str_eq(v.row[7].answer, v.row[8].answer);
    cr_expect_str_eq(v.row[3].answer, "hbm, beside tpu-v2-1 copy rows=65536");
    cr_assert_eq(v.n_classes, 1);
    cr_expect_eq(v.class[0].n, 9);
    cr_expect_eq(v.class[0].claims, 8);
    cr_expect_eq(v.class[0].held, 5);
    cr_expect_eq(v.class[0].asked, 1);
    validate_result_free(&v);
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && strcmp(text + n - m, end) == 0;
}

Test(claims, every_number_shows_its_unit)
{
    struct validate_result v = judge_rows(
        "c,tpu-v2-1,product,rows=65536,step,?,,how long?,me\n"
        "c,tpu-v2-1,copy,rows=6553600,step,?,tpu-v2-1 copy rows=65536,how much longer?,me\n"
        "c,tpu-v2-1,product,rows=65536,utilization.mxu,?,,how busy?,me\n"
        "c,tpu-v2-1,product,rows=65536,samples per second,?,,how fast?,me\n"
        "c,tpu-v2-1,product,rows=65536,traffic,?,,how much?,me\n");

    cr_expect(ends_in(v.row[0].answer, " s"), "%s", v.row[0].answer);
    cr_expect_str_eq(v.row[0].unit, "s");
    cr_expect(strstr(v.row[1].answer, " s and ") && ends_in(v.row[1].answer, " s"), "%s",
              v.row[1].answer);
    cr_expect_str_eq(v.row[1].unit, "ratio");
    cr_expect(ends_in(v.row[2].answer, " %"), "%s", v.row[2].answer);
    cr_expect_str_eq(v.row[2].unit, "ratio");
    cr_expect_float_eq(plain_read(v.row[2].answer, NULL), 100 * mpq_get_d(v.row[2].predicted),
                       0.01);
    cr_expect_gt(mpq_get_d(v.row[2].predicted), 0.5); /* the matrix unit is what it waits for */
    cr_expect(ends_in(v.row[3].answer, " 1/s"), "%s", v.row[3].answer);
    cr_expect_str_eq(v.row[4].answer, "0 GB");
    validate_result_free(&v);
}

Test(claims, what_grows_most_need_not_be_the_largest)
{
    struct validate_result v = judge_rows(
        "c,tpu-v2-1,product,rows=65536 core.op_overhead=0.1ms,grows most,launch,tpu-v2-1 product "
        "rows=65536,said,me\n"
        "c,tpu-v2-1,product,rows=65536 core.op_overhead=0.1ms,bound by,mxu,tpu-v2-1 product "
        "rows=65536,said,me\n");

    cr_expect(v.row[0].holds, "%s", v.row[0].answer);
    cr_expect(v.row[1].holds, "%s", v.row[1].answer);
    validate_result_free(&v);
}

/* bf16[16777216,256] is 8 GiB, twice that with the copy; words with a point change the machine. */
Test(claims, memory_is_measured_without_a_run)
{
    struct validate_result v =
        judge_rows("c,tpu-v2-1,copy,rows=16777216,memory,fits,,said,me\n"
                   "c,tpu-v2-1,copy,rows=16777216 hbm.capacity=64GiB,memory,fits,,said,me\n"
                   "c,tpu-v2-1,copy,rows=1048576,memory,?,,what does it take?,me\n");

    cr_expect_not(v.row[0].holds);
    cr_expect(v.row[1].holds);
    cr_expect_str_eq(v.row[0].answer,
                     "16.00 GiB of 7.482 GiB, does not fit: inputs 8.00 GiB, activations 8.00 GiB");
    cr_expect_str_eq(v.row[1].answer,
                     "16.00 GiB of 31.48 GiB, fits: inputs 8.00 GiB, activations 8.00 GiB");
    cr_expect_str_eq(v.row[2].answer,
                     "1.00 GiB of 7.482 GiB, fits: inputs 512.00 MiB, activations 512.00 MiB");
    validate_result_free(&v);
}

Test(claims, what_cannot_be_said_is_named)
{
    struct validate_result v = judge_rows("c,tpu-v2-1,copy,,height,1..,,said,me\n"
                                          "c,tpu-v2-1,copy,,grows most,hbm,,said,me\n"
                                          "c,tpu-v99,copy,,step,1..,,said,me\n"
                                          "c,tpu-v2-1,copy,shard.rows=2,step,1..,,said,me\n");

    for (size_t i = 0; i < v.n_rows; i++) {
        cr_expect_eq(v.row[i].status, VALIDATE_FAILED, "%zu", i);
        cr_expect_str_not_empty(v.row[i].note);
    }
    cr_expect_eq(strncmp(v.row[3].note, "unknown axis 'rows'", 19), 0, "%s", v.row[3].note);
    validate_result_free(&v);
}

Test(claims, a_row_without_a_relation_is_an_error)
{
    struct validate_result v;
    struct err e;

    cr_assert_eq(run_case("c,tpu-v2-1,copy,,step,,,said,me\n", &v, &e), -1);
    cr_expect_str_eq(e.msg, "words.csv:2: not a row of this table");
    validate_result_free(&v);
}

Test(claims, words_are_printed_with_what_is_predicted)
{
    struct validate_result v = judge_rows("c,tpu-v2-1,copy,rows=65536,bound by,hbm,,it is slow,me\n"
                                          "c,tpu-v2-1,copy,rows=65536,bound by,ici,,it is far,me\n"
                                          "c,tpu-v2-1,copy,rows=65536,bound by,?,,why?,me\n"
                                          "c,tpu-v2-1,copy,rows=1024,bound by,?,,why?,me\n");
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    report_validate_text(&v, false, out);
    fclose(out);
    char *words = strstr(text, "\n\nc\n");
    cr_assert_not_null(words, "%s", text);
    cr_expect_str_eq(words, "\n\nc\n"
                            "  yes  it is slow [me]\n"
                            "       tpu-v2-1, copy rows=65536: bound by hbm\n"
                            "  MISS it is far [me]\n"
                            "       tpu-v2-1, copy rows=65536: bound by hbm\n"
                            "  why? [me]\n"
                            "       tpu-v2-1, copy rows=65536: bound by hbm\n"
                            "       tpu-v2-1, copy rows=1024: bound by hbm\n");
    cr_expect_not_null(
        strstr(text,
               "c                                                               4         -     "
               "  -       -       -        1\n"),
        "%s", text);
    free(text);
    validate_result_free(&v);
}
