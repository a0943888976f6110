/* cyclotron_impl.h - the objects of the library, for its own files. */
#ifndef API_CYCLOTRON_IMPL_H
#define API_CYCLOTRON_IMPL_H

#include <stdbool.h>

#include "api/cyclotron.h"
#include "base/err.h"
#include "run/visit/result_visit.h"

struct machine_spec;

struct cyclotron_machine {
    char *name;
    struct machine_spec *spec;
};

struct cyclotron_program {
    char *name;  /* path, or the name for messages */
    char *bytes; /* NULL: a file */
    size_t size;
    char *machine; /* "" of a trace */
    bool allow_unknown;
};

/* Hand an error over to the caller, unless he wants none. */
void cyclotron_error_set(struct cyclotron_error *to, const struct err *from);

/* A visitor of paths whose `self` is a struct cyclotron_caller. */
struct cyclotron_caller {
    cyclotron_visit *visit;
    void *self;
};
void cyclotron_value_pass(void *self, const char *path, const struct result_value *v);

#endif
