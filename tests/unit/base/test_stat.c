/* Counters are found by the names their tables give them. */
#include <criterion/criterion.h>

#include "base/stat.h"

struct counts {
    uint64_t first, second;
};

static const struct stat_desc rows[] = { STAT_RATIO(struct counts, "x.share", second, first, "")
                                             STAT_COUNTER(struct counts, first, "B", "")
                                                 STAT_COUNTER(struct counts, second, "B", "") };
static const struct stat_table table = { "x", rows, 3, sizeof(struct counts) };

Test(stat, counters_are_found_by_name)
{
    const struct counts c = { 3, 4 };

    cr_expect_eq(stat_counter(&table, &c, "first"), &c.first);
    cr_expect_eq(stat_counter(&table, &c, "second"), &c.second);
    cr_expect_null(stat_counter(&table, &c, "x.share"), "a ratio is no counter");
    cr_expect_null(stat_counter(&table, &c, "third"));
}
