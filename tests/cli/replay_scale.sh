# One step on slices of several sizes.
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32,128 | sed 's/-\{0,1\}[0-9]*\.[0-9]*/N/g; s/ \{2,\}/  /g'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32 --format json | sed 's/[0-9][-0-9.e]*/N/g'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,x; echo "exit $?"
cyclotron replay - -m tpu-v3-8 --scale 8; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8 --format csv; echo "exit $?"
