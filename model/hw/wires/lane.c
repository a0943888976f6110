/* The thread of a lane. */
#include "hw/wires/lane.h"

enum { STATE, LEFT };
static const struct des_probe_row rows[] = {
    [STATE] = SHOW_STATE("state", "busy from a request to its end"),
    [LEFT] = SHOW_FINE("left", NULL, "edges of the clock that the request still takes"),
};

/* May the request at hand take the shortcut?  Sets l->folded. */
static bool folds_request(const struct des *sim, struct lane *l)
{
    if (!l->fold)
        return false;
    l->folded = l->left ? l->fold(sim, l->clock, l->left) : 0;
    return !des_walks(sim, l->show, des_now(sim) + l->folded);
}

static void meter_request(struct des *sim, struct lane *l)
{
    des_time now = des_now(sim), takes = l->fold   ? l->folded
                                         : l->left ? des_clock_delay(sim, l->clock, l->left)
                                                   : 0;

    meter_begin(sim, &l->meter, l->since ? l->since : now, now + takes, l->amount);
}

static uint32_t serve_requests(struct des *sim, void *self, uint32_t at)
{
    struct lane *l = self;
    bool folds; /* not kept while the thread waits */

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(l->take(sim, l->self, &l->left));
        des_show(sim, l->show, STATE, SHOW_BUSY);
        folds = folds_request(sim, l);
        if (l->amount)
            meter_request(sim, l);
        if (folds) {
            if (l->folded)
                DES_WAIT_FOR(sim, l->folded);
        } else {
            for (; l->left; l->left--) {
                des_show(sim, l->show, LEFT, l->left);
                DES_WAIT_FOR(sim, des_clock_delay(sim, l->clock, 1));
            }
            des_show(sim, l->show, LEFT, 0);
        }
        if (l->amount)
            meter_end(sim, &l->meter);
        des_show(sim, l->show, STATE, SHOW_BLOCKED);
        DES_WAIT_UNTIL(l->finish(sim, l->self));
        des_show(sim, l->show, STATE, SHOW_IDLE);
    }
    DES_END;
}

void lane_init(struct lane *l, struct des *sim, struct des_module m, uint64_t hz,
               lane_fold_fn *fold, void *self,
               bool (*take)(struct des *sim, void *self, uint64_t *units),
               bool (*finish)(struct des *sim, void *self))
{
    *l = (struct lane){ .fold = fold, .self = self, .take = take, .finish = finish };
    l->clock = des_clock_new(sim, m, "clock", hz);
    l->show = SHOW_PROBES(sim, m, rows);
    l->serve = des_thread_new(sim, m, "serve", serve_requests, l);
}

void lane_meter(struct lane *l, struct des *sim, struct des_probes show, uint32_t row,
                uint64_t peak, uint64_t *count)
{
    meter_init(&l->meter, sim, show, row, peak, count);
}
