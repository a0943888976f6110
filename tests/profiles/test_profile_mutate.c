/* Bad input: spoiled files, a short run of what `make fuzz` does for long, and what is said
 * of some. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/source/profile_source.h"
#include "profile_mutate.h"

Test(profile_mutate, spoiled_profiles_are_read_or_refused)
{
    struct profile_mutate m;
    struct profile_mutate_counts counts = { 0, 0 };

    profile_mutate_begin(&m);
    for (uint64_t i = 0; i < 10000; i++)
        cr_assert(profile_mutate_try(&m, 1, i, &counts), "mutation %llu of seed 1",
                  (unsigned long long)i);
    profile_mutate_end(&m);
    /* both happen often, so that both are tested */
    cr_expect_gt(counts.read, 1000);
    cr_expect_gt(counts.refused, 1000);
}

/* Every beginning of a small capture. */
Test(profile_mutate, cut_captures)
{
    struct profile_mutate m;
    struct err err;
    struct profile *p;

    profile_mutate_begin(&m);
    const struct profile_mutate_sample *s = &m.sample[m.n_samples - 1];
    cr_assert_str_eq(s->name, "small");
    for (size_t n = 0; n < s->n; n++) {
        unsigned char *bytes = malloc(n ? n : 1);
        memcpy(bytes, s->bytes, n);
        int rc = profile_read_memory(&p, "cut", bytes, n, &err);
        /* the host's name is a field of its own behind the plane */
        cr_expect_eq(rc, n == s->n - 6 ? 0 : -1, "%zu of %zu bytes", n, s->n);
        profile_free(p);
        free(bytes);
    }
    profile_mutate_end(&m);
}

static unsigned char *unpack_capture(size_t *n)
{
    const unsigned char *bytes;
    struct profile_source *s;
    struct err err;

    cr_assert_eq(profile_source_open(&s, "tests/profiles/v6e_host_offload.xplane.pb.zst", &err), 0);
    cr_assert_eq(profile_source_peek(s, PROFILE_SOURCE_PIECE, &bytes, n, &err), 0);
    unsigned char *copy = malloc(*n);
    memcpy(copy, bytes, *n);
    profile_source_close(s);
    return copy;
}

static void expect_error(const void *bytes, size_t n, const char *message)
{
    struct profile *p;
    struct err err;

    cr_assert_eq(profile_read_memory(&p, "x.pb", bytes, n, &err), -1);
    cr_expect_str_eq(err.msg, message);
}

Test(profile_mutate, a_truncated_capture)
{
    size_t n;
    unsigned char *bytes = unpack_capture(&n);

    cr_assert_eq(n, 862707);
    expect_error(bytes, 100000,
                 "x.pb: byte 0: field 1 has 113191 bytes, and the file ends after 99996");
    expect_error(bytes, 200000,
                 "x.pb: byte 188333: field 1 has 75135 bytes, and the file ends after 11663");
    free(bytes);
}

/* Packed files that were cut: the place is that of the packed bytes. */
Test(profile_mutate, packed_files_that_were_cut)
{
    struct profile_mutate m;
    size_t checked = 0;

    profile_mutate_begin(&m);
    for (size_t i = 0; i < m.n_samples; i++) {
        const struct profile_mutate_sample *s = &m.sample[i];
        if (s->n != 294293 && s->n != 2774) /* the capture by zstd, the Op Profile by gzip */
            continue;
        if (s->n == 2774)
            expect_error(s->bytes, 1000, "x.pb: byte 1000: the gzip data ends too early");
        else
            expect_error(s->bytes, 100000, "x.pb: byte 100000: the zstd data ends too early");
        checked++;
    }
    cr_expect_eq(checked, 2);
    profile_mutate_end(&m);
}

/* A length in the middle that is too long for its message. */
Test(profile_mutate, a_damaged_capture)
{
    size_t n;
    unsigned char *bytes = unpack_capture(&n);

    cr_assert_eq(bytes[4], 0x08); /* id of the first plane, then its name */
    cr_assert_eq(bytes[6], 0x12);
    bytes[7] = 0xff;
    bytes[8] = 0xff;
    bytes[9] = 0x7f;
    expect_error(bytes, n,
                 "x.pb: byte 6: field 2 has 2097151 bytes, and its message ends after 113185");
    free(bytes);
}

/* Bytes that are no UTF-8 became U+FFFD, as browsers and editors do. */
Test(profile_mutate, a_capture_that_was_taken_for_text)
{
    size_t n, m = 0;
    unsigned char *bytes = unpack_capture(&n), *text = malloc(3 * n);

    for (size_t i = 0; i < n; i++)
        if (bytes[i] < 0x80) {
            text[m++] = bytes[i];
        } else {
            memcpy(text + m, "\xef\xbf\xbd", 3);
            m += 3;
        }
    expect_error(text, m,
                 "x.pb: byte 0: its bytes were turned into UTF-8 text on their way, which cannot "
                 "be undone; copy the file again as binary");
    free(bytes);
    free(text);
}

/* A line of a host's profile without a TPU. */
Test(profile_mutate, a_capture_without_a_tpu)
{
    static const char bytes[] = "\x0a\x0b\x12\x09/host:CPU";

    expect_error(bytes, sizeof bytes - 1,
                 "x.pb: no TPU and no GPU in it: its planes are /host:CPU; a profile of a TPU has "
                 "/device:TPU:0, of a GPU /device:GPU:0");
}

/* A serialised HloProto, whose module has a name where a plane has its own. */
Test(profile_mutate, a_module_in_place_of_a_profile)
{
    static const char bytes[] = "\x0a\x08\x12\x06main.0";

    expect_error(bytes, sizeof bytes - 1,
                 "x.pb: no profile, whose planes are /host:CPU and the like, but perhaps a "
                 "serialised HloProto, of which the text is read: it holds main.0");
}

Test(profile_mutate, other_json)
{
    static const char table[] = "{\"cols\":[{\"id\":\"hlo_op_name\"}],\"rows\":[]}";
    static const char broken[] = "{\"traceEvents\":[\n{\"ph\":\"X\",]}";
    static const char kineto[] = "{\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,\"name\":"
                                 "\"process_name\",\"args\":{\"name\":\"python\"}}]}";

    expect_error(table, sizeof table - 1, "x.pb:1: no column \"#Occurrences\" (occurrences)");
    expect_error(broken, sizeof broken - 1, "x.pb:2: no JSON: string or '}' expected near ']'");
    expect_error(kineto, sizeof kineto - 1,
                 "x.pb:1: no TPU in it: its processes are python; a profile of a TPU has "
                 "/device:TPU:0");
}
