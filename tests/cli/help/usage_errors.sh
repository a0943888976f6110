# A usage error is one line, names the nearest valid word, and exits 2.
try cyclotron
try cyclotron repaly tiny.trace
try cyclotron frobnicate
try cyclotron --verbose
try cyclotron --helpp
try cyclotron replay
try cyclotron replay tiny.trace
try cyclotron replay -m tpu-v3-8
try cyclotron replay tiny.trace -m
try cyclotron replay tiny.trace -m tpu-v3-1 -m tpu-v3-8
try cyclotron replay tiny.trace -m tpu-v3-1 more.trace
try cyclotron replay tiny.trace -m tpu-v3-1 --stepps=2
try cyclotron replay tiny.trace -m tpu-v3-1 --exakt
try cyclotron replay tiny.trace -m tpu-v3-1 --exact=yes
try cyclotron replay tiny.trace -m tpu-v3-1 --frobnicate
try cyclotron replay tiny.trace -m tpu-v3-1 -z
try cyclotron replay tiny.trace -m tpu-v3-1 --format yaml
try cyclotron replay tiny.trace -m tpu-v3-1 --format jsn
try cyclotron replay tiny.trace -m tpu-v3-1 --format
try cyclotron replay tiny.trace -m tpu-v3-1 --steps 0
try cyclotron replay tiny.trace -m tpu-v3-1 --steps -1
try cyclotron replay tiny.trace -m tpu-v3-1 --steps 2x
try cyclotron replay tiny.trace -m tpu-v3-1 --steps 99999999999999999999
try cyclotron replay tiny.trace -m tpu-v3-1 --steps ''
try cyclotron compare tiny.trace -m tpu-v3-1 --format csv
try cyclotron compare - -m tpu-v3-1 -m tpu-v3-8
try cyclotron machine
try cyclotron machine lst
try cyclotron machine list tpu-v3-1
try cyclotron machine show
try cyclotron machine show a b
try cyclotron machine check
try cyclotron params all
try cyclotron trace
try cyclotron trace chek tiny.trace
try cyclotron trace gen
try cyclotron trace info
try cyclotron trace info tiny.trace tiny.trace
try cyclotron trace info --format xml tiny.trace
