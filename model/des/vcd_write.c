/* vcd_write.c - the bytes of a dump: values, time stamps, edges of clocks. */
#include <string.h>

#include "des/vcd_impl.h"

void vcd_drain(struct des_vcd *v)
{
    if (v->used && !v->error)
        v->error = v->sink.write(v->sink.self, v->buffer, v->used);
    if (v->error) {
        v->state = VCD_OVER;
        v->recording = false;
    }
    v->used = 0;
}

/* Room for `size` bytes in the buffer; the caller adds what it uses to v->used. */
static inline char *reserve_bytes(struct des_vcd *v, size_t size)
{
    if (VCD_BUFFER - v->used < size)
        vcd_drain(v);
    return v->buffer + v->used;
}

void vcd_text(struct des_vcd *v, const char *text)
{
    for (size_t left = strlen(text), n; left > 0; left -= n, text += n) {
        n = left < 4096 ? left : 4096;
        memcpy(reserve_bytes(v, n), text, n);
        v->used += n;
    }
}

char *vcd_code(char *at, uint32_t code)
{
    do
        *at++ = (char)('!' + code % 94);
    while (code /= 94);
    return at;
}

/* --- values ------------------------------------------------------------------------------- */

static const char nibbles[16][4] = {
    { '0', '0', '0', '0' }, { '0', '0', '0', '1' }, { '0', '0', '1', '0' }, { '0', '0', '1', '1' },
    { '0', '1', '0', '0' }, { '0', '1', '0', '1' }, { '0', '1', '1', '0' }, { '0', '1', '1', '1' },
    { '1', '0', '0', '0' }, { '1', '0', '0', '1' }, { '1', '0', '1', '0' }, { '1', '0', '1', '1' },
    { '1', '1', '0', '0' }, { '1', '1', '0', '1' }, { '1', '1', '1', '0' }, { '1', '1', '1', '1' },
};

/* Write a value in binary without leading zeros, which a reader adds.  Returns the end of it. */
static char *write_digits(char *at, uint64_t value)
{
    unsigned n = value ? 64 - (unsigned)__builtin_clzll(value) : 1, whole = n / 4 * 4;

    for (unsigned i = n; i-- > whole;)
        *at++ = (char)('0' + (value >> i & 1));
    for (unsigned i = whole; i > 0; at += 4) {
        i -= 4;
        memcpy(at, nibbles[value >> i & 15], 4);
    }
    return at;
}

static bool fits_bits(uint64_t value, unsigned bits)
{
    return bits == 64 || value >> bits == 0 || ~value >> (bits - 1) == 0;
}

/* Write the ASCII codes of a text, the first character in the highest bits; "?" if not printable.
 */
static void write_text(struct des_vcd *v, const struct vcd_var *x)
{
    const char *text = des_text(v->sim, x->next);
    char *start = reserve_bytes(v, 1 + 8 * VCD_TEXT_MAX + 1 + VCD_CODE_MAX + 1), *at = start;

    *at++ = 'b';
    for (unsigned left = x->text / 8; *text && left; left--, text++) {
        unsigned char c = (unsigned char)*text;
        c = c < 0x20 || c > 0x7e ? '?' : c;
        memcpy(at, nibbles[c >> 4], 4);
        memcpy(at + 4, nibbles[c & 15], 4);
        at += 8;
    }
    if (at == start + 1)
        *at++ = '0';
    *at++ = ' ';
    at = vcd_code(at, x->code + 1);
    *at++ = '\n';
    v->used += (size_t)(at - start);
    v->changes++;
}

void vcd_value(struct des_vcd *v, const struct vcd_var *x)
{
    uint64_t value = x->next;

    if (x->bare) {
        write_text(v, x);
        return;
    }
    bool known = fits_bits(value, x->bits);
    char *start = reserve_bytes(v, 1 + 64 + 1 + VCD_CODE_MAX + 1), *at = start;

    if (x->bits > 1)
        *at++ = 'b';
    if (!known)
        *at++ = 'x';
    else
        at = write_digits(at, x->bits < 64 ? value & ((UINT64_C(1) << x->bits) - 1) : value);
    if (x->bits > 1)
        *at++ = ' ';
    at = vcd_code(at, x->code);
    *at++ = '\n';
    v->used += (size_t)(at - start);
    v->changes++;
    if (x->text)
        write_text(v, x);
}

void vcd_clock_value(struct des_vcd *v, const struct vcd_clock *c)
{
    char *start = reserve_bytes(v, 1 + VCD_CODE_MAX + 1), *at = start;

    *at++ = (char)('0' + c->level);
    at = vcd_code(at, c->code);
    *at++ = '\n';
    v->used += (size_t)(at - start);
    v->changes++;
}

/* --- clocks ------------------------------------------------------------------------------- */

static void set_due(struct vcd_clock *c)
{
    c->due = c->floor + (c->rest > 0);
    if (c->due < c->floor)
        c->due = DES_NEVER; /* past the end of time */
}

/* Advance to the next edge, half a period later. */
static void toggle_clock(struct vcd_clock *c)
{
    uint64_t twice = 2 * c->hz, step = DES_FS_PER_S / twice;

    c->level = !c->level;
    c->rest += DES_FS_PER_S % twice;
    if (c->rest >= twice) {
        c->rest -= twice;
        step++;
    }
    if (__builtin_add_overflow(c->floor, step, &c->floor))
        c->floor = DES_NEVER;
    set_due(c);
}

/* Edge n is due at ceil(n * 1e15 / (2 hz)), rising for even n; n edges are before `when`. */
void vcd_set_clocks(struct des_vcd *v, des_time when)
{
    for (uint32_t i = 0; i < v->clocks.n; i++) {
        struct vcd_clock *c = &v->clocks.at[i];
        uint64_t twice = 2 * c->hz;
        u128 n = when ? (u128)(when - 1) * twice / DES_FS_PER_S + 1 : 0;
        c->floor = (uint64_t)(n * DES_FS_PER_S / twice);
        c->rest = (uint64_t)(n * DES_FS_PER_S % twice);
        c->level = n % 2 == 1;
        set_due(c);
    }
}

void vcd_due_edges(struct des_vcd *v)
{
    for (uint32_t i = 0; i < v->clocks.n; i++)
        if (v->clocks.at[i].due == v->stamp) {
            toggle_clock(&v->clocks.at[i]);
            vcd_clock_value(v, &v->clocks.at[i]);
        }
}

void vcd_stamp(struct des_vcd *v, des_time when)
{
    char text[24], *at = text + sizeof text, *start;
    uint64_t t = when - v->zero;

    if (v->stamp == when)
        return;
    *--at = '\n';
    do
        *--at = (char)('0' + t % 10);
    while (t /= 10);
    *--at = '#';
    size_t n = (size_t)(text + sizeof text - at);
    start = reserve_bytes(v, sizeof text);
    memcpy(start, at, n);
    v->used += n;
    v->stamp = when;
    if (v->state == VCD_OPEN)
        vcd_due_edges(v);
}

void vcd_edges(struct des_vcd *v, des_time before)
{
    for (;;) {
        des_time first = DES_NEVER;
        for (uint32_t i = 0; i < v->clocks.n; i++)
            if (v->clocks.at[i].due < first)
                first = v->clocks.at[i].due;
        if (first >= before || v->error)
            return;
        vcd_stamp(v, first);
    }
}
