/* producer_consumer.c - two modules, a FIFO between them, a signal, and their waves in a file. */
#include <stdio.h>

#include "des/des.h"
#include "des/vcd.h"

struct stage { /* the producer puts; the consumer gets, and adds up in total */
    struct des_out out;
    struct des_in in;
    struct des_signal total;
    unsigned item;
};

static uint32_t produce(struct des *sim, void *self, uint32_t at)
{
    struct stage *p = self;

    DES_BEGIN(at);
    for (p->item = 1; p->item <= 5; p->item++)
        DES_PUT(sim, p->out, &p->item); /* waits while the FIFO is full */
    DES_END;
}

static void consume(struct des *sim, void *self)
{
    struct stage *c = self;

    if (des_get(sim, c->in, &c->item)) { /* else it is called again when an item has arrived */
        printf("%2u fs: item %u\n", (unsigned)des_now(sim), c->item);
        des_write(sim, c->total, des_read(sim, c->total) + c->item);
        des_next_time(sim, 3);
    }
}

int main(void)
{
    struct err err;
    struct des *sim = des_new();
    struct des_module left = des_module_new(sim, (struct des_module){ 0 }, "producer");
    struct des_module right = des_module_new(sim, (struct des_module){ 0 }, "consumer");
    struct des_fifo items = des_fifo_new(sim, right, "items", sizeof(unsigned), 2);
    struct stage p = { .out = des_out_new(sim, left, "out", sizeof(unsigned)) };
    struct stage c = { .in = des_in_new(sim, right, "in", sizeof(unsigned)),
                       .total = des_signal_new(sim, right, "total", 0) };
    struct des_vcd *waves = des_vcd_open(sim, "producer_consumer.vcd", &err);

    des_bind(sim, p.out, items);
    des_bind(sim, c.in, items);
    des_thread_new(sim, left, "produce", produce, &p);
    des_sensitive(sim, des_method_new(sim, right, "consume", consume, &c), c.in);
    des_vcd_add(waves, items, 2);
    des_vcd_add(waves, c.total, 8);
    if (!waves || des_elaborate(sim, &err) != 0)
        return fprintf(stderr, "%s\n", err.msg), 1;
    des_run(sim, DES_NEVER); /* until nothing is left to do */
    if (des_vcd_close(waves, &err) != 0)
        return fprintf(stderr, "%s\n", err.msg), 1;
    des_free(sim);
}
