/* The limits on what an import takes, which import.h documents. */
#include <criterion/criterion.h>

#include "import/hlo/import_impl.h"

Test(import_limit, what_has_run_out_stays_so)
{
    struct importing im = { .room = 10, .work = 3 };

    cr_expect(import_limit_room(&im, 4));
    cr_expect_eq(im.room, 6);
    cr_expect_not(import_limit_room(&im, 6)); /* all of it is too much */
    cr_expect_eq(im.room, 0);
    cr_expect_not(import_limit_room(&im, 0));
    cr_expect_not(import_limit_room(&im, 1)); /* 0 - 1 is no room either */
    cr_expect_eq(im.room, 0);
    import_limit_return(&im, 8);
    cr_expect_eq(im.room, 0);

    cr_expect_not(import_limit_work(&im, 1000));
    cr_expect_eq(im.work, 0);
    cr_expect_not(import_limit_work(&im, 2));
}

Test(import_limit, each_byte_of_a_text_gives_room_and_work)
{
    struct hlo_module m = { .bytes = 1000 };
    struct importing im = { .m = &m };

    import_limit_begin(&im);
    cr_expect_eq(im.room, 67108864 + 64000);
    cr_expect_eq(im.work, 67108864 + 64000);
}

Test(import_limit, room_comes_back)
{
    struct importing im = { .room = 10 };

    cr_expect(import_limit_room(&im, 9));
    import_limit_return(&im, 9);
    cr_expect_eq(im.room, 10);
}
