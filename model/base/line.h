/* line.h - text files line by line.  A line has at most LINE_MAX_BYTES bytes and no NUL byte. */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stdio.h>

#include "base/err.h"

#define LINE_MAX_BYTES 1048575         /* its end included */
#define LINE_ROOM (LINE_MAX_BYTES + 1) /* with the NUL behind a line */

/* Read the next line of `in` to `line`, which has LINE_ROOM bytes, without its end ("\n" or
 * "\r\n") and without the byte order mark that editors put in front of a file.  Returns 1; 0 at
 * the end of the file or if it cannot be read, which ferror() tells; -1 with ERR_FORMAT for a line
 * that is too long, is no UTF-8 or holds a control character.  The message does not say where: the
 * caller adds the place by err_at.  O(bytes of the line). */
int line_next(FILE *in, char *line, struct err *err);

/* `text` without blanks, tabs and line ends at either end.  Cuts in place; returns the new start.
 */
char *line_trim(char *text);

#endif
