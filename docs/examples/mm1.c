/* mm1.c - the M/M/1 queue: customers arrive at random, one server, first come first served.
 *
 *     [ street ] --arrival time--> queue --> [ server ]
 *
 * With arrivals at rate l and service at rate m, both exponential, a customer spends 1 / (m - l) in
 * the system on average.  Prints that and what the simulation finds. */
#include <math.h>
#include <stdio.h>

#include "des/des.h"

#define ROOT ((struct des_module){ 0 })
#define NS 1000000 /* femtoseconds */
#define CUSTOMERS 200000
#define ARRIVALS 0.5 /* a nanosecond */
#define SERVICES 1.0

/* A random delay, exponential with this rate per nanosecond (numbers from splitmix64). */
static des_time exponential(uint64_t *state, double rate)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    double uniform = ((double)(z >> 11) + 0.5) / 9007199254740992.0; /* in (0, 1), of 2^53 */
    return (des_time)(-log(uniform) / rate * NS);
}

struct street {
    struct des_out queue;
    uint64_t random;
    unsigned arrived;
    des_time now;
};

static uint32_t arrive(struct des *sim, void *self, uint32_t at)
{
    struct street *s = self;

    DES_BEGIN(at);
    for (; s->arrived < CUSTOMERS; s->arrived++) {
        DES_WAIT_FOR(sim, exponential(&s->random, ARRIVALS));
        s->now = des_now(sim);
        DES_PUT(sim, s->queue, &s->now);
    }
    DES_END;
}

struct server {
    struct des_in queue;
    uint64_t random;
    unsigned served;
    double sum; /* of the times in the system, ns */
    des_time customer;
};

static uint32_t serve(struct des *sim, void *self, uint32_t at)
{
    struct server *s = self;

    DES_BEGIN(at);
    for (;;) {
        DES_GET(sim, s->queue, &s->customer);
        DES_WAIT_FOR(sim, exponential(&s->random, SERVICES));
        s->sum += (double)(des_now(sim) - s->customer) / NS;
        s->served++;
    }
    DES_END;
}

int main(void)
{
    struct err err;
    struct street street = { .random = 1 };
    struct server server = { .random = 2 };
    struct des *sim = des_new();
    struct des_module outside = des_module_new(sim, ROOT, "street");
    struct des_module inside = des_module_new(sim, ROOT, "server");
    /* long enough: that 1000 wait has probability 2^-1000 */
    struct des_fifo queue = des_fifo_new(sim, inside, "queue", sizeof(des_time), 1000);

    street.queue = des_out_new(sim, outside, "queue", sizeof(des_time));
    server.queue = des_in_new(sim, inside, "in", sizeof(des_time));
    des_bind(sim, street.queue, queue);
    des_bind(sim, server.queue, queue);
    des_thread_new(sim, outside, "arrive", arrive, &street);
    des_thread_new(sim, inside, "serve", serve, &server);
    if (des_elaborate(sim, &err) != 0) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    des_run(sim, DES_NEVER);
    printf("customers                %u\n", server.served);
    printf("mean time in the system  %.3f ns\n", server.sum / server.served);
    printf("in theory                %.3f ns\n", 1 / (SERVICES - ARRIVALS));
    des_free(sim);
    return 0;
}
