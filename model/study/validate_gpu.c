/* Measured kernels of GPUs as rows: those that no constant is fitted on. */
#include <stdio.h>
#include <string.h>

#include "base/exact.h"
#include "study/validate_job.h"

/* Fields of a table; `half` is the last one, behind the source where there is one. */
enum { SET, MACHINE, KIND, ARGUMENTS, US, OFFSET, LEAST, MOST = LEAST + 2 };

/* Products have fits and tables of their own. */
static bool is_product(const char *set)
{
    return strstr(set, "products") || strstr(set, "batches");
}

/* "kernels of GPUs, h100x1 TF32 conv 2-D" */
static const char *name_class(struct validate_result *v, const char *set)
{
    char name[PUBLISHED_FIELD + 32];

    snprintf(name, sizeof name, "kernels of GPUs, %s", set);
    return validate_intern(v, name);
}

int validate_read_gpu(struct validate_plan *p, const struct published_file *file, struct err *err)
{
    char f[MOST][PUBLISHED_FIELD], workload[PUBLISHED_FIELD + 3], what[2 * PUBLISHED_FIELD + 4],
        words[PUBLISHED_FIELD + 20];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, MOST)) > 0) {
        if (n <= LEAST)
            return published_refuse(&t, err);
        if (strcmp(f[n - 1], "test") != 0 || is_product(f[SET]))
            continue;
        snprintf(workload, sizeof workload, "op %s", f[KIND]);
        snprintf(what, sizeof what, "%s %s", workload, f[ARGUMENTS]);
        snprintf(words, sizeof words, "%s launch.tf32=%s", f[ARGUMENTS],
                 strstr(f[SET], "TF32") ? "yes" : "no");
        struct validate_row *r =
            validate_add_row(p->v, name_class(p->v, f[SET]), f[MACHINE], what, "step", "us",
                             n > LEAST + 1 ? f[LEAST] : "gpu-h100");
        const char *end = exact_parse(r->measured, f[US]);
        if (!end || *end || mpq_sgn(r->measured) <= 0)
            return published_refuse(&t, err);
        exact_ratio(r->tolerance, 1, 5);
        validate_add_job(p, VALIDATE_WORKLOAD, f[MACHINE], workload, words, "");
    }
    return 0;
}
