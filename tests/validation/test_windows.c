/* The windows of matrix products against those of XLA:TPU: each row of windows.csv is lowered
 * twice, as `matmul`, whose windows are ours, and as a kernel that states the compiler's, and both
 * run. The bars are the shares of rows whose two times are within 3 % of each other.  On TPU v2 and
 * v3 products are cut by what they cost in the model, not by the compiler's rule. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/memory.h"
#include "base/plain.h"
#include "kernels/common/work.h"
#include "kernels/lower.h"
#include "machine/machine.h"
#include "machine/spec/catalog.h"
#include "step/step.h"

#define MAX_ROWS 2000
#define CLOSE 0.03

struct product {
    char machine[16], dtype[8], lanes[4], near[2], split[8];
    unsigned long long m, n, k, count_n, count_m, count_k, estimate;
};

/* An operand of the compiler's kernel: rows x columns, the first of which is dimension `row`. */
struct operand {
    unsigned long long rows, columns;
    bool turned; /* its rows are on the lanes */
};

static size_t read_rows(struct product *row)
{
    char line[256];
    size_t n = 0;
    FILE *f = fopen("model/measured/windows.csv", "r");

    cr_assert_not_null(f);
    while (n < MAX_ROWS && fgets(line, sizeof line, f)) {
        struct product *p = &row[n];
        int fields =
            sscanf(line, "%15[^,],%llu,%llu,%llu,%7[^,],%3[^,],%1[^,],%llu,%llu,%llu,%7[^,],%llu",
                   p->machine, &p->m, &p->n, &p->k, p->dtype, p->lanes, p->near, &p->count_n,
                   &p->count_m, &p->count_k, p->split, &p->estimate);
        n += fields == 12;
    }
    fclose(f);
    return n;
}

/* Femtoseconds of the step of a trace. */
static double run_text(const struct machine_spec *spec, char *text, size_t size)
{
    struct cap cap;
    struct step step;
    struct trace *t = NULL;
    struct task_program program;
    struct err e;

    spec_cap(spec, &cap);
    step_init(&step);
    cr_assert_eq(trace_open_memory(&t, "windows", text, size, false, &e), 0, "%s", e.msg);
    cr_assert_eq(step_read_tensors(&step, t, &e), 0, "%s\n%s", e.msg, text);
    cr_assert_eq(step_read_next(&step, t, &e), 1, "%s\n%s", e.msg, text);
    cr_assert_eq(lower_step(&program, &step, &cap, "windows", &e), 0, "%s\n%s", e.msg, text);
    struct machine *m = machine_new(spec, false);
    cr_assert_eq(machine_step(m, &program, NULL, &e), 0, "%s", e.msg);
    double fs = (double)machine_now(m);
    machine_free(m);
    lower_free(&program);
    step_free(&step);
    trace_close(t);
    free(text);
    return fs;
}

static void begin_text(FILE *out)
{
    fputs("cyclotron-trace 1\nworkload \"w\"\nsamples step=1\n"
          "dtype tensors=f32 matmul=bf16 activations=keep\n",
          out);
}

static double run_own(const struct machine_spec *spec, const struct product *p)
{
    struct memory_text text;

    memory_text_begin(&text);
    begin_text(text.out);
    fprintf(text.out,
            "tensor %%a %s[%llu,%llu] input\ntensor %%b %s[%llu,%llu] input\n"
            "step {\n%%c %s[%llu,%llu] = matmul(%%a, %%b)%s\n}\n",
            p->dtype, p->m, p->k, p->dtype, p->k, p->n, p->dtype, p->m, p->n,
            *p->near == 'a'   ? " resident=lhs"
            : *p->near == 'b' ? " resident=rhs"
                              : "");
    char *kept = memory_text_end(&text);
    return run_text(spec, kept, text.size);
}

/* Rows of the tiles of an array with so many in its second dimension. */
static unsigned long long tile_rows(unsigned long long extent, unsigned element)
{
    unsigned long long rows = element < 4 ? 2 : 1;

    while (rows < extent && rows < 8)
        rows *= 2;
    return rows;
}

/* Bytes of an array in whole tiles. */
static unsigned long long padded_bytes(const struct operand *o, unsigned element)
{
    unsigned long long minor = o->turned ? o->rows : o->columns;
    unsigned long long second = o->turned ? o->columns : o->rows;

    return arith_round_up(minor, 128) * arith_round_up(second, tile_rows(second, element)) *
           element;
}

/* `name dtype[rows,columns]{layout}`, in memory space `space` if that is not NULL. */
static void print_array(FILE *out, const char *name, const struct product *p,
                        const struct operand *o, const char *space)
{
    unsigned element = p->dtype[0] == 'b' ? 2 : 4;
    unsigned long long second = o->turned ? o->columns : o->rows;

    fprintf(out, "%s %s[%llu,%llu]{%s:T(%llu,128)%s%s}", name, p->dtype, o->rows, o->columns,
            o->turned ? "0,1" : "1,0", tile_rows(second, element), element == 2 ? "(2,1)" : "",
            space ? space : "");
}

/* A window: an equal part in whole units, which are lanes where an operand has them there. */
static unsigned long long window_of(const struct product *p, char d, unsigned long long extent,
                                    unsigned long long count)
{
    bool on_lanes = p->lanes[0] == d || p->lanes[1] == d || p->lanes[2] == d;
    unsigned long long unit = on_lanes && count > 1 ? 128 : 8;

    return arith_ceil_div(arith_ceil_div(extent, unit), count) * unit;
}

static double run_stated(const struct machine_spec *spec, const struct product *p)
{
    unsigned element = p->dtype[0] == 'b' ? 2 : 4;
    struct operand a = { p->m, p->k, p->lanes[0] == 'm' };
    struct operand b = { p->k, p->n, p->lanes[1] == 'k' };
    struct operand c = { p->m, p->n, p->lanes[2] == 'm' };
    const char *near = spec->cmem.capacity ? "S(3)" : "S(1)";
    bool a_moves = p->count_m * p->count_k > 1, b_moves = p->count_n * p->count_k > 1;
    unsigned long long reads_a = a_moves ? p->count_n : 1;
    unsigned long long reads_b = p->count_k > 1 ? p->count_m : 1;
    struct memory_text text;

    memory_text_begin(&text);
    begin_text(text.out);
    print_array(text.out, "tensor %a", p, &a, *p->near == 'a' ? near : NULL);
    fputs(" input\n", text.out);
    print_array(text.out, "tensor %b", p, &b, *p->near == 'b' ? near : NULL);
    fputs(" input\nstep {\n", text.out);
    print_array(text.out, "%c", p, &c, NULL);
    fprintf(text.out,
            " = kernel(%%a, %%b) form=product grid=%llux%llux%llu product=1x%llux%llux%llu"
            " tile=1x%llux%llux%llu counts=1x%llux%llux%llu lanes=%s",
            p->count_n, p->count_m, p->count_k, p->m, p->k, p->n,
            window_of(p, 'm', p->m, p->count_m), window_of(p, 'k', p->k, p->count_k),
            window_of(p, 'n', p->n, p->count_n), p->count_m, p->count_k, p->count_n, p->lanes);
    if (*p->split != '-')
        fprintf(text.out, " split=%s", p->split);
    if (*p->split == 'k')
        fprintf(text.out, " split-bytes=%llu",
                4ULL * arith_round_up(p->m, 8) * arith_round_up(p->n, 8));
    fprintf(text.out, " fetch=%llu+%llu", *p->near == 'a' ? 0 : reads_a * padded_bytes(&a, element),
            *p->near == 'b' ? 0 : reads_b * padded_bytes(&b, element));
    if (!a_moves && *p->near != 'a')
        fputs(!b_moves && *p->near != 'b' ? " held=0+1" : " held=0", text.out);
    else if (!b_moves && *p->near != 'b')
        fputs(" held=1", text.out);
    fprintf(text.out, " store=%llu stores=%llu\n}\n", padded_bytes(&c, element),
            padded_bytes(&c, element) / 4);
    char *kept = memory_text_end(&text);
    return run_text(spec, kept, text.size);
}

struct share {
    size_t rows, close, not_slower;
};

static struct share count_close(const char *machine, const char *const set[2])
{
    static struct product row[MAX_ROWS];
    size_t n = read_rows(row);
    struct share s = { 0 };
    struct machine_spec *spec;
    struct err e;

    cr_assert_eq(n, 1715u);
    cr_assert_eq(spec_load(&spec, machine, set, set[0] ? 2 : 0, &e), 0, "%s", e.msg);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(row[i].machine, machine) != 0)
            continue;
        double own = run_own(spec, &row[i]), stated = run_stated(spec, &row[i]);
        s.rows++;
        s.close += fabs(own / stated - 1) <= CLOSE;
        s.not_slower += own / stated - 1 <= CLOSE;
        if (getenv("WINDOWS_ALL"))
            plain_print(stdout, "%s %llux%llux%llu %s %s own %.3f stated %.3f %+.1f %%\n", machine,
                        row[i].m, row[i].n, row[i].k, row[i].dtype, row[i].lanes, own / 1e9,
                        stated / 1e9, 100 * (own / stated - 1));
    }
    spec_free(spec);
    cr_log_info(
        "%s: %zu products, within 3 %% of the compiler's windows %.0f %%, not slower %.0f %%",
        machine, s.rows, 100.0 * (double)s.close / (double)s.rows,
        100.0 * (double)s.not_slower / (double)s.rows);
    return s;
}

static const struct {
    const char *machine;
    size_t rows;
    double close; /* share of rows */
    const char *set[2];
} bars[] = {
    { "tpu-v2-1", 156, 0.35, { NULL } },
    { "tpu-v2-1", 156, 0.77, { "xla.window_time=0.37us", "xla.window_step=0.36us" } },
    { "tpu-v3-1", 156, 0.35, { NULL } },
    { "tpu-v3-1", 156, 0.65, { "xla.window_time=0.4us", "xla.window_step=0.2us" } },
    { "tpu-v4-2", 577, 0.79, { NULL } },
    { "tpu-v5e-1", 156, 0.85, { NULL } },
    { "tpu-v5p-2", 156, 0.90, { NULL } },
    { "tpu-v6e-1", 358, 0.90, { NULL } },
    { "tpu-v7-2", 156, 0.88, { NULL } },
};

Test(windows, own_products_take_the_time_of_those_in_the_windows_of_the_compiler)
{
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        struct share s = count_close(bars[i].machine, bars[i].set);
        cr_expect_eq(s.rows, bars[i].rows, "%s", bars[i].machine);
        cr_expect_geq((double)s.close / (double)s.rows, bars[i].close, "%s: %zu of %zu",
                      bars[i].machine, s.close, s.rows);
    }
}
