# Constants of a GPU that a prediction was made with come back from it.
cp "$root/tests/profiles/h100_bert.kineto.json.gz" bert.json.gz
cyclotron trace import bert.json.gz -o bert.trace 2>/dev/null
for set in hbm.efficiency=0.76 sm.f32_share=0.8; do
    cyclotron profile bert.trace -m h100x1 -s "$set" --export e.csv >/dev/null
    echo "$set"
    cyclotron profile bert.trace e.csv -m h100x1 --calibrate -o mine.ini | sed -n '/^  constant/,/^$/p' | sed 's/  *$//'
    grep -c '\[calibrated' mine.ini
done
# the machine stands in the file: what XPlane calls the GPU, and how many ranks a recording says there are
cp "$root/tests/profiles/h100_dlrm.hlo.zst" dlrm.hlo.zst
zcat "$root/tests/profiles/h100_dlrm.xplane.pb.gz" >dlrm.xplane.pb
cyclotron profile dlrm.hlo.zst dlrm.xplane.pb | sed -n '1p; /^  open/p'
zcat bert.json.gz | sed '1 s/"schemaVersion": *1,/&"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},/' >rank.json
cyclotron profile rank.json | sed -n 1p
# a profile of another program: some kernels pair by shape, and a line says that few agree
cyclotron profile bert.trace dlrm.xplane.pb -m h100x1 | grep '^  open'
cyclotron profile bert.trace dlrm.xplane.pb -m h100x1 -f json | grep -c '"doubtful": true'
