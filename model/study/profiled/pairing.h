/* pairing.h - which kernel of a profile is which operation of a predicted step.
 *
 *   1. by name, where result and kind of instruction agree as far as both sides say
 *   2. of the rest by shape, kind and scope: dtypes and dimensions of result and operands, the
 *      opcode, the kind of a fusion, where the framework made it
 *   3. of the rest by shape and kind
 *   4. of the rest by result, opcode and kind of fusion
 *
 *   5. of GPUs: by the name of the kernel, which has _ for what is no letter and its node of a CUDA
 *      graph behind it; then what lies between two such pairs in the order in which it runs
 *
 * Equal ones are paired in the order in which they run.
 *
 * Names change with each compilation, numbers at their end most of all; what a kernel computes does
 * not.  Each has one partner at most. */
#ifndef STUDY_PROFILED_PAIRING_H
#define STUDY_PROFILED_PAIRING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hlo/hlo_module.h"

struct pairing_item {
    const char *name;  /* of the instruction, without '%'; borrowed */
    const char *scope; /* "jit(step)/dense/add"; NULL or "": not known; borrowed */
    char *head;        /* "f32[8,128] fusion kLoop"; NULL: not known */
    char *whole;       /* "f32[8,128] fusion kLoop f32[8] f32[]"; NULL: not known */
    char *placed;      /* the same with the scope behind it; NULL: one of them is not known */
};

/* Set head and whole from an instruction of a program, or from its text in a profile, which may be
 * cut short or "".  Layouts and names are left out. */
void pairing_describe(struct pairing_item *item, const struct hlo_module *m,
                      const struct hlo_instruction *i);
void pairing_read(struct pairing_item *item, const char *text);

/* Write an instruction as a profile has it: "%add.1 = f32[8,128] add(f32[8,128] %a, f32[] %b)". */
void pairing_write(const struct hlo_module *m, const struct hlo_instruction *i, FILE *out);

/* Free its texts but for those that are borrowed. */
void pairing_clear(struct pairing_item *item);

enum pairing_how { PAIRING_NONE, PAIRING_NAME, PAIRING_SHAPE }; /* SHAPE: rules 2 to 4 */

struct pairing_partner {
    uint32_t other; /* an index of b */
    enum pairing_how how;
};

/* partner[i] is that of a[i], for all n_a.  O(n log n). */
void pairing_find(struct pairing_partner *partner, const struct pairing_item *a, size_t n_a,
                  const struct pairing_item *b, size_t n_b);

/* Rule 5, for those that have no partner yet.  Items stand in the order in which they run
 * (pairing_order.c).  O(n log n). */
void pairing_order(struct pairing_partner *partner, const struct pairing_item *a, size_t n_a,
                   const struct pairing_item *b, size_t n_b);

#endif
