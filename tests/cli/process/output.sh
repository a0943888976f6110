# A file appears whole or not at all; a full disk and a closed pipe are errors.
run='cyclotron replay tiny.trace -m tpu-v3-1'
try $run -o /dev/full
$run >/dev/full
echo "exit $?"
cyclotron --help >/dev/full
echo "exit $?"
cyclotron trace pack tiny.trace >/dev/full
echo "exit $?"
try $run -o no/such/folder/out
try $run -o .

echo "--- an old file stays when the new one cannot be made"
echo old >out
try cyclotron replay missing.trace -m tpu-v3-1 -o out
cat out
try cyclotron trace cat missing.trace -o out
cat out

echo "--- permissions and symbolic links stay"
chmod 640 out
ln -s out link
$run -o link
test -L link && echo "still a link"
head -c 8 out
echo
stat -c %a out
( umask 027; $run -o fresh; stat -c %a fresh )

echo "--- a pipe is written to, not replaced"
mkfifo pipe
$run -o pipe &
head -c 8 pipe
echo
wait
test -p pipe && echo "still a pipe"

echo "--- a reader that goes away ends the program without a word"
{ cyclotron trace gen 3dgan; echo "exit $?" >&3; } 3>status | head -c 10
echo
cat status

echo "--- no standard output"
cyclotron --version >&-
echo "exit $?"
ls
