/* The shortcut of an act whose transfers the memory serves before anybody acts again: a read and a
 * write of streams that begin together in an idle memory.  Their legs, turns and mixtures are those
 * of hbm_leg.h; only the moments at which the transfers end are worked out. */
#include "hw/hbm/hbm_bytes.h"
#include "hw/hbm/hbm_leg.h"
#include "hw/hbm/hbm_moment.h"
#include "hw/hbm/hbm_serve.h"

/* The transfers by direction, and what is counted of them. */
struct pair {
    const struct mem_request *request[2]; /* NULL: none */
    uint32_t way[2];
    uint64_t left[2], streams[2]; /* bursts of the phase at hand, and of the stream to come */
    uint32_t busy, streaming;     /* masks of directions */
    uint32_t turn;
    uint64_t turn_left;
    uint64_t served[4]; /* by a mask of streams; 0: setting up */
    hbm_moment work, lost, ends[2];
    uint32_t first; /* the direction that ends first */
};

/* Nothing is served yet.  The rest is set by direction, for each that has a request. */
static void begin_pair(const struct hbm *h, struct pair *p)
{
    p->request[0] = p->request[1] = NULL;
    p->busy = p->streaming = p->first = 0;
    p->turn = h->turn;
    p->turn_left = h->turn_left;
    for (uint32_t mask = 0; mask < 4; mask++)
        p->served[mask] = 0;
    p->work = p->lost = 0;
}

/* Sort the requests that arrive; false: other than one stream each way. */
static bool sort_requests(const struct hbm *h, struct pair *p)
{
    const struct hbm_clients *g = &h->clients;

    for (uint32_t i = 0; i < g->n_arriving; i++) {
        const struct hbm_arrival *a = &g->arriving[i];
        uint32_t write = a->request.write;
        if (p->request[write] || a->client != g->arriving->client || a->request.move.rows)
            return false;
        p->request[write] = &a->request;
        p->way[write] = write * h->n_clients + a->client;
    }
    return true;
}

/* Look up what bursts of the directions in `mask` cost together; false: nothing was counted for
 * that mixture yet. */
static bool look_up_costs(struct hbm *h, uint32_t mask)
{
    struct hbm_lone *l = &h->clients.lone;

    if (!l->mixture[mask]) {
        hbm_mix_key key = 0;
        for (uint32_t write = 0; write < 2; write++)
            key += mask >> write & 1 ? hbm_mix_one(write) : 0;
        uint32_t mixture = hbm_part_mix(h->part, key);
        l->mixture[mask] = mixture + 1;
        for (uint32_t write = 0; write < 2; write++)
            l->cost[mask][write] = h->part->mixture[mixture].cost[write];
    }
    return l->mixture[mask] <= h->n_served;
}

/* Set the bursts of a transfer; false: its turns would be long ones. */
static bool set_bursts(const struct hbm *h, struct pair *p, uint32_t write)
{
    const struct mem_request *q = p->request[write];
    uint64_t overhead = h->par.request_overhead * (1 + (uint64_t)q->more);
    uint64_t streams = hbm_bytes_bursts(h, q->move.bytes);
    uint64_t most = HBM_LONG_TRANSFER / h->par.burst;

    p->streams[write] = streams;
    p->left[write] = overhead ? hbm_bytes_bursts(h, q->move.bytes + overhead) - streams : 0;
    p->busy |= UINT32_C(1) << write;
    if (!p->left[write]) {
        p->left[write] = streams;
        p->streaming |= UINT32_C(1) << write;
    }
    return streams <= most && p->left[write] <= most;
}

/* The direction whose turn it is, as hbm_leg_way() has it. */
static inline uint32_t find_turn(const struct hbm *h, struct pair *p)
{
    uint32_t write = p->busy >> 1;

    if (p->turn_left && p->busy & 1 && p->turn == p->way[0])
        return 0;
    if (p->turn_left && p->busy & 2 && p->turn == p->way[1])
        return 1;
    if (p->busy == 3)
        write = p->turn >= p->way[0] && p->turn < p->way[1];
    p->turn = p->way[write];
    p->turn_left = h->turn_bursts;
    return write;
}

/* Count `bursts` of direction `i`, whose transfer streams or is set up. */
static inline void count_bursts(const struct hbm *h, struct pair *p, uint32_t i, uint64_t bursts)
{
    uint32_t bit = UINT32_C(1) << i;
    bool streams = p->streaming & bit;
    uint32_t mask = !streams ? 0 : h->par.contention ? p->streaming : bit;
    uint64_t cost = streams ? h->clients.lone.cost[mask][i] : HBM_FINE;

    p->served[mask] += bursts;
    p->lost += (hbm_moment)bursts * (cost - HBM_FINE);
    p->work += (hbm_moment)bursts * cost;
    p->left[i] -= bursts;
}

/* Serve rounds of whole turns of two streams at once, of which another one follows. */
static void pass_rounds(const struct hbm *h, struct pair *p)
{
    uint64_t turn = h->turn_bursts, less = p->left[p->left[1] < p->left[0]];

    if (p->streaming != 3 || p->turn_left != turn || less < 2 * turn)
        return;
    uint64_t bursts = less - less % turn - turn;
    count_bursts(h, p, 0, bursts);
    count_bursts(h, p, 1, bursts);
}

/* Serve a leg of direction `i`, or all that it has where nobody else takes a turn. */
static void serve_leg(const struct hbm *h, struct pair *p, uint32_t i)
{
    uint64_t bursts = p->left[i];

    if (bursts <= p->turn_left) {
        p->turn_left -= bursts;
    } else if (p->busy == 3) {
        bursts = p->turn_left;
        p->turn_left = 0;
    } else {
        uint64_t over = (bursts - p->turn_left) % h->turn_bursts;
        p->turn_left = over ? h->turn_bursts - over : 0;
    }
    count_bursts(h, p, i, bursts);
}

static void serve_pair(const struct hbm *h, struct pair *p)
{
    while (p->busy) {
        uint32_t i = find_turn(h, p), bit = UINT32_C(1) << i;
        pass_rounds(h, p);
        serve_leg(h, p, i);
        if (p->left[i])
            continue;
        if (!(p->streaming & bit)) {
            p->streaming |= bit;
            p->left[i] = p->streams[i];
            continue;
        }
        p->busy &= ~bit;
        p->streaming &= ~bit;
        p->ends[i] = p->work;
        p->first = p->busy ? i : p->first;
    }
}

/* Work before the first leg, which begins as hbm_align_start() says. */
static hbm_moment find_start(struct hbm *h, des_time now)
{
    hbm_moment before = h->at;

    h->at = hbm_fold_moment(h, h->clients.until);
    hbm_align_start(h, now);
    hbm_moment start = hbm_fold_work(h, h->at);
    h->at = before;
    return start;
}

static void count_pair(struct hbm *h, const struct pair *p)
{
    h->setting_up += p->served[0];
    for (uint32_t mask = 1; mask < 4; mask++)
        if (p->served[mask])
            h->served[h->clients.lone.mixture[mask] - 1] += p->served[mask];
    h->lost[0] += p->lost;
    for (uint32_t write = 0; write < 2; write++)
        h->begun[write] += p->request[write] ? p->request[write]->move.bytes : 0;
    h->turn = p->turn;
    h->turn_left = p->turn_left;
    hbm_leg_mix_changes(h);
}

bool hbm_lone_serve(struct hbm *h, des_time now, des_time limit, struct hbm_lone_ends *e)
{
    struct pair p;

    begin_pair(h, &p);
    if (!h->part || h->busy | h->done || !sort_requests(h, &p))
        return false;
    for (uint32_t write = 0; write < 2; write++)
        if (p.request[write] &&
            (!set_bursts(h, &p, write) || !look_up_costs(h, UINT32_C(1) << write)))
            return false;
    if (p.busy == 3 && h->par.contention && !look_up_costs(h, 3))
        return false;
    serve_pair(h, &p);
    hbm_moment start = find_start(h, now);
    *e = (struct hbm_lone_ends){ .first = p.first, .until = start + p.work };
    for (uint32_t write = 0; write < 2; write++)
        if (p.request[write])
            e->at[write] = hbm_moment_time(h, hbm_fold_moment(h, start + p.ends[write]));
    if (e->at[0] > limit || e->at[1] > limit)
        return false;
    count_pair(h, &p);
    h->clients.n_arriving = 0;
    h->clients.until = e->until;
    return true;
}
