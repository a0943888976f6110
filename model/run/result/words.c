#include "run/result/words.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static const struct words all[] = {
    { "TPU", "core", "chip", "slice", "all cores, chips and hosts", "slice", "per core",
      "per chip " },
    { "GPU", "GPU", "GPU", "machine", "all GPUs and hosts", "node", "per GPU", "" },
    { "CPU", "node", "node", "machine", "all nodes", "node", "per core", "per node " },
};

const struct words *words_of_chip(const char *chip)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (chip && strcmp(chip, all[i].chip) == 0)
            return &all[i];
    return &all[0];
}

const struct words *words_of_result(const struct run_result *r)
{
    return words_of_chip(r->chip);
}

char *words_link(const struct words *w, const char *link)
{
    static const char module[] = "chip";
    struct memory_text text;

    memory_text_begin(&text);
    while (*link) {
        bool is_device = strncmp(link, module, sizeof module - 1) == 0;
        if (is_device)
            fputs(w->device, text.out);
        else
            putc(*link, text.out);
        link += is_device ? sizeof module - 1 : 1;
    }
    return memory_text_end(&text);
}
