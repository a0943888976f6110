#include "report/text/rest.h"

#include <string.h>

#include "base/exact.h"
#include "report/text/result_text.h"

bool rest_has(const mpq_t share)
{
    EXACT_Q(least);
    mpq_set_ui(least, 1, 2000);
    bool has = mpq_cmp(share, least) < 0;
    return has;
}

void rest_add(struct rest *rest, const char *name, FILE *out)
{
    static const char head[] = "  below 0.05 %: ", next[] = "    ";
    unsigned length = (unsigned)strlen(name);

    if (rest->width == 0) {
        fputs(head, out);
        rest->width = sizeof head - 1;
    } else if (rest->width + strlen(", ,") + length > RESULT_TEXT_WIDTH) {
        fprintf(out, ",\n%s", next);
        rest->width = sizeof next - 1;
    } else {
        fputs(", ", out);
        rest->width += 2;
    }
    fputs(name, out);
    rest->width += length;
}

void rest_end(const struct rest *rest, FILE *out)
{
    if (rest->width)
        putc('\n', out);
}
