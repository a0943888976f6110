# A broken invariant aborts; the exit status tells it from bad input.
mkfifo never
exec 3<>never
cyclotron replay - -m tpu-v3-1 <never &
# once it waits for the signal
for _ in $(seq 100); do
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$!/status 2>/dev/null)
    [ $((0x${mask:-0} & 32)) -ne 0 ] && break
    sleep 0.1
done
kill -ABRT $!
wait $!
echo "exit $?"
