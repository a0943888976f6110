/* Kinds of operations of a row, by their time. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "study/validate/validate_job.h"

void validate_note_kinds(struct validate_row *r, const struct run_result *result)
{
    const struct account *a = &result->account;
    struct memory_text text;

    EXACT_Q(least);
    exact_ratio(least, ACCOUNT_LEAST, 100);
    mpq_mul(least, least, result->seconds_per_step);
    free(r->kinds);
    memory_text_begin(&text);
    for (size_t i = 0; i < a->n_kinds; i++)
        if (mpq_cmp(a->kind[i].seconds, least) >= 0)
            fprintf(text.out, "%s\n", a->kind[i].what);
    r->kinds = memory_text_end(&text);
}
