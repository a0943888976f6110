# A broken invariant aborts; the exit status tells it from bad input.
mkfifo never
exec 3<>never
cyclotron replay - -m tpu-v3-1 <never &
sleep 0.2
kill -ABRT $!
wait $!
echo "exit $?"
