/* Every way in which what is stated of a compiled program can be wrong has its message. */
#include "tests/unit/trace/trace_helper.h"

#define V "cyclotron-trace 1\n"
#define L "{1,0:T(8,128)}"
/* The next line is 5. */
#define X                                                                                          \
    V "tensor %x f32[8,128]" L " input\ntensor %v f32[8,128]{1,0:T(8,128)S(1)} input\nstep {\n"
#define Y X "%y f32[8,128]" L " = kernel(%x, %v) "

struct wrong {
    const char *text, *msg;
};

/* clang-format off */
static const struct wrong wrongs[] = {
    /* layouts */
    { V "tensor %x f32[8,9]{0,0} input\n", "t:2:22: dimension 0 stands twice in the layout" },
    { V "tensor %x f32[8,9]{1,1} input\n", "t:2:22: dimension 1 stands twice in the layout" },
    { V "tensor %x f32[2,3,4]{2,0,2} input\n", "t:2:26: dimension 2 stands twice in the layout" },
    { V "tensor %x f32[8,9]{0} input\n", "t:2:20: a layout of 1 dimension, expected all 2" },
    { V "tensor %x f32[8,9]{0,1,2} input\n",
      "t:2:20: a layout of more dimensions than the 2 of its shape" },
    { V "tensor %x f32[8,9]{:T(8,128)} input\n",
      "t:2:20: a layout without its 2 dimensions, minor first" },
    { V "tensor %x f32[8]{1} input\n",
      "t:2:18: a dimension of the layout = 1: outside [0, 0]" },
    { V "tensor %x f32[]{0} input\n",
      "t:2:17: a layout of more dimensions than the 0 of its shape" },
    { V "tensor %x f32[8]{0:Q(8)} input\n",
      "t:2:20: 'Q' in a layout, expected tiles T(8,128), then bits E(4) and a memory space S(1), "
      "each once" },
    { V "tensor %x f32[8]{0:S(1)T(8)} input\n",
      "t:2:24: 'T' in a layout, expected tiles T(8,128), then bits E(4) and a memory space S(1), "
      "each once" },
    { V "tensor %x f32[8]{0:S(1)S(1)} input\n",
      "t:2:24: 'S' in a layout, expected tiles T(8,128), then bits E(4) and a memory space S(1), "
      "each once" },
    { V "tensor %x f32[8]{0:T} input\n", "t:2:21: expected '(', found '}'" },
    { V "tensor %x f32[8]{0:T(0)} input\n",
      "t:2:22: a dimension of a tile = 0: outside [1, 4294967295]" },
    { V "tensor %x f32[8]{0:T(1,1,1,1,8)} input\n", "t:2:30: a tile of more than 4 dimensions" },
    { V "tensor %x f32[8]{0:T(8)(1)(1)(1)(1)} input\n", "t:2:33: more than 4 groups of tiles" },
    { V "tensor %x f32[8]{0:S(9)} input\n", "t:2:22: a memory space = 9: outside [0, 8]" },
    { V "tensor %x s8[8]{0:E(9)} input\n", "t:2:21: bits of an element = 9: outside [1, 8]" },
    { V "tensor %x f32[8]{0 input\n", "t:2:20: expected '}', found 'input'" },
    { V "tensor %x u8[4611686018427387904,2]{0,1:T(1,4294967295)} input\n",
      "t:2:11: a shape of more than 2^63 bytes" },
    /* places */
    { X "%y f32[8,128]" L " at %q = kernel(%x)\n",
      "t:5:32: %q is used before it is defined; operations stand in dependency order, so a cycle "
      "cannot be written; did you mean %x?" },
    { X "%y f32[8,128]" L " at %x gradient = kernel(%x)\n",
      "t:5:35: expected 'gradient', then 'at', ',' or '=', found 'gradient'" },
    { X "%y f32[8,128]" L " at %x at %x = kernel(%x)\n",
      "t:5:35: expected 'gradient', then 'at', ',' or '=', found 'at'" },
    { X "%y f32[8,129]" L " at %x = kernel(%x)\n",
      "t:5:32: %y has 8192 bytes, expected at most the 4096 of %x, whose place it takes" },
    { X "%y f32[8,128]{1,0:T(8,128)S(1)} at %x = kernel(%x)\n",
      "t:5:36: %y is in VMEM, but %x in HBM" },
    { X "%y f32[8,128]" L " at %x, %z f32[8,128]" L " at %x = kernel(%x)\n",
      "t:5:67: %y and %z of one operation take the same place" },
    { X "%a f32[8,128]" L " at %x = kernel()\n%y f32[8,128]" L " at %a, %z f32[8,128]" L
        " at %x = kernel(%x)\n",
      "t:6:67: %y and %z of one operation take the same place" },
    { V "tensor %c f32[8] constant\nstep {\n%y f32[8] at %c = kernel()\n",
      "t:4:14: %y at %c, which is constant: never written" },
    { X "fusion %y {\n%y f32[8,128]" L " at %x = elementwise(%x)\n",
      "t:6:32: 'at' inside the fusion of line 5, whose values are on chip" },
    { X "%d f32[8,128]" L " = copy-start(%x)\n%y f32[8,128]" L " at %d = kernel(%x)\n",
      "t:6:32: %d is the result of a start (line 5): only a result of its done takes its place" },
    /* starts and dones */
    { X "%d f32[8,128]" L " = copy-start(%x)\n%y f32[8,128]" L " = copy-done(%d)\n",
      "t:6:1: %y of 'copy-done' has no place: expected 'at' a result of its start, such as %d" },
    { X "%d f32[8,128]" L " = copy-start(%x)\n%y f32[8,128]" L " at %x = copy-done(%d)\n",
      "t:6:1: %y of 'copy-done' has no place: expected 'at' a result of its start, such as %d" },
    { X "%d f32[8,128]" L " = copy-start(%x)\ncopy-done(%d)\n",
      "t:6:1: 'copy-done' has at least 1 result, found 0" },
    { X "%d f32[8,128]" L " = copy-start(%x)\n%y f32[8,128]" L " at %d, %z u32[] at %d = copy-done(%d)\n",
      "t:6:53: 'copy-done' has 1 result, found 2" },
    { X "%d f32[8,128]" L " = copy-start(%x, %v)\n",
      "t:5:31: 'copy-start' copies one value to one, found 2 and 1" },
    { X "%d f32[8,128]" L " = copy-start(%x) bytes=4097\n",
      "t:5:31: bytes = 4097: more than the 4096 of %d" },
    { X "%d u32[] = copy-start(%x) bytes=4097\n", "t:5:12: bytes = 4097: more than the 4096 of %x" },
    { X "%d f32[8,128]" L " = copy(%x) early=1\n", "t:5:40: 'copy' takes no attribute 'early'" },
    { X "%d f32[8,128]" L " = copy-start(%x)\n}\n",
      "t:6:1: the block of line 4 ends before the start of %d (line 5) has its done" },
    { X "%d f32[8,128]" L " = copy-start(%x)\n%y f32[8,128]" L " = kernel(%d)\n",
      "t:6:38: %d is the handle of a start (line 5), expected a tensor: only its done takes it" },
    { X "%a u32[], %b u32[] = kernel-start(%x) unit=sparsecore\n%c u32[] = kernel-start(%x) "
        "unit=sparsecore\nkernel-done(%a, %c)\n",
      "t:7:17: %c is of another start than %a" },
    { X "%a u32[], %b u32[] = kernel-start(%x) unit=sparsecore\nkernel-done(%a)\nkernel-done(%b)\n",
      "t:7:13: the start of %b has its done already" },
    { X "%a u32[] = kernel-start(%x)\n",
      "t:5:12: 'kernel-start' needs unit=sparsecore: a TensorCore runs its kernels one after the "
      "other, so write 'kernel'" },
    { X "%a u32[] = kernel-start(%x) unit=sparsecore\nkernel-done(%a) grid=2\n",
      "t:6:17: 'kernel-done' takes no attribute 'grid'" },
    { X "kernel-start(%x) unit=sparsecore\n",
      "t:5:1: 'kernel-start' has at least 1 result, found 0" },
    { X "return()\n", "t:5:1: 'return' has at least 1 operand, found 0" },
    { X "%y f32[8] = return(%x)\n", "t:5:13: 'return' has no results, found 1" },
    { X "fusion {\nkernel(%x)\n", "t:6:1: 'kernel' inside the fusion of line 5" },
    /* attributes of kernels */
    { X "%y f32[8] = elementwise(%x) grid=2\n", "t:5:29: 'elementwise' takes no attribute 'grid'" },
    { Y "gird=2\n", "t:5:46: unknown attribute 'gird'; did you mean 'grid'?" },
    { Y "grid=2 grid=2\n", "t:5:53: attribute 'grid' is given twice" },
    { Y "grid=2x0\n", "t:5:53: grid = 0: outside [1, 9223372036854775807]" },
    { Y "grid=4294967296x4294967296\n", "t:5:51: grid: more than 2^63 steps" },
    { Y "grid=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1\n",
      "t:5:51: grid: more than 32 loops" },
    { Y "grid=2x\n", "t:5:53: expected grid, an integer, found the end of the line" },
    { Y "grid=2 x2\n", "t:5:53: unknown attribute 'x2'" },
    { Y "product=1x2x3\n", "t:5:54: product has 3 numbers, expected 4: product=BxMxKxN" },
    { Y "product=1x2x3x4x5\n", "t:5:61: unknown attribute 'x5'" },
    { Y "product=1x4294967296x1x4294967296\n",
      "t:5:54: product: the product of its numbers passes 2^63" },
    { Y "product=1x8x8x8 tile=1x8x8x8\n", "t:5:31: 'kernel' with tile= needs counts=" },
    { Y "product=1x8x8x8 counts=1x1x1x1\n", "t:5:31: 'kernel' with counts= needs tile=" },
    { Y "tile=1x8x8x8 counts=1x1x1x1\n", "t:5:31: 'kernel' with tile= needs product=" },
    { Y "product=1x8x9x8 tile=1x8x8x8 counts=1x1x1x1\n",
      "t:5:31: 1 tiles of 8 do not cover k = 9 of the product" },
    { Y "product=1x8x9x8 tile=1x8x8x8 counts=1x1x2x1 grid=3\n",
      "t:5:31: counts= are 2 steps in all, grid= is 3" },
    { Y "product=1x8x9x8 taps=2\n",
      "t:5:31: taps = 2: k = 9 does not fall into so many parts" },
    { Y "taps=2\n", "t:5:31: 'kernel' with taps= needs product=" },
    { Y "precision=high\n", "t:5:31: 'kernel' with precision= needs product=" },
    { Y "packed=1\n", "t:5:31: 'kernel' with packed=1 needs product=" },
    { Y "lanes=knn\n", "t:5:31: 'kernel' with lanes= needs product=" },
    { Y "lanes=nnn\n",
      "t:5:52: lanes = nnn: expected m or k of A, k or n of B, m or n of C, such as lanes=knn" },
    { Y "lanes=kn\n",
      "t:5:52: lanes = kn: expected m or k of A, k or n of B, m or n of C, such as lanes=knn" },
    { Y "split=h\n", "t:5:52: unknown dimension 'h'; did you mean 'b'?" },
    { Y "split-bytes=8\n", "t:5:31: 'kernel' with split-bytes= needs split=" },
    { Y "split=n split-bytes=8\n", "t:5:31: 'kernel' with split-bytes= needs split=k or sums=" },
    { Y "chain=8\n", "t:5:31: 'kernel' with chain= needs sums=" },
    { Y "sums=8\n", "t:5:31: 'kernel' with sums= needs chain=" },
    { Y "sum-steps=8\n", "t:5:31: 'kernel' with sum-steps= needs sums=" },
    { Y "form=prodct\n", "t:5:51: unknown form of a kernel 'prodct'; did you mean 'product'?" },
    { Y "form=product\n", "t:5:31: 'kernel' with form=product needs product=" },
    { Y "form=copy product=1x8x8x8\n",
      "t:5:31: product= of a kernel with form=copy, expected form=product or form=custom" },
    { Y "unit=sparscore\n", "t:5:51: unknown unit 'sparscore'; did you mean 'sparsecore'?" },
    { Y "fetch=1\n", "t:5:52: fetch has 1 number, expected 2, one for each operand" },
    { Y "fetch=1+2+3\n", "t:5:52: fetch has 3 numbers, expected 2, one for each operand" },
    { Y "fetch=0+8\n", "t:5:42: fetch has 8 bytes for %v, expected 0: it is in VMEM" },
    { Y "fetch=1+\n", "t:5:54: expected fetch, an integer, found the end of the line" },
    { Y "store=1+2\n", "t:5:52: store has 2 numbers, expected 1, one for each result" },
    { X "kernel() held=0\n", "t:5:15: held= of a kernel without operands" },
    { Y "held=2\n", "t:5:51: held = 2: outside [0, 1]" },
    { Y "held=1+1\n", "t:5:53: held: 1 stands there twice" },
    { Y "vector=mul:8\n",
      "t:5:53: vector = mul: expected add, select, cast, divide, exp, sine or sublanes, as in "
      "vector=add:64+cast:8" },
    { Y "vector=add\n", "t:5:56: vector: expected ':' and a number behind add" },
    { Y "vector=add:1+add:2\n", "t:5:59: vector: add stands there twice" },
    { Y "vmem=9223372036854775808\n",
      "t:5:51: vmem = 9223372036854775808: outside [0, 9223372036854775807]" },
    { Y "rows=8\n", "t:5:31: 'kernel' with rows= needs row-bytes=, or form=sort" },
    { Y "row-bytes=8\n", "t:5:31: 'kernel' with row-bytes= needs rows=" },
    { Y "rows=8 row-writes=1\n", "t:5:31: 'kernel' with row-writes=1 needs row-bytes=" },
    { Y "form=gather\n",
      "t:5:31: 'kernel' with form=gather or form=scatter needs rows=" },
    { Y "form=sort rows=8\n",
      "t:5:31: 'kernel' with form=sort or form=top-k needs rows=, the sorts, and cols=, the keys of each" },
    { Y "rows=8 cols=8 row-bytes=8\n", "t:5:31: 'kernel' with cols= needs form=sort or form=top-k" },
    { Y "packed=2\n", "t:5:53: packed = 2: outside [0, 1]" },
    /* the header line */
    { V "program\n", "t:2:8: expected compiler=" },
    { V "program compiler=x compiler=y\n", "t:2:20: 'compiler' is given twice" },
    { V "program compiler=x core=8\n", "t:2:20: unknown key 'core'; did you mean 'cores'?" },
    { V "program compiler=x megacore=2\n", "t:2:29: megacore = 2: outside [0, 1]" },
    { V "program compiler=x machine=\"01234567890123456789012345678901\"\n",
      "t:2:28: machine of 32 bytes, expected at most 31" },
    { V "program compiler=x\nprogram compiler=x\n",
      "t:3:1: 'program' is given twice, first in line 2" },
    { V "step {\n}\nprogram compiler=x\n", "t:4:1: 'program' after the header" },
};
/* clang-format on */

Test(trace_compiled, every_mistake_has_its_message)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        struct err err = { .code = ERR_NONE };
        cr_expect_eq(read_all(wrongs[i].text, strlen(wrongs[i].text), false, &err), -1,
                     "no error in:\n%s", wrongs[i].text);
        cr_expect_str_eq(err.msg, wrongs[i].msg, "found    %s\nexpected %s", err.msg,
                         wrongs[i].msg);
        cr_expect_neq(err.code, ERR_NONE);
    }
}
