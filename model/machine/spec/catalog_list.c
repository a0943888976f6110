/* Names of machines and memory parts: the lists of those that are built in, what a name stands for,
 * and what is said of an unknown one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/spec/embedded.h"
#include "machine/spec/sizes.h"
#include "machine/spec/spec.h"

bool catalog_next(struct catalog_machine *m)
{
    for (const char *generation; (generation = sizes_generation(m->generation)); m->generation++) {
        struct sizes_slice s, next;
        bool any = sizes_after(generation, m->number, &s);
        /* blocks are doubled, and the largest slice is the last */
        while (any && s.blocks & (s.blocks - 1) && sizes_after(generation, s.number, &next))
            s = next;
        m->number = any ? s.number : 0;
        if (!any)
            continue;
        memcpy(m->name, s.name, sizeof m->name);
        return true;
    }
    return false;
}

const char *catalog_box(size_t i)
{
    for (size_t f = 0; f < machine_n_files; f++) {
        const char *text = machine_files[f].text;
        bool machine = strstr(text, "\nkind = ") || strstr(text, "\nbase = ");
        bool library = strstr(text, "\n[product_f32]\n");
        if (machine && !library && !sizes_has_rule(machine_files[f].stem) && i-- == 0)
            return machine_files[f].stem;
    }
    return NULL;
}

bool catalog_is_base(const char *box)
{
    static const char key[] = "\nbase = ";
    size_t n = strlen(box);

    for (size_t f = 0; f < machine_n_files; f++) {
        const char *at = strstr(machine_files[f].text, key);
        if (!at || !sizes_has_rule(machine_files[f].stem))
            continue;
        at += sizeof key - 1;
        if (strncmp(at, box, n) == 0 && (at[n] == '\n' || at[n] == ' '))
            return true;
    }
    return false;
}

char *catalog_range(size_t generation)
{
    const char *name = sizes_generation(generation);
    struct sizes_slice s, block = { 0 }, last = { 0 };
    struct memory_text text;

    memory_text_begin(&text);
    char *pattern = sizes_pattern(name);
    fprintf(text.out, "%s: ", pattern);
    free(pattern);
    for (uint32_t n = 0; sizes_after(name, n, &s); n = s.number) {
        if (s.blocks == 1)
            fprintf(text.out, "%s%" PRIu32, n ? ", " : "", s.number);
        block = s.blocks == 2 ? s : block;
        last = s;
    }
    if (last.blocks > 1)
        fprintf(text.out, " and multiples of %" PRIu32 " up to %" PRIu32, block.number / 2,
                last.number);
    return memory_text_end(&text);
}
