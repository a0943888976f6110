#include "kernels/net/collective_list.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wide.h"
#include "schedule/schedule_list.h"
#include "trace/kind/members.h"

static int read_lists(struct members *m, const struct collective *c, const struct cap *cap,
                      struct err *err)
{
    const char *key = c->pairs ? "pairs" : "members";
    size_t at;
    struct err why = { 0 };

    if (members_read(m, c->pairs ? c->pairs : c->members, c->pairs != NULL, &at, &why) != 0)
        return err_set(err, ERR_FIT, "%s=: %.200s", key, why.msg);
    if (m->top < cap->replicas)
        return 0;
    err_set(err, ERR_FIT, "%s= names replica %u of %u", key, m->top, cap->replicas);
    members_free(m);
    return -1;
}

static uint32_t count_slices(const struct cap *cap)
{
    return cap->net.slices ? cap->net.slices : 1;
}

/* For each replica what it has in common with those that it meets: the least of its list, or of a
 * pair who receives, counted within the slice.  False if one reaches over slices. */
static bool find_marks(const struct members *m, bool pairs, uint32_t here, uint32_t *mark)
{
    for (uint32_t g = 0; g < m->n_lists; g++) {
        uint32_t first = m->first[g], least = m->replica[first];
        for (uint32_t i = first; i < m->first[g + 1]; i++) {
            if (m->replica[i] / here != m->replica[first] / here)
                return false;
            least = m->replica[i] < least ? m->replica[i] : least;
        }
        for (uint32_t i = first; i < (pairs ? first + 1 : m->first[g + 1]); i++)
            mark[m->replica[i]] = 1 + (pairs ? m->replica[first + 1] : least) % here;
    }
    return true;
}

/* Keep the lists of the first slice, if those of all are alike. */
static int keep_one_slice(struct members *m, bool pairs, const struct cap *cap, struct err *err)
{
    uint32_t slices = count_slices(cap), here = cap->replicas / slices, lists = 0, n = 0;

    if (m->top < here) /* what the first slice does all do */
        return 0;
    uint32_t *mark = memory_zeroed(cap->replicas, sizeof *mark);
    bool within = find_marks(m, pairs, here, mark), alike = within;

    for (uint32_t i = here; i < cap->replicas && alike; i++)
        alike = mark[i] == mark[i % here];
    free(mark);
    if (!alike)
        return err_set(err, ERR_FIT, "groups that are listed %s slices of %u devices",
                       within ? "differ between" : "reach over", here);
    for (uint32_t g = 0; g < m->n_lists; g++) {
        uint32_t from = m->first[g], size = m->first[g + 1] - from;
        if (m->replica[from] >= here)
            continue;
        m->first[lists++] = n;
        for (uint32_t i = 0; i < size; i++)
            m->replica[n++] = m->replica[from + i];
    }
    m->first[lists] = n;
    m->n_lists = lists;
    return 0;
}

int collective_list_plan(struct task_call *call, struct sharing *share, const struct collective *c,
                         const struct cap *cap, struct err *err)
{
    uint32_t cores = cap->net.cores_per_chip;
    struct schedule *s = &call->schedule;
    struct members m;

    if (read_lists(&m, c, cap, err) != 0)
        return -1;
    int rc = keep_one_slice(&m, c->pairs != NULL, cap, err);
    if (rc == 0) {
        struct schedule_list *l =
            schedule_list_new(&s->mesh, cores, c->pairs != NULL, m.first, m.n_lists, m.replica);
        schedule_list_use(s, l);
        *share = l->boxed ? (struct sharing){ l->fan, cores / l->fan } : (struct sharing){ 1, 1 };
    }
    members_free(&m);
    return rc;
}

/* Pairs that pass the link with most of them. */
static uint32_t count_busiest(const struct members *m, const struct cap *cap)
{
    const struct mesh *mesh = &cap->net.mesh;
    uint32_t cores = cap->net.cores_per_chip, most = 0;
    uint32_t *passed = memory_zeroed((size_t)mesh_size(mesh) * MESH_PORTS, sizeof *passed);

    for (uint32_t g = 0; g < m->n_lists; g++) {
        uint32_t at = m->replica[m->first[g]] / cores, to = m->replica[m->first[g] + 1] / cores;
        while (at != to) {
            uint32_t port = mesh_port(mesh, at, to), n = ++passed[at * MESH_PORTS + port];
            most = n > most ? n : most;
            at = mesh_neighbour(mesh, at, port);
        }
    }
    free(passed);
    return most;
}

int collective_list_even(struct collective *c, const struct cap *cap, struct err *err)
{
    uint32_t cores = cap->net.cores_per_chip;
    struct members m;

    if (read_lists(&m, c, cap, err) != 0)
        return -1;
    int rc = keep_one_slice(&m, true, cap, err);
    uint32_t most = rc == 0 && !cap->net.mesh.wrap[MESH_BOARDS] ? count_busiest(&m, cap) : 0;
    members_free(&m);
    if (most == 0)
        return rc;
    c->pairs = NULL;
    c->group = cap->replicas / count_slices(cap);
    c->stride = 1;
    c->shift = cores;
    c->bytes = wide_mul_div_up(c->bytes, most, cores);
    return 0;
}

/* --- for a library ------------------------------------------------------------------------- */

/* The least divisor of `of` that is at least `n`. */
static uint32_t next_divisor(uint32_t n, uint32_t of)
{
    while (n < of && of % n)
        n++;
    return n < of ? n : of;
}

/* Members of a list in the box that has most of them. */
static uint32_t most_in_box(const uint32_t *replica, uint32_t n, uint32_t here, uint32_t *count)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t *of = &count[replica[i] / here];
        most = ++*of > most ? *of : most;
    }
    for (uint32_t i = 0; i < n; i++)
        count[replica[i] / here] = 0;
    return most;
}

static void count_groups(struct collective *c, const struct members *m, uint32_t here,
                         uint32_t slices, uint32_t *count)
{
    uint32_t near = 1, far = 1;

    for (uint32_t g = 0; g < m->n_lists; g++) {
        uint32_t size = m->first[g + 1] - m->first[g];
        uint32_t n = most_in_box(&m->replica[m->first[g]], size, here, count);
        uint32_t boxes = (size + n - 1) / n;
        near = n > near ? n : near;
        far = boxes > far ? boxes : far;
    }
    near = next_divisor(near, here);
    far = next_divisor(far, slices);
    c->group = near * far;
    c->stride = far > 1 ? here / near : 1;
}

static void count_pairs(struct collective *c, const struct members *m, uint32_t here,
                        uint32_t *count)
{
    uint32_t most = 0;

    for (uint32_t g = 0; g < m->n_lists; g++) {
        const uint32_t *pair = &m->replica[m->first[g]];
        uint32_t box = pair[0] / here;
        if (box != pair[1] / here && ++count[box] > most)
            most = count[box];
    }
    c->group = most ? 0 : here;
    c->stride = 1;
    c->shift = most ? most : 1;
}

int collective_list_count(struct collective *c, const struct cap *cap, struct err *err)
{
    uint32_t slices = count_slices(cap), here = cap->replicas / slices;
    struct members m;

    if (read_lists(&m, c, cap, err) != 0)
        return -1;
    uint32_t *count = memory_zeroed(slices, sizeof *count);
    if (c->pairs)
        count_pairs(c, &m, here, count);
    else
        count_groups(c, &m, here, slices, count);
    free(count);
    members_free(&m);
    return 0;
}
