# Ctrl-C ends a sweep at once, says what is done and how to go on; the same command does.
plan='gen:fc layers=2 width=256 input=512 output=64 batch=512 cores=8 -m tpu-v3-8 --exact --axis mxu.count=1:16:1
      --axis mxu.size=32,64,128,256'
finished() { cyclotron sweep status fc*.db 2>/dev/null | sed -n 's/.*all, \([0-9]*\) done.*/\1/p'; }
cyclotron sweep $plan -j 2 >out 2>said &
pid=$!
while n=$(finished); [ "${n:-0}" -lt 2 ] && kill -0 $pid; do sleep 0.05; done
kill -INT $pid
wait $pid
echo "exit $?"
[ "$(finished)" -lt 64 ] && echo "some are open"
sed 's/; [0-9]* of/; N of/' said
[ -s out ] || echo "no report"
cyclotron sweep $plan -j 2 | sed 1q
