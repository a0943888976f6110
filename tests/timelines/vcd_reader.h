/* vcd_reader.h - reads a value change dump by the words of IEEE 1364, clause 18, and refuses what
 * is none.  It knows nothing of what wrote it. */
#ifndef TESTS_VCD_READER_H
#define TESTS_VCD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vcd_file_var {
    char path[160]; /* scopes and name joined by dots */
    unsigned bits;
    int code; /* several variables may share one */
};

struct vcd_file_change {
    uint64_t time;
    int code;
    uint64_t value;     /* the lower 64 bits */
    const char *digits; /* in the text, first digit first */
    unsigned n_digits;
};

struct vcd_file {
    struct vcd_file_var *var;
    int n_vars, n_codes;
    struct vcd_file_change *change; /* the values at the begin come first */
    size_t n_changes, n_first;      /* n_first: of them, in $dumpvars */
    uint64_t begin, end;            /* first and last time stamp */
    char error[200];                /* "" or what is wrong with which line */
};

/* `text` must outlive the file.  True if it is a dump; else see `error`. */
bool vcd_file_read(struct vcd_file *f, const char *text);
void vcd_file_free(struct vcd_file *f);

/* The code of a variable, -1 if there is none of this path. */
int vcd_file_code(const struct vcd_file *f, const char *path);
/* Time in which `code` had this value; edges of `clock` (-1: femtoseconds) from a change to before
 * the next. */
uint64_t vcd_file_time(const struct vcd_file *f, int code, uint64_t value, int clock);
/* The value at the end. */
uint64_t vcd_file_last(const struct vcd_file *f, int code);

#endif
