# Programs compiled for several machines beside each other, and one program on machines that cannot run it.
cp "$root"/tests/cli/programs/layers.*.hlo .
blank() { sed 's/[0-9][0-9.]*e-[0-9]* USD/N USD/; s/ [0-9.]* us a/ N us a/; s/, [0-9.]* USD/, N USD/; s/, [0-9]* samples.s/, N samples\/s/' | sed -n '/^machine/!p' | cut -c1-110; }

try cyclotron compare layers.tpu-v3-8.hlo layers.tpu-v5e-4.hlo | blank | sed 's/\(yes *4 *-\).*/\1/'
echo "--- by the sample"
for f in layers.*.hlo; do sed '1s/"samples": null/"samples": 512/' $f >stated.${f#layers.}; done
try cyclotron compare stated.*.hlo | blank | sed -n '1,4p'
cyclotron compare stated.*.hlo -f json | grep -o '"machine": "[^"]*", "trace": "[^"]*"\|"fastest".*'
echo "--- those that cannot run it in one paragraph"
try cyclotron compare layers.tpu-v5e-4.hlo -m 'tpu-v5e-*' | sed -n '/^cannot/,/^batch/p'
echo "--- each trace on each machine that was named"
try cyclotron compare layers.*.hlo -m tpu-v5e-4 -m tpu-v3-8 | sed -n '/^cannot/,/^batch/p; /  no  /p' | cut -c1-110
try cyclotron compare layers.tpu-v5e-4.hlo tiny.trace
try cyclotron compare layers.tpu-v5e-4.hlo -
# a machine that cannot run a trace is an answer beside others; if none can, the command fails
try cyclotron compare layers.tpu-v5e-4.hlo -m tpu-v3-8 -m tpu-v6e-4 | tail -1
try cyclotron batch layers.tpu-v5e-4.hlo -m tpu-v3-8 | tail -1
