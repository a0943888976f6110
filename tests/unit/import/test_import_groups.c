/* Devices that the numbers of replica_groups= and source_target_pairs= stand for. */
#include "tests/unit/import/import_helper.h"

#define SUM                                                                                        \
    "%%add (p: f32[], q: f32[]) -> f32[] {\n"                                                      \
    "  %%p = f32[] parameter(0)\n"                                                                 \
    "  %%q = f32[] parameter(1)\n"                                                                 \
    "  ROOT %%s = f32[] add(%%p, %%q)\n"                                                           \
    "}\n"

static char *import_one(const char *header, const char *collective)
{
    static char text[2000];

    snprintf(text, sizeof text,
             "HloModule m, is_scheduled=true%s\n" SUM "ENTRY %%e (x: f32[64]) -> f32[64] {\n"
             "  %%x = f32[64] parameter(0)\n"
             "  ROOT %%y = f32[64] %s\n"
             "}\n",
             header, collective);
    return import_text(text, NULL, NULL);
}

static void expect_line(const char *header, const char *collective, const char *line)
{
    char *s = import_one(header, collective);

    cr_expect(strstr(s, line) != NULL, "no '%s' in\n%s", line, s);
    free(s);
}

Test(import_groups, without_a_channel_they_are_of_replicas)
{
    expect_line(", num_partitions=4", "all-reduce(%x), replica_groups={{0}}, to_apply=%add",
                " = all-reduce(%x) group=1\n");
    expect_line(", replica_count=4", "all-reduce(%x), replica_groups={{0,1},{2,3}}, to_apply=%add",
                " = all-reduce(%x) group=2\n");
    /* replicas 0 and 1 of each of two partitions: devices 0 and 2, 1 and 3 */
    expect_line(", replica_count=2, num_partitions=2",
                "all-reduce(%x), replica_groups={{0,1}}, to_apply=%add",
                " = all-reduce(%x) group=2 group-stride=2\n");
}

Test(import_groups, with_a_channel_replicas_bring_all_their_partitions)
{
    expect_line(", num_partitions=4",
                "all-reduce(%x), channel_id=1, replica_groups={{0}}, to_apply=%add",
                " = all-reduce(%x)\n");
    expect_line(", replica_count=2, num_partitions=2",
                "all-reduce(%x), channel_id=1, replica_groups={{0},{1}}, to_apply=%add",
                " = all-reduce(%x) group=2\n");
}

Test(import_groups, with_a_channel_exchanges_are_between_partitions)
{
    expect_line(", replica_count=2, num_partitions=4",
                "all-to-all(%x), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}",
                " = all-to-all(%x) group=2\n");
}

Test(import_groups, are_listed_where_no_distance_describes_them)
{
    expect_line(", num_partitions=8",
                "all-reduce(%x), channel_id=1, replica_groups={{0,7},{6,1},{2,5},{3,4}}, "
                "use_global_device_ids=true, to_apply=%add",
                " = all-reduce(%x) members=\"0 7, 1 6, 2 5, 3 4\"\n");
    expect_line(", num_partitions=8",
                "all-reduce(%x), channel_id=1, replica_groups={{0,1,2,3,4,5},{6,7}}, "
                "use_global_device_ids=true, to_apply=%add",
                " = all-reduce(%x) members=\"0 1 2 3 4 5, 6 7\"\n");
}

Test(import_groups, pairs_are_listed_where_no_shift_describes_them)
{
    expect_line(", num_partitions=8",
                "collective-permute(%x), channel_id=1, source_target_pairs={{0,7},{1,2}}",
                " = collective-permute(%x) pairs=\"0 7, 1 2\"\n");
}

static void expect_refused(const char *collective, const char *why)
{
    char text[2000];
    struct hlo_module *m;
    struct memory_text out;
    struct err e;

    snprintf(text, sizeof text,
             "HloModule m, is_scheduled=true, num_partitions=4\n" SUM
             "ENTRY %%e (x: f32[64]) -> f32[64] {\n"
             "  %%x = f32[64] parameter(0)\n"
             "  ROOT %%y = f32[64] %s\n"
             "}\n",
             collective);
    cr_assert_eq(hlo_parse(&m, "t.hlo", text, strlen(text), &e), 0, "%s", e.msg);
    memory_text_begin(&out);
    cr_expect_eq(import_hlo(m, NULL, out.out, NULL, &e), -1, "imported: %s", collective);
    free(memory_text_end(&out));
    hlo_free(m);
    cr_expect(strstr(e.msg, why) != NULL, "%s", e.msg);
}

Test(import_groups, a_device_stands_in_one_place)
{
    expect_refused("all-reduce(%x), channel_id=1, replica_groups={{0,1},{1,2}}, "
                   "use_global_device_ids=true, to_apply=%add",
                   "a device stands in two places");
    expect_refused("collective-permute(%x), channel_id=1, source_target_pairs={{0,1},{2,1}}",
                   "a device sends twice, or receives twice");
}

/* A program of one device has no other: its groups are that device, and nothing is said of them. */
Test(import_groups, a_program_of_one_device_has_no_groups_to_speak_of)
{
    char *s = import_one("", "all-reduce(%x), replica_groups={{0,1}}, to_apply=%add");

    cr_expect(strstr(s, " = all-reduce(%x)\n") != NULL, "%s", s);
    cr_expect(strstr(s, "note=") == NULL, "%s", s);
    free(s);
}

/* A quarter of 8 x 16 for each of four devices. */
Test(import_groups, a_reduce_scatter_over_all_keeps_its_dimensions)
{
    char *s = import_text("HloModule m, is_scheduled=true, num_partitions=4\n"
                          "%add (p: f32[], q: f32[]) -> f32[] {\n"
                          "  %p = f32[] parameter(0)\n"
                          "  %q = f32[] parameter(1)\n"
                          "  ROOT %s = f32[] add(%p, %q)\n"
                          "}\n"
                          "ENTRY %e (x: f32[8,16]) -> f32[2,16] {\n"
                          "  %x = f32[8,16] parameter(0)\n"
                          "  ROOT %y = f32[2,16] reduce-scatter(%x), channel_id=1, "
                          "replica_groups={{0,1,2,3}}, use_global_device_ids=true, "
                          "dimensions={0}, to_apply=%add\n"
                          "}\n",
                          NULL, NULL);

    cr_expect(strstr(s, "%y f32[2,16] = reduce-scatter(%x)\n") != NULL, "%s", s);
    free(s);
}
