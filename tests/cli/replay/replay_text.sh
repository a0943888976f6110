# The report, with every number replaced: what it says, in which order, with which units.
cyclotron replay tiny.trace -m tpu-v3-8 --set mxu.count=4 --steps 2 |
    sed 's/, is [a-z]*$/, is CAUSE/; s/  \(mxu\|vpu\|xlu\|hbm\|ici\|host\|launch\|sync\)  */  CAUSE  /' |
    sed 's/[0-9]* values\{0,1\} unverified/N values unverified/; s/, most at .*/, most at OP/' |
    sed 's/[0-9][0-9.]*/N/g; s/  -$/  N/; s/ \{2,\}/  /g; s/ [um]\{0,1\}s for/ s for/; s/[num]s\/step/s\/step/' |
    sed -n '1,/^time by cause/p; /^utilization/p; /^mxu_waste/p; /^phases/,$p' |
    sed '/^slowest/q'
echo "widest line: $(cyclotron replay tiny.trace -m tpu-v3-8 | awk '{ if (length > n) n = length } END { print n <= 104 ? "fits" : n }')"
# operations that take the same time stand in the order of the trace
{
    printf 'cyclotron-trace 1\nsamples step=8\nstep {\n  %%x f32[1024,1024] = infeed()\n'
    for name in first second third; do echo "  %$name f32[1024,1024] = elementwise(%x) name=\"$name\""; done
    printf '  outfeed(%%third)\n}\n'
} >ties.trace
cyclotron replay ties.trace -m tpu-v3-1 | sed -n '/^slowest/,/^$/s/^  \(first\|second\|third\) .*/\1/p'
# what a generator wrote in f32 is written once more in bf16
cyclotron trace gen fc layers=1 width=2048 input=2048 output=64 batch=4096 cores=8 precision=highest -o f32.trace 2>/dev/null
cyclotron replay f32.trace -m tpu-v3-8 | grep -o 'the step in bf16, tried: [+]' | sort -u
