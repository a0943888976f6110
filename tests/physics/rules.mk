# make test-monotonic  is any workload slower on any machine with better hardware?  takes a quarter of an hour
.PHONY: test-monotonic
test-monotonic: $(BUILD)/test-physics
	@CYCLOTRON_MONOTONIC=full $(BUILD)/test-physics --filter 'monotonic/*'
