#include "run/job/progress.h"

#include "base/wide.h"

void progress_part(void *self, const char *what, uint64_t done, uint64_t all)
{
    const struct progress_part *p = self;
    uint64_t of_run = 0;

    if (!p->tell)
        return;
    if (all > 0)
        of_run = (uint64_t)((u128)done * PROGRESS_PART / all);
    p->tell(p->self, p->what ? p->what : what, p->part * PROGRESS_PART + of_run,
            p->parts * PROGRESS_PART);
}
