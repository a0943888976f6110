/* One line on a machine. */
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/spec/sizes.h"
#include "machine/spec/spec.h"

char *catalog_summary(const char *name)
{
    struct machine_spec *m;
    struct err err;

    BUG_ON(spec_load(&m, name, NULL, 0, &err) != 0);
    char *summary = memory_copy(m->summary);
    spec_free(m);
    return summary;
}
