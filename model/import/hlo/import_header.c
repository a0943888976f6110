/* import_header.c - the lines before the step: what the program is, for which machine it was
 * compiled, and its arguments and constants.
 *
 * A line `// cyclotron: {...}` before the module says what its text does not: compiler, machine,
 * topology, samples, and the sizes that the compiler reports. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/hlo/import_impl.h"
#include "import/hlo/program/import_groups.h"
#include "import/hlo/program/import_line.h"

static void copy_text(char *to, size_t room, struct hlo_text t)
{
    size_t n = t.size < room - 1 ? t.size : room - 1;

    if (t.at == NULL || hlo_text_is(t, "null"))
        n = 0;
    memcpy(to, t.at ? t.at : "", n);
    to[n] = '\0';
}

static uint64_t comment_number(const struct importing *im, const char *key)
{
    uint64_t n = 0;

    return import_config_numbers(im->m->comment, key, &n, 1) ? n : 0;
}

static bool has_text(struct hlo_text t, const char *part)
{
    return t.at && memmem(t.at, t.size, part, strlen(part)) != NULL;
}

/* The two cores of a chip share kernels. */
static bool is_megacore(const struct importing *im)
{
    const struct hlo_module *m = im->m;

    if (has_text(m->comment, "\"megacore\": true") || has_text(m->comment, "\"megacore\":true"))
        return true;
    for (uint32_t k = 0; k < m->n_instructions; k++)
        if (m->instruction[k].opcode == HLO_OP_FUSION &&
            has_text(hlo_attribute(m, &m->instruction[k], "backend_config"), "megacore_split_dim"))
            return true;
    return false;
}

void import_header_read(struct importing *im)
{
    if (im->o->machine)
        snprintf(im->machine, sizeof im->machine, "%s", im->o->machine);
    else
        copy_text(im->machine, sizeof im->machine, import_config_text(im->m->comment, "machine"));
    struct hlo_text t = { im->machine, (uint32_t)strlen(im->machine) };
    bool unseen = im->o->fused || !im->m->scheduled;
    im->compiler = import_gpu_likes(im->m) || (im->o->gpu && unseen) ? &import_gpu : &import_tpu;
    bool compiled = im->m->scheduled && !im->compiler->gpu && !im->o->fused;
    bool unknown = t.size == 0 && compiled; /* its text may still compute in bf16 */
    im->packed16 = has_text(t, "v7") || has_text(t, "tpu7") || has_text(t, "v8") ||
                   has_text(t, "tpu8") || (unknown && !im->o->wide16);
    im->native16 = t.size ? has_text(t, "v6e") || has_text(t, "v7") || has_text(t, "tpu7") ||
                                has_text(t, "v8") || has_text(t, "tpu8")
                          : unknown;
}

/* Without the samples of a step those of an epoch say nothing. */
static void write_samples(struct importing *im)
{
    uint64_t n = im->o->samples ? im->o->samples : comment_number(im, "samples");
    uint64_t devices = import_multiply(import_groups_devices(im), im->slices);
    uint64_t epoch = comment_number(im, "epoch");

    if (n)
        fprintf(im->out, "samples step=%" PRIu64, n);
    else
        fputs("samples step=unknown", im->out);
    if (n && epoch)
        fprintf(im->out, " epoch=%" PRIu64, epoch);
    if (devices > 1)
        fprintf(im->out, " cores=%" PRIu64, devices);
    putc('\n', im->out);
}

/* A compiled program of a TPU has arrays in tiles. */
static bool is_doubtful(const struct importing *im)
{
    const struct hlo_module *m = im->m;

    if (!m->scheduled || im->compiler->gpu || im->o->fused ||
        import_config_text(m->comment, "compiler").size)
        return false;
    for (uint32_t k = 0; k < m->n_instructions; k++)
        if (m->instruction[k].shape->layout.n_tiles)
            return false;
    return true;
}

static void write_program(struct importing *im)
{
    char text[64];

    copy_text(text, sizeof text, import_config_text(im->m->comment, "compiler"));
    fputs("program compiler=", im->out);
    const char *compiler = im->o->fused      ? TRACE_OWN_COMPILER
                           : *text           ? text
                           : is_doubtful(im) ? TRACE_UNKNOWN_COMPILER
                                             : im->compiler->name;
    import_line_text(im->out, (struct hlo_text){ compiler, (uint32_t)strlen(compiler) }, 63);
    if (*im->machine) {
        fputs(" machine=", im->out);
        import_line_text(im->out, (struct hlo_text){ im->machine, (uint32_t)strlen(im->machine) },
                         31);
    }
    struct hlo_text topology = import_config_text(im->m->comment, "topology");
    if (topology.size && !hlo_text_is(topology, "null")) {
        fputs(" topology=", im->out);
        import_line_text(im->out, topology, 31);
    }
    uint64_t cores = import_multiply(import_groups_devices(im), im->slices);
    /* a text that names no device may be of any of them: each core runs it by itself */
    if (cores > 1 || comment_number(im, "devices") || *im->machine)
        fprintf(im->out, " cores=%" PRIu64, cores);
    fprintf(im->out, " megacore=%d scheduled=%d", is_megacore(im), im->m->scheduled);
    uint64_t peak = comment_number(im, "peak"), temporaries = comment_number(im, "temp");
    if (peak)
        fprintf(im->out, " peak=%" PRIu64, peak);
    if (temporaries)
        fprintf(im->out, " temporaries=%" PRIu64, temporaries);
    if (im->compiler->gpu)
        fputs(" gpu=1", im->out);
    if (im->slices > 1)
        fprintf(im->out, " slices=%" PRIu32, im->slices);
    putc('\n', im->out);
}

static void write_provenance(struct importing *im)
{
    struct memory_text t;
    const char *file = strrchr(im->m->file, '/');
    struct hlo_text source = import_config_text(im->m->comment, "source");

    memory_text_begin(&t);
    fprintf(t.out, "imported from the HLO module %s", file ? file + 1 : im->m->file);
    if (im->o->place)
        fprintf(t.out, ", %s", im->o->place);
    if (source.size && !hlo_text_is(source, "null"))
        fprintf(t.out, ", compiled from %.*s", (int)(source.size < 200 ? source.size : 200),
                source.at);
    if (im->compiler->provenance && im->m->scheduled && !im->o->fused)
        fprintf(t.out, "; %s", im->compiler->provenance);
    else if (im->o->fused)
        fputs("; kernels, layouts and their order are those of our own passes", t.out);
    else if (!im->m->scheduled)
        fputs("; not compiled: each of its instructions is a kernel of its own", t.out);
    if (is_doubtful(im))
        fputs("; its text does not say which compiler wrote it: taken for that of TPUs", t.out);
    if (im->totals->guessed_loops)
        fprintf(t.out, "; loops whose count depends on data: %" PRIu64, im->totals->guessed_loops);
    char *text = memory_text_end(&t);
    fputs("provenance ", im->out);
    import_line_text(im->out, (struct hlo_text){ text, (uint32_t)t.size }, 500);
    putc('\n', im->out);
    free(text);
}

static void write_tensor(struct importing *im, uint32_t v, const char *role)
{
    import_place_add(im, im->value[v].instruction);
    fputs("tensor ", im->out);
    import_line_name(im, v);
    putc(' ', im->out);
    import_line_shape(im->out, im->value[v].shape);
    fprintf(im->out, " %s\n", role);
}

/* Arguments in the order of the parameters, then the constants that some line reads. */
static void write_tensors(struct importing *im)
{
    const struct import_scope *s = &im->scope[0];

    for (uint32_t p = 0; p < s->c->n_parameters; p++) {
        if (s->c->parameter[p] == HLO_NONE)
            continue;
        struct import_span leaves = s->span[s->c->parameter[p] - s->c->first];
        for (uint32_t k = 0; k < leaves.n; k++) {
            uint32_t v = im->leaf[leaves.first + k];
            if (v == 0)
                continue;
            write_tensor(im, v, trace_role_name[im->value[v].role]);
            if (im->value[v].shape->layout.space != 5)
                im->totals->argument_bytes =
                    import_add(im->totals->argument_bytes, hlo_bytes(im->value[v].shape));
        }
    }
    for (uint32_t v = 1; v < im->n_values; v++)
        if (im->value[v].kind == IMPORT_CONSTANT && im->value[v].used)
            write_tensor(im, v, "constant");
}

/* The name of a file without its folder and endings: step of runs/step.hlo.zst. */
static struct hlo_text cut_stem(struct hlo_text path)
{
    uint32_t begin = path.size, end;

    while (begin > 0 && path.at[begin - 1] != '/')
        begin--;
    for (end = begin + 1; end < path.size && path.at[end] != '.' && path.at[end] != ':';)
        end++;
    return end <= path.size && path.at[begin] != '<'
               ? (struct hlo_text){ path.at + begin, end - begin }
               : (struct hlo_text){ 0 };
}

/* Names that frameworks give a module after a function or a number. */
static bool is_anonymous(struct hlo_text name)
{
    static const char *const marks[] = { "jit_", "pmap_", "SyncTensorsGraph", "main", "module" };
    bool found = name.size == 0;

    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        found |= name.size >= strlen(marks[k]) && memcmp(name.at, marks[k], strlen(marks[k])) == 0;
    return found;
}

/* The name of the workload: what scripts/compile wrote; without that the stem of the source;
 * without both the name of the module, or the stem of the file where that name says nothing. */
static struct hlo_text name_workload(const struct importing *im)
{
    struct hlo_text given = import_config_text(im->m->comment, "workload");
    struct hlo_text source = import_config_text(im->m->comment, "source");
    struct hlo_text file = { im->m->file, (uint32_t)strnlen(im->m->file, 4096) };

    if (given.size && !hlo_text_is(given, "null"))
        return given;
    if (source.size && !hlo_text_is(source, "null"))
        return cut_stem(source);
    return is_anonymous(im->m->name) && cut_stem(file).size ? cut_stem(file) : im->m->name;
}

void import_header_write(struct importing *im)
{
    struct hlo_text name = name_workload(im);

    fputs("cyclotron-trace 1\n", im->out);
    if (name.size) {
        fputs("workload ", im->out);
        import_line_text(im->out, name, 60);
        putc('\n', im->out);
    }
    write_samples(im);
    fputs("dtype tensors=f32 matmul=bf16 activations=keep\n", im->out);
    write_program(im);
    write_provenance(im);
    write_tensors(im);
}
