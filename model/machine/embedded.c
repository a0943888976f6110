#include "machine/embedded.h"

#include <string.h>

#define PREFIX "tpu-"

const struct machine_file *embedded_find(const char *name)
{
    for (size_t i = 0; i < machine_n_files; i++) {
        const struct machine_file *f = &machine_files[i];
        size_t skip = strncmp(f->stem, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX) : 0;
        if (strcasecmp(f->name, name) == 0 || strcasecmp(f->stem, name) == 0 ||
            strcasecmp(f->stem + skip, name) == 0)
            return f;
    }
    return NULL;
}
