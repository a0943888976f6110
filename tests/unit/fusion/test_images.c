/* Chips that stand for others, by hand. */
#include <criterion/criterion.h>

#include "machine/images.h"

Test(images, of_an_open_mesh_are_in_its_corner)
{
    struct mesh m = { { 4, 2, 3 }, { false, false, false } };
    struct images im;
    uint32_t at;

    images_mirrored(&im, &m);
    cr_assert_eq(images_count(&im), 2 * 1 * 3);
    /* built: x 0 and 1, y 0, z 0 to 2 */
    static const uint32_t built[] = { 0, 1, 8, 9, 16, 17 };
    for (uint32_t i = 0; i < 6; i++) {
        cr_expect_eq(images_chip(&im, i), built[i]);
        cr_expect_eq(images_of(&im, built[i]), i);
    }
    /* (3,1,2) is the image of (0,0,2) in x and y; (2,0,1) of (1,0,1) */
    cr_expect_eq(images_of(&im, 23), 4);
    cr_expect_eq(images_of(&im, 10), 3);
    cr_expect_eq(images_port(&im, 10, 0), 1, "up along x is down in the mirror");
    cr_expect_eq(images_port(&im, 10, 4), 4, "and up along z is up");
    /* inside the corner links lead on, over the middle they lead back, by the same port */
    cr_expect_eq(images_neighbour(&im, 0, 0, &at), 1);
    cr_expect_eq(at, 1);
    cr_expect_eq(images_neighbour(&im, 1, 0, &at), 1);
    cr_expect_eq(at, 0);
    cr_expect_eq(images_neighbour(&im, 1, 2, &at), 1);
    cr_expect_eq(at, 2);
    cr_expect_eq(images_neighbour(&im, 1, 4, &at), 3);
    cr_expect_eq(at, 5);
}

Test(images, of_a_closed_dimension_are_one)
{
    struct mesh m = { { 8, 6, 1 }, { true, false, false } };
    struct images im;
    uint32_t at;

    images_mirrored(&im, &m);
    cr_assert_eq(images_count(&im), 3);
    cr_expect_eq(images_chip(&im, 2), 16);
    cr_expect_eq(images_of(&im, 8 * 5 + 7), 0);
    cr_expect_eq(images_of(&im, 8 * 3 + 4), 2);
    cr_expect_eq(images_port(&im, 4, 0), 0);
    cr_expect_eq(images_neighbour(&im, 2, 0, &at), 2, "round to itself, on its other side");
    cr_expect_eq(at, 1);
    cr_expect_eq(images_neighbour(&im, 2, 3, &at), 1);
    cr_expect_eq(at, 2);
}

Test(images, one_hears_by_the_port_it_speaks_by_where_it_has_no_other)
{
    struct mesh m = { { 4, 4, 1 }, { false, true, false } };
    struct images im;
    uint32_t at;

    images_one(&im, &m);
    cr_expect_eq(images_count(&im), 1);
    cr_expect_eq(images_of(&im, 15), 0);
    cr_expect_eq(images_neighbour(&im, 0, 0, &at), 0);
    cr_expect_eq(at, 0);
    cr_expect_eq(images_neighbour(&im, 0, 2, &at), 0);
    cr_expect_eq(at, 3);
}
