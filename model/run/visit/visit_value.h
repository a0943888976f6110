/* visit_value.h - to hand values to a visitor of results, one function for each kind. */
#ifndef RUN_VISIT_VISIT_VALUE_H
#define RUN_VISIT_VISIT_VALUE_H

#include "run/visit/result_visit.h"

/* Hand on a value that is known: a text, an integer, an integer of any size.  `name` as in struct
 * result_value. */
void visit_text(const struct result_visitor *v, const char *name, const char *text);
void visit_integer(const struct result_visitor *v, const char *name, const char *unit,
                   uint64_t integer);
void visit_whole(const struct result_visitor *v, const char *name, const char *unit,
                 mpz_srcptr whole);
/* A value that is not `known` is of that kind all the same. */
void visit_decimal(const struct result_visitor *v, const char *name, const char *unit,
                   mpq_srcptr decimal, bool known);
void visit_flag(const struct result_visitor *v, const char *name, bool flag);
void visit_checksum(const struct result_visitor *v, const char *name, uint64_t sum);
/* Open a group, to be closed by v->close; without a name it is an element of a list. */
void visit_group(const struct result_visitor *v, const char *name);

#endif
