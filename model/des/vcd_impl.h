/* vcd_impl.h - a value change dump from inside: vcd.c records, vcd_scope.c declares. */
#ifndef DES_VCD_IMPL_H
#define DES_VCD_IMPL_H

#include "des/des_impl.h"
#include "des/vcd.h"

struct vcd_var {
    struct des_object object;
    uint8_t bits;
    bool changed;         /* it is in vcd->changed */
    uint64_t shown, next; /* the value in the file, and the last one of this time */
};

#define VCD_BUFFER 65536

struct des_vcd {
    struct des *sim;
    char *path;
    int fd, error;     /* error: errno of the first write that failed, 0: none did */
    des_time stamp;    /* the last one in the file */
    des_time when;     /* of the changes that are not written yet */
    uint32_t *changed; /* the variables they belong to, first changed first */
    uint32_t n_changed;
    TABLE(struct vcd_var) vars;
    size_t used;
    char buffer[VCD_BUFFER];
};

void vcd_text(struct des_vcd *v, const char *text);
/* The identifier code of a variable, in printable characters; returns its end. */
#define VCD_CODE_MAX 5
char *vcd_code(char *at, uint32_t var);
/* Write the scopes and variables. */
void vcd_declare(struct des_vcd *v);

#endif
