# One step on slices of several sizes.
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32,128 | sed 's/-\{0,1\}[0-9]*\.[0-9]*/N/g; s/ \{2,\}/  /g'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32 --format json | sed 's/[0-9][-0-9.e]*/N/g'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,x; echo "exit $?"
cyclotron replay - -m tpu-v3-8 --scale 8; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8 --format csv; echo "exit $?"
cyclotron replay tiny.trace -m xeon-6148 --scale 1; echo "exit $?"
# Beyond the machine: more slices of it, if asked.
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32 --scale-by slices --format json | grep -o '"chips": [0-9]*, "slices": [0-9]*'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,12 --scale-by slices; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8 --scale-by pods; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v3-8 --scale-by slices; echo "exit $?"
