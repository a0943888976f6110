/* Elements of a shape that is asked for. */
#include <string.h>

#include "study/op/op_write.h"

uint64_t op_elements(const struct op_value *shape)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < shape->rank; i++)
        n *= shape->dim[i];
    return n;
}
