# Constants of a GPU that a prediction was made with come back from it.
cp "$root/tests/profiles/h100_bert.kineto.json.gz" bert.json.gz
cyclotron trace import bert.json.gz -o bert.trace 2>/dev/null
for set in hbm.efficiency=0.76 sm.f32_share=0.8; do
    cyclotron profile bert.trace -m h100x1 -s "$set" --export e.csv >/dev/null
    echo "$set"
    cyclotron profile bert.trace e.csv -m h100x1 --calibrate -o mine.ini | sed -n '/^  constant/,/^$/p' | sed 's/  *$//'
    grep -c '\[calibrated' mine.ini
done
