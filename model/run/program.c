#include "run/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "machine/sizes.h"

/* "tpu-v3" of "tpu-v3-8"; false if it is not a slice of a generation. */
static bool generation_of(struct sizes_slice *s, const char *machine)
{
    struct err err;

    return sizes_knows(machine) && sizes_find(s, machine, &err) == 0;
}

void program_topology(char *text, size_t room, const struct machine_spec *spec)
{
    struct sizes_slice s;

    *text = '\0';
    if (!generation_of(&s, spec->name) || strncmp(s.generation, "tpu-", 4) != 0)
        return;
    const char *name = strcmp(s.generation, "tpu-v7") == 0 ? "tpu7x" : s.generation + 4;
    bool flat = s.mesh[2] == 1 && strcmp(name, "v4") != 0 && strcmp(name, "v5p") != 0 &&
                strcmp(name, "tpu7x") != 0;
    int n = snprintf(text, room, "%s:%" PRIu32 "x%" PRIu32, name, s.mesh[0], s.mesh[1]);
    if (!flat && n > 0 && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, "x%" PRIu32, s.mesh[2]);
}

/* " (v3:2x2)", or nothing. */
static const char *in_brackets(char *text, size_t room, const char *topology)
{
    snprintf(text, room, *topology ? " (%s)" : "%s", topology);
    return text;
}

/* ": compile it again with `scripts/compile --topology v4:2x2x1`", or nothing. */
static const char *way_round(char *text, size_t room, const struct machine_spec *spec)
{
    char topology[32];

    program_topology(topology, sizeof topology, spec);
    snprintf(text, room,
             *topology ? ": compile it again with `scripts/compile --topology %s`" : "%s",
             topology);
    return text;
}

int program_check(const struct trace_header *head, const struct machine_spec *spec, bool retile,
                  const char *file, struct err *err)
{
    const struct trace_program *p = &head->program;
    struct sizes_slice own, asked;
    char where[48], way[96];

    if (!p->given)
        return 0;
    in_brackets(where, sizeof where, p->topology);
    way_round(way, sizeof way, spec);
    if (!retile && generation_of(&own, p->machine) && generation_of(&asked, spec->name) &&
        strcmp(own.generation, asked.generation) != 0)
        return err_set(
            err, ERR_FIT,
            "%s: compiled for %s%s, not for %s%s%s --retile to let the simulator cut its "
            "kernels for this machine",
            file, p->machine, where, spec->name, way, *way ? ", or add" : "; add");
    if (p->cores && p->cores != spec_cores(spec))
        return err_set(
            err, ERR_FIT, "%s: compiled for %" PRIu64 " device%s%s, %s has %" PRIu32 "%s", file,
            p->cores, p->cores == 1 ? "" : "s", where, spec->name, spec_cores(spec), way);
    return 0;
}
