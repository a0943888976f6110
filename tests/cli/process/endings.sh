# The ending of an output's name chooses the format in every command; what a command cannot write is
# refused before anything runs, and so is an ending that contradicts --format.
cyclotron replay tiny.trace -m tpu-v3-1 --format json >a.json
cyclotron trace gen fc layers=4 width=128 batch=64 epoch=640 -o fc.trace
cyclotron trace gen fc layers=16 width=128 batch=8192 -o deep.trace
cyclotron sweep tiny.trace -m tpu-v3-1 --axis mxu.count=1,2 --db s.db -j 1 >/dev/null

# what a file holds, by its first bytes
kind() {
    case $(head -c 64 "$1" | tr -d '\000' | tr '\n' ' ') in
    '{'*'"'*) echo json ;;
    '<!doctype html>'* | '<!DOCTYPE html>'*) echo html ;;
    name,phase,*) echo csv-of-operations ;;
    point,* | id,*) echo csv-of-points ;;
    '$date'* | '$comment'* | '$version'* | '$timescale'*) echo vcd ;;
    cyclotron-trace*) echo trace ;;
    '# Parameters'*) echo markdown ;;
    '['*']'* | '#'*) echo ini ;;
    *) case $(head -c 4 "$1" | od -An -tx1 | tr -d ' ') in
       28b52ffd) echo zstd ;;
       0a*) echo perfetto ;;
       *) echo text ;;
       esac ;;
    esac
}
endings='txt log md json csv html htm pftrace pftrace.zst vcd vcd.zst ini trace trace.zst zst db json.zst dat'
# all NAME COMMAND...: a row of what each ending gives, none first; `no` is a refusal of one line
all() {
    name=$1
    shift
    printf '%s\n ' "$name"
    for e in '' $endings; do
        f=out${e:+.$e}
        "$@" -o "$f" >/dev/null 2>why
        code=$?
        if [ $code -eq 0 ]; then
            printf ' %s=%s' "${e:-none}" "$(kind "$f")"
        elif [ $code -ne 2 ] || [ -e "$f" ] || [ "$(grep -c "cannot write .*: expected a name in \|: expected a name in " why)" != 1 ]; then
            printf ' %s=FAILED(%s)' "${e:-none}" "$(cat why)"
        fi
        rm -f "$f" out.*
    done
    echo
}
m='-m tpu-v3-1'
all replay cyclotron replay tiny.trace $m
all 'replay --scale' cyclotron replay tiny.trace -m tpu-v3-8 --scale 8
all 'replay --dump' cyclotron replay tiny.trace $m --dump=load
all compare cyclotron compare tiny.trace $m
all diff cyclotron diff a.json a.json
all 'op list' cyclotron op
all op cyclotron op matmul m=128 n=128 k=128 $m
all 'op hbm' cyclotron op hbm pattern=copy bytes=64KiB $m
all 'op --dump=tasks' cyclotron op matmul m=128 n=128 k=128 $m --dump=tasks
all 'op --dump=load' cyclotron op matmul m=128 n=128 k=128 $m --dump=load
all 'network list' cyclotron network
all network cyclotron network radix=2x2 rate=0.1 warmup=10 cycles=100
all 'network messages' cyclotron network radix=2x2 send=0-1:4
all scan cyclotron scan fc.trace -m tpu-v3-8 --trials 2
all validate cyclotron validate --only prices
all params cyclotron params
all 'machine show' cyclotron machine show tpu-v3-1
all 'trace gen' cyclotron trace gen fc layers=1 width=128 batch=8
all 'trace shard' cyclotron trace shard fc.trace data=2
all "trace remat" cyclotron trace remat deep.trace
all 'trace cat' cyclotron trace cat tiny.trace
all 'trace pack' cyclotron trace pack tiny.trace
all 'trace info' cyclotron trace info tiny.trace
all sweep cyclotron sweep tiny.trace -m tpu-v3-1 --axis mxu.count=1,2 --db s.db -j 1
all 'sweep status' cyclotron sweep status s.db
all 'sweep report' cyclotron sweep report s.db
all 'sweep export csv' cyclotron sweep export csv s.db
all 'sweep export json' cyclotron sweep export json s.db
all 'sweep export plan' cyclotron sweep export plan s.db

echo '--- what is refused, and what it says'
r='cyclotron replay tiny.trace -m tpu-v3-1'
try $r --format csv -o run.json
try $r --format json -o run.html
try $r --format json -o run.txt
try $r -o run.dat
try $r -o run.json.zst
try $r --format json -o run.json.zst
try $r --vcd a.json
try $r --html a.pftrace
try $r --vcd a.vcd -o b.vcd
try cyclotron compare tiny.trace -m tpu-v3-1 -o run.csv
try cyclotron diff a.json a.json --html -o d.md
try cyclotron params --markdown -o p.json
try cyclotron op -f json
try cyclotron trace pack tiny.trace -o packed.trace
try cyclotron sweep tiny.trace -m tpu-v3-1 --db s.json
try cyclotron sweep merge -o m.json s.db
try cyclotron sweep report s.db --html a.html -o b.html
ls
echo '--- --format names the format of other endings; a dot of a folder or at the beginning is no ending'
mkdir v1.2
try $r --format json -o run.dat && kind run.dat
try $r -o v1.2/run && kind v1.2/run
try $r -o .run && kind .run
try cyclotron params --markdown -o p.txt && kind p.txt
try cyclotron sweep export plan s.db -o plan.txt && kind plan.txt
