/* line.h - text files line by line: of bounded length, without NUL bytes. */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stdio.h>

#include "base/err.h"

#define LINE_MAX_BYTES 1048575 /* with its end */
#define LINE_ROOM (LINE_MAX_BYTES + 1)

/* The next line of `in` without its end, "\n" or "\r\n", in `line` of LINE_ROOM bytes.  1: there is
 * one; 0: the file has ended, or cannot be read, which ferror() tells; -1: ERR_FORMAT, too long
 * or no text, without the place.  O(bytes of the line). */
int line_next(FILE *in, char *line, struct err *err);

/* Without blanks, tabs and ends of line at either end; cut in place. */
char *line_trim(char *text);

#endif
