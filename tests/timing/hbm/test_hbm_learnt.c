/* Is a mix that was walked once looked up from then on, by other machines and other processes, and
 * never mistaken for another? */
#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hw/hbm/hbm_learnt.h"

enum { READ = 1, BOTH = 33 }; /* keys: a lone read; a read and a write */

/* A part that no built-in machine has. */
static struct hbm_part strange_part(uint64_t write_latency)
{
    struct dram_params par;
    struct hbm_part p;

    param_defaults(&dram_param_table, &par);
    par.write_latency = write_latency;
    hbm_part_init(&p, &par, 1 << 20, dram_bytes_per_s(&par));
    cr_assert_null(hbm_walked_find(p.walked, BOTH));
    return p;
}

static uint64_t cycles_seen(struct hbm_part *p, hbm_mix_key key)
{
    return hbm_part_seen(p, hbm_part_mix(p, key))->seen->cycles;
}

Test(hbm_learnt, a_walk_leaves_what_it_counted)
{
    struct hbm_part p = strange_part(7777777);
    struct hbm_mixed walked;
    struct hbm_walked row;

    cr_assert(!hbm_learnt_find(p.walked, BOTH, &row));
    cycles_seen(&p, BOTH);
    hbm_part_walk(&p, BOTH, &walked);
    cr_assert(hbm_learnt_find(p.walked, BOTH, &row));
    cr_assert_eq(row.cycles, walked.cycles);
    cr_assert_arr_eq(&row.st, &walked.st, sizeof row.st);
    cr_assert(!hbm_learnt_find(p.walked + 1, BOTH, &row));
    cr_assert(!hbm_learnt_find(p.walked, (hbm_mix_key)BOTH << 64, &row));
    hbm_part_free(&p);
}

/* A row that no walk could find, so whoever sees it has not walked. */
Test(hbm_learnt, an_equal_part_does_not_walk_again)
{
    struct hbm_part p = strange_part(8888888);
    struct hbm_walked row = { .part = p.walked, .low = READ, .cycles = 12345 };

    row.st.hits = 678;
    hbm_learnt_add(&row);
    struct hbm_mixture m = *hbm_part_seen(&p, hbm_part_mix(&p, READ));
    cr_assert_eq(m.seen->cycles, 12345);
    cr_assert_eq(m.seen->st.hits, 678);
    hbm_part_free(&p);
    struct hbm_part other = strange_part(8888889);
    cr_assert_neq(cycles_seen(&other, READ), 12345);
    hbm_part_free(&other);
}

/* Add a row in a process of its own. */
static void add_elsewhere(const struct hbm_walked *row)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        hbm_learnt_add(row);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
}

Test(hbm_learnt, processes_forked_later_share_the_table)
{
    struct hbm_walked before = { .part = 1, .low = READ, .cycles = 10 },
                      alone = { .part = 2, .low = READ, .cycles = 20 },
                      shared = { .part = 3, .high = 5, .low = READ, .cycles = 30 }, row;

    hbm_learnt_add(&before);
    add_elsewhere(&alone);
    cr_assert(!hbm_learnt_find(2, READ, &row));
    hbm_learnt_share();
    hbm_learnt_share();
    add_elsewhere(&shared);
    cr_assert(hbm_learnt_find(1, READ, &row));
    cr_assert_eq(row.cycles, 10);
    cr_assert(hbm_learnt_find(3, (hbm_mix_key)5 << 64 | READ, &row));
    cr_assert_eq(row.cycles, 30);
    cr_assert(!hbm_learnt_find(2, READ, &row));
}

Test(hbm_learnt, a_full_table_keeps_what_it_has)
{
    uint32_t found = 0;
    struct hbm_walked row;

    for (uint32_t i = 0; i < 2 * HBM_LEARNT_MOST; i++)
        hbm_learnt_add(&(struct hbm_walked){ .part = i, .low = READ, .cycles = 3 * i });
    for (uint32_t i = 0; i < 2 * HBM_LEARNT_MOST; i++)
        if (hbm_learnt_find(i, READ, &row)) {
            cr_assert_eq(row.cycles, 3 * i);
            found++;
        }
    cr_assert_eq(found, HBM_LEARNT_MOST);
    cr_assert(hbm_learnt_find(0, READ, &row));
}
