# identical layers are one row, "NAME x12", wherever operations are listed; --ungroup shows each
# transformer LAYERS WIDTH: an encoder whose last layer has a feed-forward part of that width
transformer() {
    awk -v layers="$1" -v last="$2" -v phases="${3:-}" 'function width(l) { return l == layers - 1 ? last : 1024 }
    BEGIN {
        print "cyclotron-trace 1\nworkload \"encoder\"\nsamples step=8 epoch=800"
        print "dtype tensors=f32 matmul=bf16 activations=narrow\nprovenance \"a test\""
        print "tensor %x f32[1024,256] input"
        for (l = 0; l < layers; l++) {
            print "tensor %l" l ".qkv f32[256,768] weight\ntensor %l" l ".proj f32[256,256] weight"
            print "tensor %l" l ".up f32[256," width(l) "] weight\ntensor %l" l ".down f32[" width(l) ",256] weight"
        }
        print "step {\n  phase embed\n  %x0 f32[1024,256] = elementwise(%x) flops=262144"
        for (l = 0; l < layers; l++) {
            if (phases || l == 0) print "  phase " (phases ? "layer" l : "fwd")
            p = "%l" l "."
            print "  " p "q f32[1024,768] = matmul(%x" l ", " p "qkv) name=\"l" l ".attn.qkv.fwd\""
            print "  " p "a f32[1024,256] = elementwise(" p "q) flops=786432 name=\"l" l ".attn.mix\""
            print "  " p "o f32[1024,256] = matmul(" p "a, " p "proj) name=\"l" l ".attn.proj.fwd\""
            print "  " p "n1 f32[1024,256] = elementwise(" p "o, %x" l ") flops=786432 name=\"l" l ".ln1\""
            print "  " p "u f32[1024," width(l) "] = matmul(" p "n1, " p "up) name=\"l" l ".ffn.up.fwd\""
            print "  " p "d f32[1024,256] = matmul(" p "u, " p "down) name=\"l" l ".ffn.down.fwd\""
            print "  %x" l + 1 " f32[1024,256] = elementwise(" p "d, " p "n1) flops=786432 name=\"l" l ".ln2\""
        }
        print "  phase loss\n  %y f32[1024,256] = elementwise(%x" layers ", %x0) flops=262144\n  outfeed(%y)\n}"
    }'
}
transformer 12 1024 >even.trace
transformer 12 2048 >odd.trace
transformer 12 2048 1 >phases.trace
rows() { sed -n '/^slowest/,/^all matrix/p' | sed 's/  *[0-9.]* *[0-9.]*  [a-z]* .*//; /^all matrix/d; /^$/d' | sort; }
names() { cut -d, -f1-4 | sort | uniq -c | sed 's/^ *//'; }

echo "--- twelve layers, and eleven with a twelfth of another width"
cyclotron replay even.trace -m tpu-v3-8 | rows
cyclotron replay odd.trace -m tpu-v3-8 | rows
echo "--- each layer by itself"
cyclotron replay odd.trace -m tpu-v3-8 --ungroup | rows
cyclotron replay even.trace -m tpu-v3-8 --ungroup -f csv | names >single
cyclotron replay even.trace -m tpu-v3-8 -f csv | names >grouped
diff single grouped | grep -c '^>'
echo "--- rows of CSV and JSON are single and name their group"
grep qkv grouped
cyclotron replay even.trace -m tpu-v3-8 -f json | grep -o '"name": "l3.ffn.up.fwd", "phase": "fwd", "kind": "matmul", "group": "[^"]*"'
echo "--- numbered phases"
cyclotron replay phases.trace -m tpu-v3-8 | sed -n '/^phases/,/^$/p' | cut -c1-46
echo "--- layers of two designs under names of one form"
{
    printf 'cyclotron-trace 1\nworkload "plain"\nsamples step=8 epoch=800\n'
    printf 'dtype tensors=f32 matmul=bf16 activations=keep\nprovenance "a test"\ntensor %%x0 f32[64,256] input\n'
    for i in 1 2 3; do printf 'tensor %%w%d f32[256,256] weight\n' $i; done
    printf 'tensor %%w4 f32[256,512] weight\ntensor %%w5 f32[512,512] weight\ntensor %%w6 f32[512,512] weight\n'
    printf 'step {\n  phase fwd\n'
    for i in 1 2 3 4 5 6; do
        printf '  %%x%d f32[64,%d] = matmul(%%x%d, %%w%d) name="fc%d"\n' $i $((i < 4 ? 256 : 512)) $((i - 1)) $i $i
    done
    printf '}\n'
} >plain.trace
cyclotron replay plain.trace -m tpu-v3-8 -f csv | cut -d, -f1,4
echo "--- as many FLOPs and bytes, other shapes: not identical"
{
    printf 'cyclotron-trace 1\nworkload "turns"\nsamples step=8 epoch=800\n'
    printf 'dtype tensors=f32 matmul=bf16 activations=keep\nprovenance "a test"\ntensor %%x f32[64,256] input\n'
    printf 'tensor %%w1 f32[256,512] weight\ntensor %%w2 f32[512,256] weight\nstep {\n  phase fwd\n'
    printf '  %%u f32[64,512] = matmul(%%x, %%w1) name="ffn1"\n  %%d f32[64,256] = matmul(%%u, %%w2) name="ffn2"\n}\n'
} >turns.trace
cyclotron replay turns.trace -m tpu-v3-8 -f csv | cut -d, -f1,4,8,9
echo "--- two runs: layers that are identical in both, and layers that one of them adds"
transformer 24 1024 >deep.trace
cyclotron replay even.trace -m tpu-v3-8 -f json -o even.json
cyclotron replay odd.trace -m tpu-v3-8 -f json -o odd.json
cyclotron replay deep.trace -m tpu-v3-8 -f json -o deep.json
changes() { sed -n '/that changed most/,$p' | sed 's/  *[-+0-9.e]*  *[-+0-9.e]*  *[-+0-9.e]*$//' | sort; }
cyclotron diff even.json odd.json | changes
cyclotron diff even.json deep.json | changes
cyclotron diff even.json odd.json --ungroup | changes | grep ffn
cyclotron diff even.json odd.json --html | grep -o '"ungroup":[a-z]*'
cyclotron diff even.json odd.json --html --ungroup | grep -o '"ungroup":[a-z]*'
echo "--- where no layers are shown"
try cyclotron replay plain.trace -m tpu-v3-8 --ungroup --scale 8,32
try cyclotron replay plain.trace -m tpu-v3-8 --ungroup --dump=load
