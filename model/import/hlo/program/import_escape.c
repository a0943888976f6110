/* import_escape.c - see import_escape.h. */
#include "import/hlo/program/import_escape.h"

#include <string.h>

#include "base/plain.h"

/* The number of four hexadecimal digits, or UINT32_MAX. */
static uint32_t read_hex(const char *at, const char *end)
{
    uint32_t n = 0;

    if (end - at < 4)
        return UINT32_MAX;
    for (int k = 0; k < 4; k++) {
        const char *digits = "0123456789abcdef", *d = strchr(digits, plain_lower(at[k]));
        if (at[k] == '\0' || !d)
            return UINT32_MAX;
        n = 16 * n + (uint32_t)(d - digits);
    }
    return n;
}

/* The number of \uXXXX, or of a pair of them that stands for one; *used: characters of it, or 0. */
static uint32_t read_utf16(const char *at, const char *end, uint32_t *used)
{
    uint32_t c = at + 2 <= end && at[1] == 'u' ? read_hex(at + 2, end) : UINT32_MAX;

    *used = c == UINT32_MAX ? 0 : 6;
    if (*used && c >= 0xd800 && c < 0xdc00 && end - at >= 12 && at[6] == '\\' && at[7] == 'u') {
        uint32_t low = read_hex(at + 8, end);
        if (low >= 0xdc00 && low < 0xe000) {
            *used = 12;
            return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return c;
}

/* The byte of \ooo, which is how XLA writes what is no ASCII; *used: 4, or 0. */
static uint32_t read_octal(const char *at, const char *end, uint32_t *used)
{
    *used = 0;
    if (end - at < 4 || at[0] != '\\' || at[1] < '0' || at[1] > '3')
        return 0;
    for (int k = 2; k < 4; k++)
        if (at[k] < '0' || at[k] > '7')
            return 0;
    *used = 4;
    return (uint32_t)(at[1] - '0') << 6 | (uint32_t)(at[2] - '0') << 3 | (uint32_t)(at[3] - '0');
}

/* The character of as many \ooo as UTF-8 has bytes of it; of one that begins none, '?'. */
static uint32_t read_utf8(const char *at, const char *end, uint32_t *used)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    uint32_t c = read_octal(at, end, used);
    int more = c < 0xc0 || c >= 0xf8 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

    if (more == 0 || end - at < 4 * (more + 1))
        return c < 0x80 ? c : '?';
    c &= 0x3fu >> more;
    for (int k = 1; k <= more; k++) {
        uint32_t there, byte = read_octal(at + 4 * k, end, &there);
        if (there == 0 || (byte & 0xc0) != 0x80)
            return '?';
        c = c << 6 | (byte & 0x3f);
    }
    *used = 4 * (uint32_t)(more + 1);
    return c < least[more] || c > 0x10ffff ? '?' : c;
}

uint32_t import_escape_print(FILE *out, const char *at, const char *end)
{
    uint32_t used, c;

    if (at >= end || *at != '\\')
        return 0;
    c = read_utf16(at, end, &used);
    if (used == 0)
        c = read_utf8(at, end, &used);
    if (used == 0 && at + 1 < end && (at[1] == 'n' || at[1] == 'r' || at[1] == 't')) {
        c = '?';
        used = 2;
    }
    if (used == 0)
        return 0;
    if (c < ' ' || c == 127 || (c >= 0xd800 && c < 0xe000))
        c = '?';
    if (c == '"' || c == '\\')
        putc('\\', out);
    if (c < 0x80) {
        putc((int)c, out);
        return used;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    putc((int)((0xf0u << (3 - more) & 0xff) | c >> 6 * more), out);
    while (more-- > 0)
        putc((int)(0x80 | (c >> 6 * more & 0x3f)), out);
    return used;
}
