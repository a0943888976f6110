/* Libraries of GPUs: how machine files and overrides state their kernels. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/spec/spec.h"
#include "sweep/key.h"

/* The machine of a file that holds `text` behind its base. */
static int load_text(struct machine_spec **m, const char *text, struct err *err)
{
    char name[] = "/tmp/cyclotron-library-XXXXXX.ini";
    int fd = mkstemps(name, 4);

    cr_assert_geq(fd, 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "[machine]\nbase = h100-sxm-80gb\n%s", text);
    fclose(f);
    int rc = spec_load(m, name, NULL, 0, err);
    unlink(name);
    return rc;
}

static struct machine_spec *load_file(const char *text)
{
    struct machine_spec *m;
    struct err err;

    cr_assert_eq(load_text(&m, text, &err), 0, "%s", err.msg);
    return m;
}

static struct machine_spec *load_override(const char *set)
{
    struct machine_spec *m;
    struct err err;

    cr_assert_eq(spec_load(&m, "h100-sxm-80gb", &set, 1, &err), 0, "%s", err.msg);
    return m;
}

/* A library of its own under the simplest names. */
#define OWN                                                                                        \
    "[product_f32]\n64x32 = 0.5, 7, 2, 0.9, lone [x]\n8x8 = 1, 0, 1, 1, batch [x]\n"               \
    "[product_half]\n128x64s = 1 [x]\n"                                                            \
    "[conv_f32]\n32x32 = 1 [x]\n[conv_half]\n32x32 = 1 [x]\n"                                      \
    "[wgrad_f32]\n32x32 = 1 [x]\n[wgrad_half]\n32x32 = 1 [x]\n"

static void write_library(const char *path)
{
    FILE *f = fopen(path, "w");

    cr_assert_not_null(f);
    fputs(OWN, f);
    fclose(f);
}

Test(gpu_library, a_line_has_its_sides_in_its_name_and_its_values_in_order)
{
    struct machine_spec *m = load_file("[product_f32]\n64x32s = 0.5, 7, 2, 0.9, lone [x]\n");
    const struct gpu_tiles *lib = &m->product_f32.lib;
    const struct gpu_tile *t = &lib->tile[lib->n - 1];

    cr_expect_eq(lib->n, 11, "behind the ten of the library");
    cr_expect_eq(t->n, 64);
    cr_expect_eq(t->m, 32);
    cr_expect(t->sliced);
    cr_expect_eq(t->share, 500000000);
    cr_expect_eq(t->k_more, 7);
    cr_expect_eq(t->resident, 2);
    cr_expect_eq(t->believed, 900000000);
    cr_expect_eq(t->serves, GPU_SERVES_LONE);
    spec_free(m);
}

Test(gpu_library, columns_left_out_have_their_default)
{
    struct machine_spec *m = load_file("[product_f32]\n128x128 = 0.5 [x]\n");
    const struct gpu_tile *t = &m->product_f32.lib.tile[0];

    cr_expect_eq(m->product_f32.lib.n, 10, "in place of the line of that name");
    cr_expect_eq(t->share, 500000000);
    cr_expect_eq(t->k_more, 0);
    cr_expect_eq(t->resident, 1);
    cr_expect_eq(t->believed, 1000000000);
    cr_expect_eq(t->serves, GPU_SERVES_ALL);
    spec_free(m);
}

Test(gpu_library, a_line_can_be_taken_away)
{
    struct machine_spec *m = load_file("[product_f32]\n128x128 = none [x]\n");
    size_t t = (size_t)spec_table("product_f32");

    cr_expect_eq(m->product_f32.lib.n, 9);
    cr_expect_str_eq(m->product_f32.lib.tile[0].name.text, "256x128");
    cr_expect_str_eq(m->source[t][spec_tables[t]->n_rows + 8], "[calibrated: gpu-gemm]");
    cr_expect_null(m->source[t][spec_tables[t]->n_rows + 9]);
    spec_free(m);
}

Test(gpu_library, another_library_leaves_nothing_of_the_one_before)
{
    char text[256], path[] = "/tmp/cyclotron-own-XXXXXX.ini";

    close(mkstemps(path, 4));
    write_library(path);
    snprintf(text, sizeof text, "library = %s\n", path);
    struct machine_spec *m = load_file(text);
    cr_expect_eq(m->product_f32.lib.n, 2);
    cr_expect_eq(m->product_f32.lib.both_along_k, 1000000000, "the default");
    cr_expect_eq(m->product_tf32.lib.n, 0);
    cr_expect(m->product_half.lib.tile[0].sliced);
    cr_expect_eq(m->sm.f16, 2048, "the chip stays");
    unlink(path);
    spec_free(m);
}

Test(gpu_library, what_is_printed_reads_back)
{
    struct machine_spec *m = load_override("product_half.64x64=none"), *again;
    struct err err;
    char name[] = "/tmp/cyclotron-printed-XXXXXX.ini";
    FILE *f = fdopen(mkstemps(name, 4), "w");

    spec_print_values(m, f);
    fclose(f);
    cr_assert_eq(spec_load(&again, name, NULL, 0, &err), 0, "%s", err.msg);
    cr_expect_eq(memcmp(&again->product_half, &m->product_half, sizeof m->product_half), 0);
    cr_expect_eq(memcmp(&again->wgrad_f32, &m->wgrad_f32, sizeof m->wgrad_f32), 0);
    unlink(name);
    spec_free(again);
    spec_free(m);
}

Test(gpu_library, an_override_reaches_a_column_of_a_line)
{
    struct machine_spec *m = load_override("product_tf32.128x256.share=0.5");

    cr_expect_eq(m->product_tf32.lib.tile[0].share, 500000000);
    cr_expect_eq(m->product_tf32.lib.tile[0].k_more, 109, "the others stay");
    cr_expect_str_eq(m->changed[0], "product_tf32.128x256.share = 0.5, instead of 0.7");
    spec_free(m);
}

Test(gpu_library, a_sweep_finds_a_column)
{
    struct key k;
    struct err err;

    cr_assert_eq(key_find(&k, "product_half.128x128.k_more", NULL, &err), 0, "%s", err.msg);
    cr_expect_str_eq(k.desc->name, "k_more");
    cr_expect_neq(key_find(&k, "product_half.128x128.k_mor", NULL, &err), 0);
}

Test(gpu_library, each_mistake_has_its_sentence)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "[product_f32]\n128x0 = 0.5 [x]\n",
          ":4: product_f32.128x0 = 0.5: '128x0' is no parameter and no tile; expected NxM or NxMs, "
          "such as 128x64, with sides up to 4096" },
        { "[product_f32]\n128x64 = 0.5, 1, 1, 1, all, 3, 4, 5 [x]\n", "more than 7 values" },
        { "[product_f32]\n128x64 = 5 [x]\n", "tile.share = 5: outside [0.01, 2]" },
        { "[product_f32]\n128x64 = 0.5 [x]\n128x64 = 0.5 [x]\n",
          ":5: product_f32.128x64 is given twice" },
        { "[product_f32]\n128x64 = 0.5\n", "expected a [source] tag after the value" },
        { "[product_f32]\n128x64.shar = 0.5 [x]\n",
          ":4: unknown column 'shar'; did you mean 'share'?" },
        { "[product_f32]\n64x33.share = 0.5 [x]\n", ":4: [product_f32] has no tile 64x33" },
        { "[product_f32]\n64x33 = none [x]\n", "there is no such tile" },
        { "[product_f32]\nmemoy = 0.5 [x]\n",
          ":4: unknown parameter of [product_f32] 'memoy'; did you mean 'memory'?" },
        { "library = hoper\n", "No such file or directory" },
        { "library = hopper\nlibrary = volta\n", ":4: machine.library is given twice" },
        { "[conv_f32]\n128x128 = none [x]\n64x128 = none [x]\n32x128 = none [x]\n32x32 = none "
          "[x]\n",
          "[conv_f32] lists no kernel; name a library in [machine], such as `library = hopper`" },
        { "[product_f64]\n64x64.serves = lone [x]\n128x64.serves = lone [x]\n128x128.serves = lone "
          "[x]\n",
          "[product_f64] has no kernel for batches: all have tile.serves = lone" },
        { "[product_f64]\n64x64.serves = batch [x]\n128x64.serves = batch [x]\n128x128.serves = "
          "batch [x]\n",
          "[product_f64] has no kernel for products that are no batch: all have tile.serves = "
          "batch" },
        { "[dgrad_half]\nmasked = 0 [x]\n",
          "[dgrad_half] has no kernel for filters of many taps: dgrad_half.masked = 0, and no "
          "kernel with tile.step = 0 serves all" },
        { "[stream]\ncontigous = 0.5 [x]\n",
          "unknown class of streams 'contigous'; did you mean 'contiguous'?" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *m;
        struct err err;
        cr_assert_neq(load_text(&m, rows[i].text, &err), 0, "%s", rows[i].text);
        cr_expect(strstr(err.msg, rows[i].message), "%s\n%s", err.msg, rows[i].message);
    }
}

Test(gpu_library, a_list_holds_as_many_lines_as_it_has_room_for)
{
    char text[1024] = "[product_f32]\n";
    struct machine_spec *m;
    struct err err;

    for (int i = 0; i < 6; i++) /* ten are there */
        snprintf(text + strlen(text), sizeof text - strlen(text), "%dx8 = 0.5 [x]\n", i + 1);
    m = load_file(text);
    cr_expect_eq(m->product_f32.lib.n, GPU_MOST_TILES);
    spec_free(m);
    strcat(text, "9x9 = 0.5 [x]\n");
    cr_assert_neq(load_text(&m, text, &err), 0);
    cr_expect(strstr(err.msg, "more than 16 lines"), "%s", err.msg);
}

/* A library is no machine, and a chip of another generation runs with the kernels of this one. */
Test(gpu_library, a_chip_takes_the_library_that_its_file_names)
{
    struct machine_spec *m = load_file("library = volta\n");

    cr_expect_str_eq(m->product_f32.lib.tile[4].name.text, "64x32s");
    cr_expect_eq(m->product_tf32.lib.n, 0);
    spec_free(m);
}
