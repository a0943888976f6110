/* hlo_show.c - see hlo_show.h. */
#include "hlo/hlo_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

#define WINDOW 100 /* columns of the line that are shown */
#define BEFORE 60  /* at most so many before the place, if the line is longer */

/* Control characters and all that is not ASCII would move the caret or upset a terminal. */
static char plain_char(char c)
{
    return c == '\t' ? ' ' : c < ' ' || c == 0x7f ? '?' : c;
}

/* Two lines: a part of the line around `at`, and a caret below the place. */
static void draw_line(const struct hlo_show *s, char *out, size_t room)
{
    const char *from = s->at, *to = s->at;

    while (from > s->text && from[-1] != '\n' && s->at - from < BEFORE)
        from--;
    while (to < s->end && *to != '\n' && to - from < WINDOW)
        to++;
    while (from > s->text && from[-1] != '\n' && to - from < WINDOW)
        from--;
    if (to > from && to[-1] == '\r')
        to--;
    char *o = out;
    if (room < 2 * WINDOW + 8)
        return;
    *o++ = '\n';
    for (const char *c = from; c < to; c++)
        *o++ = plain_char(*c);
    *o++ = '\n';
    for (const char *c = from; c < s->at; c++)
        *o++ = ' ';
    *o++ = '^';
    *o = '\0';
}

int hlo_show_error(const struct hlo_show *s, struct err *err, enum err_code code, const char *what)
{
    char lines[2 * WINDOW + 8] = "";
    size_t room = sizeof err->msg;
    int n;

    draw_line(s, lines, sizeof lines);
    room -= strlen(lines);
    n = snprintf(err->msg, room, "%.120s:%" PRIu32 ":%" PRIu32 ": %s", s->file, s->line, s->column,
                 what);
    for (char *c = err->msg; *c; c++) /* an error without the lines is one line */
        if ((unsigned char)*c < ' ')
            *c = '?';
    if (n > 0)
        strcat(err->msg, lines);
    err->code = code;
    return -1;
}
