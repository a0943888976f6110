# Two compilations of one program, for two machines: kernels have other names, and are paired by scope and kind.
cp "$root"/tests/cli/programs/layers.*.hlo .
cyclotron replay layers.tpu-v5e-4.hlo -f json -o a.json
cyclotron replay layers.tpu-v3-8.hlo -f json -o b.json
# names of both runs in one row have a time in each: "A  B", none of them 0
cyclotron diff a.json b.json >text
sed -n '/changed most/,$p' text | cut -c1-38 | sed 's/ *$//' | sort
sed -n '/changed most/,$p' text | awk 'NR > 2 && / x/ { n++; if ($(NF - 2) > 0 && $(NF - 1) > 0) both++ } END { print n, both }'
# one program against itself goes by name
cyclotron diff a.json a.json | grep -c 'fwd\|bwd'
cyclotron diff a.json b.json --html -o d.html
grep -o '"name":"jit(step)/jvp(layer0)/dot_general"' d.html | wc -l
