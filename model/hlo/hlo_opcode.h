/* hlo_opcode.h - a table from words to opcodes. */
#ifndef HLO_OPCODE_H
#define HLO_OPCODE_H

#include "hlo/hlo_module.h"

#define HLO_OPCODE_SLOTS 512 /* a power of two, twice as many as opcodes */

/* Open addressing, filled once for a text: a word costs one look. */
struct hlo_opcodes {
    uint8_t slot[HLO_OPCODE_SLOTS]; /* 1 + opcode; 0: empty */
};

/* Fill the table with all opcodes. */
void hlo_opcode_init(struct hlo_opcodes *t);
/* Unknown words are START, UPDATE and DONE by their endings, else OTHER. */
enum hlo_opcode hlo_opcode_find(const struct hlo_opcodes *t, struct hlo_text word);

#endif
