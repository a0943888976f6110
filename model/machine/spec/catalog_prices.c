#include "machine/spec/catalog_prices.h"

#include <limits.h>
#include <string.h>

#include "base/line.h"
#include "machine/spec/embedded.h"
#include "machine/spec/sizes.h"

#define PRICES "prices.ini"

static char list_in_use[PATH_MAX]; /* the user's; "": none */

void catalog_prices_set(const char *path)
{
    memcpy(list_in_use, path, strlen(path) + 1);
}

/* The list is long, and most machines have nothing in it. */
int catalog_prices_apply(struct machine_spec *m, const char *machine, struct err *err)
{
    struct catalog_loader l = { .m = m, .price_section = machine };
    const struct machine_file *f = embedded_find(PRICES);
    char header[CATALOG_BASE + 4];

    snprintf(header, sizeof header, "\n[%s]\n", machine);
    return f && strstr(f->text, header) ? catalog_read(&l, PRICES, err) : 0;
}

int catalog_prices_apply_own(struct machine_spec *m, char (*chain)[CATALOG_BASE], int own, int n,
                             struct err *err)
{
    int generation = own;

    if (!*list_in_use)
        return 0;
    while (generation < n && !sizes_has_rule(chain[generation]))
        generation++;
    if (generation < n && generation != own) {
        struct catalog_loader l = { .m = m, .price_section = chain[generation] };
        if (catalog_read(&l, list_in_use, err) != 0)
            return -1;
    }
    struct catalog_loader l = { .m = m, .price_section = chain[own] };
    return catalog_read(&l, list_in_use, err);
}
