# Prices of one's own: a list in the form of the built-in one, in replay, compare and batch.
cat >mine.ini <<'END'
# a contract
[v100]
chip_on_demand = 1 USD/h [contract: 2026-11]

[v100x8]
on_demand = 6 USD/h [contract: 2026-11]

[xeon-6148]
on_demand = 0.50 USD/h [contract: 2026-11]

[tpu-v3]
chip_on_demand = 1.25 USD/h [contract: 2026-11]
END
usd() { sed -n 's/.* at \(.*\) USD.h on demand\(.*\)/\1\2/p'; }
cyclotron replay tiny.trace -m v100x4 --prices mine.ini | usd
cyclotron replay tiny.trace -m v100x8 --prices mine.ini | usd
cyclotron replay tiny.trace -m v100x16 --prices mine.ini | usd
cyclotron replay tiny.trace -m tpu-v3-8 --prices mine.ini | usd
# another generation, and a chip made of this one, keep theirs
cyclotron replay tiny.trace -m tpu-v4-8 --prices mine.ini | usd
cyclotron replay tiny.trace -m v100-pcie-32gb --prices mine.ini | sed -n 's/^  cost *//p'
printf '[machine]\nbase = v100x8\n[pcie]\nbandwidth = 32 GB/s [mine]\n' >box.ini
cyclotron replay tiny.trace -m ./box.ini --prices mine.ini | usd
for c in compare batch; do
    cyclotron trace gen mlpf batch=1 -o one.trace
    [ $c = batch ] && b='-b 1' || b=
    cyclotron $c one.trace $b -m v100x1 -m xeon-6148 --prices mine.ini -f json | grep -o '^  "cheapest": .*\|"price_verified": [a-z]*'
done
# a deadline that only a machine without a price keeps
cyclotron compare one.trace -m xeon-6148 -m v100x1 --set price.on_demand=1USD/h --deadline 1s | grep 'under\|in time'
cyclotron compare one.trace -m xeon-6148 --deadline 1d | grep 'under\|in time' | sed 's/[0-9.]* s$/N s/'
cyclotron compare one.trace -m xeon-6148 --deadline 1d -f json | grep in_time
# what is no list of prices
printf '[v10]\nchip_on_demand = 1 USD/h [x]\n' >bad.ini
try cyclotron replay tiny.trace -m v100x4 --prices bad.ini
printf '[v100]\nchip_on_deman = 1 USD/h [x]\n' >bad.ini
try cyclotron compare tiny.trace -m tpu-v3-8 --prices bad.ini
printf '[v100]\nchip_on_demand = 1 USD/h\n' >bad.ini
try cyclotron replay tiny.trace -m tpu-v3-8 --prices bad.ini
printf 'chip_on_demand = 1 USD/h [x]\n' >bad.ini
try cyclotron replay tiny.trace -m tpu-v3-8 --prices bad.ini
try cyclotron replay tiny.trace -m tpu-v3-8 --prices none.ini
try cyclotron replay tiny.trace -m tpu-v3-8 --prices v100x8
