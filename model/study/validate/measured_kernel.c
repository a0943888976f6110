#include "study/validate/measured_kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "machine/spec/spec.h"
#include "study/op/op.h"

const struct measured_chip measured_chips[] = {
    { "tpu_v4_", "kernels_tpu_v4", "tpu-v4-2", "TPU v4" },
    { "tpu_v6e_", "kernels_tpu_v6e", "tpu-v6e-1", "TPU v6e" },
};
const size_t measured_n_chips = sizeof measured_chips / sizeof *measured_chips;

const struct measured_chip *measured_chip_find(const char *stem)
{
    for (size_t i = 0; i < measured_n_chips; i++)
        if (strncmp(stem, measured_chips[i].stem, strlen(measured_chips[i].stem)) == 0)
            return &measured_chips[i];
    return NULL;
}

enum measured_class measured_kernel_class(const struct measured_kernel *r)
{
    static const char *const unseen[] = { "convert", "compare", "select", "reshape" };

    if (strcmp(r->op, "matmul") == 0)
        return MEASURED_MATMUL;
    if (strcmp(r->op, "reduce") == 0)
        return MEASURED_REDUCE;
    if (strcmp(r->op, "layer-norm") == 0)
        return MEASURED_NORM;
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (strcmp(r->op, unseen[i]) == 0)
            return MEASURED_UNSEEN;
    return MEASURED_OTHER;
}

char *measured_kernel_name(char buf[MEASURED_NAME], const struct measured_kernel *r)
{
    snprintf(buf, MEASURED_NAME, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64, r->op, r->d[0], r->d[1],
             r->d[2]);
    return buf;
}

int measured_kernel_half(const struct measured_kernel *r)
{
    char text[MEASURED_NAME];
    uint32_t hash = 2166136261u;

    measured_kernel_name(text, r);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return (int)(hash >> 16 & 1);
}

int measured_chip_load(struct machine_spec **out, const struct measured_chip *chip,
                       const char *const *set, size_t n_set, struct err *err)
{
    if (spec_load(out, chip->machine, set, n_set, err) != 0)
        return -1;
    (*out)->core.kernel_gap = (*out)->core.program_time = 0;
    return 0;
}

/* --- as an operation ------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void add_word(struct measured_words *w,
                                                           const char *format, ...)
{
    va_list arg;

    BUG_ON(w->n == MEASURED_WORDS);
    va_start(arg, format);
    plain_text_list(w->word[w->n++], MEASURED_WORD, format, arg);
    va_end(arg);
}

static void add_shape(struct measured_words *w, const char *key, uint64_t a, uint64_t b, uint64_t c)
{
    add_word(w, "%s=%" PRIu64 "x%" PRIu64 "x%" PRIu64, key, a, b, c);
}

void measured_kernel_words(struct measured_words *w, const struct measured_kernel *r)
{
    uint64_t a = r->d[0], b = r->d[1], c = r->d[2], half = c / 2 ? c / 2 : 1;
    const char *op = r->op;

    *w = (struct measured_words){ 0 };
    /* the measured layer norms have no scale and no shift */
    add_word(w, "%s", strcmp(op, "layer-norm") == 0 ? "standardize" : op);
    if (strcmp(op, "matmul") == 0) {
        add_word(w, "m=%" PRIu64, a);
        add_word(w, "n=%" PRIu64, b);
        add_word(w, "k=%" PRIu64, c);
    } else if (strcmp(op, "broadcast") == 0) {
        add_shape(w, "shape", a, 1, c);
        add_shape(w, "to", a, b, c);
    } else if (strcmp(op, "concatenate") == 0) {
        add_shape(w, "shape", a, b, half);
        add_shape(w, "with", a, b, c > half ? c - half : 1);
        add_word(w, "axis=2");
    } else {
        add_shape(w, "shape", a, b, c);
    }
    if (strcmp(op, "transpose") == 0)
        add_word(w, "perm=0,2,1");
    else if (strcmp(op, "slice") == 0)
        add_shape(w, "to", a, b, half);
    else if (strcmp(op, "reshape") == 0)
        add_word(w, "to=%" PRIu64 "x%" PRIu64, a, b * c);
    else if (strcmp(op, "reduce") == 0)
        add_word(w, "dims=2");
    add_word(w, "dtype=bf16");
}

int measured_kernel_run(const struct measured_kernel *r, const struct machine_spec *spec,
                        struct run_result *result, struct err *err)
{
    struct measured_words w;
    const char *arg[MEASURED_WORDS] = { NULL };

    measured_kernel_words(&w, r);
    for (size_t i = 1; i < w.n; i++)
        arg[i - 1] = w.word[i];
    struct op_request q = {
        .kind = w.word[0],
        .arg = arg,
        .n_args = w.n - 1,
        .run = { .machine = r->chip->machine, .spec = spec, .brief = true },
    };
    return op_run(&q, result, err);
}

/* --- as the compiler makes it ---------------------------------------------------------------- */

int measured_kernel_replay(const struct measured_kernel *r, const struct machine_spec *spec,
                           const struct packed *p, struct run_result *result, struct err *err)
{
    char name[MEASURED_NAME];
    const struct packed_module *m = packed_find(p, measured_kernel_name(name, r));

    if (!m)
        return err_set(err, ERR_UNKNOWN, "%s has no %s: make kernels compiles it",
                       r->chip->compiled, name);
    struct run_request q = { .trace = name,
                             .text = m->text,
                             .text_size = m->size,
                             .machine = r->chip->machine,
                             .spec = spec,
                             .brief = true,
                             .steps = 1,
                             .alone = true };
    return run_replay(&q, result, err);
}

/* A copy in the background: copy-start, copy-done. */
static bool is_copy(const struct run_row *op)
{
    return strncmp(op->kind, "copy-", strlen("copy-")) == 0;
}

void measured_kernel_seconds(mpq_t q, const struct measured_kernel *r,
                             const struct run_result *result)
{
    bool waits = measured_kernel_class(r) != MEASURED_MATMUL;

    mpq_set_ui(q, 0, 1);
    for (size_t i = 0; i < result->n_ops; i++)
        if (waits || !is_copy(&result->ops[i]))
            exact_sum(q, result->ops[i].seconds);
}

void measured_kernel_estimate(mpq_t q, const struct run_result *result)
{
    mpq_set_ui(q, 0, 1);
    for (size_t i = 0; i < result->n_ops; i++)
        exact_sum(q, result->ops[i].estimated);
}
