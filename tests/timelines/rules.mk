# == Test
# make test-viewers  install GTKWave and protoc, have them read waves and traces
.PHONY: test-viewers
test-viewers:
	@scripts/setup look
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/timelines/viewers
