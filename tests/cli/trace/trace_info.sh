# What the tiny trace adds up to, worked out by hand: conv and its gradients 2*512*18*8 = 147456
# FLOP each, the three matmuls 2*8*32*128 = 65536, the rest as written, the repeat three times.
cyclotron trace info tiny.trace
cyclotron trace info tiny.trace --format json
cyclotron trace check tiny.trace
