/* Compiled programs that are linked into the program: unpacked, found, and refused when damaged. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "study/validate/packed.h"

static char frame[512];

/* `text` as a file of one frame. */
static struct packed_file pack_text(const char *text)
{
    size_t n = ZSTD_compress(frame, sizeof frame, text, strlen(text), 3);

    cr_assert_not(ZSTD_isError(n));
    return (struct packed_file){ .name = "f.hlo.zst", .stem = "f", .text = frame, .size = n };
}

Test(packed, modules_are_found_by_name_and_end_before_the_next_one)
{
    struct packed_file f = pack_text("// b,2\nHloModule x\nROOT //\n// a,1\nHloModule y\n");
    struct packed p;
    struct err e;

    cr_assert_eq(packed_read(&p, &f, &e), 0, "%s", e.msg);
    cr_expect_eq(p.n, 2u);
    const struct packed_module *m = packed_find(&p, "b,2");
    cr_assert_not_null(m);
    cr_expect_eq(m->size, strlen("HloModule x\nROOT //\n"));
    cr_expect_eq(strncmp(m->text, "HloModule x\nROOT //\n", m->size), 0);
    m = packed_find(&p, "a,1");
    cr_assert_not_null(m);
    cr_expect_eq(m->size, strlen("HloModule y\n"));
    cr_expect_null(packed_find(&p, "a,2"));
    packed_close(&p);
    cr_expect_null(packed_find(&p, "a,1"));
}

Test(packed, a_damaged_file_is_refused)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "HloModule x\n", "f.hlo.zst: does not begin with a line \"// NAME\"" },
        { "// a", "f.hlo.zst: nothing follows the name of a module" },
        { "// a\nx\n// a\ny\n", "f.hlo.zst: module a is there twice" },
    };
    struct packed p;
    struct err e;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct packed_file f = pack_text(wrong[i].text);
        cr_assert_eq(packed_read(&p, &f, &e), -1);
        cr_expect_str_eq(e.msg, wrong[i].message);
    }
    struct packed_file f = pack_text("// a\nx\n");
    f.size--;
    cr_assert_eq(packed_read(&p, &f, &e), -1);
    cr_expect_not_null(strstr(e.msg, "f.hlo.zst: damaged"), "%s", e.msg);
    cr_assert_eq(packed_open(&p, "kernels_tpu_v1", &e), -1);
    cr_expect_str_eq(e.msg, "no compiled programs kernels_tpu_v1");
}

/* Rows of the tables of measured kernels: 646 + 1,220 + 362 and 226 + 1,618. */
Test(packed, there_is_a_module_for_each_measured_kernel)
{
    static const struct {
        const char *stem, *name;
        size_t n;
    } want[] = { { "kernels_tpu_v4", "matmul,82,959,12", 2228 },
                 { "kernels_tpu_v6e", "reduce,1,16,9371", 1844 } };
    struct packed p;
    struct err e;

    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(packed_open(&p, want[i].stem, &e), 0, "%s", e.msg);
        cr_expect_eq(p.n, want[i].n);
        cr_expect_not_null(packed_find(&p, want[i].name));
        packed_close(&p);
    }
}
