/* group_name.h - the name of a row that is a sum (run/result/row_group.h), in a column. */
#ifndef REPORT_TEXT_GROUP_NAME_H
#define REPORT_TEXT_GROUP_NAME_H

#include <stdio.h>

#include "run/result/result.h"

/* Print "l*.attn.qkv.fwd x12", or a name alone, padded with blanks or cut to `width` columns; the
 * count is never cut. */
void group_name(const struct run_row *group, unsigned width, FILE *out);

#endif
