/* Tables of all sections; printing a machine; sizes and capabilities that follow from its values.
 */
#include "machine/spec/spec.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "schedule/boardfly.h"

const struct param_table *const spec_tables[] = {
#define TABLE(section, component, kinds) &component##_param_table,
    SECTIONS(TABLE)
#undef TABLE
};
const size_t spec_n_tables = SPEC_N_TABLES;

static const size_t offsets[] = {
#define OFFSET(section, component, kinds) offsetof(struct machine_spec, section),
    SECTIONS(OFFSET)
#undef OFFSET
};

enum { TPU = 1 << CHIP_TPU, GPU = 1 << CHIP_GPU, CPU = 1 << CHIP_CPU, ALL = TPU | GPU | CPU };
enum { OF_LIBRARY = 1 << CHIP_N_KINDS, LIBRARY = GPU | OF_LIBRARY };
static const uint8_t kinds_of[] = {
#define KINDS(section, component, kinds) kinds,
    SECTIONS(KINDS)
#undef KINDS
};

const char *const spec_kind_name[CHIP_N_KINDS] = {
    [CHIP_TPU] = "TPU", [CHIP_GPU] = "GPU", [CHIP_CPU] = "CPU"
};

const char *const spec_chip_name[CHIP_N_KINDS] = {
    [CHIP_TPU] = "chip", [CHIP_GPU] = "GPU", [CHIP_CPU] = "node"
};

const char *const spec_memory_name[CHIP_N_KINDS] = {
    [CHIP_TPU] = "HBM", [CHIP_GPU] = "HBM", [CHIP_CPU] = "RAM"
};

bool spec_has(enum chip_kind kind, size_t table)
{
    return kinds_of[table] >> kind & 1;
}

bool spec_in_library(size_t table)
{
    return kinds_of[table] & OF_LIBRARY;
}

bool spec_is_untimed(size_t table)
{
    const char *section = spec_tables[table]->section;

    return strcmp(section, "price") == 0 || strcmp(section, "power") == 0;
}

size_t spec_lines(const struct machine_spec *m, size_t table)
{
    const struct param_list *l = spec_tables[table]->list;
    const char *at = spec_object(m, table);

    return l ? *(const uint32_t *)(const void *)(at + l->number) : 0;
}

void *spec_object(const struct machine_spec *m, size_t table)
{
    return (char *)m + offsets[table];
}

int spec_table(const char *section)
{
    for (size_t i = 0; i < spec_n_tables; i++)
        if (*spec_tables[i]->section == *section && strcmp(spec_tables[i]->section, section) == 0)
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

bool spec_is_unverified(const struct machine_spec *m, size_t table, size_t row)
{
    const char *s = m->source[table][row];

    return strstr(s ? s : source_of_default(&spec_tables[table]->rows[row]), "[unverified");
}

uint32_t spec_unverified(const struct machine_spec *m)
{
    uint32_t n = 0;

    for (size_t t = 0; t < spec_n_tables; t++)
        for (size_t r = 0; r < spec_tables[t]->n_rows + spec_lines(m, t); r++) {
            if (!spec_has(m->kind, t))
                break;
            if (spec_tables[t] == &dcn_param_table && m->dcn.slices == 1)
                continue; /* one slice sends nothing over it */
            n += spec_is_unverified(m, t, r);
        }
    return n;
}

void spec_print(const struct machine_spec *m, FILE *out)
{
    fprintf(out, "# %s\n", m->name);
    spec_print_values(m, out);
}

/* Is a section that lists kernels in use? */
static bool is_stated(const struct machine_spec *m, size_t table)
{
    bool any = !spec_tables[table]->list || spec_lines(m, table);

    for (size_t r = 0; r < spec_tables[table]->n_rows; r++)
        any = any || m->source[table][r];
    return any;
}

static void print_lines(const struct machine_spec *m, size_t table, FILE *out)
{
    const struct param_table *t = spec_tables[table];
    const char *line = spec_object(m, table);
    char buf[256];

    for (size_t i = 0; i < spec_lines(m, table); i++) {
        const char *at = line + t->list->lines + i * t->list->columns->size;
        fprintf(out, "%s = %s %s\n", ((const struct param_string *)(const void *)at)->text,
                param_line_text(t->list, at, buf, sizeof buf), m->source[table][t->n_rows + i]);
    }
}

void spec_print_values(const struct machine_spec *m, FILE *out)
{
    fprintf(out, "[machine]\nsummary = %s\n", m->summary ? m->summary : "");
    if (m->kind != CHIP_TPU)
        fprintf(out, "kind = %s\n", spec_kind_name[m->kind]);
    for (size_t t = 0; t < spec_n_tables; t++) {
        if (!spec_has(m->kind, t) || !is_stated(m, t))
            continue;
        fprintf(out, "\n[%s]\n", spec_tables[t]->section);
        for (size_t r = 0; r < spec_tables[t]->n_rows; r++) {
            const struct param_desc *d = &spec_tables[t]->rows[r];
            char buf[128];
            if (spec_tables[t] == &price_param_table && !m->source[t][r])
                continue; /* an unknown price is not a price of 0 */
            fprintf(out, "%s = %s %s\n", d->name, param_text(d, spec_object(m, t), buf, sizeof buf),
                    m->source[t][r] ? m->source[t][r] : source_of_default(d));
        }
        print_lines(m, t, out);
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

uint64_t spec_usable(const struct machine_spec *m)
{
    return (m->hbm.capacity - m->hbm.reserved) / m->slice.cores_per_chip;
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
    mesh->wrap[MESH_BOARDS] = p->network == SLICE_BOARDFLY && n[1] * n[2] > 1;
    if (p->network == SLICE_BOARDFLY) {
        mesh->wrap[0] = n[0] == BOARDFLY_CHIPS; /* a board is a ring */
        mesh->wrap[1] = mesh->wrap[2] = false;
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
    if (m->slice.network == SLICE_BOARDFLY) {
        fputs(" boardfly", text.out);
        return memory_text_end(&text);
    }
    fputs(open ? " mesh" : " torus", text.out);
    for (uint32_t d = 0; d < MESH_DIMS && open && closed; d++)
        if (mesh.n[d] > 1 && mesh.wrap[d])
            fprintf(text.out, ", %c closed", "xyz"[d]);
    return memory_text_end(&text);
}

static char *summary_of_boxes(const struct machine_spec *m, const char *name)
{
    uint32_t nodes = m->dcn.slices;

    (void)name;
    return nodes > 1 ? memory_format("%" PRIu32 " nodes of %" PRIu32 " x %s each", nodes,
                                     spec_slice_chips(m), m->summary)
                     : memory_format("%" PRIu32 " x %s each", spec_slice_chips(m), m->summary);
}

static char *summary_of_slice(const struct machine_spec *m, const char *name)
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

char *spec_summary(const struct machine_spec *m, const char *name)
{
    static char *(*const summary[CHIP_N_KINDS])(const struct machine_spec *, const char *) = {
        [CHIP_TPU] = summary_of_slice, [CHIP_GPU] = summary_of_boxes, [CHIP_CPU] = summary_of_boxes
    };

    return summary[m->kind](m, name);
}
