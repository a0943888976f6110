# No control character of a name reaches the terminal as it is, and no name begins a line: paths, names in files.
escape=$(printf 'a\033[31m\302\233b\n forged')
raw() { # WORDS...: lines that a name has begun and lines with a control character
    cyclotron "$@" >out 2>err </dev/null
    code=$?
    echo "${1%% *}: exit $code, $(cat out err | LC_ALL=C grep -c "$(printf '^ forged\\|\033\\|\302\233\\|\177')") raw"
}
cp tiny.trace "$escape.trace"
cyclotron trace gen 3dgan batch=8 -o "$escape.gan.trace"
raw trace check "$escape.trace"
raw trace info "$escape.trace"
raw trace info "$escape.none"
raw replay "$escape.trace" -m tpu-v3-8
raw replay "$escape.trace" -m tpu-v3-8 --scale 1,8
raw compare "$escape.trace" -m tpu-v3-8 -m tpu-v3-8
raw batch "$escape.gan.trace" -m tpu-v3-8
raw scan "$escape.gan.trace" -m tpu-v3-8 --trials 8
raw trace import "$escape.none"
raw "no command $escape"
# results of runs
cyclotron replay "$escape.trace" -m tpu-v3-8 -f json -o "$escape.json"
raw diff "$escape.json" "$escape.json"
sed 's/"workload": "tiny"/"workload": "\\u009b\\u001b[31m\\n forged"/; s/"machine": "tpu-v3-8"/"machine": "\\u007f\\n forged"/; s/"name": "%h"/"name": "%\\u009b\\n forged"/' "$escape.json" >b.json
cmp -s "$escape.json" b.json && echo "nothing was changed"
raw diff b.json "$escape.json"
# profiles
gzip -cd "$root/docs/examples/step.json.gz" |
    sed 's/"name":"aten::sum"/"name":"aten::sum\\u009b\\n forged"/; s/NVIDIA H100 80GB/&\\u001b[31m\\n forged/' >"$escape.k.json"
raw profile "$escape.k.json" -m h100x1
raw replay "$escape.k.json" -m h100x1
raw profile "$escape.none" -m h100x1
# machines: the name of one is a word of plans and of other machine files
printf '[machine]\nbase = tpu-v3-8\nsummary = x\n' >"$escape.ini"
raw machine check "./$escape.ini"
raw replay tiny.trace -m "./$escape.ini"
raw machine show "$escape"
# databases
raw sweep tiny.trace -m tpu-v3-8 --axis mxu.count=1,2 --db "$escape.db"
raw sweep status "$escape.db"
raw sweep report "$escape.db"
raw sweep merge -o "$escape.2.db" "$escape.db"
raw sweep status "$escape.trace"
