/* mlir_bytecode.c - modules of MLIR as bytecode.
 *
 *     "ML\xefR" version producer\0 section...
 *     section    id (bit 7: aligned), length, [alignment, padding], bytes
 *
 * Numbers are of 1 to 9 bytes: zeros below the lowest one of the first byte count the bytes that
 * follow.  Sections that are read: strings (0), dialects and names of operations (1), attributes
 * and types (2) with their sizes (3), operations (4).  Operations with properties, which version 5
 * has in place of attributes, are refused, except the module's: their bytes do not say what they
 * are.  Kernels are written as operations that MLIR does not know, which have none.
 *
 * Every count is checked against the bytes that are left, so that memory is in proportion to
 * them.  Source: "MLIR Bytecode Format", llvm-project mlir/docs/BytecodeFormat.md. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/mosaic/mlir_wire.h"

/* --- sections ------------------------------------------------------------------------------ */

static bool split_sections(struct mlir_wire *w, struct mlir_cursor *c)
{
    while (c->at < c->end && !c->bad) {
        const uint8_t id = mlir_take_byte(c);
        uint64_t size = mlir_take(c);
        uint64_t alignment = id & 128 ? mlir_take(c) : 1;
        if (alignment == 0)
            return false;
        mlir_take_bytes(c, (alignment - (uint64_t)(c->at - w->base) % alignment) % alignment);
        struct mlir_cursor part = mlir_take_bytes(c, size);
        if ((id & 127) < MLIR_N_SECTIONS)
            w->section[id & 127] = part;
    }
    return !c->bad;
}

/* Sizes of all strings, the last first; then their bytes, each with a NUL. */
static bool read_strings(struct mlir_wire *w)
{
    struct mlir_cursor c = w->section[MLIR_STRINGS];
    uint32_t n = mlir_take_count(&c);

    w->string = memory_zeroed(n, sizeof *w->string);
    w->n_strings = n;
    for (uint32_t k = n; k-- > 0;) {
        uint64_t size = mlir_take(&c);
        if (size == 0 || size > UINT32_MAX)
            return false;
        w->string[k].size = (uint32_t)size;
    }
    for (uint32_t k = 0; k < n; k++) {
        struct mlir_cursor part = mlir_take_bytes(&c, w->string[k].size);
        if (part.bad)
            return false;
        w->string[k] = (struct mlir_text){ (const char *)part.at, w->string[k].size - 1 };
    }
    return !c.bad;
}

static struct mlir_text join_name(struct mlir_wire *w, struct mlir_text dialect,
                                  struct mlir_text op)
{
    struct mlir_module *m = w->m;

    if (mlir_is(dialect, "stable_mosaic") || dialect.size == 0)
        return op; /* the name of the operation has its dialect */
    char *s = memory_zeroed((size_t)dialect.size + op.size + 2, 1);
    memcpy(s, dialect.at, dialect.size);
    s[dialect.size] = '.';
    memcpy(s + dialect.size + 1, op.at, op.size);
    MEMORY_ADD(m->name, m->n_names);
    m->name[m->n_names++] = s;
    return (struct mlir_text){ s, dialect.size + op.size + 1 };
}

static bool read_dialects(struct mlir_wire *w)
{
    struct mlir_cursor c = w->section[MLIR_DIALECTS];
    uint64_t long_names = 0;

    w->n_dialects = mlir_take_count(&c);
    w->dialect = memory_zeroed(w->n_dialects, sizeof *w->dialect);
    for (uint32_t k = 0; k < w->n_dialects && !c.bad; k++) {
        uint64_t n = mlir_take(&c);
        if (w->version >= 1) {
            if (n & 1) { /* a version of the dialect: a section */
                mlir_take_byte(&c);
                mlir_take_bytes(&c, mlir_take(&c));
            }
            n >>= 1;
        }
        if (n >= w->n_strings)
            return false;
        w->dialect[k] = w->string[n];
    }
    if (w->version >= 4)
        mlir_take(&c); /* how many names there are */
    while (c.at < c.end && !c.bad) {
        uint64_t dialect = mlir_take(&c);
        for (uint32_t n = mlir_take_count(&c); n > 0 && !c.bad; n--) {
            uint64_t s = mlir_take(&c) >> (w->version >= 5 ? 1 : 0);
            if (s >= w->n_strings || dialect >= w->n_dialects)
                return false;
            long_names += w->dialect[dialect].size + (uint64_t)w->string[s].size;
            if (long_names > MLIR_MAX_NAMES)
                return false;
            MEMORY_GROW(w->op_name, w->n_op_names + 1, w->cap_op_names);
            w->op_name[w->n_op_names++] = join_name(w, w->dialect[dialect], w->string[s]);
        }
    }
    return !c.bad;
}

/* Sizes of all attributes, then of all types, in groups of a dialect; the bytes stand in this
 * order. */
static bool read_entries(struct mlir_wire *w)
{
    struct mlir_cursor c = w->section[MLIR_OFFSETS], bytes = w->section[MLIR_ATTRIBUTES];

    w->n_attributes = mlir_take_count(&c);
    w->n_types = mlir_take_count(&c);
    uint64_t all = (uint64_t)w->n_attributes + w->n_types, n = 0;
    if (c.bad || all > (uint64_t)(c.end - c.at))
        return false;
    w->entry = memory_zeroed(all, sizeof *w->entry);
    while (n < all && !c.bad) {
        uint64_t dialect = mlir_take(&c), count = mlir_take(&c);
        if (dialect >= w->n_dialects || count > all - n)
            return false;
        while (count-- > 0) {
            uint64_t size = mlir_take(&c);
            w->entry[n++] = (struct mlir_entry){ .dialect = (uint32_t)dialect,
                                                 .custom = size & 1,
                                                 .bytes = mlir_take_bytes(&bytes, size >> 1),
                                                 .index = MLIR_NONE };
        }
    }
    return !c.bad && !bytes.bad;
}

/* --- operations ---------------------------------------------------------------------------- */

enum mask { HAS_ATTRIBUTES = 1, HAS_RESULTS = 2, HAS_OPERANDS = 4, HAS_SUCCESSORS = 8 };
enum more_mask { HAS_REGIONS = 16, HAS_ORDER = 32, HAS_PROPERTIES = 64 };

/* Values of the regions that are open: `local` has the index of each in the module. */
struct scope {
    uint32_t first; /* of the values that are numbered from 0 here */
    uint32_t next, end;
};

static void define_value(struct mlir_wire *w, struct mlir_cursor *c, struct scope *s, uint64_t type)
{
    uint32_t t = mlir_wire_type(w, type);

    if (s->next >= s->end || t == MLIR_NONE) {
        c->bad = true;
        return;
    }
    w->local[s->next++] = mlir_add_value(w->m, t);
}

static bool read_block(struct mlir_wire *w, struct mlir_cursor *c, struct scope *s, uint32_t region,
                       uint32_t depth);

/* Uses of values in another order than the reader would find them: not needed. */
static void skip_order(struct mlir_cursor *c, uint64_t values)
{
    for (uint64_t v = values > 1 ? mlir_take(c) : 1; v > 0 && !c->bad; v--) {
        if (values > 1)
            mlir_take(c);
        for (uint64_t n = mlir_take(c) >> 1; n > 0 && !c->bad; n--)
            mlir_take(c);
    }
}

static bool read_region(struct mlir_wire *w, struct mlir_cursor *c, const struct scope *outer,
                        uint32_t region, bool isolated, uint32_t depth)
{
    uint64_t blocks = mlir_take(c);

    w->m->region[region].first = w->m->region[region].end = w->m->n_ops;
    if (c->bad || blocks > 1 || depth > MLIR_MAX_DEPTH)
        return false;
    if (blocks == 0)
        return true;
    uint64_t values = mlir_take(c);
    if (c->bad || values > w->promised)
        return false;
    w->promised -= values;
    struct scope s = { isolated ? outer->end : outer->first, outer->end,
                       outer->end + (uint32_t)values };
    MEMORY_GROW(w->local, s.end, w->cap_local);
    for (uint32_t k = s.next; k < s.end; k++)
        w->local[k] = MLIR_NONE;
    return read_block(w, c, &s, region, depth);
}

static bool read_regions(struct mlir_wire *w, struct mlir_cursor *c, const struct scope *s,
                         uint32_t op, uint32_t depth)
{
    uint64_t code = mlir_take(c), n = code >> 1;
    bool isolated = code & 1;
    struct mlir_cursor inside = *c;

    if (c->bad || n > (uint64_t)(c->end - c->at))
        return false;
    if (isolated && w->version >= 2) { /* a section of its own, for those who read it later */
        if ((mlir_take_byte(c) & 127) != MLIR_OPERATIONS)
            return false;
        inside = mlir_take_bytes(c, mlir_take(c));
    }
    w->m->op[op].first_region = w->m->n_regions;
    w->m->op[op].regions = (uint32_t)n;
    for (uint64_t k = 0; k < n; k++)
        mlir_add_region(w->m);
    for (uint32_t k = 0; k < n; k++)
        if (!read_region(w, isolated && w->version >= 2 ? &inside : c, s,
                         w->m->op[op].first_region + k, isolated, depth + 1))
            return false;
    return !c->bad && !inside.bad;
}

static void read_operands(struct mlir_wire *w, struct mlir_cursor *c, const struct scope *s,
                          uint32_t op)
{
    w->m->op[op].first_operand = w->m->n_refs;
    w->m->op[op].operands = mlir_take_count(c);
    for (uint32_t k = 0; k < w->m->op[op].operands && !c->bad; k++) {
        uint64_t v = mlir_take(c);
        if (v >= s->end - s->first || w->local[s->first + v] == MLIR_NONE)
            c->bad = true; /* a value that is defined later has no place in one block */
        else
            mlir_add_ref(w->m, w->local[s->first + v]);
    }
}

static bool read_op(struct mlir_wire *w, struct mlir_cursor *c, struct scope *s, uint32_t depth)
{
    uint64_t name = mlir_take(c);
    uint8_t mask = mlir_take_byte(c);

    mlir_take(c); /* its place in the source */
    if (c->bad || name >= w->n_op_names)
        return false;
    uint32_t op = mlir_add_op(w->m, w->op_name[name]);
    if (mask & HAS_ATTRIBUTES)
        w->m->op[op].attribute = mlir_wire_attribute(w, mlir_take(c));
    if (mask & HAS_PROPERTIES) { /* in an order that only the operation itself knows */
        mlir_take(c);
        if (!mlir_is(w->m->op[op].name, "builtin.module")) /* its name and whether it is seen */
            return false;
    }
    if (mask & HAS_RESULTS) {
        uint32_t n = mlir_take_count(c);
        w->m->op[op].first_result = w->m->n_values;
        w->m->op[op].results = n;
        for (; n > 0 && !c->bad; n--)
            define_value(w, c, s, mlir_take(c));
    }
    if (mask & HAS_OPERANDS)
        read_operands(w, c, s, op);
    if (mask & HAS_SUCCESSORS || w->bad)
        return false;
    if (mask & HAS_ORDER && w->version >= 3)
        skip_order(c, w->m->op[op].results);
    if (mask & HAS_REGIONS && !c->bad && !read_regions(w, c, s, op, depth))
        return false;
    w->m->op[op].end = w->m->n_ops;
    return !c->bad;
}

static bool read_block(struct mlir_wire *w, struct mlir_cursor *c, struct scope *s, uint32_t region,
                       uint32_t depth)
{
    uint64_t code = mlir_take(c), ops = code >> 1;
    struct mlir_module *m = w->m;

    if (code & 1) {
        uint32_t args = mlir_take_count(c);
        m->region[region].first_arg = m->n_values;
        m->region[region].args = args;
        for (uint32_t k = 0; k < args && !c->bad; k++) {
            uint64_t type = mlir_take(c);
            if (w->version < 4 || type & 1)
                mlir_take(c);
            define_value(w, c, s, w->version < 4 ? type : type >> 1);
        }
        if (w->version >= 3 && mlir_take_byte(c))
            skip_order(c, args);
    }
    m->region[region].first = m->n_ops;
    for (; ops > 0; ops--)
        if (c->bad || !read_op(w, c, s, depth))
            return false;
    m->region[region].end = m->n_ops;
    return !c->bad;
}

static bool read_all(struct mlir_wire *w, struct mlir_cursor *c)
{
    struct scope s = { 0, 0, 0 };

    w->version = mlir_take(c);
    const uint8_t *nul = memchr(c->at, 0, (size_t)(c->end - c->at));
    if (w->version > MLIR_LAST_VERSION || nul == NULL)
        return false;
    c->at = nul + 1;
    if (!split_sections(w, c) || !read_strings(w) || !read_dialects(w) || !read_entries(w))
        return false;
    struct mlir_cursor ops = w->section[MLIR_OPERATIONS];
    w->promised = (uint64_t)(ops.end - ops.at); /* a value takes a byte at least */
    mlir_add_region(w->m);
    return ops.at && read_block(w, &ops, &s, 0, 0) && !w->bad;
}

bool mlir_read_bytecode(struct mlir_module *m, const char *bytes, size_t size)
{
    struct mlir_wire w = { .m = m, .base = (const uint8_t *)bytes };
    struct mlir_cursor c = { (const uint8_t *)bytes + 4, (const uint8_t *)bytes + size, false };
    bool read = size < UINT32_MAX && read_all(&w, &c);

    free(w.string);
    free(w.dialect);
    free(w.op_name);
    free(w.entry);
    free(w.local);
    return read;
}
