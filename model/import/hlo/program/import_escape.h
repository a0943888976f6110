/* import_escape.h - characters that stand as escapes in texts of programs: \uXXXX in JSON, \ooo in
 * XLA's strings. */
#ifndef IMPORT_HLO_PROGRAM_IMPORT_ESCAPE_H
#define IMPORT_HLO_PROGRAM_IMPORT_ESCAPE_H

#include <stdint.h>
#include <stdio.h>

/* Write the character that the escapes at `at` stand for: two \uXXXX beyond U+FFFF, one \ooo for
 * each byte of UTF-8; '?' for controls and what is no character.  Returns the bytes of their text,
 * 0 if there are none. */
uint32_t import_escape_print(FILE *out, const char *at, const char *end);

#endif
