#include "hw/net/ici.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"

#define C(...) STAT_COUNTER(struct ici_far_stats, __VA_ARGS__)
#define R(...) STAT_RATIO(struct ici_far_stats, __VA_ARGS__)
static const struct stat_desc far_stats[] = { ICI_FAR_STATS(C, R) };
const struct stat_table ici_far_stat_table = { "ici_far", far_stats,
                                               sizeof far_stats / sizeof *far_stats,
                                               sizeof(struct ici_far_stats) };

/* --- measuring ---------------------------------------------------------------------------- */

static void reset_sent(void *self, des_time now)
{
    struct ici *u = self;

    (void)now;
    memset(u->sent, 0, sizeof u->sent);
}

static void reset_far(void *self, des_time now)
{
    struct ici *u = self;

    u->far_since = now;
}

/* A step under way counts up to now. */
static void finish_far(void *self, des_time now, des_time elapsed)
{
    struct ici *u = self;

    u->far_st.elapsed = elapsed;
    if (u->crosses)
        u->far_st.time += now - u->far_since;
    u->far_since = now;
}

/* Two components: one in every machine, one where slices are joined, whose row of a report stands
 * behind that of PCIe. */
static const struct component_class ici_class = { .name = "ici",
                                                  .reset = reset_sent,
                                                  .free = ici_free };
static const struct component_class far_class = { .name = "ici_far",
                                                  .statistics = &ici_far_stat_table,
                                                  .counters = offsetof(struct ici, far_st),
                                                  .reset = reset_far,
                                                  .finish = finish_far };

enum { STATE, STEP, FLOW, PART };
static const struct des_probe_row shows[] = {
    [STATE] = SHOW_STATE("state", "where the collective is"),
    [STEP] = SHOW_ROW(SPAN, "step", NULL, "step of the schedule, from 1"),
    [FLOW] = SHOW_TRACK(FLOW, "flow", "state", "calls that were answered to"),
    [PART] = SHOW_TRACK(FLOW, "part", "step", "parts sent and received"),
};

/* --- parts in and out --------------------------------------------------------------------- */

/* The count of parts of a step, at or after the one at hand. */
static struct ici_heard *record_of_step(struct ici *u, uint64_t step)
{
    BUG_ON(step < u->now);
    while (step - u->now >= u->n_window) {
        uint32_t n = 2 * u->n_window;
        struct ici_heard *w = memory_zeroed(n, sizeof *w);
        for (uint64_t s = u->now; s < u->now + u->n_window; s++)
            w[s % n] = u->window[s % u->n_window];
        free(u->window);
        u->window = w;
        u->n_window = n;
    }
    return &u->window[step % u->n_window];
}

/* True for a chip of another slice. */
static bool is_far(const struct ici *u, uint32_t chip)
{
    return chip - u->place.first >= mesh_size(&u->place.mesh);
}

static uint32_t port_to(const struct ici *u, uint32_t chip)
{
    uint32_t to = chip - u->place.first;

    return u->place.way ? u->place.way[to] : mesh_port(&u->place.mesh, u->place.chip, to);
}

void ici_send(struct ici *u, const struct net_chunk *c)
{
    uint32_t port = port_to(u, c->to);

    BUG_ON(port >= MESH_PORTS || !u->linked[port]);
    chunks_put(&u->out[port], c);
}

/* Queue a part for another slice, in messages. */
static void send_far(struct ici *u, const struct net_chunk *part)
{
    struct net_chunk c = *part;
    uint64_t left = part->bytes;

    BUG_ON(!u->joined);
    do {
        c.bytes = left < u->place.message ? left : u->place.message;
        left -= c.bytes;
        c.part.more = left > 0;
        chunks_put(&u->far, &c);
    } while (left > 0);
}

static void put_out(struct des *sim, struct des_out port, struct chunks *q)
{
    while (q->count && des_put(sim, port, chunks_first(q)))
        chunks_drop(q);
}

/* --- waves and timelines ------------------------------------------------------------------- */

/* The flow of the i-th part that a chip sends in a step.  It does not depend on the order of chips
 * within a moment, and numbers of des_flow are below it. */
static uint64_t flow_of_part(const struct ici *u, uint32_t i)
{
    uint64_t chips = u->joined ? UINT64_C(1) << 20 : mesh_size(&u->place.mesh);
    uint64_t sender = u->now * chips + u->place.first + u->place.chip;

    return UINT64_C(1) << 63 | (sender * SCHEDULE_MAX_PARTS + i);
}

/* Show a part that has come in its step, which may not have begun. */
static void show_part(struct des *sim, struct ici *u, const struct net_chunk *c)
{
    if (c->flow == 0 || u->place.mirror)
        return;
    if (u->stepping && c->part.step == u->now) {
        des_show(sim, u->show, PART, c->flow);
        return;
    }
    MEMORY_GROW(u->early, u->n_early + 1, u->early_size);
    u->early[u->n_early++] = (struct ici_early){ c->part.step, c->flow };
}

static void show_step(struct des *sim, struct ici *u)
{
    uint32_t left = 0;

    u->stepping = true;
    des_show(sim, u->show, STEP, u->i + 1);
    for (uint32_t k = 0; k < u->n_early; k++)
        if (u->early[k].step == u->now)
            des_show(sim, u->show, PART, u->early[k].flow);
        else
            u->early[left++] = u->early[k];
    u->n_early = left;
}

/* --- the ports ---------------------------------------------------------------------------- */

/* Count a part, or a message of one, for its step. */
static void note_part(struct des *sim, struct ici *u, const struct net_chunk *c)
{
    struct ici_heard *h = record_of_step(u, c->part.step);

    h->parts += !c->part.more;
    if (!c->part.more)
        show_part(sim, u, c);
    if (c->part.ready > h->ready)
        h->ready = c->part.ready;
    if (c->part.step == u->now)
        des_notify_delta(sim, u->heard_one);
}

static void take_chunk(struct des *sim, struct ici *u, const struct net_chunk *c)
{
    if (c->kind == NET_PART) {
        note_part(sim, u, c);
        return;
    }
    chunks_put(&u->to_write, c);
    des_notify_delta(sim, u->piece);
}

/* Take in a chunk that has come by a port, or send it on. */
static void sort_chunk(struct des *sim, struct ici *u, uint32_t port, struct net_chunk *c)
{
    uint32_t first = u->place.first;

    if (u->place.shift[port])
        c->to = first + (c->to - first + u->place.shift[port]) % mesh_size(&u->place.mesh);
    if ((u->place.mirror && !u->place.routes) || c->to == first + u->place.chip)
        take_chunk(sim, u, c);
    else
        ici_send(u, c);
}

void ici_pump(struct des *sim, struct ici *u)
{
    struct net_chunk c;

    for (uint32_t p = 0; p < MESH_PORTS; p++)
        while (u->linked[p] && des_get(sim, u->from[p], &c))
            sort_chunk(sim, u, p, &c);
    while (u->joined && des_get(sim, u->far_from, &c))
        note_part(sim, u, &c);
    for (uint32_t p = 0; p < MESH_PORTS; p++)
        if (u->linked[p])
            put_out(sim, u->to[p], &u->out[p]);
    if (u->joined)
        put_out(sim, u->far_to, &u->far);
}

/* Method: woken when a chunk has come in and when a port has room. */
static void pass_chunks(struct des *sim, void *self)
{
    ici_pump(sim, self);
}

static void send_parts(struct des *sim, struct ici *u)
{
    bool round = schedule_goes_round(&u->cur.plan->schedule);

    for (uint32_t i = 0; i < u->step.n_send; i++) {
        const struct schedule_part *s = &u->step.send[i];
        struct net_chunk c = { .kind = NET_PART,
                               .to = s->chip,
                               .bytes = s->bytes * s->count,
                               .times = u->cur.plan->schedule.flow.times,
                               .part = { .step = u->now, .ready = u->ready } };
        if (des_shown(sim))
            des_show(sim, u->show, PART, c.flow = flow_of_part(u, i));
        if (is_far(u, s->chip)) {
            send_far(u, &c);
            u->crosses = true;
            if (u->back == u->away) /* none has ended yet */
                u->away = u->back = des_now(sim);
            continue;
        }
        ici_send(u, &c);
        u->sent[round][port_to(u, s->chip)] += s->bytes * s->count;
    }
    ici_pump(sim, u);
}

/* True once all parts of the step at hand have come. */
static bool has_all_parts(struct ici *u)
{
    const struct ici_heard *h = record_of_step(u, u->now);

    if (h->parts < u->step.n_recv)
        return false;
    if (h->ready > u->ready)
        u->ready = h->ready;
    return true;
}

static void next_step(struct des *sim, struct ici *u)
{
    if (u->crosses) {
        u->far_st.time += des_now(sim) - u->far_since;
        u->back = des_now(sim);
    }
    u->crosses = false;
    *record_of_step(u, u->now) = (struct ici_heard){ 0, 0 };
    u->now++;
    u->stepping = false;
}

/* --- work of the chip by itself ------------------------------------------------------------ */

static bool take_sum(struct des *sim, void *self, uint64_t *units)
{
    struct ici *u = self;

    (void)sim;
    if (!u->to_add)
        return false;
    *units = u->to_add;
    u->to_add = 0;
    return true;
}

static bool finish_sum(struct des *sim, void *self)
{
    struct ici *u = self;

    u->adding = false;
    des_notify_delta(sim, u->heard_one);
    return true;
}

static void ask_memory(struct des *sim, struct ici *u, uint64_t bytes, bool write)
{
    if (bytes == 0)
        return;
    /* one of each is in flight at most, and the wire holds more */
    BUG_ON(!des_put(sim, u->request, &(struct mem_request){ .move.bytes = bytes, .write = write }));
    u->asked++;
}

static void begin_work(struct des *sim, struct ici *u, uint64_t read, uint64_t write,
                       uint64_t added)
{
    uint64_t rate = u->place.adds_per_cycle;
    uint64_t elements = added / u->cur.plan->schedule.element;

    ask_memory(sim, u, read, false);
    ask_memory(sim, u, write, true);
    if (elements == 0)
        return;
    u->to_add = (elements + rate - 1) / rate;
    u->adding = true;
    des_notify_delta(sim, u->add_some);
}

static void begin_local(struct des *sim, struct ici *u, const struct task_local *l)
{
    uint64_t rate = u->place.die_bandwidth;

    begin_work(sim, u, l->read, l->write, l->added);
    u->crossed = des_now(sim) + (rate ? (des_time)((u128)l->across * DES_FS_PER_S / rate) : 0);
}

/* The time by which crossing from die to die outlasts the rest of the chip's own work. */
static des_time time_to_cross(const struct des *sim, const struct ici *u)
{
    return u->crossed > des_now(sim) ? u->crossed - des_now(sim) : 0;
}

static bool is_work_done(struct des *sim, struct ici *u)
{
    struct mem_done d;

    while (des_get(sim, u->done, &d))
        u->asked--;
    return u->asked == 0 && !u->adding;
}

/* From the call of the last core until the first step: the launch, what each further operand
 * takes, and the latency of a library's steps. */
static des_time time_to_begin(const struct ici *u)
{
    uint32_t operands = u->cur.plan->operands;

    return u->place.launch + (operands ? operands - 1 : 0) * u->place.operand +
           u->cur.plan->schedule.flow.wait_fs;
}

static uint32_t run_collectives(struct des *sim, void *self, uint32_t at)
{
    struct ici *u = self;

    DES_BEGIN(at);
    for (;;) {
        for (u->i = 0; u->i < u->place.n_cores; u->i++) {
            DES_WAIT_UNTIL(des_get(sim, u->call[u->i], &u->next));
            BUG_ON(u->i > 0 && u->next.plan != u->cur.plan); /* cores run one program */
            u->cur = u->next;
            u->called = true;
            des_show(sim, u->show, STATE, SHOW_GATHER);
            des_show(sim, u->show, FLOW, u->cur.flow);
        }
        u->ready = u->away = u->back = des_now(sim);
        if (time_to_begin(u))
            DES_WAIT_FOR(sim, time_to_begin(u));
        des_show(sim, u->show, STATE, SHOW_READ);
        begin_local(sim, u, &u->cur.plan->before);
        DES_WAIT_UNTIL(is_work_done(sim, u));
        if (time_to_cross(sim, u))
            DES_WAIT_FOR(sim, time_to_cross(sim, u));
        des_show(sim, u->show, STATE, SHOW_RING);
        for (u->i = 0; u->i < schedule_steps(&u->cur.plan->schedule); u->i++) {
            show_step(sim, u);
            schedule_step(&u->cur.plan->schedule, u->place.first + u->place.chip, u->i, &u->step);
            u->far_since = des_now(sim);
            begin_work(sim, u, u->step.read, u->step.write, u->step.added);
            send_parts(sim, u);
            DES_WAIT_UNTIL(has_all_parts(u) && is_work_done(sim, u));
            next_step(sim, u);
        }
        des_show(sim, u->show, STEP, 0);
        des_show(sim, u->show, STATE, SHOW_WRITE);
        begin_local(sim, u, &u->cur.plan->after);
        DES_WAIT_UNTIL(is_work_done(sim, u));
        if (time_to_cross(sim, u))
            DES_WAIT_FOR(sim, time_to_cross(sim, u));
        u->called = false;
        des_show(sim, u->show, STATE, SHOW_IDLE);
        for (u->i = 0; u->i < u->place.n_cores; u->i++)
            DES_WAIT_UNTIL(
                des_put(sim, u->reply[u->i], &(struct net_reply){ u->ready, u->away, u->back }));
    }
    DES_END;
}

/* Ports of the links that the chip has. */
static void make_link_ports(struct ici *u, struct des *sim)
{
    for (uint32_t i = 0; i < MESH_PORTS; i++) {
        char name[32];
        u->linked[i] = mesh_neighbour(&u->place.mesh, u->place.chip, i) != MESH_NO_PORT;
        if (!u->linked[i])
            continue;
        snprintf(name, sizeof name, "from%u", i);
        u->from[i] = des_in_new(sim, u->mod, name, sizeof(struct net_chunk));
        snprintf(name, sizeof name, "to%u", i);
        u->to[i] = des_out_new(sim, u->mod, name, sizeof(struct net_chunk));
        des_sensitive(sim, u->passing, u->from[i]);
        des_sensitive(sim, u->passing, u->to[i]);
    }
}

void ici_init(struct ici *u, struct des *sim, struct des_module parent,
              const struct ici_place *place, lane_fold_fn *fold)
{
    BUG_ON(place->n_cores == 0 || place->n_cores > ICI_MAX_CORES || place->adds_per_cycle == 0);
    *u = (struct ici){ .place = *place, .n_window = 16 };
    u->window = memory_zeroed(u->n_window, sizeof *u->window);
    u->mod = des_module_new(sim, parent, "ici");
    u->request = des_out_new(sim, u->mod, "request", sizeof(struct mem_request));
    u->done = des_in_new(sim, u->mod, "done", sizeof(struct mem_done));
    u->show = SHOW_PROBES(sim, u->mod, shows);
    u->heard_one = des_event_new(sim, u->mod, "heard");
    u->add_some = des_event_new(sim, u->mod, "add");
    struct des_process p = des_thread_new(sim, u->mod, "collective", run_collectives, u);
    des_sensitive(sim, p, u->done);
    des_sensitive(sim, p, u->heard_one);
    lane_init(&u->adder, sim, des_module_new(sim, u->mod, "adder"), place->core_hz, fold, u,
              take_sum, finish_sum);
    des_sensitive(sim, u->adder.serve, u->add_some);
    for (uint32_t i = 0; i < place->n_cores; i++) {
        char name[32];
        snprintf(name, sizeof name, "call%u", i);
        u->call[i] = des_in_new(sim, u->mod, name, sizeof(struct net_call));
        snprintf(name, sizeof name, "reply%u", i);
        u->reply[i] = des_out_new(sim, u->mod, name, sizeof(struct net_reply));
        des_sensitive(sim, p, u->call[i]);
        des_sensitive(sim, p, u->reply[i]);
    }
    u->passing = des_method_new(sim, u->mod, "pass", pass_chunks, u);
    make_link_ports(u, sim);
    component_add(sim, &ici_class, u->mod, u);
}

bool ici_quiet(const struct ici *u, const struct des *sim)
{
    bool quiet = !u->called && !u->to_read.count && !u->reading.count;

    for (uint32_t i = 0; i < u->place.n_cores; i++)
        quiet = quiet && !des_can_get(sim, u->call[i]) && !des_can_get(sim, u->send[i]);
    for (uint32_t p = 0; p < MESH_PORTS; p++)
        quiet = quiet && !u->out[p].count;
    return quiet;
}

void ici_bind(struct ici *u, struct des *sim)
{
    BUG_ON(u->place.message == 0);
    u->joined = true;
    u->far_from = des_in_new(sim, u->mod, "far_from", sizeof(struct net_chunk));
    u->far_to = des_out_new(sim, u->mod, "far_to", sizeof(struct net_chunk));
    des_sensitive(sim, u->passing, u->far_from);
    des_sensitive(sim, u->passing, u->far_to);
    component_add(sim, &far_class, u->mod, u);
}

static void free_carried(struct ici *u)
{
    chunks_free(&u->to_read);
    chunks_free(&u->reading);
    chunks_free(&u->to_write);
    chunks_free(&u->writing);
    for (uint32_t i = 0; i < ICI_MAX_CORES; i++)
        chunks_free(&u->came[i]);
}

void ici_free(void *self)
{
    struct ici *u = self;

    free_carried(u);
    free(u->window);
    free(u->early);
    for (uint32_t p = 0; p < MESH_PORTS; p++)
        chunks_free(&u->out[p]);
    chunks_free(&u->far);
}
