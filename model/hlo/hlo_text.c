/* Pieces of the text of an HLO program. */
#include <string.h>

#include "hlo/hlo_module.h"

bool hlo_text_is(struct hlo_text t, const char *s)
{
    return t.at && strlen(s) == t.size && memcmp(t.at, s, t.size) == 0;
}

struct hlo_text hlo_unquoted(struct hlo_text t)
{
    if (t.at && t.size >= 2 && t.at[0] == '"' && t.at[t.size - 1] == '"')
        return (struct hlo_text){ t.at + 1, t.size - 2 };
    return t;
}
