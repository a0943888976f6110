# == Predictions and constants
# make dead-parameters  is there a constant of a machine that changes nothing?  takes some half an hour of CPU time
# make test-monotonic  is any workload slower on any machine with better hardware?  takes a quarter of an hour
.PHONY: test-monotonic
test-monotonic: $(BUILD)/test-physics
	@CYCLOTRON_MONOTONIC=full $(BUILD)/test-physics --filter 'monotonic/*'

.PHONY: dead-parameters
dead-parameters: all
	@CYCLOTRON="$(WHOLE)/cyclotron" scripts/dead-parameters
