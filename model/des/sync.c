/* sync.c - mutexes and semaphores.  They notify immediately, as in IEEE 1666. */
#include "des/des_impl.h"

struct des_mutex des_mutex_new(struct des *sim, struct des_module m, const char *name)
{
    struct des_label l = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, mutexes, l);

    TABLE_ADD(sim, mutex_labels, l);
    sim->mutex_labels.at[id] = l;
    sim->mutexes.at[id].unlocked = des_event_add(sim, l, EVENT_OWNED);
    return (struct des_mutex){ id };
}

bool des_trylock(struct des *sim, struct des_mutex handle)
{
    struct des_mutex_record *m = RECORD(sim, mutexes, handle, "mutex");

    des_need_open(sim, &sim->mutex_labels.at[handle.id]);
    if (sim->hot.current == 0)
        des_misuse(sim, sim->mutex_labels.at[handle.id], "des/no-process",
                   "locked outside a process");
    if (m->locked)
        return false;
    m->locked = true;
    m->owner = sim->hot.current;
    return true;
}

void des_unlock(struct des *sim, struct des_mutex handle)
{
    struct des_mutex_record *m = RECORD(sim, mutexes, handle, "mutex");

    des_need_open(sim, &sim->mutex_labels.at[handle.id]);
    if (!m->locked || m->owner != sim->hot.current)
        des_misuse(sim, sim->mutex_labels.at[handle.id], "des/mutex-owner",
                   "unlocked by one that has not locked it");
    m->locked = false;
    des_fire(sim, m->unlocked);
}

struct des_event des_unlocked(const struct des *sim, struct des_mutex m)
{
    return (struct des_event){ RECORD(sim, mutexes, m, "mutex")->unlocked };
}

struct des_semaphore des_semaphore_new(struct des *sim, struct des_module m, const char *name,
                                       uint32_t initial)
{
    struct des_label l = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, semaphores, l);

    TABLE_ADD(sim, semaphore_labels, l);
    sim->semaphore_labels.at[id] = l;
    sim->semaphores.at[id] =
        (struct des_semaphore_record){ .value = initial,
                                       .posted = des_event_add(sim, l, EVENT_OWNED) };
    return (struct des_semaphore){ id };
}

bool des_trywait(struct des *sim, struct des_semaphore handle)
{
    struct des_semaphore_record *s = RECORD(sim, semaphores, handle, "semaphore");

    des_need_open(sim, &sim->semaphore_labels.at[handle.id]);
    if (s->value == 0)
        return false;
    s->value--;
    return true;
}

void des_post(struct des *sim, struct des_semaphore handle)
{
    struct des_semaphore_record *s = RECORD(sim, semaphores, handle, "semaphore");

    des_need_open(sim, &sim->semaphore_labels.at[handle.id]);
    if (s->value == UINT32_MAX)
        des_misuse(sim, sim->semaphore_labels.at[handle.id], "des/semaphore-overflow",
                   "posted past 4294967295");
    s->value++;
    des_fire(sim, s->posted);
}

uint32_t des_semaphore_value(const struct des *sim, struct des_semaphore s)
{
    return RECORD(sim, semaphores, s, "semaphore")->value;
}

struct des_event des_posted(const struct des *sim, struct des_semaphore s)
{
    return (struct des_event){ RECORD(sim, semaphores, s, "semaphore")->posted };
}
