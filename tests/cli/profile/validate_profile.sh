# A folder of programs and profiles of them: exported predictions, all of them a tenth longer; a broken one; mistakes.
mkdir -p site/v3 empty
cp "$root"/tests/cli/programs/layers.tpu-v3-8.hlo site/v3/layers.hlo
cyclotron profile site/v3/layers.hlo --export own.csv
sed 's/"[^"]*"//' own.csv | awk -F, 'NR > 1 { printf "%s,%.6f\n", $4, 1.1 * $8 }' >site/v3/layers.csv
gzip -c site/v3/layers.hlo >site/packed.hlo.gz
gzip -c site/v3/layers.csv >site/packed.csv.gz
printf '[packed]\nuse = fitted\n' >site/pairs.ini
cyclotron validate --profile site
cyclotron validate --profile site --all | tail -n 2
echo "--- one that is broken"
echo "a,1e30" >site/broken.csv
cp site/v3/layers.hlo site/lonely.hlo
try cyclotron validate --profile site --jobs 3 -o site.txt
sed -n '1,/^$/p; /could not/,$p' site.txt
echo "--- JSON and CSV"
try cyclotron validate --profile site --only broken -f json
try cyclotron validate --profile site --only v3 -f json | grep -E '"(kernels_alone|limit": "all limits)"'
try cyclotron validate --profile site --only v3 -o site.csv
head -3 site.csv
try cyclotron validate --profile site --only v3 --set mxu.count=4 | sed -n '/^TPU/,/all/p'
echo "--- mistakes"
try cyclotron validate --profile empty
try cyclotron validate --profile none
try cyclotron validate --profile site --only nobody
try cyclotron validate --profile site --detail
try cyclotron validate -m tpu-v3-8
try cyclotron validate --format csv
printf '[v3/layers]\nmachine = tpu-v33-8\n' >site/pairs.ini
try cyclotron validate --profile site --only v3
printf '[v3/layer]\nmachine = tpu-v3-8\n' >site/pairs.ini
try cyclotron validate --profile site
