/* vcd_impl.h - internals of a value change dump.
 *
 *   watchers -> [ changes of one time ] -> stamp, edges of clocks, values -> buffer -> sink
 *
 * vcd.c decides what is recorded, vcd_write.c writes values, stamps and clock edges, vcd_scope.c
 * writes the declarations. */
#ifndef DES_VCD_IMPL_H
#define DES_VCD_IMPL_H

#include "des/des_impl.h"
#include "des/vcd.h"

struct vcd_var {
    struct des_object object;
    uint32_t code;         /* identifier code; its text variable has code + 1 */
    uint16_t bits, text;   /* text: bits of the text variable; 0: it has none */
    bool changed;          /* it is in vcd->changed */
    bool bare;             /* a text without its number */
    uint64_t shown, next;  /* the last value in the file; the latest value of this time */
    char *scope, *name[2]; /* as declared; name[1]: of the text variable */
};

struct vcd_clock {        /* all clocks of one frequency */
    uint64_t hz;          /* the next edge is due at ceil((floor + rest / (2 hz))) fs */
    uint64_t floor, rest; /* rest < 2 hz */
    des_time due;
    uint32_t code;
    bool level;
};

#define VCD_BUFFER 65536
#define VCD_TEXT_MAX 64 /* characters */

enum vcd_state { VCD_LATER, VCD_WAITING, VCD_OPEN, VCD_OVER };

struct des_vcd {
    struct des *sim;
    struct des_vcd_sink sink;
    char *path; /* NULL: the sink is the caller's */
    int fd, error;
    enum vcd_state state;
    bool recording;          /* changes at `when` are recorded */
    des_time zero, from, to; /* the window */
    des_time stamp;          /* the last one in the file; DES_NEVER: none */
    des_time when;           /* time of the changes that are not written yet */
    uint32_t *changed;       /* their variables, in the order of the first change */
    uint32_t n_changed, n_codes;
    uint64_t changes;
    TABLE(struct vcd_var) vars;
    uint32_t *order; /* variables as they are declared */
    TABLE(struct vcd_clock) clocks;
    size_t used;
    char buffer[VCD_BUFFER];
};

/* --- vcd_write.c -------------------------------------------------------------------------- */

void vcd_text(struct des_vcd *v, const char *text);
void vcd_drain(struct des_vcd *v);
/* Write an identifier code in printable characters.  Returns the end of it. */
#define VCD_CODE_MAX 5
char *vcd_code(char *at, uint32_t code);
/* Write a time stamp, unless it is the last one, and the clock edges due at that time. */
void vcd_stamp(struct des_vcd *v, des_time when);
void vcd_value(struct des_vcd *v, const struct vcd_var *x);
void vcd_clock_value(struct des_vcd *v, const struct vcd_clock *c);
/* Set every clock to its state right before its edges at `when`. */
void vcd_set_clocks(struct des_vcd *v, des_time when);
/* Write the clock edges due at the last stamp; all edges before a time. */
void vcd_due_edges(struct des_vcd *v);
void vcd_edges(struct des_vcd *v, des_time before);

/* --- vcd_scope.c -------------------------------------------------------------------------- */

/* Write the scopes and variables. */
void vcd_declare(struct des_vcd *v);

#endif
