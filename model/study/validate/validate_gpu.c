/* Measured kernels of GPUs as rows: those that no constant is fitted on. */
#include <stdio.h>
#include <string.h>

#include "base/exact.h"
#include "study/validate/validate_job.h"

/* Fields of a table; `half` is the last one, behind the source where there is one.  A table without
 * it has nothing that a constant is fitted on. */
enum { SET, MACHINE, KIND, ARGUMENTS, US, OFFSET, LEAST, MOST = LEAST + 2 };

/* The tables, and what their rows are from where these do not say. */
static const struct {
    const char *stem, *source;
} sources[] = {
    { "gpu_b200", "xla-tables" }, { "gpu_graphs", "gpu-graphs" }, { "gpu_h100", "gpu-h100" },
    { "gpu_kernels", NULL },      { "gpu_pytorch", NULL },
};
enum { N_SOURCES = sizeof sources / sizeof *sources };

static size_t find_source(const struct published_file *file)
{
    size_t i = 0;

    while (i < N_SOURCES && strcmp(file->stem, sources[i].stem) != 0)
        i++;
    return i;
}

bool validate_is_gpu(const struct published_file *file)
{
    return find_source(file) < N_SOURCES;
}

/* "products of GPUs, h100-sxm-80gb bf16 from 1e9 FLOP", "kernels of GPUs, h100x1 TF32 conv 2-D" */
static const char *name_class(struct validate_result *v, const char *set, const char *kind)
{
    char name[PUBLISHED_FIELD + 32];

    snprintf(name, sizeof name, "%s of GPUs, %s",
             strcmp(kind, "matmul") == 0 ? "products" : "kernels", set);
    return validate_intern(v, name);
}

/* A time, and what of it timing has added.  1: most of the time is not the kernel's own, so that it
 * says nothing; -1: no number. */
static int read_time(mpq_t us, mpq_t more, const char *text, const char *offset)
{
    EXACT_Q(half);
    const char *end = exact_parse(us, text), *rest = exact_parse(more, offset);

    if (!end || *end || !rest || *rest || mpq_sgn(us) <= 0 || mpq_sgn(more) < 0)
        return -1;
    mpq_div_2exp(half, us, 1);
    return mpq_cmp(more, half) > 0;
}

int validate_read_gpu(struct validate_plan *p, const struct published_file *file, struct err *err)
{
    char f[MOST][PUBLISHED_FIELD], workload[PUBLISHED_FIELD + 3], what[2 * PUBLISHED_FIELD + 4],
        words[PUBLISHED_FIELD + 20];
    const char *own = sources[find_source(file)].source;
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, MOST)) > 0) {
        EXACT_Q(us);
        EXACT_Q(more);
        bool says = n > LEAST + 1; /* its source */
        int rc = n < LEAST || (!says && !own) ? -1 : read_time(us, more, f[US], f[OFFSET]);
        if (rc < 0)
            return published_refuse(&t, err);
        if (rc > 0 || (n > LEAST && strcmp(f[n - 1], "test") != 0))
            continue;
        snprintf(workload, sizeof workload, "op %s", f[KIND]);
        snprintf(what, sizeof what, "%s %s", workload, f[ARGUMENTS]);
        snprintf(words, sizeof words, "%s launch.tf32=%s", f[ARGUMENTS],
                 strstr(f[SET], "TF32") ? "yes" : "no");
        struct validate_row *r =
            validate_add_row(p->v, name_class(p->v, f[SET], f[KIND]), f[MACHINE], what, "step",
                             "us", says ? f[LEAST] : own);
        mpq_set(r->measured, us);
        mpq_set(r->added, more);
        exact_ratio(r->tolerance, 1, 5);
        validate_add_job(p, VALIDATE_WORKLOAD, f[MACHINE], workload, words, "");
    }
    return 0;
}
