/* import_groups.h - which devices take part in a collective (import_groups.c). */
#ifndef IMPORT_HLO_PROGRAM_IMPORT_GROUPS_H
#define IMPORT_HLO_PROGRAM_IMPORT_GROUPS_H

#include "import/hlo/program/importing.h"

struct import_groups {
    uint32_t size;         /* of a group; 0: all devices, or groups of several sizes */
    uint64_t stride;       /* distance of members */
    uint64_t shift;        /* permute */
    char *members, *pairs; /* as the trace lists them, where no distance says it, or NULL */
    bool ordered;          /* the first member of a group has what all get */
    uint32_t basis;        /* bits of enum trace_basis */
    const char *note;
};
/* Devices that run the program, of one slice. */
uint32_t import_groups_devices(const struct importing *im);
/* The groups of a collective, or a permute.  Returns 0, or -1 and an error; free it in either case.
 */
int import_groups_read(struct importing *im, const struct hlo_instruction *i, bool permute,
                       struct import_groups *x);
void import_groups_write(struct importing *im, const struct import_groups *x);
void import_groups_free(struct import_groups *x);

#endif
