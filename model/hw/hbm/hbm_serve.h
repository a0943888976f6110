/* hbm_serve.h - how an HBM serves transfers leg by leg, for its thread and for the shortcut of
 * clients that joined (hbm_client_fold.c). */
#ifndef HW_HBM_HBM_SERVE_H
#define HW_HBM_HBM_SERVE_H

#include "hw/hbm/hbm.h"

/* Let a request of a client wait in its way. */
void hbm_add_request(struct hbm *h, uint32_t client, const struct mem_request *q);
/* Take requests from the wires while there is room for them. */
void hbm_take_requests(struct des *sim, struct hbm *h);
/* Begin the transfers that can begin, and the next leg; false: nothing is in service. */
bool hbm_begin_leg(struct des *sim, struct hbm *h);
/* After idling, service begins at the next edge of the clock, but not during a refresh. */
void hbm_align_start(struct hbm *h, des_time now);
/* All bursts of the leg are served: its transfer goes on to its next phase, or is answered. */
void hbm_end_leg(struct des *sim, struct hbm *h);

/* a / b: most moments of a run fit into 64 bits, whose division is several times as fast. */
static inline hbm_moment hbm_divide(hbm_moment a, hbm_moment b)
{
    return (a | b) >> 64 ? a / b : (uint64_t)a / (uint64_t)b;
}
/* Look up the refreshes between which a moment lies, and a sum of work (hbm_refresh_fold.c). */
void hbm_fold_find_round(struct hbm *h, hbm_moment t);
void hbm_fold_find_span(struct hbm *h, hbm_moment work);
/* Work, in moments, that refreshes leave possible before a moment; the first interval
 * has no refresh. */
static inline hbm_moment hbm_fold_work(struct hbm *h, hbm_moment t)
{
    struct hbm_round *r = &h->round;

    if (t < h->every || !h->every)
        return t;
    if (t - r->begin >= h->every) /* before `begin` too, which is below 0 */
        hbm_fold_find_round(h, t);
    hbm_moment into = t - r->begin;
    return t - r->lost - (into < h->takes ? into : h->takes);
}
/* The first moment before which so much work was possible. */
static inline hbm_moment hbm_fold_moment(struct hbm *h, hbm_moment work)
{
    struct hbm_span *s = &h->span;

    if (work <= h->every || !h->every)
        return work;
    if (work - s->after - 1 >= h->every - h->takes) /* up to `after` too, which is below 0 */
        hbm_fold_find_span(h, work);
    return work + s->lost;
}

/* The shortcut of clients that joined; struct hbm_fold says what each is. */
void hbm_client_pass(struct des *sim, struct hbm *h);
des_thread hbm_client_serve;
void hbm_client_join(struct des *sim, struct mem_client *c);
void hbm_client_ask(struct des *sim, struct mem_client *c, const struct mem_request *q,
                    des_time at);

/* When the read and the write of a client end that begin together; which ends first. */
struct hbm_lone_ends {
    des_time at[2];   /* by direction; 0: there is none */
    uint32_t first;   /* direction */
    hbm_moment until; /* work before the end of both */
};
/* Serve the requests that arrive in an idle memory, of one client, whole: they are seen at `now`,
 * after `until` of work.  False, with nothing done: other than one read or one write of streams, or
 * their ends are after `limit`. */
bool hbm_lone_serve(struct hbm *h, des_time now, des_time limit, struct hbm_lone_ends *e);

/* A client that joined has left. */
static inline void hbm_client_left(struct hbm *h, uint32_t client)
{
    h->clients.joined &= ~(UINT32_C(1) << client);
}

#endif
