# Messages instead of traffic: alone by their closed form, together flit by flit, always the same as --exact.
# 0 to 27 is 6 links: 7 + 6 * 6 + 399; 3 to 7 is 4: 7 + 4 * 6 + 63; 0 to 3 and 1 to 3 meet.
for a in 'radix=8x8 flits=16 depth=16 send=0-27:400,3-7:64,1-2:64@500' \
    'topology=mesh radix=4 flits=8 depth=16 send=0-3:40,1-3:40,3-0:40' \
    'topology=mesh radix=4x4 flits=8 depth=16 vcs=4 dead=0-1 slow=4-5:3 send=0-1:8,0-1:8@300'; do
    cyclotron network $a | tee walked
    cyclotron network $a --exact | cmp - walked
done
cyclotron network -m tpu-v3-32 flits=64 send=0-3:2000,1-3:2000 -f json
