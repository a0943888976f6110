/* Two threads between a core's DMA and HBM: one for requests, one for answers. */
#include "hw/core/decompressor.h"

#include "base/units.h"
#include "base/wide.h"

#define P(...) PARAM_DESC(struct decompressor_params, __VA_ARGS__)
static const struct param_desc params[] = { DECOMPRESSOR_PARAMS(P) };
const struct param_table decompressor_param_table = { "decompressor", params,
                                                      sizeof params / sizeof *params,
                                                      sizeof(struct decompressor_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct decompressor_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct decompressor_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { DECOMPRESSOR_STATS(C, R) };
const struct stat_table decompressor_stat_table = { "decompressor", stats,
                                                    sizeof stats / sizeof *stats,
                                                    sizeof(struct decompressor_stats) };
static const struct component_class decompressor_class = { .name = "decompressor",
                                                           .parameters = &decompressor_param_table,
                                                           .statistics = &decompressor_stat_table,
                                                           .counters =
                                                               offsetof(struct decompressor, st) };

static void shorten_read(struct decompressor *d)
{
    struct task_move *move = &d->request.move;
    u128 bytes = (u128)move->bytes * d->par.packed;

    if (d->request.write || move->rows)
        return;
    d->st.plain += move->bytes;
    move->bytes = (uint64_t)((bytes + PPB_PER_ONE - 1) / PPB_PER_ONE);
    d->st.packed += move->bytes;
}

static uint32_t pass_requests(struct des *sim, void *self, uint32_t at)
{
    struct decompressor *d = self;

    DES_BEGIN(at);
    for (;;) {
        DES_GET(sim, d->ends.request, &d->request);
        shorten_read(d);
        DES_PUT(sim, d->ends.passed, &d->request);
    }
    DES_END;
}

static uint32_t pass_answers(struct des *sim, void *self, uint32_t at)
{
    struct decompressor *d = self;

    DES_BEGIN(at);
    for (;;) {
        DES_GET(sim, d->ends.reply, &d->done);
        if (!d->done.write && d->par.unpack_time)
            DES_WAIT_FOR(sim, d->par.unpack_time);
        DES_PUT(sim, d->ends.replied, &d->done);
    }
    DES_END;
}

bool decompressor_stage(void *self, struct des *sim, struct des_module parent, const void *par,
                        struct memory_stage *ends)
{
    struct decompressor *d = self;

    *d = (struct decompressor){ .par = *(const struct decompressor_params *)par };
    if (d->par.packed == PPB_PER_ONE)
        return false;
    d->mod = des_module_new(sim, parent, "decompressor");
    d->ends.request = des_in_new(sim, d->mod, "request", sizeof(struct mem_request));
    d->ends.passed = des_out_new(sim, d->mod, "passed", sizeof(struct mem_request));
    d->ends.reply = des_in_new(sim, d->mod, "reply", sizeof(struct mem_done));
    d->ends.replied = des_out_new(sim, d->mod, "replied", sizeof(struct mem_done));
    des_thread_new(sim, d->mod, "requests", pass_requests, d);
    des_thread_new(sim, d->mod, "answers", pass_answers, d);
    component_add(sim, &decompressor_class, d->mod, d);
    *ends = d->ends;
    return true;
}
