# Without a kind, all kinds and their keys; each kind names at least one key.
cyclotron op
cyclotron op -m tpu-v3-1 >again && cyclotron op | cmp - again
