/* Measured collectives of GPUs as rows: those that no constant is fitted on. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "study/validate/validate_job.h"

#define LARGE (UINT64_C(1) << 20) /* bytes */

enum { HALF, MACHINE, KIND, ARGUMENTS, US, SOURCE, N };

/* "collectives of GPUs, h100x8, from 1 MiB" */
static const char *name_class(struct validate_result *v, const char *machine, const char *arguments)
{
    const char *bytes = strstr(arguments, "bytes=");
    bool large = bytes && strtoull(bytes + 6, NULL, 10) >= LARGE;
    char name[96];

    snprintf(name, sizeof name, "collectives of GPUs, %.32s, %s", machine,
             large ? "from 1 MiB" : "below");
    return validate_intern(v, name);
}

int validate_read_collectives(struct validate_plan *p, const struct published_file *file,
                              struct err *err)
{
    char f[N][PUBLISHED_FIELD], workload[PUBLISHED_FIELD + 3], what[2 * PUBLISHED_FIELD + 4];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, N)) > 0) {
        if (n != N)
            return published_refuse(&t, err);
        if (strcmp(f[HALF], "held out") != 0)
            continue;
        snprintf(workload, sizeof workload, "op %s", f[KIND]);
        snprintf(what, sizeof what, "%s %s", workload, f[ARGUMENTS]);
        struct validate_row *r = validate_add_row(p->v, name_class(p->v, f[MACHINE], f[ARGUMENTS]),
                                                  f[MACHINE], what, "step", "us", f[SOURCE]);
        const char *end = exact_parse(r->measured, f[US]);
        if (!end || *end || mpq_sgn(r->measured) <= 0)
            return published_refuse(&t, err);
        exact_ratio(r->tolerance, 1, 5);
        validate_add_job(p, VALIDATE_WORKLOAD, f[MACHINE], workload, f[ARGUMENTS], "");
    }
    return 0;
}
