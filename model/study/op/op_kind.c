#include "study/op/op_kind.h"

#include <string.h>

#include "trace/kind/other_name.h"

#define MOST_KINDS 128 /* of all groups */

const struct op_group *const op_groups[] = {
#define G(name) &op_group_##name,
    OP_GROUPS(G)
#undef G
};
const size_t op_n_groups = sizeof op_groups / sizeof *op_groups;

/* Name the operation that was meant, or what a trace has for a name that does not run alone. */
static void refuse_name(const char *name, const char *const *names, unsigned n, struct err *err)
{
    const char *near = NULL, *write = other_name_find(name);
    bool part = false;

    for (unsigned i = 0; i < n && !near; i++)
        near = other_name_is_like(name, names[i]) ? names[i] : NULL;
    for (enum trace_kind k = 0; k < TRACE_UNKNOWN; k++)
        part = part || strcmp(trace_kind_name[k], name) == 0;
    if (!near && part) {
        err_set(err, ERR_UNKNOWN,
                "'%.64s' is a line of a trace that belongs to a step and does not run alone", name);
        return;
    }
    if (!near && write) {
        err_set(err, ERR_UNKNOWN,
                "unknown operation '%.64s'; a trace has it as: %s; `cyclotron op` lists what runs "
                "alone",
                name, write);
        return;
    }
    near = near ? near : err_nearest(name, names, n);
    err_set(err, ERR_UNKNOWN, "unknown operation '%.64s'; %s%s%s", name,
            near ? "did you mean '" : "`cyclotron op` lists them", near ? near : "",
            near ? "'?" : "");
}

const struct op_kind *op_kind_find(const char *name, struct err *err)
{
    const char *names[MOST_KINDS];
    unsigned n = 0;

    for (size_t g = 0; g < op_n_groups; g++)
        for (size_t i = 0; i < op_groups[g]->n; i++) {
            const struct op_kind *kind = &op_groups[g]->kind[i];
            BUG_ON(n == MOST_KINDS);
            names[n++] = kind->name;
            if (strcmp(name, kind->name) == 0)
                return kind;
        }
    refuse_name(name, names, n, err);
    return NULL;
}
