#include "report/text/group_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_write.h"

void group_name(const struct run_row *group, unsigned width, FILE *out)
{
    char *times = group->names > 1 ? memory_format(" x%llu", (unsigned long long)group->names)
                                   : memory_copy("");
    unsigned left = (unsigned)strlen(times) < width ? width - (unsigned)strlen(times) : 0;

    if (strlen(group->name) <= left) { /* bytes are at least as many as columns */
        char *whole = memory_format("%s%s", group->name, times);
        text_column(whole, width, out);
        free(whole);
    } else {
        text_column(group->name, left, out);
        fputs(times, out);
    }
    free(times);
}
