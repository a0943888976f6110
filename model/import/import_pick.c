#include "import/import_pick.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int fail_name(const struct import_request *q, const struct hlo_piece *piece, uint32_t n,
                     struct err *err)
{
    char **known = memory_zeroed(n, sizeof *known);

    for (uint32_t i = 0; i < n; i++)
        known[i] =
            memory_copy_part(piece[i].name.at, piece[i].name.size < 80 ? piece[i].name.size : 80);
    const char *near = err_nearest(q->module, (const char *const *)known, n);
    err_set(err, ERR_UNKNOWN, "%.200s: no module '%.80s' among %" PRIu32 "%s%.80s%s", q->name,
            q->module, n, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    for (uint32_t i = 0; i < n; i++)
        free(known[i]);
    free(known);
    return -1;
}

int import_pick(const struct import_request *q, const struct hlo_piece *piece, uint32_t n,
                uint32_t *which, struct err *err)
{
    *which = 0;
    if (!q->module)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (hlo_text_is(piece[i].name, q->module)) {
            *which = i;
            return 0;
        }
    size_t digits = strspn(q->module, "0123456789");
    if (digits == 0 || q->module[digits] != '\0')
        return fail_name(q, piece, n, err);
    uint64_t number = strtoull(q->module, NULL, 10);
    if (number < 1 || number > n)
        return err_set(err, ERR_RANGE, "%.200s: module %.80s: outside [1, %" PRIu32 "]", q->name,
                       q->module, n);
    *which = (uint32_t)number - 1;
    return 0;
}

void import_pick_place(const struct hlo_piece *piece, uint32_t n, uint32_t which, char *buf,
                       size_t size)
{
    size_t used = (size_t)snprintf(buf, size, "module %" PRIu32 " of %" PRIu32 " (", which + 1, n);
    const size_t tail = sizeof ", ... )"; /* what may follow a name */

    for (uint32_t i = 0; i < n; i++) {
        struct hlo_text t = piece[i].name;
        if (used + t.size + tail > size) {
            snprintf(buf + used, size - used, "%s...", i ? ", " : "");
            break;
        }
        used +=
            (size_t)snprintf(buf + used, size - used, "%s%.*s", i ? ", " : "", (int)t.size, t.at);
    }
    used = strlen(buf);
    snprintf(buf + used, size - used, ")");
}
