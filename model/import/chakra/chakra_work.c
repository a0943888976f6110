#include "import/chakra/chakra_work.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/wide.h"

#define PRODUCT_FLOPS 8 /* for a byte; functions of an element have up to 4 */

/* The largest multiple of `unit` whose cube takes at most so many FLOPs as a product, or 0. */
static uint64_t find_side(uint64_t flops, uint64_t unit)
{
    uint64_t low = 0, high = (UINT64_C(1) << 22) / unit; /* 2 * 2^66 FLOPs are too many */

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        u128 side = (u128)middle * unit;
        if (2 * side * side * side <= flops)
            low = middle;
        else
            high = middle;
    }
    return low * unit;
}

bool chakra_work_print(uint64_t flops, uint64_t bytes, FILE *out)
{
    uint64_t side = flops / PRODUCT_FLOPS >= bytes ? find_side(flops, 256) : 0;

    if (side == 0 && flops / PRODUCT_FLOPS >= bytes)
        side = find_side(flops, 128);
    if (side == 0) {
        fputs(" form=vector", out);
        if (flops)
            fprintf(out, " vector=add:%" PRIu64, flops);
        return false;
    }
    uint64_t rows = (flops - 1) / (2 * side * side) + 1;
    fprintf(out, " form=product product=1x%" PRIu64 "x%" PRIu64 "x%" PRIu64, rows, side, side);
    return true;
}

void chakra_work_print_time(uint64_t micros, FILE *out)
{
    static const struct {
        const char *unit;
        uint64_t micros;
    } units[] = { { "s", 1000000 }, { "ms", 1000 }, { "us", 1 } };
    size_t u = 0;

    while (units[u].micros > micros)
        u++;
    fprintf(out, " time=\"%" PRIu64, micros / units[u].micros);
    uint64_t rest = micros % units[u].micros;
    for (uint64_t scale = units[u].micros; rest > 0; rest %= scale) {
        fputs(scale == units[u].micros ? "." : "", out);
        scale /= 10;
        fprintf(out, "%" PRIu64, rest / scale);
    }
    fprintf(out, " %s\" form=custom", units[u].unit);
}
