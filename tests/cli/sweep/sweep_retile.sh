# All points by the same hand: kernels of a compiled program cut anew at the baseline too, where
# arrays of half the width are not as much slower as beside the compiler's cut.
p="$root/traces/programs/exatrkx.tpu-v5e-4.hlo.zst"
ask() { cyclotron sweep "$p" -m tpu-v5e-4 --axis mxu.size=128,64 "$@" 2>&1; }
hands() { sed -n '/^best/,/^$/s/^ *\([01]\)\*\{0,1\}  *[0-9]*  *\([0-9.]* ms\).*/point \1 \2/p'; }

ask -d mixed.db --no-trials >mixed
hands <mixed
sed -n 's/^ *\(kernels are cut anew.*\)/\1/p' mixed
ask -d same.db --retile >same
hands <same
grep -c 'cut anew' same
cyclotron sweep export plan same.db | grep retile
# the database keeps the hand of its points
ask -d same.db | tail -n 1
