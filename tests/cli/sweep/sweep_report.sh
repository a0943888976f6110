# What a report holds; figures that depend on the model are not compared.
cyclotron sweep tiny.trace -m tpu-v3-1 -m tpu-v3-8 --axis mxu.count=1,2 --axis "ici.bandwidth=50,100 GB/s" --db a.db >r.txt
sed -n '/^[^ ]/p' r.txt | sed 's/[0-9][0-9]* of 8 points/N of 8 points/; s/these [0-9]* points/these N points/; s/all [0-9]* other/all N other/'
cyclotron sweep report a.db | cmp - r.txt && echo "report prints what the sweep did"
cyclotron sweep report a.db --where "mxu.count == 1" --best max:utilization.hbm --top 1 | sed -n 's/  */ /g; /^best/,/^ point/p'
cyclotron sweep report a.db --pareto max:samples_per_second,proxy.die_mm2 | sed -n '/^Pareto/p'
cyclotron sweep report a.db --best seconds_per_step --break-even ici.bandwidth --of "machine == 'tpu-v3-8'" \
    --against "machine == 'tpu-v3-1'" --times 1000 | sed -n 's/ [0-9.]* [mu]*s/ TIME/; /^break/,$p' | sed 's/TIME at.*/TIME/; s/point [0-9]*/point N/'
try cyclotron sweep report a.db --break-even ici.bandwidth
try cyclotron sweep report a.db --break-even machine --of 1 --against 1
try cyclotron sweep report a.db --pareto seconds_per_step
try cyclotron sweep report a.db --times -1
cyclotron sweep report a.db --html h.html -o t.txt
cmp t.txt r.txt
cyclotron sweep report a.db --html h2.html -o /dev/null
cmp h.html h2.html && echo "the same bytes"
grep -io 'https\?://[^"]*\|<link\|src=' h.html
data() { sed -n "s/.*<script type=\"application\/json\" id=\"data\">//p" h.html; }
data | grep -o '{"id":[0-9]*' | wc -l
data | grep -o '"verdict":\["[^ ]* [^ ]*'
data | grep -o '"front":\["[^"]*'
data | grep -o '{"goal":[^}]*,"explained"' | sed 's/[0-9.e-]*,"explained/N,"explained/'
echo "--- points whose kernels are cut by two hands"
cyclotron sweep "$root/docs/examples/compiled.trace" -m tpu-v4-8 --axis mxu.size=128,64 --db hands.db >swept
grep 'cut anew' swept | sed 's/[+-][0-9.]* %/N %/'
cyclotron sweep report hands.db --no-trials | grep 'cut anew'
