/* Arrays of a parser that grow. */
#include "base/memory.h"
#include "hlo/hlo_parser.h"

void *hlo_parser_grow(void *array, uint32_t *cap, size_t size)
{
    *cap = *cap < 16 ? 16 : *cap + *cap / 2;
    return memory_resize(array, *cap, size);
}
