/* mutate.c - read N spoiled HLO modules: mutate N [SEED] [FIRST], or show one: mutate show SEED I.
 *
 * Meant to run under ASan and UBSan.  Whatever goes wrong is named by its seed and number. */
#include <inttypes.h>
#include <time.h>

#include "tests/hlo/hlo_mutate.h"

static uint64_t seed = 1, current;

/* The sanitizers call it before they end the program. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void tell_current(void)
{
    fprintf(stderr, "mutation %" PRIu64 " of seed %" PRIu64 "\n", current, seed);
}

static int run_all(uint64_t first, uint64_t n)
{
    struct hlo_mutate u = { .text = malloc(HLO_MUTATE_ROOM) };
    struct hlo_mutate_counts counts = { 0, 0, 0 };
    int rc = 0;

    for (current = first; current < first + n && rc == 0; current++)
        if (!hlo_mutate_try(&u, seed, current, &counts)) {
            tell_current();
            rc = 1;
        }
    free(u.text);
    printf("hlo: %" PRIu64 " spoiled modules: %" PRIu64 " read (%" PRIu64 " instructions), %" PRIu64
           " refused\n",
           counts.read + counts.refused, counts.read, counts.instructions, counts.refused);
    return rc;
}

static int show_one(uint64_t i)
{
    struct hlo_mutate u = { .text = malloc(HLO_MUTATE_ROOM) };

    hlo_mutate_make(&u, seed, i);
    fwrite(u.text, 1, u.size, stdout);
    free(u.text);
    return 0;
}

int main(int argc, char **argv)
{
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell_current);
    if (argc == 4 && strcmp(argv[1], "show") == 0) {
        seed = strtoull(argv[2], NULL, 0);
        return show_one(strtoull(argv[3], NULL, 0));
    }
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: mutate N [SEED] [FIRST], mutate show SEED I\n");
        return 2;
    }
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    return run_all(argc > 3 ? strtoull(argv[3], NULL, 0) : 0, strtoull(argv[1], NULL, 0));
}
