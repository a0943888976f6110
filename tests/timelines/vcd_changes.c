#include "vcd_changes.h"

#include <criterion/criterion.h>

#define NS UINT64_C(1000000)

int vcd_code_of(const struct vcd_file *f, const char *path)
{
    int c = vcd_file_code(f, path);

    cr_assert_geq(c, 0, "%s is not in the dump", path);
    return c;
}

void vcd_changes_are(const struct vcd_file *f, const char *path, const struct vcd_change_at *want,
                     size_t n)
{
    int code = vcd_code_of(f, path);
    size_t k = 0;

    for (size_t i = 0; i < f->n_changes; i++) {
        if (f->change[i].code != code)
            continue;
        cr_assert_lt(k, n, "%s changes more than %zu times", path, n);
        cr_assert_eq(f->change[i].time, want[k].ns * NS, "%s, change %zu, at %lu fs", path, k,
                     (unsigned long)f->change[i].time);
        cr_assert_eq(f->change[i].value, want[k].value, "%s, change %zu", path, k);
        k++;
    }
    cr_assert_eq(k, n, "%s changes %zu times", path, k);
}
