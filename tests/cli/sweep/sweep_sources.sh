# A trace or machine that is written, or gone, while its sweep runs: no result of another one is kept, and no point fails for it.
some_done() { # waits until the database $1 has a point
    until cyclotron sweep status $1 2>/dev/null | grep -q ' [1-9][0-9]* done'; do sleep 0.02; done
}
axes='-m tpu-v3-8 -a mxu.count=1,2,4 -a mxu.issue=0.1:1:0.01 -j 1'
cp tiny.trace t.trace
cyclotron sweep t.trace $axes --db whole.db -o whole.txt
cyclotron sweep export csv whole.db -o whole.csv
# as it should be in the end: the same command, after what went wrong
finish() {
    cyclotron sweep t.trace $axes --db $1.db | sed -n 1p
    cyclotron sweep export csv $1.db -o $1.csv
    cmp whole.csv $1.csv && echo the same
}
cyclotron sweep t.trace $axes --db changed.db -o changed.txt 2>said &
some_done changed.db
sed 's/time="20 us"/time="200 ms"/' tiny.trace >t.trace
wait $! || echo "exit $?"
cat said
try cyclotron sweep t.trace $axes --db changed.db
cp tiny.trace t.trace
finish changed
cyclotron sweep t.trace $axes --db gone.db -o gone.txt 2>said &
some_done gone.db
mv t.trace away.trace
wait $! || echo "exit $?"
cat said
mv away.trace t.trace
finish gone
# what was written but is the same goes on
cyclotron sweep t.trace $axes --db touched.db -o touched.txt 2>said &
some_done touched.db
touch t.trace
wait $! || echo "exit $?"
cat said
finish touched
# the base of a machine
printf '[machine]\nbase = tpu-v3-8\n[hbm]\nefficiency = 0.9 [x]\n' >base.ini
printf '[machine]\nbase = base.ini\n' >own.ini
cyclotron sweep t.trace -m own.ini -a mxu.count=1,2,4 -a mxu.issue=0.1:1:0.01 -j 1 --db own.db -o own.txt 2>said &
some_done own.db
sed -i 's/0.9/0.8/' base.ini
wait $! || echo "exit $?"
cat said
