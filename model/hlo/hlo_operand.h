/* hlo_operand.h - the operands of an instruction, and the names that they are found by. */
#ifndef HLO_OPERAND_H
#define HLO_OPERAND_H

#include "hlo/hlo_parser.h"

/* (OPERAND, ...): each is [SHAPE] [%]NAME, NAME#PART, or an instruction without a name, which is
 * added to the computation.  Pushes their indices on the parser's stack.  `depth` instructions are
 * around this one.  Errors: ERR_UNKNOWN for a name that is not defined before. */
int hlo_operand_read_all(struct hlo_parser *p, unsigned depth);
/* Take what is on the stack above `base` as operands of the last instruction. */
void hlo_operand_keep(struct hlo_parser *p, uint32_t base);
/* Make the name of an instruction known.  Error: another one of its computation has it. */
int hlo_operand_define(struct hlo_parser *p, uint32_t index);

#endif
