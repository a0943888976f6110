/* import_escape.c - see import_escape.h. */
#include "import/hlo/import_escape.h"

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

uint32_t import_escape_print(FILE *out, const char *at, const char *end)
{
    uint32_t c = at + 2 <= end && at[0] == '\\' && at[1] == 'u' ? read_hex(at + 2, end)
                                                                : UINT32_MAX,
             used = 6;

    if (c == UINT32_MAX)
        return 0;
    if (c >= 0xd800 && c < 0xdc00 && end - at >= 12 && at[6] == '\\' && at[7] == 'u') {
        uint32_t low = read_hex(at + 8, end);
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            used = 12;
        }
    }
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
