/* A short run of what `make fuzz` does for long. */
#include <criterion/criterion.h>

#include "tests/hlo/hlo_mutate.h"

Test(hlo_mutate, spoiled_modules_are_read_or_refused)
{
    struct hlo_mutate u;
    struct hlo_mutate_counts counts = { 0, 0, 0 };

    hlo_mutate_begin(&u, NULL, 0);
    for (uint64_t i = 0; i < 20000; i++)
        cr_assert(hlo_mutate_try(&u, 1, i, &counts), "mutation %llu of seed 1",
                  (unsigned long long)i);
    hlo_mutate_end(&u);
    /* both happen often, so that both are tested */
    cr_expect_gt(counts.read, 2000);
    cr_expect_gt(counts.refused, 2000);
}

/* Every beginning of every module. */
Test(hlo_mutate, cut_modules)
{
    struct hlo_mutate_counts counts = { 0, 0, 0 };

    for (unsigned s = 0; s < HLO_SAMPLES; s++)
        for (size_t size = 0; size < strlen(hlo_samples[s]); size++) {
            char *text = malloc(size ? size : 1);
            memcpy(text, hlo_samples[s], size);
            cr_assert(hlo_mutate_read(text, size, &counts), "sample %u, %zu bytes", s, size);
            free(text);
        }
}
