/* A predicted step as a profile: the columns of XProf's hlo_stats. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "report/profile_report.h"

#define DIGITS 9 /* significant, of microseconds */

/* The instruction of that name, or NULL. */
static const struct hlo_instruction *find_instruction(const struct hlo_module *m, const char *name)
{
    for (uint32_t i = 0; m && i < m->n_instructions; i++)
        if (hlo_text_is(m->instruction[i].name, name))
            return &m->instruction[i];
    return NULL;
}

static void write_text(const struct profiled *p, const struct profiled_kernel *k, FILE *out)
{
    const struct hlo_instruction *i = find_instruction(p->module, k->name);
    struct memory_text t;

    if (!i)
        return;
    memory_text_begin(&t);
    pairing_write(p->module, i, t.out);
    char *text = memory_text_end(&t);
    text_csv_field(text, out);
    free(text);
}

void report_profile_export(const struct profiled *p, FILE *out)
{
    uint64_t rank = 0;

    fputs("Rank,Program id,HLO op category,HLO op name,HLO op text,Framework op name,#Occurrences,"
          "Total time (us),Avg. time (us)\n",
          out);
    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct profiled_kernel *k = &p->kernel[i];
        EXACT_Q(us);
        EXACT_Q(factor);
        if (mpq_sgn(k->predicted) == 0 && !k->waits) /* a wait may be over at once */
            continue;
        mpq_set_ui(factor, 1000000, 1);
        mpq_mul(us, k->predicted, factor);
        fprintf(out, "%" PRIu64 ",1,%s,", ++rank, profiled_class_key[k->class]);
        text_csv_field(k->name, out);
        putc(',', out);
        write_text(p, k, out);
        putc(',', out);
        text_csv_field(k->scope, out);
        fprintf(out, ",%" PRIu64 ",", k->count);
        text_decimal(us, DIGITS, out);
        putc(',', out);
        exact_ratio(factor, 1, k->count ? k->count : 1);
        mpq_mul(us, us, factor);
        text_decimal(us, DIGITS, out);
        putc('\n', out);
    }
}
