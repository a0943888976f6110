/* Kernels by hand: modules of MLIR, as text and as the bytecode that JAX writes. */
#include <stdint.h>

#include "import/mosaic/mlir.h"
#include "tests/unit/import/import_helper.h"

/* A Pallas product of bf16[512,512] in blocks of 128 x 256 x 128, as jax 0.10.2 lowers it for a
 * TPU: grid 4 x 4 x 2, sums in scratch that the first step of k clears and the last one casts. */
static const char bytecode[] =
    "TUzvUgFNTElSMjMuMC4wZ2l0AAEvCQEDBQcBAwkDGwsNDxETFRcZGx0fISMDNgO+AiEB9wcLEwsTCw8LEwuF"
    "CwsPDwsLDxMTEwsLCwsLDw8PDwsLEzcTEw8PCwsLCxMLCwsLEw8PDw8TExMTEwsTCw9LCxcLC3MLCwsLCxcb"
    "C1MbC1MbC1MbGxsPDw8bDw8PDw8PGw8PDw8bDw8bDw8bEx8LDwsPGyMLCwsTCw8LFwUJYZFNKgIHA1kBXwsP"
    "GxMPGwsLUwsTFw8TDxsTEw8TEw8bDxMTExsTEw8bEw8bFw8TEwsbExcLDxMPASEPBx8PBwsHJycnJx8rIx8f"
    "AmoPHwUlAwMLwwUnAwMLqwUpHVvBBSsdW14CBS1hZmZpbmVfbWFwPChkMCwgZDEpIC0+IChkMCwgZDEpPgAF"
    "LwUxHQexHQe/BTMFNR0HyR09DgIdPYICHT22AgU3BTkNGwU7BT0dH8UdH8sdH9ERCwAFPwVBHQ8WAgMHGgI7"
    "HgIiAiYCKgIdH2ICHQ+iAhEHAREHBQVDBUUFRwVJAwNXSQVLBU0FTwVRAwNXSx0Hzx0H1R3b3R0H4x0HCgId"
    "Bz4CHQdaAh0PfgIdD4oCBVMDA3d5BVURBy0DEX1/E4GDhYdJiUsXi437j5EFVwEH+fn5DRkFWSMHBzEEAAAA"
    "AAAAAAQAAAAAAAAAAgAAAAAAAAAFWwVdBV8FYQVjAQeTmZ8DBSuVLZcJTSMHBSGAAAAAAAAAAAABAAAAAAAA"
    "AwUrmy2dCU8jBwUhAAEAAAAAAACAAAAAAAAAAAMFK6EtowlRIwcFIYAAAAAAAAAAgAAAAAAAAAADBRMvF00D"
    "BRMvF08DBRMvF1ERAQEdGa8dUxstAwcPI0kdGbUdWbcVGxsdMbsdM70VHR0tAwcPE0sdXR0RAwEdIccVIyMt"
    "AwcTESEdIc0VYWEtAwcTNUEdIdMVY2MtAwcTQ08DAwvZJQUJAAAAAAVlHd/hBWcVZ2ctAwcTJZcDB+f96Tvr"
    "OwVpBWsFbQMD7/8Fbx3z9QVxHQICBgIjdHB1Lm1lbW9yeV9zcGFjZTx2bWVtPgAjdHB1LmRpbWVuc2lvbl9z"
    "ZW1hbnRpY3M8YXJiaXRyYXJ5PgAjdHB1LmNvcmVfdHlwZTx0Yz4AI3RwdS5kb3RfZGltZW5zaW9uX251bWJl"
    "cnM8WzFdLCBbMF0sIFswXSwgWzFdLCBbMCwgMCwgMSwgMV0sIFtdLCBbXT4AI2FyaXRoLmZhc3RtYXRoPG5v"
    "bmU+AAVzFWlpLQMHExGXHT8SAhVBIy0DBxEjMwV1BXcjAQkhAQAAAAEAAAACAAAAAAAAAAV5IwEBAQMDCzIC"
    "EQEFHRk6Ah1Tay0DBxUjTx0ZRgIdWUoCFRtrHTFSAh0zVgIVHW0tAwcVE1EdXW0dIWYCFSNqAh0PbgItAwcX"
    "MUEdMXYCHTN6AhVvby0DBxcxYR0/hgIVcXEtAwcXIy8DAwuSAhMNAR1zmgIdngJHBXstAwcRNVsdc6oCHa4C"
    "sgIFfRVHRx0/ugIVQUEBAgIDJwUCBAIEDQECBAcBCQsX9wUCBAIICRUX9wUCCAIECRUX9wUCBAIECRUX9wUC"
    "BAIEDRUnBQIEAgQJBQ8BAQEPERMVAQUHAQEBBQEBJwUCBAIICScFAggCBAkEFgcFAREBdQcDAREHEQF7BwNB"
    "dw8BAQEBAQEPAREBEwEVAQMDrQkDAQsHs1UDCwUFDxEGuQMBAxEDAw0JAwELBw1fAwsFExUTFA0DFwkDCx0D"
    "A5YCjgIDDRsGpgIDBQNBAwMpBQMDAwMpBQMDBQYpAwUHDUVHDwUpQwlDDUVHDQANAwEFDQANAwM1BQMDAwM1"
    "BQMDBQY1AwUHDRkbAwM3BQMDAwM3BQMDBQY3Ax0HBx8hAwM5BQMDAwM5BQMDBQY5Ax8HCSUnAwNl1wMFFQdl"
    "5QMFByMpKxcH8e0DBQUdLQMDJQUDAwMDJQUDAwUGJQMFBw0xMw8FJUMJLw0xMwMDNgIuAgMBCwdCAlUDCwUF"
    "NxEGTgIDAQM5AwMRCQMBCwcRXwMLBTs9ExQRAz8JAw8lAwNFBQMDAwNFBQMDBQZFAwUHDUFDGQZyAgMXA0UD"
    "AycFAwMDAycFAwMFBicDFwcLSUsPBSdDCUcLSUsNABEDAQUNABEJAAEHEQGlBwMJCwcBAQEBAQEDAwEJAwEJ"
    "BAEFAQUHEQGnBwMJCwcBAQEBAQEDAwEJAwEJBAEFBQMHEQGpBwMJCwcBAQEBAQEDAwEJAwEJBAEFAQMGAwEF"
    "AQC6DX9FIxEpCRELEx0dJTEbHR0LIyEjKS0lCw0NFQcZGRkVDVUtHSURCwkTHTkNIyMjGxcXDxkjFRcZFRkf"
    "Dw0JHRFidWlsdGluAHN0YWJsZV9tb3NhaWMAdHB1AGFyaXRoAG1vZHVsZQBhcml0aC5jb25zdGFudAB2ZWN0"
    "b3IubG9hZABmdW5jLmZ1bmMAZnVuYy5yZXR1cm4AYXJpdGguY21waQBzY2YueWllbGQAdHB1LnZlY3Rvcl9z"
    "dG9yZQBhcml0aC5leHR1aQBzY2YuaWYAdHB1Lm1hdG11bABhcml0aC5hZGRmAGFyaXRoLnRydW5jZgB2ZWN0"
    "b3IuYnJvYWRjYXN0AC93b3JrL3RtcDQvazEucHkAbW0uPGxvY2Fscz4ua2VybgB2YWx1ZQBtbS48bG9jYWxz"
    "Pi5rZXJuLjxsb2NhbHM+Ll8AZnVuY3Rpb25fdHlwZQBzeW1fbmFtZQBlcToAZ2V0OgBnZXQvZ2V0AHRyYW5z"
    "Zm9ybV9pbmRpY2VzAHdpbmRvd19ib3VuZHMAY29udmVydF9lbGVtZW50X3R5cGU6AGNvbnZlcnRfZWxlbWVu"
    "dF90eXBlL2NvbnZlcnRfZWxlbWVudF90eXBlAHN3YXA6AHN3YXAvc3dhcAB0cmFuc2Zvcm1fMAB0cmFuc2Zv"
    "cm1fMQB0cmFuc2Zvcm1fMgBlcQBwcmVkaWNhdGUAZXEvZXEAY29uZDoAY29uZABicm9hZGNhc3RfaW5fZGlt"
    "OgBzdGFibGVfbW9zYWljLnZlcnNpb24AZGltZW5zaW9uX3NlbWFudGljcwBpdGVyYXRpb25fYm91bmRzAHNj"
    "YWxhcl9wcmVmZXRjaABzY3JhdGNoX29wZXJhbmRzAGtlcm4AdHB1LmNvcmVfdHlwZQB3aW5kb3dfcGFyYW1z"
    "AGRvdF9nZW5lcmFsOgBkb3RfZ2VuZXJhbC9kb3RfZ2VuZXJhbABkaW1lbnNpb25fbnVtYmVycwB0cmFuc3Bv"
    "c2VfbGhzAHRyYW5zcG9zZV9yaHMAZmFzdG1hdGgAYWRkOgBhZGQvYWRkAGFkZABvcGVyYW5kU2VnbWVudFNp"
    "emVzAHN0cmlkZXMAYnJvYWRjYXN0X2luX2RpbQBicm9hZGNhc3RfaW5fZGltL2Jyb2FkY2FzdF9pbl9kaW0A";

/* The kernel above as text of MLIR, without names and source lines. */
#define MAPS                                                                                       \
    "func.func @a(%i: i32, %j: i32, %k: i32) -> (i32, i32) {\n"                                    \
    "  return %i, %k : i32, i32\n"                                                                 \
    "}\n"                                                                                          \
    "func.func @b(%i: i32, %j: i32, %k: i32) -> (i32, i32) {\n"                                    \
    "  return %k, %j : i32, i32\n"                                                                 \
    "}\n"                                                                                          \
    "func.func @c(%i: i32, %j: i32, %k: i32) -> (i32, i32) {\n"                                    \
    "  return %i, %j : i32, i32\n"                                                                 \
    "}\n"
static const char text[] =
    "module {\n"
    "func.func @main(%i: i32, %j: i32, %k: i32, %x: memref<128x256xbf16>, %y: "
    "memref<256x128xbf16>, %o: memref<128x128xbf16>, %acc: memref<128x128xf32>) attributes "
    "{iteration_bounds = array<i64: 4, 4, 2>, scalar_prefetch = 0 : i64, scratch_operands = 1 : "
    "i64, window_params = [{transform_indices = @a, window_bounds = array<i64: 128, 256>}, "
    "{transform_indices = @b, window_bounds = array<i64: 256, 128>}, {transform_indices = @c, "
    "window_bounds = array<i64: 128, 128>}]} {\n"
    "  %zero = arith.constant 0 : i32\n"
    "  %at = arith.constant 0 : index\n"
    "  %first = arith.cmpi eq, %k, %zero : i32\n"
    "  scf.if %first {\n"
    "    %none = arith.constant dense<0.0> : vector<128x128xf32>\n"
    "    vector.store %none, %acc[%at, %at] : memref<128x128xf32>, vector<128x128xf32>\n"
    "  }\n"
    "  %s = vector.load %acc[%at, %at] : memref<128x128xf32>, vector<128x128xf32>\n"
    "  %a = vector.load %x[%at, %at] : memref<128x256xbf16>, vector<128x256xbf16>\n"
    "  %b = vector.load %y[%at, %at] : memref<256x128xbf16>, vector<256x128xbf16>\n"
    "  %p = tpu.matmul %a, %b, %s {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], "
    "[1], [0, 0, 1, 1], [], []>} : vector<128x256xbf16>, vector<256x128xbf16>, "
    "vector<128x128xf32> -> vector<128x128xf32>\n"
    "  %t = arith.addf %s, %p : vector<128x128xf32>\n"
    "  %one = arith.constant 1 : i32\n"
    "  %last = arith.cmpi eq, %k, %one : i32\n"
    "  scf.if %last {\n"
    "    %r = arith.truncf %t : vector<128x128xf32> to vector<128x128xbf16>\n"
    "  } else {\n"
    "  }\n"
    "  return\n"
    "}\n" MAPS "}\n";

/* Base64 of a text. */
static char *encode_text(const char *s)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = strlen(s), at = 0;
    char *out = memory_zeroed(n / 3 * 4 + 8, 1);

    for (size_t k = 0; k < n; k += 3) {
        uint32_t bits = 0;
        for (size_t b = 0; b < 3; b++)
            bits = bits << 8 | (k + b < n ? (uint8_t)s[k + b] : 0);
        for (int b = 3; b >= 0; b--)
            out[at++] = (size_t)(3 - b) <= n - k ? digit[bits >> (6 * b) & 63] : '=';
    }
    return out;
}

static struct import_totals totals; /* of the last program */

/* The line of kernel %y, in a program with `body`; `operands` are lines of HLO, `names` theirs. */
static char *import_kernel(const char *operands, const char *names, const char *result,
                           const char *body)
{
    char *hlo =
        memory_format("HloModule m, is_scheduled=true\n"
                      "ENTRY %%e {\n%s"
                      "  ROOT %%y = %s custom-call(%s), custom_call_target=\"tpu_custom_call\", "
                      "backend_config={\"custom_call_config\":{\"body\":\"%s\"}}\n"
                      "}\n",
                      operands, result, names, body);
    char *s = import_text(hlo, NULL, &totals);

    free(hlo);
    return s;
}

#define SQUARE "bf16[512,512]{1,0:T(8,128)(2,1)}"
#define FACTORS "  %x = " SQUARE " parameter(0)\n  %w = " SQUARE " parameter(1)\n"

/* 32 steps: A 32 blocks of 64 KiB, B as many, 16 blocks of 32 KiB written; 16 registers of f32
 * added in each step, 8 of bf16 packed in each second one; a step waits for windows and the MXU. */
static void expect_product(const char *s)
{
    EXPECT_PART(s, "%y", " form=product grid=32 product=32x128x256x128 tile=1x128x256x128 ");
    EXPECT_PART(s, "%y", " counts=32x1x1x1 ");
    EXPECT_PART(s, "%y", " fetch=2097152+2097152 store=524288 vector=add:655360 ");
    EXPECT_PART(s, "%y", " waits=64 ");
    EXPECT_NO_PART(s, "%y", "idle=");
    EXPECT_PART(s, "%y", " flops=269221888 basis=hand\n"); /* 2 * 512^3 and an element each */
}

Test(import_mosaic, bytecode_of_jax_gives_grid_blocks_and_products)
{
    char *s = import_kernel(FACTORS, "%x, %w", SQUARE, bytecode);

    expect_product(s);
    free(s);
}

Test(import_mosaic, text_gives_the_same_as_bytecode)
{
    char *body = encode_text(text), *s = import_kernel(FACTORS, "%x, %w", SQUARE, body);

    expect_product(s);
    free(s);
    free(body);
}

/* Jax says of this grid that its loops are arbitrary: two cores of a chip cannot share them. */
Test(import_mosaic, grid_without_parallel_loops_runs_on_one_core)
{
    char *s = import_kernel(FACTORS, "%x, %w", SQUARE, bytecode);

    EXPECT_PART(s, "%y", " split=none ");
    free(s);
}

/* A step for each block of 128 x 128 scores, which `condition` skips. */
#define MASKED(arguments, more, condition)                                                         \
    "module {\n"                                                                                   \
    "func.func @main(%i: i32, %j: i32" arguments ", %x: memref<128x128xbf16>, %o: "                \
    "memref<128x128xf32>) attributes {iteration_bounds = array<i64: 4, 4>, scalar_prefetch "       \
    "= " more                                                                                      \
    " : i64, window_params = [{transform_indices = @a, window_bounds = array<i64: 128, 128>}, "    \
    "{transform_indices = @a, window_bounds = array<i64: 128, 128>}]} {\n"                         \
    "  %at = arith.constant 0 : index\n" condition "  scf.if %c {\n"                               \
    "    %a = vector.load %x[%at, %at] : memref<128x128xbf16>, vector<128x128xbf16>\n"             \
    "    %z = arith.constant dense<0.0> : vector<128x128xf32>\n"                                   \
    "    %p = tpu.matmul %a, %a, %z : vector<128x128xbf16>, vector<128x128xbf16>, "                \
    "vector<128x128xf32> -> vector<128x128xf32>\n"                                                 \
    "  }\n"                                                                                        \
    "  return\n"                                                                                   \
    "}\n"                                                                                          \
    "func.func @a(%i: i32, %j: i32" arguments ") -> (i32, i32) {\n"                                \
    "  %z = arith.constant 0 : i32\n"                                                              \
    "  return %i, %z : i32, i32\n"                                                                 \
    "}\n"                                                                                          \
    "}\n"
#define BLOCKS "  %x = bf16[512,128]{1,0:T(8,128)(2,1)} parameter(0)\n"
#define RESULT "f32[512,128]{1,0:T(8,128)}"
#define LISTED LISTED_AND("")
#define LISTED_AND(more)                                                                           \
    MASKED(", %list: memref<4x4xi32, #tpu.memory_space<smem>>", "1",                               \
           "  %p = arith.index_cast %i : i32 to index\n"                                           \
           "  %q = arith.index_cast %j : i32 to index\n"                                           \
           "  %v = memref.load %list[%p, %q] : memref<4x4xi32, #tpu.memory_space<smem>>\n"         \
           "  %zero = arith.constant 0 : i32\n"                                                    \
           "  %c = arith.cmpi sgt, %v, %zero : i32\n" more)

Test(import_mosaic, blocks_above_the_diagonal_are_steps_that_do_nothing)
{
    char *body = encode_text(MASKED("", "0", "  %c = arith.cmpi sle, %j, %i : i32\n"));
    char *s = import_kernel(BLOCKS, "%x", RESULT, body);

    EXPECT_PART(s, "%y", " product=10x128x128x128 tile=1x128x128x128 counts=10x1x1x1 ");
    EXPECT_PART(s, "%y", " idle=6 ");
    /* a block stays for all of a row: 4 of 32 KiB, 4 of 64 KiB */
    EXPECT_PART(s, "%y", " fetch=131072 store=262144 ");
    EXPECT_NO_PART(s, "%y", "note=");
    free(s);
    free(body);
}

Test(import_mosaic, scalars_of_the_program_decide_conditions)
{
    char *body = encode_text(LISTED);
    char *s = import_kernel("  %l = s32[4,4]{1,0:T(4,128)} constant({ {1,0,0,0}, {1,1,0,0}, "
                            "{0,1,1,0}, {0,0,1,1} })\n"
                            "  %n = s32[4,4]{1,0:T(4,128)S(1)} copy(%l)\n" BLOCKS,
                            "%n, %x", RESULT, body);

    EXPECT_PART(s, "%y", " product=7x128x128x128 ");
    EXPECT_PART(s, "%y", " idle=9 ");
    cr_expect_eq(totals.unmodelled_instructions, 0);
    EXPECT_NO_PART(s, "%y", "note=");
    free(s);
    free(body);
}

Test(import_mosaic, scalars_that_the_text_does_not_have_are_said_to_be_open)
{
    char *body = encode_text(LISTED);
    char *s = import_kernel("  %l = s32[4,4]{1,0:T(4,128)} constant({...})\n" BLOCKS, "%l, %x",
                            RESULT, body);

    EXPECT_PART(s, "%y", " product=16x128x128x128 ");
    cr_expect_eq(totals.unmodelled_instructions, 1);
    EXPECT_PART(
        s, "%y",
        " basis=branch+hand note=\"a kernel by hand with conditions that the text does not decide");
    free(s);
    free(body);
}

/* Rows and columns that are counted and compared in each block: of 4 x 4 blocks 10 have a column
 * that is no higher than a row, whichever a list takes. */
Test(import_mosaic, a_mask_of_rows_and_columns_cuts_the_blocks_above_the_diagonal)
{
#define COMPARED(what)                                                                             \
    LISTED_AND("  %n = tpu.iota {dimensions = array<i32: 1>} : vector<128x128xi32>\n"              \
               "  %w = vector.broadcast %i : i32 to vector<128x128xi32>\n"                         \
               "  %m = arith.cmpi " what " : vector<128x128xi32>\n")
    static const struct {
        const char *text, *product;
    } cases[] = {
        { COMPARED("slt, %w, %n"), " product=10x128x128x128 " },
        { COMPARED("sle, %n, %w"), " product=10x128x128x128 " },
        { COMPARED("sge, %w, %n"), " product=10x128x128x128 " },
        { COMPARED("ne, %w, %n"), " product=16x128x128x128 " },
        { COMPARED("ult, %w, %n"), " product=16x128x128x128 " },
        { COMPARED("sle, %w, %w"), " product=16x128x128x128 " },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *body = encode_text(cases[k].text);
        char *s = import_kernel("  %l = s32[4,4]{1,0:T(4,128)} constant({...})\n" BLOCKS, "%l, %x",
                                RESULT, body);

        EXPECT_PART(s, "%y", cases[k].product);
        free(s);
        free(body);
    }
}

/* Operands that stay in HBM: four steps copy 64 rows of 512 bytes each. */
Test(import_mosaic, transfers_of_the_kernel_count_for_their_arrays)
{
    char *body = encode_text(
        "module {\n"
        "func.func @main(%i: i32, %x: memref<4096x128xf32, #tpu.memory_space<any>>, %o: "
        "memref<4096x128xf32, #tpu.memory_space<any>>, %s: memref<!tpu.dma_semaphore, "
        "#tpu.memory_space<semaphore_mem>>) attributes {iteration_bounds = array<i64: 4>, "
        "scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, window_params = [{}, {}]} {\n"
        "  %z = arith.constant 0 : i32\n"
        "  %a = tpu.memref_slice %x[%i, %z] : memref<4096x128xf32, #tpu.memory_space<any>> -> "
        "memref<64x128xf32, #tpu.memory_space<any>>\n"
        "  %b = tpu.memref_slice %o[%i, %z] : memref<4096x128xf32, #tpu.memory_space<any>> -> "
        "memref<64x128xf32, #tpu.memory_space<any>>\n"
        "  tpu.enqueue_dma source(%a : memref<64x128xf32, #tpu.memory_space<any>>) target(%b : "
        "memref<64x128xf32, #tpu.memory_space<any>>) target_semaphore(%s : "
        "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)\n"
        "  return\n"
        "}\n"
        "}\n");
    char *s = import_kernel("  %x = f32[4096,128]{1,0:T(8,128)} parameter(0)\n", "%x",
                            "f32[4096,128]{1,0:T(8,128)}", body);

    EXPECT_PART(s, "%y", " form=vector grid=4 fetch=131072 store=131072 ");
    free(s);
    free(body);
}

Test(import_mosaic, transfers_to_other_chips_are_not_modelled)
{
    char *body = encode_text(
        "module {\n"
        "func.func @main(%d: i32, %x: memref<8x128xf32>, %o: memref<8x128xf32>, %s: memref<1xi32>, "
        "%r: memref<1xi32>) attributes {iteration_bounds = array<i64: 1>} {\n"
        "  tpu.enqueue_dma source(%x : memref<8x128xf32>) source_semaphore(%s : memref<1xi32>) "
        "target(%o : memref<8x128xf32>) target_semaphore(%r : memref<1xi32>) device_id(%d : i32)\n"
        "  return\n"
        "}\n"
        "}\n");
    char *s = import_kernel("  %x = f32[8,128]{1,0:T(8,128)} parameter(0)\n", "%x",
                            "f32[8,128]{1,0:T(8,128)}", body);

    EXPECT_PART(
        s, "%y",
        " basis=partial+hand note=\"a lower bound: a kernel by hand that sends to other chips");
    cr_expect_eq(totals.unmodelled_instructions, 1);
    free(s);
    free(body);
}

/* C[64,32] of A[128,64] and B[32,128], k in front of A and behind in B: two steps of it. */
Test(import_mosaic, dimension_numbers_say_what_is_summed)
{
    char *body = encode_text(
        "module {\n"
        "func.func @main(%i: i32, %a: memref<128x64xf32>, %b: memref<32x128xf32>) attributes "
        "{iteration_bounds = array<i64: 2>} {\n"
        "  %p = vector.load %a[%i, %i] : memref<128x64xf32>, vector<128x64xf32>\n"
        "  %q = vector.load %b[%i, %i] : memref<32x128xf32>, vector<32x128xf32>\n"
        "  %z = arith.constant dense<0.0> : vector<64x32xf32>\n"
        "  %c = tpu.matmul %p, %q, %z {dimension_numbers = #tpu.dot_dimension_numbers<[0], [1], "
        "[1], "
        "[0], [0, 1, 1, 0], [], []>, precision = #tpu.contract_precision<fp32>} : "
        "vector<128x64xf32>, vector<32x128xf32>, vector<64x32xf32> -> vector<64x32xf32>\n"
        "  return\n"
        "}\n"
        "}\n");
    char *s = import_kernel("  %x = f32[128,64]{1,0:T(8,128)} parameter(0)\n", "%x",
                            "f32[64,32]{1,0:T(8,128)}", body);

    EXPECT_PART(s, "%y", " precision=highest form=product grid=2 product=2x64x128x32 ");
    free(s);
    free(body);
}

/* Two steps of four products of 64 x 128 by 128 x 32. */
Test(import_mosaic, dimension_numbers_say_how_many_products_there_are)
{
    char *body = encode_text(
        "module {\n"
        "func.func @main(%i: i32, %a: memref<4x64x128xf32>, %b: memref<4x128x32xf32>) attributes "
        "{iteration_bounds = array<i64: 2>} {\n"
        "  %p = vector.load %a[%i, %i, %i] : memref<4x64x128xf32>, vector<4x64x128xf32>\n"
        "  %q = vector.load %b[%i, %i, %i] : memref<4x128x32xf32>, vector<4x128x32xf32>\n"
        "  %z = arith.constant dense<0.0> : vector<4x64x32xf32>\n"
        "  %c = tpu.matmul %p, %q, %z {dimension_numbers = #tpu.dot_dimension_numbers<[2], [1], "
        "[1], [2], [0, 0, 0, 1, 1, 2], [0], [0]>} : vector<4x64x128xf32>, vector<4x128x32xf32>, "
        "vector<4x64x32xf32> -> vector<4x64x32xf32>\n"
        "  return\n"
        "}\n"
        "}\n");
    char *s = import_kernel("  %x = f32[4,64,128]{2,1,0:T(8,128)} parameter(0)\n", "%x",
                            "f32[4,64,32]{2,1,0:T(8,128)}", body);

    EXPECT_PART(s, "%y", " product=8x64x128x32 ");
    free(s);
    free(body);
}

/* Four steps of 128 x 256 by 256 x 128 and of 64 x 128 by 128 x 32: the larger one cuts the kernel,
 * 2 * 4 * 128 * 256 * 128, the other one is beside it, 2 * 4 * 64 * 128 * 32. */
Test(import_mosaic, products_of_other_sizes_are_work_beside_the_largest)
{
    char *body = encode_text(
        "module {\n"
        "func.func @main(%i: i32, %a: memref<128x256xbf16>, %b: memref<256x128xbf16>, %c: "
        "memref<64x128xbf16>, %d: memref<128x32xbf16>) attributes {iteration_bounds = array<i64: "
        "4>} {\n"
        "  %p = vector.load %a[%i, %i] : memref<128x256xbf16>, vector<128x256xbf16>\n"
        "  %q = vector.load %b[%i, %i] : memref<256x128xbf16>, vector<256x128xbf16>\n"
        "  %r = vector.load %c[%i, %i] : memref<64x128xbf16>, vector<64x128xbf16>\n"
        "  %s = vector.load %d[%i, %i] : memref<128x32xbf16>, vector<128x32xbf16>\n"
        "  %z = arith.constant dense<0.0> : vector<128x128xf32>\n"
        "  %y = arith.constant dense<0.0> : vector<64x32xf32>\n"
        "  %t = tpu.matmul %r, %s, %y : vector<64x128xbf16>, vector<128x32xbf16>, "
        "vector<64x32xf32> "
        "-> vector<64x32xf32>\n"
        "  %u = tpu.matmul %p, %q, %z : vector<128x256xbf16>, vector<256x128xbf16>, "
        "vector<128x128xf32> -> vector<128x128xf32>\n"
        "  return\n"
        "}\n"
        "}\n");
    char *s = import_kernel("  %x = f32[128,64]{1,0:T(8,128)} parameter(0)\n", "%x",
                            "f32[64,32]{1,0:T(8,128)}", body);

    EXPECT_PART(s, "kernel() name=\"y.inside\"", " product=4x64x128x32 flops=2097152 ");
    EXPECT_PART(s, "%y", " product=4x128x256x128 tile=1x128x256x128 counts=4x1x1x1 ");
    EXPECT_PART(s, "%y", " flops=33554432 basis=hand\n");
    free(s);
    free(body);
}

/* Turns of a loop count each; the vector work of rows that are all the same counts once. */
Test(import_mosaic, loops_run_and_equal_registers_count_once)
{
    char *body = encode_text("module {\n"
                             "func.func @main(%x: memref<64x128xf32>) {\n"
                             "  %a = arith.constant 0 : i32\n"
                             "  %b = arith.constant 6 : i32\n"
                             "  %c = arith.constant 2 : i32\n"
                             "  scf.for %i = %a to %b step %c : i32 {\n"
                             "    %n = tpu.iota {dimensions = array<i32: 1>} : vector<64x128xi32>\n"
                             "    %m = vector.broadcast %i : i32 to vector<64x128xi32>\n"
                             "    %s = arith.addi %n, %m : vector<64x128xi32>\n"
                             "    %v = vector.load %x[%a, %a] : memref<64x128xf32>, "
                             "vector<64x128xf32>\n"
                             "    %e = math.exp2 %v : vector<64x128xf32>\n"
                             "  }\n"
                             "  return\n"
                             "}\n"
                             "}\n");
    char *s = import_kernel("  %x = f32[64,128]{1,0:T(8,128)} parameter(0)\n", "%x",
                            "f32[64,128]{1,0:T(8,128)}", body);

    /* three turns: one register of the sum of columns, two slots of eight registers */
    EXPECT_PART(s, "%y", " vector=add:52224 ");
    free(s);
    free(body);
}

/* Operands follow the scalars: 64 rows of 128 f32 go from one to the result, by hand. */
Test(import_mosaic, a_kernel_without_a_grid_has_scalars_before_its_operands)
{
    char *body = encode_text(
        "module {\n"
        "func.func @main(%n: memref<4xi32, #tpu.memory_space<smem>>, %x: memref<4096x128xf32, "
        "#tpu.memory_space<any>>, %o: memref<4096x128xf32, #tpu.memory_space<any>>, %s: "
        "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes "
        "{scalar_prefetch = 1 : i64, scratch_operands = 1 : i64} {\n"
        "  %z = arith.constant 0 : i32\n"
        "  %a = tpu.memref_slice %x[%z, %z] : memref<4096x128xf32, #tpu.memory_space<any>> -> "
        "memref<64x128xf32, #tpu.memory_space<any>>\n"
        "  %b = tpu.memref_slice %o[%z, %z] : memref<4096x128xf32, #tpu.memory_space<any>> -> "
        "memref<64x128xf32, #tpu.memory_space<any>>\n"
        "  tpu.enqueue_dma source(%a : memref<64x128xf32, #tpu.memory_space<any>>) target(%b : "
        "memref<64x128xf32, #tpu.memory_space<any>>) target_semaphore(%s : "
        "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)\n"
        "  return\n"
        "}\n"
        "}\n");
    char *s = import_kernel("  %n = s32[4]{0} parameter(0)\n"
                            "  %x = f32[4096,128]{1,0:T(8,128)} parameter(1)\n",
                            "%n, %x", "f32[4096,128]{1,0:T(8,128)}", body);

    EXPECT_PART(s, "%y", " fetch=16+32768 store=32768 ");
    free(s);
    free(body);
}

static size_t decode_body(const char *s, char *out)
{
    uint32_t bits = 0, have = 0;
    size_t n = 0;

    for (; *s && *s != '='; s++) {
        bits = bits << 6 | (uint32_t)(*s >= 'a'   ? *s - 'a' + 26
                                      : *s >= 'A' ? *s - 'A'
                                      : *s >= '0' ? *s - '0' + 52
                                      : *s == '+' ? 62
                                                  : 63);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = (char)(bits >> have & 255);
        }
    }
    return n;
}

Test(import_mosaic, damaged_bytecode_is_refused)
{
    static char bytes[sizeof bytecode];
    size_t size = decode_body(bytecode, bytes);
    struct mlir_module m;

    cr_assert(mlir_read(&m, bytes, size));
    mlir_free(&m);
    for (size_t n = 4; n < size; n++) { /* in a block of its own, so that a read behind it shows */
        char *part = memory_zeroed(n, 1);
        memcpy(part, bytes, n);
        cr_expect_not(mlir_read(&m, part, n), "the first %zu bytes", n);
        free(part);
    }
}
