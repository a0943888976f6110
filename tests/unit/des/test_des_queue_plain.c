/* The rules of docs/reference/des.md, played with nothing but arrays that are searched from end to
 * end. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/des/test_des_queue.h"

static void wake_process(struct world *w, int p)
{
    w->processes[p].state = RUNNABLE;
    w->runs[w->n_runs++] = p;
}

static struct target *timer_of(struct world *w, int p)
{
    return &w->targets[n_events(w->program) + p];
}

static void wake_waiter(struct world *w, int p)
{
    w->processes[p].wait = w->processes[p].list = NONE;
    timer_of(w, p)->kind = IDLE;
    wake_process(w, p);
}

/* True if this completes what process p waits for. */
static bool is_complete(struct world *w, int p, int list, int e)
{
    struct process *q = &w->processes[p];
    bool all = true;

    if (q->state != DYNAMIC || q->list != list)
        return false;
    for (int i = 0; i < LIST_EVENTS; i++) {
        q->seen[i] |= w->lists[list][i] == e;
        all &= q->seen[i];
    }
    return all || list % 2 == 0;
}

/* Wake those that wait for e itself or, unless NONE, for this list: who began first goes first. */
static void fire_waiters(struct world *w, int e, int list)
{
    uint64_t last = 0;

    for (;;) {
        int first = NONE;
        for (int p = 0; p < w->program->processes; p++) {
            const struct process *q = &w->processes[p];
            if (q->state == DYNAMIC && (list == NONE ? q->wait == e : q->list == list) &&
                q->seq > last && (first == NONE || q->seq < w->processes[first].seq))
                first = p;
        }
        if (first == NONE)
            return;
        last = w->processes[first].seq;
        if (list == NONE || is_complete(w, first, list, e))
            wake_waiter(w, first);
    }
}

static void fire_event(struct world *w, int e)
{
    w->targets[e].kind = IDLE;
    for (int i = 0; i < w->n_senses; i++)
        if (w->senses[i][1] == e && w->processes[w->senses[i][0]].state == STATIC)
            wake_process(w, w->senses[i][0]);
    fire_waiters(w, e, NONE);
    for (int l = 0; l < LISTS; l++)
        for (int i = 0; i < LIST_EVENTS; i++)
            if (w->lists[l][i] == e)
                fire_waiters(w, e, l);
}

static void fire_target(struct world *w, int t)
{
    int p = t - n_events(w->program);

    if (p < 0) {
        fire_event(w, t);
        return;
    }
    w->processes[p].timed_out = w->processes[p].wait != NONE || w->processes[p].list != NONE;
    wake_waiter(w, p);
}

static void plain_delta(struct world *w, int t)
{
    if (w->targets[t].kind != DELTA)
        w->targets[t] = (struct target){ DELTA, 0, ++w->seq };
}

static void plain_after(struct world *w, int t, des_time delay)
{
    struct target *x = &w->targets[t];

    if (delay == 0)
        plain_delta(w, t);
    else if (x->kind == IDLE || (x->kind == TIMED && x->when > w->now + delay))
        *x = (struct target){ TIMED, w->now + delay, ++w->seq };
}

static void plain_cancel(struct world *w, int t)
{
    w->targets[t].kind = IDLE;
}

static void plain_write(struct world *w, int s, uint64_t value)
{
    w->next_values[s] = value;
    if (w->written[s] || value == w->values[s])
        return;
    w->written[s] = true;
    w->writes[w->n_writes++] = s;
}

/* Forget what the running process asked for; false if it has ended itself. */
static bool forget_waits(struct world *w)
{
    if (w->next_event == ENDED)
        return false;
    timer_of(w, w->current)->kind = IDLE;
    w->next_event = w->next_list = NONE;
    return true;
}

static void set_timer(struct world *w, des_time timeout)
{
    if (timeout != DES_NEVER)
        plain_after(w, n_events(w->program) + w->current, timeout);
}

static void plain_wait_event(struct world *w, int e, des_time timeout)
{
    if (!forget_waits(w))
        return;
    w->next_event = e;
    set_timer(w, timeout);
}

static void plain_wait_list(struct world *w, int l, des_time timeout)
{
    if (!forget_waits(w))
        return;
    w->next_list = l;
    set_timer(w, timeout);
}

static void plain_wait_time(struct world *w, des_time delay)
{
    if (forget_waits(w))
        set_timer(w, delay);
}

static void plain_suspend(struct world *w, int p)
{
    if (w->processes[p].state != DONE)
        w->processes[p].suspended = true;
}

static void plain_wait_resume(struct world *w)
{
    plain_suspend(w, w->current);
    if (forget_waits(w))
        w->next_event = RESUMED;
}

static void plain_resume(struct world *w, int p)
{
    struct process *q = &w->processes[p];
    bool held = q->held;

    if (q->state == DONE)
        return;
    q->suspended = q->held = false;
    if (held)
        wake_process(w, p);
}

static void plain_kill(struct world *w, int p)
{
    if (w->processes[p].state == RUNNING) {
        (void)forget_waits(w);
        w->next_event = ENDED;
    } else if (w->processes[p].state != DONE) {
        timer_of(w, p)->kind = IDLE;
        w->processes[p].state = DONE;
    }
}

/* The clock is scheduled when somebody begins to wait for it. */
static void arm_event(struct world *w, int e)
{
    if (e != clock_of(w->program) || w->targets[e].kind != IDLE)
        return;
    if (!w->begun)
        plain_delta(w, e);
    else
        plain_after(w, e, PERIOD - w->now % PERIOD);
}

static void begin_wait(struct world *w, int p)
{
    struct process *q = &w->processes[p];

    q->timed_out = false;
    q->wait = q->list = NONE;
    q->seq = ++w->seq;
    q->state = DYNAMIC;
    memset(q->seen, 0, sizeof q->seen);
    if (w->next_event == ENDED) {
        q->state = DONE;
    } else if (w->next_event == RESUMED) {
        q->state = RUNNABLE;
        q->held = q->suspended;
        if (!q->held)
            wake_process(w, p);
    } else if (w->next_list >= 0) {
        q->list = w->next_list;
        for (int i = 0; i < LIST_EVENTS; i++)
            arm_event(w, w->lists[q->list][i]);
    } else if (w->next_event >= 0) {
        q->wait = w->next_event;
        arm_event(w, q->wait);
    } else if (w->next_event == STATIC_LIST) {
        q->state = STATIC;
        for (int i = 0; i < w->n_senses; i++)
            if (w->senses[i][0] == p)
                arm_event(w, w->senses[i][1]);
    }
}

static void evaluate_phase(struct world *w)
{
    bool any = false;

    while (w->first_run < w->n_runs) {
        int p = w->runs[w->first_run++];
        struct process *q = &w->processes[p];
        if (q->state == DONE)
            continue;
        if (q->suspended) {
            q->held = true;
            continue;
        }
        any = true;
        q->state = RUNNING;
        w->current = p;
        w->next_event = STATIC_LIST;
        w->next_list = NONE;
        act(w, (struct entry){ p, q->timed_out, w->now, w->deltas });
        begin_wait(w, p);
    }
    w->first_run = w->n_runs = 0;
    w->deltas += any;
    w->begun = true;
}

/* Fire, first notified first, what is pending as `kind` and due at `when`. */
static bool fire_all(struct world *w, int kind, des_time when)
{
    int n = n_events(w->program) + w->program->processes;

    for (bool any = false;; any = true) {
        int first = NONE;
        for (int t = 0; t < n; t++)
            if ((int)w->targets[t].kind == kind && w->targets[t].when == when &&
                (first == NONE || w->targets[t].seq < w->targets[first].seq))
                first = t;
        if (first == NONE)
            return any;
        fire_target(w, first);
    }
}

static void update_channels(struct world *w)
{
    int n = w->n_writes;

    w->n_writes = 0;
    for (int i = 0; i < n; i++) {
        int s = w->writes[i];
        w->written[s] = false;
        if (w->values[s] != w->next_values[s])
            fire_event(w, event_of_signal(w->program, s));
        w->values[s] = w->next_values[s];
    }
}

static void plain_run(struct world *w, des_time until)
{
    for (;;) {
        do {
            evaluate_phase(w);
            fire_all(w, DELTA, 0);
            update_channels(w);
        } while (w->n_runs > 0);
        des_time next = DES_NEVER;
        for (int t = 0; t < n_events(w->program) + w->program->processes; t++)
            if (w->targets[t].kind == TIMED && w->targets[t].when < next)
                next = w->targets[t].when;
        if (next > until || next == DES_NEVER)
            return;
        w->now = next;
        fire_all(w, TIMED, next);
    }
}

static des_time plain_time(struct world *w)
{
    return w->now;
}

const struct rules plain_rules = {
    fire_event,       plain_delta,     plain_after,     plain_cancel,      plain_write,
    plain_wait_event, plain_wait_list, plain_wait_time, plain_wait_resume, plain_kill,
    plain_suspend,    plain_resume,    plain_run,       plain_time,
};

void prepare_plain(struct world *w)
{
    size_t n = (size_t)w->program->processes, targets = n + (size_t)n_events(w->program);

    w->targets = calloc(targets, sizeof *w->targets);
    w->processes = calloc(n, sizeof *w->processes);
    w->values = calloc(n, sizeof *w->values);
    w->next_values = calloc(n, sizeof *w->next_values);
    w->written = calloc(n, sizeof *w->written);
    w->writes = calloc(n, sizeof *w->writes);
    w->runs = calloc(LOG_MAX, sizeof *w->runs);
    for (int p = 0; p < w->program->processes; p++) {
        w->processes[p].wait = w->processes[p].list = NONE;
        wake_process(w, p);
    }
}
