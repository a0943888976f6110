# What is wrong in a trace is said with file, line and column, and the nearest valid name.
change() { # SED-SCRIPT: a copy of the tiny trace with this change
    sed "$1" tiny.trace >bad.trace
    cmp -s bad.trace tiny.trace && echo "no change: $1"
    try cyclotron trace check bad.trace
}
change 's/^cyclotron-trace 1/cyclotron-trace 99/'
change 's/= matmul(%flat, %w)/= matmull(%flat, %w)/'
change 's/%h f32\[8,32\] = matmul/%h f32[8,33] = matmul/'
change 's/%h f32\[8,32\] = matmul/%h f32[8,0] = matmul/'
change 's/%h f32\[8,32\] = matmul/%h f31[8,32] = matmul/'
change 's/%h f32\[8,32\] = matmul/%h f32[8,32 = matmul/'
change 's/%h f32\[8,32\] = matmul/%h f32[9999999999,9999999999] = matmul/'
change 's/gather(%h, %edges)/gather(%later, %edges)/'
change 's/gather(%h, %edges)/gather(%H, %edges)/'
change 's/%loss f32\[\] = reduce/%nodes f32[] = reduce/'
change 's/flops=2560/flop=2560/'
change 's/flops=2560/flops=2560 flops=1/'
change 's/flops=2560/flops=many/'
change 's/repeat 3/repeat 0/'
change 's/all-reduce-done(%sum)/all-reduce-done(%dflat)/'
change 's/ input$/ inptu/'
change 's/phase bwd/fase bwd/'
try cyclotron replay bad.trace -m tpu-v3-1
try cyclotron replay missing.trace -m tpu-v3-1
