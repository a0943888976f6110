/* Storage that grows, copies of strings, and numbers that clear themselves. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"

Test(memory, a_growing_array_keeps_what_it_has_and_zeroes_what_is_new)
{
    uint32_t *a = NULL, cap = 0;

    MEMORY_GROW(a, 1, cap);
    cr_assert_eq(cap, 64);
    for (uint32_t i = 0; i < 64; i++) {
        cr_assert_eq(a[i], 0);
        a[i] = i + 1;
    }
    MEMORY_GROW(a, 64, cap);
    cr_assert_eq(cap, 64, "64 elements have room");
    MEMORY_GROW(a, 300, cap);
    cr_assert_eq(cap, 512);
    for (uint32_t i = 0; i < 512; i++)
        cr_assert_eq(a[i], i < 64 ? i + 1 : 0);
    free(a);
}

Test(memory, an_array_without_a_capacity_has_room_for_one_more)
{
    uint32_t *a = NULL;

    for (uint32_t n = 0; n < 1000; n++) {
        uint32_t *was = a;
        MEMORY_ADD(a, n);
        cr_assert(n == 0 || (n & (n - 1)) == 0 || a == was, "moved at %u", n);
        a[n] = 3 * n;
    }
    for (uint32_t n = 0; n < 1000; n++)
        cr_assert_eq(a[n], 3 * n);
    free(a);
}

Test(memory, an_array_that_is_resized_keeps_what_fits)
{
    uint16_t *a = memory_resize(NULL, 3, sizeof *a);

    for (uint16_t i = 0; i < 3; i++)
        a[i] = (uint16_t)(i + 7);
    a = memory_resize(a, 100000, sizeof *a);
    cr_assert_eq(a[2], 9);
    a = memory_resize(a, 1, sizeof *a);
    cr_assert_eq(a[0], 7);
    a = memory_resize(a, 0, sizeof *a);
    cr_assert_not_null(a);
    free(a);
}

Test(memory, no_elements_are_a_pointer_too)
{
    void *none = memory_zeroed(0, 8);

    cr_assert_not_null(none);
    free(none);
}

Test(memory, aligned_memory_begins_where_it_shall)
{
    for (size_t alignment = 16; alignment <= 4096; alignment *= 2)
        for (size_t size = 0; size < 3; size++) {
            void *a = memory_aligned(size, alignment);
            cr_assert_eq((uintptr_t)a % alignment, 0);
            free(a);
        }
}

#ifndef __SANITIZE_ADDRESS__ /* which ends a program that asks for so much */
/* More than any machine has: the program ends, and does not take it for a bug of its own. */
Test(memory, aligned_memory_that_is_not_there_ends_the_program, .exit_code = MEMORY_EXIT)
{
    memory_aligned(SIZE_MAX / 2, 64);
}
#endif

Test(memory, strings_are_copied_whole_or_in_part)
{
    char *whole = memory_copy("mxu"), *part = memory_copy_part("mxu.count", 3),
         *made = memory_format("%s.%d", "mxu", 4);

    cr_assert_str_eq(whole, "mxu");
    cr_assert_str_eq(part, "mxu");
    cr_assert_str_eq(made, "mxu.4");
    cr_assert_null(memory_copy(NULL));
    free(whole);
    free(part);
    free(made);
}

Test(memory, text_is_put_together_piece_by_piece)
{
    struct memory_text t;

    memory_text_begin(&t);
    fputs("a", t.out);
    fprintf(t.out, "%d", 12);
    char *text = memory_text_end(&t);
    cr_assert_str_eq(text, "a12");
    cr_assert_eq(t.size, 3);
    free(text);
}

Test(memory, scoped_numbers_begin_at_zero_and_may_be_left_early)
{
    for (int i = 0; i < 3; i++) {
        EXACT_Q(q);
        EXACT_Z(z);
        cr_assert_eq(mpq_sgn(q), 0);
        mpq_set_ui(q, 1, 3);
        mpz_set_ui(z, 7);
        if (i == 1)
            continue; /* leaks are for the sanitizers to find */
        cr_assert_eq(mpz_cmp_ui(z, 7), 0);
    }
}
