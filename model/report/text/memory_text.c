#include "report/text/memory_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/exact.h"
#include "base/plain.h"
#include "base/text_write.h"

#define INDENT "\n           "
#define LONGEST 10
#define NAMES 39   /* columns of a name */
#define LARGEST 33 /* ... of the largest buffer */

static void print_compiler(const struct run_compiler_peak *p, FILE *out)
{
    bool less = p->counted < p->stated;
    EXACT_Q(error);

    if (p->stated == 0)
        return;
    exact_ratio(error, less ? p->stated - p->counted : p->counted - p->stated, p->stated);
    fputs(p->agrees ? INDENT "the compiler says " : INDENT "THE COMPILER SAYS ", out);
    text_bytes(p->stated, out);
    fputs(p->agrees ? "; ours, counted as it counts, is " : ": ours, counted as it counts, is ",
          out);
    text_bytes(p->counted, out);
    if (p->agrees)
        return;
    fputs(", ", out);
    text_share(error, 0, out);
    fprintf(out, " %% %s", less ? "less" : "more");
}

static void print_on_chip(const struct run_on_chip *m, const char *name, FILE *out)
{
    if (m->peak == 0)
        return;
    fprintf(out,
            m->peak > m->capacity ? INDENT "TOO MUCH FOR %s: between kernels "
                                  : INDENT "in %s between kernels ",
            name);
    text_bytes(m->peak, out);
    fputs(" of ", out);
    text_bytes(m->capacity, out);
}

void memory_text_program(const struct run_result *r, FILE *out)
{
    print_compiler(&r->compiler_peak, out);
    print_on_chip(&r->vmem, "VMEM", out);
    print_on_chip(&r->cmem, "CMEM", out);
}

/* The end of a long name says more than its beginning. */
static void print_name(const struct run_owner *o, FILE *out)
{
    char argument[64];
    size_t n = strlen(o->name);

    if (n == 0) {
        snprintf(argument, sizeof argument, "(not given: %s)", result_role_name[o->role]);
        text_column(argument, NAMES, out);
    } else if (n <= NAMES) {
        text_column(o->name, NAMES, out);
    } else {
        fputs("...", out);
        text_column(o->name + n - (NAMES - 3), NAMES - 3, out);
    }
}

static void print_owners(const struct run_owner *o, size_t n, const char *what,
                         const struct run_result *r, FILE *out)
{
    size_t shown = n < LONGEST ? n : LONGEST;
    char title[64];
    EXACT_Q(part);
    EXACT_Q(all);

    if (n == 0 || (n == 1 && !*o->name))
        return;
    snprintf(title, sizeof title, "%zu of %zu %ss at the peak", shown, n, what);
    putc('\n', out);
    text_column(title, NAMES + 2, out);
    fprintf(out, "%11s%7s%9s  %s\n", "MiB", "%", "buffers", "the largest");
    exact_ratio(all, r->peak_bytes_per_core, 1);
    for (size_t i = 0; i < shown; i++) {
        fputs("  ", out);
        print_name(&o[i], out);
        exact_ratio(part, o[i].bytes, 1);
        plain_print(out, "%11.2f", (double)o[i].bytes / (1 << 20));
        text_percent(part, all, 7, out);
        fprintf(out, "%9" PRIu64 "  ", o[i].buffers);
        size_t length = strlen(o[i].largest);
        text_column(o[i].largest, length < LARGEST ? (unsigned)length : LARGEST, out);
        putc('\n', out);
    }
}

void memory_text_owners(const struct run_result *r, FILE *out)
{
    print_owners(r->owners.scope, r->owners.n_scopes, "scope", r, out);
    print_owners(r->owners.source, r->owners.n_sources, "source line", r, out);
}
