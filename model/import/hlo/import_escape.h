/* import_escape.h - \uXXXX of JSON, as headers of programs have it. */
#ifndef IMPORT_HLO_IMPORT_ESCAPE_H
#define IMPORT_HLO_IMPORT_ESCAPE_H

#include <stdint.h>
#include <stdio.h>

/* Write the character that \uXXXX of JSON at `at` stands for, two of them beyond U+FFFF, in UTF-8.
 * Returns the bytes of its text, 0 if it is none. */
uint32_t import_escape_print(FILE *out, const char *at, const char *end);

#endif
