# == Measure speed
# make bench-profile  read an XPlane file of MB=500 million bytes, plain and packed: at most 10 s of CPU and 300 MB
MB      ?= 500

.PHONY: bench-profile
bench-profile: $(BUILD)/bench/profile_bench
	@$< $(MB) $(BUILD)/large.xplane.pb && $< read $(MB) $(BUILD)/large.xplane.pb && zstd -q -f -1 $(BUILD)/large.xplane.pb && \
	  $< read $(MB) $(BUILD)/large.xplane.pb.zst && gzip -q -f -1 $(BUILD)/large.xplane.pb && \
	  $< read $(MB) $(BUILD)/large.xplane.pb.gz; rc=$$?; rm -f $(BUILD)/large.xplane.pb*; exit $$rc

$(BUILD)/bench/profile_bench: $(BUILD)/tests/bench/profile_bench.o $(BUILD)/tests/profiles/xplane_write.o $(BUILD)/libcyclotron.a
	$(link) -lcriterion $(LDLIBS)
