/* import_limit.c - what one module may take, so that a short text does not take a machine. */
#include <inttypes.h>

#include "import/hlo/program/importing.h"

void import_limit_begin(struct importing *im)
{
    im->room = IMPORT_LEAST_ROOM + IMPORT_ROOM * im->m->bytes;
    im->work = IMPORT_LEAST_WORK + IMPORT_WORK * im->m->bytes;
}

static bool spend_some(uint64_t *left, uint64_t n)
{
    if (*left == 0 || n >= *left) {
        *left = 0;
        return false;
    }
    *left -= n;
    return true;
}

bool import_limit_room(struct importing *im, uint64_t bytes)
{
    return spend_some(&im->room, bytes);
}

void import_limit_return(struct importing *im, uint64_t bytes)
{
    if (im->room) /* a room that has run out stays empty */
        im->room += bytes;
}

bool import_limit_work(struct importing *im, uint64_t steps)
{
    return spend_some(&im->work, steps);
}

int import_limit_check(struct importing *im, const struct hlo_instruction *i)
{
    if (im->room && im->work)
        return 0;
    static const struct {
        uint64_t least, each;
        const char *of;
    } limits[] = { { IMPORT_LEAST_ROOM, IMPORT_ROOM, "bytes of memory" },
                   { IMPORT_LEAST_WORK, IMPORT_WORK, "steps" } };
    const bool work = im->room != 0;

    hlo_error(im->m, i, im->err,
              "up to here the module takes more than %" PRIu64 " %s and %" PRIu64
              " for each byte of its text, with loops and calls written out",
              limits[work].least, limits[work].of, limits[work].each);
    im->err->code = ERR_RANGE;
    return -1;
}
