# The operation, the workload and the component of docs/guide/extending.md, built into a copy of the tree.  An addition reads two arrays and writes one of
# the same size: reads are 2/3 of the bytes that move, 1/(1+1) where they are packed to 1/2, 0.5/(0.5+1) at 1/4.
command -v patch >/dev/null || { echo "no patch"; exit 77; }
build=$(dirname "$(readlink -f "${PROGRAM:-$(command -v cyclotron)}")")
mkdir -p tree/build tree/tests tree/docs/reference
cp -a "$root/docs/reference/trace-format.md" tree/docs/reference
cp -a "$root/model" "$root/kernels" "$root/traces" "$root/scripts" "$root/Makefile" tree
cp -a "$root/tests/rules.mk" "$root/tests/validation" tree/tests
for f in model kernels traces gen machines_data.c tables_data.c packed_data.c html_data.c machines_data.o tables_data.o packed_data.o html_data.o; do
    [ ! -e "$build/$f" ] || cp -a "$build/$f" tree/build
done
cp "$root"/docs/examples/extending/decompressor.[ch] tree/model/hw/core
cp "$root/docs/examples/extending/layer.c" tree/traces
cp "$root/docs/examples/extending/cumsum.c" tree/kernels/tpu
for name in decompressor layer cumsum; do
    patch -s -p1 -d tree <"$root/docs/examples/extending/$name.patch" && echo "$name.patch applies"
done
# objects that a new section concerns: names in .d files may be those of another folder
find tree/build -name '*.d' -exec grep -lE '(model/machine/(spec/sections|slice|spec/stages)|traces/workloads)\.h' {} + | sed 's/d$/o/' | xargs rm -f
# a new kind moves only what comes after it: nothing else has to be compiled again, though half the program includes these
touch -r "$root/model/trace/kind/kinds.h" tree/model/trace/kind/kinds.h
(cd tree && grep -rlE 'TRACE_(KINDS|CORES|N_KINDS|FUSION|UNKNOWN)\b' kernels model traces) | sed -n 's,\.c$,.o,p' |
    while read -r object; do rm -f "tree/build/$object"; done
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j2 -C tree BUILD=build all >make.txt 2>&1 || tail make.txt
echo "cumsum.patch changes $(grep -c '^+++ ' "$root/docs/examples/extending/cumsum.patch") files that are there"
[ "$(cat "$root"/docs/examples/extending/decompressor.[ch] | wc -l)" -lt 150 ] && echo "it has less than 150 lines"

new=tree/build/cyclotron
add() { "$new" op add shape=4096x4096 -m tpu-v4-2 "$@"; }
reads() { add "$@" | grep -E '^  (packed|reads) '; }
reads
reads --set decompressor.packed=0.5
reads --set decompressor.packed=0.25
add --set decompressor.packed=0.25 >folded
add --set decompressor.packed=0.25 --exact | cmp - folded && echo "--exact prints the same bytes"
time_of() { add "$@" | sed -n '1s/.* takes \(.*\) for .*/\1/p'; }
echo "as it is $(time_of), packed $(time_of --set decompressor.packed=0.25), slow to unpack $(time_of --set decompressor.packed=0.25 --set decompressor.unpack_time=5us)"
cyclotron op add shape=4096x4096 -m tpu-v4-2 >before
add | cmp - before && echo "without packing nothing has changed"
"$new" params | grep '^decompressor'
# two products of 2 * rows * width^2 FLOP each and 2 * width^2 of the update: 4 * 8 * 16 + 2 * 16 = 544
"$new" trace gen layer rows=8 width=4 | "$new" trace check -
"$new" trace gen layer rows=8 width=4 | "$new" trace info - | grep -i flop
"$new" trace gen layer | "$new" replay - -m tpu-v3-8 | head -n 1
try "$new" op add shape=8 -m tpu-v4-2 --set decompressor.packed=2

# rows of 1024 on 8 x 128 elements of a register: 8192 / 8 * 1024 / 128 = 8192 registers, 7 stages and a carry for each;
# rows of 64: 1024 registers, 6 stages
for shape in 8192x1024 8192x64; do
    "$new" op cumsum shape=$shape -m tpu-v3-1 --dump=tasks | sed -n 's/^ *\(.*, add\|.*, select\|XLU\)  .* \([0-9]*\)  .*/\1: \2/p'
done
# 65,536 moves of 12 cycles at 940 MHz are 836.63 us
"$new" op cumsum shape=8192x1024 -m tpu-v3-1 | sed -n '1,2p; /^  xlu  *[0-9]*\./p' | head -n 3
"$new" op cumsum shape=8192x1024 -m tpu-v3-1 >folded
"$new" op cumsum shape=8192x1024 -m tpu-v3-1 --exact | cmp - folded && echo "--exact prints the same bytes"
printf '%s\n' 'cyclotron-trace 1' 'workload "sums"' 'samples step=1' 'dtype tensors=f32 matmul=bf16 activations=keep' \
    'tensor %x f32[8,128] constant' 'step {' '  %y f32[8,64] = cumsum(%x)' '}' >sums.trace
try "$new" trace check sums.trace

# the manual shows the patch as it is
awk '/^```diff$/ { on = 1; next } /^```$/ { on = 0 } on' "$root/docs/guide/extending.md" | diff - "$root/docs/examples/extending/decompressor.patch" && echo "shown: decompressor.patch"
