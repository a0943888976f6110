#include "kernels/net/nccl.h"

#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "schedule/schedule_flow.h"

#define P(...) PARAM_DESC(struct nccl_params, __VA_ARGS__)
static const struct param_desc params[] = { NCCL_PARAMS(P) };
const struct param_table nccl_param_table = { "nccl", params, sizeof params / sizeof *params,
                                              sizeof(struct nccl_params), NULL };
#undef P

/* In the order of nccl.algorithm and nccl.protocol, behind `auto`. */
enum algorithm { AUTO, RING, TREE, NVLS, PAIRS, N_ALGORITHMS };
enum protocol { ANY, LL, LL128, SIMPLE, N_PROTOCOLS };

static const char *const names[N_ALGORITHMS][N_PROTOCOLS] = {
    [RING] = { [LL] = "NCCL ring, LL",
               [LL128] = "NCCL ring, LL128",
               [SIMPLE] = "NCCL ring, Simple" },
    [TREE] = { [LL] = "NCCL tree, LL",
               [LL128] = "NCCL tree, LL128",
               [SIMPLE] = "NCCL tree, Simple" },
    [NVLS] = { [SIMPLE] = "NCCL NVLS, Simple" },
    [PAIRS] = { [LL] = "NCCL send, LL", [SIMPLE] = "NCCL send, Simple" },
};

/* A collective: n GPUs of each of N boxes, S bytes each. */
struct job {
    const struct schedule *s;
    const struct nccl_params *par;
    const struct cap_net *net;
    uint64_t n, boxes, ranks, bytes;
};

/* One way to do it.  `near` and `far` are bytes that a GPU sends, `ends` those that nothing hides.
 */
struct way {
    uint64_t near, far, ends;
    uint64_t near_steps, far_steps;
    uint64_t base_fs, step_fs, net_fs;
    uint64_t share; /* of the links' bandwidth, parts per 1e9 */
};

/* --- protocols ----------------------------------------------------------------------------- */

static void set_protocol(struct way *w, const struct nccl_params *p, enum protocol protocol)
{
    const struct {
        uint64_t base, step, net, share;
    } of[N_PROTOCOLS] = {
        [LL] = { p->ll_time, p->ll_step, p->ll_net, p->ll_share },
        [LL128] = { p->ll128_time, p->ll128_step, p->ll128_net, p->ll128_share },
        [SIMPLE] = { p->simple_time, p->simple_step, p->simple_net, p->simple_share },
    };

    w->base_fs = of[protocol].base;
    w->step_fs = of[protocol].step;
    w->net_fs = of[protocol].net;
    w->share = of[protocol].share;
}

/* --- algorithms ----------------------------------------------------------------------------- */

static bool adds_all(enum schedule_kind kind)
{
    return kind == SCHEDULE_ALL_REDUCE || kind == SCHEDULE_BARRIER;
}

static uint64_t count_levels(uint64_t boxes)
{
    uint64_t n = 0;

    while (boxes > UINT64_C(1) << n)
        n++;
    return n;
}

/* Bytes that a box sends in trees of boxes, divided by its GPUs. */
static uint64_t bytes_of_tree(const struct job *j)
{
    return wide_mul_div_up(2 * j->bytes, j->boxes - 1, j->boxes * j->n);
}

static uint64_t ends_of_kind(const struct job *j)
{
    const struct nccl_params *p = j->par;
    const uint64_t ends[SCHEDULE_N_KINDS] = { [SCHEDULE_ALL_REDUCE] = p->sum_ends,
                                              [SCHEDULE_REDUCE_SCATTER] = p->scatter_ends,
                                              [SCHEDULE_ALL_GATHER] = p->gather_ends,
                                              [SCHEDULE_BROADCAST] = p->gather_ends,
                                              [SCHEDULE_ALL_TO_ALL] = p->exchange_ends };

    return wide_mul_div(ends[j->s->kind], j->bytes / j->ranks, PPB_PER_ONE);
}

static bool by_ring(const struct job *j, enum protocol protocol, struct way *w)
{
    uint64_t rounds = adds_all(j->s->kind) ? 2 : 1, steps = rounds * (j->ranks - 1), all;

    if (j->s->kind == SCHEDULE_ALL_TO_ALL || j->s->kind == SCHEDULE_PERMUTE)
        return false;
    set_protocol(w, j->par, protocol);
    w->far_steps = j->boxes > 1 ? rounds * j->boxes : 0;
    w->near_steps = steps > w->far_steps ? steps - w->far_steps : 0;
    all = j->s->kind == SCHEDULE_BROADCAST ? j->bytes : wide_mul_div_up(j->bytes, steps, j->ranks);
    w->far = j->boxes > 1 ? all / j->n : 0;
    w->near = all - w->far;
    w->ends = ends_of_kind(j);
    return true;
}

static bool by_tree(const struct job *j, enum protocol protocol, struct way *w)
{
    if (!adds_all(j->s->kind) || j->boxes < 2)
        return false;
    set_protocol(w, j->par, protocol);
    w->share = wide_mul_div(w->share, j->par->tree_share, PPB_PER_ONE);
    w->near_steps = 2 * (j->n - 1);
    w->far_steps = 2 * count_levels(j->boxes);
    w->near = j->n > 1 ? 2 * j->bytes : 0;
    w->far = bytes_of_tree(j);
    return true;
}

static bool by_nvls(const struct job *j, enum protocol protocol, struct way *w)
{
    if (!adds_all(j->s->kind) || protocol != SIMPLE || j->par->nvls_share == 0 ||
        j->n < j->par->nvls_least || j->s->element == 1) /* switches add no bytes */
        return false;
    set_protocol(w, j->par, protocol);
    w->base_fs = j->par->nvls_time;
    w->share = j->par->nvls_share;
    w->near = j->bytes;
    w->far_steps = 2 * count_levels(j->boxes);
    w->far = j->boxes > 1 ? bytes_of_tree(j) : 0;
    return true;
}

/* Beyond what the buffers of all channels hold, a GPU waits until the others have emptied them. */
static uint64_t wait_for_buffers(const struct nccl_params *p, uint64_t sent)
{
    uint64_t more = sent > p->exchange_buffer ? sent - p->exchange_buffer : 0;

    return more < p->exchange_buffer ? wide_mul_div(p->exchange_wait, more, p->exchange_buffer)
                                     : p->exchange_wait;
}

/* LL has one channel to each of the others. */
static bool by_exchange(const struct job *j, enum protocol protocol, struct way *w)
{
    const struct nccl_params *p = j->par;
    uint64_t sent = wide_mul_div(j->bytes, j->ranks - 1, j->ranks), lanes = j->ranks - 1;

    if (protocol == LL128)
        return false;
    set_protocol(w, p, protocol);
    if (protocol == LL) {
        w->base_fs = p->exchange_ll_time;
        w->share = lanes && p->exchange_ll_share < PPB_PER_ONE / lanes
                       ? p->exchange_ll_share * lanes
                       : PPB_PER_ONE;
    } else {
        w->base_fs = p->exchange_time + wait_for_buffers(p, sent);
        w->share = p->exchange_share;
        w->ends = ends_of_kind(j);
    }
    w->far_steps = j->boxes > 1;
    w->far = wide_mul_div(j->bytes, j->ranks - j->n, j->ranks);
    w->near = wide_mul_div(j->bytes, j->n - 1, j->ranks);
    return true;
}

/* Channels of Simple double with the bytes, up to the share of all of them. */
static uint64_t share_of_send(const struct job *j)
{
    const struct nccl_params *p = j->par;
    uint64_t few = p->send_few, times = PPB_PER_ONE;

    if (j->ranks == 2)
        few = wide_mul_div(few, p->send_pair, PPB_PER_ONE);
    if (j->bytes > p->send_bytes)
        times = wide_mul_div(j->bytes, PPB_PER_ONE, p->send_bytes);
    u128 share = (u128)few * times / PPB_PER_ONE;
    return share < p->send_share ? (uint64_t)share : p->send_share;
}

/* A permutation by a shift.  `shift` GPUs of each box send to another box, over network cards that
 * all GPUs of the box share; the others send within it. */
static bool by_send(const struct job *j, enum protocol protocol, struct way *w)
{
    uint64_t shift = j->s->shift < j->n ? j->s->shift : j->n;

    if (protocol == LL128)
        return false;
    set_protocol(w, j->par, protocol);
    w->base_fs = protocol == LL ? j->par->send_ll_time : j->par->send_time;
    w->share = protocol == LL ? j->par->send_ll_share : share_of_send(j);
    w->far = j->boxes > 1 ? wide_mul_div_up(j->bytes, shift, j->n) : 0;
    w->far_steps = w->far > 0;
    w->near = j->bytes - w->far;
    return true;
}

static bool by_pairs(const struct job *j, enum protocol protocol, struct way *w)
{
    switch (j->s->kind) {
    case SCHEDULE_ALL_TO_ALL: return by_exchange(j, protocol, w);
    case SCHEDULE_PERMUTE: return by_send(j, protocol, w);
    default: return false;
    }
}

static bool (*const by[N_ALGORITHMS])(const struct job *j, enum protocol protocol,
                                      struct way *w) = {
    [RING] = by_ring, [TREE] = by_tree, [NVLS] = by_nvls, [PAIRS] = by_pairs
};

/* --- times ----------------------------------------------------------------------------------- */

static u128 time_of_bytes(uint64_t bytes, uint64_t per_s, uint64_t share)
{
    return bytes ? (u128)bytes * FS_PER_S / wide_mul_div_up(per_s, share, PPB_PER_ONE) : 0;
}

/* The time of the steps, and of bytes that nothing hides. */
static u128 latency_of(const struct way *w, const struct cap_net *net)
{
    return w->base_fs + (u128)w->near_steps * w->step_fs +
           (u128)w->far_steps * (w->net_fs + net->far_latency_fs) +
           time_of_bytes(w->ends, net->bytes_per_s, w->share);
}

/* Over the network flags go beside the data: 4 bytes beside 4, or 8 beside 120. */
static uint64_t with_flags(uint64_t bytes, enum protocol protocol)
{
    const uint64_t more[N_PROTOCOLS] = { [LL] = bytes, [LL128] = bytes / 15 };

    return bytes + more[protocol];
}

/* Over the cards, in messages. */
static u128 time_of_far(uint64_t bytes, const struct cap_net *net)
{
    uint64_t messages = bytes ? arith_ceil_div(bytes, net->message) : 0;

    return time_of_bytes(bytes, net->far_bytes_per_s, PPB_PER_ONE) +
           (u128)messages * net->far_message_fs;
}

/* The first message is on its way over the network and the links of two hosts while the boxes wait
 * for it.  If what goes within them takes longer, that much comes on top; no more than is seen if
 * the network takes longer. */
static u128 fill_of(const struct way *w, const struct cap_net *net)
{
    uint64_t first = w->far < net->message ? w->far : net->message;
    u128 near = time_of_bytes(w->near, net->bytes_per_s, w->share);
    u128 far = time_of_far(w->far, net);
    u128 fill =
        time_of_far(first, net) + 2 * time_of_bytes(first, net->host_bytes_per_s, PPB_PER_ONE);

    return near >= far ? fill : near + fill > far ? near + fill - far : 0;
}

/* Until its bytes flow. */
static u128 wait_of(const struct way *w, const struct cap_net *net)
{
    return latency_of(w, net) + fill_of(w, net);
}

static u128 time_of(const struct way *w, const struct cap_net *net)
{
    u128 near = time_of_bytes(w->near, net->bytes_per_s, w->share);
    u128 far = time_of_far(w->far, net);

    return wait_of(w, net) + (near > far ? near : far);
}

/* Work of a chip in its HBM and its additions. */
static void set_work(struct schedule_flow *f, const struct job *j)
{
    uint64_t share = j->bytes / j->ranks;
    const struct {
        uint64_t read, write, added;
    } of[SCHEDULE_N_KINDS] = {
        [SCHEDULE_ALL_REDUCE] = { j->bytes, j->bytes, j->bytes - share },
        [SCHEDULE_REDUCE_SCATTER] = { j->bytes, share, j->bytes - share },
        [SCHEDULE_ALL_GATHER] = { share, j->bytes, 0 },
        [SCHEDULE_ALL_TO_ALL] = { j->bytes, j->bytes, 0 },
        [SCHEDULE_PERMUTE] = { j->bytes, j->bytes, 0 },
        [SCHEDULE_BROADCAST] = { j->bytes, j->bytes, 0 },
    };

    f->read = of[j->s->kind].read;
    f->write = of[j->s->kind].write;
    f->added = of[j->s->kind].added;
}

/* Empty steps of the flow and the hop of its last one take some of the latency. */
static uint64_t rest_of_wait(const struct way *w, const struct job *j)
{
    struct schedule_far far = schedule_flow_far(j->s);
    u128 all = wait_of(w, j->net);
    u128 hops =
        (u128)schedule_flow_cost(j->s).hops * j->net->latency_fs +
        (j->boxes > 1 ? (u128)far.hops * (j->net->far_latency_fs + j->net->far_message_fs) : 0);

    return all > hops ? (uint64_t)(all - hops) : 0;
}

/* --- the choice ------------------------------------------------------------------------------ */

static enum algorithm read_algorithm(const struct schedule *s, const struct nccl_params *p)
{
    switch (s->algorithm) {
    case SCHEDULE_RING:
    case SCHEDULE_RING_ONE_WAY: return RING;
    case SCHEDULE_TREE: return TREE;
    default: return (enum algorithm)p->algorithm;
    }
}

/* The way of least time among those that fit; the first of equal ones. */
static bool choose_way(const struct job *j, enum algorithm only, enum protocol protocol,
                       struct way *best, const char **name)
{
    u128 least = 0;

    *name = NULL;
    for (int a = RING; a < N_ALGORITHMS; a++)
        for (int p = LL; p < N_PROTOCOLS; p++) {
            struct way w = { 0 };
            if ((only != AUTO && only != (enum algorithm)a) ||
                (protocol != ANY && protocol != (enum protocol)p) ||
                !by[a](j, (enum protocol)p, &w))
                continue;
            w.far = with_flags(w.far, (enum protocol)p);
            u128 fs = time_of(&w, j->net);
            if (!*name || fs < least) {
                least = fs;
                *best = w;
                *name = names[a][p];
            }
        }
    return *name != NULL;
}

int nccl_plan(struct schedule *s, const struct cap *cap, struct err *err)
{
    uint64_t boxes = s->outer.n > 1 ? s->outer.n : 1;
    struct job j = {
        s, &cap->nccl, &cap->net, s->group.size, boxes, boxes * s->group.size, s->bytes + s->further
    };
    bool told = s->algorithm != SCHEDULE_AUTO;
    enum algorithm only = read_algorithm(s, &cap->nccl);
    enum protocol protocol = (enum protocol)cap->nccl.protocol;
    struct way w = { 0 };
    const char *name;

    if (told && only != RING && only != TREE)
        return err_set(err, ERR_FIT, "NCCL has no %s, but ring and tree",
                       schedule_algorithm_name[s->algorithm]);
    /* the machine's choices are for all collectives: where they fit */
    if (!choose_way(&j, only, protocol, &w, &name) && !choose_way(&j, only, ANY, &w, &name) &&
        (told || !choose_way(&j, AUTO, ANY, &w, &name)))
        return err_set(err, ERR_FIT, "NCCL does no %s by %s among %u GPUs of %u boxes",
                       schedule_kind_name[s->kind], schedule_algorithm_name[s->algorithm],
                       s->group.size, (unsigned)boxes);
    s->flow = (struct schedule_flow){ .by = name,
                                      .near = w.near,
                                      .far = w.far,
                                      .times = wide_mul_div(PPB_PER_ONE, PPB_PER_ONE, w.share) };
    set_work(&s->flow, &j);
    s->flow.wait_fs = rest_of_wait(&w, &j);
    return 0;
}
