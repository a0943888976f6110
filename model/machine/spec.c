/* Tables of all sections; printing a machine; sizes and capabilities that follow from its values.
 */
#include "machine/spec.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"

const struct param_table *const spec_tables[] = {
#define TABLE(section, component) &component##_param_table,
    SECTIONS(TABLE)
#undef TABLE
};
const size_t spec_n_tables = SPEC_N_TABLES;

static const size_t offsets[] = {
#define OFFSET(section, component) offsetof(struct machine_spec, section),
    SECTIONS(OFFSET)
#undef OFFSET
};

void *spec_object(const struct machine_spec *m, size_t table)
{
    return (char *)m + offsets[table];
}

int spec_table(const char *section)
{
    for (size_t i = 0; i < spec_n_tables; i++)
        if (strcmp(spec_tables[i]->section, section) == 0)
            return (int)i;
    return -1;
}

bool spec_given(const struct machine_spec *m, const char *section, const char *key)
{
    int t = spec_table(section);

    BUG_ON(t < 0);
    const struct param_desc *d = param_find(spec_tables[t], key);
    BUG_ON(!d);
    return m->source[t][d - spec_tables[t]->rows] != NULL;
}

/* The source of a default: the [tag] at the end of its meaning. */
static const char *source_of_default(const struct param_desc *d)
{
    const char *tag = strrchr(d->doc, '[');

    return tag ? tag : "";
}

uint32_t spec_unverified(const struct machine_spec *m)
{
    uint32_t n = 0;

    for (size_t t = 0; t < spec_n_tables; t++)
        for (size_t r = 0; r < spec_tables[t]->n_rows; r++) {
            const char *s = m->source[t][r];
            if (spec_tables[t] == &dcn_param_table && m->dcn.slices == 1)
                continue; /* one slice sends nothing over it */
            n += strstr(s ? s : source_of_default(&spec_tables[t]->rows[r]), "[unverified") != NULL;
        }
    return n;
}

void spec_print(const struct machine_spec *m, FILE *out)
{
    fprintf(out, "# %s\n", m->name);
    spec_print_values(m, out);
}

void spec_print_values(const struct machine_spec *m, FILE *out)
{
    fprintf(out, "[machine]\nsummary = %s\n", m->summary ? m->summary : "");
    for (size_t t = 0; t < spec_n_tables; t++) {
        fprintf(out, "\n[%s]\n", spec_tables[t]->section);
        for (size_t r = 0; r < spec_tables[t]->n_rows; r++) {
            const struct param_desc *d = &spec_tables[t]->rows[r];
            char buf[128];
            if (spec_tables[t] == &price_param_table && !m->source[t][r])
                continue; /* an unknown price is not a price of 0 */
            fprintf(out, "%s = %s %s\n", d->name, param_text(d, spec_object(m, t), buf, sizeof buf),
                    m->source[t][r] ? m->source[t][r] : source_of_default(d));
        }
    }
}

uint64_t spec_checksum(const struct machine_spec *m)
{
    struct memory_text out;

    memory_text_begin(&out);
    spec_print(m, out.out);
    char *text = memory_text_end(&out);
    uint64_t sum = XXH64(text, out.size, 0);
    free(text);
    return sum;
}

uint32_t spec_cores(const struct machine_spec *m)
{
    return m->slice.cores * m->dcn.slices;
}

uint32_t spec_slice_chips(const struct machine_spec *m)
{
    return (m->slice.cores + m->slice.cores_per_chip - 1) / m->slice.cores_per_chip;
}

uint32_t spec_chips(const struct machine_spec *m)
{
    return spec_slice_chips(m) * m->dcn.slices;
}

uint32_t spec_cores_of_chip(const struct machine_spec *m)
{
    return m->slice.cores_per_chip < m->slice.cores ? m->slice.cores_per_chip : m->slice.cores;
}

void spec_mesh(const struct machine_spec *m, struct mesh *mesh)
{
    const struct slice_params *p = &m->slice;
    uint32_t n[MESH_DIMS] = { p->mesh_x, p->mesh_y, p->mesh_z };
    bool all = true;

    for (uint32_t d = 0; d < MESH_DIMS; d++)
        all &= n[d] >= p->wrap_least;
    mesh->wrap[MESH_TWIST] = p->twisted;
    for (uint32_t d = 0; d < MESH_DIMS; d++) {
        mesh->n[d] = n[d];
        mesh->wrap[d] = p->wrap_least && n[d] >= p->wrap_least && (all || !p->wrap_together);
    }
}

uint32_t spec_slice_hosts(const struct machine_spec *m)
{
    return (spec_slice_chips(m) + m->slice.chips_per_host - 1) / m->slice.chips_per_host;
}

uint32_t spec_hosts(const struct machine_spec *m)
{
    return spec_slice_hosts(m) * m->dcn.slices;
}

/* Sides as "4x4" or "2x2x1", and "mesh" or "torus"; of a mesh with some dimensions closed also
 * these. */
static char *describe_mesh(const struct machine_spec *m)
{
    struct mesh mesh;
    struct memory_text text;
    uint32_t closed = 0, open = 0;
    bool solid = m->slice.wrap_together; /* cubes have three sides */

    spec_mesh(m, &mesh);
    memory_text_begin(&text);
    for (uint32_t d = 0; d < (solid || mesh.n[2] > 1 ? 3 : 2); d++) {
        fprintf(text.out, "%s%" PRIu32, d ? "x" : "", mesh.n[d]);
        closed += mesh.n[d] > 1 && mesh.wrap[d];
        open += mesh.n[d] > 1 && !mesh.wrap[d];
    }
    fputs(open ? " mesh" : " torus", text.out);
    for (uint32_t d = 0; d < MESH_DIMS && open && closed; d++)
        if (mesh.n[d] > 1 && mesh.wrap[d])
            fprintf(text.out, ", %c closed", "xyz"[d]);
    return memory_text_end(&text);
}

char *spec_summary(const struct machine_spec *m, const char *name)
{
    uint32_t chips = spec_slice_chips(m), hosts = spec_slice_hosts(m), cores = m->slice.cores;
    struct memory_text text;

    memory_text_begin(&text);
    fprintf(text.out, "TPU %s: ", strncmp(name, "tpu-", 4) == 0 ? name + 4 : name);
    if (cores < m->slice.cores_per_chip) {
        fputs("one core of a chip; the other one idles", text.out);
        return memory_text_end(&text);
    }
    fprintf(text.out, "%" PRIu32 " chip%s", chips, chips == 1 ? "" : "s");
    if (chips > 1) {
        char *mesh = describe_mesh(m);
        fprintf(text.out, " (%s)", mesh);
        free(mesh);
    }
    fprintf(text.out, ", %" PRIu32 " %s%s", cores, m->core.halves == 1 ? "core" : "device",
            cores == 1 ? "" : "s");
    if (m->core.halves > 1)
        fprintf(text.out, " of %" PRIu32 " TensorCores", m->core.halves);
    fprintf(text.out, ", %" PRIu32 " host%s", hosts, hosts == 1 ? "" : "s");
    return memory_text_end(&text);
}

/* Whole core cycles of a time. */
static uint64_t cycles_of_time(const struct machine_spec *m, uint64_t fs)
{
    return des_edge_index(fs, m->core.clock);
}

/* Bandwidth of one core while all cores of its chip stream: its share of HBM, if its DMA takes as
 * much. */
static uint64_t stream_bytes_per_s(const struct machine_spec *m)
{
    uint64_t share = hbm_stream_bytes_per_s(&m->hbm, &m->dram) / m->slice.cores_per_chip;

    return m->dma.bandwidth && m->dma.bandwidth < share ? m->dma.bandwidth : share;
}

static void set_vector_slots(struct cap *cap, const struct machine_spec *m)
{
#define V(id, text, doc) cap->vector_slots[VECTOR_##id] = m->vpu.text##_slots;
    VECTOR_OPS(V)
#undef V
}

/* Choice of windows, what a grid step pays for its write, pushes of weights, and the cost of
 * dividing k between halves. */
static void set_windows(const struct machine_spec *m, struct cap *cap)
{
    cap->window_cycles = cycles_of_time(m, m->xla.window_time);
    cap->step_window = cycles_of_time(m, m->xla.window_step);
    cap->window_bytes = m->xla.window_memory;
    cap->whole_stream = m->xla.whole_stream;
    cap->stream_window = m->xla.stream_window;
    cap->write_cycles = m->dma.way_bandwidth ? cap->dma_cycles : 0;
    cap->push_rows = m->xla.push_rows;
    cap->image_parts = m->xla.image_parts;
    cap->exchange_cycles = cycles_of_time(m, m->xla.exchange_time);
}

/* Waits of sums and of lanes that move. */
static void set_lanes(const struct machine_spec *m, struct cap *cap)
{
    cap->lane_cycles = m->xlu.lane_cycles;
    cap->rows_cycles = m->xlu.rows_cycles;
    cap->reduce_cycles = cycles_of_time(m, m->xla.lane_reduce_time);
    cap->row_cycles = cycles_of_time(m, m->xla.row_time);
    cap->join_cycles = cycles_of_time(m, m->xla.join_time);
    cap->meet_cycles = cycles_of_time(m, m->core.meet_time);
}

void spec_cap(const struct machine_spec *m, struct cap *cap)
{
    *cap = (struct cap){
        .replicas = spec_cores(m),
        .halves = m->core.halves,
        .core_hz = m->core.clock,
        .mxu_count = m->mxu.count,
        .mxu_free = m->mxu.stationary,
        .mxu_issue = m->mxu.issue,
        .mxu = mxu_array(&m->mxu),
        .int8_rate = m->mxu.int8_rate,
        .fp8_rate = m->mxu.fp8_rate,
        .mxu_row_granule = m->mxu.row_granule,
        .vector_elements = m->vpu.lanes * m->vpu.sublanes,
        .vector_alus = m->vpu.alus,
        .xlu_cycles = m->xlu.cycles_per_register,
        .bundle = m->bundle,
        .lanes = m->vpu.lanes,
        .sublanes = m->vpu.sublanes,
        .array_sums = m->mxu.sums,
        .smem_bytes = m->smem.capacity / m->core.halves,
        .vmem_bytes = m->vmem.capacity / m->core.halves,
        .net = { .slices = m->dcn.slices,
                 .cores_per_chip = spec_cores_of_chip(m),
                 .algorithm = (enum schedule_algorithm)m->ici.algorithm,
                 .latency_fs = m->ici.latency,
                 .bytes_per_s = m->ici.bandwidth },
        .cmem_bytes = m->cmem.capacity / m->slice.cores_per_chip,
        .hbm_bytes_per_s = stream_bytes_per_s(m),
        .hbm_cores = spec_cores_of_chip(m),
        .dma_cycles = cycles_of_time(m, m->dma.latency),
        .request_bytes = m->hbm.request_overhead,
        .dma_granule = m->dma.granule,
        .op_cycles = cycles_of_time(m, m->core.op_overhead),
        .step_cycles = m->core.step_overhead,
        .scalar_cycles = m->core.scalar_cycles,
        .sparsecores = m->sparsecore.count,
        .place_bytes = m->xla.place_bytes,
        .narrow = m->xla.narrow_activations,
        .compact = m->xla.layout,
        .vector = { .on = m->xla.vector_dot,
                    .cycles = cycles_of_time(m, m->xla.dot_time),
                    .small_cycles = cycles_of_time(m, m->xla.dot_small_time),
                    .reduce_cycles = cycles_of_time(m, m->xla.dot_reduce_time),
                    .tile = m->xla.dot_tile },
        .vector_cycles = cycles_of_time(m, m->xla.vector_time),
        .exposed_gemm = m->xla.exposed_gemm,
        .exposed_bytes = m->xla.exposed_bytes,
        .relayout_cycles = cycles_of_time(m, m->xla.relayout_time),
        .compile_fs = m->xla.compile_time,
        .compile_op_fs = m->xla.compile_op_time,
        .variable = { m->host.copy_overhead, m->host.copy_message, m->host.copy_bandwidth,
                      m->host.copy_reused, m->host.fresh_bandwidth },
        .combine_all_reduce = m->xla.combine_all_reduce,
    };
    set_vector_slots(cap, m);
    set_windows(m, cap);
    set_lanes(m, cap);
    spec_mesh(m, &cap->net.mesh);
}
