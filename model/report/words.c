#include "report/words.h"

#include <string.h>

static const struct report_words words[] = {
    { "TPU", "core", "chip", "slice", "all cores, chips and hosts", "slice", "per core",
      "per chip " },
    { "GPU", "GPU", "GPU", "machine", "all GPUs and hosts", "node", "per GPU", "" },
    { "CPU", "node", "node", "machine", "all nodes", "node", "per core", "per node " },
};

const struct report_words *report_words(const struct run_result *r)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (r->chip && strcmp(r->chip, words[i].chip) == 0)
            return &words[i];
    return &words[0];
}
