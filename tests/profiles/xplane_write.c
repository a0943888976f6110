/* xplane_write.c - see xplane_write.h. */
#include "xplane_write.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

enum { ID_CATEGORY = 1, ID_PROGRAM, ID_OFFSET, ID_DURATION };

static void put_byte(struct xplane_write *w, unsigned char c)
{
    if (w->n == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 64;
        w->bytes = realloc(w->bytes, w->cap);
    }
    w->bytes[w->n++] = c;
}

static void put_bytes(struct xplane_write *w, const void *bytes, size_t n)
{
    while (w->cap - w->n < n) {
        w->cap = w->cap ? 2 * w->cap : 64;
        w->bytes = realloc(w->bytes, w->cap);
    }
    if (n > 0)
        memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}

static void put_varint(struct xplane_write *w, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        put_byte(w, (unsigned char)(v | 0x80));
    put_byte(w, (unsigned char)v);
}

struct profile *xplane_write_read(struct xplane_write *file)
{
    struct profile *p;
    struct err err;

    cr_assert_eq(profile_read_memory(&p, "x.pb", file->bytes, file->n, &err), 0, "%s", err.msg);
    xplane_write_free(file);
    return p;
}

void xplane_write_free(struct xplane_write *w)
{
    free(w->bytes);
    *w = (struct xplane_write){ 0 };
}

void xplane_write_number(struct xplane_write *w, unsigned field, uint64_t value)
{
    put_varint(w, field << 3);
    put_varint(w, value);
}

void xplane_write_real(struct xplane_write *w, unsigned field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_varint(w, field << 3 | 1);
    for (int i = 0; i < 8; i++)
        put_byte(w, (unsigned char)(bits >> 8 * i));
}

void xplane_write_text(struct xplane_write *w, unsigned field, const char *text)
{
    put_varint(w, field << 3 | 2);
    put_varint(w, strlen(text));
    put_bytes(w, text, strlen(text));
}

void xplane_write_inner(struct xplane_write *w, unsigned field, struct xplane_write *inner)
{
    put_varint(w, field << 3 | 2);
    put_varint(w, inner->n);
    put_bytes(w, inner->bytes, inner->n);
    xplane_write_free(inner);
}

static void put_stat(struct xplane_write *to, unsigned field, uint64_t id, const char *text,
                     uint64_t number)
{
    struct xplane_write stat = { 0 };

    xplane_write_number(&stat, 1, id);
    if (text)
        xplane_write_text(&stat, 5, text);
    else
        xplane_write_number(&stat, 3, number);
    xplane_write_inner(to, field, &stat);
}

void xplane_write_meta(struct xplane_write *plane, uint64_t id, const char *name,
                       const char *display, const char *category, uint64_t program)
{
    struct xplane_write meta = { 0 }, entry = { 0 };

    xplane_write_number(&meta, 1, id);
    xplane_write_text(&meta, 2, name);
    if (display)
        xplane_write_text(&meta, 4, display);
    if (category)
        put_stat(&meta, 5, ID_CATEGORY, category, 0);
    if (program)
        put_stat(&meta, 5, ID_PROGRAM, NULL, program);
    xplane_write_number(&entry, 1, id);
    xplane_write_inner(&entry, 2, &meta);
    xplane_write_inner(plane, 4, &entry);
}

void xplane_write_stats(struct xplane_write *plane)
{
    static const char *const names[] = {
        [ID_CATEGORY] = "hlo_category",
        [ID_PROGRAM] = "program_id",
        [ID_OFFSET] = "device_offset_ps",
        [ID_DURATION] = "device_duration_ps",
    };

    for (unsigned i = ID_CATEGORY; i <= ID_DURATION; i++) {
        struct xplane_write meta = { 0 }, entry = { 0 };
        xplane_write_number(&meta, 1, i);
        xplane_write_text(&meta, 2, names[i]);
        xplane_write_number(&entry, 1, i);
        xplane_write_inner(&entry, 2, &meta);
        xplane_write_inner(plane, 5, &entry);
    }
}

void xplane_write_line(struct xplane_write *line, const char *name, int64_t timestamp_ns)
{
    xplane_write_text(line, 2, name);
    xplane_write_number(line, 3, (uint64_t)timestamp_ns);
}

static void put_event(struct xplane_write *line, uint64_t meta, uint64_t offset, uint64_t length,
                      const uint64_t *clock)
{
    struct xplane_write event = { 0 };

    xplane_write_number(&event, 1, meta);
    xplane_write_number(&event, 2, offset);
    xplane_write_number(&event, 3, length);
    if (clock) {
        put_stat(&event, 4, ID_OFFSET, NULL, clock[0]);
        put_stat(&event, 4, ID_DURATION, NULL, clock[1]);
    }
    xplane_write_inner(line, 4, &event);
}

void xplane_write_event(struct xplane_write *line, uint64_t meta, uint64_t offset, uint64_t length)
{
    put_event(line, meta, offset, length, NULL);
}

void xplane_write_clocked(struct xplane_write *line, uint64_t meta, uint64_t offset,
                          uint64_t length, uint64_t clock_offset, uint64_t clock_length)
{
    uint64_t clock[2] = { clock_offset, clock_length };

    put_event(line, meta, offset, length, clock);
}
