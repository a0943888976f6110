/* Text of a trace that needs no rule: strings and indents. */
#include "trace/print.h"
#include "trace/reader.h"

void print_string(const char *s, FILE *out)
{
    putc('"', out);
    for (; *s; s++) {
        bool control = (unsigned char)*s < ' ' || *s == 0x7f; /* of the name of a file: not read */
        if (*s == '"' || *s == '\\')
            putc('\\', out);
        putc(control ? '?' : *s, out);
    }
    putc('"', out);
}

void print_indent(uint32_t depth, FILE *out)
{
    for (uint32_t i = 0; i < depth; i++)
        fputs("  ", out);
}
