# Six times as many operations, phases, differences or groups take about six times as long, not 36 times: less than twelve.
grep -q __asan_init "$(command -v cyclotron)" && { echo "sanitizers take their own time"; exit 77; }
operations() { # a step of 4 * $1 of them
    printf 'cyclotron-trace 1\nworkload "many"\nsamples step=8 epoch=800\ndtype tensors=f32 matmul=bf16 activations=narrow\n'
    printf 'tensor %%a f32[8,8] input\nstep {\n  repeat l=1..%d {\n' "$1"
    printf '    %%x f32[8,8] = elementwise(%%a) flops=64\n    %%y f32[8,8] = elementwise(%%x) flops=64\n'
    printf '    %%z f32[8,8] = elementwise(%%y) flops=64\n    %%w f32[8,8] = elementwise(%%z) flops=64\n  }\n}\n'
}
phases() { # a step of $1 of them
    printf 'cyclotron-trace 1\ntensor %%a f32[8,8] input\nstep {\n'
    awk -v n="$1" 'BEGIN { while (n--) printf "  phase p%d\n  %%x%d f32[8,8] = elementwise(%%a)\n", n, n }'
    echo '}'
}
many_phases() { phases "$((3 * $1))"; }
seconds() { # of CPU that a replay of the trace $1 $2 takes
    "$1" "$2" >many.trace
    sh -c 'cyclotron replay many.trace -m tpu-v3-1 -o many.txt; times' | sed -n '2s/\(.*\)m\(.*\)s .*/\1 \2/p'
}
differences() { # CPU that a comparison takes of two runs of 2 * $1 operations without a name in common
    phases 1 >one.trace
    for letter in a b; do
        cyclotron replay one.trace -m tpu-v3-1 -f json | sed 's/, "mxu_waste".*, "mxu_slots"[^}]*}}//' |
            awk -v n="$((2 * $1))" -v c=$letter '/^    .*"name": "x0"/ { for (l = 1; l <= n; l++) { gsub(/"x?[ab]?[0-9]+"/, "\"" c l "\""); print $0 (l < n ? "," : "") } next } { print }' >$letter.json
    done
    sh -c 'cyclotron diff a.json b.json -o d.txt; times' | sed -n '2s/\(.*\)m\(.*\)s .*/\1 \2/p'
}
groups() { # CPU that an export takes of 8 * $1 collectives, each in a group of its own
    {
        printf 'cyclotron-trace 1\ntensor %%a f32[8] input\nstep {\n'
        awk -v n="$((8 * $1))" 'BEGIN { while (n--) printf "  %%x%d f32[8] = all-reduce(%%a) group=2 group-stride=%d\n", n, n + 1 }'
        echo '}'
    } >groups.trace
    sh -c 'cyclotron trace export groups.trace --chakra -o groups.et >g.txt 2>&1; times' | sed -n '2s/\(.*\)m\(.*\)s .*/\1 \2/p'
}
compare() { # what takes CPU, for 2500 and 15000 of them
    few=$("$@" 2500)
    many=$("$@" 15000)
    echo "$few $many" | awk '{ few = 60 * $1 + $2; many = 60 * $3 + $4; if (few < 0.05 || many >= 12 * few) print few, many; else print "as it should" }'
}
compare seconds operations
compare seconds many_phases
compare differences
compare groups
