#include "hw/gpu/launch_queue.h"

#define P(...) PARAM_DESC(struct launch_queue_params, __VA_ARGS__)
static const struct param_desc params[] = { LAUNCH_QUEUE_PARAMS(P) };
const struct param_table launch_queue_param_table = { "launch", params,
                                                      sizeof params / sizeof *params,
                                                      sizeof(struct launch_queue_params), NULL };
#define C(...) STAT_COUNTER(struct launch_queue_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct launch_queue_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { LAUNCH_QUEUE_STATS(C, R) };
const struct stat_table launch_queue_stat_table = { "launch", stats, sizeof stats / sizeof *stats,
                                                    sizeof(struct launch_queue_stats) };

static void finish_measuring(void *self, des_time now, des_time elapsed)
{
    struct launch_queue *q = self;

    (void)now;
    q->st.elapsed = elapsed;
}

static const struct component_class launch_queue_class = {
    .name = "launch",
    .parameters = &launch_queue_param_table,
    .statistics = &launch_queue_stat_table,
    .counters = offsetof(struct launch_queue, st),
    .finish = finish_measuring,
};

/* A kernel that takes no time of the host is launched by the one before it. */
static bool put_launch(struct des *sim, struct launch_queue *q)
{
    des_time latency = q->cursor.task->grid.host_fs ? q->par.latency : 0;

    return des_put(sim, q->launched, &(struct gpu_launch){ des_now(sim) + latency });
}

static uint32_t launch_kernels(struct des *sim, void *self, uint32_t at)
{
    struct launch_queue *q = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_EVENT_UNTIL(sim, q->begin, q->begun);
        q->begun = false;
        task_cursor_begin(&q->cursor);
        while (task_cursor_next(&q->cursor)) {
            if (q->cursor.task->kind != TASK_GRID)
                continue;
            if (q->cursor.task->grid.host_fs) {
                q->st.busy += q->cursor.task->grid.host_fs;
                DES_WAIT_FOR(sim, q->cursor.task->grid.host_fs);
            }
            DES_WAIT_UNTIL(put_launch(sim, q));
        }
    }
    DES_END;
}

void launch_queue_load(struct launch_queue *q, const struct task_program *p, uint32_t stage)
{
    q->cursor.program = p;
    q->cursor.stage = stage;
}

void launch_queue_begin(struct launch_queue *q, struct des *sim)
{
    q->begun = true;
    des_notify_delta(sim, q->begin);
}

void launch_queue_init(struct launch_queue *q, struct des *sim, struct des_module parent,
                       const struct launch_queue_params *par)
{
    *q = (struct launch_queue){ .par = *par };
    q->mod = des_module_new(sim, parent, "launch");
    component_add(sim, &launch_queue_class, q->mod, q);
    q->begin = des_event_new(sim, q->mod, "begin");
    q->launched = des_out_new(sim, q->mod, "launched", sizeof(struct gpu_launch));
    struct des_process run = des_thread_new(sim, q->mod, "run", launch_kernels, q);
    des_sensitive(sim, run, q->launched);
}
