#include "kernels/net/collective.h"
#include "kernels/net/collective_list.h"
#include "kernels/net/nccl.h"

#include "schedule/schedule_slices.h"

/* Choose a schedule as the compiler of TPUs does: the trace's, the machine's, or the cheapest. */
static int choose_schedule(struct schedule *s, const struct cap *cap, struct err *err)
{
    if (s->algorithm == SCHEDULE_AUTO) {
        s->algorithm = cap->net.algorithm;
        if (s->algorithm != SCHEDULE_AUTO && !schedule_fits(s))
            s->algorithm = SCHEDULE_AUTO; /* the machine's is for all kinds: where it fits */
    } else if (!schedule_fits(s)) {
        char others[160];
        schedule_list(schedule_candidates(s), others, sizeof others);
        return err_set(err, ERR_FIT,
                       "%s does not run by %s on groups of %u x %u x %u chips%s, but by %s",
                       schedule_kind_name[s->kind], schedule_algorithm_name[s->algorithm],
                       s->group.box.n[0], s->group.box.n[1], s->group.box.n[2],
                       s->outer.n > 1 ? " of several slices" : "", others);
    }
    schedule_choose(s, cap->net.latency_fs, cap->net.bytes_per_s);
    return 0;
}

static bool is_any_kind(enum schedule_kind kind)
{
    return kind < SCHEDULE_N_KINDS;
}

/* Who decides how a collective runs, and which kinds it runs over slices. */
static const struct planner {
    int (*choose)(struct schedule *s, const struct cap *cap, struct err *err);
    bool (*over_slices)(enum schedule_kind kind);
    bool counts; /* of listed groups it only counts members */
} planner_of[CHIP_N_KINDS] = {
    [CHIP_TPU] = { choose_schedule, schedule_slices_kind, false },
    [CHIP_GPU] = { nccl_plan, is_any_kind, true },
    [CHIP_CPU] = { choose_schedule, schedule_slices_kind, false },
};

/* Part a group that reaches over slices into the slices and what it has in each of them; one that
 * does not stays as it is. */
static int part_by_slices(struct schedule_outer *outer, uint32_t *size, uint32_t *stride,
                          const struct cap *cap, struct err *err)
{
    uint32_t slices = cap->net.slices ? cap->net.slices : 1, here = cap->replicas / slices;
    uint64_t span = (uint64_t)*size * *stride;

    *outer = (struct schedule_outer){ 0, 0 };
    if (here % span == 0)
        return 0;
    if (*stride % here == 0) {
        *outer = (struct schedule_outer){ *size, *stride / here };
        *size = 1;
        *stride = cap->net.cores_per_chip;
    } else if (here % *stride == 0 && span % here == 0) {
        *outer = (struct schedule_outer){ (uint32_t)(span / here), 1 };
        *size = here / *stride;
    } else {
        return err_set(err, ERR_FIT,
                       "groups of %u devices, %u apart, are not alike on slices of %u", *size,
                       *stride, here);
    }
    return 0;
}

static int find_groups(struct task_call *call, struct sharing *share, const struct collective *c,
                       const struct cap *cap, struct err *err)
{
    uint32_t cores = cap->net.cores_per_chip, stride = c->stride ? c->stride : 1;
    uint32_t size = c->group ? c->group : cap->replicas / stride;
    struct schedule *s = &call->schedule;

    if (size == 0 || (uint64_t)size * stride > cap->replicas ||
        cap->replicas % ((uint64_t)size * stride) != 0)
        return err_set(err, ERR_FIT, "groups of %u devices, %u apart, do not part %u evenly", size,
                       stride, cap->replicas);
    if (part_by_slices(&s->outer, &size, &stride, cap, err) != 0)
        return -1;
    if (s->outer.n > 1 && !planner_of[cap->kind].over_slices(s->kind))
        return err_set(err, ERR_FIT,
                       "%s does not go from slice to slice: all-reduce, reduce-scatter, all-gather "
                       "and barrier do; group=%u keeps it within a slice",
                       schedule_kind_name[s->kind],
                       cap->replicas / (cap->net.slices ? cap->net.slices : 1));
    if (stride % cores == 0)
        *share = (struct sharing){ 1, cores };
    else if (stride == 1 && (size % cores == 0 || cores % size == 0))
        *share = (struct sharing){ size < cores ? size : cores, size < cores ? cores / size : 1 };
    else
        return err_set(err, ERR_FIT, "groups of %u devices, %u apart, are not alike on chips of %u",
                       size, stride, cores);
    uint32_t chips = size / share->fan, apart = stride < cores ? 1 : stride / cores;
    BUG_ON(!mesh_group(&s->group, &s->mesh, chips, apart) || s->group.size == 0);
    return 0;
}

/* The chip's own share of the work: `fan` copies are added to one, or one is copied to `fan`. */
static void plan_local(struct task_call *call, const struct sharing *share, uint64_t bytes)
{
    uint64_t one = bytes * share->lanes, others = one * (share->fan - 1);
    uint64_t part = one / share->fan; /* each core adds, or passes on, its part */

    if (share->fan == 1)
        return;
    switch (call->schedule.kind) {
    case SCHEDULE_ALL_REDUCE:
        call->before = (struct task_local){ one + others, one, others, part };
        call->after = (struct task_local){ 0, others, 0, part };
        break;
    case SCHEDULE_REDUCE_SCATTER:
        call->before = (struct task_local){ one + others, one, others, part };
        break;
    case SCHEDULE_ALL_GATHER: /* from a buffer of the chip to each core */
        call->after = (struct task_local){ one, one + others, 0, part };
        break;
    case SCHEDULE_BROADCAST: call->after = (struct task_local){ 0, others, 0, part }; break;
    case SCHEDULE_ALL_TO_ALL:
        /* blocks from core to core of the chip: one of group.size for each pair */
        one = one / call->schedule.group.size * share->fan;
        call->after = (struct task_local){ one, one, 0, one / share->fan };
        break;
    default: break;
    }
}

/* Set the bytes of a permute: core j of a chip goes to core j + shift, `left` of them one chip
 * further.
 */
static void plan_shift(struct task_call *call, const struct sharing *share,
                       const struct collective *c)
{
    struct schedule *s = &call->schedule;
    uint32_t shift = (uint32_t)(c->shift % (s->group.size * share->fan)), left = shift % share->fan;

    s->shift = shift / share->fan;
    s->bytes = c->bytes * share->lanes * (share->fan - left);
    s->further = c->bytes * share->lanes * left;
    if (s->shift == 0 && shift) /* the others stay on their chip */
        call->after = (struct task_local){ s->bytes, s->bytes, 0, s->bytes / share->fan };
}

int collective_plan(struct task_call *call, const struct collective *asked, const struct cap *cap,
                    struct err *err)
{
    struct sharing share = { 1, 1 };
    struct schedule *s = &call->schedule;
    struct collective own = *asked, *c = &own;
    bool listed = c->members || c->pairs;

    *call = (struct task_call){ .bytes = c->bytes, .operands = c->operands };
    *s = (struct schedule){ .kind = c->kind,
                            .algorithm = c->algorithm,
                            .mesh = cap->net.mesh,
                            .element = c->element ? c->element : 1,
                            .pieces = 1 };
    if (listed && planner_of[cap->kind].counts) {
        if (collective_list_count(c, cap, err) != 0)
            return -1;
        listed = false;
    }
    if (listed && c->pairs && cap->even_pairs) {
        if (collective_list_even(c, cap, err) != 0)
            return -1;
        listed = c->pairs != NULL;
    }
    if ((listed ? collective_list_plan(call, &share, c, cap, err)
                : find_groups(call, &share, c, cap, err)) != 0)
        return -1;
    plan_local(call, &share, c->bytes);
    s->bytes = c->kind == SCHEDULE_BARRIER ? 0 : c->bytes * share.lanes;
    if (c->kind == SCHEDULE_ALL_TO_ALL)
        s->bytes *= share.fan;
    if (c->kind == SCHEDULE_PERMUTE && !(listed && c->pairs))
        plan_shift(call, &share, c);
    return planner_of[cap->kind].choose(s, cap, err);
}
