/* Every way in which a trace can be wrong has its message and its code. */
#include "tests/unit/trace/trace_helper.h"

#define V "cyclotron-trace 1\n"
#define X "cyclotron-trace 1\ntensor %x f32[8,16] input\nstep {\n" /* the next line is 4 */
#define S "cyclotron-trace 1\nstep {\n"                            /* the next line is 3 */
#define IMG "cyclotron-trace 1\ntensor %x f32[1,2,6] input\ntensor %w f32[4,2,2] weight\nstep {\n"

struct wrong {
    const char *text, *msg;
};

/* clang-format off */
static const struct wrong wrongs[] = {
    /* the first lines */
    { "", "t:1:1: no text, expected 'cyclotron-trace 1'" },
    { "# nothing\n\n", "t:3:1: no text, expected 'cyclotron-trace 1'" },
    { "step {\n}\n", "t:1:1: expected 'cyclotron-trace 1', found 'step'" },
    { "\xef\xbb\xbf" V, "t:2:1: the trace ends without a step" },
    { "\n\xef\xbb\xbf" V, "t:2:1: expected 'cyclotron-trace 1', found byte 0xef" },
    { "cyclotron-trace 2\n", "t:1:17: version = 2: outside [1, 1]" },
    { "cyclotron-trace 1 1\n", "t:1:19: expected the end of the line, found '1'" },
    { V, "t:2:1: the trace ends without a step" },
    { V "workload tiny\nworkload tiny\n", "t:3:1: 'workload' is given twice, first in line 2" },
    { V "workload \"0123456789012345678901234567890123456789012345678901234567890123\"\n",
      "t:2:10: workload of 64 bytes, expected at most 63" },
    { V "samples epoch=4\n", "t:2:16: expected step=" },
    { V "samples step=0\n", "t:2:14: step = 0: outside [1, 9223372036854775807]" },
    { V "samples step=1 step=2\n", "t:2:16: 'step' is given twice" },
    { V "samples stepp=1\n", "t:2:9: unknown key 'stepp'; did you mean 'step'?" },
    { V "samples steps=1\n", "t:2:16: expected step=" },
    { V "samples step=1 steps=1\n", "t:2:23: steps= without epoch=" },
    { V "samples step=unknown epoch=9\n", "t:2:29: epoch= with step=unknown" },
    { V "samples step=unsaid\n", "t:2:14: 'unsaid': expected a number or unknown" },
    { V "step every {\n", "t:2:12: expected '=', found '{'" },
    { V "step evry=2 {\n", "t:2:6: expected '{' or every=, found 'evry'" },
    { V "step every=0 {\n", "t:2:12: every = 0: outside [1, 4294967295]" },
    { V "step every=2 {\n}\n", "t:4:1: the trace ends without a step" },
    { X "load()\n", "t:4:1: 'load' needs bytes=, what is read from storage" },
    { X "host() items=3 time=\"1 s\"\n", "t:4:1: 'host' with items= needs item-time=" },
    { X "host() item-time=\"1 s\"\n", "t:4:1: 'host' with item-time= needs items=" },
    { X "host() byte-time=\"1 ns\"\n", "t:4:1: 'host' with byte-time= needs bytes=" },
    { X "host() time=\"1 s\" staleness=1\n", "t:4:1: 'host' with staleness= needs client=1" },
    { X "%h f32[2] = host() time=\"1 s\" client=1 staleness=1\n",
      "t:4:13: 'host' with staleness= has no results: what comes back is of another step; give "
      "writes=" },
    { X "host() time=\"1 s\" client=1 staleness=17\n",
      "t:4:1: staleness = 17: outside [1, 16]" },
    { X "host() bytes=2 time=\"1 s\"\n", "t:4:1: 'host' with bytes= needs byte-time=" },
    { X "%i f32[] = infeed() threads=2\n",
      "t:4:12: 'infeed' with a cost of reading needs bytes=, what is read from storage" },
    { X "compile() time=\"1 s\"\n", "t:4:11: 'compile' takes no attribute 'time'" },
    { X "%i f32[] = restart()\n", "t:4:12: 'restart' has no results, found 1" },
    { V "dtype tensors=f33\n", "t:2:15: unknown dtype 'f33'; did you mean 'f32'?" },
    { V "dtype activations=keeps\n", "t:2:19: unknown choice 'keeps'; did you mean 'keep'?" },
    { V "framework torch\n", "t:2:11: unknown framework 'torch'; did you mean 'pytorch'?" },
    { V "framework\n", "t:2:10: expected pytorch, jax or tensorflow, found the end of the line" },
    { V "framework jax\nframework jax\n", "t:3:1: 'framework' is given twice, first in line 2" },
    { V "param a=1\nparam a=1\n", "t:3:7: parameter 'a' is given twice" },
    { V "padding\n", "t:2:8: expected what is padded, such as nodes, found the end of the line" },
    { V "recorded kernels=2 ns=3\n", "t:2:24: expected kernels=, ns= and unread=" },
    { V "recorded kernels=2 ns=3 unread=4\n", "t:2:33: unread = 4: more than ns = 3" },
    { V "recorded kernels=0 ns=0 unread=0\n", "t:2:33: kernels = 0: nothing was recorded" },
    { V "recorded kernel=2\n", "t:2:10: unknown key 'kernel'; did you mean 'kernels'?" },
    { V "padding nodes real=1\n", "t:2:21: expected real= and padded=" },
    { V "padding nodes real=1 padded=0\n", "t:2:29: padded = 0: outside [1, 9223372036854775807]" },
    { V "padding nodes real=3 padded=2\n", "t:2:9: real = 3: more than padded = 2" },
    { V "padding samples real=0 padded=2\n", "t:2:9: real = 0: a step without samples" },
    { V "padding nodes real=1 size=2\n", "t:2:22: unknown key 'size'" },
    { V "padding n real=1 padded=2\npadding n real=2 padded=2\n",
      "t:3:9: n padded to 2 are given twice" },
    { V "padding samples real=1 padded=2\npadding samples real=2 padded=3\n",
      "t:3:9: samples padded to 2 are given twice" },
    { V "param a 1\n", "t:2:9: expected '=', found '1'" },
    { V "workload \"a\n", "t:2:10: string without its closing quote" },
    { V "workload \"a\\n\"\n", "t:2:12: unknown escape in a string, expected \\\" or \\\\" },
    { X "}\nworkload late\n", "t:5:1: 'workload' after the header" },
    /* characters */
    { V "step {\r \n}\n",
      "t:2:7: carriage return inside a line, expected lines that end in a newline" },
    { V "step {\r\r\n}\n",
      "t:2:7: carriage return inside a line, expected lines that end in a newline" },
    { V "# \x01\n", "t:2:3: control character 0x01, expected text" },
    { V "workload \"\x7f\"\n", "t:2:11: control character 0x7f, expected text" },
    { V "st\xc3\xb6p {\n", "t:2:1: unknown statement 'st'" },
    { V "!\n", "t:2:1: expected a statement, found '!'" },
    /* tensors */
    { V "tensor x f32[] input\n", "t:2:8: expected a value such as %x, found 'x'" },
    { V "tensor % x f32[] input\n", "t:2:9: expected a name after '%', found 'x'" },
    { V "tensor %x f32[0] input\n", "t:2:15: a dimension = 0: outside [1, 9223372036854775807]" },
    { V "tensor %x f32[1,] input\n", "t:2:17: expected a dimension, an integer, found ']'" },
    { V "tensor %x f32[1 input\n", "t:2:17: expected ']', found 'input'" },
    { V "tensor %x float[1] input\n", "t:2:11: unknown dtype 'float'" },
    { V "tensor %x f32[1,1,1,1,1,1,1,1,1] input\n", "t:2:11: a shape of more than 8 dimensions" },
    { V "tensor %x f32[2305843009213693952] input\n", "t:2:11: a shape of more than 2^63 bytes" },
    { V "tensor %x u8[4294967296,4294967296] input\n", "t:2:11: a shape of more than 2^63 bytes" },
    { V "tensor %x f32[] weigth\n", "t:2:17: unknown role 'weigth'; did you mean 'weight'?" },
    { V "tensor %x f32[] gradient\n", "t:2:17: unknown role 'gradient'" },
    { V "tensor %x f32[] input\ntensor %x f32[] input\n",
      "t:3:8: %x is defined twice, first in line 2" },
    { X "}\ntensor %y f32[] input\n", "t:5:1: 'tensor' after the first step" },
    /* blocks */
    { X, "t:4:1: the trace ends inside the block of line 3, expected '}'" },
    { X "  fusion {\n", "t:5:1: the trace ends inside the block of line 4, expected '}'" },
    { X "}\n}\n", "t:5:1: '}' without a block to close" },
    { X "} {\n", "t:4:3: expected the end of the line, found '{'" },
    { X "step {\n", "t:4:1: 'step' inside the block of line 3" },
    { V "setp {\n", "t:2:1: unknown statement 'setp'; did you mean 'step'?" },
    { V "step\n", "t:2:5: expected '{' or every=, found the end of the line" },
    { V "phase fwd\n", "t:2:1: 'phase' outside a step" },
    { V "outfeed()\n", "t:2:1: 'outfeed' outside a step" },
    { V "%y f32[] = rng()\n", "t:2:1: an operation outside a step" },
    { X "phase\n", "t:4:6: expected a name, found the end of the line" },
    { X "repeat 0 {\n", "t:4:8: repeat = 0: outside [1, 9223372036854775807]" },
    { X "repeat {\n", "t:4:8: expected repeat, an integer, found '{'" },
    { X "repeat 4294967296 {\nrepeat 2147483648 {\n",
      "t:5:1: nested repeats of more than 2^63 rounds in all" },
    /* fusions */
    { X "fusion {\n}\n", "t:5:1: the fusion of line 4 has no operation" },
    { X "fusion %a {\n%b f32[] = rng()\n}\n",
      "t:6:1: the fusion of line 4 lists %a, but no operation in it defines it" },
    { X "fusion %x {\n", "t:4:8: %x is defined twice, first in line 2" },
    { X "fusion %a, %a {\n", "t:4:12: %a is defined twice, first in line 4" },
    { X "fusion %a flops=1 {\n", "t:4:11: 'fusion' takes no attribute 'flops'" },
    { X "fusion %a {\nfusion %b {\n", "t:5:1: 'fusion' inside the fusion of line 4" },
    { X "fusion %a {\nphase b\n", "t:5:1: 'phase' inside the fusion of line 4" },
    { X "fusion %a {\nall-reduce(%x)\n", "t:5:1: 'all-reduce' inside the fusion of line 4" },
    { X "fusion %a {\n%a f32[] = infeed()\n", "t:5:12: 'infeed' inside the fusion of line 4" },
    { X "fusion %a {\nhost() time=\"1 s\"\n", "t:5:1: 'host' inside the fusion of line 4" },
    { X "fusion %a {\n%b f32[] = copy(%a)\n",
      "t:5:17: %a is used before it is defined; operations stand in dependency order, so a cycle "
      "cannot be written; did you mean %x?" },
    { X "fusion %a {\n%a f32[] = rng()\n%a f32[] = rng()\n",
      "t:6:1: %a is defined twice, first in line 5" },
    { X "fusion {\n%a f32[] = rng()\n}\nall-reduce(%a)\n",
      "t:7:12: %a is used before it is defined; operations stand in dependency order, so a cycle "
      "cannot be written; did you mean %x?" },
    /* names */
    { X "%y f32[8,16] = elementwise(%q)\n",
      "t:4:28: %q is used before it is defined; operations stand in dependency order, so a cycle "
      "cannot be written; did you mean %x?" },
    { X "%y f32[8,16] = elementwise(%unheard)\n",
      "t:4:28: %unheard is used before it is defined; operations stand in dependency order, so a "
      "cycle cannot be written" },
    { X "%y f32[8,16] = elementwise(%y)\n",
      "t:4:28: %y is used before it is defined; operations stand in dependency order, so a cycle "
      "cannot be written; did you mean %x?" },
    { X "%x f32[8,16] = elementwise()\n", "t:4:1: %x is defined twice, first in line 2" },
    { X "%y f32[], %y f32[] = rng()\n", "t:4:11: %y is defined twice, first in line 4" },
    { X "repeat 2 {\n%x f32[] = rng()\n", "t:5:1: %x is defined twice, first in line 2" },
    /* the line of an operation */
    { X "%y f32[8,16]\n", "t:4:13: expected 'gradient', 'at', ',' or '=', found the end of the line" },
    { X "%y f32[8,16] weight = rng()\n",
      "t:4:14: expected 'gradient', then 'at', ',' or '=', found 'weight'" },
    { X "%y f32[8,16] =\n", "t:4:15: expected an operation, found the end of the line" },
    { X "%y f32[8,16] = rng\n", "t:4:19: expected '(', found the end of the line" },
    { X "%y f32[8,16] = rng(\n", "t:4:20: expected a value such as %x, found the end of the line" },
    { X "%y f32[8,16] = rng(%x\n", "t:4:22: expected ')', found the end of the line" },
    { X "%y f32[8,16] = rng(%x,)\n", "t:4:23: expected a value such as %x, found ')'" },
    { X "%y f32[8,16] = rng() flops=1 {\n", "t:4:30: expected the end of the line, found '{'" },
    { X "%y f32[8,16] = matmull(%x, %x)\n",
      "t:4:16: unknown operation 'matmull'; did you mean 'matmul'?" },
    { X "%y f32[8,8] = all_reduce(%x)\n",
      "t:4:15: unknown operation 'all_reduce'; did you mean 'all-reduce'?" },
    { X "%y f32[8,8] = softmax(%x)\n",
      "t:4:15: 'softmax' is no kind of a trace: write reduce (the largest), elementwise "
      "fn=exponential, reduce (the sum), elementwise fn=divide, in a fusion "
      "(docs/reference/trace-format.md, \"Other names\")" },
    { X "%y f32[8,8] = tf.nn.LayerNorm(%x)\n",
      "t:4:15: 'tf.nn.LayerNorm' is no kind of a trace: write reduce (mean and variance of a "
      "row), elementwise fn=rsqrt, in a fusion (docs/reference/trace-format.md, \"Other names\")" },
    { X "transpose(%x)\n",
      "t:4:1: 'transpose' is no kind of a trace: write copy, which is any change of layout "
      "(docs/reference/trace-format.md, \"Other names\")" },
    { X "%y f32[8,16] = matmul-start(%x, %x)\n",
      "t:4:16: 'matmul-start': a matmul is one operation, without start and done; beside others "
      "run collectives, copies and transfers (collective-permute-start, matmul, "
      "collective-permute-done)" },
    { X "all-reduce-stat(%x)\n",
      "t:4:1: unknown operation 'all-reduce-stat'; did you mean 'all-reduce-start'?" },
    /* attributes */
    { X "%y f32[] = rng() flop=1\n", "t:4:18: unknown attribute 'flop'; did you mean 'flops'?" },
    { X "%y f32[] = rng() flops=1 flops=1\n", "t:4:26: attribute 'flops' is given twice" },
    { X "%y f32[8,16] = elementwise(%x) fn=tahn\n",
      "t:4:35: unknown function 'tahn'; did you mean 'tanh'?" },
    { X "%y f32[8,16] = elementwise(%x) fn=\"\"\n",
      "t:4:35: expected a function such as tanh, found '\"'" },
    { X "%y f32[8,16] = copy(%x) fn=tanh\n", "t:4:25: 'copy' takes no attribute 'fn'" },
    { X "%y f32[] = rng() resident=put\n",
      "t:4:27: resident = put: expected lhs, rhs, out, all, or several such as lhs+out" },
    { X "%y f32[] = rng() resident=out+\n",
      "t:4:31: resident = out+: expected lhs, rhs, out, all, or several such as lhs+out" },
    { X "%y f32[] = rng() resident=out+out\n",
      "t:4:31: resident = out+out: out stands there twice" },
    { X "%y f32[] = rng() resident=lhs\n",
      "t:4:12: resident=lhs, but 'rng' has 0 operands and 1 result" },
    { X "%y f32[] = reduce(%x) resident=rhs\n",
      "t:4:12: resident=rhs, but 'reduce' has 1 operand and 1 result" },
    { X "all-reduce(%x) resident=lhs\n", "t:4:16: 'all-reduce' takes no attribute 'resident'" },
    { X "%y f32[] = rng() ta=1\n", "t:4:18: 'rng' takes no attribute 'ta'" },
    { X "%y f32[] = rng() flops\n", "t:4:23: expected '=', found the end of the line" },
    { X "%y f32[] = rng() flops=-1\n", "t:4:24: expected flops, an integer, found '-1'" },
    { X "%y f32[] = rng() flops=18446744073709551616\n",
      "t:4:24: flops = 18446744073709551616: outside [0, 18446744073709551615]" },
    { X "%y f32[] = rng() name=\n", "t:4:23: expected a string, found the end of the line" },
    { X "%y f32[8,8] = matmul(%x, %x) tb=2\n", "t:4:33: tb = 2: outside [0, 1]" },
    { X "all-reduce(%x) group=4294967296\n",
      "t:4:22: group = 4294967296: outside [0, 4294967295]" },
    { X "host()\n", "t:4:1: 'host' needs time=, such as time=\"2 ms\", or item-time= or byte-time=" },
    { X "host() time=\"1 s\" calls=0\n", "t:4:25: calls = 0: outside [1, 9223372036854775807]" },
    { X "host() time=\"0.1 fs\"\n",
      "t:4:13: time = 0.1 fs: expected whole femtoseconds, at most 18446 s" },
    { X "host() time=\"20000 s\"\n",
      "t:4:13: time = 20000 s: expected whole femtoseconds, at most 18446 s" },
    /* numbers of values */
    { X "%y f32[8,16] = matmul(%x)\n", "t:4:16: 'matmul' has 2 operands, found 1" },
    { X "%y f32[], %z f32[] = matmul(%x, %x)\n", "t:4:22: 'matmul' has 1 result, found 2" },
    { X "matmul(%x, %x)\n", "t:4:1: 'matmul' has 1 result, found 0" },
    { X "elementwise(%x)\n", "t:4:1: 'elementwise' has at least 1 result, found 0" },
    { X "%y f32[] = reduce()\n", "t:4:12: 'reduce' has at least 1 operand, found 0" },
    { X "%y f32[] = infeed(%x)\n", "t:4:12: 'infeed' has no operands, found 1" },
    { X "%y f32[] = outfeed(%x)\n", "t:4:12: 'outfeed' has no results, found 1" },
    { X "%y f32[] = scatter(%x, %x, %x, %x)\n", "t:4:12: 'scatter' has at most 3 operands, found 4" },
    { X "optimizer(%x)\n",
      "t:4:1: 'optimizer' updates nothing: expected a weight or state operand" },
    /* matmul */
    { X "%y f32[8,16] = matmul(%x, %x)\n", "t:4:27: %x is f32[8,16], expected f32[16,16]" },
    { X "%y f32[8,9] = matmul(%x, %x) tb=1\n", "t:4:1: %y is f32[8,9], expected f32[8,8]" },
    { X "%v f32[16] = rng()\n%y f32[8] = matmul(%x, %v)\n",
      "t:5:24: %v is f32[16], expected at least 2 dimensions" },
    { X "%v f32[2,16,4] = rng()\n%y f32[2,8,4] = matmul(%x, %v)\n",
      "t:5:28: %v is f32[2,16,4], expected f32[16,4]" },
    { X "%y f32[8,8] = matmul(%x, %x) tb=1 bias=%x\n",
      "t:4:15: bias %x is f32[8,16], expected 8 elements" },
    { S "%a u8[2147483648,2] = rng()\n%y u8[2147483648,2147483648] = matmul(%a, %a) tb=1\n",
      "t:4:32: flops does not fit 64 bits" },
    /* convolutions */
    { IMG "%y f32[1,4,6] = conv(%x, %w) size=2\n", "t:5:1: %y is f32[1,4,6], expected f32[1,4,5]" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=3\n", "t:5:26: %w is f32[4,2,2], expected f32[4,2,3]" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2x2\n", "t:5:22: %x is f32[1,2,6], expected 4 dimensions" },
    { IMG "%y f32[1,4,5] = conv(%x, %w)\n", "t:5:17: 'conv' needs size=, such as size=3x3" },
    { IMG "%y f32[1,4,1] = conv(%x, %w) size=2 dilate=6\n",
      "t:5:22: a window over 7 positions does not fit the 6 of %x in dimension 2, padding included" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 stride=1x1\n",
      "t:5:44: stride has 2 dimensions, expected 1 as in the attribute before it" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 pad=1\n",
      "t:5:42: pad = 1: expected low_high for each dimension, such as 0_0x1_1" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=1x1x1x1\n",
      "t:5:35: size = 1x1x1x1: more than 3 dimensions" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2x\n", "t:5:37: size = 2x: expected a number here" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2y\n",
      "t:5:36: size = 2y: expected 'x' between dimensions" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 stride=0\n",
      "t:5:44: stride = 0: outside [1, 4294967295]" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 pad=0_99999999999999999999\n",
      "t:5:43: pad = 0_99999999999999999999: outside [0, 4294967295]" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 pad=-9_2\n",
      "t:5:22: a window over 2 positions does not fit the -1 of %x in dimension 2, padding included" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 pad=--1_2\n",
      "t:5:42: pad = --1_2: expected a number here" },
    { IMG "%y f32[1,2,5] = dynamic-update-slice(%x, %w)\n",
      "t:5:1: %y is f32[1,2,5], expected f32[1,2,6] as %x" },
    { IMG "%y f32[1,2,6] = dynamic-update-slice(%x, %w)\n",
      "t:5:42: %w is f32[4,2,2], expected a part of f32[1,2,6]" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 groups=3\n",
      "t:5:17: groups = 3: 2 channels and 4 outputs do not fall into so many equal parts" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 groups=2\n",
      "t:5:26: %w is f32[4,2,2], expected f32[4,1,2]" },
    { IMG "%y f32[1,4,5] = conv(%x, %w) size=2 precision=hig\n",
      "t:5:47: unknown precision 'hig'; did you mean 'high'?" },
    { IMG "%y f32[1,4,5] = rng()\n%dx f32[1,2,7] = conv-dgrad(%y, %w) size=2\n",
      "t:6:29: %y is f32[1,4,5], expected f32[1,4,6]" },
    { IMG "%y f32[1,4,5] = rng()\n%dw f32[4,2,3] = conv-wgrad(%x, %y) size=2\n",
      "t:6:1: %dw is f32[4,2,3], expected f32[4,2,2]" },
    /* rows */
    { X "%y f32[8,16] = sort(%x) rows=3\n",
      "t:4:16: 'sort' of 3 rows of 42, expected a product of 128, the elements of %x" },
    { S "%i s32[3] = rng()\n%t f32[4,4] = rng()\n%y f32[3,5] = gather(%t, %i) table-rows=4\n",
      "t:5:15: 'gather' in a table of 4 rows of 5: %t has 16 elements" },
    { S "%i s32[3] = rng()\n%t f32[1,4] = rng()\n%y f32[3,5] = gather(%t, %i)\n",
      "t:5:15: 'gather' in a table of 0 rows of 5: %t has 4 elements" },
    { S "%i s32[4] = rng()\n%t f32[4,4] = rng()\n%y f32[3,5] = gather(%t, %i)\n",
      "t:5:15: 'gather' of 4 rows of 3, expected a product of 15, the elements of %y" },
    /* collectives */
    { X "%a f32[8,16], %b f32[] = all-reduce(%x)\n",
      "t:4:26: 'all-reduce' of 1 operands has 2 results, expected as many" },
    { X "%a f32[8,15] = all-reduce(%x)\n",
      "t:4:1: 'all-reduce' of %x f32[8,16] gives f32[8,15], expected the same shape" },
    { X "%a f32[3,16] = reduce-scatter(%x)\n",
      "t:4:1: 'reduce-scatter' of %x f32[8,16] gives f32[3,16], expected one part of it for each "
      "replica of the group" },
    { X "%a f32[4,16] = reduce-scatter(%x) group=4\n",
      "t:4:1: 'reduce-scatter' of %x f32[8,16] gives f32[4,16], expected one part of it for each "
      "replica of the group" },
    { X "%a f32[16,16] = all-gather(%x) group=4\n",
      "t:4:1: 'all-gather' of %x f32[8,16] gives f32[16,16], expected a part of it from each "
      "replica of the group" },
    /* starts and dones */
    { X "%t f32[] = all-reduce-start(%x)\n",
      "t:4:1: 'all-reduce-start' of %x f32[8,16] gives f32[], expected the same shape, or a handle "
      "u32[]" },
    { X "%t f32[] = outfeed-start(%x)\n",
      "t:4:1: the result of 'outfeed-start' is its handle, expected u32[], found f32[]" },
    { X "%t u32[] = infeed-start()\n",
      "t:4:12: 'infeed-start' needs payload=, the bytes of the results of its done" },
    { X "%t u32[] = outfeed-start(%x)\n}\n",
      "t:5:1: the block of line 3 ends before the start of %t (line 4) has its done" },
    { X "%t u32[] = outfeed-start(%x)\noutfeed-done(%t)\noutfeed-done(%t)\n",
      "t:6:14: the start of %t has its done already" },
    { X "%t u32[] = outfeed-start(%x)\nrepeat 2 {\noutfeed-done(%t)\n",
      "t:6:14: the start of %t (line 4) stands in another block" },
    { X "%t u32[] = outfeed-start(%x)\nall-reduce-done(%t)\n",
      "t:5:17: %t is the handle of 'outfeed-start', expected one of 'all-reduce-start'" },
    { X "%t u32[] = outfeed-start(%x)\n%u u32[] = copy(%t)\n",
      "t:5:17: %t is the handle of a start (line 4), expected a tensor: only its done takes it" },
    { X "outfeed-done(%x)\n",
      "t:4:14: %x is a tensor (line 2), expected the handle of a start" },
    { X "outfeed-done()\n", "t:4:1: 'outfeed-done' has 1 operand, found 0" },
    { X "%t u32[] = infeed-start() payload=8\n%y f32[3] = infeed-done(%t)\n",
      "t:5:13: the results of 'infeed-done' have 12 bytes, expected the payload=8 of its start" },
    { X "%t u32[] = all-reduce-start(%x)\n%y f32[3] = all-reduce-done(%t)\n",
      "t:5:1: 'all-reduce-done' of %x f32[8,16] gives f32[3], expected the same shape" },
    { X "%t u32[] = all-reduce-start(%x)\n%y f32[8,16] = all-reduce-done(%t) group=2\n",
      "t:5:36: 'all-reduce-done' takes no attribute 'group'" },
};
/* clang-format on */

Test(trace_parse, every_mistake_has_its_message)
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

Test(trace_parse, errors_have_the_code_of_their_class)
{
    static const struct {
        const char *text;
        enum err_code code;
    } rows[] = {
        { "nothing\n", ERR_FORMAT },
        { X "%y f32[] = matmull(%x)\n", ERR_UNKNOWN },
        { X "%y f32[] = rng(%z)\n", ERR_UNKNOWN },
        { X "%y f32[0] = rng()\n", ERR_RANGE },
        { X "host() time=\"3\"\n", ERR_UNIT },
        { X "host() time=\"3 m\"\n", ERR_UNIT },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = { .code = ERR_NONE };
        cr_assert_eq(read_all(rows[i].text, strlen(rows[i].text), false, &err), -1);
        cr_expect_eq(err.code, rows[i].code, "%s", err.msg);
    }
}

/* The text between the lines ``` that follow `title`; to be freed. */
static char *doc_block(const char *title)
{
    char *text = NULL, *line = NULL, *from;
    size_t size, cap = 0;
    FILE *doc = fopen("docs/reference/trace-format.md", "r"), *f = open_memstream(&text, &size);
    bool section = false, inside = false;

    cr_assert_not_null(doc, "run from the top of the repository");
    while (getline(&line, &cap, doc) > 0) {
        if (line[0] == '#' && !inside)
            section = strstr(line, title) != NULL;
        else if (section && strncmp(line, "```", 3) == 0)
            inside = !inside;
        else if (inside)
            fputs(line, f);
    }
    fclose(f);
    fclose(doc);
    free(line);
    from = text;
    cr_assert_gt(strlen(from), 0);
    return from;
}

Test(trace_parse, the_example_of_the_manual_is_canonical_text)
{
    char *text = doc_block("A trace in one screen");
    struct err err;

    cr_assert_eq(read_all(text, strlen(text), false, &err), 0, "%s", err.msg);
    char *printed = print_canonical(text);
    cr_assert_str_eq(printed, text);
    free(printed);
    free(text);
}

Test(trace_parse, the_errors_of_the_manual_are_messages_of_the_program)
{
    char *text = doc_block("Errors"), *save;
    unsigned n = 0;

    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        bool known = false;
        for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
            known = known || strcmp(line, wrongs[i].msg) == 0;
        cr_expect(known, "%s", line);
        n++;
    }
    cr_assert_geq(n, 5);
    free(text);
}
