# What is not known of a step is said by every command that shows a figure of it.
cat >loop.hlo <<'HLO'
HloModule newton, is_scheduled=true

fused {
  y = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  ROOT d = f32[1024,1024]{1,0:T(8,128)} convolution(y, y), dim_labels=bf_io->bf
}

body {
  c = (f32[], f32[1024,1024]{1,0:T(8,128)}, f32[]) parameter(0)
  r = f32[] get-tuple-element(c), index=0
  y = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(c), index=1
  e = f32[] get-tuple-element(c), index=2
  n = f32[1024,1024]{1,0:T(8,128)} fusion(y), kind=kOutput, calls=fused
  h = f32[] multiply(r, e)
  ROOT t = (f32[], f32[1024,1024]{1,0:T(8,128)}, f32[]) tuple(h, n, e)
}

cond {
  c = (f32[], f32[1024,1024]{1,0:T(8,128)}, f32[]) parameter(0)
  r = f32[] get-tuple-element(c), index=0
  e = f32[] get-tuple-element(c), index=2
  ROOT p = pred[] compare(r, e), direction=GT
}

ENTRY main {
  y = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  e = f32[] parameter(1)
  one = f32[] constant(1)
  t = (f32[], f32[1024,1024]{1,0:T(8,128)}, f32[]) tuple(one, y, e)
  w = (f32[], f32[1024,1024]{1,0:T(8,128)}, f32[]) while(t), condition=cond, body=body
  ROOT g = f32[1024,1024]{1,0:T(8,128)} get-tuple-element(w), index=1
}
HLO
plain() { sed 's/[0-9][0-9.]* \([mu]\{0,1\}s\) /N \1 /'; }
echo "--- a loop that data end"
cyclotron replay loop.hlo -m tpu-v5e-1 | plain | sed -n '1p; /^  rests on/,/^  expect/p' | sed '$d'
echo "--- as JSON"
cyclotron replay loop.hlo -m tpu-v5e-1 --format json | grep -o '"account": {"known": [^,]*, "modelled": [^,]*, "at_least": [a-z]*, "known_or_more": [a-z]*'
cyclotron compare loop.hlo -m tpu-v5e-1 --format json | grep -o '"account": {"known": [^,]*, "modelled": [^,]*, "at_least": [a-z]*'
echo "--- as CSV"
cyclotron replay loop.hlo -m tpu-v5e-1 --format csv | sed -n 's/^\([^,]*\),.*,\(bounds\|data\|models\|measured\),\([^,]*\),.*/\1 \2 \3/p'
echo "--- on slices of several sizes, and as one operation"
cyclotron replay loop.hlo -m tpu-v5e-1 --scale 1,4 | awk '$2 == "chips" { print $4, $5 } /^ *[14] / { print $4, $5 } /^open: times/'
cyclotron op matmul m=512 n=512 k=512 -m tpu-v6e-1 | sed -n '/^  rests on/p; /^  expect/p'
echo "--- beside other machines"
cyclotron compare loop.hlo -m tpu-v5e-1 -m tpu-v6e-1 | sed -n 's/\(, \(at least \)\{0,1\}\)[0-9][^;]*;/\1N;/; /open/p'
cyclotron compare loop.hlo -m tpu-v5e-1 -m tpu-v6e-1 | awk '$1 == "machine" { print $1, $6, $7 } /^tpu-/ { print $1, $6, $7 }'
echo "--- beside another run"
cyclotron replay loop.hlo -m tpu-v5e-1 --format json -o a.json
for m in tpu-v5e-1 tpu-v6e-1; do
    cyclotron replay tiny.trace -m $m --format json -o b.json
    cyclotron replay tiny.trace -m tpu-v3-1 --format json -o c.json
    cyclotron diff a.json b.json | sed -n '/^  [AB]  /p; /^open/p'
    cyclotron diff b.json c.json | sed -n '/^open/p'
done
cyclotron diff c.json c.json | sed -n '/^  A  /p; /^open/p'
echo "--- in a sweep"
cyclotron sweep loop.hlo -m tpu-v5e-1 --axis mxu.count=4,8 | sed -n '/not known/p; /^  point/{s/.*\(known\).*/\1/p;q}'
echo "--- on a page"
cyclotron replay loop.hlo -m tpu-v5e-1 -o loop.html >/dev/null && grep -c 'What it rests on' loop.html
echo "--- a step of which all is known"
cyclotron replay tiny.trace -m tpu-v3-8 | sed -n '1s/takes.*for/takes for/p; /^  rests on/p'
cyclotron sweep tiny.trace -m tpu-v3-1 --axis mxu.count=1,2 | grep -c 'known'
echo "--- kernels by hand, unread"
cat >call.hlo <<'HLO'
HloModule call, is_scheduled=true

ENTRY main {
  x = f32[4096,4096]{1,0:T(8,128)} parameter(0)
  ROOT y = f32[4096,4096]{1,0:T(8,128)} custom-call(x), custom_call_target="tpu_custom_call"
}
HLO
cyclotron replay call.hlo -m tpu-v6e-1 | plain | sed -n '1p; /^  rests on/,/^  expect/p' | sed '$d'
cyclotron replay call.hlo -m tpu-v6e-1 --format json | grep -o '"uncovered": {"ops": [0-9]*'
cyclotron trace import call.hlo -o /dev/null 2>&1 | grep -o '[0-9]* uncovered'
echo "--- two GPUs that are closer than their errors"
cyclotron compare "$root/traces/mlpf.trace.zst" -m v100x1 -m a100x1 | sed -n 's/, [0-9.]* [^;]*;/, N;/; /open/p'
echo "--- changes that noise or errors cover, in text and on the page of a sweep"
cyclotron sweep tiny.trace -m tpu-v3-1 -m tpu-v2-1 --axis "hbm.efficiency=0.5,0.51" --db s.db | sed -n '/^what one step does/,$s/  */ /gp'
cyclotron sweep report s.db --html s.html >/dev/null && grep -o '"parameter":"[^"]*","from":[^}]*"covered":\[[a-z,]*\]' s.html | sed 's/"ratios":.*,"c/"c/'
