#include "task/cause.h"

const char *const cause_name[N_CAUSES] = {
#define C(id, text, doc) text,
    CAUSES(C)
#undef C
};

const char *const cause_doc[N_CAUSES] = {
#define C(id, text, doc) doc,
    CAUSES(C)
#undef C
};
