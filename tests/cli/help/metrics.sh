# Every figure that a command prints as JSON stands in docs/reference/metrics.md.

explained() { # WHAT, reads JSON
    tr ',{' '\n\n' | sed -n 's/^ *"\([a-zA-Z_]*\)":.*/\1/p' | sort -u >keys
    n=0
    while read -r key; do
        grep -q "\`\([^\`]*[^a-z_\`]\)\{0,1\}$key\([^a-z_\`][^\`]*\)\{0,1\}\`" "$root/docs/reference/metrics.md" ||
            echo "$1: $key is not in docs/reference/metrics.md"
        n=$((n + 1))
    done <keys
    [ "$n" -ge "$2" ] || echo "$1: $n keys"
}

# does not fit, so that there are remedies; everything that can be known is
cyclotron replay tiny.trace -m tpu-v3-8 --set hbm.capacity=1MiB --set hbm.reserved=0B --epochs 2 --format json |
    explained replay 90
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32 --format json | explained scale 12
cyclotron compare tiny.trace -m tpu-v3-8 -m tpu-v2-8 --deadline 1h --format json |
    explained compare 20
cyclotron trace gen fc layers=1 width=8 batch=8 cores=1 epoch=80 -o fc.trace
cyclotron scan fc.trace -m tpu-v3-8 --format json | explained scan 12
cyclotron op matmul m=128 n=128 k=128 -m tpu-v3-1 --format json | explained op 60
cyclotron op hbm pattern=seq bytes=1MB -m tpu-v3-1 --format json | explained hbm 20
cyclotron validate --only farbin --format json | explained validate 25
