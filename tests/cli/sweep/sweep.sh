# A sweep from the command to its exports; the same command goes on with what is there.
plan='tiny.trace -m tpu-v3-1 --axis mxu.count=1,2,40 --axis mxu.size=64,128 --where mxu.count*mxu.size<=5120'
first=$(cyclotron sweep $plan --db a.db -j 2)
again=$(cyclotron sweep $plan --db a.db -j 1)
[ "$first" = "$again" ] && echo "nothing is left to do"
echo "$first" | sed -n '1p; /^failed/,$p'
cyclotron sweep $plan --db b.db -j 1 >/dev/null
content() { cyclotron sweep status "$1" | sed -n 's/^content *//p'; }
[ "$(content a.db)" = "$(content b.db)" ] && echo "the number of workers changes nothing"
cyclotron sweep status a.db | sed 's/0x[0-9a-f]*/SUM/'
cyclotron sweep export csv a.db | cut -d, -f1-6 | sed 1q
cyclotron sweep export csv a.db | cut -d, -f1,2,4
# a point that ran has all figures
cyclotron sweep export csv a.db | awk -F, 'NR == 1 { n = NF; for (i = 1; i <= n; i++) name[i] = $i }
    NR == 2 { print NF - n; for (i = 1; i <= n; i++) if ($i == "") print "empty: " name[i] }'
cyclotron replay tiny.trace -m tpu-v3-1 --set mxu.count=2 --set mxu.size=64 -f json | tr -d ' \n' >want
cyclotron sweep export json a.db | sed -n '3s/.*"result": \(.*\)}$/\1/p' | tr -d ' \n' >got
cmp want got && echo "a point holds what replay prints"
# shards
for i in 1 2 3; do cyclotron sweep $plan --shard $i/3 --db s.db >/dev/null; done
cyclotron sweep merge -o m.db s.2-of-3.db s.3-of-3.db s.1-of-3.db
[ "$(content a.db)" = "$(content m.db)" ] && echo "shards merge to the whole"
# generated workloads, plans
cyclotron sweep export plan a.db >p.ini
cyclotron sweep --plan p.ini >/dev/null && ls p.db
cyclotron sweep gen:fc layers=1 width=64,128 input=64 output=8 batch=64 cores=1 -m tpu-v3-1 -o r.txt
sed -n 1p r.txt
# a step that is cut over cores is what `trace shard` makes of it
cyclotron sweep gen:fc layers=2 width=256 batch=64 cores=1 -m tpu-v3-8 --axis shard.model=1,8,70000 --db c.db -o /dev/null
cyclotron trace gen fc layers=2 width=256 batch=64 cores=1 | cyclotron trace shard - model=8 |
    cyclotron replay - -m tpu-v3-8 -f json | grep cycles_per_step >want
cyclotron sweep export json c.db | sed -n '2s/.*\("cycles_per_step": [0-9]*,\).*/  \1/p' | cmp - want && echo "cut alike"
cyclotron sweep report c.db | sed -n '/^failed/,$p'
# one value more runs what is new alone; results that leave the plan come back with their points
sweep() { cyclotron sweep tiny.trace -m tpu-v3-1 "$@" 2>said | sed 1q; cat said; }
sweep --axis mxu.count=1,2
sweep --axis mxu.count=1,2,4
sweep --axis mxu.count=1,4
content tiny_tpu-v3-1_mxu.count.db >want
sweep --axis mxu.count=1,4 --db once.db
content once.db | cmp want - && echo "a plan that was changed is one that was begun so"
sweep --axis mxu.count=4,2,1
sweep --axis mxu.count=1,2 -m tpu-v3-8 --db once.db
cyclotron sweep report once.db | sed -n '/baseline/p'
sweep --axis mxu.count=8 --db once.db
sweep --axis mxu.count=1,2 --set mxu.issue=0.9 --db once.db
sweep --axis mxu.count=1,2 --shard 1/2 --db once.db
sweep --axis mxu.count=1,4 --shard 1/2 --db once.db
