# Files that are not the program's own stay; names and links are what they are.
cyclotron replay tiny.trace -m tpu-v3-1 -o want.json
# a file with the name that the output has for a moment
sh -c 'echo mine >o.json.$$; exec cyclotron replay tiny.trace -m tpu-v3-1 -o o.json'
cmp o.json want.json && cat o.json.*
# a link that leads nowhere stays a link
mkdir far
ln -s far/there.json link.json
cyclotron replay tiny.trace -m tpu-v3-1 -o link.json
[ -L link.json ] && cmp far/there.json want.json && echo "a link that leads nowhere yet is followed"
ln -s round.json round.json
try cyclotron replay tiny.trace -m tpu-v3-1 -o round.json 2>&1
[ -L round.json ] && echo "it is still a link"
try cyclotron replay tiny.trace -m tpu-v3-1 -o want.json/below.json 2>&1
# files of an editor that marks the order of bytes and ends lines by two
for kind in "machine show tpu-v3-1" "machine show v100x1"; do
    # shellcheck disable=SC2086
    cyclotron $kind >own.ini
    { printf '\357\273\277'; sed 's/$/\r/' own.ini; } >marked.ini
    cyclotron machine show ./marked.ini | sed 's/marked/own/' >read.ini
    cyclotron machine show ./own.ini | cmp - read.ini && echo "the same machine"
done
# a name for a terminal
name=$(printf 'a\033[31m.trace')
cp tiny.trace "$name"
cyclotron replay "$name" -m tpu-v3-1 | grep '  trace ' | cut -d, -f1
cyclotron compare "$name" -m tpu-v3-1 | sed -n 1p | cut -d: -f1
# a program's header is JSON
{
    echo '// cyclotron: {"workload": "caf\u00e9 \u2192 \ud83d\ude00 \u0022 \u001b"}'
    echo 'HloModule m, is_scheduled=true'
    echo 'ENTRY %e (x: f32[8]) -> f32[8] {'
    echo '  %x = f32[8]{0} parameter(0)'
    echo '  ROOT %y = f32[8]{0} negate(%x)'
    echo '}'
} >p.hlo
cyclotron trace import p.hlo 2>&1 | grep '^workload'
# the log of a database stands beside one of its names
cyclotron sweep tiny.trace -m tpu-v3-1 --axis mxu.count=1,2 --db a.db >out
ln a.db b.db
try cyclotron sweep tiny.trace -m tpu-v3-1 --axis mxu.count=1,2 --db b.db
# arrays of Slurm
array() { # LIST COUNT MIN MAX ID
    SLURM_ARRAY_TASK_COUNT=$2 SLURM_ARRAY_TASK_MIN=$3 SLURM_ARRAY_TASK_MAX=$4 SLURM_ARRAY_TASK_ID=$5 \
        CYCLOTRON=echo try "$root/scripts/sweep.sbatch" --plan night.ini 2>&1 | sed "s/^/$1: /"
}
array 1-3 3 1 3 2
array 3,7 2 3 7 7
array 1 1 1 1 1
SHARDS=8
export SHARDS
array 3,7 2 3 7 7
