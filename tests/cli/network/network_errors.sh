# What no network is, is one line and exit 1; a usage error exits 2.
try cyclotron network radix=4x
try cyclotron network topology=toru
try cyclotron network topology=twisted radix=4x4
try cyclotron network rat=0.5
try cyclotron network rate=1.5
try cyclotron network radix
try cyclotron network pattern=transpose radix=3x4
try cyclotron network dead=0-5
try cyclotron network dead=0
try cyclotron network dead=0-99
try cyclotron network slow=0-1
try cyclotron network slow=0-1:0
try cyclotron network slow=0-5:2
try cyclotron network vcs=1
try cyclotron network dead=0-1 vcs=3
try cyclotron network topology=mesh radix=3 dead=0-1
try cyclotron network dead=0-1 dead=0-4
try cyclotron network buffer=4
try cyclotron network rate=0.1 -f csv
try cyclotron network rate=0.1 --saturated
try cyclotron network -m tpu-v3-32 radix=4x4
try cyclotron network -m tpu-v3-33
try cyclotron network -m tpu-v8i-64
try cyclotron network -m tpu-v3-32 -s fault.dead_from=1 -s fault.dead_to=6
try cyclotron network -s ici.latency=1us
try cyclotron network -m tpu-v3-32 -m tpu-v3-8
try cyclotron network send=0-99:1
try cyclotron network send=0-1
try cyclotron network send=0-1:0
try cyclotron network 'send=0-1:2;'
try cyclotron network send=
try cyclotron network radix=4x4 --saturate -o a.vcd
try cyclotron network --vcd a.vcd
try cyclotron network radix=4x4 --from 1us
try cyclotron network radix=4x4 --vcd a.vcd --trace 'node16.*'
ls
echo "--- cost"
try cyclotron network radix=3x2444
try cyclotron network radix=64x64 --saturate
try cyclotron network radix=16x16 send=0-5:999999999
try cyclotron network radix=3x30 --allow memory=1kB
try cyclotron network radix=3x30 --allow memory=1
try cyclotron network radix=3x30 --allow hop=1
