/* The thread of the launcher. */
#include "hw/host/launcher.h"

#include <stdio.h>

static uint32_t launch_steps(struct des *sim, void *self, uint32_t at)
{
    struct launcher *l = self;
    struct step_token token;

    DES_BEGIN(at);
    for (;;) {
        l->idle = true;
        DES_WAIT_EVENT(sim, l->release);
        token.step = l->step++;
        for (l->i = 0; l->i < l->n_cores; l->i++)
            des_put(sim, l->go[l->i], &token); /* a core takes its token before it finishes */
        for (l->i = 0; l->i < l->n_cores; l->i++)
            DES_WAIT_UNTIL(des_get(sim, l->finished[l->i], &token));
        des_pause(sim);
    }
    DES_END;
}

void launcher_init(struct launcher *l, struct des *sim, struct des_module parent, uint32_t n_cores,
                   struct des_in *finished, struct des_out *go)
{
    *l = (struct launcher){ .n_cores = n_cores, .finished = finished, .go = go };
    l->mod = des_module_new(sim, parent, "launcher");
    l->release = des_event_new(sim, l->mod, "release");
    l->meeting = des_event_new(sim, l->mod, "meeting");
    struct des_process p = des_thread_new(sim, l->mod, "launch", launch_steps, l);
    for (uint32_t i = 0; i < n_cores; i++) {
        char name[32];
        snprintf(name, sizeof name, "finished%u", i);
        finished[i] = des_in_new(sim, l->mod, name, sizeof(struct step_token));
        snprintf(name, sizeof name, "go%u", i);
        go[i] = des_out_new(sim, l->mod, name, sizeof(struct step_token));
        des_sensitive(sim, p, finished[i]);
    }
}

void launcher_release(struct launcher *l, struct des *sim, des_time rest)
{
    BUG_ON(!l->idle);
    /* a caller that looks while the machine rests must not take the step as over */
    l->idle = false;
    if (rest)
        des_notify_after(sim, l->release, rest);
    else
        des_notify_delta(sim, l->release);
}

void launcher_meet(struct launcher *l, struct des *sim, des_time at)
{
    BUG_ON(!l->idle || at < des_now(sim));
    if (at > des_now(sim))
        des_notify_after(sim, l->meeting, at - des_now(sim));
    des_run(sim, at);
}
