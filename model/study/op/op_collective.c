/* op_collective.c - collectives between cores for `cyclotron op`. */
#include <inttypes.h>
#include <string.h>

#include "study/op/op_write.h"

/* group=, group-stride=, shift= and algorithm= as a trace has them. */
static void write_group(const struct op_draft *d, char *buf, size_t size)
{
    static const enum op_key keys[] = { OP_KEY_GROUP, OP_KEY_STRIDE, OP_KEY_SHIFT,
                                        OP_KEY_ALGORITHM };
    size_t n = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (d->value[keys[i]].given)
            n += (size_t)snprintf(buf + n, size - n, " %s=%s", op_keys[keys[i]].key,
                                  d->value[keys[i]].text);
}

/* Cores of a group.  Groups that do not divide the slice evenly are refused when it is lowered. */
static uint64_t count_group(const struct op_draft *d)
{
    uint64_t stride = d->value[OP_KEY_STRIDE].given ? d->value[OP_KEY_STRIDE].number : 1;

    if (d->value[OP_KEY_GROUP].given)
        return d->value[OP_KEY_GROUP].number;
    return stride < d->cores ? d->cores / stride : 1;
}

static int write_collective(const struct op_draft *d, struct err *err)
{
    bool scatter = strcmp(d->kind->trace, "reduce-scatter") == 0;
    bool gather = strcmp(d->kind->trace, "all-gather") == 0;
    uint64_t all, part, cores = count_group(d);
    char extra[400];

    if (op_byte_elements(d, scatter || gather ? cores : 1, &all, err) != 0)
        return -1;
    part = all / cores;
    op_tensor(d, "in", d->dtype, gather ? &part : &all, 1, "constant");
    write_group(d, extra, sizeof extra);
    op_step_out(d, d->dtype, scatter ? &part : &all, 1, "%in", 0, extra);
    return 0;
}

static int write_barrier(const struct op_draft *d, struct err *err)
{
    char extra[400];

    (void)err;
    write_group(d, extra, sizeof extra);
    op_step(d, "", "", 0, extra);
    return 0;
}

/* --- the table ---------------------------------------------------------------------------- */

#define GROUP_KEYS (KEY(GROUP) | KEY(STRIDE) | KEY(ALGORITHM))

/* clang-format off */
static const struct op_kind kinds[] = {
    /* name                    required    optional                 writer            in a trace              inputs  flops  fn    meaning */
    { "all-reduce",            KEY(BYTES), GROUP_KEYS,              write_collective, "all-reduce",           0,      0,     NULL, "every core gets the sum" },
    { "reduce-scatter",        KEY(BYTES), GROUP_KEYS,              write_collective, "reduce-scatter",       0,      0,     NULL, "every core gets its part of the sum" },
    { "all-gather",            KEY(BYTES), GROUP_KEYS,              write_collective, "all-gather",           0,      0,     NULL, "every core gets all parts" },
    { "all-to-all",            KEY(BYTES), GROUP_KEYS,              write_collective, "all-to-all",           0,      0,     NULL, "block j of core i to core j" },
    { "collective-permute",    KEY(BYTES), GROUP_KEYS | KEY(SHIFT), write_collective, "collective-permute",   0,      0,     NULL, "from each core to another" },
    { "collective-broadcast",  KEY(BYTES), GROUP_KEYS,              write_collective, "collective-broadcast", 0,      0,     NULL, "from the first core of a group to all" },
    { "barrier",               0,          GROUP_KEYS,              write_barrier,    "barrier",              0,      0,     NULL, "no core continues before all have arrived" },
};
/* clang-format on */
const struct op_group op_group_collective = { "between cores", kinds,
                                              sizeof kinds / sizeof *kinds };
