/* The words by which a recording of PyTorch's profiler is known. */
#include <string.h>

#include "profile/kineto.h"

static bool is_recording(const unsigned char *head, size_t n)
{
    static const char *const words[] = { "\"schemaVersion\"", "\"deviceProperties\"",
                                         "\"cpu_op\"",        "\"cuda_runtime\"",
                                         "\"cuda_driver\"",   "\"user_annotation\"",
                                         "\"Operator\"",      "\"kernel\"",
                                         "\"Kernel\"" };
    size_t at = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (at < n && (head[at] == ' ' || head[at] == '\n' || head[at] == '\r' || head[at] == '\t'))
        at++;
    if (at == n || (head[at] != '{' && head[at] != '['))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(head, n, words[i], strlen(words[i])))
            return true;
    return false;
}

bool kineto_likes(struct profile_source *source)
{
    static const size_t heads[] = { 2048, 65536 }; /* a packed file may be cut behind the first */
    const unsigned char *head;
    struct err ignored;
    size_t n;

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (profile_source_peek(source, heads[i], &head, &n, &ignored) != 0)
            return false;
        if (is_recording(head, n))
            return true;
    }
    return false;
}
