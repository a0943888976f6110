/* Modules of MLIR: what is kept of types, attributes and operations, the same from every form. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "import/mosaic/mlir.h"
#include "tests/unit/import/mlir_sample.h"

/* --- a module in words --------------------------------------------------------------------- */

static void say_type(const struct mlir_type *t, FILE *out)
{
    static const char *const kind[] = { "other", "int", "float", "vector", "memref" };

    fprintf(out, "%s", kind[t->kind]);
    if (t->kind != t->of)
        fprintf(out, "/%s", kind[t->of]);
    fprintf(out, " %" PRIu32 " bits", t->bits);
    for (uint32_t k = 0; k < t->rank; k++)
        fprintf(out, "%s%" PRId64, k ? "x" : " ", t->dim[k]);
    fprintf(out, " = %" PRIu64, t->elements);
    if (t->space.size)
        fprintf(out, " in %.*s", (int)t->space.size, t->space.at);
}

static void say_attribute(const struct mlir_module *m, uint32_t at, FILE *out)
{
    const struct mlir_attribute *a = &m->attribute[at];

    switch (a->form) {
    case MLIR_TEXT: fprintf(out, "'%.*s'", (int)a->text.size, a->text.at ? a->text.at : ""); break;
    case MLIR_NUMBER: fprintf(out, "%" PRId64, a->value); break;
    case MLIR_TYPE: say_type(&m->type[a->type], out); break;
    case MLIR_NUMBERS:
        putc('(', out);
        for (uint32_t k = 0; k < a->n; k++)
            fprintf(out, " %" PRId64, m->number[a->first + k]);
        fputs(" )", out);
        break;
    case MLIR_LIST:
    case MLIR_PAIRS:
        putc('[', out);
        for (uint32_t k = 0; k < (a->form == MLIR_LIST ? a->n : 2 * a->n); k++) {
            putc(' ', out);
            say_attribute(m, m->item[a->first + k], out);
        }
        fputs(" ]", out);
        break;
    }
}

static void say_op(const struct mlir_module *m, const struct mlir_op *o, FILE *out)
{
    fprintf(out, "%.*s", (int)o->name.size, o->name.at);
    for (uint32_t k = 0; k < o->operands; k++)
        fprintf(out, " %%%" PRIu32, m->ref[o->first_operand + k]);
    fprintf(out, " ops %" PRIu32, o->end);
    for (uint32_t k = 0; k < o->results; k++) {
        fprintf(out, "\n  gives %%%" PRIu32 " ", o->first_result + k);
        say_type(mlir_result_type(m, o, k), out);
    }
    for (uint32_t k = 0; k < o->regions; k++) {
        const struct mlir_region *g = &m->region[o->first_region + k];
        fprintf(out, "\n  region ops %" PRIu32 " to %" PRIu32, g->first, g->end);
        for (uint32_t a = 0; a < g->args; a++) {
            fprintf(out, "\n    %%%" PRIu32 " ", g->first_arg + a);
            say_type(&m->type[m->value[g->first_arg + a]], out);
        }
    }
    if (o->attribute != MLIR_NONE) {
        const struct mlir_attribute *all = &m->attribute[o->attribute];
        for (uint32_t k = 0; k < 2 * all->n; k += 2) {
            fprintf(out, "\n  ");
            say_attribute(m, m->item[all->first + k], out);
            fprintf(out, " = ");
            say_attribute(m, m->item[all->first + k + 1], out);
        }
    }
    putc('\n', out);
}

static char *say_module(const char *bytes, size_t size)
{
    struct memory_text out;
    struct mlir_module m;

    cr_assert(mlir_read(&m, bytes, size));
    memory_text_begin(&out);
    for (uint32_t i = 0; i < m.n_ops; i++)
        say_op(&m, &m.op[i], out.out);
    mlir_free(&m);
    return memory_text_end(&out);
}

static size_t decode_base64(const char *s, char *out)
{
    uint32_t bits = 0, have = 0;
    size_t n = 0;

    for (; *s && *s != '='; s++) {
        bits = bits << 6 | (uint32_t)(*s >= 'a'   ? *s - 'a' + 26
                                      : *s >= 'A' ? *s - 'A'
                                      : *s >= '0' ? *s - '0' + 52
                                      : *s == '+' ? 62
                                                  : 63);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = (char)(bits >> have & 255);
        }
    }
    return n;
}

/* An index counts as 32 bits; of ten dimensions eight are kept and the elements are not known; of
 * @out::@in the outermost name stays. */
static const char expected[] = "builtin.module ops 6\n"
                               "  region ops 1 to 6\n"
                               "k.main ops 6\n"
                               "  region ops 2 to 6\n"
                               "    %0 int 1 bits = 1\n"
                               "    %1 int 8 bits = 1\n"
                               "    %2 int 16 bits = 1\n"
                               "    %3 int 32 bits = 1\n"
                               "    %4 int 64 bits = 1\n"
                               "    %5 int 100 bits = 1\n"
                               "    %6 int 32 bits = 1\n"
                               "    %7 float 16 bits = 1\n"
                               "    %8 float 16 bits = 1\n"
                               "    %9 float 32 bits = 1\n"
                               "    %10 float 64 bits = 1\n"
                               "    %11 float 80 bits = 1\n"
                               "    %12 float 128 bits = 1\n"
                               "    %13 float 8 bits = 1\n"
                               "    %14 float 8 bits = 1\n"
                               "    %15 float 8 bits = 1\n"
                               "    %16 float 4 bits = 1\n"
                               "    %17 float 6 bits = 1\n"
                               "    %18 float 6 bits = 1\n"
                               "    %19 float 8 bits = 1\n"
                               "    %20 vector/float 16 bits 2x8 = 16\n"
                               "    %21 memref/int 16 bits 4x8x16 = 512\n"
                               "    %22 memref/float 32 bits 128 = 128\n"
                               "    %23 memref/float 64 bits 3x-1 = 0\n"
                               "    %24 vector/float 32 bits 4 = 4\n"
                               "    %25 vector/float 32 bits = 1\n"
                               "    %26 other 0 bits = 0\n"
                               "    %27 other 0 bits = 0\n"
                               "    %28 other 0 bits = 0\n"
                               "    %29 vector/int 8 bits 1x2x3x4x5x6x7x8 = 0\n"
                               "k.two %3 %4 ops 3\n"
                               "  gives %30 int 16 bits = 1\n"
                               "  gives %31 vector/float 32 bits 4 = 4\n"
                               "  'at' = 4660\n"
                               "  'bytes' = ( -1 127 )\n"
                               "  'deep' = 'out'\n"
                               "  'flags' = ( 1 0 )\n"
                               "  'huge' = -7\n"
                               "  'list' = [ 1 'two' [ 3 ] ]\n"
                               "  'map' = [ 'x' 1 'y' 'sym' ]\n"
                               "  'n' = -5\n"
                               "  'name' = 'text'\n"
                               "  'one' = 1\n"
                               "  'other' = '#k.numbers<[4, 5]>'\n"
                               "  'quoted' = 'a b'\n"
                               "  'shorts' = ( 1 -2 3 400 )\n"
                               "  'small' = -3\n"
                               "  'splat' = ( 9 )\n"
                               "  'typed' = 'text'\n"
                               "  'unit' = ''\n"
                               "  'wide' = -123456789012\n"
                               "  'words' = ( 1 -2 300000 )\n"
                               "k.if %0 ops 5\n"
                               "  region ops 4 to 5\n"
                               "  region ops 5 to 5\n"
                               "k.yield %30 ops 5\n"
                               "k.end ops 6\n";

Test(mlir, text_is_read_with_its_types_and_attributes)
{
    char *s = say_module(mlir_sample, strlen(mlir_sample));

    cr_expect_str_eq(s, expected, "%s", s);
    free(s);
}

Test(mlir, every_version_of_the_bytecode_gives_what_the_text_does)
{
    for (size_t v = 0; v < sizeof mlir_sample_bytes / sizeof *mlir_sample_bytes; v++) {
        char bytes[2048];
        size_t size = decode_base64(mlir_sample_bytes[v], bytes);
        char *s = say_module(bytes, size);
        cr_expect_str_eq(s, expected, "version %zu: %s", v, s);
        free(s);
    }
}

Test(mlir, a_version_to_come_is_refused)
{
    char bytes[2048];
    size_t size = decode_base64(mlir_sample_bytes[6], bytes);
    struct mlir_module m;

    bytes[4] = 2 * 7 + 1; /* a number of one byte */
    cr_expect_not(mlir_read(&m, bytes, size));
}
