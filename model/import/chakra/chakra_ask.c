/* Numbers that nodes of a Chakra graph state, and errors that name a node. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/plain.h"
#include "import/chakra/chakra_graph.h"

int chakra_fail(const struct chakra_graph *g, uint32_t node, struct err *err, enum err_code code,
                const char *fmt, ...)
{
    char what[384];
    va_list ap;

    va_start(ap, fmt);
    plain_text_list(what, sizeof what, fmt, ap);
    va_end(ap);
    err_set(err, code, "%.100s: byte %zu, node %" PRIu64 " (%.40s): %s", g->wire.name,
            g->begin[node], g->node[node]->id, g->node[node]->name, what);
    for (char *c = err->msg; *c; c++) /* names come from the file */
        *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
    return -1;
}

int chakra_graph_number(const struct chakra_graph *g, uint32_t node, const char *name,
                        uint64_t *value, struct err *err)
{
    uint64_t v = 0;
    int found = chakra_number(g->node[node], name, &v);

    if (found < 0)
        return chakra_fail(g, node, err, ERR_RANGE,
                           "%s is no whole number from 0 to 9223372036854775807", name);
    if (found > 0)
        *value = v;
    return 0;
}
