#include "import/chakra/chakra_import.h"

#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "import/chakra/chakra_foreign.h"
#include "import/chakra/chakra_own.h"

/* The first bytes of a message that goes on beyond `size`: its length, then a field that it has,
 * one of `tags`.  False if it does not go on. */
static bool begins_message(const uint8_t *data, size_t size, const char *tags)
{
    uint64_t length = 0;
    size_t n = 0;

    while (n < size && n < 5 && data[n] & 0x80)
        n++;
    if (n >= 5 || n + 1 >= size)
        return n == size; /* not even the length is there */
    for (size_t i = n + 1; i-- > 0;)
        length = length << 7 | (data[i] & 0x7f);
    return length > size - n - 1 && strchr(tags, data[n + 1]) && data[n + 1] != 0;
}

bool chakra_import_likes(const void *data, size_t size)
{
    struct chakra_wire w;
    ProtobufCMessage *meta, *node = NULL;
    struct err err;

    chakra_wire_init(&w, "", data, size);
    if (size == 0)
        return false;
    if (chakra_wire_next(&w, &chakra__global_metadata__descriptor, &meta, &err) < 0)
        return begins_message(data, size, "\x0a\x12");
    size_t at = w.at;
    bool likes = meta->n_unknown_fields == 0 &&
                 (chakra_wire_next(&w, &chakra__node__descriptor, &node, &err) >= 0 ||
                  begins_message((const uint8_t *)data + at, size - at, "\x08\x12\x18"));
    chakra_wire_free(&w, meta);
    chakra_wire_free(&w, node);
    return likes;
}

/* The version as a word: what is no letter of one becomes "?". */
static void copy_version(struct chakra_import *x, const char *version)
{
    size_t n = 0;

    for (; version[n] && n + 1 < sizeof x->version; n++)
        x->version[n] = plain_is_word(version[n]) || strchr(".-_+", version[n]) ? version[n] : '?';
    x->version[n] = '\0';
}

int chakra_import(const char *name, const void *data, size_t size, struct chakra_import *x,
                  FILE *out, struct err *err)
{
    struct chakra_graph g;
    int rc = chakra_graph_read(&g, name, data, size, err);

    if (rc == 0) {
        copy_version(x, g.meta->version);
        x->nodes = g.n;
        x->dangling = g.dangling;
        x->own = chakra_own_is(&g);
        rc = x->own ? chakra_own_write(&g, out, err) : chakra_foreign_write(&g, x, out, err);
    }
    chakra_graph_free(&g);
    return rc;
}
