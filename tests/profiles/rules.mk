# make fuzz-profile   read N=200000 spoiled profiles of SEED=1 under ASan and UBSan
# make bench-profile  read an XPlane file of MB=500 million bytes, plain and packed: at most 10 s of CPU and 300 MB
MB      ?= 500

.PHONY: fuzz-profile fuzz-profile-run bench-profile
fuzz-profile:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-san OPT=-O1 \
	  SAN='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' fuzz-profile-run

fuzz-profile-run: $(BUILD)/bench/profile_fuzz
	@$(BUILD)/bench/profile_fuzz $(N) $(SEED)

bench-profile: $(BUILD)/bench/profile_bench
	@$< $(MB) $(BUILD)/large.xplane.pb && $< read $(MB) $(BUILD)/large.xplane.pb && zstd -q -f -1 $(BUILD)/large.xplane.pb && \
	  $< read $(MB) $(BUILD)/large.xplane.pb.zst && gzip -q -f -1 $(BUILD)/large.xplane.pb && \
	  $< read $(MB) $(BUILD)/large.xplane.pb.gz; rc=$$?; rm -f $(BUILD)/large.xplane.pb*; exit $$rc

$(BUILD)/bench/profile_fuzz: $(BUILD)/tests/bench/profile_fuzz.o $(BUILD)/tests/profiles/profile_mutate.o $(BUILD)/tests/profiles/xplane_write.o $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)

$(BUILD)/bench/profile_bench: $(BUILD)/tests/bench/profile_bench.o $(BUILD)/tests/profiles/xplane_write.o $(BUILD)/libcyclotron.a
	$(link) $(LDLIBS)
