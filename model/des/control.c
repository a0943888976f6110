/* control.c - process control: suspend, resume, kill; the end of a process. */
#include "des/des_impl.h"

static struct des_process_record *find_process(struct des *sim, struct des_process p)
{
    struct des_process_record *rec = RECORD(sim, processes, p, "process");

    des_need_open(sim, &sim->process_infos.at[p.id].label);
    return rec;
}

void des_suspend(struct des *sim, struct des_process handle)
{
    struct des_process_record *p = find_process(sim, handle);

    if (p->state == PROCESS_DONE)
        return;
    p->flags |= PROCESS_SUSPENDED;
    sim->controlled = true;
}

void des_resume(struct des *sim, struct des_process handle)
{
    struct des_process_record *p = find_process(sim, handle);

    if (p->state == PROCESS_DONE || !(p->flags & PROCESS_SUSPENDED))
        return;
    bool held = p->flags & PROCESS_HELD;
    p->flags &= (uint8_t) ~(PROCESS_SUSPENDED | PROCESS_HELD);
    if (held && p->state == PROCESS_RUNNABLE)
        des_make_runnable(sim, handle.id);
}

void des_end_process(struct des *sim, uint32_t id)
{
    uint32_t terminated = sim->process_infos.at[id].terminated;

    sim->processes.at[id].state = PROCESS_DONE;
    if (terminated)
        des_event_delta(sim, terminated);
}

void des_kill(struct des *sim, struct des_process handle)
{
    struct des_process_record *p = find_process(sim, handle);

    if (p->state == PROCESS_DONE)
        return;
    sim->controlled = true;
    if (handle.id == sim->hot.current) {
        des_ask_for_end(sim);
        return;
    }
    if (p->state == PROCESS_DYNAMIC && p->wait == 0 && p->timer == DES_NEVER)
        *p->slot = 0;
    if (p->timer == sim->hot.now) /* it has left the queue and waits in the run list */
        p->timer = DES_NEVER;
    if (p->state == PROCESS_DYNAMIC)
        des_stop_waiting(sim, handle.id);
    des_end_process(sim, handle.id);
}

struct des_process des_self(const struct des *sim)
{
    return (struct des_process){ sim->hot.current };
}

bool des_done(const struct des *sim, struct des_process p)
{
    return RECORD(sim, processes, p, "process")->state == PROCESS_DONE;
}

struct des_event des_terminated(struct des *sim, struct des_process p)
{
    (void)RECORD(sim, processes, p, "process");
    struct des_process_info *info = &sim->process_infos.at[p.id];

    if (info->terminated == 0)
        info->terminated = des_event_add(sim, info->label, EVENT_OWNED);
    return (struct des_event){ info->terminated };
}
