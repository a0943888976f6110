/* vcd_changes.h - what the changes of one signal are to be, in whole nanoseconds. */
#ifndef TESTS_VCD_CHANGES_H
#define TESTS_VCD_CHANGES_H

#include "vcd_reader.h"

struct vcd_change_at {
    uint64_t ns, value;
};

/* The code of a signal that must be there. */
int vcd_code_of(const struct vcd_file *f, const char *path);

/* The signal takes these values at these times, and no others. */
void vcd_changes_are(const struct vcd_file *f, const char *path, const struct vcd_change_at *want,
                     size_t n);

#define IS(f, path, ...)                                                                           \
    vcd_changes_are(f, path, (const struct vcd_change_at[]){ __VA_ARGS__ },                        \
                    sizeof((const struct vcd_change_at[]){ __VA_ARGS__ }) /                        \
                        sizeof(struct vcd_change_at))

#endif
