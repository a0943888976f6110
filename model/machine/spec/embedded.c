#include "machine/spec/embedded.h"

#include <string.h>

#include "base/plain.h"

#define PREFIX "tpu-"

const struct machine_file *embedded_find(const char *name)
{
    for (size_t i = 0; i < machine_n_files; i++) {
        const struct machine_file *f = &machine_files[i];
        size_t skip = strncmp(f->stem, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX) : 0;
        if (plain_same(f->name, name) || plain_same(f->stem, name) ||
            plain_same(f->stem + skip, name))
            return f;
    }
    return NULL;
}
