# Without -m a sweep starts from the machine that its program was compiled for; a trace says none.
cyclotron sweep "$root/docs/examples/compiled.trace" --axis core.clock=1050MHz,1200MHz --no-trials --db own.db >own
cyclotron sweep export plan own.db | grep '^machine'
sed -n '/^ *baseline, /s/.*stand: //p' own
try cyclotron sweep tiny.trace --axis mxu.count=1,2 --db none.db
try cyclotron sweep tiny.trace "$root/docs/examples/compiled.trace" --db none.db
try cyclotron sweep "$root/docs/examples/compiled.trace" "$root/traces/programs/exatrkx.tpu-v5e-4.hlo.zst" --db none.db
cyclotron sweep "$root/docs/examples/compiled.trace" --axis "machine = tpu-v4-8" --db axis.db | grep -c 'points, 1 done'
echo "--- a program for two slices"
sed 's/cores=4/cores=8 slices=2/' "$root/docs/examples/compiled.trace" >two.trace
cyclotron sweep two.trace --axis core.clock=1050MHz --no-trials --db two.db >/dev/null
cyclotron sweep export plan two.db | grep '^machine\|^set'
