/* line.c - see line.h. */
#include "base/line.h"

#include <stdint.h>
#include <string.h>

#include "base/text_write.h"

int line_next(FILE *in, char *line, struct err *err)
{
    size_t n = 0;
    int c = 0;

    while (c != '\n' && (c = getc_unlocked(in)) != EOF) {
        if (n == LINE_MAX_BYTES)
            return err_set(err, ERR_FORMAT, "a line of more than %d bytes", LINE_MAX_BYTES);
        if (c == '\0')
            return err_set(err, ERR_FORMAT, "a NUL byte in a text file");
        line[n++] = (char)c;
    }
    if (n == 0)
        return 0;
    while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        n--;
    line[n] = '\0';
    if (strncmp(line, "\xef\xbb\xbf", 3) == 0)
        memmove(line, line + 3, n - 2);
    size_t bad = text_bad_byte(line, false);
    if (bad != SIZE_MAX)
        return err_set(err, ERR_FORMAT,
                       "byte 0x%02x in column %zu is no text: expected UTF-8 "
                       "without control characters",
                       (unsigned char)line[bad], bad + 1);
    return 1;
}

char *line_trim(char *text)
{
    static const char blank[] = " \t\r\n";

    text += strspn(text, blank);
    for (size_t n = strlen(text); n && strchr(blank, text[n - 1]);)
        text[--n] = '\0';
    return text;
}
