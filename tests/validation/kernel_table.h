/* kernel_table.h - measured kernels, one a row. */
#ifndef TESTS_VALIDATION_KERNEL_TABLE_H
#define TESTS_VALIDATION_KERNEL_TABLE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "machine/spec/catalog.h"
#include "study/validate/measured_kernel.h"

/* Rows "op,d0,d1,d2,us" after lines that begin with # and one that names the columns. */
static inline size_t kernel_read(const char *path, struct measured_kernel *row, size_t max)
{
    char line[256];
    size_t n = 0;
    FILE *f = fopen(path, "r");

    if (!f)
        return 0;
    do {
        if (!fgets(line, sizeof line, f))
            break;
    } while (line[0] == '#');
    while (n < max && fgets(line, sizeof line, f)) {
        unsigned long long d[3];
        struct measured_kernel *r = &row[n];
        *r = (struct measured_kernel){ .chip = measured_chip_find(strstr(path, "tpu_")) };
        locale_t before = plain_begin();
        int found =
            sscanf(line, "%15[a-z-],%llu,%llu,%llu,%lf", r->op, &d[0], &d[1], &d[2], &r->us);
        plain_end(before);
        if (found != 5)
            break;
        for (int i = 0; i < 3; i++)
            r->d[i] = d[i];
        n++;
    }
    fclose(f);
    return n;
}

#endif
