/* cyclotron_machine.c - machines of the library, errors, and what belongs to no object. */
#include <stdlib.h>

#include "api/cyclotron_impl.h"
#include "base/memory.h"
#include "base/version.h"
#include "machine/spec/spec.h"

/* Before anybody calls: at no later moment are other threads sure not to allocate. */
__attribute__((constructor)) static void supply_memory(void)
{
    memory_supply();
}

static const enum cyclotron_code codes[] = {
    [ERR_NONE] = CYCLOTRON_OK,       [ERR_IO] = CYCLOTRON_IO,
    [ERR_FORMAT] = CYCLOTRON_FORMAT, [ERR_UNKNOWN] = CYCLOTRON_UNKNOWN,
    [ERR_RANGE] = CYCLOTRON_RANGE,   [ERR_UNIT] = CYCLOTRON_UNIT,
    [ERR_FIT] = CYCLOTRON_FIT,       [ERR_STOPPED] = CYCLOTRON_STOPPED,
};

void cyclotron_error_set(struct cyclotron_error *to, const struct err *from)
{
    if (!to)
        return;
    to->code = codes[from->code];
    snprintf(to->message, sizeof to->message, "%s", from->msg);
}

const char *cyclotron_version(void)
{
    return CYCLOTRON_VERSION;
}

void cyclotron_free(void *text)
{
    free(text);
}

struct cyclotron_machine *cyclotron_machine_load(const char *name, const char *const *set,
                                                 size_t n_set, struct cyclotron_error *error)
{
    struct machine_spec *spec;
    struct err err;

    if (spec_load(&spec, name, set, n_set, &err) != 0) {
        cyclotron_error_set(error, &err);
        return NULL;
    }
    struct cyclotron_machine *m = memory_zeroed(1, sizeof *m);
    *m = (struct cyclotron_machine){ memory_copy(name), spec };
    return m;
}

void cyclotron_machine_free(struct cyclotron_machine *machine)
{
    if (!machine)
        return;
    spec_free(machine->spec);
    free(machine->name);
    free(machine);
}

char *cyclotron_machine_summary(const struct cyclotron_machine *machine)
{
    return spec_summary(machine->spec, machine->name);
}

char *cyclotron_machine_text(const struct cyclotron_machine *machine)
{
    struct memory_text t;

    memory_text_begin(&t);
    spec_print(machine->spec, t.out);
    return memory_text_end(&t);
}

void cyclotron_machine_names(void (*visit)(void *self, const char *name), void *self)
{
    struct catalog_machine m = { 0 };

    while (catalog_next(&m))
        visit(self, m.name);
    for (size_t i = 0; catalog_box(i); i++)
        visit(self, catalog_box(i));
}
