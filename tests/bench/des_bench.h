/* des_bench.h - the models that time the event kernel.  tests/bench/systemc/ has the same ones for
 * SystemC: the same processes, bodies, sizes and random numbers, so the counts must agree. */
#ifndef DES_BENCH_H
#define DES_BENCH_H

#include "des/des.h"

#define DES_BENCH_STEP_FS 1000000    /* of models whose processes run all at once */
#define DES_BENCH_MEAN_FS 1000000000 /* of exponential delays; of mm1 the mean service time */
#define DES_BENCH_TABLE_BITS 12

struct des_bench {
    const struct des_bench_model *model;
    struct des *sim;
    struct des_module top; /* owns the channels and the clock */
    size_t n;
    void *modules;        /* n of them, model->module_size each; they start with their count */
    void *sources;        /* of pairs and mm1: the other n */
    des_time *delays[2];  /* tables of exponential delays */
    uint64_t rounds;      /* rounds of all processes that were asked for so far */
    des_time until;       /* of mm1 */
    uint64_t forgotten;   /* of mm1: customers that are not measured */
    struct des_clock clk; /* of the clocked ones */
};

struct des_bench_model {
    const char *name, *kind;
    size_t module_size, source_size;
    void (*build)(struct des_bench *b); /* before elaboration */
    void (*advance)(struct des_bench *b, uint64_t events);
};

extern const struct des_bench_model des_bench_timed_models[]; /* up to a null name */
extern const struct des_bench_model des_bench_flow_models[];

/* Each draws from a generator of its own, so that the order of the processes plays no part. */
struct des_bench_draw {
    uint64_t state;
};

static inline struct des_bench_draw des_bench_seed(uint64_t seed)
{
    return (struct des_bench_draw){ seed * UINT64_C(0x9e3779b97f4a7c15) + 1 };
}

static inline des_time des_bench_draw(struct des_bench_draw *d, const des_time *table)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return table[d->state >> (64 - DES_BENCH_TABLE_BITS)];
}

/* A table of delays of this mean in femtoseconds, for des_bench_draw. */
des_time *des_bench_exponential(double mean);
/* A module below the top; `letter` and `i` make up its name. */
struct des_module des_bench_module(struct des_bench *b, char letter, size_t i);
/* "f17", in `buf` of 24 bytes. */
const char *des_bench_name(char buf[24], char letter, size_t i);
/* The sum of what the modules counted so far. */
uint64_t des_bench_events(const struct des_bench *b);
/* For mm1: mean time in the system in service times since des_bench_forget. */
double des_bench_sojourn(const struct des_bench *b);
void des_bench_forget(struct des_bench *b);

#endif
