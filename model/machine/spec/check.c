/* Checks of a machine that no single value can fail: the values must fit each other. */
#include <inttypes.h>
#include <string.h>

#include "hw/hbm/hbm_map.h"
#include "machine/spec/spec.h"
#include "schedule/boardfly.h"

enum {
    MOST_CORES = 1 << 20, /* of all slices */
    LEAST_PPB = 10000000  /* of a rate that may be 0 */
};

int spec_check_dram(const struct dram_params *dram, struct err *err)
{
    struct hbm_timing timing;
    struct hbm_map map;

    /* a request that left for a bank of its own would leave its place a second time */
    if (dram->early_place && dram->bank_queue > 0)
        return err_set(err, ERR_RANGE,
                       "dram.early_place = yes with dram.bank_queue = %" PRIu32
                       ": requests leave their places to the queues of the banks, or early; "
                       "expected dram.bank_queue = 0",
                       dram->bank_queue);
    return hbm_timing_init(&timing, dram, err) != 0 ? -1 : hbm_map_init(&map, dram, err);
}

/* True if all dimensions are closed, of n or 2n chips, with at least one of each. */
static bool can_twist(const struct mesh *m)
{
    uint32_t small = UINT32_MAX, large = 0;
    bool fits = true;

    for (uint32_t d = 0; d < MESH_DIMS; d++)
        if (m->n[d] > 1) {
            small = m->n[d] < small ? m->n[d] : small;
            large = m->n[d] > large ? m->n[d] : large;
            fits &= m->wrap[d];
        }
    for (uint32_t d = 0; d < MESH_DIMS; d++)
        fits &= m->n[d] == 1 || m->n[d] == small || m->n[d] == large;
    return fits && small >= 3 && large == 2 * small;
}

/* True for one chip, one board and whole groups of boards. */
static bool are_boards(const struct mesh *m)
{
    if (m->n[1] * m->n[2] == 1)
        return m->n[0] == 1 || m->n[0] == BOARDFLY_CHIPS;
    return m->n[0] == BOARDFLY_CHIPS && m->n[1] == BOARDFLY_BOARDS && m->n[2] <= BOARDFLY_GROUPS;
}

/* True if one of them takes products of that kind, and convolutions of more taps than a mask has
 * bits where those go through the section. */
static bool have_kernel(const struct gpu_tiles *lib, bool convolutions, enum gpu_serves but)
{
    for (uint32_t i = 0; i < lib->n; i++)
        if (lib->tile[i].serves != but && (!convolutions || lib->masked || !lib->tile[i].step))
            return true;
    return false;
}

/* Refuse a section that has no kernel for one of the operations that it may be asked for. */
static int check_kernels(const struct machine_spec *m, size_t table, struct err *err)
{
    const char *section = spec_tables[table]->section;
    bool convolutions = strncmp(section, "product", 7) != 0;
    const struct gpu_tiles *lib = spec_object(m, table);
    bool lone = have_kernel(lib, false, GPU_SERVES_BATCH),
         batch = have_kernel(lib, false, GPU_SERVES_LONE);

    if (!lone || !batch)
        return err_set(err, ERR_FIT, "%s: [%s] has no kernel for %s: all have tile.serves = %s",
                       m->name, section, lone ? "batches" : "products that are no batch",
                       lone ? "lone" : "batch");
    if (!convolutions ||
        (have_kernel(lib, true, GPU_SERVES_BATCH) && have_kernel(lib, true, GPU_SERVES_LONE)))
        return 0;
    return err_set(err, ERR_FIT,
                   "%s: [%s] has no kernel for filters of many taps: %s.masked = 0, and no kernel "
                   "with tile.step = 0 serves all",
                   m->name, section, section);
}

/* Refuse rates so low that a kernel would not end, but for 0, which says that there is none;
 * kernels that change layouts come together. */
static int check_rates(const struct machine_spec *m, size_t table, struct err *err)
{
    static const char *const names[] = { "change", "change_pad", "pad", "thin", "masked" };
    const char *section = spec_tables[table]->section;
    const struct gpu_tiles *lib = spec_object(m, table);
    const uint64_t ppb[] = { lib->change, lib->change_pad, lib->pad, lib->thin, lib->masked };

    for (size_t i = 0; i < sizeof ppb / sizeof *ppb; i++)
        if (ppb[i] && ppb[i] < LEAST_PPB)
            return err_set(err, ERR_RANGE, "%s: %s.%s = %g: expected 0 or at least %g", m->name,
                           section, names[i], (double)ppb[i] / 1e9, LEAST_PPB / 1e9);
    int given = (lib->change != 0) + (lib->change_pad != 0) + (lib->pad != 0);
    if (given == 1 || given == 2)
        return err_set(err, ERR_RANGE,
                       "%s: %s.change, change_pad and pad are %g, %g and %g: expected a rate for "
                       "each, or 0 for all",
                       m->name, section, (double)lib->change / 1e9, (double)lib->change_pad / 1e9,
                       (double)lib->pad / 1e9);
    return 0;
}

/* A GPU needs kernels for what its SMs do. */
static int check_library(const struct machine_spec *m, struct err *err)
{
    const struct sms_params *sm = &m->sm;
    uint32_t tensor = sm->f16 | sm->bf16 | sm->tf32 | sm->f8 | sm->s8;

    for (size_t t = 0; m->kind == CHIP_GPU && t < spec_n_tables; t++) {
        const char *section = spec_tables[t]->section;
        bool needed = (strstr(section, "_f32") || (tensor && strstr(section, "_half"))) &&
                      strncmp(section, "dgrad", 5) != 0 && !strstr(section, "_3d");
        if (!spec_in_library(t) || !spec_tables[t]->list)
            continue;
        if (needed && spec_lines(m, t) == 0)
            return err_set(err, ERR_FIT,
                           "%s: [%s] lists no kernel; name a library in [machine], such as "
                           "`library = hopper`",
                           m->name, section);
        if (strcmp(section, "stream") != 0 && spec_lines(m, t) &&
            (check_kernels(m, t, err) != 0 || check_rates(m, t, err) != 0))
            return -1;
    }
    return 0;
}

static int check_memory(const struct machine_spec *m, struct err *err)
{
    if (m->hbm.reserved >= m->hbm.capacity)
        return err_set(err, ERR_RANGE,
                       "%s: hbm.reserved = %" PRIu64 " B leaves nothing of hbm.capacity = %" PRIu64
                       " B; a what-if of a small memory needs hbm.reserved=0B",
                       m->name, m->hbm.reserved, m->hbm.capacity);
    return spec_check_dram(&m->dram, err) != 0 ? err_at(err, "%s", m->name) : 0;
}

int spec_check(const struct machine_spec *m, struct err *err)
{
    const struct slice_params *s = &m->slice;

    for (size_t t = 0; t < spec_n_tables; t++)
        for (size_t r = 0; spec_has(m->kind, t) && r < spec_tables[t]->n_rows; r++)
            if (strcmp(spec_tables[t]->rows[r].def, "-") == 0 && !m->source[t][r])
                return err_set(err, ERR_RANGE, "%s: %s.%s is not given%s", m->name,
                               spec_tables[t]->section, spec_tables[t]->rows[r].name,
                               strcmp(spec_tables[t]->section, "slice") == 0
                                   ? "; this is a chip, slices such as tpu-v3-8 have cores"
                                   : "");
    if (spec_slice_chips(m) != (uint64_t)s->mesh_x * s->mesh_y * s->mesh_z)
        return err_set(err, ERR_RANGE,
                       "%s: slice.mesh_x * slice.mesh_y * slice.mesh_z = %u * %u * %u chips, but "
                       "%u cores of %u a chip make %u",
                       m->name, s->mesh_x, s->mesh_y, s->mesh_z, s->cores, s->cores_per_chip,
                       spec_slice_chips(m));
    if (s->cores > s->cores_per_chip && s->cores % s->cores_per_chip)
        return err_set(err, ERR_RANGE, "%s: slice.cores = %u: not a multiple of %u cores a chip",
                       m->name, s->cores, s->cores_per_chip);
    if (spec_slice_chips(m) > s->chips_per_host && spec_slice_chips(m) % s->chips_per_host)
        return err_set(err, ERR_RANGE, "%s: %u chips are not a multiple of %u chips a host",
                       m->name, spec_slice_chips(m), s->chips_per_host);
    if (check_memory(m, err) != 0)
        return -1;
    if (m->mxu.weight_rows_per_cycle > m->mxu.size)
        return err_set(err, ERR_RANGE,
                       "%s: mxu.weight_rows_per_cycle = %u: more than mxu.size = %u", m->name,
                       m->mxu.weight_rows_per_cycle, m->mxu.size);
    if (m->kind == CHIP_TPU && m->mxu.count % m->core.halves)
        return err_set(err, ERR_RANGE,
                       "%s: mxu.count = %u: not a multiple of core.halves = %u TensorCores",
                       m->name, m->mxu.count, m->core.halves);
    if (m->mxu.turned_rows_per_cycle > m->mxu.size)
        return err_set(err, ERR_RANGE,
                       "%s: mxu.turned_rows_per_cycle = %u: more than mxu.size = %u", m->name,
                       m->mxu.turned_rows_per_cycle, m->mxu.size);
    if ((uint64_t)m->slice.cores * m->dcn.slices > MOST_CORES)
        return err_set(err, ERR_RANGE,
                       "%s: dcn.slices = %u: %u slices of %u cores are more than %u", m->name,
                       m->dcn.slices, m->dcn.slices, m->slice.cores, MOST_CORES);
    if (check_library(m, err) != 0)
        return -1;
    struct mesh mesh;
    spec_mesh(m, &mesh);
    if (s->twisted && !can_twist(&mesh))
        return err_set(err, ERR_FIT,
                       "%s: slice.twisted = yes: a mesh of %u x %u x %u chips; expected closed "
                       "dimensions of n and of 2n, n at least 3, such as 4 x 4 x 8 or 4 x 8 x 8",
                       m->name, s->mesh_x, s->mesh_y, s->mesh_z);
    if (s->network == SLICE_BOARDFLY && (s->twisted || !are_boards(&mesh)))
        return err_set(err, ERR_FIT,
                       "%s: slice.network = boardfly: %u x %u x %u chips%s; expected one chip, a "
                       "board of 4 x 1 x 1 or 1 to 36 groups of 4 x 8, such as 4 x 8 x 2",
                       m->name, s->mesh_x, s->mesh_y, s->mesh_z,
                       s->twisted ? " and slice.twisted = yes" : "");
    return fault_check(&m->fault, &mesh, err) == 0 ? 0 : err_at(err, "%s", m->name);
}
