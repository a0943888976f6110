/* Tables of published figures: how they are read, summed up and printed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "report/validate_report.h"
#include "run/result/published.h"
#include "study/validate/validate_job.h"

Test(validate_unit, a_table_has_fields_that_may_hold_commas_and_be_empty)
{
    static const char text[] = "# about\n# more\na,b,c\n1,\"2,5\",\n\n# between\nx,y,z,w\nlast,,";
    const struct published_file file = { "t.csv", "t", "", text, sizeof text - 1 };
    struct published_reader r;
    char f[3][PUBLISHED_FIELD];

    published_open(&r, &file);
    cr_assert_eq(published_next(&r, f, 3), 3);
    cr_expect_str_eq(f[0], "1");
    cr_expect_str_eq(f[1], "2,5");
    cr_expect_str_eq(f[2], "");
    cr_expect_eq(r.line, 5);
    cr_assert_eq(published_next(&r, f, 3), 3); /* the fourth is dropped */
    cr_expect_str_eq(f[2], "z");
    cr_assert_eq(published_next(&r, f, 3), 3);
    cr_expect_str_eq(f[0], "last");
    cr_expect_eq(published_next(&r, f, 3), 0);
    cr_expect_eq(published_next(&r, f, 3), 0);
}

static char *copy_word(const char *s)
{
    char *c = strdup(s);

    cr_assert_not_null(c);
    return c;
}

/* A row of class "c": predicted to measured 100, within 10 %. */
static void add_row(struct validate_result *v, unsigned long predicted, enum validate_status status)
{
    v->row = realloc(v->row, (v->n_rows + 1) * sizeof *v->row);
    cr_assert_not_null(v->row);
    struct validate_row *r = &v->row[v->n_rows++];
    *r = (struct validate_row){ .class = "c",
                                .within = v->n_rows % 2 ? "wide" : NULL,
                                .machine = copy_word("m"),
                                .what = copy_word("net"),
                                .metric = copy_word("step"),
                                .unit = copy_word("s"),
                                .source = copy_word("paper"),
                                .claim = copy_word(""),
                                .relation = copy_word(""),
                                .answer = copy_word(""),
                                .note = copy_word(status == VALIDATE_CHECKED ? "" : "GPUs"),
                                .status = status };
    mpq_inits(r->measured, r->predicted, r->error, r->tolerance, NULL);
    mpq_set_ui(r->measured, 100, 1);
    mpq_set_ui(r->predicted, predicted, 1);
    exact_ratio(r->tolerance, 1, 10);
    mpq_set_si(r->error, (long)predicted - 100, 100);
    mpq_canonicalize(r->error);
}

static struct validate_result make_sample(void)
{
    struct validate_result v = { 0 };

    add_row(&v, 95, VALIDATE_CHECKED);
    add_row(&v, 110, VALIDATE_CHECKED);
    add_row(&v, 120, VALIDATE_CHECKED);
    add_row(&v, 70, VALIDATE_CHECKED);
    add_row(&v, 1, VALIDATE_LATER);
    validate_sum(&v);
    return v;
}

static void expect_equal(const mpq_t q, long num, unsigned long den, const char *what)
{
    cr_expect_eq(mpq_cmp_si(q, num, den), 0, "%s: %g", what, mpq_get_d(q));
}

/* Errors -5, +10, +20, -30 %: sizes 5, 10, 20, 30. */
Test(validate_unit, classes_are_summed_up_by_size_and_with_sign)
{
    struct validate_result v = make_sample();

    cr_assert_eq(v.n_classes, 2);
    const struct validate_class *wide = &v.class[0], *c = &v.class[1];
    cr_expect_str_eq(wide->name, "wide");
    cr_expect_str_eq(c->name, "c");
    cr_expect_eq(c->n, 4);
    cr_expect_eq(c->hits, 2); /* 10 % is within 10 % */
    cr_expect_eq(c->with_tolerance, 4);
    expect_equal(c->median, 15, 100, "median");
    expect_equal(c->mean, 65, 400, "mean");
    expect_equal(c->worst, -30, 100, "worst");
    expect_equal(c->bias, 25, 1000, "bias"); /* between -5 and +10 % */
    cr_expect_eq(wide->n, 2);                /* the first and the third */
    expect_equal(wide->median, 125, 1000, "median of two");
    expect_equal(wide->worst, 20, 100, "worst of two");
    validate_result_free(&v);
}

static char *print_text(const struct validate_result *v, bool all)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    report_validate_text(v, all, out);
    fclose(out);
    return text;
}

Test(validate_unit, misses_are_shown_and_what_was_not_predicted_is_named)
{
    struct validate_result v = make_sample();
    char *text = print_text(&v, false);

    cr_expect_str_eq(
        text,
        "error of predictions                                         rows  median %  mean % worst "
        "%  bias %     "
        "hits\n"
        "wide                                                            2      12.5    12.5   "
        "+20.0    +7.5        "
        "1\n"
        "c                                                               4      15.0    16.2   "
        "-30.0    +2.5        "
        "2\n"
        "hits: rows within the error that their table asks for, and claims that hold; the others "
        "are listed as MISS\n"
        "\n"
        "c                                                                predicted  measured"
        " unit   error %  source\n"
        "  m, net: step                                                          95       100"
        " s         -5.0  paper\n"
        "  m, net: step                                                         110       100"
        " s        +10.0  paper\n"
        "  m, net: step                                                         120       100"
        " s        +20.0  paper, MISS\n"
        "  m, net: step                                                          70       100"
        " s        -30.0  paper, MISS\n"
        "\n"
        "not modelled yet                                                            measured"
        " unit   source, why\n"
        "  m, net: step                                                                   100"
        " s      paper, GPUs\n",
        "%s", text);
    free(text);
    validate_result_free(&v);
}
