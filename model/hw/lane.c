#include "hw/lane.h"

static uint32_t serve(struct des *sim, void *self, uint32_t at)
{
    struct lane *l = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(l->take(sim, l->self, &l->left));
        if (l->fold) {
            if (l->left)
                DES_WAIT_FOR(sim, l->fold(sim, l->clock, l->left));
        } else {
            for (; l->left; l->left--)
                DES_WAIT_FOR(sim, des_clock_delay(sim, l->clock, 1));
        }
        DES_WAIT_UNTIL(l->finish(sim, l->self));
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
    l->serve = des_thread_new(sim, m, "serve", serve, l);
}
