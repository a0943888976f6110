#include "study/scaling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/param.h"
#include "machine/spec/sizes.h"
#include "machine/spec/spec.h"
#include "run/job/progress.h"
#include "run/result/outside.h"

/* A slice of some size: a machine, and settings that change it. */
struct slice_plan {
    char machine[128];
    char set[8][64];
    const char **all; /* every setting: these and the user's; the last one of a key counts */
    size_t n;
};

/* The number in the name of a slice or box, 0 if there is none; *stem is the length before it. */
static uint64_t split_number(const char *name, size_t *stem)
{
    size_t n = strlen(name);

    while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    *stem = n;
    return sizes_knows(name) ? strtoull(name + n, NULL, 10) : 0;
}

static bool is_legal(const char *name)
{
    struct sizes_slice slice;
    struct err err;

    return sizes_knows(name) && sizes_find(&slice, name, &err) == 0;
}

/* s to the power of d; more than `most` if it exceeds that. */
static uint64_t raise_power(uint64_t s, uint32_t d, uint64_t most)
{
    uint64_t v = 1;

    while (d-- > 0 && v <= most)
        v *= s;
    return v;
}

/* The most equal sides of a mesh of `chips`, the longest first. */
static void find_sides(uint32_t chips, uint32_t dims, uint32_t side[3])
{
    side[0] = side[1] = side[2] = 1;
    for (uint32_t d = dims - 1; d > 0; d--) {
        for (uint32_t s = 1; raise_power(s, d + 1, chips) <= chips; s++)
            if (chips % s == 0)
                side[d] = s;
        chips /= side[d];
    }
    side[0] = chips;
}

static void add_setting(struct slice_plan *s, const char *key, uint64_t value)
{
    snprintf(s->set[s->n++], sizeof s->set[0], "%s=%" PRIu64, key, value);
}

static bool has_setting(const struct run_request *q, const char *set)
{
    size_t i = 0;

    while (i < q->n_set && !param_same_key(q->set[i], set))
        i++;
    return i < q->n_set;
}

/* `size` as several slices of the given machine. */
static int join_slices(struct slice_plan *s, const struct run_request *q, uint64_t one,
                       uint64_t size, struct err *err)
{
    if (size == 0 || size % one)
        return err_set(err, ERR_FIT,
                       "--scale %" PRIu64 ": not a number of whole machines of %" PRIu64 " as %s",
                       size, one, q->machine);
    snprintf(s->machine, sizeof s->machine, "%s", q->machine);
    snprintf(s->set[0], sizeof s->set[0], "dcn.slices=%" PRIu64, size / one);
    for (size_t i = 0; i < q->n_set; i++)
        if (!param_same_key(q->set[i], s->set[0]))
            s->all[s->n++] = q->set[i];
    s->all[s->n++] = s->set[0];
    return 0;
}

/* The given machine with another mesh; *s holds its name already. */
static int change_mesh(struct slice_plan *s, const struct run_request *q,
                       const struct machine_spec *given, uint64_t number, uint64_t size,
                       struct err *err)
{
    uint32_t side[3], cores_of_chip = given->slice.cores_per_chip;
    uint64_t ratio = number > given->slice.cores ? number / given->slice.cores : 1;
    uint64_t cores = size / ratio, chips = cores / cores_of_chip;

    if (cores == 0 || size % ratio || cores % cores_of_chip || chips > 65536)
        return err_set(err, ERR_FIT, "--scale %" PRIu64 ": not a number of whole chips of %s", size,
                       q->machine);
    bool cube = given->slice.mesh_z > 1 || given->slice.wrap_together;
    find_sides((uint32_t)chips, cube ? 3 : 2, side);
    snprintf(s->machine, sizeof s->machine, "%s", q->machine);
    add_setting(s, "slice.cores", cores);
    add_setting(s, "slice.mesh_x", side[0]);
    add_setting(s, "slice.mesh_y", side[1]);
    add_setting(s, "slice.mesh_z", side[2]);
    snprintf(s->set[s->n++], sizeof s->set[0], "ici.algorithm=torus");
    return 0;
}

/* Some of the chips of a box, which are all joined with each other, or as many as a host of them
 * takes. */
static int change_box(struct slice_plan *s, const struct run_request *q,
                      const struct machine_spec *given, uint64_t size, struct err *err)
{
    if (size == 0 || size > given->slice.chips_per_host)
        return err_set(err, ERR_FIT, "--scale %" PRIu64 ": a box of %s takes 1 to %" PRIu32 " GPUs",
                       size, q->machine, given->slice.chips_per_host);
    snprintf(s->machine, sizeof s->machine, "%s", q->machine);
    add_setting(s, "slice.cores", size);
    add_setting(s, "slice.mesh_x", size);
    if (given->slice.wrap_least == 0)
        add_setting(s, "slice.wrap_least", 2);
    return 0;
}

/* A machine of `size`: a legal one by its name, the given one with another mesh or as part of a
 * box, or several of it. */
static int make_slice(struct slice_plan *s, const struct run_request *q,
                      const struct machine_spec *given, uint64_t size, bool by_slices,
                      struct err *err)
{
    size_t stem;
    uint64_t number = split_number(q->machine, &stem);
    bool meshed = spec_has(given->kind, (size_t)spec_table("ici"));
    bool boxed = spec_has(given->kind, (size_t)spec_table("nvlink"));

    *s = (struct slice_plan){ .all = memory_zeroed(q->n_set + 8, sizeof *s->all) };
    uint64_t one = number ? number : given->slice.cores;
    if (by_slices && size > one)
        return join_slices(s, q, one, size, err);
    snprintf(s->machine, sizeof s->machine, "%.*s%" PRIu64, (int)stem, q->machine, size);
    if (number == 0 || !is_legal(s->machine)) {
        if (!meshed && (!boxed || (size > one && size > given->slice.chips_per_host)))
            return join_slices(s, q, one, size, err);
        if ((meshed ? change_mesh(s, q, given, number, size, err)
                    : change_box(s, q, given, size, err)) != 0)
            return -1;
    }
    size_t own = s->n;
    s->n = 0;
    for (size_t i = 0; i < own; i++)
        if (!has_setting(q, s->set[i])) /* the user's counts */
            s->all[s->n++] = s->set[i];
    for (size_t i = 0; i < q->n_set; i++)
        s->all[s->n++] = q->set[i];
    return 0;
}

static enum scaling_part part_of_cause(enum cause c)
{
    switch (c) {
    case CAUSE_ICI:
    case CAUSE_DCN: return SCALING_NET_BANDWIDTH;
    case CAUSE_LAUNCH: return SCALING_LAUNCH;
    case CAUSE_PCIE:
    case CAUSE_STORAGE: return SCALING_INPUT;
    case CAUSE_HOST:
    case CAUSE_FALLBACK:
    case CAUSE_COMPILE: return SCALING_HOST;
    case CAUSE_BUBBLE:
    case CAUSE_SYNC: return SCALING_IMBALANCE;
    default: return SCALING_COMPUTE;
    }
}

static void init_size(struct scaling_size *z, uint64_t size)
{
    *z = (struct scaling_size){ .size = size };
    mpq_inits(z->samples, z->speedup, z->efficiency, NULL);
    for (int p = 0; p < SCALING_N_PARTS; p++)
        mpq_inits(z->part[p], z->loss[p], NULL);
}

void scaling_free(struct scaling_size *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(s[i].machine);
        run_result_free(&s[i].result);
        mpq_clears(s[i].samples, s[i].speedup, s[i].efficiency, NULL);
        for (int p = 0; p < SCALING_N_PARTS; p++)
            mpq_clears(s[i].part[p], s[i].loss[p], NULL);
    }
}

static int measure_slice(const struct run_request *q, const struct slice_plan *s,
                         struct scaling_size *z, struct err *err)
{
    struct run_request own = *q;
    struct run_result *r = &z->result;

    own.machine = s->machine;
    own.set = s->all;
    own.n_set = s->n;
    if (run_replay(&own, r, err) != 0)
        return -1;
    z->machine = memory_copy(s->machine);
    mpz_set(mpq_numref(z->samples), r->samples_per_step);
    mpz_set_ui(mpq_denref(z->samples), r->cores);
    mpq_canonicalize(z->samples);
    mpq_srcptr seconds;
    for (int c = -1; (seconds = amounts_next(&r->cause, &c));)
        exact_sum(z->part[part_of_cause((enum cause)c)], seconds);
    /* hops that overlap with other work are not waited for */
    bool waited = mpq_cmp(r->hop_seconds, z->part[SCALING_NET_BANDWIDTH]) < 0;
    mpq_set(z->part[SCALING_NET_LATENCY], waited ? r->hop_seconds : z->part[SCALING_NET_BANDWIDTH]);
    mpq_sub(z->part[SCALING_NET_BANDWIDTH], z->part[SCALING_NET_BANDWIDTH],
            z->part[SCALING_NET_LATENCY]);
    return 0;
}

/* q = the share of the samples of all steps that are in the data set, the rest is padding. */
static void find_filled(mpq_t q, const struct scaling_size *z)
{
    EXACT_Q(cores);
    exact_ratio(cores, z->result.cores, 1);
    mpq_mul(cores, cores, z->samples);
    mpq_mul(q, z->result.samples_per_second, z->result.seconds_per_step);
    mpq_div(q, q, cores);
}

/* A global batch that the data set does not fill: all that the share `filled` takes of the
 * efficiency. */
static void lose_padding(struct scaling_size *z, const struct scaling_size *first)
{
    EXACT_Q(filled);
    EXACT_Q(lost);
    find_filled(lost, first);
    find_filled(filled, z);
    mpq_div(filled, filled, lost);
    mpq_set(lost, z->efficiency);
    mpq_mul(z->efficiency, z->efficiency, filled);
    mpq_sub(lost, lost, z->efficiency);
    exact_sum(z->loss[SCALING_BATCH], lost);
}

/* Where a unit outside the cores sets the pace, what cores wait for meanwhile costs nothing: all
 * that is lost is lost to that unit. */
static void lose_to_pace(struct scaling_size *z)
{
    enum cause pace = outside_pace(&z->result);

    if (pace == N_CAUSES)
        return;
    EXACT_Q(all);
    for (int p = 0; p < SCALING_N_PARTS; p++) {
        exact_sum(all, z->loss[p]);
        mpq_set_ui(z->loss[p], 0, 1);
    }
    mpq_set(z->loss[part_of_cause(pace)], all);
}

/* The ideal is a core that does its samples as fast as one of the first size: that scales each part
 * of the first size's step by the ratio of the samples, which is 1 if a core keeps its batch. */
static void compare_with_first(struct scaling_size *z, const struct scaling_size *first)
{
    EXACT_Q(ratio);
    EXACT_Q(ideal);
    mpq_srcptr seconds = z->result.seconds_per_step;
    mpq_div(z->speedup, z->result.samples_per_second, first->result.samples_per_second);
    mpq_div(ratio, z->samples, first->samples);
    mpq_mul(ideal, first->result.seconds_per_step, ratio);
    mpq_div(z->efficiency, ideal, seconds);
    for (int p = 0; p < SCALING_N_PARTS; p++) {
        mpq_mul(ideal, first->part[p], ratio);
        mpq_sub(z->loss[p], z->part[p], ideal);
        mpq_div(z->loss[p], z->loss[p], seconds);
    }
    if (mpq_cmp_ui(ratio, 1, 1) != 0) /* kernels of fewer samples use the units otherwise */
        mpq_swap(z->loss[SCALING_BATCH], z->loss[SCALING_COMPUTE]);
    lose_to_pace(z);
    lose_padding(z, first);
}

int scaling_run(const struct run_request *q, const uint64_t *size, size_t n, bool by_slices,
                struct scaling_size *out, struct err *err)
{
    struct machine_spec *given;
    int rc = 0;

    if (spec_load(&given, q->machine, q->set, q->n_set, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        init_size(&out[i], size[i]);
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct progress_part part = { q->progress, q->progress_self, NULL, i, n };
        struct run_request own = *q;
        struct slice_plan s;
        own.progress = progress_part;
        own.progress_self = &part;
        rc = make_slice(&s, q, given, size[i], by_slices, err);
        if (rc == 0)
            rc = measure_slice(&own, &s, &out[i], err);
        free(s.all);
        if (rc == 0)
            compare_with_first(&out[i], &out[0]);
    }
    spec_free(given);
    if (rc != 0)
        scaling_free(out, n);
    return rc;
}
