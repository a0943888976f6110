# A weight that one product reads by columns and another turned: it is cut, and gathered for the second.
cat > tied.trace <<'T'
cyclotron-trace 1
workload "tied"
samples step=8
tensor %w f32[64,64] weight
step {
  %x f32[8,64] = infeed()
  %y f32[8,64] = matmul(%x, %w)
  %z f32[8,64] = matmul(%x, %w) tb=1
  outfeed(%z)
}
T
cyclotron trace shard tied.trace model=2
