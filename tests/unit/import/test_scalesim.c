/* Topology files of SCALE-Sim.  Sizes are worked out by the formulas that SCALE-Sim uses. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/import_trace.h"
#include "import/scalesim/scalesim.h"

/* clang-format off */
#define CONV "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"

static char *import_topology(const char *csv, uint64_t samples, struct scalesim_notes *notes, struct err *err)
{
    struct memory_text t;

    memory_text_begin(&t);
    int rc = scalesim_import("nets/tiny.csv", csv, strlen(csv), samples, t.out, notes, err);
    char *text = memory_text_end(&t);
    if (rc == 0)
        return text;
    free(text);
    return NULL;
}

/* The text behind the four lines of the head. */
static void expect_lines(const char *csv, uint64_t samples, const char *expected)
{
    struct scalesim_notes notes;
    struct err err;
    char *text = import_topology(csv, samples, &notes, &err), *body = text;

    cr_assert(text, "%s", err.msg);
    for (int i = 0; i < 5; i++)
        body = strchr(body, '\n') + 1;
    cr_expect_str_eq(body, expected, "%s", body);
    free(text);
}

/* 224 - 11 = 213 = 53 * 4 + 1: 54 windows lie on the image, a 55th begins on it and needs 3 more. */
Test(scalesim, windows_that_begin_on_the_image_count)
{
    expect_lines(CONV "Conv1     ,224         ,224        ,11           ,11          ,3       ,96        ,4      ,\n",
                 0,
                 "tensor %ifmap.1x3x224x224 bf16[1,3,224,224] input\n"
                 "tensor %Conv1.w bf16[96,3,11,11] weight\n"
                 "step {\n"
                 "  %Conv1 bf16[1,96,55,55] = conv(%ifmap.1x3x224x224, %Conv1.w) size=11x11 stride=4x4 pad=0_3x0_3\n"
                 "}\n");
}

Test(scalesim, a_product_is_a_matmul_in_both_spellings)
{
    expect_lines("Layer,M,N,K,\nL0,196,192,384,\n\n", 0,
                 "tensor %ifmap.196x384 bf16[196,384] input\n"
                 "tensor %L0.w bf16[384,192] weight\n"
                 "step {\n"
                 "  %L0 bf16[196,192] = matmul(%ifmap.196x384, %L0.w)\n"
                 "}\n");
    /* as SCALE-Sim turns M, N, K into a layer: image M x K, filter 1 x K */
    expect_lines(CONV "L0,196,384,1,384,1,192,1,", 0,
                 "tensor %ifmap.196x384 bf16[196,384] input\n"
                 "tensor %L0.w bf16[384,192] weight\n"
                 "step {\n"
                 "  %L0 bf16[196,192] = matmul(%ifmap.196x384, %L0.w)\n"
                 "}\n");
}

/* The files of its repository have blank lines, comments, rows without the last comma, two
 * strides, columns in another order, DP for depthwise layers, one name twice, odd letters. */
Test(scalesim, odd_files_are_read)
{
    expect_lines("\xef\xbb\xbfLayer, Num filters, Channels, IFMAP H, IFMAP W, Filter H, Filter W, Stride height, stride_width, Batch\r\n"
                 "\r\n"
                 "\tc 1\t, 2, 4, 8, 8, 3, 2, 1, 2, 16,#dw\r\n"
                 "c_1, 2, 4, 8, 8, 3, 2, 1, 2, 16\r\n"
                 "x_DP, 2, 4, 8, 8, 3, 3, 1, 1, 16,",
                 3,
                 "tensor %ifmap.16x4x8x8 bf16[16,4,8,8] input\n"
                 "tensor %c_1.w bf16[2,4,3,2] weight\n"
                 "tensor %c_1..4.w bf16[2,4,3,2] weight\n"
                 "tensor %x_DP.w bf16[8,1,3,3] weight\n"
                 "step {\n"
                 "  %c_1 bf16[16,2,6,4] = conv(%ifmap.16x4x8x8, %c_1.w) size=3x2 stride=1x2\n"
                 "  %c_1..4 bf16[16,2,6,4] = conv(%ifmap.16x4x8x8, %c_1..4.w) size=3x2 stride=1x2\n"
                 "  %x_DP bf16[16,8,6,6] = conv(%ifmap.16x4x8x8, %x_DP.w) size=3x3 groups=4\n"
                 "}\n");
}

Test(scalesim, samples_are_images)
{
    expect_lines(CONV "a,5,5,3,3,2,6,1\n", 4,
                 "tensor %ifmap.4x2x5x5 bf16[4,2,5,5] input\n"
                 "tensor %a.w bf16[6,2,3,3] weight\n"
                 "step {\n"
                 "  %a bf16[4,6,3,3] = conv(%ifmap.4x2x5x5, %a.w) size=3x3\n"
                 "}\n");
}

/* AlexNet as SCALE-Sim's repository has it: 5 convolutions.  MACs: 55*55*96*363 + 23*23*256*2400 +
 * 11*11*384*2304 + 11*11*384*3456 + 11*11*256*3456. */
Test(scalesim, alexnet_has_the_products_of_its_layers)
{
    static const char csv[] = CONV "Conv1,224,224,11,11,3,96,4,\nConv2,27,27,5,5,96,256,1,\nConv3,13,13,3,3,256,384,1,\n"
                                   "Conv4,13,13,3,3,384,384,1,\nConv5,13,13,3,3,384,256,1,\n";
    struct import_request q = { .name = "alexnet.csv", .data = csv, .size = sizeof csv - 1 };
    struct import_result result;
    struct trace_totals totals;
    struct memory_text t;
    struct err err;

    trace_totals_init(&totals);
    memory_text_begin(&t);
    cr_assert_eq(import_trace(&q, &result, &totals, t.out, &err), 0, "%s", err.msg);
    free(memory_text_end(&t));
    cr_expect_eq(totals.ops, 5);
    cr_expect_eq(mpz_cmp_ui(totals.flops, 2UL * (105415200 + 325017600 + 107053056 + 160579584 + 107053056)), 0,
                 "%lu", mpz_get_ui(totals.flops));
    cr_expect_eq(result.uncovered, 0);
    trace_totals_clear(&totals);
}

Test(scalesim, sparse_layers_are_counted)
{
    struct scalesim_notes notes;
    struct err err;
    char *text = import_topology("Layer Name, M, N, K, Sparsity,\na,1,5,16,2:4,\nb,1,5,16,1,\nc,1,5,16,4:4,\nd,1,5,16\n", 0, &notes, &err);

    cr_assert(text, "%s", err.msg);
    cr_expect_eq(notes.sparse, 1);
    cr_expect_eq(notes.titles, 0);
    free(text);
}

/* Files that SCALE-Sim's own repository has: as the plain one, line by line. */
Test(scalesim, headers_and_lines_of_other_kinds_are_read)
{
#define PLAIN CONV "a,5,7,3,2,4,6,1,\nb,5,7,3,2,4,6,2,\n"
    static const struct { const char *csv; uint64_t titles; } rows[] = {
        { "Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\na,5,7,3,2,4,6,1,\nb,5,7,3,2,4,6,2,\n", 0 },
        { "Layer, IFMAP Height, IFMAP Height, Filter Height, Filter Width, Channels, Num Filter, Strides,\na,5,7,3,2,4,6,1,\nb,5,7,3,2,4,6,2,\n", 0 },
        { "Layer name,Ifmap height,ifmap width,filter height,filter width,channel,num filters,strides,batch size,\na,5,7,3,2,4,6,1,\nb,5,7,3,2,4,6,2,,\n", 0 },
        { "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,,,Eh,Ew\n,,,,,,,,,,,\na,5,7,3,2,4,6,1,,,110,x\nb,5,7,3,2,4,6,2,,,,\n", 0 },
        { "Layer name\t IFMAP Height\t IFMAP Width\tFilter Height\tFilter Width\tChannels\tNum Filter\tStrides\t\na\t5\t7\t3\t2\t4\t6\t1\t\nb\t5\t7\t3\t2\t4\t6\t2\n", 0 },
        { CONV "\nGo,\na,5,7,3,2,4,6,1,\n" CONV "b,5,7,3,2,4,6,2,2,\n", 2 },
    };
    struct scalesim_notes notes;
    struct err err;
    char *plain = import_topology(PLAIN, 0, &notes, &err);

    cr_assert(plain, "%s", err.msg);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = import_topology(rows[i].csv, 0, &notes, &err);
        cr_assert(text, "row %zu: %s", i, err.msg);
        cr_expect_str_eq(text, plain, "row %zu: %s", i, text);
        cr_expect_eq(notes.titles, rows[i].titles);
        free(text);
    }
    free(plain);
#undef PLAIN
}

Test(scalesim, a_number_behind_the_strides_is_that_of_the_width)
{
    struct scalesim_notes notes;
    struct err err;
    char *text = import_topology(CONV "a,5,7,3,2,4,6,2,1,\n", 0, &notes, &err);

    cr_assert(text, "%s", err.msg);
    cr_expect(strstr(text, "stride=2x1"), "%s", text);
    free(text);
}

Test(scalesim, errors_name_line_column_and_value)
{
    static const struct { const char *csv, *message; } rows[] = {
        { CONV "a, 5, x, 3, 3, 2, 6, 1,", "nets/tiny.csv:2:7: IFMAP Width = x: expected a whole number" },
        { CONV "a,5,5,3,3,0,6,1,", "nets/tiny.csv:2:11: Channels = 0: outside [1, 4294967295]" },
        { CONV "a,5,5,3,3,4294967296,6,1,", "nets/tiny.csv:2:11: Channels = 4294967296: outside [1, 4294967295]" },
        { CONV "\na,5,5,3,3,2,6", "nets/tiny.csv:3:14: Strides: missing, expected a whole number" },
        { CONV "a,5,5,3,3,,6,1", "nets/tiny.csv:2:11: Channels: missing, expected a whole number" },
        { CONV "a,5,5,6,3,2,6,1,", "nets/tiny.csv:2:7: Filter Height = 6: higher than the image" },
        { CONV "a,5,5,3,6,2,6,1,", "nets/tiny.csv:2:9: Filter Width = 6: wider than the image" },
        { CONV "a,5,5,3,3,2,6,1,1,9,", "nets/tiny.csv:2:19: cell = 9: the line has more cells than columns" },
        { CONV, "nets/tiny.csv:1:1: no layer behind the names of columns" },
        { "Layer, M, N\n", "nets/tiny.csv:1:1: no column: K" },
        { "Layer, IFMAP Height, Width\n", "nets/tiny.csv:1:22: column = Width: expected those of a SCALE-Sim topology (docs/reference/trace-format.md)" },
        { "M, N, K, m\n", "nets/tiny.csv:1:10: column = m: it is there twice" },
        { "Layer, M, N, K, m\n", "nets/tiny.csv:1:17: column = m: it is there twice" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scalesim_notes notes;
        struct err err;
        char *text = import_topology(rows[i].csv, 0, &notes, &err);
        cr_assert_null(text, "%s", rows[i].csv);
        cr_expect_str_eq(err.msg, rows[i].message, "%s", err.msg);
    }
}

Test(scalesim, the_workload_is_the_file_without_folder_and_ending)
{
    static const struct {
        const char *file, *workload;
    } rows[] = {
        { "nets/tiny.csv", "workload \"tiny\"\n" },
        { "a.b/resnet50.v1.csv", "workload \"resnet50\"\n" },
        { "a\"b\\c\x7f\xc3\n.csv", "workload \"a_b_c\x7f__\"\n" },
        { "012345678901234567890123456789012345678901234567890123456789_.csv",
          "workload \"012345678901234567890123456789012345678901234567890123456789\"\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char csv[] = "L,M,N,K,\na,1,2,3,\n";
        struct scalesim_notes notes;
        struct memory_text t;
        struct err err;
        memory_text_begin(&t);
        cr_assert_eq(scalesim_import(rows[i].file, csv, sizeof csv - 1, 0, t.out, &notes, &err), 0, "%s", err.msg);
        char *text = memory_text_end(&t), *line = strchr(text, '\n') + 1;
        cr_expect_eq(strncmp(line, rows[i].workload, strlen(rows[i].workload)), 0, "%s", text);
        free(text);
    }
}

Test(scalesim, files_are_known_by_their_first_cell)
{
    cr_expect(scalesim_likes("Layer name, IFMAP", 17));
    cr_expect(scalesim_likes("layer,M\n", 8));
    cr_expect(scalesim_likes("L,M,N,K,\n", 9));
    cr_expect_not(scalesim_likes("L,x,y\n", 6));
    cr_expect_not(scalesim_likes("Layer name\nx,", 13));
    cr_expect_not(scalesim_likes("HloModule m, x", 14));
    cr_expect_not(scalesim_likes("\x1f\x8b\b\bL,M,N,K,\n", 13), "gzip data with this time in it");
    cr_expect_not(scalesim_likes("", 0));
}
/* clang-format on */
