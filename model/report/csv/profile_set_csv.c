/* The kernels of a folder of programs with profiles of them, as CSV. */
#include <inttypes.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/profile_set_report.h"

#define DIGITS 9 /* significant, of microseconds and errors */

static void write_microseconds(const mpq_t seconds, FILE *out)
{
    EXACT_Q(us);

    mpq_set_ui(us, 1000000, 1);
    mpq_mul(us, us, seconds);
    text_decimal(us, DIGITS, out);
}

static void write_kernel(const struct profile_set_pair *p, const struct profile_set_kernel *k,
                         FILE *out)
{
    text_csv_field(p->name, out);
    putc(',', out);
    text_csv_field(p->machine, out);
    putc(',', out);
    text_csv_field(p->generation, out);
    fprintf(out, ",%s,%s,%s,", profile_set_use_name[p->use], profiled_class_key[k->class],
            profile_set_regime_name[k->regime]);
    text_csv_field(k->name, out);
    fprintf(out, ",%" PRIu64 ",", k->count);
    write_microseconds(k->predicted, out);
    putc(',', out);
    write_microseconds(k->measured, out);
    putc(',', out);
    if (mpq_sgn(k->estimated) > 0)
        write_microseconds(k->estimated, out);
    putc(',', out);
    text_decimal(k->error, DIGITS, out);
    putc('\n', out);
}

void report_profile_set_csv(const struct profile_set *s, FILE *out)
{
    fputs("pair,machine,generation,use,class,limit,kernel,count,predicted_us,measured_us,"
          "estimated_us,error\n",
          out);
    for (size_t i = 0; i < s->n_pairs; i++)
        for (size_t k = 0; k < s->pair[i].n_kernels; k++)
            write_kernel(&s->pair[i], &s->pair[i].kernel[k], out);
}
