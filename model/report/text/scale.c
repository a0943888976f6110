#include "report/text/scale.h"

#include <stdbool.h>
#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"

static const struct {
    const char *prefix;
    unsigned long num, den; /* factor */
} prefixes[] = {
    { "T", 1, 1000000000000 }, { "G", 1, 1000000000 }, { "M", 1, 1000000 },
    { "k", 1, 1000 },          { "", 1, 1 },           { "m", 1000, 1 },
    { "u", 1000000, 1 },       { "n", 1000000000, 1 },
};
enum { TERA = 0, NONE = 4, NANO = 7 };

void scale_init(struct scale *s, const mpq_t largest, const char *unit)
{
    bool time = strcmp(unit, "s") == 0; /* no kiloseconds, no millibytes */
    size_t i = time ? NONE : TERA, last = time ? NANO : NONE;

    EXACT_Q(scaled);
    mpq_init(s->factor);
    for (;; i++) {
        mpq_set_ui(s->factor, prefixes[i].num, prefixes[i].den);
        mpq_mul(scaled, largest, s->factor);
        if (i == last || mpq_cmp_ui(scaled, 1, 1) >= 0)
            break;
    }
    snprintf(s->unit, sizeof s->unit, "%s%s", prefixes[i].prefix, unit);
}

void scale_init_mpz(struct scale *s, const mpz_t largest, const char *unit)
{
    EXACT_Q(q);
    mpq_set_z(q, largest);
    scale_init(s, q, unit);
}

void scale_clear(struct scale *s)
{
    mpq_clear(s->factor);
}

void scale_write(const mpq_t q, const struct scale *s, int width, FILE *out)
{
    text_fixed(q, s->factor, 3, width, out);
}

void scale_write_mpz(const mpz_t z, const struct scale *s, int width, FILE *out)
{
    EXACT_Q(q);
    mpq_set_z(q, z);
    scale_write(q, s, width, out);
}
