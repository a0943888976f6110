#include "run/visit/visit_value.h"

void visit_text(const struct result_visitor *v, const char *name, const char *text)
{
    v->value(v->self,
             &(struct result_value){
                 .name = name, .unit = "", .kind = RESULT_TEXT, .known = true, .text = text });
}

void visit_integer(const struct result_visitor *v, const char *name, const char *unit,
                   uint64_t integer)
{
    v->value(v->self, &(struct result_value){ .name = name,
                                              .unit = unit,
                                              .kind = RESULT_INTEGER,
                                              .known = true,
                                              .integer = integer });
}

void visit_whole(const struct result_visitor *v, const char *name, const char *unit,
                 mpz_srcptr whole)
{
    v->value(v->self,
             &(struct result_value){
                 .name = name, .unit = unit, .kind = RESULT_WHOLE, .known = true, .whole = whole });
}

void visit_decimal(const struct result_visitor *v, const char *name, const char *unit,
                   mpq_srcptr decimal, bool known)
{
    v->value(v->self, &(struct result_value){ .name = name,
                                              .unit = unit,
                                              .kind = RESULT_DECIMAL,
                                              .known = known,
                                              .decimal = decimal });
}

void visit_flag(const struct result_visitor *v, const char *name, bool flag)
{
    v->value(v->self,
             &(struct result_value){
                 .name = name, .unit = "", .kind = RESULT_FLAG, .known = true, .flag = flag });
}

void visit_checksum(const struct result_visitor *v, const char *name, uint64_t sum)
{
    v->value(
        v->self,
        &(struct result_value){
            .name = name, .unit = "", .kind = RESULT_CHECKSUM, .known = true, .integer = sum });
}

void visit_group(const struct result_visitor *v, const char *name)
{
    v->open(v->self, name, RESULT_GROUP);
}
