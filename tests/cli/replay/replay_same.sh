# However a trace comes in, and with shortcuts or without, the result is the same.
cyclotron replay tiny.trace -m tpu-v3-8 --format json >a
cyclotron replay tiny.trace -m tpu-v3-8 --format json --exact | cmp - a && echo "exact"
cyclotron trace pack tiny.trace -o tiny.trace.zst
cyclotron replay tiny.trace.zst -m tpu-v3-8 --format csv >b
cyclotron replay tiny.trace -m tpu-v3-8 --format csv | cmp - b && echo "packed"
cyclotron replay - -m tpu-v3-8 --format csv <tiny.trace.zst | cmp - b && echo "standard input"
cat tiny.trace | cyclotron replay - -m tpu-v3-8 --format csv | cmp - b && echo "a pipe"
cyclotron replay tiny.trace -m tpu-v3-8 -o c --format=json && cmp a c && echo "a file"
cyclotron replay -mtpu-v3-8 -fcsv -- tiny.trace | cmp - b && echo "short options"
