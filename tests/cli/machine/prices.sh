# Prices of one's own: a list in the form of the built-in one, in replay, compare, batch, sweep and scan.
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
usd() { sed -n 's/.* at \(.*\) USD.h on demand\(.*\)/\1\2/p; s/^ *prices //p'; }
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
# sweeps, which keep the name of the list in their plan, and scans
usd_per_hour() { cyclotron sweep export csv "$1" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "usd_per_step.on_demand") u = i; else if ($i == "seconds_per_step") s = i } NR > 1 { printf "%.4g USD/h\n", 3600 * $u / $s }'; }
cyclotron sweep one.trace -m tpu-v3-8 -a mxu.count=1,2 --prices mine.ini -d priced.db -o /dev/null
cyclotron sweep one.trace -m tpu-v3-8 -a mxu.count=1,2 -d listed.db -o /dev/null
usd_per_hour priced.db
usd_per_hour listed.db
cyclotron sweep export plan priced.db | grep prices
try cyclotron sweep one.trace -m tpu-v3-8 -a mxu.count=1,2 --prices none.ini
try cyclotron sweep one.trace -m tpu-v3-8 -a mxu.count=1,2 --prices mine.ini --prices none.ini
for p in "" "--prices mine.ini"; do
    # shellcheck disable=SC2086
    cyclotron scan one.trace -m tpu-v3-8 --trials 8 $p | awk '/side by side/ { printf "%.4g USD/h\n", $6 / $4 }'
done
# a deadline that only a machine without a price keeps
cyclotron compare one.trace -m v100-pcie-32gb -m v100x1 --set price.on_demand=1USD/h --deadline 1s | grep 'under\|in time'
cyclotron compare one.trace -m v100-pcie-32gb --deadline 1d | grep 'under\|in time' | sed 's/[0-9.]* s$/N s/'
cyclotron compare one.trace -m v100-pcie-32gb --deadline 1d -f json | grep in_time
# every kind has a price: an old GPU, a node, the last TPU
for m in k80 epyc-7742x2 xeon-8358x2 xeon-6148 tpu-v7-8 h200x8 b200x8 l4 t4; do
    cyclotron machine show $m | sed -n "s/^# price */$m /p"
done
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
# the lists of notebooks: what is lent for nothing is cheapest without doubt
cyclotron compare one.trace -m t4 -m tpu-v2-8 -m v100x1 --prices "$root/docs/examples/colab.ini" | sed -n 's/^price //p'
cyclotron compare one.trace -m tpu-v3-8 -m v100x1 -m a100x1 --prices "$root/docs/examples/kaggle.ini" | sed -n '2p'
# a machine that keeps a deadline without a price is named, in JSON too
cyclotron compare one.trace -m v100-pcie-32gb -m xeon-6148 --deadline 1h | sed -n '/^cheapest under/,/^in time/s/, [0-9.]* s$//p'
cyclotron compare one.trace -m v100-pcie-32gb -m xeon-6148 --deadline 1h -f json | grep '"in_time"'
# a price or a power changes no time: measurements hold as without; a memory changes times
rests() { cyclotron replay "$root/traces/3dgan.trace.zst" "$@" | sed -n '/^  rests on/p; /^  expect/,/^  checked/p' | grep -v '^ *figures'; }
rests -m tpu-v3-8
rests -m tpu-v3-8 --prices "$root/docs/examples/colab.ini"
rests -m tpu-v3-8 --set price.on_demand=1USD/h --set power.idle=1W
rests -m tpu-v3-8 --set hbm.bandwidth=500GB/s
# every price of the list says when it was, or that nobody knows
grep '^[a-z_]* = .* USD/h' "$root/model/machines/prices.ini" | grep -v ': 20[0-9][0-9]\|\[unverified' || echo all dated
