# Workers that die are replaced; a point that kills two of them fails; a second writer is refused.
plan='gen:fc layers=2 width=512 input=512 output=64 batch=512 cores=8 -m tpu-v3-8 --exact
      --axis mxu.count=1:6:1 --axis mxu.size=64,128'
content() { cyclotron sweep status "$1" | sed -n 's/^content *//p'; }
workers() { cat /proc/$1/task/$1/children 2>/dev/null; }
cyclotron sweep $plan --db a.db -j 2 >/dev/null 2>&1

cyclotron sweep $plan --db b.db -j 1 >/dev/null 2>&1 &
pid=$!
while [ -z "$(workers $pid)" ]; do :; done
kill -STOP $pid # so that it is at work, and its workers wait for it, however fast the machine is
cyclotron sweep $plan --db b.db -j 1 2>&1
kill -9 $(workers $pid)
kill -CONT $pid
wait $pid
echo "exit $?"
cyclotron sweep status b.db | sed -n 2p
[ "$(content a.db)" = "$(content b.db)" ] && echo "the same content"

# a point that takes minutes, and two workers with it: it fails, and the sweep goes on to its end
cyclotron sweep gen:3dgan -m tpu-v3-8 --exact --axis mxu.count=2 --db c.db -j 1 >r.txt 2>/dev/null &
pid=$!
while kill -0 $pid 2>/dev/null; do
    sleep 0.3
    kill -TRAP $(workers $pid) 2>/dev/null
done
wait $pid
echo "exit $?"
cyclotron sweep status c.db | sed -n 2p
grep -o "the process that ran.*" r.txt
