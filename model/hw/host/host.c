/* Threads of a host: read input, prepare it, serve calls, pass calls on one by one. */
#include "hw/host/host.h"

#include <stdio.h>
#include <string.h>

#include "hw/host/cpu.h"

#define P(...) PARAM_DESC(struct host_params, __VA_ARGS__)
static const struct param_desc params[] = { HOST_PARAMS(P) };
const struct param_table host_param_table = { "host", params, sizeof params / sizeof *params,
                                              sizeof(struct host_params), NULL };
#undef P
#define C(...) STAT_COUNTER(struct host_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct host_stats, __VA_ARGS__)
static const struct stat_desc stats[] = { HOST_STATS(C, R) };
const struct stat_table host_stat_table = { "host", stats, sizeof stats / sizeof *stats,
                                            sizeof(struct host_stats) };
static const struct component_class host_class = { .name = "host",
                                                   .parameters = &host_param_table,
                                                   .statistics = &host_stat_table,
                                                   .counters = offsetof(struct host, st),
                                                   .reset = host_reset,
                                                   .finish = host_finish };

enum { STATE, INFEED, SERVES, READS, FEEDS, FLOW };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "busy while it prepares input or serves calls"),
    [INFEED] = SHOW_STATE("infeed", "busy while it prepares input, blocked without room for it"),
    [SERVES] =
        SHOW_STATE("serve", "busy while it computes for calls, starts while it begins a program"),
    [READS] = SHOW_STATE("read", "busy while it reads and computes input"),
    [FEEDS] = SHOW_ROW(TOTAL, "feeds", NULL, "batches handed to PCIe"),
    [FLOW] = SHOW_TRACK(FLOW, "flow", "infeed", "the batch at hand"),
};

/* Cores of the host that are simulated; all cores of the host. */
static uint32_t count_simulated(const struct host *h)
{
    return h->n_chips * h->cores_per_chip;
}

static uint32_t count_cores(const struct host *h)
{
    return count_simulated(h) * h->copies;
}

/* Does core `i` of the host take batch `item`?  The first core of every chip comes before the
 * second, so that all chips do the same. */
static bool feeds_core(const struct host *h, const struct host_list *l, uint32_t item, uint32_t i)
{
    uint32_t core = h->first_core + i % h->n_chips * h->cores_per_chip + i / h->n_chips;

    return l->batch[item].stage == TASK_ALL_STAGES || core / l->per_stage == l->batch[item].stage;
}

/* Cores of the host that take batch `item`. */
static uint32_t count_fed(const struct host *h, const struct host_list *l, uint32_t item)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count_simulated(h); i++)
        n += feeds_core(h, l, item, i);
    return n * h->copies;
}

/* Time to prepare the batch at hand for all cores that take it. */
static des_time prepare_time(const struct host *h)
{
    return count_fed(h, &h->list[0], h->item) *
           cpu_copy_time(h->list[0].batch[h->item].handled, h->par.infeed_bandwidth);
}

/* The host is busy while any of its threads works. */
static void begin_work(struct des *sim, struct host *h)
{
    if (h->working++ == 0)
        h->busy_since = des_now(sim);
    des_show(sim, h->show, STATE, SHOW_BUSY);
}

static void end_work(struct des *sim, struct host *h)
{
    if (--h->working == 0)
        h->st.busy += des_now(sim) - h->busy_since;
    des_show(sim, h->show, STATE, h->working ? SHOW_BUSY : SHOW_IDLE);
}

/* --- input -------------------------------------------------------------------------------- */

/* Advance to the next batch that comes from storage; false: there is none yet. */
static bool find_load(struct host *h)
{
    for (; h->read_list < h->n_lists; h->read_list++, h->read_item = 0)
        for (; h->read_item < h->list[h->read_list].count; h->read_item++)
            if (h->list[h->read_list].batch[h->read_item].work->load_bytes &&
                count_fed(h, &h->list[h->read_list], h->read_item))
                return true;
    return false;
}

static const struct task_work *work_of_load(const struct host *h)
{
    return h->list[h->read_list].batch[h->read_item].work;
}

static uint32_t count_read_for(const struct host *h)
{
    return count_fed(h, &h->list[h->read_list], h->read_item);
}

/* Thread: read batches from storage and compute them, up to `prefetch` batches ahead. */
static uint32_t read_input(struct des *sim, void *self, uint32_t at)
{
    struct host *h = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(h->n_read < h->par.prefetch && find_load(h));
        des_put(sim, h->load[0], /* one request is open at most */
                &(struct storage_request){ work_of_load(h)->load_bytes * count_read_for(h),
                                           work_of_load(h)->loads, work_of_load(h)->readers });
        DES_WAIT_UNTIL(des_get(sim, h->loaded[0], &(struct storage_done){ 0 }));
        h->read_at[h->n_read] = des_now(sim);
        begin_work(sim, h);
        des_show(sim, h->show, READS, SHOW_BUSY);
        DES_WAIT_FOR(sim, cpu_time(work_of_load(h)->cpu_fs * count_read_for(h),
                                   work_of_load(h)->threads, h->par.cores));
        end_work(sim, h);
        des_show(sim, h->show, READS, SHOW_IDLE);
        h->n_read++;
        h->read_item++;
        des_notify_delta(sim, h->read);
    }
    DES_END;
}

/* Take the batch at hand; false: it comes from storage and is not read yet. */
static bool take_read(struct des *sim, struct host *h)
{
    h->next.loaded = 0;
    if (!h->list[0].batch[h->item].work->load_bytes)
        return true;
    if (h->n_read == 0)
        return false;
    h->next.loaded = h->read_at[0];
    /* the reader may have noted a further time behind those of n_read batches */
    memmove(h->read_at, h->read_at + 1, (HOST_MAX_PREFETCH - 1) * sizeof *h->read_at);
    h->n_read--;
    des_notify_delta(sim, h->taken);
    return true;
}

static void drop_list(struct host *h)
{
    h->list[0] = h->list[1];
    h->n_lists--;
    h->begun = false;
    /* all its loads are read, or it could not have been prepared */
    if (h->read_list == 0)
        h->read_item = 0;
    else
        h->read_list--;
}

/* Thread: prepare every batch for all cores and hand it to PCIe, while there is room. */
static uint32_t prepare_input(struct des *sim, void *self, uint32_t at)
{
    struct host *h = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(h->n_lists > 0);
        for (h->item = 0; h->item < h->list[0].count; h->item++) {
            if (count_fed(h, &h->list[0], h->item) == 0)
                continue;
            DES_WAIT_UNTIL(take_read(sim, h));
            if (!h->begun) {
                h->begun = true;
                begin_work(sim, h);
                des_show(sim, h->show, INFEED, SHOW_LAUNCH);
                DES_WAIT_FOR(sim, h->par.infeed_overhead);
                end_work(sim, h);
            }
            des_show(sim, h->show, INFEED, SHOW_BUSY);
            begin_work(sim, h);
            DES_WAIT_FOR(sim, prepare_time(h));
            end_work(sim, h);
            h->next.bytes = h->list[0].batch[h->item].bytes;
            h->next.handed = des_now(sim);
            des_show(sim, h->show, INFEED, SHOW_BLOCKED);
            for (h->core = 0; h->core < count_simulated(h); h->core++) {
                if (!feeds_core(h, &h->list[0], h->item, h->core))
                    continue;
                h->next.core = h->core / h->n_chips;
                h->next.flow = des_shown(sim) ? des_flow(sim) : 0;
                des_show(sim, h->show, FLOW, h->next.flow);
                DES_WAIT_UNTIL(des_put(sim, h->feed[h->core % h->n_chips], &h->next));
                des_show(sim, h->show, FEEDS, h->fed += h->copies);
            }
            des_show(sim, h->show, INFEED, SHOW_IDLE);
        }
        drop_list(h);
    }
    DES_END;
}

/* --- calls, one by one --------------------------------------------------------------------- */

static void add_each(struct des *sim, struct host *h, const struct host_call *call, uint32_t core)
{
    uint32_t room = HOST_MAX_CORES * HOST_MAX_OPEN;
    struct host_call *c = &h->each[(h->first_each + h->n_each) % room];

    BUG_ON(h->n_each == room || h->copies != 1);
    *c = *call;
    c->core = core;
    c->arrived = des_now(sim);
    h->n_each++;
    des_notify_delta(sim, h->asked);
}

/* Thread: pass calls on to the client, one by one. */
static uint32_t pass_each(struct des *sim, void *self, uint32_t at)
{
    struct host *h = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(h->n_each > 0);
        DES_WAIT_UNTIL(des_put(sim, h->ask, &h->each[h->first_each]));
        h->first_each = (h->first_each + 1) % (HOST_MAX_CORES * HOST_MAX_OPEN);
        h->n_each--;
    }
    DES_END;
}

/* Thread: hand on the answers of the client. */
static uint32_t answer_each(struct des *sim, void *self, uint32_t at)
{
    struct host *h = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(des_get(sim, h->told, &h->each_reply));
        /* the wire has room for all calls that a core may have open */
        BUG_ON(!des_put(sim, h->answer[h->each_reply.core], &h->each_reply));
        if (h->each_reply.down == 0)
            continue;
        h->each_back = (struct host_feed){ .core = h->each_reply.core % h->cores_per_chip,
                                           .bytes = h->each_reply.down,
                                           .handed = des_now(sim),
                                           .each = true,
                                           .version = h->each_reply.version };
        DES_WAIT_UNTIL(
            des_put(sim, h->back[h->each_reply.core / h->cores_per_chip], &h->each_back));
    }
    DES_END;
}

/* --- calls -------------------------------------------------------------------------------- */

/* Take the calls of all chips; true once every core of this host waits for an answer. */
static bool gather_calls(struct des *sim, struct host *h)
{
    struct host_call call;

    for (uint32_t chip = 0; chip < h->n_chips; chip++)
        while (des_get(sim, h->call[chip], &call)) {
            if (call.kind == HOST_OUTFEED)
                continue;
            uint32_t core = chip * h->cores_per_chip + call.core;
            if (call.kind == HOST_WORK && call.work->staleness) {
                add_each(sim, h, &call, core);
                continue;
            }
            BUG_ON(h->called[core]);
            h->called[core] = true;
            h->calls[core] = call;
            h->arrived[core] = des_now(sim);
            h->n_called++;
        }
    return h->n_called == count_simulated(h);
}

static bool is_work(const struct host *h)
{
    return h->calls[0].kind == HOST_WORK;
}

static const struct task_work *work_of_call(const struct host *h)
{
    return h->calls[0].work;
}

static bool is_passed_on(const struct host *h)
{
    return is_work(h) && work_of_call(h)->client;
}

static des_time compute_time(const struct host *h)
{
    if (!is_work(h))
        return h->par.read_time;
    return cpu_time(work_of_call(h)->cpu_fs, work_of_call(h)->threads, h->par.cores) +
           work_of_call(h)->copy_fs;
}

/* Time to begin the next program, compiling included. */
static des_time start_time(const struct host *h)
{
    if (!is_work(h))
        return 0;
    return work_of_call(h)->compile_fs + (work_of_call(h)->launch ? h->par.launch_time : 0) +
           (work_of_call(h)->restart ? h->par.restart_time : 0);
}

static void answer_cores(struct des *sim, struct host *h)
{
    h->n_called = 0;
    for (uint32_t c = 0; c < count_simulated(h); c++) {
        /* a core waits for at most one call, so there is room for the answer */
        h->called[c] = false;
        h->reply.arrived = h->arrived[c];
        des_put(sim, h->answer[c], &h->reply);
    }
}

/* Thread: serve the calls that cores wait for. */
static uint32_t serve_calls(struct des *sim, void *self, uint32_t at)
{
    struct host *h = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_UNTIL(gather_calls(sim, h));
        h->reply.gathered = h->reply.received = h->reply.loaded = des_now(sim);
        if (is_passed_on(h)) {
            h->calls[0].bytes *= count_cores(h);
            des_put(sim, h->pass, &h->calls[0]); /* the client has answered the one before */
            DES_WAIT_UNTIL(des_get(sim, h->passed, &h->reply));
        } else {
            if (is_work(h) && work_of_call(h)->load_bytes) {
                des_put(sim, h->load[1],
                        &(struct storage_request){ work_of_call(h)->load_bytes,
                                                   work_of_call(h)->loads,
                                                   work_of_call(h)->readers });
                DES_WAIT_UNTIL(des_get(sim, h->loaded[1], &(struct storage_done){ 0 }));
                h->reply.loaded = des_now(sim);
            }
            begin_work(sim, h);
            des_show(sim, h->show, SERVES, SHOW_BUSY);
            DES_WAIT_FOR(sim, compute_time(h));
            end_work(sim, h);
            h->reply.worked = h->reply.sent = des_now(sim);
        }
        if (start_time(h)) {
            begin_work(sim, h);
            des_show(sim, h->show, SERVES, SHOW_LAUNCH);
            DES_WAIT_FOR(sim, start_time(h));
            end_work(sim, h);
        }
        des_show(sim, h->show, SERVES, SHOW_IDLE);
        h->returned.bytes = is_work(h) ? work_of_call(h)->down : 0;
        answer_cores(sim, h);
        for (h->to = 0; h->returned.bytes && h->to < count_simulated(h); h->to++) {
            h->returned.core = h->to / h->n_chips;
            h->returned.handed = des_now(sim);
            DES_WAIT_UNTIL(des_put(sim, h->back[h->to % h->n_chips], &h->returned));
        }
    }
    DES_END;
}

/* The ports to storage, to each chip and to each core; each wakes the threads that wait for it. */
static void make_ports(struct host *h, struct des *sim, struct des_process loader,
                       struct des_process feeder, struct des_process server,
                       struct des_process answerer)
{
    for (uint32_t i = 0; i < 2; i++) {
        h->load[i] =
            des_out_new(sim, h->mod, i ? "load" : "read_input", sizeof(struct storage_request));
        h->loaded[i] =
            des_in_new(sim, h->mod, i ? "loaded" : "input_read", sizeof(struct storage_done));
        des_sensitive(sim, i ? server : loader, h->loaded[i]);
    }
    for (uint32_t i = 0; i < h->n_chips; i++) {
        char port[32];
        snprintf(port, sizeof port, "feed%u", i);
        h->feed[i] = des_out_new(sim, h->mod, port, sizeof(struct host_feed));
        snprintf(port, sizeof port, "call%u", i);
        h->call[i] = des_in_new(sim, h->mod, port, sizeof(struct host_call));
        snprintf(port, sizeof port, "back%u", i);
        h->back[i] = des_out_new(sim, h->mod, port, sizeof(struct host_feed));
        des_sensitive(sim, server, h->back[i]);
        des_sensitive(sim, answerer, h->back[i]);
        des_sensitive(sim, feeder, h->feed[i]);
        des_sensitive(sim, server, h->call[i]);
    }
    for (uint32_t i = 0; i < count_simulated(h); i++) {
        char port[32];
        snprintf(port, sizeof port, "answer%u", i);
        h->answer[i] = des_out_new(sim, h->mod, port, sizeof(struct host_reply));
    }
}

void host_init(struct host *h, struct des *sim, struct des_module parent, const char *name,
               const struct host_params *par, uint32_t n_chips, uint32_t cores_per_chip,
               uint32_t copies, uint32_t first_core)
{
    BUG_ON(n_chips == 0 || copies == 0 || n_chips > HOST_MAX_CHIPS ||
           n_chips * cores_per_chip > HOST_MAX_CORES);
    *h = (struct host){
        .par = *par,
        .n_chips = n_chips,
        .cores_per_chip = cores_per_chip,
        .copies = copies,
        .first_core = first_core,
    };
    h->mod = des_module_new(sim, parent, name);
    component_add(sim, &host_class, h->mod, h);
    h->given = des_event_new(sim, h->mod, "given");
    h->show = SHOW_PROBES(sim, h->mod, shows);
    struct des_process feeder = des_thread_new(sim, h->mod, "infeed", prepare_input, h);
    struct des_process server = des_thread_new(sim, h->mod, "serve", serve_calls, h);
    struct des_process loader = des_thread_new(sim, h->mod, "reader", read_input, h);
    h->read = des_event_new(sim, h->mod, "read");
    h->taken = des_event_new(sim, h->mod, "taken");
    h->asked = des_event_new(sim, h->mod, "asked");
    struct des_process passer = des_thread_new(sim, h->mod, "pass_each", pass_each, h);
    struct des_process answerer = des_thread_new(sim, h->mod, "answer_each", answer_each, h);
    h->ask = des_out_new(sim, h->mod, "ask", sizeof(struct host_call));
    h->told = des_in_new(sim, h->mod, "told", sizeof(struct host_reply));
    des_sensitive(sim, passer, h->asked);
    des_sensitive(sim, passer, h->ask);
    des_sensitive(sim, answerer, h->told);
    des_sensitive(sim, feeder, h->given);
    des_sensitive(sim, feeder, h->read);
    des_sensitive(sim, loader, h->given);
    des_sensitive(sim, loader, h->taken);
    h->pass = des_out_new(sim, h->mod, "pass", sizeof(struct host_call));
    h->passed = des_in_new(sim, h->mod, "passed", sizeof(struct host_reply));
    des_sensitive(sim, server, h->passed);
    make_ports(h, sim, loader, feeder, server, answerer);
}

void host_give(struct host *h, struct des *sim, struct host_list list)
{
    BUG_ON(h->n_lists == 2);
    h->list[h->n_lists++] = list;
    des_notify_delta(sim, h->given);
}

void host_reset(void *self, des_time now)
{
    struct host *h = self;

    h->busy_since = now;
}

void host_finish(void *self, des_time now, des_time elapsed)
{
    struct host *h = self;

    h->st.elapsed = elapsed;
    if (h->working)
        h->st.busy += now - h->busy_since;
    h->busy_since = now;
}
