/* cyclotron_program.c - programs of the library. */
#include <stdlib.h>
#include <string.h>

#include "api/cyclotron_impl.h"
#include "base/memory.h"
#include "import/open.h"
#include "machine/spec/sizes.h"
#include "run/job/program.h"

/* See whether it opens, and for which machine it is. */
static int open_program(struct cyclotron_program *p, struct err *err)
{
    char machine[SIZES_NAME];
    struct trace *t;
    int rc = p->bytes ? import_open_memory(&t, p->name, p->bytes, p->size, p->allow_unknown, err)
                      : import_open(&t, p->name, p->allow_unknown, err);

    if (rc != 0)
        return -1;
    program_machine(machine, sizeof machine, trace_head(t));
    p->machine = memory_copy(machine);
    trace_close(t);
    return 0;
}

static struct cyclotron_program *finish_program(struct cyclotron_program *p,
                                                struct cyclotron_error *error)
{
    struct err err;

    if (open_program(p, &err) == 0)
        return p;
    cyclotron_error_set(error, &err);
    cyclotron_program_free(p);
    return NULL;
}

struct cyclotron_program *cyclotron_program_load(const char *path, int allow_unknown,
                                                 struct cyclotron_error *error)
{
    struct err err;

    if (strcmp(path, "-") == 0) {
        err_set(&err, ERR_IO, "-: a program is read more than once, and standard input cannot be");
        cyclotron_error_set(error, &err);
        return NULL;
    }
    struct cyclotron_program *p = memory_zeroed(1, sizeof *p);
    p->name = memory_copy(path);
    p->allow_unknown = allow_unknown != 0;
    return finish_program(p, error);
}

struct cyclotron_program *cyclotron_program_parse(const char *name, const void *bytes, size_t size,
                                                  int allow_unknown, struct cyclotron_error *error)
{
    struct cyclotron_program *p = memory_zeroed(1, sizeof *p);

    p->name = memory_copy(name);
    p->bytes = memory_zeroed(size + 1, 1);
    memcpy(p->bytes, bytes, size);
    p->size = size;
    p->allow_unknown = allow_unknown != 0;
    return finish_program(p, error);
}

void cyclotron_program_free(struct cyclotron_program *program)
{
    if (!program)
        return;
    free(program->name);
    free(program->bytes);
    free(program->machine);
    free(program);
}

const char *cyclotron_program_machine(const struct cyclotron_program *program)
{
    return program->machine;
}
