# Killed in the middle 20 times, a sweep goes on where it was: nothing is lost, nothing comes twice.
plan='gen:fc layers=1 width=256 input=512 output=64 batch=512 cores=8 -m tpu-v3-8 -m tpu-v2-8 --exact
      --axis mxu.count=1:8:1 --axis mxu.size=32,64,128'
content() { cyclotron sweep status "$1" | sed -n 's/^content *//p'; }
finished() { cyclotron sweep status k.db 2>/dev/null | sed -n 's/.*all, \([0-9]*\) done.*/\1/p'; }
cyclotron sweep $plan --db whole.db -j 2 >/dev/null 2>&1
killed=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    cyclotron sweep $plan --db k.db -j 2 >/dev/null 2>&1 &
    pid=$!
    while n=$(finished); [ "${n:-0}" -lt $((i * 2)) ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
    kill -9 $pid && [ "$(finished)" -lt 48 ] && killed=$((killed + 1))
    wait $pid 2>/dev/null
done
echo "$killed killed before the end"
cyclotron sweep $plan --db k.db -j 2 >/dev/null 2>&1
cyclotron sweep status k.db | sed -n 2p
[ "$(content k.db)" = "$(content whole.db)" ] && echo "the same content"
cyclotron sweep export csv k.db | sed 1d | cut -d, -f1 | uniq -d
