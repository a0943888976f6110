# The component and the workload of docs/extending.md, built into a copy of the tree.  An addition reads two arrays and writes one of
# the same size: reads are 2/3 of the bytes that move, 1/(1+1) where they are packed to 1/2, 0.5/(0.5+1) at 1/4.
command -v patch >/dev/null || { echo "no patch"; exit 77; }
root=$(cd "$(dirname "$2")/../.." && pwd)
build=$(dirname "$(readlink -f "$(command -v cyclotron)")")
mkdir -p tree/build tree/tests
cp -a "$root/model" "$root/kernels" "$root/traces" "$root/scripts" "$root/Makefile" tree
cp -a "$root/tests/rules.mk" "$root/tests/validation" tree/tests
for f in model kernels traces gen machines_data.c tables_data.c packed_data.c html_data.c machines_data.o tables_data.o packed_data.o html_data.o; do
    [ ! -e "$build/$f" ] || cp -a "$build/$f" tree/build
done
cp "$root"/docs/extending/decompressor.[ch] tree/model/hw/core
cp "$root/docs/extending/layer.c" tree/traces
for name in decompressor layer; do
    patch -s -p1 -d tree <"$root/docs/extending/$name.patch" && echo "$name.patch applies"
done
# objects that a new section concerns: names in .d files may be those of another folder
find tree/build -name '*.d' -exec grep -lE '(model/machine/(sections|slice|stages)|traces/workloads)\.h' {} + | sed 's/d$/o/' | xargs rm -f
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j2 -C tree BUILD=build all >make.txt 2>&1 || tail make.txt
[ "$(cat "$root"/docs/extending/decompressor.[ch] | wc -l)" -lt 150 ] && echo "it has less than 150 lines"

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

# the manual shows the patches as they are, and the times
for name in decompressor layer; do
    awk -v name="$name" '/^```diff$/ { block = ""; on = 1; next }
        /^```$/ && on { if (index(block, name)) printf "%s", block; on = 0 }
        on { block = block $0 "\n" }' "$root/docs/extending.md" | diff - "$root/docs/extending/$name.patch" && echo "shown: $name.patch"
done
