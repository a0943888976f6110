# A program beside a profile of it: its own prediction, exported, with other names, times and a kernel too many.
cp "$root"/tests/cli/programs/layers.tpu-v3-8.hlo step.hlo
cyclotron profile step.hlo -m tpu-v3-8 --export own.csv
head -2 own.csv | cut -c1-200
echo "--- by name, from sums"
echo "name,microseconds,count" >sums.csv
sed 's/"[^"]*"//' own.csv | awk -F, 'NR > 1 { printf "%s,%.6f,10\n", $4, 11 * $8 }' >>sums.csv # ten steps, each a tenth longer
echo "stranger,50,10" >>sums.csv
cyclotron profile step.hlo sums.csv -m tpu-v3-8 --kernels 4
echo "--- JSON"
cyclotron profile step.hlo sums.csv -m tpu-v3-8 --format json | grep -E '"(step|weighted_error|predicted_seconds)"|stranger' | head -4
echo "--- errors"
echo "a,b,c" >bad.csv
echo "nobody,1" >other.csv
try cyclotron profile step.hlo
try cyclotron profile step.hlo bad.csv -m tpu-v3-8
try cyclotron profile step.hlo other.csv -m tpu-v3-8
try cyclotron profile step.hlo none.csv -m tpu-v3-8
try cyclotron profile step.hlo sums.csv -m tpu-v3-8 --module nobody
try cyclotron profile step.hlo sums.csv -m tpu-v3-8 --module x # no name is not the one that was meant
try cyclotron profile step.hlo sums.csv -m tpu-v3-8 --calibrate mine.txt
try cyclotron profile step.hlo sums.csv -m tpu-v3-8 --calibrate=mine.txt
cyclotron profile step.hlo sums.csv -m tpu-v3-8 --calibrate -o mine.ini >/dev/null
head -1 mine.ini | cut -c1-40
try cyclotron profile step.hlo sums.csv -m tpu-v3-8 --kernels 0
echo '{"byCategory": {"name": "x", "metrics": {"rawTime": 5}}}' >no_kernel.json
try cyclotron profile tiny.trace no_kernel.json -m tpu-v3-8 2>&1
