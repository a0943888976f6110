/* rtl-test [-n SEQUENCES] [-s SEED] [-o NAME] - the Verilog array against a plain matrix product
 * and against model/hw/core/systolic.c, every cycle of every event.  Exit 1 if anything differs.
 *
 *   -n  random sequences of each array (default 100)     -o  only this array
 *   -s  of the first sequence; the next ones count up    */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "hw/core/systolic.h"

/* The arrays of this test, then NULL; tests/rtl/rules.mk writes it. */
extern const struct dut *const duts[];

static const char *const modes[] = { "serial", "exposed", "shadow", "wave" };

/* Sums over a mode and size. Late beats and rows came when the array waited for them; rows
 * without room were held up by a full result FIFO. */
struct sum {
    uint64_t arrays, sequences, tiles, rows, cycles, values, compared;
    uint64_t late_beats, late_rows, no_room, wrong;
};

static const struct {
    const char *heading;
    int width;
    size_t at;
} columns[] = {
    { "arrays", 7, offsetof(struct sum, arrays) },
    { "sequences", 10, offsetof(struct sum, sequences) },
    { "tiles", 8, offsetof(struct sum, tiles) },
    { "rows", 10, offsetof(struct sum, rows) },
    { "late w", 7, offsetof(struct sum, late_beats) },
    { "late r", 7, offsetof(struct sum, late_rows) },
    { "no room", 7, offsetof(struct sum, no_room) },
    { "cycles", 10, offsetof(struct sum, cycles) },
    { "values", 11, offsetof(struct sum, values) },
    { "events", 11, offsetof(struct sum, compared) },
    { "wrong", 6, offsetof(struct sum, wrong) },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static uint64_t *print_column(struct sum *s, int i)
{
    return (uint64_t *)((char *)s + columns[i].at);
}

struct range {
    uint64_t sequences, seed;
    const char *only;
};

/* Cycles of regular products by hand, from the first beat of weights to the last result at the end
 * of the array.  T tiles of M rows, b = M / rows a cycle, B = S / weight rows a cycle. */
static const struct literal {
    uint32_t size, load, weight_rows, rows_per_cycle, m, n, k;
    uint64_t cycles;
} literals[] = {
    { 8, ARRAY_SERIAL, 1, 1, 8, 8, 8, 30 },      /* 8 + 3*8 - 2 */
    { 8, ARRAY_SERIAL, 1, 1, 20, 16, 16, 168 },  /* 4 * (20 + 22) */
    { 8, ARRAY_SERIAL, 1, 2, 20, 16, 16, 128 },  /* 4 * (10 + 22) */
    { 8, ARRAY_SHADOW, 1, 1, 20, 16, 16, 103 },  /* 8 + 3*20 + 20 + 15 */
    { 8, ARRAY_SHADOW, 1, 1, 8, 16, 16, 76 },    /* 8 + 3*15 + 8 + 15 */
    { 8, ARRAY_SHADOW, 1, 2, 20, 16, 16, 78 },   /* 8 + 3*15 + 10 + 15 */
    { 8, ARRAY_WAVE, 1, 1, 20, 16, 16, 103 },    /* 8 + 3*20 + 20 + 15 */
    { 8, ARRAY_WAVE, 1, 1, 8, 16, 16, 55 },      /* 8 + 3*8 + 8 + 15 */
    { 8, ARRAY_WAVE, 1, 2, 20, 16, 16, 63 },     /* 8 + 3*10 + 10 + 15 */
    { 8, ARRAY_WAVE, 3, 1, 2, 16, 16, 29 },      /* 3 + 3*3 + 2 + 15 */
    { 8, ARRAY_EXPOSED, 1, 1, 20, 16, 16, 127 }, /* 4 * (8 + 20) + 15 */
    { 8, ARRAY_EXPOSED, 3, 1, 20, 16, 16, 107 }, /* 4 * (3 + 20) + 15 */
    { 8, ARRAY_EXPOSED, 3, 2, 19, 16, 16, 67 },  /* 4 * (3 + 10) + 15 */
};

/* Run and compare one sequence; returns whether all is right. */
static bool check_result(const struct dut *d, void *array, const struct sequence *s, bool complain,
                         struct sum *sum, uint64_t *done)
{
    const char *why;
    struct events *model = events_expect(d, s);

    /* every other one starts from a reset in the midst of its work */
    if (sum->sequences % 2)
        events_free(events_simulate(d, array, s, model->cycles / 2, &why));
    struct events *rtl = events_simulate(d, array, s, 2 * model->cycles + 1000, &why);
    uint64_t wrong = 1, values = 0;

    if (rtl) {
        wrong = events_differ(s, rtl, model, complain, &sum->compared);
        values = sequence_wrong(s, rtl->results);
        *done = rtl->tile_done[s->n_tiles - 1] - rtl->beat_taken[0];
        sum->cycles += rtl->cycles;
        sum->late_beats += model->late_beats;
        sum->late_rows += model->late_rows;
        sum->no_room += model->no_room;
    } else if (complain) {
        fprintf(stderr, "    %s\n", why);
    }
    if (values && complain)
        fprintf(stderr, "    %" PRIu64 " values are wrong\n", values);
    sum->sequences++;
    sum->tiles += s->n_tiles;
    sum->rows += s->n_rows;
    sum->values += (uint64_t)s->n_rows * s->size;
    sum->wrong += wrong + values;
    events_free(model);
    events_free(rtl);
    return !wrong && !values;
}

static void check_literals(const struct dut *d, void *array, struct sum *sum)
{
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        const struct literal *l = &literals[i];
        uint64_t done = 0;
        if (l->size != d->size || l->load != d->load ||
            l->weight_rows != d->weight_rows_per_cycle || l->rows_per_cycle != d->rows_per_cycle)
            continue;
        struct sequence *s = sequence_regular(d, l->m, l->n, l->k);
        bool right = check_result(d, array, s, true, sum, &done);
        if (!right || done != l->cycles) {
            fprintf(stderr, "%s: %u x %u x %u in %" PRIu64 " cycles, %" PRIu64 " by hand\n",
                    d->name, l->m, l->n, l->k, done, l->cycles);
            sum->wrong += done != l->cycles;
        }
        sequence_free(s);
    }
}

static void check_dut(const struct dut *d, const struct range *range, struct sum *sum)
{
    void *array = d->up();
    int complaints = 0;

    sum->arrays++;
    check_literals(d, array, sum);
    for (uint64_t i = 0; i < range->sequences; i++) {
        struct sequence *s = sequence_random(d, range->seed + i);
        uint64_t done;
        if (!check_result(d, array, s, complaints < 3, sum, &done) && complaints++ < 3)
            fprintf(stderr, "%s differs: again with -o %s -n 1 -s %" PRIu64 "\n", d->name, d->name,
                    range->seed + i);
        sequence_free(s);
    }
    d->down(array);
}

static void print_text(const char *mode, const char *size, struct sum *s)
{
    printf("%-8s %4s", mode, size);
    for (int i = 0; i < N_COLUMNS; i++)
        if (s)
            printf(" %*" PRIu64, columns[i].width, *print_column(s, i));
        else
            printf(" %*s", columns[i].width, columns[i].heading);
    puts("");
    fflush(stdout);
}

/* All arrays of a mode and size, then their line. */
static void check_size(uint32_t load, uint32_t size, const struct range *range, struct sum *all)
{
    struct sum sum = { 0 };
    char text[16];

    for (const struct dut *const *d = duts; *d; d++)
        if ((*d)->load == load && (*d)->size == size &&
            (!range->only || strcmp(range->only, (*d)->name) == 0))
            check_dut(*d, range, &sum);
    snprintf(text, sizeof text, "%u", size);
    if (sum.arrays)
        print_text(modes[load], text, &sum);
    for (int i = 0; i < N_COLUMNS; i++)
        *print_column(all, i) += *print_column(&sum, i);
}

int main(int argc, char **argv)
{
    struct range range = { .sequences = 100, .seed = 1 };
    struct sum all = { 0 };

    for (int c; (c = getopt(argc, argv, "n:s:o:")) != -1;) {
        if (c == 'n')
            range.sequences = strtoull(optarg, NULL, 10);
        else if (c == 's')
            range.seed = strtoull(optarg, NULL, 10);
        else if (c == 'o')
            range.only = optarg;
        else
            return 2;
    }
    print_text("load", "size", NULL);
    for (uint32_t load = 0; load < sizeof modes / sizeof *modes; load++)
        for (uint32_t size = 4; size <= 512; size *= 2)
            check_size(load, size, &range, &all);
    print_text("all", "", &all);
    /* a test in which nobody waits would show little */
    bool idle =
        !all.compared || (!range.only && (!all.late_beats || !all.late_rows || !all.no_room));
    if (all.wrong || idle)
        fprintf(stderr, "rtl-test: %s\n",
                all.wrong ? "RTL and model differ" : "nothing was tested");
    return all.wrong || idle;
}
