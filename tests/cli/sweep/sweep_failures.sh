# A point that fails, a worker that is killed, a file that cannot be read twice, a limit on files: each is told of.
# nothing but failures is no success, said by the report
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1000000 --db f.db -o f.txt
grep -c '^failed' f.txt
kill_workers() { # a worker of the sweep in the background for each word, one after the other; then the sweep's end
    pid=$!
    old=
    for i; do
        while child=$(cat /proc/$pid/task/$pid/children 2>/dev/null); [ -z "$child" ] || [ "$child" = "$old" ]; do sleep 0.02; done
        kill -9 $child
        old=$child
    done
    wait $pid
    echo "exit $?"
    cat said
}
# a worker that is killed twice leaves its point open
plan='gen:fc layers=2 width=512 input=512 output=64 batch=512 cores=8 -m tpu-v3-8 --exact --set mxu.size=64'
cyclotron sweep $plan --db k.db -j 1 -o /dev/null 2>said &
kill_workers 1 2
# points that differ in prices wait for one replay; each worker that runs it is killed
cyclotron sweep $plan -a 'price.on_demand=1:6:1 USD/h' --db p.db -j 1 -o prices.txt 2>said &
kill_workers 1 2 3 4 5
head -n 1 prices.txt
# only what can be read again is a trace of a sweep
mkfifo pipe.trace
try cyclotron sweep pipe.trace -m tpu-v3-1
try cyclotron sweep /dev/zero -m tpu-v3-1
try cyclotron sweep tiny.trace -m /dev/zero
# a limit on files is told of
(ulimit -f 1; try cyclotron replay tiny.trace -m tpu-v3-1 -f json -o r.json)
