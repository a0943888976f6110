/* hlo_ask_groups.c - see hlo_module.h: replica_groups= written out.
 *
 *      {{0,1},{2,3}}               lists
 *      {}                          all devices in one group
 *      [2,4]<=[4,2]T(1,0)          0, 1, 2... in a grid 4 x 2, transposed, cut into 2 groups of 4
 *      mesh['a'=4,'b'=2] {'a'}     devices in a grid, those of a group differ along axis a
 *
 * An axis may be a part of one: 'a':(2)4 has the 4 steps of a that have 2 steps outside of them.
 * The order in a group is that of its axes as they are listed, the last one varies fastest.
 * Source: IotaReplicaGroupList and MeshAxesReplicaGroupList of OpenXLA (xla/hlo/ir). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hlo/hlo_lex.h"

#define MOST_DEVICES (1u << 22)
#define MOST_AXES 64

/* Devices in a grid: `size` of each axis, outermost first. */
struct grid {
    uint32_t n;
    uint64_t size[MOST_AXES];
};

/* Everything that reading one attribute needs. */
struct reading {
    struct hlo_lex lex;
    const struct hlo_module *m;
    const struct hlo_instruction *i;
    struct err *err;
    struct hlo_groups *groups;
    uint32_t cap;
};

static int fail_groups(struct reading *r, const char *what)
{
    struct hlo_text t = hlo_attribute(r->m, r->i, "replica_groups");

    return hlo_error(r->m, r->i, r->err, "replica_groups=%.*s: %s", t.size > 80 ? 80 : (int)t.size,
                     t.at, what);
}

static int add_member(struct reading *r, uint32_t n, uint64_t device)
{
    if (device >= HLO_NONE || n >= MOST_DEVICES)
        return fail_groups(r, "more than 4194304 members, or a device of more than 32 bits");
    MEMORY_GROW(r->groups->member, n + 1, r->cap);
    r->groups->member[n] = (uint32_t)device;
    return 0;
}

/* --- lists -------------------------------------------------------------------------------- */

/* Groups of different sizes, one after the other, become rows of the largest size. */
static int pad_groups(struct reading *r, const uint32_t *size, uint32_t n)
{
    struct hlo_groups *g = r->groups;
    uint32_t *old = g->member, *from = old;

    for (uint32_t k = 0; k < n; k++) {
        g->uneven |= size[k] != size[0];
        g->size = size[k] > g->size ? size[k] : g->size;
    }
    g->n_groups = n;
    if (!g->uneven)
        return 0;
    if ((uint64_t)n * g->size > MOST_DEVICES)
        return fail_groups(r, "more than 4194304 members");
    g->member = memory_resize(NULL, (size_t)n * g->size, sizeof *g->member);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < g->size; j++)
            g->member[(size_t)k * g->size + j] = j < size[k] ? *from++ : HLO_NONE;
    free(old);
    return 0;
}

static int read_group(struct reading *r, uint32_t *n, uint32_t *size)
{
    struct hlo_lex *x = &r->lex;
    uint64_t device;

    *size = 0;
    if (!hlo_lex_take(x, '{'))
        return fail_groups(r, "expected groups such as {{0,1},{2,3}}");
    while (!hlo_lex_take(x, '}')) {
        if ((*size > 0 && !hlo_lex_take(x, ',')) || hlo_lex_number(x, "", &device) != 0)
            return fail_groups(r, "expected groups such as {{0,1},{2,3}}");
        if (add_member(r, (*n)++, device) != 0)
            return -1;
        (*size)++;
    }
    return 0;
}

static int read_lists(struct reading *r)
{
    struct hlo_lex *x = &r->lex;
    uint32_t *size = NULL, n_groups = 0, cap = 0, n = 0;
    int rc = 0;

    while (rc == 0 && !hlo_lex_take(x, '}')) {
        MEMORY_GROW(size, n_groups + 1, cap);
        if (n_groups > 0 && !hlo_lex_take(x, ','))
            rc = fail_groups(r, "expected groups such as {{0,1},{2,3}}");
        else
            rc = read_group(r, &n, &size[n_groups++]);
    }
    if (rc == 0 && n_groups > 0)
        rc = n > 0 ? pad_groups(r, size, n_groups) : fail_groups(r, "groups without members");
    free(size);
    return rc;
}

/* --- grids -------------------------------------------------------------------------------- */

/* Read sizes up to `close`; *total: their product. */
static int read_sizes(struct reading *r, char close, struct grid *g, uint64_t *total)
{
    struct hlo_lex *x = &r->lex;

    *g = (struct grid){ 0 };
    *total = 1;
    do {
        if (g->n == MOST_AXES || hlo_lex_number(x, "", &g->size[g->n]) != 0 || g->size[g->n] == 0 ||
            g->size[g->n] > MOST_DEVICES)
            return fail_groups(r, "a size is not a number of [1, 4194304]");
        *total *= g->size[g->n++];
        if (*total > MOST_DEVICES)
            return fail_groups(r, "more than 4194304 devices");
    } while (hlo_lex_take(x, ','));
    return hlo_lex_take(x, close) ? 0 : fail_groups(r, "a bracket is missing");
}

/* Append the devices of `g` with its axes in another order: the last of `order` varies fastest.
 * `device`: what stands at each place of the grid, NULL: its number. */
static int add_grid(struct reading *r, const struct grid *g, const uint32_t *order,
                    const uint32_t *device)
{
    uint64_t stride[MOST_AXES], at[MOST_AXES] = { 0 }, step = 1, place = 0, total = 1;

    for (uint32_t k = g->n; k > 0; k--) {
        stride[k - 1] = step;
        step *= g->size[k - 1];
    }
    total = step;
    for (uint64_t n = 0; n < total; n++) {
        if (add_member(r, (uint32_t)n, device ? device[place] : place) != 0)
            return -1;
        for (uint32_t k = g->n; k > 0; k--) {
            uint32_t axis = order[k - 1];
            place += stride[axis];
            if (++at[axis] < g->size[axis])
                break;
            place -= at[axis] * stride[axis];
            at[axis] = 0;
        }
    }
    return 0;
}

/* T(1,0): a permutation of the axes; none: as they are. */
static int read_order(struct reading *r, uint32_t n, uint32_t *order)
{
    struct hlo_lex *x = &r->lex;
    uint64_t seen = 0, axis;

    for (uint32_t k = 0; k < n; k++)
        order[k] = k;
    if (!hlo_lex_take(x, 'T'))
        return 0;
    for (uint32_t k = 0; k < n; k++) {
        if (!hlo_lex_take(x, k ? ',' : '(') || hlo_lex_number(x, "", &axis) != 0 || axis >= n ||
            seen >> axis & 1)
            return fail_groups(r, "T(..) is not an order of the axes");
        seen |= (uint64_t)1 << axis;
        order[k] = (uint32_t)axis;
    }
    return hlo_lex_take(x, ')') ? 0 : fail_groups(r, "T(..) is not an order of the axes");
}

/* behind '[': 4,2]T(1,0) */
static int read_iota(struct reading *r, uint64_t total)
{
    struct grid grid;
    uint32_t order[MOST_AXES];
    uint64_t devices;

    if (read_sizes(r, ']', &grid, &devices) != 0 || read_order(r, grid.n, order) != 0)
        return -1;
    if (devices != total)
        return fail_groups(r, "the sizes on both sides of <= have different products");
    return add_grid(r, &grid, order, NULL);
}

/* behind '[': 2,4]<=[8] */
static int read_counts(struct reading *r)
{
    struct hlo_lex *x = &r->lex;
    struct grid groups;
    uint64_t total;

    if (read_sizes(r, ']', &groups, &total) != 0)
        return -1;
    if (groups.n != 2 || !hlo_lex_take(x, '<') || !hlo_lex_take(x, '=') || !hlo_lex_take(x, '['))
        return fail_groups(r, "expected such as [2,4]<=[8]");
    r->groups->n_groups = (uint32_t)groups.size[0];
    r->groups->size = (uint32_t)groups.size[1];
    return read_iota(r, total);
}

/* --- meshes ------------------------------------------------------------------------------- */

/* Axes by name; parts of an axis are axes of their own, outermost first. */
struct mesh {
    struct grid grid;
    struct hlo_text name[MOST_AXES];
    uint64_t outside[MOST_AXES]; /* product of the parts of the same axis that are further out */
    uint32_t *device;            /* device_ids, or NULL */
};

/* 'NAME', or NAME as some versions of XLA print it */
static bool read_axis(struct hlo_lex *x, struct hlo_text *name)
{
    char quote = hlo_lex_peek(x);

    if (quote != '\'' && quote != '"') {
        *name = hlo_lex_word(x);
        return name->size > 0;
    }
    const char *begin = ++x->at, *end = memchr(begin, quote, (size_t)(x->end - begin));
    if (!end)
        return false;
    *name = (struct hlo_text){ begin, (uint32_t)(end - begin) };
    x->at = end + 1;
    return true;
}

/* behind '[': 4,2]T(1,0) or 8]<=[4,2]T(1,0) */
static int read_device_grid(struct reading *r, uint64_t total)
{
    struct hlo_lex *x = &r->lex;
    const char *begin = x->at;
    struct grid all;
    uint64_t devices;

    if (read_sizes(r, ']', &all, &devices) != 0)
        return -1;
    if (!hlo_lex_take(x, '<'))
        x->at = begin;
    else if (!hlo_lex_take(x, '=') || !hlo_lex_take(x, '['))
        return fail_groups(r, "expected such as device_ids=([2,2]T(1,0))");
    return devices != total ? fail_groups(r, "device_ids is not as long as the mesh is large")
                            : read_iota(r, total);
}

/* device_ids=(3,2,1,0) or device_ids=([2,2]T(1,0)) */
static int read_device_ids(struct reading *r, struct mesh *mesh)
{
    struct hlo_lex *x = &r->lex;
    uint64_t device, total = 1;
    uint32_t n = 0;

    for (uint32_t k = 0; k < mesh->grid.n; k++)
        total *= mesh->grid.size[k];
    if (!hlo_text_is(hlo_lex_word(x), "device_ids") || !hlo_lex_take(x, '=') ||
        !hlo_lex_take(x, '('))
        return fail_groups(r, "expected an axis or device_ids=(..)");
    if (hlo_lex_take(x, '[')) {
        if (read_device_grid(r, total) != 0)
            return -1;
        n = (uint32_t)total;
    } else {
        do {
            if (hlo_lex_number(x, "", &device) != 0)
                return fail_groups(r, "device_ids is not a list of numbers");
            if (add_member(r, n++, device) != 0)
                return -1;
        } while (hlo_lex_take(x, ','));
    }
    if (n != total || !hlo_lex_take(x, ')'))
        return fail_groups(r, "device_ids is not as long as the mesh is large");
    mesh->device = r->groups->member;
    r->groups->member = NULL;
    r->cap = 0;
    return 0;
}

/* ['a'=4,'b'=2] or ['a'=4,'b'=2, device_ids=(..)] or ['a'=4,'b'=2], device_ids=(..) */
static int read_mesh(struct reading *r, struct mesh *mesh)
{
    struct hlo_lex *x = &r->lex;
    struct grid *g = &mesh->grid;
    uint64_t total = 1;

    if (!hlo_lex_take(x, '['))
        return fail_groups(r, "expected '[' after mesh");
    do {
        if (g->n == MOST_AXES)
            return fail_groups(r, "a mesh of more than 64 axes");
        const char *begin = x->at;
        if (!read_axis(x, &mesh->name[g->n]) || hlo_text_is(mesh->name[g->n], "device_ids")) {
            x->at = begin;
            if (read_device_ids(r, mesh) != 0)
                return -1;
            break;
        }
        if (!hlo_lex_take(x, '=') || hlo_lex_number(x, "", &g->size[g->n]) != 0 ||
            g->size[g->n] == 0 || g->size[g->n] > MOST_DEVICES)
            return fail_groups(r, "the size of an axis is not in [1, 4194304]");
        mesh->outside[g->n] = 1;
        total *= g->size[g->n++];
        if (total > MOST_DEVICES)
            return fail_groups(r, "more than 4194304 devices");
    } while (hlo_lex_take(x, ','));
    if (!hlo_lex_take(x, ']'))
        return fail_groups(r, "a bracket is missing after the axes");
    return hlo_lex_take(x, ',') && !mesh->device ? read_device_ids(r, mesh) : 0;
}

static bool same_name(struct hlo_text a, struct hlo_text b)
{
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

/* Cut axis k in two, the outer one of `size` steps. */
static bool split_axis(struct mesh *mesh, uint32_t k, uint64_t size)
{
    struct grid *g = &mesh->grid;

    if (size == g->size[k])
        return true;
    if (size == 0 || g->size[k] % size != 0 || g->n == MOST_AXES)
        return false;
    size_t behind = g->n - k;
    memmove(&g->size[k + 1], &g->size[k], behind * sizeof *g->size);
    memmove(&mesh->name[k + 1], &mesh->name[k], behind * sizeof *mesh->name);
    memmove(&mesh->outside[k + 1], &mesh->outside[k], behind * sizeof *mesh->outside);
    g->n++;
    g->size[k] = size;
    g->size[k + 1] /= size;
    mesh->outside[k + 1] *= size;
    return true;
}

/* Make [outside, outside * size) of axis `name` parts of their own; size 0: all of the axis. */
static bool cut_axis(struct mesh *mesh, struct hlo_text name, uint64_t outside, uint64_t size)
{
    struct grid *g = &mesh->grid;
    uint64_t end = size ? outside * size : 0;

    for (uint32_t k = 0; k < g->n && size; k++) {
        uint64_t from = mesh->outside[k], to = from * g->size[k];
        if (!same_name(mesh->name[k], name))
            continue;
        if (from < outside && outside < to &&
            (outside % from || !split_axis(mesh, k, outside / from)))
            return false;
        from = mesh->outside[k];
        to = from * g->size[k];
        if (from < end && end < to && (end % from || !split_axis(mesh, k, end / from)))
            return false;
    }
    return true;
}

/* Move the parts of an axis that the text names to the end of `order`. */
static bool take_axis(const struct mesh *mesh, struct hlo_text name, uint64_t outside,
                      uint64_t size, bool *taken, uint32_t *order, uint32_t *n)
{
    bool found = false;

    for (uint32_t k = 0; k < mesh->grid.n; k++) {
        if (!same_name(mesh->name[k], name) ||
            (size && (mesh->outside[k] < outside || mesh->outside[k] >= outside * size)))
            continue;
        if (taken[k])
            return false;
        taken[k] = found = true;
        order[(*n)++] = k;
    }
    return found;
}

/* One of 'a' and 'a':(2)4 */
static bool read_named(struct hlo_lex *x, struct hlo_text *name, uint64_t *outside, uint64_t *size)
{
    *outside = 1;
    *size = 0;
    if (!read_axis(x, name))
        return false;
    if (!hlo_lex_take(x, ':'))
        return true;
    return hlo_lex_take(x, '(') && hlo_lex_number(x, "", outside) == 0 && hlo_lex_take(x, ')') &&
           hlo_lex_number(x, "", size) == 0 && *outside >= 1 && *outside <= MOST_DEVICES &&
           *size >= 1 && *size <= MOST_DEVICES;
}

/* {'a','b':(1)2}: the axes that vary in a group; they become the inner ones.  Twice over the text:
 * first the axes are cut into parts, then these are put in order. */
static int read_named_axes(struct reading *r, struct mesh *mesh, uint32_t *order)
{
    struct hlo_lex *x = &r->lex;
    struct hlo_text name;
    uint64_t outside, size;
    uint32_t n = 0, n_rest = 0, inner[MOST_AXES];
    bool taken[MOST_AXES] = { false };

    if (!hlo_lex_take(x, '{'))
        return fail_groups(r, "expected '{' before the axes of a group");
    const char *begin = (hlo_lex_blanks(x), x->at);
    for (int pass = 0; pass < 2; pass++) {
        x->at = begin;
        while (!hlo_lex_take(x, '}')) {
            if (!read_named(x, &name, &outside, &size))
                return fail_groups(r, "expected axes such as {'a','b':(1)2}");
            if (pass == 0 ? !cut_axis(mesh, name, outside, size)
                          : !take_axis(mesh, name, outside, size, taken, inner, &n))
                return fail_groups(r, "an axis that the mesh does not have, or twice");
            hlo_lex_take(x, ',');
        }
    }
    r->groups->size = r->groups->n_groups = 1;
    for (uint32_t k = 0; k < mesh->grid.n; k++) {
        if (!taken[k])
            order[n_rest++] = k;
        *(taken[k] ? &r->groups->size : &r->groups->n_groups) *= (uint32_t)mesh->grid.size[k];
    }
    memcpy(order + n_rest, inner, n * sizeof *order);
    return 0;
}

static int read_mesh_groups(struct reading *r)
{
    struct mesh mesh = { .device = NULL };
    uint32_t order[MOST_AXES];
    int rc = read_mesh(r, &mesh);

    if (rc == 0)
        rc = read_named_axes(r, &mesh, order);
    if (rc == 0)
        rc = add_grid(r, &mesh.grid, order, mesh.device);
    free(mesh.device);
    return rc;
}

int hlo_groups(const struct hlo_module *m, const struct hlo_instruction *i, struct hlo_groups *g,
               struct err *err)
{
    struct hlo_text t = hlo_attribute(m, i, "replica_groups");
    struct err inner;
    struct reading r = { .m = m, .i = i, .err = err, .groups = g };
    int rc;

    *g = (struct hlo_groups){ 0 };
    if (!t.at)
        return 0;
    hlo_lex_init(&r.lex, "", t.at, t.size, &inner);
    if (hlo_lex_take(&r.lex, '{'))
        rc = read_lists(&r);
    else if (hlo_lex_take(&r.lex, '['))
        rc = read_counts(&r);
    else if (hlo_text_is(hlo_lex_word(&r.lex), "mesh"))
        rc = read_mesh_groups(&r);
    else
        rc = fail_groups(&r, "expected {..}, [..]<=[..] or mesh[..] {..}");
    if (rc == 0 && hlo_lex_peek(&r.lex) != '\0')
        rc = fail_groups(&r, "something follows the groups");
    if (rc != 0) {
        free(g->member);
        *g = (struct hlo_groups){ 0 };
    }
    return rc;
}

uint64_t hlo_partitions(const struct hlo_module *m)
{
    uint64_t n = m->partitions;

    for (uint32_t k = 0; k < m->n_instructions && m->replicas == 1 && m->partitions == 1; k++) {
        struct hlo_groups x;
        struct err ignored;
        if (hlo_attribute(m, &m->instruction[k], "replica_groups").at == NULL ||
            hlo_groups(m, &m->instruction[k], &x, &ignored) != 0)
            continue;
        uint64_t devices = (uint64_t)x.n_groups * x.size;
        n = devices > n ? devices : n;
        free(x.member);
    }
    return n;
}
