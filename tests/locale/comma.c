/* comma.c - a process whose locale has a decimal comma, in which I is no capital of i.
 *
 * With TEST_LOCALE=DIR the locale DIR/comma.iso88599 is that of the process before main() begins,
 * as a program sets it that asks for the user's.  Linked to each suite, and preloaded by the
 * command line of `make test-locale`.  A locale that is not there ends the process: nothing is
 * skipped. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void take_locale(void)
{
    const char *folder = getenv("TEST_LOCALE");

    if (!folder)
        return;
    char *paths = getenv("LOCPATH"), *before = paths ? strdup(paths) : NULL;
    setenv("LOCPATH", folder, 1);
    if (!setlocale(LC_ALL, "comma.iso88599") || strcmp(localeconv()->decimal_point, ",") != 0 ||
        tolower('I') == 'i') {
        fprintf(stderr, "comma: no such locale in %s\n", folder);
        _exit(2);
    }
    if (before)
        setenv("LOCPATH", before, 1);
    else
        unsetenv("LOCPATH");
    free(before);
}
