#include "task/use.h"

const char *const use_name[N_USES] = {
#define U(id, text, doc) #text,
    USES(U)
#undef U
};
