/* The list of built-in machines: the embedded files that say how large their slice is. */
#include <stdbool.h>
#include <string.h>

#include "machine/catalog.h"
#include "machine/embedded.h"

static bool is_slice(const struct machine_file *f)
{
    return strstr(f->text, "\ncores = ") != NULL;
}

static const struct machine_file *nth(size_t i)
{
    for (size_t f = 0; f < machine_n_files; f++)
        if (is_slice(&machine_files[f]) && i-- == 0)
            return &machine_files[f];
    return NULL;
}

size_t catalog_count(void)
{
    size_t n = 0;

    for (size_t f = 0; f < machine_n_files; f++)
        n += is_slice(&machine_files[f]);
    return n;
}

const char *catalog_name(size_t i)
{
    return nth(i)->stem;
}

const char *catalog_summary(size_t i)
{
    return nth(i)->summary;
}
