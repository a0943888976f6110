/* Kernels of a profile are paired with operations by names and by what they compute. */
#include <criterion/criterion.h>
#include <string.h>

#include "hlo/hlo_module.h"
#include "study/profiled/pairing.h"

#define MOST 4

struct item {
    const char *name, *text, *scope;
};

static void fill_items(struct pairing_item *to, const struct item *from, size_t n)
{
    memset(to, 0, MOST * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        to[i].name = from[i].name;
        to[i].scope = from[i].scope;
        pairing_read(&to[i], from[i].text ? from[i].text : "");
    }
}

static void expect_pairs(const struct item *a, size_t n_a, const struct item *b, size_t n_b,
                         const struct pairing_partner *want)
{
    struct pairing_item x[MOST], y[MOST];
    struct pairing_partner got[MOST];

    fill_items(x, a, n_a);
    fill_items(y, b, n_b);
    pairing_find(got, x, n_a, y, n_b);
    for (size_t i = 0; i < n_a; i++)
        cr_expect(got[i].how == want[i].how &&
                      (want[i].how == PAIRING_NONE || got[i].other == want[i].other),
                  "%s: %d with %u", a[i].name, got[i].how, got[i].other);
    for (size_t i = 0; i < MOST; i++) {
        pairing_clear(&x[i]);
        pairing_clear(&y[i]);
    }
}

#define ADD "%add.1 = f32[8,128]{1,0:T(8,128)} add(f32[8,128]{1,0} %a, f32[8,128]{1,0} %b)"
#define DOT "%dot.1 = f32[8,64]{1,0} dot(f32[8,128]{1,0} %a, f32[128,64]{1,0} %b)"

Test(pairing, names_pair_where_texts_agree_or_are_not_known)
{
    static const struct item a[] = { { "x", ADD, "" }, { "y", DOT, "" }, { "z", NULL, "" } };
    static const struct item b[] = { { "z", DOT, "" }, { "y", NULL, "" }, { "x", ADD, "" } };
    static const struct pairing_partner want[] = { { 2, PAIRING_NAME },
                                                   { 1, PAIRING_NAME },
                                                   { 0, PAIRING_NAME } };

    expect_pairs(a, 3, b, 3, want);
}

/* Numbers have moved: the name of the one is now that of the other. */
Test(pairing, a_name_of_another_result_is_no_partner)
{
    static const struct item a[] = { { "fusion.1", ADD, "" }, { "fusion.2", DOT, "" } };
    static const struct item b[] = { { "fusion.1", DOT, "" }, { "fusion.2", ADD, "" } };
    static const struct pairing_partner want[] = { { 1, PAIRING_SHAPE }, { 0, PAIRING_SHAPE } };

    expect_pairs(a, 2, b, 2, want);
}

Test(pairing, equal_ones_pair_by_scope_and_then_in_order)
{
    static const struct item a[] = { { "a", ADD, "f/one" },
                                     { "b", ADD, "f/two" },
                                     { "c", ADD, "f/x" } };
    static const struct item b[] = { { "k", ADD, "f/two:" },
                                     { "l", ADD, "f/y:" },
                                     { "m", ADD, "f/one:" } };
    static const struct pairing_partner want[] = { { 2, PAIRING_SHAPE },
                                                   { 0, PAIRING_SHAPE },
                                                   { 1, PAIRING_SHAPE } };

    expect_pairs(a, 3, b, 3, want);
}

/* An operand that is cut off leaves the result and the opcode. */
Test(pairing, a_text_that_is_cut_pairs_by_its_result)
{
    static const struct item a[] = { { "a", DOT, "" }, { "b", ADD, "" } };
    static const struct item b[] = { { "k", "%k = f32[8,64]{1,0} dot(f32[8,12", "" },
                                     { "l", "%l = f32[8,6", "" } };
    static const struct pairing_partner want[] = { { 0, PAIRING_SHAPE }, { 0, PAIRING_NONE } };

    expect_pairs(a, 2, b, 2, want);
}

Test(pairing, texts_lose_names_layouts_and_comments)
{
    struct pairing_item item = { .name = "f" };

    pairing_read(&item,
                 "%f.3 = (f32[2,3]{1,0:T(8,128)S(1)}, /*index=1*/u32[]{:S(2)}) "
                 "fusion(bf16[<=5]{0:T(256)(128)(2,1)} %p.1, f32[] %c), kind=kLoop, calls=%g");
    cr_expect_str_eq(item.head, "(f32[2,3],u32[]) fusion kLoop");
    cr_expect_str_eq(item.whole, "(f32[2,3],u32[]) fusion kLoop bf16[5] f32[]");
    pairing_clear(&item);
    item.name = "g";
    pairing_read(&item, "%g = f32[2] add(%a, %b)");
    cr_expect_str_eq(item.head, "f32[2] add");
    cr_expect_null(item.whole);
    pairing_clear(&item);
}

Test(pairing, an_instruction_of_a_program_reads_as_its_text_does)
{
    static const char text[] = "HloModule m\n\nENTRY e {\n"
                               "  p = f32[8,128]{1,0} parameter(0)\n"
                               "  q = bf16[4]{0:T(128)} parameter(1)\n"
                               "  ROOT t = (f32[8,128]{1,0}, bf16[4]{0}) tuple(p, q)\n}\n";
    struct pairing_item own = { .name = "t" }, read = { .name = "t" };
    struct hlo_module *m;
    struct err err;
    char *written = NULL;
    size_t size;

    cr_assert_eq(hlo_parse(&m, "m.hlo", text, sizeof text - 1, &err), 0, "%s", err.msg);
    pairing_describe(&own, m, &m->instruction[2]);
    cr_expect_str_eq(own.whole, "(f32[8,128],bf16[4]) tuple f32[8,128] bf16[4]");
    FILE *out = open_memstream(&written, &size);
    pairing_write(m, &m->instruction[2], out);
    fclose(out);
    cr_expect_str_eq(written, "%t = (f32[8,128],bf16[4]) tuple(f32[8,128] %p, bf16[4] %q)");
    pairing_read(&read, written);
    cr_expect_str_eq(read.whole, own.whole);
    free(written);
    pairing_clear(&own);
    pairing_clear(&read);
    hlo_free(m);
}
