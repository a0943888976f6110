# Databases on media that cannot be written, of another build, and without a shard.
plan='tiny.trace -m tpu-v3-1 --axis mxu.count=1,2,4,8'
# others may not look into the folder of this case
place=$(mktemp -d "${TMPDIR:-/tmp}/media.XXXXXX") || exit 2
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
folder=$place/folder
mkdir "$folder"
chmod 755 "$place" "$folder"
cyclotron sweep $plan --db "$folder/a.db" -j 1 >/dev/null
ls "$folder"
chmod 444 "$folder/a.db"
chmod 555 "$folder"
# root may write all the same
reader() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        "$@"
    fi
}
binary=${PROGRAM:-$(command -v cyclotron)}
cp "$binary" "$place/run" && chmod 755 "$place/run"
for verb in status report "export csv"; do
    reader "$place/run" sweep $verb "$folder/a.db" >out && [ -s out ] && echo "$verb reads it"
done
ls "$folder"
chmod 755 "$folder"
# what another build has found is not merged
cp "$binary" other && printf x >>other
for i in 1 2 3 4; do cyclotron sweep $plan --shard $i/4 --db s.db >/dev/null; done
./other sweep $plan --shard 2/4 --db o.db >/dev/null
try cyclotron sweep merge -o m.db s.1-of-4.db o.2-of-4.db 2>&1 | sed 's/begun on .*/begun on HOST/'
# a shard that is missing is told of
try cyclotron sweep merge -o n.db s.1-of-4.db s.2-of-4.db s.4-of-4.db
try cyclotron sweep merge -o n.db s.3-of-4.db
