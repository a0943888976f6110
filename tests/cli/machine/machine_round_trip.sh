# A machine that is shown is a machine file that says the same.
cyclotron machine show tpu-v3-8 --set mxu.count=4 -o mine.ini
cyclotron machine check mine.ini
cyclotron machine show ./mine.ini | sed 1d >again
sed 1d mine.ini | cmp - again && echo "the same"
grep -A3 '^\[mxu\]' mine.ini | grep '^count'
cyclotron replay tiny.trace -m mine.ini --format csv >a
cyclotron replay tiny.trace -m tpu-v3-8 --set mxu.count=4 --format csv >b
cmp a b && echo "the same times"
cyclotron machine list | grep -c '^tpu-v3-8 '
cyclotron params | grep -c '^mxu\.'  | grep -qv '^0$' && echo "parameters of the mxu"
cyclotron params --markdown | head -3
