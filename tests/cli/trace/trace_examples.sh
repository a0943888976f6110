# The worked examples of the format's manual: valid, the same when printed and read again, and known to all passes.
for name in transformer resnet_block; do
    trace=$root/docs/examples/$name.trace
    cp "$trace" .
    cyclotron trace check $name.trace
    cyclotron trace cat $name.trace -o $name.text.trace
    cyclotron trace cat $name.text.trace | cmp - $name.text.trace && echo "canonical text prints as itself"
    cyclotron replay $name.trace -m tpu-v4-8 | grep "^  memory"
    # written out turn by turn it is the same step
    cyclotron replay $name.trace -m tpu-v3-8 -f json | sed 's/"trace": "[^"]*"//; s/"provenance".*//' >indexed
    cyclotron replay $name.text.trace -m tpu-v3-8 -f json | sed 's/"trace": "[^"]*"//; s/"provenance".*//' | cmp - indexed && echo "the same step"
done
grep -c . transformer.trace transformer.text.trace
memory() { cyclotron replay "$1" -m tpu-v3-8 | grep -E '^  memory'; }
cyclotron trace shard transformer.trace data=4 model=2 -o model.trace && memory model.trace
cyclotron trace shard transformer.trace pipeline=4 microbatches=8 data=2 -o pipeline.trace && memory pipeline.trace
cyclotron trace remat transformer.trace fit=1400MiB -o remat.trace && memory remat.trace
for t in model pipeline remat; do cyclotron trace cat $t.trace >/dev/null && echo "$t: read again"; done
cyclotron replay transformer.trace -m tpu-v3-8 --dump=narrow | cyclotron trace check - | sed 's/checksum.*//'
