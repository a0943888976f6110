/* op_host.c - exchanges with the host for `cyclotron op`: infeed, outfeed, calls. */
#include <inttypes.h>
#include <string.h>

#include "study/op/op_write.h"

static int write_feed(const struct op_draft *d, struct err *err)
{
    bool out = strcmp(d->kind->trace, "outfeed") == 0;
    uint64_t n;

    if (op_byte_elements(d, 1, &n, err) != 0)
        return -1;
    if (out)
        op_tensor(d, "in", d->dtype, &n, 1, "constant");
    if (out)
        op_step(d, "", "%in", 0, d->value[OP_KEY_SYNC].number ? " sync=1" : "");
    else
        op_step_out(d, d->dtype, &n, 1, "", 0, "");
    return 0;
}

static int write_host(const struct op_draft *d, struct err *err)
{
    const struct op_value *calls = &d->value[OP_KEY_CALLS];
    bool reads = d->value[OP_KEY_BYTES].given;
    char extra[200];
    uint64_t n;

    if (reads && op_byte_elements(d, 1, &n, err) != 0)
        return -1;
    if (reads)
        op_tensor(d, "in", d->dtype, &n, 1, "constant");
    snprintf(extra, sizeof extra, " time=\"%s\"%s%s", d->value[OP_KEY_TIME].text,
             calls->given ? " calls=" : "", calls->text);
    op_step(d, "", reads ? "%in" : "", 0, extra);
    return 0;
}

/* --- the table ---------------------------------------------------------------------------- */

/* clang-format off */
static const struct op_kind kinds[] = {
    /* name       required    optional                 writer      in a trace  inputs  flops  fn    meaning */
    { "infeed",   KEY(BYTES), 0,                       write_feed, "infeed",   0,      0,     NULL, "a batch from the host" },
    { "outfeed",  KEY(BYTES), KEY(SYNC),               write_feed, "outfeed",  0,      0,     NULL, "results to the host" },
    { "host",     KEY(TIME),  KEY(CALLS) | KEY(BYTES), write_host, "host",     0,      0,     NULL, "work of the host that the cores wait for" },
};
/* clang-format on */
const struct op_group op_group_host = { "with the host", kinds, sizeof kinds / sizeof *kinds };
