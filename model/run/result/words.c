#include "run/result/words.h"

#include <string.h>

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
